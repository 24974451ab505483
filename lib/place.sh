# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Where instances and local clients run: one plan of CPUs and memory nodes, from the settings and the server's topology.

# The server's CPUs as `lscpu -p=CPU,CORE,SOCKET,NODE` prints them, and a `# node N ...` line for each node without a CPU.
_PLACE_TOPOLOGY=

# Learn the server's topology: from SERVER_TOPOLOGY, a file, or else off the server.
# Usage: place_facts
# Globals: SERVER SERVER_TOPOLOGY
# Returns: exits 2 when the file is none.
place_facts() {
  if [[ $SERVER_TOPOLOGY == auto ]]; then
    _PLACE_TOPOLOGY=$(remote_run "$SERVER" place)
  else
    place_read
  fi
}

# Learn the server's topology without a look at it; with no file, its CPUs are taken for cores of one node.
# Usage: place_read
# Globals: SERVER_TOPOLOGY SERVER_CORES (a number)
# Returns: exits 2 when the file is none, or is needed and not there.
place_read() {
  if [[ $SERVER_TOPOLOGY != auto ]]; then
    grep -qE '^[0-9]+,[0-9]+,[0-9]*,[0-9]*' "$SERVER_TOPOLOGY" 2>/dev/null ||
      conf_refuse SERVER_TOPOLOGY "is not what lscpu -p prints"
    _PLACE_TOPOLOGY=$(<"$SERVER_TOPOLOGY")
    return
  fi
  [[ $PLACEMENT == spread || $PLACEMENT == cpu || $PLACEMENT == none || -n $SERVER_NUMACTL ]] ||
    conf_refuse PLACEMENT "needs the server's topology: save what lscpu -p prints there, and name the file in SERVER_TOPOLOGY"
  _PLACE_TOPOLOGY=$(_place_plain)
}

# Print where each instance runs: PORT CPUS POLICY; `-` is none, POLICY are words of numactl.
# Usage: place_instances INSTANCES
# Globals: PLACEMENT PLACEMENT_NODE SERVER_CPUS SERVER_CORES IRQ_CPUS IO_THREADS SERVER_NUMACTL REDISBASE
# Returns: 1 when no CPU is left for them.
place_instances() {
  local instances=$1 port cpus node memory
  memory=$(tier_policy)
  if [[ -n $SERVER_NUMACTL || $PLACEMENT == none ]]; then
    memory=${SERVER_NUMACTL:+$SERVER_NUMACTL${memory:+ }}$memory
    for ((port = REDISBASE; port < REDISBASE + instances; port++)); do
      printf '%s\t-\t%s\n' "$port" "${memory:--}"
    done
    return
  fi
  _place_rows "$instances" | while IFS=$'\t' read -r port cpus node; do
    [[ $node == - ]] || node=$(tier_bind "$node")
    # A memory tier is what is asked about, so it comes before where memory would be best.
    node=${memory:-$node}
    printf '%s\t%s\t%s\n' "$port" "$cpus" "$node"
  done
}

# Print the server's memory nodes as a list: all, or those far from every CPU, of which a faster one is none.
# Usage: place_memory_nodes all|far
place_memory_nodes() {
  local faster='.*'
  [[ $1 != far ]] || faster=
  { [[ $1 == far ]] || _place_nodes && sed -n "s/^# node \([0-9]*\) has memory and no CPU$faster\$/\1/p" <<<"$_PLACE_TOPOLOGY"; } |
    sort -n | awk "$CPUS_AWK"'{ node[NR] = $1 } END { print cpus_compress(node, NR) }'
}

# Print the words of numactl for the load generator of a client; nothing when it is free to run where it likes.
# Usage: place_client CLIENT
# Globals: CLIENT_NUMACTL PLACEMENT PLACEMENT_NODE
place_client() {
  if [[ -n $CLIENT_NUMACTL ]]; then
    echo "$CLIENT_NUMACTL"
  elif [[ $PLACEMENT == split && -z $SERVER_NUMACTL ]] && _place_same_host "$1"; then
    tier_bind "$(_place_other_node)" with-cpus
  fi
}

# Refuse a placement that this server cannot give, naming where the culprit stands.
# Usage: place_check
# Globals: as place_instances
# Returns: exits 2.
place_check() {
  local cpus
  [[ -n $_PLACE_TOPOLOGY && -z $SERVER_NUMACTL ]] || return 0
  cpus=$(grep -c '^[0-9]' <<<"$_PLACE_TOPOLOGY")
  ((SERVER_CORES <= cpus)) || conf_refuse SERVER_CORES "the server has $cpus logical CPUs"
  [[ $SERVER_CPUS == auto ]] || _place_known SERVER_CPUS
  [[ $IRQ_CPUS == auto ]] || _place_known IRQ_CPUS
  [[ $PLACEMENT_NODE == auto ]] || _place_nodes | grep -qx "$PLACEMENT_NODE" ||
    conf_refuse PLACEMENT_NODE "node $PLACEMENT_NODE has no CPU on the server"
  if [[ $PLACEMENT == split ]]; then
    [[ -n $(_place_other_node) ]] || conf_refuse PLACEMENT "needs two NUMA nodes with CPUs, and the server has one"
  fi
  _place_rows 1 >/dev/null || conf_refuse "$(_place_culprit)" "no CPU is left for the instances"
}

