# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The memory tier of a run on the server: detect tiers, check the requested tier, set it up and remove it.
# Needs: cpus vsmp tier tier_undo tier_cgroup tier_swap allowed tier_detect tier_ready tier_check tier/*
# Reads check up: TIER TIER_IS TIER_VERIFY TIER_PRICE TIER_MEMORY TIER_WEIGHTS TIER_SWAP ZRAM_ALGORITHM TIER_DATA TIER_LIMIT TIER_SPACE TIER_FAR
# Reads check up: TIER_NEAR TIER_RESERVE TIER_SWAPPINESS TIER_GROUPS
#   TIER_IS, TIER_VERIFY and TIER_PRICE are lines of the header of the tier (lib/core/tiers.sh); TIER_MEMORY are the nodes; TIER_LIMIT is in bytes
#   of DRAM for all instances (0: no limit), TIER_SPACE in bytes of swap; TIER_FAR are nodes without a CPU; TIER_NEAR is NEAR/FAR, the nodes between
#   which a search divides data (empty: it does not); TIER_RESERVE are bytes that must stay free on the server; TIER_SWAPPINESS is a number, or keep;
#   TIER_GROUPS are the groups of instances with a cgroup of each (host_tier_cgroup_groups), or empty

# Usage: main detect|check|up|limit BYTES|divide PROGRAM SHARE NEAR FAR [keep]
main() {
  if [[ $1 == detect ]]; then
    host_tier_detect
    return
  fi
  workdir_open
  if [[ $1 == check ]]; then
    host_tier_check
    return
  fi
  TIER_FOLDER=$WORK/run-$RUN_ID/tier
  workdir_lock tier
  "host_tiers_$1" "${@:2}"
}

# Change the DRAM limit of the instances.
# Usage: host_tiers_limit BYTES
host_tiers_limit() {
  [[ -e $TIER_FOLDER/cgroup ]] || fail "the tier has no limit of DRAM"
  host_tier_cgroup_limit "$(<"$TIER_FOLDER/cgroup")" "$1" || fail "$WHY"
  host_tiers_ask limit "$1"
}

# Move the pages of the instances, so that SHARE % of them are on the near nodes.
# Usage: host_tiers_divide PROGRAM SHARE NEAR FAR [keep]
#   keep: nothing is requested of the placement from now on, because pages will return
host_tiers_divide() {
  local pid start pids='' said
  while read -r pid start _; do
    ! proc_alive "$pid" "$start" || pids+=${pids:+,}$pid
  done <"$WORK/run-$RUN_ID/server/instances.proc"
  [[ -n $pids ]] || fail "no instance runs"
  said=$("$1" spread --near "$3" --far "$4" --share "$2" --processes "$pids" 2>&1) || fail "$2 % of the pages on nodes $3: $(tail -n 1 <<<"$said")"
  host_tiers_ask weights "${5-$(LC_ALL=C awk -v near="$3" -v far="$4" -v share="$2" "$CPUS_AWK"'
    function weigh(list, part,    n, i, node) {
      n = cpus_expand(list, node)
      for (i = 1; i <= n; i++) printf "%s:%g ", node[i], part / n
    }
    BEGIN { weigh(near, share); weigh(far, 100 - share) }')}"
}

# Change the requested placement from now on, for its check.
# Usage: host_tiers_ask NAME VALUE
host_tiers_ask() {
  if ! awk -v name="$1" -v value="$2" 'BEGIN { FS = OFS = "\t" } $1 == name { $2 = value } { print }' "$TIER_FOLDER/asked" >"$TIER_FOLDER/asked.new" ||
    ! mv -f -- "$TIER_FOLDER/asked.new" "$TIER_FOLDER/asked"; then
    fail "$TIER_FOLDER: cannot be written"
  fi
}

# Make what the tier requires. A call that is repeated after a lost link starts over.
host_tiers_up() {
  owner_open
  host_tier_undo || fail "cannot undo the tier of an earlier attempt"
  [[ -d $TIER_FOLDER ]] || mkdir -- "$TIER_FOLDER" || fail "$TIER_FOLDER: cannot be created"
  { : >"$WORK/tier-$RUN_ID"; } 2>/dev/null || fail "$WORK/tier-$RUN_ID: cannot be written (REMOTE_DIR: is its disk full?)"
  printf '%s\t%s\n' tier "$TIER" nodes "$TIER_MEMORY" weights "${TIER_WEIGHTS/#auto/keep}" limit "$TIER_LIMIT" far "$TIER_FAR" \
    is "$TIER_IS" verify "$TIER_VERIFY" price "$TIER_PRICE" >"$TIER_FOLDER/asked" ||
    fail "$TIER_FOLDER: cannot be written"
  ! declare -F "host_tier_${TIER}_up" >/dev/null || "host_tier_${TIER}_up" || host_tiers_refuse
  { ((TIER_LIMIT == 0)) && [[ -z $TIER_GROUPS ]]; } || host_tier_cgroup_make "$TIER_LIMIT" "$TIER_SPACE" || host_tiers_refuse
  [[ -z $TIER_GROUPS ]] || host_tier_cgroup_groups "$TIER_GROUPS" || host_tiers_refuse
}

# Undo what was made of the tier, and fail with the reason.
# Usage: host_tiers_refuse
# Globals: WHY TIER
# Returns: exits 1
host_tiers_refuse() {
  local why=$WHY
  host_tier_undo || :
  owner_close
  fail "the tier $TIER: $why"
}
