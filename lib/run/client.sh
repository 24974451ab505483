# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master's side of the load generators: copy ./test to each client, start it, synchronize the clients, and fetch their files.

# With TENANTS, a client has one load generator per tenant: CLIENT@TENANT names it wherever CLIENT names a generator.
declare -A _CLIENT_BINARY=() # path of the load generator on each client
declare -A _CLIENT_STATE=()  # by client: running, or the exit status
declare -A _CLIENT_READY=()  # the phase that each waits to start
declare -A _CLIENT_GO=()     # the phase and start time that was not yet sent to each client
declare -A _CLIENT_OFFSET=() # how far its clock is ahead of the master's, in microseconds
declare -A _CLIENT_STATUS=() # its last status line
declare -A _CLIENT_TRIP=()   # the shortest round trip seen, microseconds
declare -A _CLIENT_PROBE=()  # CPU time on the client when it last waited at the gate, see lib/host/probe.sh
declare -A _CLIENT_LATE=()   # microseconds from the last call of all clients to its arrival at this one
_CLIENT_ASKED=               # when that began, in microseconds since the epoch
declare -A _CLIENT_LOST=()   # when it stopped answering, in SECONDS
declare -A _CLIENT_MOVED=()  # when its status changed last, or its phase began, in SECONDS

readonly _CLIENT_LOOK=2   # seconds that one poll waits for news
readonly _CLIENT_STALL=10 # seconds without progress after which a load is considered stalled

# Print the key of the load generator, by which clients keep their copies; nothing if all hosts are this machine, which needs no copy.
# Usage: client_key HOST...
client_key() {
  local host REPLY
  for host; do
    remote_is_local "$host" || {
      client_program
      program_key "$REPLY"
      return
    }
  done
}

# The path of the load generator on the master. An installed tree may have no build with TLS; doctor says so.
# Usage: client_program
# Returns: sets REPLY
client_program() {
  tls_program
  ! build_installed || [[ -x $REPLY ]] || REPLY=$ROOT/test
}

# Record that a client has the load generator.
# Usage: client_found CLIENT PATH
client_found() {
  _CLIENT_BINARY[$1]=$2
}

# Whether a client is known to have the load generator; this machine has it.
# Usage: client_has CLIENT
client_has() {
  local REPLY
  if [[ -z ${_CLIENT_BINARY[$1]-} ]] && remote_is_local "$1"; then
    client_program
    _CLIENT_BINARY[$1]=$REPLY
  fi
  [[ -n ${_CLIENT_BINARY[$1]-} ]]
}

# Install the load generator on clients: a copy if it starts there, else a build on the client.
# Usage: client_prepare CLIENT...
# Returns: 1 if it cannot be installed on a client, with the reason on stderr and in PARALLEL_OUT.
client_prepare() {
  local client key program target=test status=0 REPLY
  client_program
  program=$REPLY
  [[ $program == "$ROOT/test" ]] || target=tls
  key=$(program_key "$program")
  parallel_run $((REMOTE_RETRY + 600)) _client_prepare "$@" || status=1
  for client; do
    if ((${PARALLEL_STATUS[$client]} == 0)); then
      _CLIENT_BINARY[$client]=${PARALLEL_OUT[$client]}
    else
      printf '%s\n' "${PARALLEL_OUT[$client]}" >&2
    fi
  done
  return "$status"
}

# Install the load generator on one client, and print its path. Globals: key, program and target of client_prepare
_client_prepare() {
  program_prepare "$1" test "$program" "$target" "$key"
}

