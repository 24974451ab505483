# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How many keys fill the requested memory, and whether they fit.

# By form of a key (_fill_form): the memory of keys, as lines for lib/plan/keycost.awk.
declare -A _FILL_MODEL=()
# Questions to lib/plan/keycost.awk, `keys FORM TARGET [SLOTS REPLICAS]`, or `bytes` or `moving` with FORM KEYS [SLOTS REPLICAS]: its answers,
# and the questions not yet asked.
declare -A _FILL_SAID=() _FILL_ASKED=()
# The samples that show the kind of the server's table, lines for lib/plan/keycost.awk without the form; empty: not yet measured.
_FILL_STEPS=

# Keys per instance by the formula of the 2018 guide: 8 GB reserved, 90 % of the rest, a key counted as 110 % of its value, rounded down to
# 10,000 keys, divided by the instances. All integer arithmetic, in this order.
# Usage: fill_guide MEM_GIB VALUE_BYTES INSTANCES
# Returns: sets REPLY
fill_guide() {
  local mem=$1 size=$2 instances=$3 keys
  keys=$(((mem - 8) * (1 << 30) * 90 / 110 / size))
  REPLY=$((keys / 10000 * 10000 / instances))
}

# Print the keys per instance of a point.
# Usage: fill_keys VALUE_BYTES INSTANCES
# Globals: KEYS KEY_MIN KEY_MAX FILL SERVER_MEM SERVER_BYTES RESERVE
# Returns: exits 2 if no key fits.
fill_keys() {
  fill_keys_of "$@" || { fill_answer && fill_keys_of "$@"; }
  echo "$REPLY"
}

