# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether every host is fit for the plan, as rows: HOST STATE CHECK FOUND WANTED FIX.
# STATE is ok, warn (the run is possible, but the figures may be affected) or fail. FIX is a command, a hint, `-`, or `install: NAME...`: names of
# tools/deps.sh (lib/run/doctor_show.sh converts them to a command).

# Settings that the checks on hosts depend on, beside those that turn a part on; they are checked one variant at a time.
readonly _DOCTOR_ASKED=(TIER TIER_NODES TIER_WEIGHTS TIER_SWAP ZRAM_ALGORITHM PLACEMENT PLACEMENT_NODE SERVER_NUMACTL
  SERVER_PREFIX CLIENT_PREFIX GENERATOR TLS REDIS_USER KERNEL_THP KERNEL_NUMA_BALANCING KERNEL_SWAPPINESS KERNEL_PAGE_CLUSTER KERNEL_DEMOTION
  KERNEL_ZSWAP KERNEL_PROMOTE_RATE KERNEL_SCAN_PERIOD_MIN KERNEL_SCAN_PERIOD_MAX KERNEL_SCAN_SIZE KERNEL_HOT_THRESHOLD)

declare -A _DOCTOR_LACKS=() # clients without the load generator

# Connect to every host, then check each.
# Usage: doctor_rows
# Globals: HOST CLIENT_IP and the plan; the server's facts are read on the way
doctor_rows() {
  local -a hosts clients
  hosts_all
  read -r -a clients <<<"$CLIENT_IP"
  _doctor_reach "${hosts[@]}" || return 0
  _doctor_on_master
  facts_read "${SERVERS[@]}" || :
  facts_use || {
    servers_each _doctor_unknown
    return 0
  }
  # Subshells look for them, too: find them once, here.
  servers_each place_memory_nodes_of all
  plan_make
  _doctor_skip
  _doctor_ignored
  _doctor_needs
  _doctor_ask_hosts "${hosts[@]}"
  servers_each _doctor_redis
  _doctor_clients "${clients[@]}"
  servers_each _doctor_path
  servers_each _doctor_answers
  servers_each _doctor_swept
  _doctor_fill
  servers_each _doctor_memory
  servers_each _doctor_tiers
  _doctor_launch
  doctor_parts all
  _doctor_warnings
}

# Print checks that require what a run builds or installs (lib/run/provision.sh), as rows.
# Usage: doctor_provided [yes] [redis]
#   yes    the load generator has been built
#   redis  Redis has been found or installed
doctor_provided() {
  [[ -z $1 ]] || doctor_parts built
  [[ -z $2 ]] || servers_each _doctor_found
  [[ -z $2 ]] || servers_each _doctor_path
  servers_each _doctor_answers
  servers_each _doctor_swept
  _doctor_fill
  servers_each _doctor_memory
  _doctor_launch
}

# Print the row of redis-server, once a run has found or installed it.
# Usage: _doctor_found
_doctor_found() {
  _doctor_row "$HOST" ok redis-server "$REDIS_BINARY" "$REDIS" -
}

# A server whose facts are missing.
_doctor_unknown() {
  facts_known || _doctor_row "$HOST" fail facts "cannot be read" "its CPUs and memory" "the line above says why"
}

# Settings without effect.
_doctor_ignored() {
  local note found wanted fix
  for note in "${PLAN_NOTES[@]}"; do
    IFS=$'\t' read -r found wanted fix <<<"$note"
    _doctor_row "${SERVERS[0]}" warn settings "$found" "$wanted" "$fix"
  done
}

