# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# DAMON, the kernel's access monitor, through sysfs: one kdamond monitors the slow nodes, and with `migrate` a second kdamond the fast nodes.
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Intervals in us: a page counts once per sample, and schemes act once per aggregation. Shorter samples miss most accesses of Redis. With ten or more
# samples per aggregation, DAMON merges regions whose counts differ by a tenth of the samples and rounds the mean down, so rare accesses are lost.
DAMON_SAMPLE=100000
DAMON_AGGREGATION=900000
DAMON_SAMPLES=$((DAMON_AGGREGATION / DAMON_SAMPLE))
# update_us has no effect on physical memory, so it stores the number of the settings, which identifies our kdamonds: this value plus 1 to 9,999,999.
DAMON_MARK=60000000
DAMON_MAX=4294967295
DAMON_ROOT=${TIERBENCH_ROOT-}/sys/kernel/mm/damon/admin/kdamonds
TUNE_PARTS+=(damon)

# Parse the requested configuration: `monitor FAR FAST` or `migrate FAR FAST HOT COLD QUOTA`.
# Usage: host_damon_targets TARGET TEXT
#   FAR and FAST are lists of nodes, HOT the accesses of DAMON_SAMPLES, COLD the seconds without an access, QUOTA MB/s (0: no limit)
# Returns: as host_tune_targets, with the value of host_damon_read in this configuration in WANTED; sets DAMON_MODE, DAMON_FAR, DAMON_FAST, DAMON_HOT,
#   DAMON_COLD, DAMON_QUOTA and DAMON_NAME
host_damon_targets() {
  local sum
  read -r DAMON_MODE DAMON_FAR DAMON_FAST DAMON_HOT DAMON_COLD DAMON_QUOTA <<<"$2"
  sum=$(sha256sum <<<"$2")
  DAMON_NAME=$DAMON_MODE-$((16#${sum:0:8} % 9999999 + 1))
  TARGET=("$1") WANTED=("$DAMON_NAME") WHY=
  if [[ ! -d $DAMON_ROOT ]]; then
    WHY="the kernel has no DAMON (Linux 5.18 or newer with CONFIG_DAMON_SYSFS and CONFIG_DAMON_PADDR)"
  elif [[ $DAMON_FAR == - || $DAMON_FAST == - ]]; then
    WHY="requires both slow and fast nodes"
  elif ! host_damon_read; then
    return 1
  elif [[ $VALUE == other ]]; then
    _host_damon_get "$DAMON_ROOT/nr_kdamonds"
    WHY="another program uses DAMON ($REPLY kdamond(s) in $DAMON_ROOT)"
  fi
  [[ -z $WHY ]]
}

# Read the state of DAMON.
# Usage: host_damon_read
# Returns: sets VALUE: off; MODE-NUMBER if our kdamonds run; other. 1 with WHY if it cannot be read.
host_damon_read() {
  local n i mark='' each REPLY
  _host_damon_get "$DAMON_ROOT/nr_kdamonds"
  n=$REPLY
  WHY="cannot be read"
  [[ $n =~ ^[0-9]+$ ]] || return 1
  VALUE=other WHY=
  for ((i = 0; i < n; i++)); do
    _host_damon_get "$DAMON_ROOT/$i/contexts/0/monitoring_attrs/intervals/update_us"
    each=$REPLY
    _host_damon_get "$DAMON_ROOT/$i/state"
    [[ $each =~ ^[0-9]{8}$ ]] && ((each > DAMON_MARK)) && [[ ${mark:-$each} == "$each" && $REPLY != off ]] || return 0
    mark=$each
  done
  case $n in
    0) VALUE=off ;;
    1) VALUE=monitor-$((mark - DAMON_MARK)) ;;
    2) VALUE=migrate-$((mark - DAMON_MARK)) ;;
  esac
}

