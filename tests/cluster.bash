# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the suites with a cluster: private masters and replicas on 127.0.0.1, which start with a complete nodes.conf.

# Print the id of the node on a port of a cluster.
# Usage: cluster_id PORT   Returns: 0
cluster_id() {
  printf '%040x\n' "$1"
}

# Print the lines of nodes.conf for the node on a port.
# Usage: _cluster_nodes PORT MASTERS REPLICAS   Globals: CLUSTER_PORT, CLUSTER_ANNOUNCE
_cluster_nodes() {
  local count=$(($2 * (1 + $3))) index shard port announced flags
  for ((index = 0; index < count; index++)); do
    port=$((CLUSTER_PORT + index)) shard=$((index % $2)) flags=''
    ((port != $1)) || flags=myself,
    announced=${CLUSTER_ANNOUNCE:-$port}
    if ((index < $2)); then
      printf '%s 127.0.0.1:%s@%s %smaster - 0 0 %s connected %s-%s\n' "$(cluster_id "$port")" "$announced" $((port + count)) "$flags" $((shard + 1)) \
        $((shard * 16384 / $2)) $(((shard + 1) * 16384 / $2 - 1))
    else
      printf '%s 127.0.0.1:%s@%s %sslave %s 0 0 %s connected\n' "$(cluster_id "$port")" "$port" $((port + count)) "$flags" \
        "$(cluster_id $((CLUSTER_PORT + shard)))" $((shard + 1))
    fi
  done
  printf 'vars currentEpoch %s lastVoteEpoch 0\n' "$2"
}

# Whether every node of the cluster reports that it is ready.
# Usage: cluster_ready MASTERS REPLICAS   Globals: CLUSTER_PORT   Returns: 0 yes, 1 no
cluster_ready() {
  local index info
  for ((index = 0; index < $1 * (1 + $2); index++)); do
    info=$(redis-cli -p $((CLUSTER_PORT + index)) cluster info) || return
    [[ $info == *cluster_state:ok* && $info == *"cluster_known_nodes:$(($1 * (1 + $2)))"* ]] || return
    info=$(redis-cli -p $((CLUSTER_PORT + index)) info replication) || return
    ((index < $1)) || [[ $info == *master_link_status:up* ]] || return
  done
}

# Print the first of COUNT free ports in a row whose cluster bus, 10000 above, is free too.
# Usage: cluster_ports COUNT   Returns: 0, or 1 if none were found
cluster_ports() {
  local try base port
  for ((try = 0; try < 50; try++)); do
    base=$(ports_pick "$1") || return
    for ((port = base + 10000; port < base + 10000 + $1; port++)); do port_free "$port" || continue 2; done
    printf '%s\n' "$base"
    return 0
  done
  echo "no $1 ports in a row with a free cluster bus" >&2
  return 1
}

# Start a cluster and wait until it is complete: masters on the first ports, then their replicas in the same order.
# Usage: cluster_start MASTERS REPLICAS [REDIS_OPTION...]
# Globals: CLUSTER_ANNOUNCE, the port that a single master announces; CLUSTER_TIMEOUT, the ms until a node counts as dead: a minute by default,
# because a busy machine is slow
# Sets: CLUSTER_PORT CLUSTER_PIDS   Returns: 0, or 1
cluster_start() {
  local masters=$1 replicas=$2 count=$(($1 * (1 + $2))) index port
  shift 2
  CLUSTER_PIDS=()
  # The announced port may be free still.
  CLUSTER_PORT=$(ports_pick $((2 * count)))
  while ((${CLUSTER_ANNOUNCE:-0} >= CLUSTER_PORT && ${CLUSTER_ANNOUNCE:-0} < CLUSTER_PORT + 2 * count)); do CLUSTER_PORT=$(ports_pick $((2 * count))); done
  for ((index = 0; index < count; index++)); do
    port=$((CLUSTER_PORT + index))
    mkdir -p "$SCRATCH/cluster/$port"
    _cluster_nodes "$port" "$masters" "$replicas" >"$SCRATCH/cluster/$port/nodes.conf"
    redis-server --port "$port" --bind 127.0.0.1 --dir "$SCRATCH/cluster/$port" --save '' --appendonly no --cluster-enabled yes \
      --cluster-port $((port + count)) --cluster-announce-ip 127.0.0.1 --cluster-announce-port "${CLUSTER_ANNOUNCE:-$port}" \
      --cluster-node-timeout "${CLUSTER_TIMEOUT:-60000}" --cluster-require-full-coverage no \
      --repl-diskless-sync yes --repl-diskless-sync-delay 0 --cluster-migration-barrier 1000 "$@" >"$SCRATCH/cluster/$port/log" 2>&1 3>&- &
    CLUSTER_PIDS+=("$!")
    process_note "$!"
  done
  wait_until 30 cluster_ready "$masters" "$replicas" || fail "the cluster did not come up: $(tail -n 3 "$SCRATCH"/cluster/*/log)"
}

# Print the number of calls of a command, summed over nodes.
# Usage: cluster_calls COMMAND PORT...   Returns: 0
cluster_calls() {
  local command=$1 port
  shift
  for port; do calls "$command" "$port"; done | awk '{ sum += $1 } END { print sum + 0 }'
}

# Print the sum of a column of a file with a header.
# Usage: column_sum FILE COLUMN   Returns: 0
column_sum() {
  awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { sum += $at[name] } END { print sum + 0 }' "$1"
}
