# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What lib/run/generator/peer.sh needs to know about redis-benchmark.
#
# redis-benchmark does not report misses, errors by kind, or a histogram; before version 6.2 it reports only the rate.

# A host may have the programs of Valkey only.
_adapter_benchmark=redis-benchmark _adapter_cli=redis-cli
command -v redis-benchmark >/dev/null || _adapter_benchmark=valkey-benchmark
command -v redis-cli >/dev/null || _adapter_cli=valkey-cli

# Print the name and version of redis-benchmark.
# Usage: adapter_version
adapter_version() {
  run_limited 10 "$_adapter_benchmark" --version
}

# It sends whole pipelines but counts the requested number, so request whole pipelines.
adapter_each() {
  echo $((($1 + PIPELINE - 1) / PIPELINE * PIPELINE))
}

# Populate sets every key once, with the key names of redis-benchmark.
adapter_load() {
  local phase=$1 port=$2 stem=$3
  exec >"$stem.out"
  if [[ $phase == populate ]]; then
    # exec, so that stopping this process leaves no child behind.
    exec "$_adapter_cli" ${LOAD_USER:+--user "$LOAD_USER"} -h "$HOST" -p "$port" --pipe < <(awk -v keys="$KEYS" -v size="$SIZE" 'BEGIN {
      # The buffer of sprintf is too small for this in some awks.
      for (value = "x"; length(value) < size; ) value = value value
      value = substr(value, 1, size)
      for (i = 0; i < keys; i++) print sprintf("*3\r\n$3\r\nSET\r\n$16\r\nkey:%012d\r\n$%d\r\n", i, size) value "\r"
    }')
  else
    # It cannot read CONFIG, which contains the run's password; that is intended.
    exec "$_adapter_benchmark" -h "$HOST" -p "$port" --user peer -a none -n "$EACH" -P "$PIPELINE" -c "$CONNECTIONS" -d "$SIZE" -r "$KEYS" -t "$phase" --csv \
      2> >(grep -vi 'could not fetch server CONFIG' >&2)
  fi
}

# Print the figures of a phase on one instance, as lib/run/generator/peer.sh describes the row.
# Usage: adapter_figures PHASE STEM US
#   US is how long the load took, in microseconds
# Returns: 1, with the last line of the output on stderr, if it has no figures
adapter_figures() {
  local phase=$1 stem=$2 took=$3
  if [[ $phase == populate ]]; then
    grep -q "errors: 0, replies: $KEYS\$" "$stem.out" && printf '%s\t%s\t\t\t\t\t\t\t\t\t\t\t\n' "$KEYS" "$took" && return
  else
    awk -F '","' -v ops="$EACH" -v name="\"${phase^^}" -v took="$took" '
      # With very few requests its clock shows no time, and the rate is infinite.
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
