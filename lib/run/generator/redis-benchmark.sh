# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What lib/run/generator/peer.sh has to know of redis-benchmark.
#
# It cannot tell misses, errors by kind, or a histogram, and before version 6.2 it tells the rate alone.

adapter_version() {
  run_limited 10 redis-benchmark --version
}

# It sends whole pipelines and counts what was asked for, so whole pipelines are asked for.
adapter_each() {
  echo $((($1 + PIPELINE - 1) / PIPELINE * PIPELINE))
}

# Populate sets every key once, under the names that redis-benchmark gives to keys.
adapter_load() {
  local phase=$1 port=$2 stem=$3
  exec >"$stem.out"
  if [[ $phase == populate ]]; then
    # In its place, so that to end it leaves nothing behind.
    exec redis-cli ${LOAD_USER:+--user "$LOAD_USER"} -h "$HOST" -p "$port" --pipe < <(awk -v keys="$KEYS" -v size="$SIZE" 'BEGIN {
      # Some awks have no room for so much in sprintf.
      for (value = "x"; length(value) < size; ) value = value value
      value = substr(value, 1, size)
      for (i = 0; i < keys; i++) print sprintf("*3\r\n$3\r\nSET\r\n$16\r\nkey:%012d\r\n$%d\r\n", i, size) value "\r"
    }')
  else
    # That it may not see the settings, which hold the run's password, is as it should be.
    exec redis-benchmark -h "$HOST" -p "$port" --user peer -a none -n "$EACH" -P "$PIPELINE" -c "$CONNECTIONS" -d "$SIZE" -r "$KEYS" -t "$phase" --csv \
      2> >(grep -vi 'could not fetch server CONFIG' >&2)
  fi
}

adapter_figures() {
  local phase=$1 stem=$2 took=$3
  if [[ $phase == populate ]]; then
    grep -q "errors: 0, replies: $KEYS\$" "$stem.out" && printf '%s\t%s\t\t\t\t\t\t\t\t\t\t\t\n' "$KEYS" "$took" && return
  else
    awk -F '","' -v ops="$EACH" -v name="\"${phase^^}" -v took="$took" '
      # Too few for its clock have a rate without end.
      $1 == name && ($2 == "inf" || $2 + 0 > 0) {
        printf "%d\t%.0f", ops, $2 == "inf" ? took : ops * 1000000 / $2
        if (NF >= 8) printf "\t%.0f\t%.0f\t%.0f\t\t%.0f\t\t", $3 * 1000, $8 * 1000, $5 * 1000, $7 * 1000
        else printf "\t\t\t\t\t\t\t"
        printf "\t\t\t\t\n"
        found = 1
      }
      END { exit !found }' "$stem.out" && return
  fi
  printf 'redis-benchmark: %s\n' "$(tail -n 1 "$stem.out")" >&2
  return 1
}
