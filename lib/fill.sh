# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How many keys fill the memory that is asked for, and whether they fit.

# By value size in bytes: what keys cost, in the lines that lib/keycost.awk reads.
declare -A _FILL_MODEL=()

# Keys an instance by the formula of the 2018 guide: 8 GB kept back, 90 % of the rest, a key taken as 110 % of its value,
# rounded down to 10,000 keys, divided by the instances. All integer arithmetic, in this order.
# Usage: fill_guide MEM_GIB VALUE_BYTES INSTANCES
fill_guide() {
  local mem=$1 size=$2 instances=$3 keys
  keys=$(((mem - 8) * (1 << 30) * 90 / 110 / size))
  keys=$((keys / 10000 * 10000))
  echo $((keys / instances))
}

# Print the keys an instance for a point.
# Usage: fill_keys VALUE_BYTES INSTANCES
# Globals: KEYS KEY_MIN KEY_MAX FILL SERVER_MEM SERVER_BYTES RESERVE
# Returns: exits 2 when no key fits.
fill_keys() {
  local size=$1 instances=$2 keys target
  keys=$(fill_named)
  if [[ $keys == auto && $FILL == guide ]]; then
    keys=$(fill_guide "$SERVER_MEM" "$size" "$instances")
    ((keys > 0)) ||
      conf_refuse FILL "the guide's formula leaves no key of $size B for $instances instances in $SERVER_MEM GiB; set KEYS"
  elif [[ $keys == auto ]]; then
    target=$(fill_target)
    keys=$(_fill_awk keys "$size" TARGET=$((target / instances)))
    ((keys > 0)) || conf_refuse FILL "that is less than one key of $size B in each of $instances instances takes"
  fi
  echo "$keys"
}

# Print the used_memory, in bytes over all instances, that FILL asks for; nothing when it names none.
# A share is of what may be used: all of the server's memory but what must stay free.
# Usage: fill_target
# Globals: KEYS KEY_MAX FILL SERVER_BYTES
fill_target() {
  [[ $(fill_named) == auto && $FILL != guide ]] || return 0
  case $FILL in
    *%) echo $(((SERVER_BYTES - $(fill_reserve "$SERVER_BYTES")) * ${FILL%\%} / 100)) ;;
    *) conf_bytes "$FILL" ;;
  esac
}

# Print the bytes, as Redis' used_memory counts them, that a fill is expected to take over all instances.
# Usage: fill_bytes VALUE_BYTES INSTANCES KEYS
# Globals: as fill_set and _fill_all
fill_bytes() {
  _fill_all "$1" "$2" "$(fill_set "$2" "$3")"
}

# Print the bytes of the same fill by the rule of thumb of the Redis-Memtier workload: 1.5 x (value + 32) x keys.
# Usage: fill_rule VALUE_BYTES INSTANCES KEYS
fill_rule() {
  echo $((3 * ($1 + 32) * $(fill_set "$2" "$3") * $2 / 2))
}

# Print how many of its keys an instance holds once all phases have run: all of them, unless no phase makes enough SETs.
# Usage: fill_set INSTANCES KEYS
# Globals: PHASES TIME RATIO, and as plan_clients and plan_requests
fill_set() {
  local instances=$1 keys=$2 phase count requests sets gets each=0 held=0
  while read -r _ _ count; do
    requests=$(plan_requests "$count")
    ((each * count >= requests)) || each=$(((requests + count - 1) / count))
  done < <(plan_clients "$instances")
  # As long as TIME lasts, or one a key.
  ((each > 0)) || each=$keys
  for phase in $PHASES; do
    case $phase in
      populate) held=$keys ;;
      set) held=$((held + each)) ;;
      mixed)
        sets=${RATIO%:*} gets=${RATIO#*:}
        ((sets == 0)) || if [[ $TIME == 0 ]]; then held=$((held + (each * sets - 1) / (sets + gets) + 1)); else held=$keys; fi
        ;;
    esac
  done
  echo $((held < keys ? held : keys))
}