# Whether every kdamond has one of our numbers, or is off and empty, as after a process of a run that was killed during setup.
host_damon_unfinished() {
  local n i at file REPLY
  _host_damon_get "$DAMON_ROOT/nr_kdamonds"
  n=$REPLY
  [[ $n =~ ^[12]$ ]] || return 1
  for ((i = 0; i < n; i++)); do
    at=$DAMON_ROOT/$i/contexts/0
    _host_damon_get "$at/monitoring_attrs/intervals/update_us"
    [[ ! $REPLY =~ ^[0-9]{8}$ ]] || ((REPLY <= DAMON_MARK)) || continue
    _host_damon_get "$DAMON_ROOT/$i/state"
    [[ $REPLY == off ]] || return 1
    for file in schemes/nr_schemes targets/nr_targets; do
      _host_damon_get "$at/$file"
      [[ $REPLY =~ ^0?$ ]] || return 1
    done
  done
}

# Bring DAMON to a value of host_damon_read: `off`, or DAMON_NAME of host_damon_targets.
# Usage: host_damon_write TARGET VALUE
# Returns: 1 with WHY; a new setup that fails is removed, kdamonds of another program are left alone
host_damon_write() {
  local VALUE
  if [[ $2 == off ]]; then
    _host_damon_off
    return
  fi
  # Another program may have started a kdamond since the plan.
  host_damon_read || return
  if [[ $VALUE == other ]]; then
    WHY="another program uses DAMON"
    return 1
  fi
  if _host_damon_set "$DAMON_ROOT/nr_kdamonds" "$([[ $DAMON_MODE == migrate ]] && echo 2 || echo 1)" && _host_damon_far && { [[ $DAMON_MODE != migrate ]] || _host_damon_fast; } && _host_damon_on; then
    return 0
  fi
  local why=$WHY
  # It may also have started one between two of the writes; the kernel then refuses the next one.
  ! host_damon_unfinished || _host_damon_off || :
  WHY=$why
  return 1
}

# The kdamond of the slow nodes: schemes that only count, one for each number of accesses; with `migrate` also a scheme that promotes.
_host_damon_far() {
  local i schemes=$((DAMON_SAMPLES + 1))
  [[ $DAMON_MODE != migrate ]] || schemes=$((schemes + 1))
  _host_damon_context 0 "$DAMON_FAR" "$schemes" || return
  # The counting schemes come first, because promoted pages were accessed on the slow node.
  for ((i = 0; i <= DAMON_SAMPLES; i++)); do
    _host_damon_scheme 0 "$i" stat "$i" "$((i < DAMON_SAMPLES ? i : DAMON_MAX))" 0 || return
  done
  [[ $DAMON_MODE != migrate ]] || _host_damon_scheme 0 "$i" migrate_hot "$DAMON_HOT" "$DAMON_MAX" 0 "${DAMON_FAST%%,*}"
}

# The kdamond of the fast nodes, which demotes.
_host_damon_fast() {
  _host_damon_context 1 "$DAMON_FAST" 1 &&
    _host_damon_scheme 1 0 migrate_cold 0 0 $(((DAMON_COLD * 1000000 + DAMON_AGGREGATION - 1) / DAMON_AGGREGATION)) "${DAMON_FAR%%,*}"
}