# The requirements of the plan on links, ports and open files: the maximum over all rows.
# Returns: sets the settings that lib/host/doctor.sh is sent.
_doctor_needs() {
  local row bits place REPLY
  local -A disk=()
  NEED_BITS=0 NEED_PORTS=0 NEED_FILES=0 NEED_NUMACTL='' FIRST_PORT=$REDISBASE LAST_PORT=0 LAST_BUS=0 NEED_DISK=''
  for row in "${PLAN_ROWS[@]}"; do
    plan_row "$row"
    [[ ${ROW[repeat]} == 1 ]] || continue
    _doctor_loads
    ((bits <= NEED_BITS)) || NEED_BITS=$bits
    [[ -z $SERVER_NUMACTL && $CLIENT_PREFIX != numactl\ * && $PLACEMENT != numa && $PLACEMENT != split ]] || NEED_NUMACTL=yes
    disk_persistence_of
    place=auto$'\t'-
    [[ $PERSISTENCE_DIR == auto ]] || place=$PERSISTENCE_DIR$'\t'$REDIS_USER
    ((REPLY <= ${disk[$place]-0})) || disk[$place]=$REPLY
    cluster_processes_of "${ROW[instances]}"
    REPLY=$((REDISBASE + REPLY - 1))
    ((REPLY <= LAST_PORT)) || LAST_PORT=$REPLY
    ! cluster_on || ((REPLY <= LAST_BUS)) || LAST_BUS=$REPLY
  done
  for row in "${!disk[@]}"; do NEED_DISK+="$row"$'\t'"${disk[$row]}"$'\n'; done
  plan_enter "${VARIANTS%% *}" ''
}

# The requirements of the loads of the current point: one, or that of each tenant, which has its own settings, connections and process. Those without a
# rate share PLAN_OPS.
# Returns: sets bits of the caller, those per second, and raises NEED_PORTS and NEED_FILES
_doctor_loads() {
  local text=${ROW[tenants]-} name count keys size peak largest=0
  local -a tenants
  read -r -a tenants <<<"${text:-/0/${ROW[instances]}/1/${ROW[largest_size]}/}"
  bits=0
  for text in "${tenants[@]}"; do
    IFS=/ read -r name _ count keys size _ <<<"$text"
    ((keys > 0)) || continue
    read -r peak NEED_PORTS NEED_FILES < <(
      [[ -z $name ]] || plan_tenant "$name"
      _doctor_connections "$count"
      REPLY=0
      [[ $RATE == search* ]] || shares_peak "$RATE"
      echo "$REPLY $NEED_PORTS $NEED_FILES"
    )
    bits=$((bits + size * 8 * peak))
    ((peak > 0 || size <= largest)) || largest=$size
  done
  bits=$((bits + largest * 8 * PLAN_OPS))
}

# The connections that one client opens to COUNT instances.
# Usage: _doctor_connections COUNT
_doctor_connections() {
  local count threads groups connections REPLY
  shares_connections
  connections=$REPLY
  shares_divide "$1"
  for count in "${SHARE_COUNT[@]}"; do
    # A tenant with fewer instances than clients has no load on some.
    ((count > 0)) || continue
    shares_threads_of "$count"
    threads=$REPLY
    groups=$(((threads + count - 1) / count))
    ((connections * groups <= NEED_PORTS)) || NEED_PORTS=$((connections * groups))
    # ./test opens them all in one process; other generators run one process per instance.
    [[ $GENERATOR != test ]] || groups=$((threads > count ? threads : count))
    # The same allowance as in ./test: three descriptors per thread, and a few more.
    groups=$((connections * groups + 3 * threads + 64))
    ((groups <= NEED_FILES)) || NEED_FILES=$groups
  done
}

