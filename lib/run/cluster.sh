# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A Redis Cluster: the process and node of each shard, and the load generator's options.

# Whether the instances form a Redis Cluster.
# Usage: cluster_on
# Globals: CLUSTER
cluster_on() {
  [[ $CLUSTER != off ]]
}

# Print how many nodes the cluster has: servers, or with one server groups of instances that go down together.
# Usage: cluster_nodes
# Globals: CLUSTER SERVERS
cluster_nodes() {
  if servers_several; then
    echo "${#SERVERS[@]}"
  elif [[ $CLUSTER == on ]]; then
    echo 3
  else
    echo "$CLUSTER"
  fi
}

# Print the server of a node.
# Usage: cluster_host NODE
#   NODE counts from 1
cluster_host() {
  if servers_several; then printf '%s\n' "${SERVERS[$1 - 1]}"; else printf '%s\n' "$SERVER"; fi
}

# Print the number of processes for INSTANCES instances: in a cluster each shard has replicas too.
# Usage: cluster_processes INSTANCES
# Globals: CLUSTER REPLICAS
cluster_processes() {
  cluster_processes_of "$1"
  echo "$REPLY"
}

# As cluster_processes, without a subshell.
# Returns: sets REPLY
cluster_processes_of() {
  REPLY=$1
  ! cluster_on || REPLY=$(($1 * (1 + REPLICAS)))
}

# Print the processes of a cluster: PORT NODE SHARD ROLE MASTER_PORT FIRST_SLOT LAST_SLOT ID ADDRESS. Masters come first, in the order of shards. Nodes count from 1.
# A shard's replicas are on other nodes than its master, and a node's replicas are spread over all other nodes.
# Usage: cluster_table INSTANCES
# Globals: REDISBASE REPLICAS RUN_ID
cluster_table() {
  local shards=$1 nodes shard copy port node role run id
  local -a address=()
  nodes=$(cluster_nodes)
  for ((node = 0; node < nodes; node++)); do
    hosts_data "$(cluster_host $((node + 1)))"
    address[node]=$REPLY
  done
  # An ID has 40 hexadecimal digits: 32 for the run, and 8 for the port. To start a program for each would take seconds with 200 processes.
  run=$(sha256sum <<<"${RUN_ID-}")
  for ((copy = -1; copy < REPLICAS; copy++)); do
    for ((shard = 0; shard < shards; shard++)); do
      port=$((REDISBASE + (copy + 1) * shards + shard)) role=replica
      node=$(((shard + 1 + (shard / nodes + copy) % (nodes - 1)) % nodes))
      ((copy >= 0)) || node=$((shard % nodes)) role=master
      printf -v id '%s%08x' "${run:0:32}" "$port"
      printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$port" $((node + 1)) "$shard" "$role" $((REDISBASE + shard)) \
        $((shard * 16384 / shards)) $(((shard + 1) * 16384 / shards - 1)) "$id" "${address[node]}"
    done
  done
}

# Write cluster.tsv (node, shard and initial role of each process) into a directory; nothing without a cluster.
# Usage: cluster_record DIR
# Globals: CLUSTER_TABLE
cluster_record() {
  cluster_on || return 0
  write_file "$1/cluster.tsv" _cluster_rows
}

# Print the content of cluster.tsv.
# Globals: CLUSTER_TABLE
_cluster_rows() {
  if servers_several; then
    printf 'port\tnode\tshard\trole\thost\n'
    awk -F '\t' -v OFS='\t' -v hosts="${SERVERS[*]}" '
      BEGIN { split(hosts, host, " ") } { print $1, $2, $3, $4, host[$2] }' <<<"$CLUSTER_TABLE"
    return
  fi
  printf 'port\tnode\tshard\trole\n'
  cut -f 1-4 <<<"$CLUSTER_TABLE"
}

# The directives of a cluster's instances, separated by semicolons; empty without a cluster.
# Globals: CLUSTER SERVER_ADDRESS
# Returns: sets REPLY
cluster_directives() {
  REPLY=
  cluster_on || return 0
  REPLY="cluster-enabled yes; cluster-config-file nodes.conf; cluster-announce-ip $SERVER_ADDRESS; "
  REPLY+="cluster-require-full-coverage no; cluster-migration-barrier 1000; "
  # Redis' default delay adds 5 s to every resync. Its default buffer limit repeatedly aborts a resync under writes.
  REPLY+='repl-diskless-sync yes; repl-diskless-sync-delay 0; client-output-buffer-limit replica 0 0 0; '
}

# Print the options of the load generator, one per line, for a client with COUNT shards from PORT on.
# Usage: cluster_options PORT COUNT
# Globals: POINT_INSTANCES REDISBASE
cluster_options() {
  cluster_on || return 0
  printf '%s\n' --cluster --shards "$(($1 - REDISBASE))-$(($1 - REDISBASE + $2 - 1))" --node "$(cluster_table "$POINT_INSTANCES" | cut -f 8 | paste -sd ,)"
}

# Print the cluster as text: one row per shard.
# Usage: cluster_show INSTANCES
cluster_show() {
  local node
  cluster_on || return 0
  echo
  ! servers_several || for node in "${!SERVERS[@]}"; do printf 'node %d: %s\n' $((node + 1)) "${SERVERS[node]}"; done
  printf 'shard\tslots\tmaster (node)\treplicas (node)\n'
  cluster_table "$1" | awk -F '\t' '
    $4 == "master" { order[++n] = $3; slots[$3] = $6 "-" $7; master[$3] = $1 " (" $2 ")" }
    $4 == "replica" { replicas[$3] = replicas[$3] (replicas[$3] == "" ? "" : ", ") $1 " (" $2 ")" }
    END { for (i = 1; i <= n; i++) print order[i] "\t" slots[order[i]] "\t" master[order[i]] "\t" (replicas[order[i]] == "" ? "-" : replicas[order[i]]) }'
}