# Print the placement for people: a row for each set of CPUs, or for each round over all of them when there are many.
# Usage: place_show INSTANCES
place_show() {
  printf 'ports\tinstances\tCPUs\tmemory and policy\n'
  place_instances "$1" | awk -F '\t' "$CPUS_AWK"'
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
      # The sets come round in one order, so a round ends where the first comes again.
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

# Whether a client is the server's own machine, which may have two names.
_place_same_host() {
  [[ $1 == "$SERVER" ]] || { remote_is_local "$1" && remote_is_local "$SERVER"; }
}

# Print the CPUs that the kernel keeps free of everything that is not put there, as a list; nothing when there are none.
# Usage: place_isolated
place_isolated() {
  sed -n 's/^# isolated //p' <<<"$_PLACE_TOPOLOGY"
}

# Print the CPUs that instances are kept to because the kernel keeps these free, as a list; nothing when they are not.
# Usage: place_kept
# Globals: as place_instances
place_kept() {
  [[ $SERVER_CPUS != auto || $PLACEMENT == none || -n $SERVER_NUMACTL ]] || _place_allowed
}

# Print how many CPUs the instances may use.
# Usage: place_usable
# Globals: as place_instances
place_usable() {
  local PLACEMENT=cpu IO_THREADS=1 SERVER_CORES=$SERVER_CORES
  if [[ -n $_PLACE_TOPOLOGY ]]; then
    # As many instances as there could be: each CPU is then named.
    _place_rows "$SERVER_CORES" | cut -f 2 | sort -u | wc -l
  else
    _PLACE_TOPOLOGY=$(_place_plain) _place_rows "$SERVER_CORES" | cut -f 2 | sort -u | wc -l
  fi
}

# Print the topology of a server that is not known: cores of one node.
_place_plain() {
  seq 0 $((SERVER_CORES - 1)) | sed 's/.*/&,&,0,0/'
}

_place_rows() {
  local allowed='' except=''
  allowed=$(_place_allowed)
  [[ $IRQ_CPUS == auto ]] || except=$IRQ_CPUS
  awk -v instances="$1" -v base="$REDISBASE" -v placement="$PLACEMENT" -v node="${PLACEMENT_NODE/auto/}" -v cores="$SERVER_CORES" \
    -v allowed="$allowed" -v except="$except" -v share="$IO_THREADS" "$CPUS_AWK$(<"$LIB/place.awk")" <<<"$_PLACE_TOPOLOGY"
}

# The only CPUs that instances may use, as a list; nothing when that is all of them.
_place_allowed() {
  if [[ $SERVER_CPUS != auto ]]; then
    echo "$SERVER_CPUS"
  else
    awk -v isolated="$(place_isolated)" -v irq="${IRQ_CPUS/auto/}" "$CPUS_AWK"'BEGIN {
      for (i = cpus_expand(irq, list); i > 0; i--) taken[list[i]] = 1
      for (i = cpus_expand(isolated, cpu); i > 0; i--) if (!(cpu[i] in taken)) left[++n] = cpu[i]
      print cpus_compress(left, n)
    }'
  fi
}

# The nodes that have CPUs.
_place_nodes() {
  awk -F, '/^[0-9]/ { print $4 + 0 }' <<<"$_PLACE_TOPOLOGY" | sort -nu
}

# The node after the instances' one, round to the first.
_place_other_node() {
  { _place_nodes && _place_nodes; } | awk -v node="${PLACEMENT_NODE/auto/0}" 'seen && $1 != node { print $1; exit } $1 == node { seen = 1 }'
}

# Refuse a list that names a CPU which is not there.
_place_known() {
  local unknown
  unknown=$(awk -F, -v list="${!1}" "$CPUS_AWK"'
    /^[0-9]/ { there[$1 + 0] = 1 }
    END { n = cpus_expand(list, cpus); for (i = 1; i <= n; i++) if (!(cpus[i] in there)) { print cpus[i]; exit } }' <<<"$_PLACE_TOPOLOGY")
  [[ -z $unknown ]] || conf_refuse "$1" "the server has no CPU $unknown"
}

_place_culprit() {
  if [[ $SERVER_CPUS == auto && $IRQ_CPUS != auto ]]; then echo IRQ_CPUS; else echo SERVER_CPUS; fi
}