# Print what lib/host/doctor.sh finds on a host in one of its roles.
# Usage: _doctor_run HOST ROLE
# Globals: TUNE_ROWS PROGRAM_KEY
_doctor_run() {
  local ADDRESS NEED_MBIT NEED_REACH='' client clients REPLY
  read -r -a clients <<<"$CLIENT_IP"
  for client in "${clients[@]}"; do hosts_same "$client" "$1" || NEED_REACH=yes; done
  # On a client, the way to the first of several servers.
  hosts_data "${HOST%% *}"
  [[ $2 == client ]] || hosts_data "$1"
  ADDRESS=$REPLY
  # A client carries its share.
  NEED_MBIT=$((NEED_BITS / 1000000 + 1))
  [[ $2 == server ]] || NEED_MBIT=$((NEED_BITS / ${#clients[@]} / 1000000 + 1))
  call_run "$1" doctor "$2"
}

# Requirements of the master: ssh to the other hosts, the load generator, gnuplot for the report.
_doctor_on_master() {
  local master host row
  master=$(doctor_master)
  build_look
  row=$(build_row)
  [[ -z $row ]] || _doctor_row "$master" "$row"
  _doctor_program "$master"
  if command -v ssh >/dev/null; then
    _doctor_row "$master" ok ssh "$(remote_version)" "in PATH" -
  else
    _doctor_row "$master" ok ssh "missing" "only for other hosts" -
  fi
  if [[ $REPORT == off ]]; then
    _doctor_row "$master" ok gnuplot "not needed" "REPORT=off" -
  elif command -v gnuplot >/dev/null; then
    _doctor_row "$master" ok gnuplot "$(command -v gnuplot)" "in PATH" -
  else
    _doctor_row "$master" warn gnuplot missing "the report's plots" "install: gnuplot"
  fi
  hosts_shared
  for host in $REPLY; do
    _doctor_row "$host" warn "shared host" "client and server run on one host" "separate machines" \
      "set CLIENT_IP, or accept that the load generator takes CPU time from the instances"
  done
}

# Print the name of this host among those of the run.
# Usage: doctor_master
doctor_master() {
  local host
  local -a hosts
  hosts_all
  for host in "${hosts[@]}"; do
    if remote_is_local "$host"; then
      echo "$host"
      return
    fi
  done
  echo master
}

# The offset of a host's clock from the master's. A run starts phases by these clocks, and corrects them by the measured offset.
# Usage: _doctor_clock HOST BEFORE ARRIVED LEFT AFTER
#   its clock at the beginning and the end of a call, and the master's before and after the call; without them the offset is unknown
_doctor_clock() {
  local host=$1 off
  if remote_is_local "$host"; then
    _doctor_row "$host" ok clock "ours" "within 1 s" -
    return
  fi
  (($# == 5)) || return 0
  off=$(awk -v us=$((($3 - $2 + $4 - $5) / 2)) -v trip=$(($5 - $2 - ($4 - $3))) \
    'BEGIN { printf "%+.3f s off, give or take %.3f s", us / 1e6, trip / 2e6 }')
  if [[ $off =~ ^[+-]0\. ]]; then
    _doctor_row "$host" ok clock "$off" "within 1 s" -
  else
    _doctor_row "$host" warn clock "$off" "within 1 s" "chronyc makestep, or ntpd -gq, there"
  fi
}

# Changes that tuning would make, and those that it cannot make: a warning, and with TUNE=+strict a failure.
# Usage: _doctor_tune HOST ROWS
#   ROWS as lib/host/tune.sh prints them
_doctor_tune() {
  local host=$1 state=warn name found why setting fix seen=' ' changes='' row
  local -a lacks=()
  [[ $TUNE_STRICT == off ]] || state=fail
  # read takes several tabs for one.
  while IFS=$'\037' read -r name found _ _ _ why; do
    if [[ $found == cannot ]]; then
      lacks+=("$name"$'\t'"$why")
    elif [[ $found == would && ", $changes," != *", $name,"* ]]; then
      changes+=${changes:+, }$name
    fi
  done <<<"${2//$'\t'/$'\037'}"
  _doctor_row "$host" ok tuning "${changes:-nothing to change}" "set for the run, then restored" -
  for row in "${lacks[@]}"; do
    name=${row%%$'\t'*} why=${row#*$'\t'}
    tune_setting "$name"
    setting=$REPLY
    [[ $seen != *" $setting "* ]] || continue
    seen+="$setting "
    tune_none "$setting"
    fix="$REPLY, if it is to stay as it is"
    [[ $why != "needs root" ]] || fix="run as root, or $REPLY"
    conf_value "$setting"
    _doctor_row "$host" "$state" "tuning $setting" "$why" "$REPLY" "$fix"
  done
}

# Connect to all hosts, and print a row for each.
# Usage: _doctor_reach HOST...
# Returns: 1 if a host is unreachable.
_doctor_reach() {
  local host how status=0
  if ! command -v ssh >/dev/null; then
    for host; do
      remote_is_local "$host" || {
        _doctor_row "$(doctor_master)" fail ssh missing "to reach $host" "install: ssh"
        return 1
      }
    done
  fi
  remote_reach "$@" || status=1
  for host; do
    how=ssh
    ! remote_is_local "$host" || how="this machine"
    if ((${PARALLEL_STATUS[$host]-0} == 0)); then
      _doctor_row "$host" ok reachable "$how" "a shell" -
    else
      _doctor_row "$host" fail reachable "${PARALLEL_OUT[$host]#"$host: "}" "ssh with a key, without a prompt" "ssh $host true"
    fi
  done
  return "$status"
}

# Ask all hosts, and print their rows.
# Usage: _doctor_ask_hosts HOST...
_doctor_ask_hosts() {
  local host row key=''
  ! build_ready || key=$(client_key "$@")
  parallel_run $((REMOTE_RETRY + 60)) _doctor_host "$@" || :
  for host; do
    while IFS= read -r row; do
      # Lines of the load generator are for _doctor_clients.
      case $row in
        found$'\t'*) client_found "$host" "${row#*$'\t'}" ;;
        lacks$'\t'*) _DOCTOR_LACKS[$host]=yes ;;
        ?*) printf '%s\n' "$row" ;;
      esac
    done <<<"${PARALLEL_OUT[$host]}"
  done
}

# Everything that one host is asked: one call for each of its roles. Prints rows, and `found PATH` or `lacks MACHINE WHY` of the load generator.
# Globals: key of _doctor_ask_hosts
_doctor_host() {
  local role row before after arrived left ms=0 tuning='' TUNE_ROWS PROGRAM_KEY=$key REPLY
  local -a clock=()
  # A client on this machine uses the program of this checkout.
  ! remote_is_local "$1" || PROGRAM_KEY=
  tune_host "$1"
  TUNE_ROWS=$REPLY
  for role in server client; do
    [[ $role == client ]] || servers_is "$1" || continue
    [[ $role == server ]] || [[ " $CLIENT_IP " == *" $1 "* ]] || continue
    before=${EPOCHREALTIME/[.,]/}
    _doctor_ask "$1" checks _doctor_run "$1" "$role" || continue
    after=${EPOCHREALTIME/[.,]/}
    # Its tuning is the same in both roles.
    TUNE_ROWS=
    while IFS= read -r row; do
      case $row in
        clock$'\t'*)
          IFS=$'\t' read -r _ arrived left <<<"$row"
          clock=("$before" "${arrived/./}" "${left/./}" "$after")
          ;;
        startup$'\t'*) ms=${row#*$'\t'} ;;
        tuning$'\t'*) tuning+=${tuning:+$'\n'}${row#*$'\t'} ;;
        found$'\t'* | lacks$'\t'*) printf '%s\n' "$row" ;;
        *) _doctor_row "$1" "$row" ;;
      esac
    done <<<"$_DOCTOR_SAID"
  done
  _doctor_clock "$1" "${clock[@]}"
  _doctor_startup "$1" "$ms"
  [[ -z $tuning ]] || _doctor_tune "$1" "$tuning"
}

