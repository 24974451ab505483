# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The memory of keys, measured with a scratch instance on the server.

# The samples that show the kind of the server's table, lines for lib/run/keycost.awk without the form; empty: not yet measured.
_KEYCOST_STEPS=

# Learn the memory of keys, if FILL or a variant's tier depends on it: from the row of the server in conf/keycost.tsv. Where that lacks it, a scratch
# instance on the server gets samples of the keys and values that the run will set. It makes the plan again at its end.
# Usage: keycost_measure
# Globals: VALUE_SIZES VALUE_DISTRIBUTION COMMANDS DATA SEED; needs plan_make, server_find_redis and the load generator
# Returns: sets FILL_REDIS; 1 with the reason on stderr, or LOCK_TAKEN with LOCK_WHY; estimates are then used.
keycost_measure() {
  local status=0
  local -a modes
  mapfile -t modes < <(_keycost_modes)
  ((${#modes[@]} > 0)) || return 0
  # A key costs the same on every server.
  servers_at "${SERVERS[0]}" _keycost_learn || return
  [[ -z $FILL_REDIS ]] || plan_make
  mapfile -t modes < <(_keycost_modes)
  ((${#modes[@]} > 0)) || return 0
  servers_at "${SERVERS[0]}" lock_during _keycost_measure "${modes[@]}" || status=$?
  plan_make
  return "$status"
}

# Find the row of conf/keycost.tsv for redis-server on the server in HOST.
# Globals: REDIS_BINARY
# Returns: sets FILL_REDIS
_keycost_learn() {
  local found
  found=$(call_run "$HOST" redis kind) || return
  fill_use "$found"
}

# The form of the keys with values of a size: VALUE_BYTES, with +ttl if they have a time to live, and with +cluster in a Redis Cluster. Both take
# memory for each key.
# Usage: _keycost_form VALUE_BYTES
# Globals: EXPIRE CLUSTER COMMANDS
# Returns: sets REPLY
_keycost_form() {
  REPLY=$1
  [[ $EXPIRE == off ]] || ! mix_expires || REPLY+=+ttl
  ! cluster_on || REPLY+=+cluster
}

# Print the modes in which a number of the plan is estimated from the cost of a key, as lines CLUSTER EXPIRE. Keys of a sample must not expire during it,
# so every time to live is the longest one.
_keycost_modes() {
  local row
  for row in "${PLAN_ROWS[@]}"; do
    plan_row "$row"
    [[ ${ROW[known]} == estimated ]] || continue
    [[ ${ROW[limit_bytes]} != - ]] || [[ $KEYS == auto && $KEY_MAX == auto && $FILL != guide ]] || continue
    if [[ $EXPIRE == off ]]; then printf '%s off\n' "$CLUSTER"; else printf '%s 999999999\n' "$CLUSTER"; fi
  done | sort -u
}

# Measure the memory of keys of each value size and mode, each mode with a scratch instance on the server in HOST.
# Usage: _keycost_measure MODE...
#   MODE as _keycost_modes prints it
# Returns: 1 with the reason on stderr.
_keycost_measure() {
  local mode status=0
  for mode; do
    # Limits of memory and persistence do not matter here.
    plan_enter "${VARIANTS%% *}" '' CLUSTER="${mode% *}" EXPIRE="${mode#* }" REPLICAS=0 REDIS_CONF.maxmemory=default PERSISTENCE=off
    cleanup_push server_stop
    server_scratch && _keycost_sizes || status=1
    cleanup_pop || status=1
    ((status == 0)) || break
  done
  plan_enter "${VARIANTS%% *}" ''
  return "$status"
}

# Measure the memory of keys of each value size with the scratch instance.
# Usage: _keycost_sizes
# Returns: sets FILL_MODEL; 1 with the reason on stderr.
_keycost_sizes() {
  local size form model
  [[ -n $_KEYCOST_STEPS ]] || cluster_on || _KEYCOST_STEPS=$(_keycost_steps) || return
  # As in _keycost_steps, the first sample does not count.
  ! cluster_on || _keycost_used 10 0 75 set,get >/dev/null || return
  for size in $VALUE_SIZES; do
    conf_size "$size" && size=$REPLY
    _keycost_form "$size"
    form=$REPLY
    [[ -z ${FILL_MODEL[$form]+set} ]] || continue
    model=$(_keycost_sample "$size" && _keycost_backlog) || return
    fill_learn <<<"$form"$'\t'"${model//$'\n'/$'\n'"$form"$'\t'}"
  done
}

# Print the model of one value size.
_keycost_sample() {
  local size=$1 form digits from keys room most used bytes=8 limit=75000 values prefix phases=set,get options=()
  [[ $VALUE_DISTRIBUTION == off ]] || options=(--sizes "$(value_sizes_sample)")
  ! value_sizes_own || phases=populate,get
  [[ $COMMANDS == off ]] || phases=populate,get options+=(--commands "$COMMANDS")
  [[ $EXPIRE == off ]] || options+=(--expire "$EXPIRE")
  _keycost_form "$size"
  form=$REPLY
  # Sizes of a distribution must occur often enough for their mean to be exact.
  value_sizes_first
  [[ -z $REPLY ]] || bytes=256 limit=400000
  mix_fills
  read -r _ values <<<"$REPLY"
  ((values > 0)) || values=1
  load_prefix_of
  prefix=$REPLY
  local -a samples=("3 1")
  # 1.5 times the expected number of keys: longer names are not needed.
  most=$(($(_keycost_most "$size") * 3 / 2))
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
    used=$(_keycost_used "$size" "$from" "$keys" "$phases" "${options[@]}") || return
    printf '%s\tsample\t%d\t%d\t%d\n' "$form" "$digits" "$keys" "$used"
  done | { cat && _keycost_slots "$form"; } | _keycost_fit
}

# Print the samples on both sides of where a table of Redis, or one of Valkey, grows: at 8192 and at 7168 entries. The first commands of an instance
# take memory that stays, so the first sample does not count. Of Redis 6 to 8.0 the table is known.
# Usage: _keycost_steps
_keycost_steps() {
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
    used=$(_keycost_used 10 100000 "$keys" set,get) || return
    ((keys > 75)) || continue
    printf 'step\t%d\t%d\n' "$keys" "$used"
  done
}

# Print the samples that show what a slot of a cluster takes when it has keys; without a cluster, those of the kind of table.
# Usage: _keycost_slots FORM
_keycost_slots() {
  local keys used options=()
  [[ $1 == *+cluster ]] || {
    printf '%s\n' "$1"$'\t'"${_KEYCOST_STEPS//$'\n'/$'\n'"$1"$'\t'}"
    return
  }
  [[ $1 != *+ttl* ]] || options=(--expire "$EXPIRE")
  for keys in 8192 16384 32768 98304; do
    used=$(_keycost_used 10 100000 "$keys" set,get "${options[@]}") || return
    printf '%s\tslots\t%d\t%d\n' "$1" "$keys" "$used"
  done
}

# Print the most keys of a value size that an instance has in the plan.
# Usage: _keycost_most VALUE_BYTES
_keycost_most() {
  plan_print | awk -F '\t' -v size="$1" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["value_size"] == size && $at["keys"] + 0 > most + 0 { most = $at["keys"] }
    END { printf "%.0f\n", most }'
}

# Print the used_memory of the scratch instance with a sample of keys.
# Usage: _keycost_used VALUE_BYTES FIRST KEYS PHASES [OPTION]...
#   PHASES and OPTION of the load generator
_keycost_used() {
  local size=$1 from=$2 keys=$3 out=$_REMOTE_TMP/sample used='' program last info try REPLY
  rm -rf -- "$out"
  mkdir -- "$out"
  # The GETs make Redis empty an outgrown table: it does one step per request.
  local -a user=(--passwords "${@:5}")
  [[ $KEY_PREFIX == off ]] || user+=(--key-prefix "$KEY_PREFIX")
  mapfile -t -O "${#user[@]}" user < <(POINT_INSTANCES=1 cluster_options "$REDISBASE" 1)
  [[ -z $LOAD_USER ]] || user+=(--user "$LOAD_USER")
  [[ -z $SERVER_CERTIFICATE ]] || printf '%s\n' "$SERVER_CERTIFICATE" >"$_REMOTE_TMP/sample.crt"
  mapfile -t -O "${#user[@]}" user < <(tls_options "$_REMOTE_TMP/sample.crt")
  tls_program
  program=$REPLY
  hosts_data "$HOST"
  REDISCLI_AUTH=$(server_load_passwords "$REDISBASE" 1) OMP_NUM_THREADS=1 "$program" "${user[@]}" --phases "$4" --pipeline 64 --data "$DATA" --seed "${SEED%/client}" \
    --key-min "$from" --key-max $((from + keys - 1)) --out "$out" --timeout 30 \
    "$REPLY" "$REDISBASE" "$size" >"$_REMOTE_TMP/sample.log" 2>&1 </dev/null || {
    printf 'the sample of keys of %d B cannot be set: %s\n' "$size" "$(tail -n 1 "$_REMOTE_TMP/sample.log")" >&2
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

# Print the model that samples show; awk replaces the subshell of its pipeline.
# Usage: _keycost_fit <LINES
_keycost_fit() {
  local prefix REPLY
  load_prefix_of
  prefix=$REPLY
  mix_fills
  KINDS=${REPLY% *} VALUES=${REPLY#* } PREFIX=$prefix LC_ALL=C exec awk -f "$LIB/plan/keycost.awk" -f "$LIB/run/keycost.awk"
}

# Print how much of its writes the scratch instance would keep for replicas, a line for lib/plan/keycost.awk; nothing without a cluster. Since
# Redis 7 its memory grows with the writes.
# Usage: _keycost_backlog
_keycost_backlog() {
  cluster_on || return 0
  server_info | awk -F : '
    $1 == "repl_backlog_size" { size = $2 + 0 }
    $1 == "mem_total_replication_buffers" { grows = 1 }
    END { if (size) printf "%s\t%.0f\n", grows ? "backlog" : "ring", size }'
}
