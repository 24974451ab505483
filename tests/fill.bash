# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sets keys as a run does, for the tests of FILL: the memory that was planned, and the memory in use.

# Calibrate, fill, read (which makes Redis free the tables that it outgrew), and print for each value size: keys, the target, the expected
# and the used bytes.
# Usage: fill_rows INSTANCES FILL SIZE...
# Globals: FILL_WORDS, settings; FILL_PHASES
fill_rows() {
  local base
  base=$(cluster_ports $((2 * $1)))
  cat >master.sh <<'END'
set -Eeuo pipefail
LIB=$ROOT/lib RESUME=
. "$LIB/modules.sh"
. "$REPO/tests/instances.bash"
cleanup_init
for word in LOCK_DIR="$SCRATCH/locks" "$@"; do conf_word argument "$word" test; done
plan_settle
remote_init
lock_name test
server_facts
server_find_redis
plan_make
keycost_measure
used() { server_info | awk -F : '/^used_memory:/ { sum += $2 } END { printf "%.0f", sum }'; }
for row in "${PLAN_ROWS[@]}"; do
  plan_row "$row"
  size=${ROW[value_size]} keys=${ROW[keys]}
  server_start "$INSTANCES"
  mapfile -t more < <(load_options && POINT_INSTANCES=$INSTANCES cluster_options "$REDISBASE" "$INSTANCES")
  # A long pipeline takes less CPU time, but its values must fit into the buffers.
  pipeline=512
  ((size <= 10000)) || pipeline=64
  cluster_processes_of "$INSTANCES"
  REDISCLI_AUTH=$(server_load_passwords "$REDISBASE" "$REPLY") OMP_NUM_THREADS=$INSTANCES "$ROOT/test" --user load --passwords "${more[@]}" --phases "${FILL_PHASES:-set,get}" --pipeline "$pipeline" --data "$DATA" --out . \
    127.0.0.1 "$REDISBASE" "$size" "$keys" >log 2>&1
  # Connections are closed a little later: only the asking connection is left, at each instance, and a replica's master.
  cluster_processes_of "$INSTANCES"
  links=$((2 * REPLY - INSTANCES))
  until (($(server_info | awk -F : '/^connected_clients:/ || $1 == "mem_overhead_db_hashtable_rehashing" { sum += $2 } END { print sum + 0 }') == links)); do sleep 0.3; done
  now=$(used)
  server_stop
  echo "$size $keys ${ROW[target_bytes]} ${ROW[full_bytes]} $now"
done
END
  ROOT=$REPO bash master.sh REMOTE_DIR="$SCRATCH/host" REDISBASE="$base" INSTANCES="$1" FILL="$2" VALUE_SIZES="${*:3}" REDISRUNS=1 \
    "${FILL_WORDS[@]}"
}
