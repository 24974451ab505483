# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A fault of one node of a cluster, on the server: a separate process runs its steps and records the time of each in events.tsv. While it waits, it
# starts no process, which would take CPU time from the instances under load (with TLS, protocol_ask does).
# Needs: part protocol ports tier user start part/*/host_tune
# Reads begin: SERVER_ADDRESS SERVER_DIRECTIVES REDIS_BINARY INSTANCE_PLAN CLUSTER_TABLE REDIS_USER REDISBASE LOAD_USER LOAD_PASSWORD
# Reads begin: REDIS_CONF_CLUSTER_NODE_TIMEOUT PERSISTENCE FAULT FAULT_NODE FAULT_AT FAULT_DOWN FAULT_FAILBACK FAULT_SETTLE

# Usage: main ready|begin DELAY_US|look|end
main() {
  host_part fault
  FOLDER=$WORK/run-$RUN_ID/server
  RECORD=$FOLDER/instances.proc
  # A call that the master repeats after a lost link must not run at the same time as its first try.
  workdir_lock server
  SERVER_LOCK=$REPLY
  "host_fault_$1" "${@:2}"
}

# Before the phase of the fault.
host_fault_ready() {
  host_part_fresh
}

# Begin: the load starts in DELAY_US microseconds.
# Usage: host_fault_begin DELAY_US
host_fault_begin() {
  local begin=$((${EPOCHREALTIME/[.,]/} + $1))
  host_start_ready
  # shellcheck disable=SC2086 # split into names on purpose
  host_part_run fault host_fault_run FOLDER CLUSTER_TABLE SERVER_ADDRESS LOAD_USER LOAD_PASSWORD REDISBASE REDIS_CONF_CLUSTER_NODE_TIMEOUT \
    PERSISTENCE FAULT FAULT_NODE FAULT_AT FAULT_DOWN FAULT_FAILBACK FAULT_SETTLE begin $START_NAMES {SERVER_LOCK}>&-
}

# Print the progress: `running EVENT`, `done EVENT`, or `failed WHY` if its process ended before its last step.
# Usage: host_fault_look
host_fault_look() {
  local last pid start alive=
  read -r pid start _ <"$PART/proc"
  # Before its events are read: it may record the last one and end at any time.
  ! proc_alive "$pid" "$start" || alive=yes
  last=$(tail -n 1 "$PART/events.tsv" | cut -f 3)
  if [[ $last == settled ]]; then
    printf 'done\t%s\n' "$last"
  elif [[ $last == refused ]]; then
    printf 'failed\t%s\n' "$(tail -n 1 "$PART/events.tsv" | cut -f 4)"
  elif [[ -n $alive ]]; then
    printf 'running\t%s\n' "$last"
  else
    printf 'failed\t%s\n' "after '$last': $(said_why <"$PART/fault.err")"
  fi
}

# End the process, if the load was over first, and print the events, rows `event TIME_US NODE EVENT DETAIL`.
host_fault_end() {
  host_part_end || fail "the fault does not end"
  [[ ! -e $PART/events.tsv ]] || sed $'s/^/event\t/' "$PART/events.tsv"
}

# Record an event of the fault with its time.
# Usage: host_fault_event EVENT [DETAIL]
host_fault_event() {
  printf '%s\t%s\t%s\t%s\n' "${EPOCHREALTIME/[.,]/}" "$FAULT_NODE" "$1" "${2-}" >>"$PART/events.tsv"
}

# The address of the instance on a port, which may be on another server.
# Usage: host_fault_address PORT
# Returns: sets REPLY
host_fault_address() {
  local port
  while IFS=$'\t' read -r port _ _ _ _ _ _ _ REPLY; do [[ $port != "$1" ]] || return 0; done <<<"$CLUSTER_TABLE"
}

# Ask the instance on a port, which may be on another server.
# Usage: host_fault_ask PORT COMMAND
# Globals: FOLDER LOAD_USER LOAD_PASSWORD REDISBASE
# Returns: as protocol_ask
host_fault_ask() {
  local address
  host_fault_address "$1"
  address=$REPLY
  if [[ -e $FOLDER/$1.conf ]]; then
    protocol_ask "$address" "$1" "$2"
    return
  fi
  # Without users, a cluster has one password.
  if [[ -n $LOAD_USER ]]; then REPLY=$1; else REPLY=$REDISBASE; fi
  protocol_password "$LOAD_PASSWORD" "$REDISBASE" "$REPLY"
  protocol_ask_far "$address" "$1" "$2" "${LOAD_USER:+$LOAD_USER }$REPLY"
}

