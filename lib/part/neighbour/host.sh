# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A load on the memory of a node of this host while phases are measured: membench, which reads at a fixed rate.
# Needs: part allowed tier_detect cpus
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Seconds until membench must load the node: before that, it touches its whole buffer.
NEIGHBOUR_READY=120

# Usage: main check NODE | start PROGRAM NODE GB_S BUSY_CPUS | end
main() {
  local verb=$1
  shift
  host_part neighbour
  "host_neighbour_$verb" "$@"
}

# Print whether the node can be loaded, as a row STATE FOUND WANTED FIX.
# Usage: host_neighbour_check NODE
host_neighbour_check() {
  local nodes
  nodes=$(host_tier_memory_nodes | cut -f 1 | paste -sd ' ')
  if [[ " ${nodes:-0} " == *" $1 "* ]]; then
    printf 'ok\tnode %s\tNEIGHBOUR: a load on its memory\t-\n' "$1"
  else
    printf 'fail\tnode %s has no memory, or does not exist\tNEIGHBOUR: a node with memory: %s\tname it in NEIGHBOUR\n' "$1" "${nodes:-0}"
  fi
}

# Start membench, wait until it loads the node, and print host_neighbour_cpus. It exits when the master has died: it checks the master's process if the
# master runs on this machine, else the lease.
# Usage: host_neighbour_start PROGRAM NODE GB_S BUSY_CPUS
#   BUSY_CPUS are the CPUs of the instances, which membench avoids if other CPUs are available
host_neighbour_start() {
  local end=$((SECONDS + NEIGHBOUR_READY))
  # The master repeats a call after a lost link, so membench may already be running.
  [[ -e $PART/proc ]] || host_neighbour_launch "$@"
  until [[ -s $PART/out/neighbour.tsv ]]; do
    host_part_lives || fail "NEIGHBOUR: it ended at once: $(said_why <"$PART/err")"
    ((SECONDS < end)) || fail "NEIGHBOUR: node $2 is not loaded within $NEIGHBOUR_READY s"
    sleep 0.05 # the interval of polling
  done
  cat "$PART/cpus"
}

# Start membench on the CPUs of host_neighbour_cpus.
# Usage: host_neighbour_launch PROGRAM NODE GB_S BUSY_CPUS
host_neighbour_launch() {
  host_part_make
  owner_watch
  host_neighbour_cpus "$4" "$3" >"$PART/cpus"
  host_part_launch load "$1" load --node "$2" --gb-s "$3" --cpus "$(cut -f 2 "$PART/cpus")" "${OWNER_WATCH[@]}" >"$PART/out/neighbour.tsv" 2>"$PART/err" ||
    fail "NEIGHBOUR: it ended at once: $(said_why <"$PART/err")"
  host_part_made
}

# Print `cpus LIST KIND`, the CPUs for membench, one for every 2 GB/s. KIND is free; sibling if one of them is a hyperthread of an instance's CPU,
# and instance if one of them is an instance's CPU: such CPUs are used only if there are no others.
# Usage: host_neighbour_cpus BUSY_CPUS GB_S
host_neighbour_cpus() {
  local root=${TIERBENCH_ROOT-} file cpu list
  {
    sed -n 's/^Cpus_allowed_list:[[:space:]]*/allowed\t/p' "$root/proc/self/status"
    for file in "$root"/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list; do
      list=
      { read -r list <"$file"; } 2>/dev/null || continue
      cpu=${file%/topology/*}
      printf '%s\t%s\n' "${cpu##*/cpu}" "$list"
    done
  } | LC_ALL=C awk -F '\t' -v busy="$1" -v rate="$2" "$CPUS_AWK"'
    $1 == "allowed" { all = cpus_expand($2, may); next }
    { siblings[$1] = $2 }
    END {
      n = busy ~ /^[0-9]/ ? cpus_expand(busy, list) : 0
      for (i = 1; i <= n; i++) class[list[i]] = 3
      for (i = 1; i <= all; i++) if (!(may[i] in class)) class[may[i]] = 1
      for (i = 1; i <= all; i++) {
        n = cpus_expand(siblings[may[i]], list)
        for (j = 1; j <= n; j++) if (class[may[i]] == 1 && list[j] != may[i] && class[list[j]] == 3) class[may[i]] = 2
      }
      want = int((rate + 1.999) / 2)
      if (want < 1) want = 1
      for (kind = 1; kind <= 3; kind++)
        for (i = all; i >= 1; i--)
          if (class[may[i]] == kind && found < want && (kind < 3 || !found)) { cpu[++found] = may[i]; worst = kind }
      print "cpus\t" cpus_compress(cpu, found) "\t" (worst == 3 ? "instance" : worst == 2 ? "sibling" : "free")
    }'
}

# Stop membench; its bandwidth of each second is the file for the master, who repeats a call after a lost link.
host_neighbour_end() {
  [[ -e $PART/proc ]] || fail "NEIGHBOUR: no load on memory is recorded"
  [[ -e $PART/stopped ]] || host_part_lives || fail "NEIGHBOUR: the load on memory ended before the phases: $(said_why <"$PART/err")"
  # On a full disk a first call must succeed.
  { : >"$PART/stopped"; } 2>/dev/null || :
  host_part_end || fail "NEIGHBOUR: the load on memory does not end"
}
