# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A restart of an instance under load: it keeps its data on the disk and ends, is started again as it was, loads its data, and answers.

# Restart an instance that is taken from the record, and follow it until it answers.
# Usage: host_events_restart PORT
# Globals: what a start needs (START_NAMES); sets begun, ended, seconds, peak, written, state and detail of the event
host_events_restart() {
  local port=$1 pid start told log=$FOLDER/redis-$1.log START_WHY=''
  IFS=$'\t' read -r pid start _ < <(awk -F '\t' -v port="$port" '$3 == port' "$FOLDER/node.proc" | tail -n 1)
  host_events_restart_down || {
    # The guard watches it again, and marks count it.
    rm -f -- "$FOLDER/used-$pid"
    printf '%s\t%s\t%s\n' "$pid" "$start" "$port" >>"$RECORD"
    return
  }
  host_events_restart_bytes
  told=$(stat -c %s -- "$log") begun=${EPOCHREALTIME/[.,]/}
  if host_start_again "$port"; then
    IFS=$'\t' read -r pid start _ < <(awk -F '\t' -v port="$port" '$3 == port' "$RECORD" | tail -n 1)
    host_events_restart_answers
    ((ended > 0)) || {
      state=failed
      return
    }
    seconds=$(tail -c +$((told + 1)) -- "$log" | sed -nE 's/.*DB loaded from (disk|append only file): ([0-9.]+) seconds.*/\2/p' | tail -n 1)
    state='done'
  else
    # The guard finds that it is gone, and ends the load.
    printf '%s\t%s\t%s\n' "$pid" "$start" "$port" >>"$RECORD"
    state=failed detail=$START_WHY
  fi
}

# Ask the instance to end, and wait for that: it answers nothing while it saves. An AOF has all data.
# Usage: host_events_restart_down
# Globals: pid start of host_events_restart
# Returns: 1 with state and detail if it does not end
host_events_restart_down() {
  local save=SAVE
  [[ $PERSISTENCE != aof ]] || save=NOSAVE
  protocol_ask "$SERVER_ADDRESS" "$port" "SHUTDOWN $save" || :
  while proc_alive "$pid" "$start"; do
    owner_lives "$WORK/run-$RUN_ID/owner" || exit 1
    # It does not end if it cannot write its data.
    if [[ -n $REDIS_REPLY ]] || protocol_ask "$SERVER_ADDRESS" "$port" PING; then
      state=failed detail="SHUTDOWN $save: ${REDIS_REPLY/#PONG/it still answers}"
      return 1
    fi
    REDIS_REPLY=
    # Saving takes CPU time, too.
    host_start_used "$pid"
    proc_pause
  done
}

# The bytes of the files that the instance will load.
# Usage: host_events_restart_bytes
# Globals: PERSISTENCE FOLDER port; sets written
host_events_restart_bytes() {
  local file
  local -a files=("$FOLDER/data-$port/dump.rdb")
  [[ $PERSISTENCE != aof ]] || files=("$FOLDER/data-$port"/appendonlydir/*.{base,incr}.* "$FOLDER/data-$port"/appendonly.aof)
  written=0
  for file in "${files[@]}"; do [[ ! -f $file ]] || written=$((written + $(stat -c %s -- "$file"))); done
}

# Wait until the instance answers a command that it refuses while it loads its data.
# Usage: host_events_restart_answers
# Globals: pid start told log of host_events_restart; sets ended and peak
# Returns: 0; ended is 0, with detail, if it has ended itself, or refuses the password
host_events_restart_answers() {
  local end=$((SECONDS + EVENTS_LIMIT))
  while :; do
    ! protocol_ask "$SERVER_ADDRESS" "$port" PING || ended=${EPOCHREALTIME/[.,]/}
    host_events_held 0
    ((ended == 0)) || return 0
    owner_lives "$WORK/run-$RUN_ID/owner" || exit 1
    if ! proc_alive "$pid" "$start"; then
      detail=$(tail -c +$((told + 1)) -- "$log" | LC_ALL=C awk 'tolower($0) ~ / # .*(append only|aof|db)/ && !n++' | tr -d '[:cntrl:]' | sed 's/^[^#]*# //')
      detail="the instance ended while it loaded its data${detail:+: $detail}"
    elif [[ -n $REDIS_REPLY && $REDIS_REPLY != *LOADING* ]]; then
      detail=$REDIS_REPLY
    elif ((SECONDS >= end)); then
      detail="not over after $EVENTS_LIMIT s"
    fi
    [[ -z $detail ]] || return 0
    proc_wait 0.02
  done
}
