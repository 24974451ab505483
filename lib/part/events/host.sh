# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the instances of this server are asked for during the last phase. A separate process asks, and records in events.tsv when each was asked, began
# and ended, and what INFO then says.
# Needs: part protocol ports tier user start part/events/host_restart part/*/host_tune
# Reads begin: EVENTS EVENTS_SPREAD SERVER_ADDRESS SERVER_DIRECTIVES REDIS_BINARY REDIS_USER INSTANCE_PLAN PERSISTENCE

# Seconds between two looks at an instance that does what it was asked for (of many instances 25 ms each), and seconds after which it is given up.
EVENTS_LOOK=0.05 EVENTS_LIMIT=3600

# Usage: main ready|begin DELAY_US|end
main() {
  host_part events
  FOLDER=$WORK/run-$RUN_ID/server
  RECORD=$FOLDER/instances.proc
  # A call that the master repeats after a lost link must not run at the same time as its first try.
  workdir_lock server
  SERVER_LOCK=$REPLY
  "host_events_$1" "${@:2}"
}

# Before the last phase.
host_events_ready() {
  host_part_fresh
}

# Begin: the load starts in DELAY_US microseconds.
# Usage: host_events_begin DELAY_US
host_events_begin() {
  local begin=$((${EPOCHREALTIME/[.,]/} + $1))
  host_start_ready
  # shellcheck disable=SC2086 # split into names on purpose
  host_part_run events host_events_run FOLDER EVENTS EVENTS_SPREAD SERVER_ADDRESS EVENTS_LOOK EVENTS_LIMIT PERSISTENCE begin $START_NAMES {SERVER_LOCK}>&-
}

# End the process, and print what it recorded; what the load did not let end is `cut`. If the process has ended before, that has failed.
host_events_end() {
  local why=''
  [[ -e $PART/events.tsv ]] || return 0
  host_part_lives || why="the events ended: $(said_why <"$PART/events.err")"
  host_part_end || fail "the events do not end"
  find "$PART" \( -name events.tsv -o -name 'open-*' \) -exec cat -- {} + |
    awk -F '\t' -v OFS='\t' -v why="$why" 'why != "" && $5 == "cut" { $5 = "failed"; $NF = why } { print }' | sort -t $'\t' -k 2n,2 -k 4n,4
}