# Whether the replication state of the instance on a port matches the pattern.
# Usage: host_fault_says PORT PATTERN
host_fault_says() {
  host_fault_ask "$1" 'INFO replication' && [[ $REDIS_REPLY =~ $2 ]]
}

# Print the ports of the replicas of the master on a port, as planned.
# Usage: host_fault_replicas PORT
# Globals: CLUSTER_TABLE
host_fault_replicas() { awk -F '\t' -v port="$1" '$4 == "replica" && $5 == port { print $1 }' <<<"$CLUSTER_TABLE"; }

# Print the ports of the instances on the node of the fault.
# Usage: host_fault_ports
# Globals: CLUSTER_TABLE FAULT_NODE
host_fault_ports() { awk -F '\t' -v node="$FAULT_NODE" '$2 == node { print $1 }' <<<"$CLUSTER_TABLE"; }

# Print PORT and SHARD of each master on the node of the fault, as planned.
# Usage: host_fault_masters
# Globals: CLUSTER_TABLE FAULT_NODE
host_fault_masters() { awk -F '\t' -v node="$FAULT_NODE" '$2 == node && $4 == "master" { print $1 "\t" $3 }' <<<"$CLUSTER_TABLE"; }

# Print the bytes that the instances of the node have received for replication, or nothing if one does not report all of them. What their masters report
# to have sent is without a full sync that Redis 8 or Valkey sends through a second connection.
# Usage: host_fault_bytes
# Globals: FOLDER
host_fault_bytes() {
  local port sum=0
  while read -r port; do
    # Valkey does not count what it loads from the second connection without a file.
    if grep -qiE '^[[:space:]]*dual-channel-replication-enabled[[:space:]]+"?yes' "$FOLDER/$port.conf" &&
      grep -qiE '^[[:space:]]*repl-diskless-load[[:space:]]+"?[^d"[:space:]]' "$FOLDER/$port.conf"; then return 0; fi 2>/dev/null
    host_fault_ask "$port" 'INFO stats' && [[ $REDIS_REPLY =~ total_net_repl_input_bytes:([0-9]{1,17}) ]] || return 0
    sum=$((sum + BASH_REMATCH[1]))
  done < <(host_fault_ports)
  echo "$sum"
}

# Run all steps.
host_fault_run() {
  local port shard down bytes=0 received REPLY
  common_us "$FAULT_AT"
  owner_until $((begin + REPLY))
  while IFS=$'\t' read -r port shard; do
    host_fault_says "$port" 'state=online' && continue
    host_fault_event refused "shard $shard has no replica in step; no fault was made"
    return
  done < <(host_fault_masters)
  # An instance that is started again has received nothing.
  [[ $FAULT != stop ]] || bytes=$(host_fault_bytes)
  host_fault_signal
  down=${EPOCHREALTIME/[.,]/}
  host_fault_event 'node down' "$FAULT"
  if ! host_fault_taken && host_fault_empty; then
    host_fault_event refused 'a shard has no new master: the node stays down, because it would come back empty, and empty its replicas'
    return
  fi
  common_us "$FAULT_DOWN"
  owner_until $((down + REPLY))
  host_fault_up || return 0
  host_fault_synced || {
    host_fault_event refused 'the node is not in step again after 900 s'
    return
  }
  received=$(host_fault_bytes)
  [[ -z $bytes || -z $received ]] || received=$((received - bytes))
  host_fault_event 'resync ends' "${bytes:+${received:+bytes=$received}}"
  if [[ $FAULT_FAILBACK == on ]]; then
    owner_until $((${EPOCHREALTIME/[.,]/} + 2000000))
    while IFS=$'\t' read -r port shard; do host_fault_back "$port" "$shard"; done < <(host_fault_masters)
  fi
  common_us "$FAULT_SETTLE"
  owner_until $((${EPOCHREALTIME/[.,]/} + REPLY))
  host_fault_event settled
}

