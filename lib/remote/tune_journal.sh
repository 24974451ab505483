# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The journal of a host's changes: every line is on the disk before what it says is done.
#
# Lines, tab-separated:
#   change SEQ RUN BOOT KIND NAME TARGET OLD NEW
#   now    SEQ VALUE           what the kernel made of NEW
#   undone SEQ RESULT AFTER

# Start the journal, or go on with it after a line that was cut in the middle.
# Usage: journal_open
# Globals: TUNE
journal_open() {
  local file=$TUNE/journal
  if [[ ! -e $file ]]; then
    : >"$file"
    # The name itself must be on the disk too.
    sync "$TUNE"
  elif [[ -s $file && -n $(tail -c 1 "$file") ]]; then
    echo >>"$file"
  fi
}

# Read the journal; a line that was cut is none, for its change was not yet made.
# Usage: journal_read
# Returns: sets JOURNAL_SEQ, the last number, and by number JOURNAL_{RUN,BOOT,KIND,NAME,TARGET,OLD,NEW,RESULT,AFTER};
#   JOURNAL_PENDING by target is the number of the change that is in force.
journal_read() {
  local line
  local -a field
  JOURNAL_SEQ=0
  declare -gA JOURNAL_PENDING=()
  declare -ga JOURNAL_RUN=() JOURNAL_BOOT=() JOURNAL_KIND=() JOURNAL_NAME=() JOURNAL_TARGET=() JOURNAL_OLD=() JOURNAL_NEW=()
  declare -ga JOURNAL_RESULT=() JOURNAL_AFTER=()
  [[ -e $TUNE/journal ]] || return 0
  # The last line counts only with its end.
  while IFS= read -r line; do
    # A tab counts as a blank for read, which would join two of them around an empty value; mapfile does not.
    mapfile -t -d $'\t' field <<<"$line"
    field[-1]=${field[-1]%$'\n'}
    case ${field[0]-}:${#field[@]} in
      change:9)
        JOURNAL_SEQ=${field[1]}
        _journal_take "${field[@]:1}"
        ;;
      now:3) JOURNAL_NEW[field[1]]=${field[2]} ;;
      undone:4) _journal_done "${field[@]:1}" ;;
    esac
  done <"$TUNE/journal"
}

_journal_take() {
  local seq=$1
  JOURNAL_RUN[seq]=$2 JOURNAL_BOOT[seq]=$3 JOURNAL_KIND[seq]=$4 JOURNAL_NAME[seq]=$5
  JOURNAL_TARGET[seq]=$6 JOURNAL_OLD[seq]=$7 JOURNAL_NEW[seq]=$8
  JOURNAL_PENDING[$6]=$seq
}

_journal_done() {
  JOURNAL_RESULT[$1]=$2
  JOURNAL_AFTER[$1]=$3
  unset "JOURNAL_PENDING[${JOURNAL_TARGET[$1]}]"
}

# Add a change that is about to be made; journal_sync must follow before it is.
# Usage: journal_add KIND NAME TARGET OLD NEW
# Globals: RUN_ID; sets JOURNAL_SEQ
journal_add() {
  local boot
  boot=$(</proc/sys/kernel/random/boot_id)
  JOURNAL_SEQ=$((JOURNAL_SEQ + 1))
  _journal_take "$JOURNAL_SEQ" "$RUN_ID" "$boot" "$@"
  _journal_write change "$JOURNAL_SEQ" "$RUN_ID" "$boot" "$@"
}

# Wait until all of it is on the disk.
# Usage: journal_sync
journal_sync() {
  sync "$TUNE/journal"
}

# Note what the kernel made of a change.
# Usage: journal_now SEQ VALUE
journal_now() {
  JOURNAL_NEW[$1]=$2
  _journal_write now "$@"
  journal_sync
}

# Note that a change is no more, and how that came.
# Usage: journal_undone SEQ RESULT AFTER
journal_undone() {
  _journal_done "$@"
  _journal_write undone "$@"
  journal_sync
}

# Print every change: NAME RESULT TARGET BEFORE DURING AFTER.
# Usage: journal_report
journal_report() {
  local seq
  for ((seq = 1; seq <= JOURNAL_SEQ; seq++)); do
    [[ -v "JOURNAL_KIND[seq]" && ${JOURNAL_RESULT[seq]-} != unchanged ]] || continue
    tune_say "${JOURNAL_NAME[seq]}" "${JOURNAL_RESULT[seq]-stuck}" "${JOURNAL_TARGET[seq]}" \
      "${JOURNAL_OLD[seq]}" "${JOURNAL_NEW[seq]}" "${JOURNAL_AFTER[seq]--}"
  done
}

_journal_write() {
  local IFS=$'\t'
  printf '%s\n' "$*" >>"$TUNE/journal"
}