# As fill_keys, without a subshell.
# Returns: sets REPLY; 1 when fill_answer has to be called first.
fill_keys_of() {
  local size=$1 instances
  # A replica uses as much memory as its master.
  cluster_processes_of "$2"
  instances=$REPLY
  fill_named
  if [[ $REPLY != auto ]]; then
    :
  elif [[ $FILL == guide ]]; then
    # Of several servers, each has its part of the instances.
    ((${#SERVERS[@]} < 2)) || instances=$(((instances + ${#SERVERS[@]} - 1) / ${#SERVERS[@]}))
    fill_guide "$SERVER_MEM" "$size" "$instances"
    ((REPLY > 0)) || ! facts_limit_text ||
      conf_refuse FILL "too small: the guide's formula leaves no key of $size B for $instances instances in $SERVER_MEM GiB$REPLY; set KEYS or a size"
  else
    fill_target
    _fill_ask keys "$size" $((REPLY / instances)) "$2" || return
    ((REPLY > 0)) || conf_refuse FILL "too small; $instances instances need room for at least one key of $size B each"
  fi
  ! fill_apart || ((KEY_MAX < REPLY)) || conf_refuse KEY_MAX "populate sets only the keys 0..$((REPLY - 1)); set a lower KEY_MAX, or more KEYS"
}

# The used_memory, in bytes over all instances, that FILL requests; empty if FILL does not name one. A percentage is of the usable memory: the
# server's memory minus the reserve.
# Usage: fill_target
# Globals: KEYS KEY_MAX FILL SERVER_BYTES
# Returns: sets REPLY
fill_target() {
  fill_named
  if [[ $REPLY != auto || $FILL == guide ]]; then
    REPLY=
  elif [[ $FILL == *% ]]; then
    fill_reserve_of "$SERVER_BYTES"
    REPLY=$(((SERVER_BYTES - REPLY) * ${FILL%\%} / 100))
    # Each of several servers has as much as the smallest.
    ((${#SERVERS[@]} < 2)) || REPLY=$((REPLY * ${#SERVERS[@]}))
  else
    conf_size "$FILL"
  fi
}

# The expected used_memory of Redis, in bytes over all instances, for KEYS keys per instance.
# Usage: fill_bytes_of VALUE_BYTES INSTANCES KEYS
# Globals: MAXMEMORY, and as fill_evicts
# Returns: sets REPLY; 1 when fill_answer has to be called first.
fill_bytes_of() {
  local each
  _fill_ask bytes "$1" "$3" "$2" || return
  each=$REPLY
  if [[ $MAXMEMORY != off ]] && fill_evicts; then
    conf_size "$MAXMEMORY"
    ((REPLY > each)) || each=$REPLY
  fi
  cluster_processes_of "$2"
  REPLY=$((each * REPLY))
}

# The bytes of outgrown tables, over all instances, that may be in use in addition when KEYS keys per instance have just been set.
# Usage: fill_moving_of VALUE_BYTES INSTANCES KEYS
# Returns: sets REPLY; 1 when fill_answer has to be called first.
fill_moving_of() {
  local each
  _fill_ask moving "$1" "$3" "$2" || return
  each=$REPLY
  cluster_processes_of "$2"
  REPLY=$((each * REPLY))
}

# Whether Redis evicts keys at MAXMEMORY. Else it refuses writes.
# Usage: fill_evicts
# Globals: EVICTION EXPIRE REDIS_CONF
fill_evicts() {
  [[ $EVICTION == allkeys-* || $REDIS_CONF == *"maxmemory-policy "* ]] || [[ $EVICTION == volatile-* && $EXPIRE != off ]]
}

# The keys in an instance after all phases: all of them, unless the phases send too few SETs; with KEY_PATTERN=latest also the added keys, if their
# number is known.
# Usage: fill_set_of INSTANCES KEYS
# Globals: PHASES TIME RATE RATIO COMMANDS KEY_PATTERN, and as plan_shares and plan_requests_of
# Returns: sets REPLY
fill_set_of() {
  local keys=$2 phase i requests sets gets each=0 held=0 added=0
  plan_shares "$1"
  for i in "${!SHARE_CLIENT[@]}"; do
    plan_requests_of "${SHARE_COUNT[i]}"
    requests=$REPLY
    ((each * SHARE_COUNT[i] >= requests)) || each=$(((requests + SHARE_COUNT[i] - 1) / SHARE_COUNT[i]))
  done
  # For TIME, or one request per key.
  ((each > 0)) || each=$keys
  for phase in $PHASES; do
    case $phase in
      populate | replay) held=$keys ;;
      set) held=$((held + each)) ;;
      mixed)
        sets=${RATIO%:*} gets=${RATIO#*:}
        if [[ $COMMANDS != off ]]; then
          mix_weights
          read -r sets gets <<<"$REPLY"
        fi
        if [[ " $KEY_PATTERN" == *" latest"* ]]; then
          # Each SET adds a key. The number of requests of a closed loop in TIME is not known before.
          requests=$each
          [[ $TIME == 0 ]] || requests=$(awk -v rate="$RATE" -v time="$TIME" -v parts="$1" 'BEGIN { printf "%.0f", rate * time / parts }')
          added=$((added + requests * sets / (sets + gets)))
          continue
        fi
        ((sets == 0)) || if [[ $TIME == 0 ]]; then held=$((held + (each * sets - 1) / (sets + gets) + 1)); else held=$keys; fi
        ;;
    esac
  done
  REPLY=$(((held < keys ? held : keys) + added))
}

# After settings were resolved, keep those that determine the number of keys. FILL of a higher layer overrides KEYS, and both of a higher layer
# override KEY_MAX. Else both count if there is a populate phase (fill_apart), and KEY_MAX overrides KEYS without it.
# Usage: fill_settle
# Globals: KEYS KEY_MIN KEY_MAX FILL PHASES
# Returns: exits 2 if both are set in the same layer, or if there are no keys between KEY_MIN and KEY_MAX.
fill_settle() {
  [[ $KEYS == auto || $FILL == guide ]] || ! _fill_above FILL KEYS || KEYS=auto
  [[ $KEY_MAX != auto ]] || return 0
  if [[ $KEYS != auto ]] && _fill_above KEYS KEY_MAX; then
    KEY_MAX=auto
  elif [[ $KEYS == auto && $FILL != guide ]] && _fill_above FILL KEY_MAX; then
    KEY_MAX=auto
  else
    ((KEY_MIN <= KEY_MAX)) || conf_refuse KEY_MAX "less than KEY_MIN=$KEY_MIN; set KEY_MAX to at least KEY_MIN"
  fi
  [[ $KEYS != auto && $KEY_MAX != auto ]] || return 0
  if fill_apart; then
    ((KEY_MAX < KEYS)) || conf_refuse KEY_MAX "populate sets only the keys 0..$((KEYS - 1)) (KEYS=$KEYS); set a lower KEY_MAX, or more KEYS"
  else
    _fill_above KEY_MAX KEYS ||
      conf_refuse KEY_MAX "conflicts with KEYS=$KEYS; set one of them, or start PHASES with populate"
    KEYS=auto
  fi
}

# Whether a setting comes from a higher layer than another.
# Usage: _fill_above SETTING OTHER
_fill_above() {
  local layer REPLY
  conf_layer "$1"
  layer=$REPLY
  conf_layer "$2"
  ((layer > REPLY))
}

# Whether populate sets other keys than KEY_MIN to KEY_MAX, which the measured phases use.
# Usage: fill_apart
# Globals: KEYS KEY_MAX FILL PHASES
fill_apart() {
  [[ $KEY_MAX != auto && " $PHASES " == *" populate "* ]] && [[ $KEYS != auto || $FILL != guide ]]
}

# The keys per instance that settings name, or auto.
# Usage: fill_named
# Globals: KEYS KEY_MIN KEY_MAX
# Returns: sets REPLY
fill_named() {
  REPLY=$KEYS
  [[ $KEY_MAX == auto ]] || fill_apart || REPLY=$((KEY_MAX - KEY_MIN + 1))
}

# The source of a point's expected bytes: `asked` of Redis by a sample, or `estimated`.
# Usage: fill_source VALUE_BYTES
# Returns: sets REPLY
fill_source() {
  _fill_form "$1"
  if [[ -n ${_FILL_MODEL[$REPLY]+set} ]]; then REPLY=asked; else REPLY=estimated; fi
}

# The form of the keys with values of a size: VALUE_BYTES, with +ttl if they have a time to live, and with +cluster in a Redis Cluster. Both take
# memory for each key.
# Usage: _fill_form VALUE_BYTES
# Globals: EXPIRE CLUSTER COMMANDS
# Returns: sets REPLY
_fill_form() {
  REPLY=$1
  [[ $EXPIRE == off ]] || ! mix_expires || REPLY+=+ttl
  ! cluster_on || REPLY+=+cluster
}

# Print the distance between FILL and the nearest number of keys, if it is more than 1 %. A dict's table that doubles, or a value that is large
# compared with the target, makes some fill targets impossible.
# Usage: fill_gap TARGET BYTES
fill_gap() {
  awk -v target="$1" -v bytes="$2" 'BEGIN {
    off = 100 * (bytes / target - 1)
    if (off > 1 || off < -1) printf "%+.1f %%\n", off
  }'
}

# Print why the used_memory of the current row may be more than 1 % off FILL, lines FOUND FIX, tab-separated.
# Usage: fill_doubts
# Globals: ROW FILL
fill_doubts() {
  local gap REPLY
  [[ ${ROW[target_bytes]} != - ]] || return 0
  gap=$(fill_gap "${ROW[target_bytes]}" "${ROW[full_bytes]}")
  [[ -z $gap ]] || printf '%s for %s\tanother FILL: no number of keys comes nearer (docs/tiers.md)\n' "$gap" "${ROW[point]}"
  fill_moving_of "${ROW[value_size]}" "${ROW[instances]}" "${ROW[keys]}" || {
    fill_answer
    fill_moving_of "${ROW[value_size]}" "${ROW[instances]}" "${ROW[keys]}"
  }
  gap=$(fill_gap "${ROW[target_bytes]}" $((ROW[full_bytes] + REPLY)))
  [[ $REPLY == 0 || -z $gap ]] ||
    printf 'up to %s for %s after the keys are set, until requests have emptied an outgrown table\tanother FILL, or a phase of GETs before the one to compare\n' \
      "$gap" "${ROW[point]}"
  _fill_form "${ROW[value_size]}"
  [[ ${_FILL_MODEL[$REPLY]-} != *$'table\t0'* ]] ||
    printf 'unknown for %s: the tables of this server are neither those of Redis nor those of Valkey\tKEYS, and compare used_memory with the plan\n' "${ROW[point]}"
}

# Print the bytes that must stay free on a server of TOTAL bytes.
# Usage: fill_reserve TOTAL
# Globals: RESERVE
fill_reserve() {
  fill_reserve_of "$1"
  echo "$REPLY"
}

# As fill_reserve, without a subshell; sets REPLY.
# Usage: fill_reserve_of TOTAL
fill_reserve_of() {
  local tenth=$(($1 / 10)) most=$((8 << 30))
  if [[ $RESERVE != auto ]]; then
    conf_size "$RESERVE"
  else
    REPLY=$((tenth < most ? tenth : most))
  fi
}

# Measure the memory of keys with Redis, if FILL or a variant's tier depends on it: a scratch instance on the server gets samples of the
# keys and values that the run will set.
# Usage: fill_calibrate
# Globals: VALUE_SIZES VALUE_DISTRIBUTION COMMANDS DATA SEED; needs plan_settle, server_find_redis and the load generator
# Returns: 1 with the reason on stderr, or LOCK_TAKEN with LOCK_WHY; estimates are then used.
fill_calibrate() {
  local -a modes
  mapfile -t modes < <(_fill_modes)
  ((${#modes[@]} > 0)) || return 0
  # A key costs the same on every server.
  servers_at "${SERVERS[0]}" lock_during _fill_calibrate "${modes[@]}"
}

# Print the modes in which a number of this run depends on the cost of a key, as lines CLUSTER EXPIRE. Keys of a sample must not expire during it, so
# every time to live is the longest one.
_fill_modes() {
  local variant sweep
  for variant in $VARIANTS; do
    for sweep in "${POINT_SWEEPS[@]}"; do
      plan_enter "$variant" "$sweep"
      tier_limited || [[ $KEYS == auto && $KEY_MAX == auto && $FILL != guide ]] || continue
      printf '%s %s\n' "$CLUSTER" "${EXPIRE/#[0-9]*/999999999}"
    done
  done | sort -u
}

# Measure the memory of keys of each value size and mode, each mode with a scratch instance on the server in HOST.
# Usage: _fill_calibrate MODE...
#   MODE as _fill_modes prints it
# Returns: 1 with the reason on stderr.
_fill_calibrate() {
  local mode status=0
  for mode; do
    # Limits of memory and persistence do not matter here.
    plan_enter "${VARIANTS%% *}" '' CLUSTER="${mode% *}" EXPIRE="${mode#* }" REPLICAS=0 MAXMEMORY=off PERSISTENCE=off
    cleanup_push server_stop
    server_scratch && _fill_sizes || status=1
    cleanup_pop || status=1
    ((status == 0)) || break
  done
  plan_enter "${VARIANTS%% *}" ''
  _FILL_SAID=()
  return "$status"
}

# Measure the memory of keys of each value size with the scratch instance.
# Usage: _fill_sizes
# Returns: sets _FILL_MODEL; 1 with the reason on stderr.
_fill_sizes() {
  local size model
  [[ -n $_FILL_STEPS ]] || cluster_on || _FILL_STEPS=$(_fill_steps) || return
  # As in _fill_steps, the first sample does not count.
  ! cluster_on || _fill_used 10 0 75 set,get >/dev/null || return
  for size in $VALUE_SIZES; do
    size=$(conf_bytes "$size")
    _fill_form "$size"
    [[ -z ${_FILL_MODEL[$REPLY]+set} ]] || continue
    model=$(_fill_sample "$size" && cluster_backlog) || return
    _FILL_MODEL[$REPLY]=$model
  done
}

# Print the measured cost of keys: lines FORM and those of the model.
# Usage: fill_models
fill_models() {
  local form line
  for form in "${!_FILL_MODEL[@]}"; do
    while IFS= read -r line; do printf '%s\t%s\n' "$form" "$line"; done <<<"${_FILL_MODEL[$form]}"
  done
}

# Read lines of fill_models.
# Usage: fill_learn <LINES
fill_learn() {
  local form line
  while IFS=$'\t' read -r form line; do
    _FILL_MODEL[$form]=${_FILL_MODEL[$form]+${_FILL_MODEL[$form]}$'\n'}$line
  done
  _FILL_SAID=()
}

# Print the model of one value size.
_fill_sample() {
  local size=$1 form digits from keys room most used bytes=8 limit=75000 values prefix phases=set,get options=()
  [[ $VALUE_DISTRIBUTION == off ]] || options=(--sizes "$(sizes_sample)")
  ! sizes_own || phases=populate,get
  [[ $COMMANDS == off ]] || phases=populate,get options+=(--commands "$COMMANDS")
  [[ $EXPIRE == off ]] || options+=(--expire "$EXPIRE")
  _fill_form "$size"
  form=$REPLY
  # Sizes of a distribution must occur often enough for their mean to be exact.
  sizes_first
  [[ -z $REPLY ]] || bytes=256 limit=400000
  mix_fills
  read -r _ values <<<"$REPLY"
  ((values > 0)) || values=1
  load_prefix_of
  prefix=$REPLY
  local -a samples=("3 1")
  # 1.5 times the expected number of keys: longer names are not needed.
  most=$(($(fill_keys "$size" "$(_fill_fewest)") * 3 / 2))
  for ((digits = 4; digits <= ${#most} && digits <= 15; digits++)); do samples+=("$digits 1"); done
  # Repeat the largest sample with 1.5 times as many keys: two sizes give the constant part.
  for digits in "${samples[@]}" "${samples[-1]% *} 2"; do
    read -r digits room <<<"$digits"
    from=0
    ((digits == 3)) || from=$((10 ** (digits - 1)))
    keys=$(((bytes << 20) / ((size + prefix + 64) * values)))
    ((keys <= limit)) || keys=$limit
    ((keys <= 10 ** digits - from)) || keys=$((10 ** digits - from))
    ((keys >= 8)) || keys=8
    # The sum of many random sizes differs by more than the constant part; that of a few sizes does not.
    if ((room == 1)) || [[ $VALUE_DISTRIBUTION == off ]]; then keys=$((keys / room)); else keys=$((keys < 150 ? keys / 2 : 75)); fi
    # The guide's values repeat every 75 keys, and some of them are numbers, which Redis stores in fewer bytes.
    ((keys < 75)) || keys=$((keys / 75 * 75))
    used=$(_fill_used "$size" "$from" "$keys" "$phases" "${options[@]}") || return
    printf '%s\tsample\t%d\t%d\t%d\n' "$form" "$digits" "$keys" "$used"
  done | { cat && _fill_slots "$form"; } | DO=fit _fill_cost
}

# Print the samples on both sides of where a table of Redis, or one of Valkey, grows: at 8192 and at 7168 entries. The first commands of an instance
# take memory that stays, so the first sample does not count. Of Redis 6 to 8.0 the table is known.
# Usage: _fill_steps
_fill_steps() {
  local keys used info
  info=$(server_info) || return
  # Other servers report a version of Redis, too.
  if awk -F : '$1 == "redis_version" { known = $2 ~ /^([67]|8\.0)\./ }
    $1 ~ /^[a-z]+_version$/ && $1 != "redis_version" && $1 != "gcc_version" { other = 1 }
    END { exit other || !known }' <<<"$info"; then
    printf 'table\t1\n'
    return
  fi
  for keys in 75 6700 7700 8700; do
    used=$(_fill_used 10 100000 "$keys" set,get) || return
    ((keys > 75)) || continue
    printf 'step\t%d\t%d\n' "$keys" "$used"
  done
}

# Print the samples that show what a slot of a cluster takes when it has keys; without a cluster, those of the kind of table.
# Usage: _fill_slots FORM
_fill_slots() {
  local keys used options=()
  [[ $1 == *+cluster ]] || {
    printf '%s\n' "$1"$'\t'"${_FILL_STEPS//$'\n'/$'\n'"$1"$'\t'}"
    return
  }
  [[ $1 != *+ttl* ]] || options=(--expire "$EXPIRE")
  for keys in 8192 16384 32768 98304; do
    used=$(_fill_used 10 100000 "$keys" set,get "${options[@]}") || return
    printf '%s\tslots\t%d\t%d\n' "$1" "$keys" "$used"
  done
}

# Print the used_memory of the scratch instance with a sample of keys.
# Usage: _fill_used VALUE_BYTES FIRST KEYS PHASES [OPTION]...
#   PHASES and OPTION of the load generator
_fill_used() {
  local size=$1 from=$2 keys=$3 out=$_REMOTE_TMP/sample used='' last info try REPLY
  rm -rf -- "$out"
  mkdir -- "$out"
  # The GETs make Redis empty an outgrown table: it does one step per request.
  local -a user=(--passwords "${@:5}")
  [[ $KEY_PREFIX == off ]] || user+=(--key-prefix "$KEY_PREFIX")
  mapfile -t -O "${#user[@]}" user < <(POINT_INSTANCES=1 cluster_options "$REDISBASE" 1)
  [[ -z $LOAD_USER ]] || user+=(--user "$LOAD_USER")
  [[ -z $SERVER_CERTIFICATE ]] || printf '%s\n' "$SERVER_CERTIFICATE" >"$out/tls.crt"
  mapfile -t -O "${#user[@]}" user < <(tls_options "$out/tls.crt")
  hosts_data "$HOST"
  REDISCLI_AUTH=$(server_load_passwords "$REDISBASE" 1) OMP_NUM_THREADS=1 "$(tls_program)" "${user[@]}" --phases "$4" --pipeline 64 --data "$DATA" --seed "$SEED" \
    --key-min "$from" --key-max $((from + keys - 1)) --out "$out" --timeout 30 \
    "$REPLY" "$REDISBASE" "$size" >"$out/log" 2>&1 </dev/null || {
    printf 'the sample of keys of %d B cannot be set: %s\n' "$size" "$(tail -n 1 "$out/log")" >&2
    return 1
  }
  # The generator's connection closes a little later.
  for ((try = 0; try < 50; try++)); do
    last=$used
    info=$(server_info) || return
    used=$(sed -n 's/^used_memory://p' <<<"$info")
    [[ $used =~ ^[1-9][0-9]{0,17}$ ]] || used=
    # Since Redis 8, a GET does no step for the dict of times to live, and the memory changes only at the end of all steps.
    [[ -z $used || $used != "$last" || $info == *mem_overhead_db_hashtable_rehashing:[1-9]* ]] || break
    sleep 0.12 # longer than the interval of Redis' housekeeping
  done
  [[ -n $used ]] || {
    printf '%s: invalid reply to INFO: used_memory is not a number\n' "$HOST" >&2
    return 1
  }
  printf '%s\n' "$used"
}

# The smallest number of instances of the sweep has the most keys per instance.
_fill_fewest() {
  sort -n <<<"${INSTANCES// /$'\n'}" | sed -n 1p
}

# Look up the answer of lib/plan/keycost.awk to a question.
# Usage: _fill_ask keys|bytes VALUE_BYTES NUMBER INSTANCES
# Returns: sets REPLY; 1 when it has not been answered yet, and is noted for fill_answer.
_fill_ask() {
  local key
  _fill_form "$2"
  key="$1 $REPLY $3"
  # The shards of a cluster share its slots.
  ! cluster_on || key+=" $((16384 / $4)) $REPLICAS"
  REPLY=${_FILL_SAID[$key]-}
  [[ -z $REPLY ]] || return 0
  _FILL_ASKED[$key]=1
  return 1
}

# Let one process answer all recorded questions.
# Usage: fill_answer
fill_answer() {
  local key answer
  local -a questions=("${!_FILL_ASKED[@]}")
  ((${#questions[@]} > 0)) || return 0
  while IFS=$'\t' read -r key answer; do
    _FILL_SAID[$key]=$answer
  done < <({ fill_models && printf 'ask\t%s\n' "${questions[@]}"; } | _fill_cost)
  _FILL_ASKED=()
}

# Run lib/plan/keycost.awk for the kinds of keys that populate makes; it replaces the subshell of its pipeline.
# Usage: _fill_cost <LINES
_fill_cost() {
  load_prefix_of
  local prefix=$REPLY
  mix_fills
  KINDS=${REPLY% *} VALUES=${REPLY#* } PREFIX=$prefix LC_ALL=C exec awk -f "$LIB/plan/keycost.awk"
}
