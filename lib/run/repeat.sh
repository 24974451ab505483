# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One repeat of one point of one variant: start instances, load, fetch results, stop instances.

_REPEAT_ON=   # yes while the servers may have something of a repeat
_REPEAT_LOAD= # yes while a load generator may run

# The status of a repeat that the OOM killer stopped, and that can be run again.
readonly REPEAT_KILLED=77

# Run a repeat into RUN/VARIANT/POINT/rep-N; the directory gets that name only when it is complete.
# Usage: repeat_run DIR SIZE INSTANCES KEYS REPEAT
# Globals: HOST RUN ROW
# Returns: 0 if done (now or before), 1 if it failed; its files are then kept in rep-N.failed-TIME. REPEAT_LOST is yes if no further repeat may be
# started.
repeat_run() {
  local folder=$1 status=0 stamp
  shift
  [[ ! -e $folder ]] || return 0
  printf -v stamp '%(%Y%m%d-%H%M%S)T' -1
  # The files of an interrupted repeat are kept, but they are not a result.
  [[ ! -e $folder.partial ]] || mv -- "$folder.partial" "$folder.cut-$stamp"
  _repeat_clean || return
  while :; do
    mkdir -p -- "$folder.partial/server" 2>/dev/null || write_failed "$folder" || return
    status=0
    # Its last mark succeeds only while the run has the lock, and so does the next tuning.
    _repeat_alone _repeat_try "$folder.partial" "$stamp" "$@" || status=$?
    ((status == REPEAT_KILLED)) || break
  done
  ((status != 0)) || { stored_seal "$folder.partial" && stored_note "$folder.partial"; } || status=1
  if ((status == 0)); then
    mv -T -- "$folder.partial" "$folder"
    links_make "$folder" "$2" || log_warn "$folder: cannot create all links to its logs"
  else
    mv -- "$folder.partial" "$folder.failed-$stamp"
    log_warn "failed; its files: $folder.failed-$stamp"
    return 1
  fi
}

REPEAT_LOST= # yes after the lock of a server was lost: no further repeat may be started

# Whether the run still holds the lock of each server. What was measured beside another run is not a result.
# Usage: repeat_held
# Returns: 1 with a line on stderr if it does not, or the server cannot be reached; sets REPEAT_LOST to yes if the lock is lost.
repeat_held() {
  local host
  [[ -z $REPEAT_LOST ]] || return 1
  ! servers_parallel $((REMOTE_RETRY + 60)) lock_held || return 0
  for host in $HOST; do
    case ${PARALLEL_STATUS[$host]} in
      0) ;;
      124 | 255 | "$REPLY_BAD") log_warn "$host: cannot check the lock of this run" ;;
      *)
        REPEAT_LOST=yes
        log_warn "$host: the lock of this run is lost; a repeat at the same time as another run is not a result"
        ;;
    esac
  done
  return 1
}

# Change every host to the settings of a variant, before its next repeat.
# Usage: repeat_tune VARIANT
# Returns: 1 with a line on stderr if the lock is lost, or the server cannot be reached; exits 1 if a host cannot be tuned for another reason
repeat_tune() {
  tune_apply "$1" && return
  ! repeat_held || exit 1
  return 1
}

# Load instances as in a repeat of the current row, without keeping results: for values that are needed before the first repeat.
# Usage: repeat_probe PART
#   PART owns the load
# Globals: ROW, and the settings of the load
# Returns: 1 when it failed; REPEAT_KILLED if the OOM killer stopped it
repeat_probe() {
  _repeat_clean && _repeat_alone _repeat_probe "$1"
}