# Of KEYS and KEY_MAX, which say how many keys in two ways, keep the one that overrides the other, when settings were resolved.
# Usage: fill_settle
# Globals: KEYS KEY_MIN KEY_MAX
# Returns: exits 2 when both stand in one place, or when there are no keys between KEY_MIN and KEY_MAX.
fill_settle() {
  if [[ $KEYS != auto && $KEY_MAX != auto ]]; then
    (($(conf_layer KEYS) != $(conf_layer KEY_MAX))) || conf_refuse KEY_MAX "KEYS=$KEYS says how many there are already"
    if (($(conf_layer KEYS) > $(conf_layer KEY_MAX))); then KEY_MAX=auto; else KEYS=auto; fi
  fi
  [[ $KEY_MAX == auto ]] || ((KEY_MIN <= KEY_MAX)) || conf_refuse KEY_MAX "is below KEY_MIN=$KEY_MIN"
}

# Print the keys an instance that settings name, or auto.
# Usage: fill_named
# Globals: KEYS KEY_MIN KEY_MAX
fill_named() {
  if [[ $KEY_MAX == auto ]]; then echo "$KEYS"; else echo $((KEY_MAX - KEY_MIN + 1)); fi
}

# Print what the fill of a repeat is to be, rows NAME VALUE: keys an instance, how many bytes they are expected to take over all
# instances and how that is known, and how many bytes FILL asks for, when it names them.
# Usage: fill_plan VALUE_BYTES INSTANCES KEYS
fill_plan() {
  local target
  target=$(fill_target)
  printf 'keys\t%s\nexpected_bytes\t%s\nknown\t%s\n' "$3" "$(fill_bytes "$1" "$2" "$3")" "$(fill_source "$1")"
  [[ -z $target ]] || printf 'target_bytes\t%s\n' "$target"
}

# Say how a point's expected bytes are known: `asked` of Redis by a sample, or `estimated`.
# Usage: fill_source VALUE_BYTES
fill_source() {
  if [[ -v "_FILL_MODEL[$1]" ]]; then echo asked; else echo estimated; fi
}

# Print how far from FILL the nearest number of keys is, when that is more than 1 %: a dict's table that doubles, or a
# value that is large beside the target, leaves gaps that no number of keys falls into.
# Usage: fill_gap VALUE_BYTES INSTANCES KEYS
fill_gap() {
  local target bytes
  target=$(fill_target)
  [[ -n $target ]] || return 0
  bytes=$(_fill_all "$1" "$2" "$3")
  awk -v target="$target" -v bytes="$bytes" 'BEGIN {
    off = 100 * (bytes / target - 1)
    if (off > 1 || off < -1) printf "%+.1f %%\n", off
  }'
}

# Print the bytes that must stay free on a server of TOTAL bytes.
# Usage: fill_reserve TOTAL
# Globals: RESERVE
fill_reserve() {
  local tenth=$(($1 / 10)) most=$((8 << 30))
  if [[ $RESERVE != auto ]]; then
    conf_bytes "$RESERVE"
  else
    echo $((tenth < most ? tenth : most))
  fi
}

# Ask Redis itself what keys cost, when FILL or a variant's tier depends on it: a scratch instance on the server gets
# samples of the very keys and values that the run will set.
# Usage: fill_calibrate
# Globals: VALUE_SIZES DATA SEED; RUN with fill.tsv in it when a run goes on; needs server_find_redis and the load generator
# Returns: 1 with the reason on stderr; estimates then stand in.
fill_calibrate() {
  local size model status=0
  _fill_wanted || return 0
  if [[ -n ${RESUME-} && -e $RESUME/fill.tsv ]]; then
    _fill_read "$RESUME/fill.tsv"
    return
  fi
  cleanup_push server_stop
  # What it may keep, and what it writes to disk, is not what is asked.
  MAXMEMORY=off PERSISTENCE=off server_start 1 "$REDISBASE"$'\t-\t-' || status=1
  for size in $VALUE_SIZES; do
    ((status == 0)) || break
    size=$(conf_bytes "$size")
    [[ ! -v "_FILL_MODEL[$size]" ]] || continue
    if model=$(_fill_sample "$size"); then _FILL_MODEL[$size]=$model; else status=1; fi
  done
  cleanup_pop || status=1
  return "$status"
}

# Keep what keys cost with a run, so that going on with it sets the same number of them.
# Usage: fill_write FILE
fill_write() {
  local size line
  for size in "${!_FILL_MODEL[@]}"; do
    while IFS= read -r line; do printf '%s\t%s\n' "$size" "$line"; done <<<"${_FILL_MODEL[$size]}"
  done >"$1"
}

