# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Swap and cgroups of a tier for a run whose directory, with its journal, was removed. They are found by their names, which contain the run. The file
# WORK/tier-RUN shows that the tier was made from this WORK, because other users may have runs on this host.

# Remove swap and cgroups of such runs, and print a line for each. A run whose master is alive, or whose cgroup has processes, is not touched.
# Usage: host_tier_lost_undo stale|force
# Globals: WORK LOCKS
# Returns: 1 with a line on stderr if something cannot be removed
host_tier_lost_undo() {
  local row kind run target note
  local -a rows
  # By run: whether it is dead. All that it left has one answer, and a wait for its processes is not repeated.
  local -A dead=()
  # No other user can make cgroups or swap.
  ((EUID == 0)) || return 0
  mapfile -t rows < <(host_tier_lost)
  for row in "${rows[@]}"; do
    IFS=$'\t' read -r kind run target <<<"$row"
    _host_tier_lost_once "$1" "$run" || continue
    "_host_tier_undo_$kind" "$target" || return 1
    printf 'tier: removed %s %s of %s, whose directory had been removed\n' "$kind" "$target" "$run"
  done
  # Nothing that these notes describe exists any more.
  for note in "$WORK"/tier-*-*; do
    run=${note##*/tier-}
    if owner_names "$run" && [[ -f $note && ! -L $note && ! -s $note && ! -e $WORK/run-$run ]] && _host_tier_lost_once "$1" "$run"; then rm -f -- "$note"; fi
  done
}

# Print KIND, RUN and TARGET of everything with the name of a run of this WORK whose directory was removed, in the order in which it can be undone.
# RUN is `*-HEX`, with the last part of the run's name, where the name is limited in length.
# Usage: host_tier_lost
# Globals: WORK
host_tier_lost() {
  local folder part
  if host_tier_cgroup_find; then
    for folder in "$CGROUP_ROOT"/tierbench-*; do
      # Those in it first, such as of tenants.
      for part in "$folder"/*/ "$folder"/; do
        [[ ! -d $part ]] || _host_tier_lost_row cgroup "${folder##*/tierbench-}" "${part%/}"
      done
    done
  fi
  host_tier_all lost
}

# Print the label of a swap area: 16 bytes at 1052 of its header (linux/swap.h, union swap_header).
# Usage: host_tier_swap_label PATH
host_tier_swap_label() {
  dd if="$1" bs=4 skip=263 count=4 2>/dev/null | tr -d '\0'
}

# Print a row of host_tier_lost if the tier was made from this WORK, and the directory of its run was removed.
# Usage: _host_tier_lost_row KIND RUN TARGET
_host_tier_lost_row() {
  owner_names "${2/#\*/any-1}" || return 0
  # shellcheck disable=SC2086 # RUN may be a pattern
  [[ -z $(compgen -G "$WORK/run-$2/owner") && -n $(compgen -G "$WORK/tier-$2") ]] || return 0
  printf '%s\t%s\t%s\n' "$1" "$2" "$3"
}

# As _host_tier_lost_dead, asked once for each run.
# Usage: _host_tier_lost_once stale|force RUN
# Globals: dead
_host_tier_lost_once() {
  if [[ -z ${dead[$2]+set} ]]; then
    if _host_tier_lost_dead "$@"; then dead[$2]=yes; else dead[$2]=''; fi
  fi
  [[ -n ${dead[$2]} ]]
}

# Whether no process of a run exists any more.
# Usage: _host_tier_lost_dead stale|force RUN
# Returns: 1 if its master is alive, or processes are in its cgroup
_host_tier_lost_dead() {
  local lock folder
  for lock in "${LOCKS-/nonexistent}"/tierbench-lock.*; do
    # shellcheck disable=SC2053 # RUN may be a pattern
    [[ ${lock##*/tierbench-lock.} == $2 ]] || continue
    [[ $1 == force ]] || ! owner_lives "$lock" || return 1
  done
  [[ -n ${CGROUP_ROOT-} ]] || host_tier_cgroup_find || return 0
  for folder in "$CGROUP_ROOT"/tierbench-*; do
    # shellcheck disable=SC2053 # as above
    [[ -d $folder && ${folder##*/tierbench-} == $2 ]] || continue
    # A process that has just been stopped stays in the cgroup for a moment.
    _host_tier_again 5 _host_tier_lost_empty "$folder" || return 1
  done
}

# Whether no process is in a cgroup, or in one of those in it.
# Usage: _host_tier_lost_empty DIR
_host_tier_lost_empty() {
  local file pid
  for file in "$1"/cgroup.procs "$1"/*/cgroup.procs; do
    [[ ! -e $file ]] || ! read -r pid <"$file" || return 1
  done
}
