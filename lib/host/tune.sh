# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Tune this host and restore it. Only this module and the tier modules write to /proc and /sys (lib/part/wss/host.sh also clears the kernel's
# marks of pages).
# Needs: cpus irq vsmp tune_kind tune_journal part/*/host_tune
# Reads check apply: TUNE_ROWS
#   TUNE_ROWS are lines NAME MODE KIND TARGETS VALUE

# What comes first in each printed row.
TUNE_FIRST=()

# Usage: main check|apply|restore
#   check    print what apply would do
#   apply    change the host according to TUNE_ROWS; a setting that is off, and was changed by this run, is restored
#   restore  restore all that this run changed
# check and apply print NAME STATE TARGET BEFORE NOW WHY, restore NAME RESULT TARGET BEFORE DURING AFTER.
# STATE: set, same (already had the value), shared (set by another run), off, cannot, theirs (changed by another program since), stuck (a change that
# is not requested any more cannot be restored); check prints `would` instead of set. RESULT: back, theirs, rebooted, gone, stuck.
main() {
  workdir_open
  TUNE=$WORK/tune-$RUN_ID
  case $1 in
    check) host_tune_rows check ;;
    restore)
      host_tune_lock 30
      owner_turn || :
      host_tune_restore
      ;;
    *)
      host_tune_lock
      "host_tune_$1"
      ;;
  esac
}

# A call that is repeated after a lost link, the watchdog, and `stop` must not run at the same time.
# Usage: host_tune_lock [SECONDS [MORE]]
#   as workdir_lock
host_tune_lock() {
  workdir_lock tune "$@"
  TUNE_FD=$REPLY
}