# Start the load generators, each against its share of the instances; each then waits at its first phase.
# Usage: client_launch INSTANCES VALUE_BYTES KEYS
# Globals: ROW, and the settings of the load, see conf/defaults.conf
# Returns: sets LOADING, the clients with instances; 1 if a generator cannot be started.
client_launch() {
  local client i address status=0 CLIENT_LAUNCH
  local -A number_of=()
  local -a common=() LOAD_NAME LOAD_TENANT LOAD_NUMBER LOAD_PORT LOAD_COUNT LOAD_ALL LOAD_SIZE LOAD_KEYS
  shares_loads "$@"
  LOADING=("${LOAD_NAME[@]}")
  for i in "${!LOADING[@]}"; do
    client=${LOADING[i]}
    number_of[$client]=$i
    _CLIENT_STATE[$client]=running
    unset '_CLIENT_STATUS[$client]' '_CLIENT_TRIP[$client]' '_CLIENT_GO[$client]' '_CLIENT_LOST[$client]' '_CLIENT_MOVED[$client]' '_CLIENT_PROBE[$client]'
  done
  [[ -n ${LOAD_TENANT[0]-} ]] || _client_common
  hosts_data "${HOST%% *}"
  address=$REPLY
  # The second names this launch, also when its call is repeated.
  _CLIENT_ASKED=${EPOCHREALTIME/[.,]/} CLIENT_LAUNCH=$_CLIENT_ASKED
  parallel_run $((REMOTE_RETRY + 60)) _client_launch "${LOADING[@]}" || status=1
  for client in "${LOADING[@]}"; do _client_take "$client"; done
  return "$status"
}

# The options that the load generators of all clients get.
# Returns: sets common of client_launch
_client_common() {
  local text connections REPLY
  shares_connections
  connections=$REPLY
  client_phases
  common=(--gate . --out . --connections "$connections" --phases "$REPLY" --keys "$KEY_PATTERN" --data "$DATA"
    --interval "$INTERVAL" --timeout "$REPLY_TIMEOUT")
  [[ $RATE == 0 ]] || common+=(--arrival "$ARRIVAL")
  [[ " $PHASES " != *" mixed "* || $COMMANDS != off ]] || common+=(--ratio "$RATIO")
  [[ $TIME == 0 ]] || common+=(--time "$TIME")
  [[ $WARMUP == 0 ]] || common+=(--warmup "$WARMUP")
  [[ $KEY_MIN == 0 ]] || common+=(--key-min "$KEY_MIN")
  ! load_apart || common+=(--key-max "$KEY_MAX")
  text=$(load_options && tls_options ../tls.crt)
  [[ -z $text ]] || mapfile -t -O "${#common[@]}" common <<<"$text"
  [[ $POPULATE_PATTERN == auto || " $PHASES " != *" populate "* ]] || common+=(--populate-keys "$POPULATE_PATTERN")
  [[ $VERIFY == on ]] || common+=(--no-verify)
  [[ $REDIS_CONF_MAXMEMORY_POLICY == @(default|noeviction) ]] || common+=(--allow-misses)
  [[ -z $LOAD_USER ]] || common+=(--user "$LOAD_USER")
}