# Run a function that uses the servers in a subshell, then stop what it has started. All that it learns is in files: what it sets is lost.
# Usage: _repeat_alone FUNCTION [ARG]...
# Returns: the status of FUNCTION; 1 if it failed and the lock is lost, or if something could not be stopped
_repeat_alone() {
  local status=0
  _REPEAT_ON=yes _REPEAT_LOAD=yes
  cleanup_push _repeat_stop
  parallel_alone _repeat_shell "$@" || status=$?
  [[ ! -e $_REMOTE_TMP/lost ]] || LOG_LOST=yes
  # All generators have ended if it succeeded.
  if ((status == 0)); then _REPEAT_LOAD=''; else repeat_held || status=1; fi
  cleanup_pop || status=1
  return "$status"
}

# The subshell of a repeat: no code may change a setting.
# Usage: _repeat_shell FUNCTION [ARG]...
_repeat_shell() {
  local status=0
  # If the script is killed, another one can continue its run at once.
  exec {RUN_LOCK_FD}>&-
  exec {RUN_LOCK_FD}</dev/null
  plan_fixed
  readonly "${PLAN_FIXED[@]}"
  "$@" || status=$?
  [[ -z $LOG_LOST ]] || : >"$_REMOTE_TMP/lost"
  exit "$status"
}

# Start the instances of the current row, and load them until all generators have ended.
# Usage: _repeat_probe PART
# Returns: as repeat_probe
_repeat_probe() {
  local status=0
  local -a LOADING
  parts_begin '' "$1"
  _repeat_up "${ROW[instances]}" || return
  foreign_start
  client_launch "${ROW[instances]}" "${ROW[value_size]}" "${ROW[keys]}" || return
  client_wait "${LOADING[@]}" || status=1
  monitor_alarm now || status=1
  ((status == 0)) || [[ $MONITOR_ALARM != *"the OOM killer"* ]] || status=$REPEAT_KILLED
  return "$status"
}

# Start the instances of the current row in their memory, and the monitors.
_repeat_up() {
  local data=$PERSISTENCE_DIR REPLY
  POINT_INSTANCES=$1
  # A point that persists nothing does not need the directory.
  if [[ $data != auto ]]; then
    disk_persistence_of
    ((REPLY > 0)) || data=auto
  fi
  server_point "$1" "$data"
  # Nodes of a cluster wait for each other, but not for the memory of other servers.
  if cluster_on && servers_several; then
    parts_at up && parts_at instances
  else
    parts_at 'up instances'
  fi
}

# Load instances as _repeat_load, and prepare another try if a part wants it.
# Usage: _repeat_try DIR STAMP SIZE INSTANCES KEYS REPEAT
# Returns: 1 if it failed; REPEAT_KILLED if it can be run again
_repeat_try() {
  _repeat_load "$@" && return
  ! parts_first again "$1" || return "$REPEAT_KILLED"
  return 1
}