# Name a host whose start-up files of the login shell slow down every call. A busy host is slow, too: the shortest of three calls counts.
# Usage: _doctor_startup HOST MS
_doctor_startup() {
  local host=$1 ms=$2 try again
  for try in 1 2; do
    ((ms > 50)) || return 0
    again=$(call_run "$host" doctor startup 2>/dev/null) && again=${again#*$'\t'} || return 0
    ((again >= ms)) || ms=$again
  done
  ((ms <= 50)) || _doctor_row "$host" warn "start-up files" "$ms ms of each call" "at most 50 ms" "let the start-up files of the login shell (~/.bashrc) end early in shells that are not interactive"
}

# Redis on the server, and the CPUs for it.
_doctor_redis() {
  local status=0 why=$_REMOTE_TMP/why
  server_look_redis 2>"$why" || status=$?
  if ((status == 0)); then
    _doctor_row "$HOST" ok redis-server "$REDIS_BINARY" "$REDIS" -
  elif ((status == 2)); then
    _doctor_row "$HOST" ok redis-server "not installed yet" "$REDIS" "a run installs it"
  elif [[ $REDIS == installed ]]; then
    _doctor_row "$HOST" fail redis-server "$(tail -n 1 "$why")" "REDIS=$REDIS" "install: redis-server"
  else
    _doctor_row "$HOST" fail redis-server "$(tail -n 1 "$why")" "REDIS=$REDIS" "set REDIS=package, or another REDIS"
  fi
  place_isolated
  _doctor_row "$HOST" ok "isolated CPUs" "${REPLY:-none}" "one per instance, if any" -
}

# The cost of a key, asked of the first server when the fill depends on it; print a row only if that fails.
_doctor_fill() {
  local status=0 why=$_REMOTE_TMP/why wanted="a scratch instance on port $REDISBASE, with samples set from here"
  # The plan of a resumed run has it.
  [[ -z $RESUME ]] && build_ready && servers_at "${SERVERS[0]}" _doctor_has_redis || return 0
  keycost_measure 2>"$why" || status=$?
  case $status in
    0) ;;
    "$LOCK_TAKEN") _doctor_row "${SERVERS[0]}" warn "cost of a key" "$LOCK_WHY" "$wanted" "wait for that run, or set KEYS" ;;
    *) _doctor_row "${SERVERS[0]}" fail "cost of a key" "$(paste -s -d ';' -- "$why")" "$wanted" "set KEYS" ;;
  esac
}

