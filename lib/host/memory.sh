# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The latency and bandwidth of each node's memory from each socket, measured by membench, and the figures of firmware and the kernel.
# Needs: allowed tier_detect cpus
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# The time limit in seconds for one pair of socket and node, and the time after which no further pair is started.
MEMORY_PAIR=120 MEMORY_ALL=600

# Usage: main measure PROGRAM | stored
main() {
  workdir_open
  "host_memory_$1" "${@:2}"
}

# Print `node NODE PLACE TIER LATENCY_NS BANDWIDTH_MB_S WEIGHT` for each node with memory (`-`: not known). Then print one line per pair:
# `pair SOCKET NODE LATENCY_NS LOADED_NS LOAD_MB_S READ_MB_S WRITE_MB_S PAGES CACHED SHARE_PERCENT`, or `failed SOCKET NODE WHY`.
# The lines are kept in cache/memory.tsv of REMOTE_DIR.
# Usage: host_memory_measure PROGRAM
host_memory_measure() {
  mkdir -p -- "$WORK/cache"
  # Two probes at the same time would disturb each other.
  workdir_lock memory
  host_memory_nodes
  host_memory_pairs "$1" | tee "$WORK/cache/memory.new"
  host_memory_keep
}

# Print the kernel's figures of each node.
host_memory_nodes() {
  local node place
  while IFS=$'\t' read -r node place; do
    printf 'node\t%s\t%s\t%s\t%s\t%s\t%s\n' "$node" "$place" "$(host_memory_or "$(host_tier_number "$node")")" \
      "$(host_memory_or "$(host_tier_figure "$node" read_latency)")" "$(host_memory_or "$(host_tier_figure "$node" read_bandwidth)")" "$(host_memory_figure "${TIERBENCH_ROOT-}/sys/kernel/mm/mempolicy/weighted_interleave/node$node")"
  done < <(host_memory_list)
}

# Print NODE and PLACE of each node with memory; a kernel without NUMA has one node.
host_memory_list() {
  host_tier_memory_nodes | grep . || printf '0\tcpu\n'
}

# Print the number in a file of the kernel, `-` if it does not exist.
host_memory_figure() {
  local line=
  { IFS= read -r line <"$1"; } 2>/dev/null || :
  [[ $line =~ ^[1-9][0-9]{0,9}$ ]] || line=
  host_memory_or "$line"
}

# Print a text, or `-` if it is empty, without a line feed.
# Usage: host_memory_or TEXT
host_memory_or() {
  printf '%s' "${1:--}"
}

# Measure each node from each socket.
# Usage: host_memory_pairs PROGRAM
host_memory_pairs() {
  local socket cpus node said why=$WORK/cache/memory.why
  while IFS=$'\t' read -r socket cpus; do
    while IFS=$'\t' read -r node _; do
      # A dead master does not always cause a broken pipe.
      [[ -z ${LOCK_DIR-} ]] || owner_lives "$LOCK_DIR/tierbench-lock.$RUN_ID" || fail "the master has died; the rest is not measured"
      if ((SECONDS >= MEMORY_ALL)); then
        printf 'failed\t%s\t%s\tnot measured: the time limit of %s s is over\n' "$socket" "$node" "$MEMORY_ALL"
      elif said=$(run_limited "$MEMORY_PAIR" "$1" measure --node "$node" --cpus "$cpus" 2>"$why"); then
        awk -F '\t' -v OFS='\t' -v socket="$socket" -v node="$node" '
          function of(name) { return (name in value) ? value[name] : "-" }
          { value[$1] = $2 }
          END {
            print "pair", socket, node, of("latency_ns"), of("loaded_ns"), of("load_mb_s"), of("read_mb_s"), of("write_mb_s"), of("pages"), of("cached"), of("share_percent")
          }' <<<"$said"
      else
        printf 'failed\t%s\t%s\t%s\n' "$socket" "$node" "$(said_why <"$why" | tr -d '[:cntrl:]')"
      fi
    done < <(host_memory_list)
  done < <(host_memory_sockets)
  rm -f -- "$why"
}

# Print each socket with an allowed CPU, and its allowed CPUs.
host_memory_sockets() {
  local allowed file cpu socket
  allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "${TIERBENCH_ROOT-}/proc/self/status")
  for file in "${TIERBENCH_ROOT-}"/sys/devices/system/cpu/cpu[0-9]*; do
    cpu=${file##*/cpu}
    socket=0
    { read -r socket <"$file/topology/physical_package_id"; } 2>/dev/null || :
    # -1 if the machine does not report the socket.
    ((socket >= 0)) || socket=0
    printf '%s\t%s\n' "$cpu" "$socket"
  done | awk -F '\t' -v allowed="$allowed" "$CPUS_AWK"'
    BEGIN { n = cpus_expand(allowed, list); for (i = 1; i <= n; i++) may[list[i]] = 1 }
    $1 in may { socket[$1 + 0] = $2; if ($1 + 0 > top) top = $1 + 0; if ($2 + 0 > last) last = $2 + 0 }
    END {
      for (s = 0; s <= last; s++) {
        n = 0
        for (c = 0; c <= top; c++) if ((c in socket) && socket[c] == s) cpus[++n] = c
        if (n) print s "\t" cpus_compress(cpus, n)
      }
    }'
}

# Store the figures with the boot id: they are valid until this machine reboots.
host_memory_keep() {
  local boot
  boot=$(</proc/sys/kernel/random/boot_id)
  if ! { printf 'boot\t%s\n' "$boot" && host_memory_nodes && cat "$WORK/cache/memory.new"; } >"$WORK/cache/memory.tsv.new" ||
    ! mv -f -- "$WORK/cache/memory.tsv.new" "$WORK/cache/memory.tsv"; then
    fail "$WORK/cache: cannot be written (REMOTE_DIR: is its disk full?)"
  fi
  rm -f -- "$WORK/cache/memory.new"
}

# Print the figures that a measurement since the last boot stored; nothing without one.
host_memory_stored() {
  local line
  { read -r line <"$WORK/cache/memory.tsv"; } 2>/dev/null || return 0
  [[ $line != "boot"$'\t'"$(</proc/sys/kernel/random/boot_id)" ]] || sed 1d "$WORK/cache/memory.tsv"
}