# Configure what a kdamond monitors, and the number of its schemes.
# Usage: _host_damon_context KDAMOND NODES SCHEMES
_host_damon_context() {
  local at regions start end i=0
  at=$DAMON_ROOT/$1/contexts
  regions=$(host_damon_regions "$2")
  if [[ -z $regions ]]; then
    WHY="the memory blocks of the nodes $2 are unknown (/sys/devices/system/memory)"
    return 1
  fi
  # The number comes first, because it identifies the owner.
  _host_damon_set "$at/nr_contexts" 1 &&
    _host_damon_set "$at/0/monitoring_attrs/intervals/update_us" $((DAMON_MARK + ${DAMON_NAME##*-})) &&
    _host_damon_set "$at/0/operations" paddr &&
    _host_damon_set "$at/0/monitoring_attrs/intervals/sample_us" "$DAMON_SAMPLE" &&
    _host_damon_set "$at/0/monitoring_attrs/intervals/aggr_us" "$DAMON_AGGREGATION" &&
    _host_damon_set "$at/0/monitoring_attrs/nr_regions/min" 200 &&
    _host_damon_set "$at/0/monitoring_attrs/nr_regions/max" 1000 &&
    _host_damon_set "$at/0/targets/nr_targets" 1 &&
    _host_damon_set "$at/0/targets/0/regions/nr_regions" "$(wc -l <<<"$regions")" || return
  while read -r start end; do
    _host_damon_set "$at/0/targets/0/regions/$i/start" "$start" && _host_damon_set "$at/0/targets/0/regions/$i/end" "$end" || return
    i=$((i + 1))
  done <<<"$regions"
  _host_damon_set "$at/0/schemes/nr_schemes" "$3"
}

# Configure a scheme of a kdamond: its action, and the accesses and age of the pages that it applies to.
# Usage: _host_damon_scheme KDAMOND NUMBER ACTION MIN_ACCESSES MAX_ACCESSES MIN_AGGREGATIONS [TO_NODE]
_host_damon_scheme() {
  local at
  at=$DAMON_ROOT/$1/contexts/0/schemes/$2
  _host_damon_set "$at/action" "$3" || {
    [[ $3 == stat ]] || WHY="DAMON has no action $3 (Linux 6.11 or newer)"
    return 1
  }
  _host_damon_set "$at/access_pattern/sz/min" 0 && _host_damon_set "$at/access_pattern/sz/max" 18446744073709551615 &&
    _host_damon_set "$at/access_pattern/nr_accesses/min" "$4" && _host_damon_set "$at/access_pattern/nr_accesses/max" "$5" &&
    _host_damon_set "$at/access_pattern/age/min" "$6" && _host_damon_set "$at/access_pattern/age/max" "$DAMON_MAX" || return
  [[ -n ${7-} ]] || return 0
  # With a quota, the regions with the most accesses (or the longest idle time) go first.
  _host_damon_set "$at/target_nid" "$7" && _host_damon_set "$at/quotas/bytes" $((DAMON_QUOTA * 1000000)) && _host_damon_set "$at/quotas/reset_interval_ms" 1000 &&
    _host_damon_set "$at/quotas/weights/nr_accesses_permil" 500 && _host_damon_set "$at/quotas/weights/age_permil" 500
}

# Start every kdamond.
# Usage: _host_damon_on
# Returns: 1 with WHY if the kernel refuses
_host_damon_on() {
  local i n REPLY
  _host_damon_count "$DAMON_ROOT/nr_kdamonds"
  n=$REPLY
  for ((i = 0; i < n; i++)); do
    _host_damon_set "$DAMON_ROOT/$i/state" on || return
  done
}

# Stop every kdamond that runs, and remove all of them with their configuration.
# Usage: _host_damon_off
# Returns: 1 with WHY if the kernel refuses
_host_damon_off() {
  local i n REPLY
  _host_damon_count "$DAMON_ROOT/nr_kdamonds"
  n=$REPLY
  for ((i = 0; i < n; i++)); do
    _host_damon_get "$DAMON_ROOT/$i/state"
    [[ $REPLY == off ]] || _host_damon_set "$DAMON_ROOT/$i/state" off || return
  done
  _host_damon_set "$DAMON_ROOT/nr_kdamonds" 0
}

# Print the physical memory of nodes, lines START END in bytes.
# Usage: host_damon_regions NODES
host_damon_regions() {
  local size block node REPLY
  _host_damon_get "${TIERBENCH_ROOT-}/sys/devices/system/memory/block_size_bytes"
  size=$REPLY
  [[ $size =~ ^[0-9a-f]{1,15}$ ]] || return 0
  for node in ${1//,/ }; do
    for block in "${TIERBENCH_ROOT-}/sys/devices/system/node/node$node"/memory[0-9]*; do
      _host_damon_get "$block/state"
      [[ $REPLY == offline || ! -e $block ]] || echo "${block##*/memory}"
    done
  done | sort -nu | LC_ALL=C awk -v size="$((16#$size))" '
    function flush() { if (n) printf "%.0f %.0f\n", first * size, (last + 1) * size }
    n && $1 == last + 1 { last = $1; next }
    { flush(); first = last = $1; n = 1 }
    END { flush() }'
}

# Print the counters of our kdamonds, rows `damon COUNTER VALUE`; nothing if none of them runs. accessN: bytes on the slow nodes with
# accesses in N samples of an aggregation, summed over aggregations. far_bytes: the bytes that are monitored. promoted, demoted: bytes migrated.
# moved_pages: both, in pages of this kernel.
# Usage: host_damon_counts
host_damon_counts() {
  local i n promoted VALUE WHY REPLY
  [[ -d $DAMON_ROOT ]] && host_damon_read && [[ $VALUE == m* ]] || return 0
  _host_damon_count "$DAMON_ROOT/nr_kdamonds"
  n=$REPLY
  for ((i = 0; i < n; i++)); do _host_damon_set "$DAMON_ROOT/$i/state" update_schemes_stats || return 0; done
  for ((i = 0; i <= DAMON_SAMPLES; i++)); do
    _host_damon_get "$DAMON_ROOT/0/contexts/0/schemes/$i/stats/sz_tried"
    printf 'damon\taccess%s\t%s\n' "$i" "$REPLY"
  done
  printf 'damon\tfar_bytes\t%s\n' "$(_host_damon_watched "$DAMON_ROOT/0/contexts/0/targets/0/regions")"
  [[ $VALUE == migrate-* ]] || return 0
  _host_damon_get "$DAMON_ROOT/0/contexts/0/schemes/$i/stats/sz_applied"
  promoted=$REPLY
  printf 'damon\tpromoted\t%s\n' "$promoted"
  _host_damon_get "$DAMON_ROOT/1/contexts/0/schemes/0/stats/sz_applied"
  printf 'damon\tdemoted\t%s\n' "$REPLY"
  [[ $promoted =~ ^[0-9]{1,18}$ && $REPLY =~ ^[0-9]{1,18}$ ]] || return 0
  printf 'damon\tmoved_pages\t%s\n' $(((10#$promoted + 10#$REPLY) / $(getconf PAGESIZE)))
}

# Print the bytes of all regions.
_host_damon_watched() {
  local region start sum=0 REPLY
  for region in "$1"/[0-9]*; do
    _host_damon_count "$region/start"
    start=$REPLY
    _host_damon_count "$region/end"
    ((REPLY <= start)) || sum=$((sum + REPLY - start))
  done
  echo "$sum"
}

# The first line of a file, or nothing.
# Returns: sets REPLY
_host_damon_get() {
  REPLY=
  { IFS= read -r REPLY <"$1"; } 2>/dev/null || :
}

# The number in the first line of a file; 0 if it has no number.
# Returns: sets REPLY
_host_damon_count() {
  _host_damon_get "$1"
  [[ $REPLY =~ ^[0-9]{1,18}$ ]] || REPLY=0
  REPLY=$((10#$REPLY))
}

# Write a value to a file of DAMON.
# Usage: _host_damon_set FILE VALUE
# Returns: 1 with WHY if the kernel refuses
_host_damon_set() {
  WHY=$( (LC_ALL=C && printf '%s\n' "$2" >"$1") 2>&1) && return
  WHY=${WHY##*$'\n'}
  WHY="${1#"$DAMON_ROOT/"}: ${WHY##*: }"
  return 1
}
