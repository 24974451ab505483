# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Instances of a Redis Cluster, on the server: what each knows of the others before it starts, and when the cluster is ready.
# Globals: CLUSTER_TABLE (lines PORT NODE SHARD ROLE MASTER_PORT FIRST LAST ID ADDRESS, empty without a cluster; other servers have some of
# them), INSTANCE_PLAN (those of this server), SERVER_ADDRESS.

# Write nodes.conf of every instance. No CLUSTER MEET is sent, so that no other process can join by mistake.
# Usage: host_cluster_write
# Globals: CLUSTER_TABLE INSTANCE_PLAN FOLDER
host_cluster_write() {
  local port
  [[ -n $CLUSTER_TABLE ]] || return 0
  while read -r port _; do
    awk -F '\t' -v me="$port" '
      { row[NR] = $0; if ($4 == "master") { id[$1] = $8; shards++ } }
      END {
        for (i = 1; i <= NR; i++) {
          split(row[i], f, "\t")
          line = f[8] " " f[9] ":" f[1] "@" f[1] + 10000 " " (f[1] == me ? "myself," : "")
          line = line (f[4] == "master" ? "master -" : "slave " id[f[5]]) " 0 0 " f[3] + 1 " connected"
          print line (f[4] == "master" ? " " f[6] "-" f[7] : "")
        }
        print "vars currentEpoch " shards " lastVoteEpoch 0"
      }' <<<"$CLUSTER_TABLE" >"$FOLDER/data-$port/nodes.conf"
    host_user_give "$FOLDER/data-$port/nodes.conf"
  done <<<"$INSTANCE_PLAN"
}

# Wait until every instance reports that the cluster is complete and its replication works.
# Usage: host_cluster_ready
# Globals: CLUSTER_TABLE SERVER_ADDRESS RECORD
host_cluster_ready() {
  local end=$((SECONDS + COMMON_READY)) all pid start port role address why
  local -A process=()
  [[ -n $CLUSTER_TABLE ]] || return 0
  while read -r pid start port; do process[$port]="$pid $start"; done <"$RECORD"
  all=$(wc -l <<<"$CLUSTER_TABLE")
  while IFS=$'\t' read -r port _ _ role _ _ _ _ address; do
    [[ $address == "$SERVER_ADDRESS" ]] || continue
    until host_cluster_well "$port" "$role" "$all"; do
      read -r pid start <<<"${process[$port]}"
      proc_alive "$pid" "$start" || host_server_ended "$port"
      ((SECONDS < end)) || {
        host_server_said "$port"
        fail "port $port: $why after $COMMON_READY s; is port $((port + 10000)) open between the nodes?"
      }
      proc_wait 0.05
    done
  done <<<"$CLUSTER_TABLE"
}

# Whether an instance reports that it is ready; else sets `why`.
# Usage: host_cluster_well PORT ROLE NODES
host_cluster_well() {
  why="no answer to CLUSTER INFO"
  protocol_ask "$SERVER_ADDRESS" "$1" 'CLUSTER INFO' || return
  why="the cluster is incomplete"
  [[ $REDIS_REPLY == *cluster_state:ok* && $REDIS_REPLY == *"cluster_known_nodes:$3"* ]] || return
  [[ $2 == replica ]] || return 0
  why="the replica has no link to its master"
  protocol_ask "$SERVER_ADDRESS" "$1" 'INFO replication' && [[ $REDIS_REPLY == *master_link_status:up* ]]
}
