# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What will run: pure functions from settings to rows, so that a plan can be read, tested and repeated.
# Rows are words separated by tabs.

# Print the points of the sweep: NAME SIZE INSTANCES RATIO PATTERN, the last two `-` where there is one for all.
# Usage: plan_points
# Globals: VALUE_SIZES INSTANCES DRAM_RATIO KEY_PATTERN
plan_points() {
  local size instances bytes ratio pattern
  local -a ratios patterns
  read -r -a ratios <<<"$DRAM_RATIO"
  read -r -a patterns <<<"$KEY_PATTERN"
  ((${#ratios[@]} > 1)) || ratios=(-)
  ((${#patterns[@]} > 1)) || patterns=(-)
  for instances in $INSTANCES; do
    for size in $VALUE_SIZES; do
      bytes=$(conf_bytes "$size")
      for ratio in "${ratios[@]}"; do
        for pattern in "${patterns[@]}"; do
          printf '%s\t%s\t%s\t%s\t%s\n' "${bytes}B-${instances}i$(_plan_suffix "${ratio/:/to}")$(_plan_suffix "${pattern/:/}")" \
            "$bytes" "$instances" "$ratio" "$pattern"
        done
      done
    done
  done
}

_plan_suffix() {
  [[ $1 == - ]] || printf -- '-%s' "$1"
}

# Bring the settings to a point: those that the variant leaves open.
# Usage: plan_use RATIO PATTERN
plan_use() {
  [[ $1 == - ]] || DRAM_RATIO=$1
  [[ $2 == - ]] || KEY_PATTERN=$2
}

# Bring the settings to a variant at a point.
# Usage: plan_at VARIANT RATIO PATTERN
plan_at() {
  variant_use "$1"
  server_auto
  plan_use "$2" "$3"
}

# Print every repeat in the order they run: NAME SIZE INSTANCES REPEAT VARIANT RATIO PATTERN.
# Variants alternate within a repeat (A B A B), so that a drift of the machine falls on all of them.
# Usage: plan_cells
# Globals: as plan_points, and REDISRUNS VARIANTS
plan_cells() {
  local name size instances repeat variant ratio pattern
  while read -r name size instances ratio pattern; do
    for ((repeat = 1; repeat <= REDISRUNS; repeat++)); do
      for variant in $VARIANTS; do
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$size" "$instances" "$repeat" "$variant" "$ratio" "$pattern"
      done
    done
  done < <(plan_points)
}

# Print the numbers of instances of the sweep, spelt out and in order.
# Usage: plan_instances
# Globals: INSTANCES, as it is set
plan_instances() {
  local word first last step all=''
  [[ $INSTANCES != *all* ]] || all=$(place_usable)
  # shellcheck disable=SC2086 # split into words on purpose
  for word in ${INSTANCES//all/$all}; do
    first=${word%%..*} last=${word#*..} step=1
    [[ $last != *..* ]] || step=${last#*..} last=${last%%..*}
    seq "$first" "$step" "$last"
  done | sort -nu | paste -sd ' '
}

# Print the largest number of instances of the sweep.
# Usage: plan_most
# Globals: INSTANCES
plan_most() {
  sort -n <<<"${INSTANCES// /$'\n'}" | tail -n 1
}

# Divide the instances over the clients: CLIENT FIRST_PORT COUNT, contiguous, the remainder one each to the first clients.
# Usage: plan_clients INSTANCES
# Globals: CLIENT_IP REDISBASE
plan_clients() {
  local instances=$1 port=$REDISBASE index=0 count client
  local -a clients
  read -r -a clients <<<"$CLIENT_IP"
  for client in "${clients[@]}"; do
    count=$((instances / ${#clients[@]} + (index < instances % ${#clients[@]} ? 1 : 0)))
    printf '%s\t%s\t%s\n' "$client" "$port" "$count"
    port=$((port + count))
    index=$((index + 1))
  done
}

# Print the threads of the load generator of a client with so many instances.
# Usage: plan_threads INSTANCES
# Globals: THREADS INSTANCE_THREADS
plan_threads() {
  if [[ $THREADS == auto ]]; then echo $((INSTANCE_THREADS * $1)); else echo "$THREADS"; fi
}

# Print the requests that a phase makes on a client with so many instances; 0: as TIME says, or one a key.
# Usage: plan_requests INSTANCES
# Globals: TIME REQUESTS INSTANCE_REQUESTS CONNECTION_REQUESTS CONNECTIONS, and as plan_threads
plan_requests() {
  local threads
  if [[ $TIME != 0 ]]; then
    echo 0
  elif ((REQUESTS > 0)); then
    echo "$REQUESTS"
  elif ((INSTANCE_REQUESTS > 0)); then
    echo $((INSTANCE_REQUESTS * $1))
  else
    threads=$(plan_threads "$1")
    # A thread has its connections to each of its instances, of which it has several where there are fewer threads.
    echo $((CONNECTION_REQUESTS * CONNECTIONS * (threads > $1 ? threads : $1)))
  fi
}

# Refuse settings that contradict each other, naming where the culprit stands.
# Usage: plan_check
# Returns: exits 2.
plan_check() {
  local client size seen=" " instances
  local -a clients
  read -r -a clients <<<"$CLIENT_IP"
  for client in "${clients[@]}"; do
    [[ $seen != *" $client "* ]] || conf_refuse CLIENT_IP "the client $client stands there twice"
    seen+="$client "
    if ! remote_is_local "$client" && remote_is_loopback "$(host_data "$SERVER")"; then
      conf_refuse SERVER "the client $client cannot reach a loopback address"
    fi
  done
  _plan_variants
  for instances in $INSTANCES; do
    ((instances >= ${#clients[@]})) || _plan_undivided "$instances" ${#clients[@]}
    ((REDISBASE + instances - 1 <= 65535)) ||
      conf_refuse REDISBASE "the ports of $instances instances would end at $((REDISBASE + instances - 1)), past 65535"
  done
}

# Refuse a number of instances that leaves a client without any; of a sweep, without all of its numbers.
# Usage: _plan_undivided INSTANCES CLIENTS
_plan_undivided() {
  local why="$1 instances cannot be divided over $2 clients"
  [[ $INSTANCES == *' '* ]] || conf_refuse "$(_plan_instances_from)" "$why"
  die_usage "$(conf_where INSTANCES): INSTANCES: $why; begin with as many as there are clients: INSTANCES=$2..all"
}

# The same of every variant's settings; leaves the first one's resolved.
_plan_variants() {
  local variant
  # The first comes last.
  for variant in ${VARIANTS#"${VARIANTS%% *}"} "${VARIANTS%% *}"; do
    variant_use "$variant"
    server_auto
    tier_settings_check
    place_check
    launch_check
    generator_check
  done
}

# Print what is asked for and has no effect beside the other settings of some variant, or one that may surprise, as rows FOUND WANTED MEND.
# Usage: plan_vain
plan_vain() {
  local variant
  for variant in $VARIANTS; do
    variant_use "$variant"
    server_auto
    _plan_vain_eviction
    _plan_vain_requests
    _plan_vain_affinity
    _plan_isolated
  done | awk '!seen[$0]++'
}

# Say the same as warnings.
# Usage: plan_warn
plan_warn() {
  local found mend
  while IFS=$'\t' read -r found _ mend; do log_warn "$found: $mend"; done < <(plan_vain)
}

_plan_vain_eviction() {
  [[ $EVICTION != off ]] || return 0
  if [[ $MAXMEMORY == off && $REDIS_CONF != *"maxmemory "* ]]; then
    printf 'EVICTION=%s\tMAXMEMORY\tset MAXMEMORY: without it nothing is ever evicted\n' "$EVICTION"
  elif [[ $EVICTION == volatile-* ]]; then
    printf 'EVICTION=%s\tnoeviction or allkeys-\tof the keys that it may evict, those that expire, the load has none: it is as noeviction\n' "$EVICTION"
  fi
}

# Requests of one who reads that they come before TIME: set above it, or beside it by hand.
_plan_vain_requests() {
  local name
  [[ $TIME != 0 ]] || return 0
  for name in REQUESTS INSTANCE_REQUESTS CONNECTION_REQUESTS; do
    [[ ${!name} != 0 ]] || continue
    (($(conf_layer "$name") > $(conf_layer TIME))) || _plan_by_hand "$name" || continue
    printf '%s=%s\tTIME=0\tset TIME=0: with TIME=%s time counts and requests do not\n' "$name" "${!name}" "$TIME"
  done
}

# Redis is told the instance's CPUs, which it has only where the plan names them; and one thread is no other than the instance.
_plan_vain_affinity() {
  [[ $IO_THREADS_AFFINITY == on ]] || return 0
  if ((IO_THREADS == 1)); then
    ! _plan_by_hand IO_THREADS_AFFINITY || printf 'IO_THREADS_AFFINITY=on\tIO_THREADS above 1\tset IO_THREADS: there are no threads to pin\n'
  elif [[ -n $SERVER_NUMACTL || $PLACEMENT == none ]]; then
    printf 'IO_THREADS_AFFINITY=on\tCPUs of the plan\tset IO_THREADS_AFFINITY=off: with %s Redis is told of no CPUs to pin them to\n' \
      "$([[ -n $SERVER_NUMACTL ]] && echo SERVER_NUMACTL || echo PLACEMENT=none)"
  fi
}

# Kept to the CPUs that the kernel keeps free, instances may share what they would each have had of the others.
_plan_isolated() {
  local cpus most
  cpus=$(place_kept)
  most=$(plan_most)
  [[ -n $cpus ]] && ((most > $(place_usable))) || return 0
  printf '%s instances on the CPUs %s\ta CPU each\tset SERVER_CPUS or INSTANCES: the kernel keeps these CPUs free (isolcpus), so instances use no others\n' \
    "$most" "$cpus"
}

# Whether a setting was given for this command, on its line or in the environment.
_plan_by_hand() {
  [[ $(conf_where "$1") == environment* || $(conf_where "$1") == "command line"* ]]
}

# The setting that the number of instances comes from.
_plan_instances_from() {
  [[ $(conf_where INSTANCES) == *defaults.conf:* ]] || {
    echo INSTANCES
    return
  }
  echo SRV_OVERRIDE
}