# Each step reports its own errors. The logs are fetched even after a failure, because they contain the reason.
_repeat_load() {
  local folder=$1 stamp=$2 size=$3 instances=$4 keys=$5 repeat=$6 status=0 client REPLY
  local -a LOADING
  parts_begin "$folder"
  _repeat_up "$instances" || return
  write_file "$folder/server/plan.tsv" _repeat_plan || return
  cluster_record "$folder/server" || return
  foreign_start
  client_launch "$instances" "$size" "$keys" || return
  client_wait "${LOADING[@]}" || status=1
  ((${#CLIENT_ASIDE[@]} == 0 || status != 0)) || LOADING=("${CLIENT_REMAIN[@]}")
  parts_at 'stop mark done' end || status=1
  monitor_alarm || status=1
  fetch_servers "$folder/server" || status=1
  client_fetch "$folder" "$stamp" "$repeat" "$RUN/setup.log" "${LOADING[@]}" || status=1
  for client in "${LOADING[@]}"; do
    hosts_folder "$folder" "$client"
    [[ ! -s $REPLY/stderr ]] || _repeat_said "$client" "$REPLY/stderr"
  done
  parts_each fetched "$folder" || status=1
  warnings_tell "$folder/server"
  ((status == 0)) || return
  foreign_write "$folder" || return
  write_file "$folder/starts.tsv" _repeat_starts "$folder" "${LOADING[@]}" || return
  parts_each tables "$folder" "${LOADING[@]}"
}

# Print what the load generator of a client wrote to stderr, the first 4096 bytes of each of 20 lines.
# Usage: _repeat_said CLIENT FILE
_repeat_said() {
  local line lines
  while IFS= read -r line; do log_warn "$1: $line"; done < <(head -n 20 -- "$2" | LC_ALL=C cut -b -4096)
  lines=$(wc -l <"$2")
  ((lines <= 20)) || log_warn "$1: $((lines - 20)) more lines in $2"
}

# The planned fill of the repeat, rows NAME VALUE: keys per instance, the expected bytes of all instances and their source, and the bytes that FILL
# requests, if it names them; `ignored` with the directives of Redis that had no effect. The version of the tool is that of this repeat: a run may be
# resumed with another one.
_repeat_plan() {
  printf 'keys\t%s\nexpected_bytes\t%s\nknown\t%s\nmade_by\t%s\n' "${ROW[keys]}" "${ROW[data_bytes]}" "${ROW[known]}" "$VERSION_TEXT"
  [[ -z $SERVER_IGNORED ]] || printf 'ignored\t%s\n' "$SERVER_IGNORED"
  [[ ${ROW[target_bytes]} == - ]] || printf 'target_bytes\t%s\n' "${ROW[target_bytes]}"
}

# The actual start of each phase on each client, on the master's clock: PHASE CLIENT START_US.
_repeat_starts() {
  local folder=$1 client REPLY
  local -a files=()
  for client in "${@:2}"; do
    client_offset "$client"
    files+=(client="$client" offset="$REPLY")
    hosts_folder "$folder" "$client"
    files+=("$REPLY/result.tsv")
  done
  printf 'phase\tclient\tstart_us\n'
  awk -F '\t' '
    FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { printf "%s\t%s\t%.0f\n", $column["operation"], client, $column["start_us"] - offset }' "${files[@]}"
}

# Stop what the last repeat could not stop: it would disturb the next repeat, or be taken for a part of it.
# Returns: 1 if a host still has something of it
_repeat_clean() {
  [[ -n $_REPEAT_ON ]] || return 0
  cleanup_push _repeat_stop
  cleanup_pop
}

# Stop everything that the repeat has started on its hosts. The files of generators that have ended stay until the next launch, or the end of the run
# (repeat_end).
# Usage: _repeat_stop
# Returns: 1 if a host still has something of it; the next repeat then stops it first
_repeat_stop() {
  local client status=0
  local -a clients=() later=()
  lock_turn
  log_progress_end
  [[ -z $_REPEAT_LOAD ]] || read -r -a clients <<<"$CLIENT_IP"
  # First the hosts that answer, then the server with its memory; an unreachable client does not delay them.
  ((${#clients[@]} == 0)) || CALL_RETRY=0 client_stop "${clients[@]}" || for client in "${clients[@]}"; do
    case ${PARALLEL_STATUS[$client]} in
      0) ;;
      124 | 255) later+=("$client") ;;
      *) status=1 ;;
    esac
  done
  servers_call $((REMOTE_RETRY + 600)) ended || status=1
  ((${#later[@]} == 0)) || _repeat_clients_stop "${later[@]}" || status=1
  ((status != 0)) || _REPEAT_ON='' _REPEAT_LOAD=''
  return "$status"
}

# Stop generators, and say which clients do not answer.
# Usage: _repeat_clients_stop CLIENT...
_repeat_clients_stop() {
  client_stop "$@" && return
  log_warn "$(parallel_failed "$@"): the load generator there could not be stopped; run ./do_it.sh stop when the host answers again"
  return 1
}

# Remove what the last repeat left on its clients, when the run ends.
# Usage: repeat_end
# Returns: 1 if a client still has something of it
repeat_end() {
  local -a clients
  read -r -a clients <<<"$CLIENT_IP"
  _repeat_clients_stop "${clients[@]}"
}
