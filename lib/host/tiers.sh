# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The memory tier of a run on the server: which tiers exist, whether the requested one is possible, up and down.
# Needs: vsmp tier tier_undo tier_cgroup tier_swap tier_detect tier_check
# Settings sent in front: for limit RUN_ID; for up and down RUN_ID and RUN_OWNER; for check and up TIER, TIER_NODES (numbers), TIER_WEIGHTS,
# TIER_SWAP, ZRAM_ALGORITHM, TIER_LIMIT (bytes of DRAM for all instances; 0: no limit), TIER_SPACE (bytes of swap), TIER_FAR (nodes
# without a CPU), TIER_RESERVE (bytes that must stay free on the server), TIER_SWAPPINESS (a number, or keep).

# Usage: main detect|check|up|down|limit BYTES
main() {
  if [[ $1 == detect ]]; then
    tier_detect
    return
  fi
  work_open
  if [[ $1 == check ]]; then
    tier_check
    return
  fi
  TIER_FOLDER=$WORK/run-$RUN_ID/tier
  exec {TIER_FD}>"$WORK/tier.flock"
  flock "$TIER_FD"
  "tiers_$1" "${@:2}"
}

# Change the DRAM limit of the instances.
# Usage: tiers_limit BYTES
tiers_limit() {
  [[ -e $TIER_FOLDER/cgroup ]] || fail "the tier has no limit of DRAM"
  cgroup_limit "$(<"$TIER_FOLDER/cgroup")" "$1" || fail "$WHY"
  # The request from now on, for the check of the placement.
  if ! awk -v limit="$1" 'BEGIN { FS = OFS = "\t" } $1 == "limit" { $2 = limit } { print }' "$TIER_FOLDER/asked" >"$TIER_FOLDER/asked.new" ||
    ! mv -f -- "$TIER_FOLDER/asked.new" "$TIER_FOLDER/asked"; then
    fail "$TIER_FOLDER: cannot be written"
  fi
}

# Make what the tier requires. A call that is repeated after a lost link starts over.
tiers_up() {
  tier_undo || fail "what an earlier try made does not go"
  run_open
  mkdir -p -- "$TIER_FOLDER" || fail "$TIER_FOLDER: cannot be made"
  { : >"$WORK/tier-$RUN_ID"; } 2>/dev/null || fail "$WORK/tier-$RUN_ID: cannot be written (REMOTE_DIR: is its disk full?)"
  printf '%s\t%s\n' tier "$TIER" nodes "$TIER_NODES" weights "$TIER_WEIGHTS" limit "$TIER_LIMIT" far "$TIER_FAR" >"$TIER_FOLDER/asked" ||
    fail "$TIER_FOLDER: cannot be written"
  case $TIER in
    swap | zswap) swap_make "$TIER_SPACE" || tiers_refuse ;;
    zram) swap_zram "$TIER_SPACE" || tiers_refuse ;;
  esac
  ((TIER_LIMIT == 0)) || cgroup_make "$TIER_LIMIT" "$TIER_SPACE" || tiers_refuse
}

tiers_refuse() {
  local why=$WHY
  tier_undo || :
  run_close
  fail "the tier $TIER: $why"
}

tiers_down() {
  tier_undo || fail "the tier is not all undone; ./do_it.sh stop tries again"
  run_close
}