# Whether the instances of the node have no data when they are started again.
# Usage: host_fault_empty
# Globals: FAULT PERSISTENCE
host_fault_empty() {
  [[ $FAULT != stop && $PERSISTENCE != rdb && $PERSISTENCE != aof ]]
}

# Send the signal to the recorded instances of the node.
host_fault_signal() {
  local port signal=KILL
  local -a ports
  mapfile -t ports < <(host_fault_ports)
  [[ $FAULT != term ]] || signal=TERM
  if [[ $FAULT == stop ]]; then
    signal=STOP
    for port in "${ports[@]}"; do awk -v port="$port" '$3 == port' "$RECORD"; done >"$FOLDER/node.proc"
  else
    host_start_take "${ports[@]}"
  fi
  proc_signal "$signal" "$FOLDER/node.proc"
}

# Wait until each affected shard has another master.
# Returns: 1 if one has none within the time limit
host_fault_taken() {
  local limit=${REDIS_CONF_CLUSTER_NODE_TIMEOUT/default/15000} end port shard replica
  local -A waiting=() replicas=()
  limit=$((limit * 6 / 1000))
  ((limit > 60)) || limit=60
  end=$((SECONDS + limit))
  while IFS=$'\t' read -r port shard; do waiting[$port]=$shard replicas[$port]=$(host_fault_replicas "$port"); done < <(host_fault_masters)
  while ((${#waiting[@]} > 0)); do
    owner_lives "$WORK/run-$RUN_ID/owner" || exit 1
    ((SECONDS < end)) || {
      host_fault_event 'not taken over' "shards ${waiting[*]}"
      return 1
    }
    for port in "${!waiting[@]}"; do
      for replica in ${replicas[$port]}; do
        host_fault_says "$replica" 'role:master' || continue
        host_fault_event 'taken over' "shard ${waiting[$port]} by $replica"
        unset 'waiting[$port]'
        break
      done
    done
    proc_wait 0.05
  done
}

# Bring the node back: continue it, or start it again, without data unless it keeps its data on disk.
# Returns: 1 after an event if another process has a port of the node
host_fault_up() {
  local port how='from disk' START_WHY=''
  local -a ports
  if [[ $FAULT == stop ]]; then
    proc_signal CONT "$FOLDER/node.proc"
    host_fault_event 'node up' continued
    return
  fi
  ! host_fault_empty || how=empty
  proc_gone 60 "$FOLDER/node.proc" || proc_end 10 "$FOLDER/node.proc"
  mapfile -t ports < <(host_fault_ports)
  # A replica keeps the file of its last full sync, and would load it.
  [[ $how != empty ]] || for port in "${ports[@]}"; do
    find "$FOLDER/data-$port/" -mindepth 1 -maxdepth 1 ! -name nodes.conf -exec rm -rf -- {} + || :
  done
  host_start_again "${ports[@]}" || {
    host_fault_event refused "the node stays down: $START_WHY"
    return 1
  }
  host_fault_event 'node up' "$how"
}

# Wait until every instance of the node is a replica in sync.
host_fault_synced() {
  local port end=$((SECONDS + 900))
  while read -r port; do
    until host_fault_says "$port" 'role:slave' && [[ $REDIS_REPLY == *master_link_status:up* && $REDIS_REPLY == *master_sync_in_progress:0* ]]; do
      owner_lives "$WORK/run-$RUN_ID/owner" || exit 1
      ((SECONDS < end)) || return 1
      proc_wait 0.05
    done
  done < <(host_fault_ports)
}

# Make an instance the master of its shard again. Redis itself gives up after 5 s (CLUSTER_MF_TIMEOUT), such as on a busy machine, and is asked again.
# Usage: host_fault_back PORT SHARD
host_fault_back() {
  local end=$((SECONDS + 60)) again=$SECONDS
  until host_fault_says "$1" 'role:master'; do
    owner_lives "$WORK/run-$RUN_ID/owner" || exit 1
    ((SECONDS < end)) || {
      host_fault_event 'not failed back' "shard $2"
      return
    }
    if ((SECONDS >= again)); then
      host_fault_ask "$1" 'CLUSTER FAILOVER' || :
      again=$((SECONDS + 7))
    fi
    proc_pause
  done
  host_fault_event 'failed back' "shard $2"
}
