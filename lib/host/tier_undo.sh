# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Changes of a tier on this host: each is recorded before it is made, and can be undone. The journal is $TIER_FOLDER/journal, lines `KIND BOOT
# TARGET`, tab-separated; the last line is removed when it is undone. Kinds are those of `_host_tier_undo_KIND`; KIND-next is what will exist after
# the next step.

# Record a change before it is made. It may be made only if this succeeds, because the line is then on the disk.
# Usage: host_tier_note KIND TARGET
# Globals: TIER_FOLDER
# Returns: 1 with WHY. Callers must check it, because errexit is off after `||` and `if`.
host_tier_note() {
  local journal=$TIER_FOLDER/journal size=0
  [[ ! -e $journal ]] || size=$(stat -c %s -- "$journal")
  if { _host_tier_line "$@" >>"$journal"; } 2>/dev/null && sync "$journal" "$TIER_FOLDER" 2>/dev/null; then return 0; fi
  # A truncated line would corrupt the next one. Shortening a file needs no space.
  truncate -c -s "$size" -- "$journal" 2>/dev/null || :
  _host_tier_unrecorded
}

# Record the result of the last line.
# Usage: host_tier_note_instead KIND TARGET
# Globals: TIER_FOLDER
# Returns: 1 with WHY; the record is then unchanged.
host_tier_note_instead() {
  local journal=$TIER_FOLDER/journal
  if { head -n -1 -- "$journal" && _host_tier_line "$@"; } >"$journal.new" 2>/dev/null && sync "$journal.new" 2>/dev/null; then
    mv -f -- "$journal.new" "$journal" && sync "$TIER_FOLDER" && return
  fi
  rm -f -- "$journal.new"
  _host_tier_unrecorded
}

# Set the reason why a change is not made: its record cannot be written.
# Usage: _host_tier_unrecorded
# Returns: 1 with WHY.
_host_tier_unrecorded() {
  WHY="$TIER_FOLDER/journal cannot be written to the disk, and nothing is changed without a record (REMOTE_DIR: is its disk full?)"
  return 1
}

# Undo everything on record, last first. Then remove the directory, and the note next to the run's directory. Processes in a cgroup must have
# ended.
# Usage: host_tier_undo
# Globals: TIER_FOLDER
# Returns: 1 with a line on stderr when something does not go; the record then keeps it.
host_tier_undo() {
  local kind boot target now folder=${TIER_FOLDER%/tier}
  local -a lines=()
  now=$(</proc/sys/kernel/random/boot_id)
  [[ -d $TIER_FOLDER ]] || return 0
  [[ ! -e $TIER_FOLDER/journal ]] || mapfile -t lines <"$TIER_FOLDER/journal"
  while ((${#lines[@]} > 0)); do
    IFS=$'\t' read -r kind boot target <<<"${lines[-1]}"
    # Only files survive a reboot; the other names may then belong to other programs. A truncated line has no target, and its change was
    # not made.
    if [[ -n $target ]] && [[ $kind == file || $boot == "$now" ]]; then
      declare -F "_host_tier_undo_${kind//-/_}" >/dev/null ||
        host_tier_stuck "$kind $target: its tier is missing; set TIERBENCH_PATH as for the run" || return
      "_host_tier_undo_${kind//-/_}" "$target" || return 1
    fi
    unset 'lines[-1]'
    # This works on a full disk too: a shorter file needs no space.
    truncate -s "$((${#lines[@]} == 0 ? 0 : $(printf '%s\n' "${lines[@]}" | wc -c)))" -- "$TIER_FOLDER/journal" || return 1
  done
  rm -rf -- "$TIER_FOLDER" "${folder%/*}/tier-${folder##*/run-}"
}

# Undo what a broken run left, and report it.
# Usage: host_tier_stop RUN_DIR
host_tier_stop() {
  local kind target said=''
  TIER_FOLDER=$1/tier
  [[ -d $TIER_FOLDER ]] || return 0
  while IFS=$'\t' read -r kind _ target; do
    [[ -z $target || $kind == *-next ]] || said+="tier: removed $kind $target"$'\n'
  done < <(cat "$TIER_FOLDER/journal" 2>/dev/null)
  host_tier_undo || return
  printf '%s' "$said"
}

# Remove a swap file.
# Usage: _host_tier_undo_file FILE
_host_tier_undo_file() {
  rm -f -- "$1"
}

# Disable a swap target, if it is in use.
# Usage: _host_tier_undo_swap TARGET
# Returns: 1 with a line on stderr if the kernel refuses.
_host_tier_undo_swap() {
  host_tier_swapping "$1" || return 0
  swapoff "$1" || host_tier_stuck "cannot swapoff $1; free memory for its pages"
}

# Print a line of the journal, with the boot id of now.
# Usage: _host_tier_line KIND TARGET
_host_tier_line() {
  printf '%s\t%s\t%s\n' "$1" "$(</proc/sys/kernel/random/boot_id)" "$2"
}

# Whether a path is swap in use.
# Usage: host_tier_swapping PATH
host_tier_swapping() {
  [[ -n $(host_tier_swap_line "$1") ]]
}

# Print the line of a path in /proc/swaps; nothing if it is not swap in use.
# Usage: host_tier_swap_line PATH
#   PATH  without symbolic links
host_tier_swap_line() {
  NAME=$(host_tier_swap_name "$1") awk '$1 == ENVIRON["NAME"]' "${TIERBENCH_ROOT-}/proc/swaps"
}

# Print the name of a path in /proc/swaps, where backslashes and blanks are octal numbers.
# Usage: host_tier_swap_name PATH
host_tier_swap_name() {
  local name=${1//\\/\\134}
  printf '%s\n' "${name// /\\040}"
}

# Report what cannot be undone.
# Usage: host_tier_stuck MESSAGE
# Returns: 1
host_tier_stuck() {
  printf '%s\n' "$1" >&2
  return 1
}

# Write a value to a file, without a message if that fails.
# Usage: _host_tier_write FILE VALUE
_host_tier_write() {
  { echo "$2" >"$1"; } 2>/dev/null
}

# Repeat a command until it succeeds, for at most SECONDS.
# Usage: _host_tier_again SECONDS COMMAND...
_host_tier_again() {
  local end=$((SECONDS + $1))
  shift
  until "$@" 2>/dev/null; do
    ((SECONDS < end)) || return 1
    sleep 0.1 # between two tries
  done
}