# Start the load generator of one client, for a tenant with its settings. Globals: number_of, common and address of client_launch, and what shares_loads sets
_client_launch() {
  local i=${number_of[$1]} client=${1%@*} port count text CLIENT_PASSWORD
  port=${LOAD_PORT[i]} count=${LOAD_COUNT[i]}
  if [[ -n ${LOAD_TENANT[i]} ]]; then
    plan_tenant "${LOAD_TENANT[i]}"
    _client_common
  fi
  local -a words prefix=() values=("${LOAD_SIZE[i]}" "${LOAD_KEYS[i]}") to=("$address") options=("${common[@]}" --instances "$count" --passwords)
  ! servers_several || mapfile -t to < <(spread_addresses "$port" "$count" "$POINT_INSTANCES")
  _client_seed "$client"
  # Equal tenants send neither the same keys nor at the same times.
  options+=(--seed $((REPLY + LOAD_NUMBER[i] * 1000)))
  [[ $RATE == search* || $RATE == 0 ]] || options+=(--rate "$(shares_part "$RATE" "$count" "${LOAD_ALL[i]}")")
  shares_requests_of "$count"
  [[ $REPLY == 0 ]] || options+=(--requests "$REPLY")
  if replay_on; then
    mapfile -t -O "${#options[@]}" options < <(replay_options "$port" "$POINT_INSTANCES")
    # The trace determines both.
    values=()
  else
    options+=(--pipeline "$PIPELINE")
  fi
  shares_threads_of "$count"
  CLIENT_THREADS=$REPLY
  text=$(parts_each options)
  [[ -z $text ]] || mapfile -t -O "${#options[@]}" options <<<"$text"
  if cluster_on; then
    mapfile -t -O "${#options[@]}" options < <(cluster_options "$port" "$count")
    port=$REDISBASE count=$(cluster_processes "$POINT_INSTANCES") # any node knows all others
  fi
  CLIENT_PASSWORD=$(server_load_passwords "$port" "$count")
  place_client "$client"
  text=$REPLY
  [[ -z $text ]] || read -r -a prefix < <(tier_command "$text")
  if [[ -n $CLIENT_PREFIX ]]; then
    text=$(launch_words "$client" "$CLIENT_PREFIX") || return
    IFS=$'\t' read -r -a words <<<"$text"
    prefix+=("${words[@]}")
  fi
  if [[ $GENERATOR == test ]]; then
    words=("${_CLIENT_BINARY[$client]}")
  else
    text=$(generator_words "$client") || return
    IFS=$'\t' read -r -a words <<<"$text"
  fi
  _client_ask "$1" launch "${prefix[@]}" "${words[@]}" "${options[@]}" "${to[@]}" "$port" "${values[@]}"
}

