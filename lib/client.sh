# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master's side of the load generators: put ./test on each client, start it, keep all in step, fetch what they wrote.

declare -A _CLIENT_BINARY=() # path of the load generator on each client
declare -A _CLIENT_STATE=()  # of each client: running, or the exit status
declare -A _CLIENT_READY=()  # the phase that each waits to start
declare -A _CLIENT_OFFSET=() # microseconds that its clock is ahead of ours
declare -A _CLIENT_STATUS=() # its last status line
declare -A _CLIENT_TRIP=()   # the shortest round trip seen, microseconds

# Put the load generator on a client: a copy when machine and libc are ours, else built there.
# Usage: client_prepare CLIENT
# Returns: 1 with one line on stderr when it cannot be had.
client_prepare() {
  local client=$1 key answer what ours work
  if remote_is_local "$client"; then
    _CLIENT_BINARY[$client]=$ROOT/test
    return 0
  fi
  key=$(sha256sum "$ROOT/test" | cut -c 1-16)
  answer=$(_client_run "$client" have "$key") || return
  IFS=$'\t' read -r what _CLIENT_BINARY["$client"] <<<"$answer"
  [[ $what != yes ]] || return 0
  ours="$(uname -m) $(getconf GNU_LIBC_VERSION)"
  work=$(remote_work "$client") || return
  if [[ ${_CLIENT_BINARY[$client]} == "$ours" ]]; then
    remote_put "$client" "$ROOT/test" "$work/cache/test-$key" || return
    answer=$(_client_run "$client" have "$key") || return
  fi
  if [[ $answer == no* ]]; then
    log_info "$client: building the load generator there ($ours does not run on it)"
    _client_sources "$_REMOTE_TMP/$key.tar"
    remote_put "$client" "$_REMOTE_TMP/$key.tar" "$work/cache/$key.tar" || return
    answer=$(_client_run "$client" build "$key") || return
  fi
  IFS=$'\t' read -r what _CLIENT_BINARY["$client"] <<<"$answer"
  [[ $what == yes ]] || {
    printf '%s: the load generator does not run there; is libhiredis installed?\n' "$client" >&2
    return 1
  }
}

# Start the load generator on a client against its share of the instances; it then waits at its first phase.
# Usage: client_launch CLIENT FIRST_PORT INSTANCES VALUE_BYTES KEYS
# Globals: the settings of the load, see conf/defaults.conf
client_launch() {
  local client=$1 port=$2 count=$3 size=$4 keys=$5 requests text
  local -a words prefix options=(--gate . --out . --instances "$count" --connections "$CONNECTIONS" --pipeline "$PIPELINE"
    --phases "${PHASES// /,}" --keys "$KEY_PATTERN" --data "$DATA" --seed "$(_client_seed "$client")"
    --interval "$INTERVAL" --timeout "$REPLY_TIMEOUT")
  [[ $RATE == 0 ]] || options+=(--rate "$(_client_share "$client" "$RATE")" --arrival "$ARRIVAL")
  [[ " $PHASES " != *" mixed "* ]] || options+=(--ratio "$RATIO")
  [[ $TIME == 0 ]] || options+=(--time "$TIME")
  CLIENT_THREADS=$(plan_threads "$count")
  requests=$(plan_requests "$count")
  [[ $requests == 0 ]] || options+=(--requests "$requests")
  [[ $WARMUP == 0 ]] || options+=(--warmup "$WARMUP")
  [[ $KEY_MIN == 0 ]] || options+=(--key-min "$KEY_MIN")
  [[ $POPULATE_PATTERN == auto || " $PHASES " != *" populate "* ]] || options+=(--populate-keys "$POPULATE_PATTERN")
  [[ $VERIFY == on ]] || options+=(--no-verify)
  _CLIENT_STATE[$client]=running
  _CLIENT_STATUS[$client]=
  unset "_CLIENT_TRIP[$client]"
  read -r -a prefix < <(tier_command "$(place_client "$client")") || prefix=()
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
  _client_run "$client" launch "${prefix[@]}" "${words[@]}" "${options[@]}" \
    "$(host_data "$SERVER")" "$port" "$size" "$keys"
}

# Keep the clients in step until every generator has ended: when all wait for a phase, all are given one time to start it.
# Usage: client_wait CLIENT...
# Returns: 1 when one ended with anything but 0, with a line on stderr for it; the others are ended then.
client_wait() {
  local client running failed=0
  while :; do
    running=0
    for client in "$@"; do
      [[ ${_CLIENT_STATE[$client]} == running ]] || continue
      _client_poll "$client" || return 1
      case ${_CLIENT_STATE[$client]} in
        running) running=$((running + 1)) ;;
        0) log_info "$client: done" ;;
        *)
          log_warn "$client: the load generator ended with ${_CLIENT_STATE[$client]}"
          failed=1
          ;;
      esac
    done
    _client_show "$@"
    ((running > 0)) || break
    _client_start "$failed" "$@"
    monitor_alarm || return 1
    sleep 0.5 # the pace of polls
  done
  log_progress_end
  # A generator whose instances the guard ended may be sooner with that than the next look; and a load that nobody guarded is none.
  monitor_alarm now || failed=1
  return "$failed"
}

