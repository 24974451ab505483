# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where instances and local clients run: one plan of CPUs and memory nodes, from the settings and the server's topology.

# The server's CPUs as `lscpu -p=CPU,CORE,SOCKET,NODE` prints them, and a `# node N ...` line for each node without a CPU, or
# with memory that processes may not use (lib/host/facts.sh).
_PLACE_TOPOLOGY=
# By server: questions to lib/plan/place.awk, its input lines after `ask`: its answers, and the questions not yet asked.
declare -A _PLACE_SAID=() _PLACE_ASKED=()
# By `all` or `far`, and topology: the memory nodes, as place_memory_nodes prints them.
declare -A _PLACE_MEMORY=()

# Read the server's topology without connecting to it; without a file, its CPUs are taken as cores of one node.
# Usage: place_read
# Globals: SERVER_TOPOLOGY SERVER_CORES (a number)
# Returns: exits 2 when the file is invalid, or is required and not found.
place_read() {
  servers_each _place_read
}

# Read the topology of the server in HOST from a file, or take its CPUs as cores of one node.
# Usage: _place_read
# Globals: SERVER_TOPOLOGY SERVER_CORES PLACEMENT SERVER_NUMACTL
# Returns: exits 2 when the file is invalid, or is required and not found.
_place_read() {
  if [[ $SERVER_TOPOLOGY != auto ]]; then
    { file_read "$SERVER_TOPOLOGY" && grep -E '^[0-9]+,[0-9]+,[0-9]*,[0-9]*' <<<"$REPLY" >/dev/null; } ||
      conf_refuse SERVER_TOPOLOGY "not a file that lscpu -p printed; on the server: lscpu -p=CPU,CORE,SOCKET,NODE >FILE"
    place_learn "${REPLY%$'\n'}"
    return
  fi
  [[ $PLACEMENT == spread || $PLACEMENT == cpu || $PLACEMENT == none || -n $SERVER_NUMACTL ]] ||
    conf_refuse PLACEMENT "requires the topology of the server; set SERVER_TOPOLOGY to a file that lscpu -p=CPU,CORE,SOCKET,NODE printed there"
  place_learn "$(_place_plain)"
}