# The phases for the load generator, including the phases that parts add.
# Usage: client_phases
# Globals: PHASES
# Returns: sets REPLY
client_phases() {
  REPLY=$PHASES
  parts_each phases
  REPLY=${REPLY// /,}
}

# Synchronize the clients until every generator has ended. When all wait for a phase, all get the same start time. The caller checks the guard
# once more: it may have stopped the instances just before the last look, which makes the generators fail, and an unguarded load is invalid.
# Usage: client_wait CLIENT...
# Returns: 1 if a generator failed, with a line on stderr; the other generators are then stopped. A tenant's is set aside while others remain: sets
# CLIENT_ASIDE, those of "$@".
client_wait() {
  local client failed=0
  local -a running lost
  CLIENT_ASIDE=()
  while :; do
    lost=()
    running=()
    for client; do
      [[ ${_CLIENT_STATE[$client]} != running ]] || _client_stalls "$client"
      case ${_CLIENT_STATE[$client]} in
        running) running+=("$client") ;;
        0)
          log_info "$client: done"
          _CLIENT_STATE[$client]="done"
          ;;
        done | told) ;;
        *)
          log_progress_end
          log_warn "$client: ${_CLIENT_STATE[$client]}"
          _CLIENT_STATE[$client]=told
          if [[ $client == *@* ]]; then lost+=("$client"); else failed=1; fi
          ;;
      esac
    done
    if ((${#lost[@]} > 0)); then
      _client_aside "${lost[@]}" -- "$@" || failed=1
      set -- "${CLIENT_REMAIN[@]}"
    fi
    _client_show "$@"
    # If a generator fails, the others are stopped.
    ((${#running[@]} > 0 && !failed)) || break
    _client_start "$@"
    monitor_alarm || return 1
    ((${#_CLIENT_GO[@]} > 0)) || _client_parts_look "$@" || return 1
    _CLIENT_ASKED=${EPOCHREALTIME/[.,]/}
    parallel_run 90 _client_look "${running[@]}" || :
    for client in "${running[@]}"; do _client_take "$client"; done
  done
  log_progress_end
  return "$failed"
}

# Set the generators of tenants aside, and stop them: those of all clients, because a part of its load is not that of the tenant.
# Usage: _client_aside LOST... -- CLIENT...
# Returns: adds to CLIENT_ASIDE; sets CLIENT_REMAIN, the others; 1 if none remains
_client_aside() {
  local client tenants=' '
  local -a lost=()
  while [[ $1 != -- ]]; do
    tenants+="${1##*@} "
    shift
  done
  CLIENT_REMAIN=()
  for client in "${@:2}"; do
    if [[ $tenants == *" ${client##*@} "* ]]; then lost+=("$client"); else CLIENT_REMAIN+=("$client"); fi
  done
  CLIENT_ASIDE+=("${lost[@]}")
  client_stop "${lost[@]}" || :
  ((${#CLIENT_REMAIN[@]} > 0))
}

# Let parts look at the load that runs, and let the generators end their phase if one says so.
_client_parts_look() {
  local status=0
  parts_each look || status=$?
  ((status == 2)) || return "$status"
  parallel_run $((REMOTE_RETRY + 60)) _client_enough "$@"
}

# Let the generator of one client end its phase. Usage: _client_enough CLIENT
_client_enough() {
  _client_run "$1" enough
}

# Fetch the files that the generators wrote, check them, and write their logs in the guide's form: a directory in DIR for each client.
# Usage: client_fetch DIR STAMP REPEAT SETUP_LOG CLIENT...
# Returns: 1 if a file is missing.
client_fetch() {
  local into=$1 stamp=$2.$3 setup=$4
  shift 4
  parallel_run $((REMOTE_RETRY + 600)) _client_fetch "$@"
}

# Fetch the files of one client, write its log and checksums. Globals: into, stamp and setup of client_fetch
_client_fetch() {
  local client=$1 folder log sums REPLY
  hosts_folder "$into" "$client"
  folder=$REPLY log=redis.log.${REPLY##*/}.$stamp
  mkdir -p -- "$folder" 2>/dev/null || write_failed "$folder" || return
  CLIENT=$client receive_files "$folder" "${client%@*}" client fetch || return
  { { cat "$setup" "$folder/stdout" && echo DONE; } >"$folder/$log"; } 2>/dev/null || write_failed "$folder/$log" || return
  find "$folder" -maxdepth 1 \( -name stdout -o -name stderr -empty \) -delete || return
  # SHA256SUMS includes the log, so that the results can be verified at any time later.
  sums=$(cd "$folder" && exec sha256sum -- *) && write_file "$folder/SHA256SUMS" printf '%s\n' "$sums"
}

# How far a client's clock is ahead of the master's, in microseconds.
# Usage: client_offset CLIENT
# Returns: sets REPLY
client_offset() {
  REPLY=${_CLIENT_OFFSET[$1]}
}

# Stop the generators of clients and remove their files there.
# Usage: client_stop CLIENT...
# Returns: 1 when a client could not be cleaned up; PARALLEL_STATUS then has 124 or 255 for clients that do not answer.
client_stop() {
  parallel_run $((REMOTE_RETRY + 60)) _client_stop "$@"
}

# Stop the generator of one client, and remove its files there. Usage: _client_stop CLIENT
_client_stop() {
  _client_run "$1" stop
}

# Run a verb of lib/host/client.sh that ends with a status. Print its output, and `trip BEFORE AFTER` by the master's clock.
# Usage: _client_ask CLIENT VERB [ARG]...
_client_ask() {
  local before=${EPOCHREALTIME/[.,]/}
  _client_run "$@" || return
  printf 'trip\t%s\t%s\n' "$before" "${EPOCHREALTIME/[.,]/}"
}

# Poll a client once. An unreachable client is reported at once, so that the others do not wait for it.
_client_look() {
  local client=$1 status=0 errors=$_REMOTE_TMP/look.$1 seconds=$_CLIENT_LOOK CALL_RETRY=0
  local -a go
  read -r -a go <<<"${_CLIENT_GO[$client]-}"
  ((${#go[@]} == 0)) || [[ -z $PARTS_DUE ]] || seconds=0
  _client_ask "$client" look "$seconds" "${go[@]}" 2>"$errors" || status=$?
  if ((status == 255)); then
    printf 'lost\t%s\n' "$(remote_reason "$errors")"
    remote_again "${client%@*}" 2>/dev/null || :
  elif [[ -s $errors ]]; then
    cat "$errors" >&2
  fi
  return "$status"
}

# Read what the last call of parallel_run reported for a client. Its clock is read in the same call. The call with the shortest round trip, less
# the time spent on the client, gives the best offset (as in NTP).
_client_take() {
  local client=$1 word first second arrived=0 left=0 trip late
  case ${PARALLEL_STATUS[$client]} in
    0)
      [[ -z ${_CLIENT_LOST[$client]+set} ]] || log_info "$client answers again"
      unset '_CLIENT_LOST[$client]' '_CLIENT_GO[$client]'
      ;;
    124 | 255)
      [[ -n ${_CLIENT_LOST[$client]+set} ]] || log_warn "$client does not answer (${PARALLEL_OUT[$client]#lost$'\t'}); trying again"
      _CLIENT_LOST[$client]=${_CLIENT_LOST[$client]-$SECONDS}
      ((SECONDS - ${_CLIENT_LOST[$client]} >= REMOTE_RETRY)) || return 0
      _CLIENT_STATE[$client]="it did not answer for REMOTE_RETRY=$REMOTE_RETRY s"
      remote_give_up "${client%@*}"
      return 0
      ;;
    *)
      _CLIENT_STATE[$client]="the load generator cannot be read"
      return 0
      ;;
  esac
  _CLIENT_READY[$client]=
  while IFS=$'\t' read -r word first second; do
    case $word in
      ready) _CLIENT_READY[$client]=$first ;;
      status)
        [[ ${_CLIENT_STATUS[$client]-} == "$first"$'\t'"$second" ]] || _CLIENT_MOVED[$client]=$SECONDS
        _CLIENT_STATUS[$client]=$first$'\t'$second
        ;;
      jumped) _CLIENT_STATE[$client]="its clock jumped by $first s; times of this repeat mean nothing" ;;
      stopped) _CLIENT_STATE[$client]="the load generator was stopped by a signal (SIGSTOP)" ;;
      machine) _CLIENT_PROBE[$client]=$first$'\t'$second ;;
      exit)
        foreign_mark end "$client" "${_CLIENT_PROBE[$client]-}"
        # After a jump of the clock: take the new offset.
        [[ ${_CLIENT_STATE[$client]} != running ]] || _CLIENT_STATE[$client]=$first
        [[ $first == 0 ]] || _CLIENT_STATE[$client]="the load generator ended with $first"
        ;;
      killed) _CLIENT_STATE[$client]=$first ;;
      clock) arrived=${first/./} left=${second/./} ;;
      trip)
        trip=$((second - first - (left - arrived)))
        if ((trip < ${_CLIENT_TRIP[$client]:-trip + 1})); then
          _CLIENT_TRIP[$client]=$trip
          _CLIENT_OFFSET[$client]=$(((arrived - first + left - second) / 2))
          ! remote_is_local "${client%@*}" || _CLIENT_OFFSET[$client]=0
        fi
        # It arrived within the trip, however wrong the offset of a first trip is.
        late=$((arrived - ${_CLIENT_OFFSET[$client]} - first))
        late=$((late < 0 ? 0 : late > trip ? trip : late))
        _CLIENT_LATE[$client]=$((first + late - _CLIENT_ASKED))
        ;;
    esac
  done <<<"${PARALLEL_OUT[$client]}"
}

# Warn if a generator makes no progress during a phase.
_client_stalls() {
  local client=$1 count total limit=$_CLIENT_STALL
  # Other generators do not write a status each second.
  [[ $GENERATOR == test && $FAULT == none && -z ${_CLIENT_READY[$client]} && -n ${_CLIENT_MOVED[$client]+set} && -z ${_CLIENT_LOST[$client]+set} ]] || return 0
  IFS=$'\t' read -r _ count total _ <<<"${_CLIENT_STATUS[$client]-}"
  [[ -z ${total-} || $count != "$total" ]] || return 0
  ((${INTERVAL%.*} * 2 < limit)) || limit=$((${INTERVAL%.*} * 2 + 2))
  ((SECONDS - ${_CLIENT_MOVED[$client]} < limit)) || _CLIENT_STATE[$client]="the load generator makes no progress for $limit s"
}

# When every generator waits for the same phase, start all of them at one time. A part may own the phase, and choose its load.
_client_start() {
  local client phase start at now slowest=0 load='' owner='' points='stop load mark start' REPLY
  for client; do
    [[ ${_CLIENT_STATE[$client]} == running && -n ${_CLIENT_READY[$client]} && -z ${_CLIENT_GO[$client]+set} ]] || return 0
    phase=${_CLIENT_READY[$client]}
    ((${_CLIENT_LATE[$client]-0} <= slowest)) || slowest=${_CLIENT_LATE[$client]}
  done
  PARTS_DO=
  if parts_first owns "$phase"; then
    owner=$REPLY points='mark start'
    _client_parts 'stop load' "$phase" "$@" || return 0
    "${owner}_turn" "$phase" "$@" || {
      parts_row "$owner" label
      for client; do _CLIENT_STATE[$client]="the $REPLY cannot continue"; done
      return 0
    }
  fi
  case $PARTS_DO in
    keep | skip)
      for client; do
        _CLIENT_GO[$client]="$phase $PARTS_DO"
        _CLIENT_MOVED[$client]=$SECONDS
      done
      return 0
      ;;
    step) ;;
    *) _client_parts "$points" "${phase%.*}" "$@" || return 0 ;;
  esac
  # Far enough ahead for every client to get the message: all clients are called at the same time, as in the poll that reported them ready.
  slowest=$((100000 + slowest * 3 / 2)) now=${EPOCHREALTIME/[.,]/}
  start=$((now + slowest))
  parts_each goes "$phase" "$start" || {
    for client; do _CLIENT_STATE[$client]="$PARTS_WHY cannot begin"; done
    return 0
  }
  # A call to a server took time.
  ((${EPOCHREALTIME/[.,]/} - now < 10000)) || start=$((${EPOCHREALTIME/[.,]/} + slowest))
  for client; do
    [[ -z $PARTS_DO ]] || load=" $("${owner}_load" "$client")"
    at=$((start + ${_CLIENT_OFFSET[$client]}))
    # Microseconds as seconds with a fraction.
    printf -v at '%d.%06d' $((at / 1000000)) $((at % 1000000))
    _CLIENT_GO[$client]="$phase $at$load"
    _CLIENT_MOVED[$client]=$SECONDS
  done
  [[ $PARTS_DO == step ]] || log_info "phase ${phase%.*} starts on $# client(s)"
}

# The parts at points before a phase. When the counters of the servers are read, those of the clients are too: no request is in flight.
# Usage: _client_parts POINTS PHASE CLIENT...
# Returns: 1 if the phase cannot begin
_client_parts() {
  local client points=$1 phase=$2
  shift 2
  [[ $points != *mark* ]] || for client; do foreign_mark "$phase" "$client" "${_CLIENT_PROBE[$client]-}"; done
  parts_phase "$points" "$phase" && return
  for client; do _CLIENT_STATE[$client]="$PARTS_WHY cannot begin"; done
  return 1
}

# The seed of a client.
# Returns: sets REPLY
_client_seed() {
  local one number=0
  if [[ $SEED == */client ]]; then
    for one in $CLIENT_IP; do
      [[ $one != "$1" ]] || break
      number=$((number + 1))
    done
  fi
  REPLY=$((${SEED%/client} + number))
}

# Show the progress of the run and of each client.
_client_show() {
  local client
  local -a rows=()
  for client; do rows+=("$client"$'\t'"${_CLIENT_STATUS[$client]-}"); done
  progress_show "${rows[@]}"
}
