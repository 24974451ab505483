# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# SETTING: what it does, in one sentence. This template reads the memory that a server has free before and after each phase.

_NAME_FOLDER= # of the repeat

# Whether the settings ask for the part.
# Usage: NAME_wanted
# Globals: SETTING
NAME_wanted() {
  [[ $SETTING == on ]]
}

# A repeat begins. Usage: NAME_fresh DIR
NAME_fresh() {
  _NAME_FOLDER=$1
}

# Print a row STATE FOUND WANTED FIX for the server in HOST, or nothing.
# Usage: NAME_doctor
NAME_doctor() {
  ! NAME_wanted || call_run "$HOST" NAME check
}

# Before each phase: ask each server; nothing that is set here is kept. Usage: NAME_at_start PHASE
NAME_at_start() {
  parts_ask read
}

# All servers have answered. Usage: NAME_got_start PHASE
NAME_got_start() {
  _NAME_keep "$1" before
}

# After each phase; the phase that has ended is PARTS_PHASE. A part can have this without NAME_at_start.
NAME_at_stop() {
  parts_ask read
}

# Usage: NAME_got_stop NEXT_PHASE
NAME_got_stop() {
  _NAME_keep "$PARTS_PHASE" after
}

# Keep what the servers answered in a file of the repeat, from which figures.awk takes the column.
# Usage: _NAME_keep PHASE WHEN
_NAME_keep() {
  local host lines=''
  for host in $HOST; do lines+="$1"$'\t'"$2"$'\t'"$host"$'\t'"${PART_SAID[$host]#*$'\t'}"$'\n'; done
  write_more "$_NAME_FOLDER/NAME.tsv" $'phase\twhen\thost\tbytes' printf '%s' "$lines"
}
