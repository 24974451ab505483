# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which server has which processes. Ports are unique over all servers, so that files of several lie in one directory.

# By server, instances and replicas: the number of processes there.
declare -A _SPREAD_COUNT=()

# The number of processes on the server in HOST.
# Usage: spread_count_of INSTANCES
# Returns: sets REPLY
spread_count_of() {
  local key="$HOST $1 $REPLICAS $CLUSTER"
  if ! servers_several; then
    cluster_processes_of "$1"
    return
  fi
  REPLY=${_SPREAD_COUNT[$key]-}
  [[ -n $REPLY ]] || REPLY=$(spread_ports "$1" | grep -c .)
  _SPREAD_COUNT[$key]=$REPLY
}

# Print the ports of the processes on the server in HOST.
# Usage: spread_ports INSTANCES
# Globals: HOST REDISBASE
spread_ports() {
  servers_index "$HOST"
  if cluster_on; then
    cluster_table "$1" | awk -F '\t' -v node="$((REPLY + 1))" '$2 == node { print $1 }'
  else
    seq "$(_spread_first "$REPLY" "$1")" $(($(_spread_first $((REPLY + 1)) "$1") - 1))
  fi
}

# Print the first port of a server without a cluster: each has a range, the remainder one each at the first servers.
# Usage: _spread_first INDEX INSTANCES
_spread_first() {
  local all=${#SERVERS[@]}
  echo $((REDISBASE + $1 * ($2 / all) + ($1 < $2 % all ? $1 : $2 % all)))
}

# Print where a client's instances are, for the load generator: the address of the first, and `--hosts LIST` in front of it where others are
# elsewhere; a line each.
# Usage: spread_addresses PORT COUNT INSTANCES
spread_addresses() {
  local index first address list=''
  hosts_data "${SERVERS[0]}"
  address=$REPLY
  # The nodes of a cluster name each other.
  if servers_several && ! cluster_on; then
    for index in "${!SERVERS[@]}"; do
      first=$(_spread_first "$index" "$3")
      if ((first <= $1)); then
        hosts_data "${SERVERS[index]}"
        address=$REPLY
      elif ((first < $1 + $2)); then
        hosts_data "${SERVERS[index]}"
        list+=",$first=$REPLY"
      fi
    done
  fi
  [[ -z $list ]] || printf '%s\n' --hosts "${list#,}"
  printf '%s\n' "$address"
}

# Print the plan of the instances on the server in HOST: PORT CPUS POLICY.
# Usage: spread_plan INSTANCES PLACES
#   PLACES as the plan has them
# Returns: 1 when no CPU is left for them.
spread_plan() {
  local count
  local -a ports=()
  spread_count_of "$1"
  count=$REPLY
  ! servers_several || mapfile -t ports < <(spread_ports "$1")
  spread_places_of "$2"
  place_instances "$count" "$REPLY" "${ports[@]}"
}

# The part of places of the server in HOST, as place_of gives them.
# Usage: spread_places_of PLACES
#   PLACES as the plan has them
# Returns: sets REPLY
spread_places_of() {
  local -a parts=()
  REPLY=$1
  servers_several || return 0
  servers_index "$HOST"
  IFS='|' read -r -a parts <<<"$1"
  REPLY=${parts[REPLY]-}
}

# A server's part of what all instances have together, by its number of processes. Where HOST is not one server, the largest part.
# Usage: spread_part TOTAL INSTANCES
# Returns: sets REPLY
spread_part() {
  local most
  REPLY=$1
  servers_several || return 0
  spread_most_of "$2"
  most=$REPLY
  cluster_processes_of "$2"
  REPLY=$(($1 * most / REPLY))
}

# The number of processes on a server, as for spread_part.
# Usage: spread_most_of INSTANCES
# Returns: sets REPLY
spread_most_of() {
  local most=0
  servers_each _spread_most "$1"
  REPLY=$most
}

# Raise a maximum to the number of processes on the server in HOST.
# Usage: _spread_most INSTANCES
# Globals: most of spread_most_of
_spread_most() {
  spread_count_of "$1"
  ((REPLY <= most)) || most=$REPLY
}

# Print the placement on a server as text: one row per set of CPUs, or one per round over all of them when there are many.
# Usage: spread_show
# Globals: ROW
spread_show() {
  printf 'ports\tinstances\tCPUs\tmemory and policy\n'
  spread_plan "${ROW[instances]}" "${ROW[places]}" | awk -F '\t' "$CPUS_AWK"'
    function ports(first, last, step) {
      return first (last == first ? "" : "-" last (step > 1 ? " step " step : ""))
    }
    {
      port[NR] = $1; cpus[NR] = $2; policy[NR] = $3
      key = $2 "\t" $3
      if (!(key in members)) order[++sets] = key
      if (members[key]++) { if (!(key in step)) step[key] = $1 - last[key] } else begin[key] = $1
      last[key] = $1
    }
    END {
      if (sets <= 16) {
        for (s = 1; s <= sets; s++) {
          split(order[s], part, "\t")
          print ports(begin[order[s]], last[order[s]], step[order[s]]) "\t" members[order[s]] "\t" part[1] "\t" part[2]
        }
        exit
      }
      # The sets repeat in one order, so a round ends where the first set repeats.
      for (i = 1; i <= NR; i = j) {
        n = 0; split("", union)
        for (j = i; j <= NR && (j == i || cpus[j] != cpus[i]); j++) {
          k = cpus_expand(cpus[j], one)
          for (m = 1; m <= k; m++) union[++n] = one[m]
        }
        print ports(port[i], port[j - 1], 1) "\t" j - i "\t" cpus_compress(union, n) ", " k " each\t" policy[i]
      }
    }'
  sed -n 's/^# \(node [0-9]* .*\)/-\t0\t-\t\1/p' <<<"$_PLACE_TOPOLOGY"
}