# Fetch what a generator wrote, check it, and write its log in the guide's form.
# Usage: client_fetch CLIENT FOLDER LOG_NAME SETUP_LOG
client_fetch() {
  local client=$1 folder=$2 log=$3 setup=$4 sums
  mkdir -p -- "$folder"
  _client_run "$client" fetch >"$_REMOTE_TMP/fetch.tar" || return
  tar -C "$folder" -xf "$_REMOTE_TMP/fetch.tar" || return
  rm -f -- "$_REMOTE_TMP/fetch.tar"
  (cd "$folder" && sha256sum --quiet -c SHA256SUMS >&2) || return
  { cat "$setup" "$folder/stdout" && echo DONE; } >"$folder/$log" || return
  rm -- "$folder/stdout" "$folder/SHA256SUMS"
  [[ -s $folder/stderr ]] || rm -- "$folder/stderr"
  # Again, now with the log: what lies in the results can be checked for ever.
  sums=$(cd "$folder" && sha256sum -- *) && printf '%s\n' "$sums" >"$folder/SHA256SUMS"
}

# Print how far a client's clock is ahead of the master's, in microseconds.
# Usage: client_offset CLIENT
client_offset() {
  echo "${_CLIENT_OFFSET[$1]}"
}

# End a client's generator and remove what it left there.
# Usage: client_stop CLIENT
client_stop() {
  _client_run "$1" stop
}

_client_run() {
  local CLIENT=$1
  shift
  remote_run -e RUN_ID -e RUN_OWNER -e CLIENT -e CLIENT_THREADS -e REDIS_PASSWORD "$CLIENT" client "$@"
}

# One look at a client. Its clock is read on the way: of all looks, the one with the shortest round trip tells best (as in NTP).
_client_poll() {
  local client=$1 before=${EPOCHREALTIME/./} after answer word rest trip
  answer=$(_client_run "$client" poll) || return
  after=${EPOCHREALTIME/./}
  _CLIENT_READY[$client]=
  while IFS=$'\t' read -r word rest; do
    case $word in
      clock)
        trip=$((after - before))
        if ((trip < ${_CLIENT_TRIP[$client]:-trip + 1})); then
          _CLIENT_TRIP[$client]=$trip
          _CLIENT_OFFSET[$client]=$((${rest/./} - (before + after) / 2))
        fi
        ;;
      ready) _CLIENT_READY[$client]=$rest ;;
      status) _CLIENT_STATUS[$client]=$rest ;;
      exit) _CLIENT_STATE[$client]=$rest ;;
      lost) _CLIENT_STATE[$client]="no exit status: it was killed" ;;
    esac
  done <<<"$answer"
}

# When every generator waits for the same phase, set them all off at one time. One that has failed ends the others.
_client_start() {
  local failed=$1 client phase start
  shift
  for client in "$@"; do
    [[ ${_CLIENT_STATE[$client]} == running ]] || {
      ((!failed)) || continue
      return 0
    }
    [[ -n ${_CLIENT_READY[$client]} ]] || return 0
    phase=${_CLIENT_READY[$client]}
  done
  if ((failed)); then
    for client in "$@"; do
      [[ ${_CLIENT_STATE[$client]} != running ]] || _CLIENT_STATE[$client]="nothing: another client failed"
    done
    return 0
  fi
  # With nothing under way, the counters stand still.
  monitor_mark "$phase" || :
  trace_mark "$phase" || log_warn "$SERVER: nothing is traced"
  # Far enough ahead for every client to hear of it.
  start=$((${EPOCHREALTIME/./} + 400000 + 200000 * $#))
  for client in "$@"; do
    _client_run "$client" go "$phase" "$(_client_seconds $((start + ${_CLIENT_OFFSET[$client]})))"
  done
  log_info "phase $phase starts on $# client(s)"
}

# Microseconds as seconds with a fraction.
_client_seconds() {
  printf '%d.%06d' $(($1 / 1000000)) $(($1 % 1000000))
}

# The part of the rate that falls to a client: as many parts as it has instances.
_client_share() {
  plan_clients "$POINT_INSTANCES" | awk -v client="$1" -v rate="$2" -v all="$POINT_INSTANCES" \
    '$1 == client { printf "%.6f", rate * $3 / all }'
}

# The seed of a client.
_client_seed() {
  local one number=0
  if [[ $DISTINCT_SEEDS == on ]]; then
    for one in $CLIENT_IP; do
      [[ $one != "$1" ]] || break
      number=$((number + 1))
    done
  fi
  echo $((SEED + number))
}

# A progress line for each client, on a terminal only.
_client_show() {
  local client phase count total rate p99 elapsed
  local -a lines=()
  [[ -t 2 ]] || return 0
  for client in "$@"; do
    IFS=$'\t' read -r phase count total rate p99 elapsed _ <<<"${_CLIENT_STATUS[$client]}"
    lines+=("$(awk -v client="$client" -v phase="${phase:-waiting}" -v count="${count:-0}" -v total="${total:-0}" \
      -v rate="${rate:-0}" -v p99="${p99:-0}" -v elapsed="${elapsed:-0}" 'BEGIN {
        share = total > 0 ? count / total : 0
        left = share > 0 ? elapsed * (1 - share) / share : 0
        printf "%-22s %-8s %5.1f %%  %10.0f ops/s  p99 %8.0f us  %6.0f s left", client, phase, share * 100, rate, p99, left
      }')")
  done
  log_progress "${lines[@]}"
}

# The sources that the load generator is built from, for a client with another machine or libc.
_client_sources() {
  tar -C "$ROOT" -cf "$1" Makefile test.c lib/loadgen
}