# Print the placement of each instance: PORT CPUS POLICY; `-` is none, POLICY are options of numactl.
# Usage: place_instances INSTANCES [PLACES [PORT]...]
#   PLACES as place_of gives them; without ports, those from REDISBASE on
# Globals: PLACEMENT PLACEMENT_NODE SERVER_CPUS SERVER_CORES IRQ_CPUS IO_THREADS SERVER_NUMACTL REDISBASE
# Returns: 1 if no CPU is left for them.
place_instances() {
  local i
  local -a places ports=("${@:3}")
  REPLY=${2-}
  [[ -n $REPLY ]] || place_of "$1" || { place_answer && place_of "$1"; } || return
  [[ $REPLY != none ]] || return
  # The user's numactl options replace all others.
  if [[ $REPLY == -@* ]]; then places=("$REPLY"); else IFS=';' read -r -a places <<<"$REPLY"; fi
  for ((i = 0; i < $1; i++)); do
    REPLY=${places[i % ${#places[@]}]}
    printf '%s\t%s\t%s\n' "${ports[i]-$((REDISBASE + i))}" "${REPLY%%@*}" "${REPLY#*@}"
  done
}

# The placement of instances, without a subshell: CPUS@POLICY for each in turn, wrapping around, with a semicolon between two; `none` when
# no CPU is left for them.
# Usage: place_of INSTANCES
# Globals: as place_instances
# Returns: sets REPLY; 1 when place_answer has to be called first.
place_of() {
  local memory units unit text=''
  tier_policy_of
  memory=$REPLY
  if [[ -n $SERVER_NUMACTL || $PLACEMENT == none ]]; then
    memory=${SERVER_NUMACTL:+$SERVER_NUMACTL${memory:+ }}$memory
    REPLY=-@${memory:--}
    return
  fi
  _place_units "$1" || return
  [[ $REPLY != none && ($REPLY == *@[0-9]* || -n $memory) ]] || return 0
  IFS=';' read -r -a units <<<"$REPLY"
  # The memory tier is what is measured, so it overrides the best placement of memory.
  for unit in "${units[@]}"; do text+=";${unit%@*}@${memory:-$(tier_bind "${unit#*@}")}"; done
  REPLY=${text#;}
}

# Let one process for each server work out all recorded placements.
# Usage: place_answer
place_answer() {
  servers_each _place_answer
}

# Let one process work out the recorded placements on the server in HOST.
# Usage: _place_answer
_place_answer() {
  local key answer asked
  local -a questions=()
  for key in "${!_PLACE_ASKED[@]}"; do
    [[ ${key%%$'\t'*} == "$HOST" ]] || continue
    questions+=("${key#*$'\t'}")
    unset '_PLACE_ASKED[$key]'
  done
  ((${#questions[@]} > 0)) || return 0
  printf -v asked '\nask\t%s' "${questions[@]}"
  while IFS=$'\t' read -r key answer; do
    _PLACE_SAID["$HOST"$'\t'"$key"]=$answer
  done < <(exec awk "$CPUS_AWK$(<"$LIB/plan/place.awk")"'
    BEGIN { place_clear() }
    /^[0-9]/ { place_line($0) }
    /^ask\t/ {
      question = substr($0, 5)
      split(question, word, " ")
      print question "\t" place_units(word[1], word[2], word[3], word[4], word[5], word[6], word[7])
    }' <<<"$_PLACE_TOPOLOGY$asked")
}

# Set the topology of a server. Answers for every topology are dropped; place_answer asks again.
# Usage: place_learn TEXT
place_learn() {
  # `lscpu --all` has lines for CPUs that are offline, without a core.
  _PLACE_TOPOLOGY=$(grep -E '^([0-9]+,[0-9]+,[0-9]*,[0-9]*|#.*)$' <<<"$1" || :)
  _PLACE_SAID=() _PLACE_ASKED=()
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
  local key="$1 $_PLACE_TOPOLOGY"
  REPLY=${_PLACE_MEMORY[$key]-unknown}
  [[ $REPLY == unknown ]] || return 0
  REPLY=$(exec awk -F '[, ]' -v which="$1" "$CPUS_AWK"'
    /^[0-9]/ && which == "all" { node[++n] = $4 }
    /^# node [0-9]+ has memory and no CPU/ && (which == "all" || /no CPU$/) { node[++n] = $3 }
    /^# node [0-9]+ .* may not use/ { barred[$3] = 1 }
    END {
      for (i = 1; i <= n; i++) if (!(node[i] in barred)) kept[++k] = node[i]
      print cpus_compress(kept, k + 0)
    }' <<<"$_PLACE_TOPOLOGY")
  _PLACE_MEMORY[$key]=$REPLY
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

# Print the numactl options of the load generator of a client; nothing when it is not placed.
# Usage: place_client CLIENT
# Globals: CLIENT_NUMACTL PLACEMENT PLACEMENT_NODE
place_client() {
  if [[ -n $CLIENT_NUMACTL ]]; then
    echo "$CLIENT_NUMACTL"
  elif [[ $PLACEMENT == split && -z $SERVER_NUMACTL ]]; then
    servers_each _place_beside "$1"
  fi
}

# Print the options of a client on the machine of the server in HOST.
_place_beside() {
  ! hosts_same "$1" "$HOST" || tier_bind "$(_place_other_node)" with-cpus
}

# Refuse a placement that is impossible on this server, naming the setting and where it was set.
# Usage: place_check
# Globals: as place_instances
# Returns: exits 2.
place_check() {
  servers_each _place_check
}

# Refuse a placement that is impossible on the server in HOST.
# Usage: _place_check
# Globals: as place_instances
# Returns: exits 2.
_place_check() {
  local cpus node
  [[ -n $_PLACE_TOPOLOGY ]] || return 0
  [[ $BIO_CPUS == auto ]] || _place_known BIO_CPUS
  [[ -z $SERVER_NUMACTL ]] || return 0
  cpus=$(exec grep -c '^[0-9]' <<<"$_PLACE_TOPOLOGY")
  # Of several servers, a smaller one uses all of its CPUs.
  ((SERVER_CORES <= cpus)) || servers_several || conf_refuse SERVER_CORES "the server has $cpus logical CPUs; set at most that many"
  [[ $SERVER_CPUS == auto ]] || _place_known SERVER_CPUS
  [[ $IRQ_CPUS == auto ]] || _place_known IRQ_CPUS
  [[ $PLACEMENT_NODE == auto ]] || _place_nodes | grep -x "$PLACEMENT_NODE" >/dev/null ||
    conf_refuse PLACEMENT_NODE "node $PLACEMENT_NODE has no CPU on the server; accepted: $(_place_nodes | paste -sd ' ')"
  if [[ $PLACEMENT == split ]]; then
    [[ -n $(_place_other_node) ]] || conf_refuse PLACEMENT "requires two NUMA nodes with CPUs, and the server has one; set another PLACEMENT"
  fi
  _place_units "$SERVER_CORES" || { place_answer && _place_units "$SERVER_CORES"; }
  [[ $REPLY != none ]] || conf_refuse "$(_place_culprit)" "no CPU is left for the instances; leave at least one CPU"
  while read -r node; do
    [[ -z $node || "$REPLY;" != *"@$node;"* ]] || conf_refuse PLACEMENT "binds memory to node $node, which processes on the server may not use (cpuset); set PLACEMENT=spread"
  done < <(sed -n 's/^# node \([0-9]*\) .* may not use$/\1/p' <<<"$_PLACE_TOPOLOGY")
}

# Print the placement on a server as text: one row per set of CPUs, or one per round over all of them when there are many.
# Usage: place_show INSTANCES
place_show() {
  printf 'ports\tinstances\tCPUs\tmemory and policy\n'
  spread_plan "$1" | awk -F '\t' "$CPUS_AWK"'
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

# The CPUs that the kernel isolates, as a list; empty without isolated CPUs.
# Usage: place_isolated
# Returns: sets REPLY
place_isolated() {
  REPLY=
  [[ $_PLACE_TOPOLOGY != *"# isolated "* ]] || REPLY=$(exec sed -n 's/^# isolated //p' <<<"$_PLACE_TOPOLOGY")
}

# The isolated CPUs to which instances are restricted, as a list; empty when they are not restricted.
# Usage: place_kept
# Globals: as place_instances
# Returns: sets REPLY
place_kept() {
  REPLY=
  [[ $SERVER_CPUS == auto && $PLACEMENT != none && -z $SERVER_NUMACTL ]] || return 0
  _place_allowed
}

# Print the number of CPUs that the instances may use, on all servers.
# Usage: place_usable
# Globals: as place_instances
place_usable() {
  servers_each _place_usable | awk '{ sum += $1 } END { print sum + 0 }'
}

# Print the number of CPUs that instances may use on the server in HOST.
# Usage: _place_usable
# Globals: as place_instances
_place_usable() {
  [[ -n $_PLACE_TOPOLOGY ]] || local _PLACE_TOPOLOGY
  _PLACE_TOPOLOGY=${_PLACE_TOPOLOGY:-$(_place_plain)}
  # With the max number of instances, every usable CPU is in the placement.
  _place_units "$SERVER_CORES" cpu 1 || { place_answer && _place_units "$SERVER_CORES" cpu 1; }
  [[ $REPLY != none ]] || REPLY=
  tr ';' '\n' <<<"$REPLY" | sort -u | grep -c . || :
}

# Print the topology of an unknown server: cores of one node.
_place_plain() {
  seq 0 $((SERVER_CORES - 1)) | sed 's/.*/&,&,0,0/'
}

# The sets of CPUs of the instances in turn, CPUS@NODE with a semicolon between two, or `none`.
# Usage: _place_units INSTANCES [PLACEMENT THREADS]
#   PLACEMENT and THREADS of an instance, if they are not those of the settings
# Returns: sets REPLY; 1 when place_answer has to be called first.
_place_units() {
  local key
  _place_allowed
  key="$HOST"$'\t'"$1 ${2-$PLACEMENT} ${PLACEMENT_NODE/auto/-} $SERVER_CORES ${REPLY:--} ${IRQ_CPUS/auto/-} ${3-$IO_THREADS}"
  REPLY=${_PLACE_SAID[$key]-}
  [[ -z $REPLY ]] || return 0
  _PLACE_ASKED[$key]=1
  return 1
}

# The CPUs to which instances are restricted, as a list; empty when there is no restriction.
# Returns: sets REPLY
_place_allowed() {
  local isolated
  REPLY=$SERVER_CPUS
  [[ $REPLY == auto ]] || return 0
  place_isolated
  [[ -n $REPLY ]] || return 0
  isolated=$REPLY
  REPLY=$(exec awk -v isolated="$isolated" -v irq="${IRQ_CPUS/auto/}" "$CPUS_AWK"'BEGIN {
    for (i = cpus_expand(irq, list); i > 0; i--) taken[list[i]] = 1
    for (i = cpus_expand(isolated, cpu); i > 0; i--) if (!(cpu[i] in taken)) left[++n] = cpu[i]
    print cpus_compress(left, n)
  }')
}

# The nodes that have CPUs.
_place_nodes() {
  awk -F, '/^[0-9]/ { print $4 + 0 }' <<<"$_PLACE_TOPOLOGY" | sort -nu
}

# The node after that of the instances, wrapping around.
_place_other_node() {
  { _place_nodes && _place_nodes; } | awk -v node="${PLACEMENT_NODE/auto/0}" 'seen && !said && $1 != node { print $1; said = 1 } $1 == node { seen = 1 }'
}

# Refuse a list that names a CPU that does not exist.
_place_known() {
  local unknown
  unknown=$(awk -F, -v list="${!1}" "$CPUS_AWK"'
    /^[0-9]/ { there[$1 + 0] = 1 }
    END { n = cpus_expand(list, cpus); for (i = 1; i <= n; i++) if (!(cpus[i] in there)) { print cpus[i]; exit } }' <<<"$_PLACE_TOPOLOGY")
  [[ -n $unknown ]] || return 0
  ! facts_limit cpus || conf_refuse "$1" "processes on the server may not use CPU $unknown (cpuset); name some of $REPLY"
  conf_refuse "$1" "the server has no CPU $unknown; name CPUs that lscpu lists there"
}

# Print the name of the setting that left no CPU for the instances: IRQ_CPUS if only that one is set, else SERVER_CPUS.
# Usage: _place_culprit
_place_culprit() {
  if [[ $SERVER_CPUS == auto && $IRQ_CPUS != auto ]]; then echo IRQ_CPUS; else echo SERVER_CPUS; fi
}
