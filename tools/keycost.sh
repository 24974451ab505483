#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures the memory of strings with redis-server programs of this machine, and prints their rows for conf/keycost.tsv.
#
# Usage: tools/keycost.sh PROGRAM...   paths of redis-server or valkey-server; needs ./test (make)
#
# Strings of several sizes, with names of several lengths, with and without a time to live, are set in an instance as a run starts it. The layout in
# memory is that of a row of the table, and the one that is nearest to all samples; its largest error is in the column `error`, in %. A server with
# another layout gets a large one: first write a row with its layout. The other figures are from the samples. Takes a minute per program.
# Exit status: 0 done, 1 a program cannot be measured, 2 bad usage.
set -Eeuo pipefail

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
LIB=$ROOT/lib RESUME=''
# shellcheck source=lib/modules.sh
. "$LIB/modules.sh"

# Lengths of the names' prefixes and sizes of values: on both sides of what a small object holds, and of jemalloc's sizes.
SAMPLES=('0 2' '0 4' '0 12' '0 13' '0 36' '0 45' '0 61' '0 101' '0 116' '0 200' '0 1000' '0 5000' '1 20' '7 20' '8 20' '17 12' '24 30' '25 10' '25 11' '26 100'
  '34 10' '80 100' '0 20000')

# Print the samples of an instance, lines `probe TTL NAME SIZE KEYS USED_MEMORY`.
# Usage: row_probes   Globals: EXPIRE
row_probes() {
  local sample prefix size keys used timed=0 name
  local -a options
  [[ $EXPIRE == off ]] || timed=1
  _keycost_used 10 0 75 set,get >/dev/null || return
  for sample in "${SAMPLES[@]}"; do
    read -r prefix size <<<"$sample"
    printf -v name '%*s' "$prefix" ''
    options=()
    ((prefix == 0)) || options+=(--key-prefix "${name// /x}")
    ((timed == 0)) || options+=(--expire "$EXPIRE")
    for keys in 3000 7700; do
      ((size < 1000)) || keys=$((keys / 10))
      used=$(_keycost_used "$size" 100000 "$keys" set,get "${options[@]}") || return
      printf 'probe\t%d\t%d\t%d\t%d\t%d\n' "$timed" $((prefix + 6)) "$size" "$keys" "$used"
    done
  done
}

# Run a command with a scratch instance.
# Usage: row_with CLUSTER EXPIRE COMMAND...   Returns: that of the command
row_with() {
  local status=0
  plan_enter "${VARIANTS%% *}" '' CLUSTER="$1" EXPIRE="$2" REPLICAS=0
  server_scratch && "${@:3}" || status=1
  server_stop || status=1
  return "$status"
}

# Print the rows of a form of keys in a cluster of one node, each after FORM.
# Usage: row_form   Globals: EXPIRE
row_form() {
  local form
  _keycost_form 10
  form=$REPLY
  _keycost_used 10 0 75 set,get >/dev/null || return
  { _keycost_sample 10 && cluster_backlog; } | sed "s/^/$form\t/"
}

# Print the row of a program.
# Usage: row_print PROGRAM   Returns: 1 if it cannot be measured
row_print() {
  local kind expire
  REDIS_BINARY=$1
  kind=$(call_run "$HOST" redis kind) || return
  [[ -n $kind ]] || {
    printf 'keycost: %s: not a redis-server or valkey-server with jemalloc\n' "$1" >&2
    return 1
  }
  for expire in off 999999999; do
    row_with off "$expire" row_probes || return
    row_with on "$expire" row_form || return
  done | TABLE=$ROOT/conf/keycost.tsv REDIS=$kind awk -f "$LIB/plan/keycost.awk" -f "$ROOT/tools/keycost.awk"
}

main() {
  local program word folder status=0
  if (($# == 0)) || [[ $1 == -* ]]; then
    sed -n 's/^# Usage: /Usage: /p' "${BASH_SOURCE[0]}" | sed -n 1p >&2
    return 2
  fi
  cleanup_init
  folder=$(mktemp -d)
  chmod 711 "$folder"
  cleanup_push rm -rf -- "$folder"
  for word in SERVER=127.0.0.1 CLIENT_IP=127.0.0.1 "REMOTE_DIR=$folder/host" "LOCK_DIR=$folder/locks" \
    "REDISBASE=$("$ROOT/tools/ports.sh" 1 16390)" INSTANCES=1 FILL=64M VALUE_SIZES=10 DATA=compressible:1.5; do
    conf_word argument "$word" tool
  done
  plan_settle
  remote_init
  lock_name keycost
  server_facts
  plan_make
  cleanup_push server_stop
  head -n 1 <(grep -v '^#' "$ROOT/conf/keycost.tsv")
  for program; do row_print "$(realpath -s -- "$(command -v -- "$program")")" || status=1; done
  return "$status"
}

main "$@"