# Change the host according to TUNE_ROWS, print the rows of host_tune_rows, and record that the master is alive.
# Usage: host_tune_apply
host_tune_apply() {
  owner_keep
  host_tune_rows apply
  owner_renew
  ((${#JOURNAL_PENDING[@]} == 0)) || host_tune_open
}

# Whether `check` has reported that it would set a target.
# Usage: host_tune_would TARGET
host_tune_would() {
  declare -gA TUNE_WOULD
  [[ -n ${TUNE_WOULD[$1]+set} ]]
}

# Process the rows.
# Usage: host_tune_rows check|apply
host_tune_rows() {
  local row name mode kind targets value
  local -a rows
  # The settings that check reports as `would`, for rows that depend on them.
  declare -gA TUNE_WOULD=()
  _host_tune_others
  host_tune_journal_read
  if [[ $1 == apply && -e $TUNE/lapsed ]]; then
    host_tune_say - lapsed watchdog - - "$(<"$TUNE/lapsed")"
    rm -f -- "$TUNE/lapsed"
  fi
  # Read all rows first: a command in the loop could read the rest as its input.
  mapfile -t rows <<<"$TUNE_ROWS"
  [[ $1 == check ]] || _host_tune_undo_unwanted "${rows[@]}"
  for row in "${rows[@]}"; do
    IFS=$'\t' read -r name mode kind targets value <<<"$row"
    if [[ $mode == off ]]; then
      host_tune_say "$name" off - - - "not asked for"
    elif ! host_tune_targets "$kind" "$targets" "$value"; then
      host_tune_say "$name" "$STATE" "${targets// /,}" - - "$WHY"
    else
      _host_tune_row "$1" "$name" "$mode" "$kind"
    fi
  done
}

# Changes of other runs on this host: TUNE_OTHERS by target.
_host_tune_others() {
  local folder target TUNE
  declare -gA TUNE_OTHERS=()
  for folder in "$WORK"/tune-*; do
    [[ -e $folder/journal && $folder != "$WORK/tune-$RUN_ID" ]] || continue
    TUNE=$folder
    host_tune_journal_read
    for target in "${!JOURNAL_PENDING[@]}"; do
      TUNE_OTHERS[$target]=${JOURNAL_RUN[JOURNAL_PENDING[$target]]}
    done
  done
}

# One setting: read every target, journal all changes, then make them.
_host_tune_row() {
  local verb=$1 name=$2 mode=$3 row=$4 index target wanted seq line KIND
  # Changes of an earlier call come after the other rows, as they did in that call: the master compares the rows.
  local -a changing=() changed=()
  host_tune_kind "$row"
  for index in "${!TARGET[@]}"; do
    target=${TARGET[index]} wanted=${WANTED[index]}
    if ! host_tune_read "$KIND" "$target"; then
      host_tune_say "$name" cannot "$target" - - "$WHY"
      continue
    fi
    seq=${JOURNAL_PENDING[$target]-}
    if [[ -n $seq && $verb == apply && ${JOURNAL_NEW[seq]} != "$wanted" ]]; then
      # Reported as stuck. Each target has at most one change to restore.
      continue
    elif [[ -n $seq && $verb == apply && $KIND == hold ]] && proc_gone 0 "$TUNE/hold.proc"; then
      # The value of the device may be another program's, and does not show whether this run still holds it.
      changing+=("$seq")
    elif [[ -n $seq ]]; then
      if host_tune_fits "$row" "$VALUE" "$wanted" || [[ $KIND == hold ]]; then
        changed+=("set"$'\t'"$target"$'\t'"${JOURNAL_OLD[seq]}"$'\t'"$VALUE"$'\t'-)
      else
        changed+=("theirs"$'\t'"$target"$'\t'"${JOURNAL_OLD[seq]}"$'\t'"$VALUE"$'\t'"another program changed it from ${JOURNAL_NEW[seq]}")
      fi
    elif host_tune_fits "$row" "$VALUE" "$wanted" && [[ -n ${TUNE_OTHERS[$target]+set} ]]; then
      host_tune_say "$name" shared "$target" "$VALUE" "$VALUE" "the run ${TUNE_OTHERS[$target]} set it, and restores it when it ends"
    elif host_tune_fits "$row" "$VALUE" "$wanted"; then
      host_tune_say "$name" same "$target" "$VALUE" "$VALUE" -
    elif ! host_tune_may "$KIND" "$target"; then
      host_tune_say "$name" cannot "$target" "$VALUE" "$VALUE" "$WHY"
    elif [[ $VALUE == unknown && $mode == auto ]]; then
      host_tune_say "$name" cannot "$target" - - "cannot read its value, so could not restore it"
    elif ! host_tune_returns "$row" "$target" "$VALUE" "$wanted"; then
      host_tune_say "$name" cannot "$target" "$VALUE" "$VALUE" "$WHY"
    elif [[ $verb == check ]]; then
      TUNE_WOULD[$target]=$wanted
      host_tune_say "$name" would "$target" "$VALUE" "$wanted" -
    else
      host_tune_open
      host_tune_journal_add "$KIND" "$name" "$target" "$VALUE" "$wanted"
      changing+=("$JOURNAL_SEQ")
    fi
  done
  for line in "${changed[@]}"; do host_tune_say "$name" "$line"; done
  ((${#changing[@]} > 0)) || return 0
  host_tune_journal_sync
  for seq in "${changing[@]}"; do _host_tune_change "$seq"; done
}

# Make one change of the journal, and check the result.
_host_tune_change() {
  local seq=$1 why=-
  local kind=${JOURNAL_KIND[seq]} name=${JOURNAL_NAME[seq]} target=${JOURNAL_TARGET[seq]} old=${JOURNAL_OLD[seq]} new=${JOURNAL_NEW[seq]}
  if [[ $kind == hold ]]; then
    host_tune_hold "$target" "$new" || why=$WHY
  else
    host_tune_write "$kind" "$target" "$new" || why=$WHY
  fi
  host_tune_read "$kind" "$target" || why=$WHY
  if [[ $VALUE == "$new" || $kind == vsmp ]]; then
    host_tune_say "$name" set "$target" "$old" "$VALUE" "$why"
  elif [[ $VALUE == "$old" ]]; then
    host_tune_journal_undone "$seq" unchanged "$VALUE"
    [[ $why != - ]] || why="the kernel kept $old"
    host_tune_say "$name" cannot "$target" "$old" "$VALUE" "$why"
  else
    host_tune_journal_now "$seq" "$VALUE" || {
      host_tune_write "$kind" "$target" "$old" || :
      fail "$TUNE/journal: cannot be written to the disk, so $target was restored (REMOTE_DIR: is its disk full?)"
    }
    host_tune_say "$name" set "$target" "$old" "$VALUE" "the kernel made it $VALUE, not $new"
  fi
}

# Before the first change: make the directory with a record of the run, the journal, and the watchdog that restores when the run is dead. The directory
# is not inside the run's directory, so the record remains if that directory is removed.
# Usage: host_tune_open
host_tune_open() {
  local pid start
  if [[ -e $TUNE/watchdog.proc ]]; then
    read -r pid start _ <"$TUNE/watchdog.proc" || :
    ! proc_alive "${pid:-0}" "${start:-0}" || return 0
  fi
  owner_write "$TUNE"
  host_tune_journal_open
  rm -f -- "$TUNE/watchdog.proc"
  host_tune_spawn watchdog host_tune_watchdog
}

# Start a function of this script as a separate process, which continues when this script and its connection end.
# Usage: host_tune_spawn NAME FUNCTION [ARG]...
host_tune_spawn() {
  local name=$1 part variable
  shift
  {
    echo 'set -u'
    # An inherited descriptor that stays open would block readers of its other end.
    # shellcheck disable=SC2016 # for the process
    echo 'for fd in /proc/self/fd/*; do fd=${fd##*/}; ((fd < 3 || fd > 200)) || exec {fd}>&-; done'
    declare -p TUNE WORK RUN_ID TUNE_PARTS "${!LOCK_DIR@}" "${!_OWNER_@}"
    for part in "${TUNE_PARTS[@]}"; do compgen -v "${part^^}_" | while read -r variable; do declare -p "$variable"; done; done
    [[ -z ${TIERBENCH_ROOT-} ]] || declare -p TIERBENCH_ROOT
    declare -f
    printf '%q ' "$@"
  } >"$TUNE/$name.sh"
  setsid bash "$TUNE/$name.sh" </dev/null >/dev/null 2>&1 {TUNE_FD}>&- &
  proc_started "$TUNE/$name.proc" $! "$name" || fail "$TUNE/$name.proc: cannot be written, or $TUNE/$name.sh ended at once"
}

# The watchdog: restore the host if the run is dead (owner_lives), or if the journal was removed.
# Usage: host_tune_watchdog
host_tune_watchdog() {
  local journal stuck='' pace
  owner_read "$TUNE/owner" || return
  TUNE_LEASE=$OWNER_LEASE
  pace=$((TUNE_LEASE / 10 < 10 ? TUNE_LEASE / 10 : 10))
  ((pace > 0)) || pace=1
  # The master has just started this process.
  read -r TUNE_HEARD _ </proc/uptime
  TUNE_HEARD=${TUNE_HEARD%.*}
  # While it is open, it can be read even after its removal.
  exec {journal}<"$TUNE/journal" || return
  while [[ ! -e $TUNE/lapsed ]]; do
    if [[ ! $TUNE/journal -ef /proc/self/fd/$journal ]]; then
      host_tune_undo_all "/proc/self/fd/$journal"
      return
    fi
    if host_tune_silent; then
      # If this process ended, nothing would restore the host.
      host_tune_lock 30 1000000
      [[ -e $TUNE/journal ]] || return
      # A heartbeat may have come while another call had the lock.
      if host_tune_silent; then
        host_tune_undo_all || stuck="; $(_host_tune_stuck) cannot be restored"
        TZ=UTC0 printf 'restored at %(%FT%TZ)T: no heartbeat of the master for %s s%s\n' -1 "$TUNE_LEASE" "$stuck" >"$TUNE/lapsed"
        return
      fi
      exec {TUNE_FD}>&-
    fi
    proc_wait "$pace"
  done
}

# Print the names in conf/tuning.tsv of the changes that are in force, each once: the targets of one can be more than a reply may have.
# Usage: _host_tune_stuck
_host_tune_stuck() {
  local seq
  for seq in "${JOURNAL_PENDING[@]}"; do printf '%s\n' "${JOURNAL_NAME[seq]}"; done | sort -u | paste -sd ' '
}

# Whether the run is dead. A record that was removed or damaged counts as renewed when it was last read.
# Usage: host_tune_silent
# Globals: TUNE_LEASE; TUNE_HEARD, when the run was last known to live, in seconds since boot
host_tune_silent() {
  local up
  read -r up _ </proc/uptime
  if owner_lives "$TUNE/owner"; then
    TUNE_HEARD=${up%.*}
    return 1
  fi
  [[ -n $OWNER_LINE ]] || ((${up%.*} - TUNE_HEARD >= TUNE_LEASE))
}

# Keep a number in a file that has an effect only while it is open (see Documentation/power/pm_qos_interface.rst).
# Usage: host_tune_hold TARGET NUMBER
# Returns: 1 with WHY.
host_tune_hold() {
  local end=$((SECONDS + 5))
  _host_tune_release
  host_tune_spawn hold host_tune_holder "${TIERBENCH_ROOT-}$1" "$2"
  WHY="the process that keeps it open did not start in 5 s"
  until host_tune_read hold "$1" && [[ $VALUE == "$2" ]]; do
    ((SECONDS < end)) || return 1
    sleep 0.02 # between two polls
  done
}

# The process of host_tune_hold: write a number of 32 bits to a file, and keep the file open until the run is over.
# Usage: host_tune_holder FILE NUMBER
host_tune_holder() {
  local bytes fd
  printf -v bytes '\\x%02x\\x%02x\\x%02x\\x%02x' $(($2 & 255)) $(($2 >> 8 & 255)) $(($2 >> 16 & 255)) $(($2 >> 24 & 255))
  exec {fd}<>"$1" || return
  # shellcheck disable=SC2059 # the bytes are the format
  printf "$bytes" >&"$fd"
  # The process exits when its directory is removed, in case it is not recorded.
  while [[ -e $TUNE/journal ]]; do proc_wait 5; done
}

# Stop the process of host_tune_hold, if there is one.
# Usage: _host_tune_release
_host_tune_release() {
  [[ ! -e $TUNE/hold.proc ]] || proc_end 5 "$TUNE/hold.proc" || :
  rm -f -- "$TUNE/hold.proc"
}

# Undo one change, unless another program has changed the value since.
# Usage: host_tune_undo SEQ
# Returns: 1 with VALUE and WHY if it is not undone; the journal then keeps it.
host_tune_undo() {
  local seq=$1 why=
  local kind=${JOURNAL_KIND[seq]} target=${JOURNAL_TARGET[seq]} old=${JOURNAL_OLD[seq]} new=${JOURNAL_NEW[seq]}
  if [[ ${JOURNAL_BOOT[seq]} != "$(</proc/sys/kernel/random/boot_id)" ]]; then
    host_tune_read "$kind" "$target" || VALUE=-
    host_tune_journal_undone "$seq" rebooted "$VALUE"
    return
  fi
  if [[ $kind == hold ]]; then
    _host_tune_release
    host_tune_read "$kind" "$target" || VALUE=-
    host_tune_journal_undone "$seq" back "$VALUE"
    return
  fi
  if ! host_tune_read "$kind" "$target"; then
    VALUE=-
    # An interrupt ends with its device. Any other target may come back with its value: debugfs is mounted again, or a CPU is online again.
    [[ $target == /proc/irq/* && ! -e ${TIERBENCH_ROOT-}$target ]] || return 1
    host_tune_journal_undone "$seq" gone "$VALUE"
    return
  fi
  # A process of the run was killed during the setup of a part.
  [[ $VALUE != other ]] || ! host_tune_of_part "$kind" || ! "host_${kind}_unfinished" || VALUE=$new
  if [[ $VALUE != "$old" && $VALUE != "$new" || $old == unknown ]]; then
    host_tune_journal_undone "$seq" theirs "$VALUE"
    return
  fi
  [[ $VALUE == "$old" ]] || host_tune_write "$kind" "$target" "$old" || why=$WHY
  host_tune_read "$kind" "$target" || VALUE=-
  WHY=${why:-the kernel kept $VALUE}
  # For the report; the change remains in force.
  JOURNAL_AFTER[seq]=$VALUE
  [[ $VALUE == "$old" ]] || return 1
  host_tune_journal_undone "$seq" back "$VALUE"
}

# Whether a change of the journal is in force.
# Usage: host_tune_pending SEQ
host_tune_pending() {
  [[ -n ${JOURNAL_KIND[$1]+set} && -z ${JOURNAL_RESULT[$1]+set} ]]
}

# Undo all changes, last first; the journal is read again.
# Usage: host_tune_undo_all [JOURNAL]
# Returns: 1 if a change is not undone.
host_tune_undo_all() {
  local seq status=0
  host_tune_journal_read "$@"
  for ((seq = JOURNAL_SEQ; seq > 0; seq--)); do
    ! host_tune_pending "$seq" || host_tune_undo "$seq" || status=1
  done
  return "$status"
}

# Undo the changes of this run that the rows do not request, last first. No new change is made before: a service that starts again sets values of
# later changes, and a write of a weight turns the kernel's automatic weights off. A change from before a reboot is not in force any more: it is
# recorded as such, so that the value is set again.
# Usage: _host_tune_undo_unwanted ROW...
#   ROW  as in TUNE_ROWS
# Returns: prints a row for each change that is not undone.
_host_tune_undo_unwanted() {
  local row name mode kind targets value index seq target boot
  # By name: whether it is off, or its targets are known; by name and target: the requested value.
  local -A known=() wanted=()
  ((${#JOURNAL_PENDING[@]} > 0)) || return 0
  for row; do
    IFS=$'\t' read -r name mode kind targets value <<<"$row"
    [[ " ${JOURNAL_NAME[*]} " == *" $name "* ]] || continue
    TARGET=()
    [[ $mode == off ]] || host_tune_targets "$kind" "$targets" "$value" || continue
    known[$name]=yes
    for index in "${!TARGET[@]}"; do wanted["$name ${TARGET[index]}"]=${WANTED[index]}; done
  done
  boot=$(</proc/sys/kernel/random/boot_id)
  for ((seq = JOURNAL_SEQ; seq > 0; seq--)); do
    host_tune_pending "$seq" || continue
    name=${JOURNAL_NAME[seq]} target=${JOURNAL_TARGET[seq]}
    [[ ${JOURNAL_BOOT[seq]} != "$boot" || -n ${known[$name]+set} && ${wanted["$name $target"]-} != "${JOURNAL_NEW[seq]}" ]] || continue
    host_tune_undo "$seq" || host_tune_say "$name" stuck "$target" "${JOURNAL_OLD[seq]}" "$VALUE" "cannot be restored: $WHY"
  done
}

# Undo all changes of this run, print a row for each, and remove the record unless a change is not undone. The caller needs the rows in that case
# too, so it is not a failure of the script.
# Usage: host_tune_restore
host_tune_restore() {
  local status=0
  [[ -e $TUNE/journal ]] || return 0
  host_tune_undo_all || status=1
  host_tune_journal_report
  proc_end 5 "$TUNE/watchdog.proc" || :
  _host_tune_release
  ((status)) || rm -rf -- "$TUNE"
}

# Restore the changes of a broken run, and report them as text.
# Usage: host_tune_stop DIR
# Returns: not 0 if a change is not undone, or not known to be
host_tune_stop() {
  local rows name result target old new after status=0
  TUNE=$1
  [[ -e $TUNE/journal ]] || return 0
  rows=$(host_tune_restore) || return
  while IFS=$'\t' read -r name result target old new after; do
    # A journal without a change.
    [[ -n $name ]] || continue
    case $result in
      back) printf '%s: %s is %s again, was %s\n' "$name" "$target" "$after" "$new" ;;
      rebooted) printf '%s: %s is %s since the reboot of this host\n' "$name" "$target" "$after" ;;
      theirs) printf '%s: %s is %s, changed from %s by another program: not restored; before the run it was %s\n' "$name" "$target" "$after" "$new" "$old" ;;
      stuck)
        if [[ $after == - ]]; then
          printf '%s: %s cannot be read, so it is not restored; before the run it was %s; when it can be read again, ./do_it.sh stop restores it\n' "$name" "$target" "$old"
        else
          printf '%s: %s is %s, and cannot be restored; before the run it was %s\n' "$name" "$target" "$after" "$old"
        fi
        status=1
        ;;
      *) printf '%s: %s: %s\n' "$name" "$target" "$result" ;;
    esac
  done <<<"$rows"
  return "$status"
}

# Print a row; no field is empty.
# Usage: host_tune_say FIELD...
# Globals: TUNE_FIRST, fields before these
host_tune_say() {
  local IFS=$'\t'
  set -- "${TUNE_FIRST[@]}" "$@"
  printf '%s\n' "$*"
}