# Ask for all events at their times.
host_events_run() {
  local moment event port number=0 asked begun=0 ended=0 peak=0 faults_asked=0 faults_ended=0 detail='' REPLY
  local -a ports
  mapfile -t ports < <(cut -f 3 "$FOLDER/instances.proc")
  ((${#ports[@]} <= 2)) || [[ $EVENTS_SPREAD == one ]] || printf -v EVENTS_LOOK '%d.%03d' $((${#ports[@]} * 25 / 1000)) $((${#ports[@]} * 25 % 1000))
  # What has no turn before the load ends is cut, too.
  for moment in $EVENTS; do
    common_us "${moment%%:*}"
    number=$((number + 1)) asked=$((begin + REPLY))
    for port in "${ports[@]}"; do event=${moment#*:} host_events_row cut >"$PART/open-$number-$port"; done
  done
  number=0
  for moment in $EVENTS; do
    number=$((number + 1))
    common_us "${moment%%:*}"
    owner_until $((begin + REPLY))
    # The record has one writer at a time.
    [[ $moment != *:restart || $EVENTS_SPREAD == one ]] || host_start_take "${ports[@]}"
    for port in "${ports[@]}"; do
      [[ $moment != *:restart || $EVENTS_SPREAD == all ]] || host_start_take "$port"
      if [[ $EVENTS_SPREAD == all ]]; then
        host_events_one "$number" "${moment#*:}" "$port" &
      else
        host_events_one "$number" "${moment#*:}" "$port"
      fi
    done
    wait
  done
}

# Ask one instance for an event, follow it to its end, and record it.
# Usage: host_events_one NUMBER EVENT PORT
host_events_one() {
  local number=$1 event=$2 port=$3 asked begun=0 ended=0 state='' fork=0 cow=0 seconds=0 peak=0 written=0 detail='' pid sync='' before=0 REPLY
  local faults_asked faults_ended=0
  pid=$(awk -F '\t' -v port="$port" '$3 == port { print $1 }' "$FOLDER/instances.proc")
  asked=${EPOCHREALTIME/[.,]/}
  host_events_faults
  faults_asked=$REPLY
  host_events_row cut >"$PART/open-$number-$port"
  case $event in
    purge) ! host_events_ask 'MEMORY PURGE' || { host_events_over && begun=$asked state='done'; } ;;
    defrag)
      # It ends with the load.
      host_events_ask 'CONFIG SET activedefrag yes' || { host_events_record && return; }
      begun=${EPOCHREALTIME/[.,]/}
      host_events_row 'done' >"$PART/open-$number-$port"
      return
      ;;
    fullsync)
      before=$(host_events_info stats sync_full)
      host_events_replica &
      sync=$!
      host_events_follow rdb
      wait "$sync" || state=failed
      if [[ $(host_events_info stats sync_full) == "$before" ]]; then
        state=failed
      elif [[ $state == 'done' ]]; then
        # The data has arrived after the child has ended.
        host_events_over
      fi
      [[ $state != failed || -n $detail ]] || detail=$(said_why <"$PART/replica-$number-$port")
      written=$(tail -n 1 "$PART/replica-$number-$port.bytes")
      ;;
    bgsave)
      host_events_begins BGSAVE && host_events_follow rdb
      written=$(host_events_bytes "$FOLDER/data-$port/dump.rdb")
      ;;
    bgrewriteaof)
      host_events_begins BGREWRITEAOF && host_events_follow aof
      written=$(host_events_bytes "$FOLDER/data-$port"/appendonlydir/*.base.* "$FOLDER/data-$port"/appendonly.aof)
      ;;
    restart) host_events_restart "$port" ;;
  esac
  host_events_record
}

# Ask; the reply is an error if it returns 1, and the event has failed.
# Usage: host_events_ask COMMAND
# Globals: port; sets state and detail
host_events_ask() {
  protocol_ask "$SERVER_ADDRESS" "$port" "$1" && return
  state=failed detail=${REDIS_REPLY:-no answer in 5 s}
  return 1
}

# Ask for what forks. A fork of much memory is longer than any limit of an answer: INFO then says whether it has begun.
# Usage: host_events_begins COMMAND
host_events_begins() {
  host_events_ask "$1" && return
  [[ -z ${REDIS_REPLY-} ]] || return 1
  state='' detail=''
}

# Follow what a child of the instance writes, to its end: sets begun, ended, fork, cow, seconds, peak and state.
# Usage: host_events_follow rdb|aof
host_events_follow() {
  local kind=$1 held end=$((SECONDS + EVENTS_LIMIT)) name=rdb_bgsave
  [[ $kind != aof ]] || name=aof_rewrite
  while :; do
    owner_lives "$WORK/run-$RUN_ID/owner" || exit 1
    if ((SECONDS >= end)); then
      state=failed detail="not over after $EVENTS_LIMIT s"
      return
    fi
    if protocol_ask "$SERVER_ADDRESS" "$port" 'INFO persistence'; then
      held=0
      [[ ! $REDIS_REPLY =~ (^|$'\n')current_cow_size:([0-9]{1,17}) ]] || held=${BASH_REMATCH[2]}
      host_events_held "$held"
      if [[ $REDIS_REPLY == *$'\n'"${name}_in_progress:1"* ]]; then
        ((begun > 0)) || begun=${EPOCHREALTIME/[.,]/}
      elif ((begun > 0)) || ! host_events_waits "$name"; then
        break
      fi
    elif [[ ! -e /proc/$pid ]]; then
      state=failed detail='the instance has ended'
      return
    fi
    proc_wait "$EVENTS_LOOK"
  done
  host_events_over
  ((begun > 0)) || begun=$asked
  cow=$(host_events_field "${kind}_last_cow_size")
  if [[ $kind == rdb ]]; then
    seconds=$(host_events_field rdb_last_bgsave_time_sec) detail=$(host_events_field rdb_last_bgsave_status)
  else
    seconds=$(host_events_field aof_last_rewrite_time_sec) detail=$(host_events_field aof_last_bgrewrite_status)
  fi
  ((seconds >= 0)) || seconds=0
  if [[ $detail == ok ]]; then
    state='done' detail=''
  else
    state=failed
    detail=$(grep -aE 'terminated by signal|[Ww]rite error|No space|Can.t save|Can.t rewrite|Failed|fork:' "$FOLDER/redis-$port.log" | tail -n 1 | tr -d '[:cntrl:]' | sed 's/^[^*#]*[*#] //')
  fi
  fork=$(host_events_info stats latest_fork_usec)
}

# The event is over. Sets ended and faults_ended. Usage: host_events_over
host_events_over() {
  local REPLY
  ended=${EPOCHREALTIME/[.,]/}
  host_events_faults
  faults_ended=$REPLY
}

# Set REPLY to the far accesses of the instance since it started: its major faults. Globals: pid
host_events_faults() {
  local line=''
  local -a field
  { read -r line <"/proc/$pid/stat"; } 2>/dev/null || :
  # Field 12 of proc(5), here counted from the third.
  read -r -a field <<<"${line##*) }"
  REPLY=${field[9]:-0}
}

# Note the memory that the instance has now, resident and swapped, if it is the most. No process is started here, which would take CPU time from the
# instances; the file is read at once, because the kernel makes its text anew for each piece, and the pieces may not fit.
# Usage: host_events_held MORE
#   MORE: bytes of its child
# Globals: pid peak
host_events_held() {
  local line held=$1
  local -a lines=()
  mapfile -t lines 2>/dev/null <"/proc/$pid/status"
  for line in "${lines[@]}"; do [[ ! $line =~ ^Vm(RSS|Swap):[[:space:]]+([0-9]+) ]] || held=$((held + BASH_REMATCH[2] * 1024)); done
  ((held <= peak)) || peak=$held
}

# Whether the event has not begun yet: another child runs, or the replica has not been served (repl-diskless-sync-delay). Else it was over between two
# looks.
# Usage: host_events_waits NAME
host_events_waits() {
  if [[ $event == fullsync ]]; then
    kill -0 "$sync" 2>/dev/null
  else
    [[ $REDIS_REPLY == *$'\n'"${1}_scheduled:1"* ]]
  fi
}

# Print a number, or a word, of the last INFO.
# Usage: host_events_field NAME
host_events_field() {
  [[ $REDIS_REPLY =~ (^|$'\n')$1:([a-z0-9-]{1,18}) ]] && printf '%s\n' "${BASH_REMATCH[2]}"
}

# The same of a section that is asked for now.
# Usage: host_events_info SECTION NAME
host_events_info() {
  local REDIS_REPLY
  protocol_ask "$SERVER_ADDRESS" "$port" "INFO $1" && host_events_field "$2" || echo 0
}

# Print the bytes of the first of some files.
# Usage: host_events_bytes FILE...
host_events_bytes() {
  local file
  for file; do
    [[ -f $file ]] || continue
    stat -c %s -- "$file"
    return
  done
  echo 0
}

# A replica that makes a full sync and drops the data: redis-cli, or that of Valkey.
# Globals: number port
host_events_replica() {
  local client=redis-cli password
  command -v redis-cli >/dev/null || client=valkey-cli
  password=$(sed -n 's/^requirepass //p' "$FOLDER/$port.conf")
  set -o pipefail
  REDISCLI_AUTH=$password "$client" -h "$SERVER_ADDRESS" -p "$port" --rdb - 2>"$PART/replica-$number-$port" | wc -c >"$PART/replica-$number-$port.bytes"
}

# Print the row of the event. Usage: host_events_row STATE
host_events_row() {
  local text
  printf -v text '\t%s' "$number" "$event" "$port" "$1" "$asked" "$begun" "$ended" "${fork:-0}" "${cow:-0}" "${seconds:-0}" "$peak" "${written:-0}" "$faults_asked" "$faults_ended" "${detail:0:300}"
  # In one piece: the process may be ended at any time.
  printf 'event%s\n' "$text"
}

# Record the event as it ended.
host_events_record() {
  rm -f -- "$PART/open-$number-$port"
  host_events_row "${state:-failed}" >>"$PART/events.tsv"
}
