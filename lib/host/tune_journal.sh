# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The journal of a host's changes: every line is on the disk before its change is made.
#
# Lines, tab-separated:
#   change SEQ RUN BOOT KIND NAME TARGET OLD NEW
#   now    SEQ VALUE           what the kernel made of NEW
#   undone SEQ RESULT AFTER

# Start the journal, or continue it after a truncated line.
# Usage: host_tune_journal_open
# Globals: TUNE
host_tune_journal_open() {
  local file=$TUNE/journal
  if [[ ! -e $file ]]; then
    # The directory entry must be on the disk too.
    { : >"$file" && sync "$TUNE"; } 2>/dev/null || _host_tune_journal_refuse
  elif [[ -s $file && -n $(tail -c 1 "$file") ]]; then
    { echo >>"$file"; } 2>/dev/null || _host_tune_journal_refuse
  fi
}

# Read the journal. Ignore a truncated last line: its change had not been applied yet.
# Usage: host_tune_journal_read [FILE]
# Returns: sets JOURNAL_SEQ, the last number, and by number JOURNAL_{RUN,BOOT,KIND,NAME,TARGET,OLD,NEW,RESULT,AFTER};
#   JOURNAL_PENDING by target is the number of the change that is in force.
host_tune_journal_read() {
  local line file=${1-$TUNE/journal}
  local -a field
  JOURNAL_SEQ=0
  declare -gA JOURNAL_PENDING=()
  declare -ga JOURNAL_RUN=() JOURNAL_BOOT=() JOURNAL_KIND=() JOURNAL_NAME=() JOURNAL_TARGET=() JOURNAL_OLD=() JOURNAL_NEW=()
  declare -ga JOURNAL_RESULT=() JOURNAL_AFTER=()
  [[ -e $file ]] || return 0
  # The last line is valid only with its line feed.
  while IFS= read -r line; do
    # read treats a tab as a blank, and would join two tabs around an empty value; mapfile does not.
    mapfile -t -d $'\t' field <<<"$line"
    field[-1]=${field[-1]%$'\n'}
    case ${field[0]-}:${#field[@]} in
      change:9)
        JOURNAL_SEQ=${field[1]}
        _host_tune_journal_take "${field[@]:1}"
        ;;
      now:3) JOURNAL_NEW[field[1]]=${field[2]} ;;
      undone:4) _host_tune_journal_done "${field[@]:1}" ;;
    esac
  done <"$file"
}

# Take a change into the JOURNAL_ variables, as the change that is in force.
# Usage: _host_tune_journal_take SEQ RUN BOOT KIND NAME TARGET OLD NEW
_host_tune_journal_take() {
  local seq=$1
  JOURNAL_RUN[seq]=$2 JOURNAL_BOOT[seq]=$3 JOURNAL_KIND[seq]=$4 JOURNAL_NAME[seq]=$5
  JOURNAL_TARGET[seq]=$6 JOURNAL_OLD[seq]=$7 JOURNAL_NEW[seq]=$8
  JOURNAL_PENDING[$6]=$seq
}

# Take the result of an undone change into the JOURNAL_ variables.
# Usage: _host_tune_journal_done SEQ RESULT AFTER
_host_tune_journal_done() {
  JOURNAL_RESULT[$1]=$2
  JOURNAL_AFTER[$1]=$3
  unset 'JOURNAL_PENDING[${JOURNAL_TARGET[$1]}]'
}

# Append a change that is about to be made; host_tune_journal_sync must follow before it is made. Ends the script when it cannot be written.
# Usage: host_tune_journal_add KIND NAME TARGET OLD NEW
# Globals: RUN_ID; sets JOURNAL_SEQ
host_tune_journal_add() {
  local boot
  boot=$(</proc/sys/kernel/random/boot_id)
  JOURNAL_SEQ=$((JOURNAL_SEQ + 1))
  _host_tune_journal_take "$JOURNAL_SEQ" "$RUN_ID" "$boot" "$@"
  _host_tune_journal_write change "$JOURNAL_SEQ" "$RUN_ID" "$boot" "$@" || _host_tune_journal_refuse
}

# Wait until the journal is on the disk. Ends the script if that fails, because its changes must not be made then.
# Usage: host_tune_journal_sync
host_tune_journal_sync() {
  sync "$TUNE/journal" 2>/dev/null || _host_tune_journal_refuse
}

# Record the value that the kernel made of a change.
# Usage: host_tune_journal_now SEQ VALUE
# Returns: 1 if it cannot be written; the change would then not be recognised as ours.
host_tune_journal_now() {
  JOURNAL_NEW[$1]=$2
  _host_tune_journal_write now "$@" && sync "$TUNE/journal" 2>/dev/null
}

# Record that a change was undone, and how. Without the record it is undone once more, which has no effect. A full disk must not prevent the
# other changes from being undone.
# Usage: host_tune_journal_undone SEQ RESULT AFTER
host_tune_journal_undone() {
  _host_tune_journal_done "$@"
  { _host_tune_journal_write undone "$@" && sync "$TUNE/journal" 2>/dev/null; } || :
}

# Print every change: NAME RESULT TARGET BEFORE DURING AFTER.
# Usage: host_tune_journal_report
host_tune_journal_report() {
  local seq
  for ((seq = 1; seq <= JOURNAL_SEQ; seq++)); do
    [[ -n ${JOURNAL_KIND[seq]+set} && ${JOURNAL_RESULT[seq]-} != unchanged ]] || continue
    host_tune_say "${JOURNAL_NAME[seq]}" "${JOURNAL_RESULT[seq]-stuck}" "${JOURNAL_TARGET[seq]}" \
      "${JOURNAL_OLD[seq]}" "${JOURNAL_NEW[seq]}" "${JOURNAL_AFTER[seq]--}"
  done
}

# Append a line of fields, separated by tabs, to the journal.
# Usage: _host_tune_journal_write FIELD...
# Returns: 1 if it cannot be written; the journal is then unchanged.
_host_tune_journal_write() {
  local IFS=$'\t' LC_ALL=C text='' size
  # A removed journal must not come back.
  [[ -e $TUNE/journal ]] || return
  ! { printf '%s\n' "$*" >>"$TUNE/journal"; } 2>/dev/null || return 0
  # A truncated line would corrupt the next one. Shortening a file needs no space; busybox requires an absolute size.
  IFS= read -r -d '' text <"$TUNE/journal" || :
  text=${text##*$'\n'}
  [[ -z $text ]] || ! size=$(stat -c %s -- "$TUNE/journal") || truncate -c -s $((size - ${#text})) -- "$TUNE/journal" 2>/dev/null || :
  return 1
}

# Fail because the journal cannot be written.
# Usage: _host_tune_journal_refuse
# Returns: exits 1
_host_tune_journal_refuse() {
  fail "$TUNE/journal: cannot be written to the disk, and nothing is changed without a record (REMOTE_DIR: is its disk full?)"
}