_fill_read() {
  local size line
  while IFS=$'\t' read -r size line; do
    _FILL_MODEL[$size]=${_FILL_MODEL[$size]+${_FILL_MODEL[$size]}$'\n'}$line
  done <"$1"
}

# Whether some number of this run hangs on what a key costs.
_fill_wanted() {
  local variant
  [[ $KEY_MAX == auto ]] || return 0
  [[ $KEYS != auto || $FILL == guide ]] || return 0
  for variant in $VARIANTS; do
    ! (variant_use "$variant" && tier_limited) || return 0
  done
  return 1
}

# Print the model of one value size.
_fill_sample() {
  local size=$1 digits from keys room most used
  local -a samples=("3 1")
  # Half as many keys again as seem to be coming: a name longer than any that comes need not be asked about.
  most=$(($(fill_keys "$size" "$(_fill_fewest)") * 3 / 2))
  for ((digits = 4; digits <= ${#most} && digits <= 15; digits++)); do samples+=("$digits 1"); done
  # The largest sample once more by half: two sizes tell what is there without any key.
  for digits in "${samples[@]}" "${samples[-1]% *} 2"; do
    read -r digits room <<<"$digits"
    from=0
    ((digits == 3)) || from=$((10 ** (digits - 1)))
    keys=$(((8 << 20) / (size + 64)))
    ((keys <= 75000)) || keys=75000
    ((keys <= 10 ** digits - from)) || keys=$((10 ** digits - from))
    ((keys >= 8)) || keys=8
    keys=$((keys / room))
    # The guide's values come round every 75 keys, and some of them are numbers, which Redis keeps in less.
    ((keys < 75)) || keys=$((keys / 75 * 75))
    used=$(_fill_used "$size" "$from" "$keys") || return
    printf 'sample\t%d\t%d\t%d\n' "$digits" "$keys" "$used"
  done | DO=fit LC_ALL=C awk -f "$LIB/keycost.awk"
}

# Print the used_memory of the scratch instance with a sample of keys in it.
_fill_used() {
  local size=$1 from=$2 keys=$3 out=$_REMOTE_TMP/sample used='' last try
  rm -rf -- "$out"
  mkdir -- "$out"
  # The GETs are for Redis: a table that was outgrown is emptied a step a request.
  REDISCLI_AUTH=$REDIS_PASSWORD OMP_NUM_THREADS=1 "$ROOT/test" --phases set,get --pipeline 64 --data "$DATA" --seed "$SEED" \
    --key-min "$from" --key-max $((from + keys - 1)) --out "$out" --timeout 30 \
    "$(host_data "$SERVER")" "$REDISBASE" "$size" >"$out/log" 2>&1 </dev/null || {
    printf 'the sample of keys of %d B cannot be set: %s\n' "$size" "$(tail -n 1 "$out/log")" >&2
    return 1
  }
  # The generator's connection goes a little later.
  for ((try = 0; try < 50; try++)); do
    last=$used
    used=$(server_info | sed -n 's/^used_memory://p')
    [[ -z $used || $used != "$last" ]] || break
    sleep 0.12 # longer than the interval at which Redis tidies up
  done
  printf '%s\n' "$used"
}

# The fewest instances of the sweep have the most keys each.
_fill_fewest() {
  sort -n <<<"${INSTANCES// /$'\n'}" | head -n 1
}

# Print the bytes of so many keys in each instance, over all of them.
# Usage: _fill_all VALUE_BYTES INSTANCES KEYS
# Globals: MAXMEMORY
_fill_all() {
  local each
  each=$(_fill_awk bytes "$1" KEYS="$3")
  [[ $MAXMEMORY == off ]] || (($(conf_bytes "$MAXMEMORY") > each)) || each=$(conf_bytes "$MAXMEMORY")
  echo $((each * $2))
}

# Run lib/keycost.awk on the model of a value size.
# Usage: _fill_awk DO VALUE_BYTES [NAME=VALUE]
_fill_awk() {
  local model
  model=${_FILL_MODEL[$2]-$(DO=estimate SIZE=$2 LC_ALL=C awk -f "$LIB/keycost.awk" </dev/null)}
  env DO="$1" "${@:3}" LC_ALL=C awk -f "$LIB/keycost.awk" <<<"$model"
}
