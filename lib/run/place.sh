# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where instances and local clients of the plan run, and the memory nodes of a server.

# By `all` or `far`, and topology: the memory nodes, as place_memory_nodes prints them.
declare -A _PLACE_MEMORY=()

# Print the placement of each instance, lines PORT CPUS POLICY. POLICY has options of numactl; an empty field is `-`.
# Usage: place_instances INSTANCES PLACES [PORT]...
#   PLACES as the plan has them for one server; without ports, those from REDISBASE on
# Globals: REDISBASE
# Returns: 1 if no CPU is left for them.
place_instances() {
  local i
  local -a places ports=("${@:3}")
  REPLY=$2
  [[ $REPLY != none ]] || return
  # The user's numactl options replace all others.
  if [[ $REPLY == -@* ]]; then places=("$REPLY"); else IFS=';' read -r -a places <<<"$REPLY"; fi
  for ((i = 0; i < $1; i++)); do
    REPLY=${places[i % ${#places[@]}]}
    printf '%s\t%s\t%s\n' "${ports[i]-$((REDISBASE + i))}" "${REPLY%%@*}" "${REPLY#*@}"
  done
}

# Print the server's memory nodes as a list: all of them, or only CPU-less nodes that are not faster than DRAM.
# Usage: place_memory_nodes all|far
place_memory_nodes() {
  place_memory_nodes_of "$1"
  printf '%s\n' "$REPLY"
}

# As place_memory_nodes; a process is needed only once for each topology.
# Returns: sets REPLY
place_memory_nodes_of() {
  local all far
  if [[ -z ${_PLACE_MEMORY["all $_PLACE_TOPOLOGY"]+set} ]]; then
    IFS=/ read -r all far < <(exec awk -F '[, ]' "$CPUS_AWK"'
      function print_kept(node, n, end,    i, k, kept) {
        for (i = 1; i <= n; i++) if (!(node[i] in barred)) kept[++k] = node[i]
        printf "%s%s", cpus_compress(kept, k + 0), end
      }
      /^[0-9]/ { all[++n] = $4 }
      /^# node [0-9]+ has memory and no CPU/ { all[++n] = $3 }
      /^# node [0-9]+ has memory and no CPU$/ { far[++m] = $3 }
      /^# node [0-9]+ .* may not use/ { barred[$3] = 1 }
      END {
        print_kept(all, n, "/")
        print_kept(far, m, "\n")
      }' <<<"$_PLACE_TOPOLOGY")
    _PLACE_MEMORY["all $_PLACE_TOPOLOGY"]=$all _PLACE_MEMORY["far $_PLACE_TOPOLOGY"]=$far
  fi
  REPLY=${_PLACE_MEMORY["$1 $_PLACE_TOPOLOGY"]}
}

# Print the nodes on which instances run, as a list with commas; all nodes with CPUs for instances that are not pinned.
# Usage: place_near PLACES
#   PLACES as place_of gives them
place_near() {
  { printf '%s\n' "$_PLACE_TOPOLOGY" && tr ';' '\n' <<<"$1" | sed 's/@.*//; s/^/cpus /'; } | awk "$CPUS_AWK"'
    BEGIN { FS = "," }
    /^[0-9]/ { at[$1 + 0] = $4 + 0 }
    /^cpus / {
      sub(/^cpus /, "")
      if ($0 == "-") for (i in at) near[at[i]] = 1
      else for (i = cpus_expand($0, list); i > 0; i--) near[at[list[i]]] = 1
    }
    END {
      for (i = 0; i < 1024; i++) if (i in near) text = text (text == "" ? "" : ",") i
      print text
    }'
}

# The numactl options of the load generator of a client at the current row; empty when it is not placed.
# Usage: place_client CLIENT
# Globals: ROW CLIENT_IP
# Returns: sets REPLY
place_client() {
  local client i=0
  local -a places
  IFS='|' read -r -a places <<<"${ROW[client_places]}"
  for client in $CLIENT_IP; do
    [[ $client != "$1" ]] || break
    i=$((i + 1))
  done
  REPLY=${places[i]--}
  [[ $REPLY != - ]] || REPLY=
}

# The CPUs that the kernel isolates, as a list; empty without isolated CPUs.
# Usage: place_isolated
# Returns: sets REPLY
place_isolated() {
  REPLY=
  [[ $_PLACE_TOPOLOGY != *"# isolated "* ]] || REPLY=$(exec sed -n 's/^# isolated //p' <<<"$_PLACE_TOPOLOGY")
}
