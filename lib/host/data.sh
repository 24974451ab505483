# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The data directories of instances in PERSISTENCE.dir: DIR/tierbench-data-RUN-PORT, to which links in the directory of the run lead. The file
# WORK/data-RUN has DIR, so that they are found when the directory of the run was removed.

# Make the data directories of instances, and the links to them.
# Usage: host_data_make DIR LINK...
# Globals: WORK RUN_ID
host_data_make() {
  local folder link target
  folder=$(readlink -f -- "$1")
  { printf '%s\n' "$folder" >"$WORK/data-$RUN_ID"; } 2>/dev/null || fail "$WORK/data-$RUN_ID: cannot be written (REMOTE_DIR: is its disk full?)"
  for link in "${@:2}"; do
    target=$folder/tierbench-data-$RUN_ID-${link##*-}
    { mkdir -- "$target" && ln -s -- "$target" "$link"; } 2>/dev/null || fail "PERSISTENCE.dir=$1: $target cannot be made"
  done
}

# Remove the data directories of a run, if it has any.
# Usage: host_data_remove RUN
host_data_remove() {
  local target REPLY
  if _host_data_read "$1"; then
    # The name of another run may begin like this one.
    for target in "${REPLY%/}/tierbench-data-$1"-*; do [[ ${target##*"/tierbench-data-$1-"} == *[!0-9]* ]] || rm -rf -- "$target"; done
  fi
  [[ ! -e $WORK/data-$1 && ! -L $WORK/data-$1 ]] || rm -f -- "$WORK/data-$1"
}

# Read the directory that a run of this WORK keeps its data in.
# Usage: _host_data_read RUN
# Returns: sets REPLY; 1 without one
_host_data_read() {
  [[ -f $WORK/data-$1 && ! -L $WORK/data-$1 ]] && IFS= read -r REPLY <"$WORK/data-$1" && [[ $REPLY == /* ]]
}

# The link of a data directory of a run of this WORK, by the path that the kernel has of it.
# Usage: host_data_link PATH
# Returns: sets REPLY, a path below WORK, with what is after the port in PATH; 1 if it is another directory
host_data_link() {
  local name=${1##*/tierbench-data-}
  [[ $1 == /*/tierbench-data-*-* || $1 == /tierbench-data-*-* ]] && _host_data_read "${name%-*}" && [[ ${REPLY%/} == "${1%/tierbench-data-*}" ]] || return
  REPLY=run-${name%-*}/server/data-${name##*-}
}

# Print the runs of which only data is left: their directory was removed.
# Usage: host_data_lost
host_data_lost() {
  local note run REPLY
  for note in "$WORK"/data-*; do
    run=${note##*/data-}
    ! owner_names "$run" || [[ -e $WORK/run-$run/owner ]] || ! _host_data_read "$run" || printf '%s\n' "$run"
  done
}