# Whether the server in HOST has redis-server.
_doctor_has_redis() {
  [[ -n ${REDIS_BINARY-} ]]
}

# Whether every client reaches instances on the server.
_doctor_path() {
  local host state found wanted fix
  [[ -n ${REDIS_BINARY-} ]] || return 0
  plan_enter "${VARIANTS%% *}" '' "${ANSWERS_SETTINGS[@]}" TLS=off
  ! _doctor_ask "$HOST" "data path" path_check || while IFS=$'\t' read -r host state found wanted fix; do
    _doctor_row "$host" "$state" "data path" "$found" "$wanted" "$fix"
  done <<<"$_DOCTOR_SAID"
  plan_enter "${VARIANTS%% *}" ''
}

# Features that a server other than Redis lacks, with the settings of each variant.
_doctor_answers() {
  local variant key state check found wanted fix
  local -A seen=()
  [[ -n ${REDIS_BINARY-} && -z $RESUME ]] && build_ready || return 0
  for variant in $VARIANTS; do
    plan_enter "$variant" ''
    server_conf
    key="$HIT_COUNTERS $REPLY"
    answers_wanted || continue
    [[ -z ${seen[$key]+set} ]] || continue
    seen[$key]=1
    plan_enter "$variant" '' "${ANSWERS_SETTINGS[@]}"
    ! _doctor_ask "$HOST" "variant $variant" answers_check ||
      while IFS=$'\t' read -r state check found wanted fix; do
        _doctor_row "$HOST" "$state" "$check" "$found" "$wanted" "$fix"
      done <<<"$_DOCTOR_SAID"
  done
  plan_enter "${VARIANTS%% *}" ''
}

# The fill of every point, compared with the server's memory minus the reserve: the DRAM of each variant.
_doctor_memory() {
  local row need wanted='' most=-1 keep found fix fill point rule free="$((SERVER_FREE >> 20)) MiB available"
  facts_limit_text
  free+=$REPLY
  fill_reserve_of "$SERVER_BYTES"
  keep=$REPLY
  for row in "${PLAN_DOUBTS[@]}"; do
    IFS=$'\t' read -r found fix fill <<<"$row"
    _doctor_row "$HOST" warn fill "$found" "within 1 % of $fill" "$fix"
  done
  for row in "${PLAN_ROWS[@]}"; do
    plan_row "$row"
    [[ ${ROW[repeat]} == 1 ]] || continue
    point=${ROW[point]}
    # Of several servers, that of the one with the most instances.
    need=${ROW[dram_bytes]}
    parts_bytes
    need=$((need + REPLY))
    ((need > most)) || continue
    most=$need rule=${ROW[rule_bytes]}
    wanted="$((need >> 20)) MiB for $point (${ROW[instances]} x ${ROW[keys]} keys of ${ROW[value_size]} B; 1.5 x (size + 32) x keys says"
    wanted+=" $((rule >> 20)) MiB)"
    wanted+="$PARTS_BYTES and $((keep >> 20)) MiB kept free"
    ((need + keep <= SERVER_FREE)) || break
  done
  plan_enter "${VARIANTS%% *}" ''
  if ((most + keep > SERVER_FREE)); then
    _doctor_row "$HOST" fail memory "$free" "$wanted" "set FILL or KEYS, or RESERVE"
  else
    _doctor_row "$HOST" ok memory "$free" "$wanted" -
  fi
}

# What Redis warned of when the newest run on these servers started it.
_doctor_warnings() {
  local state found wanted fix
  while IFS=$'\t' read -r state found wanted fix; do
    _doctor_row "${SERVERS[0]}" "$state" "Redis warnings" "$found" "$wanted" "$fix"
  done < <(warnings_check)
}
