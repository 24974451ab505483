# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Cold memory on nodes of this host: one membench per node, which writes it once and keeps it until the repeat ends.
# Needs: part allowed tier_detect
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Bytes per second at which memory is written at least, and seconds for everything else.
COLD_SPEED=$((64 << 20)) COLD_READY=60

# Usage: main check NODES WANTED DATA RESERVE | start PROGRAM NODES WANTED DATA RESERVE | look
#   NODES is a list with commas. WANTED is a number with K, M, G or nothing, which is divided evenly between the nodes, or a percentage of what each
#   can give. DATA are the bytes that the instances will have, and RESERVE those that must stay free.
main() {
  local verb=$1
  shift
  host_part cold
  "host_cold_$verb" "$@"
}

# Print whether there is room, as a row STATE FOUND WANTED FIX.
# Usage: host_cold_check NODES WANTED DATA RESERVE
host_cold_check() {
  local nodes
  if ! host_cold_room "$@"; then
    printf 'fail\t%s\tCOLD_MEMORY=%s\t%s\n' "$WHY" "$2" "set COLD_MEMORY or FILL"
    return
  fi
  nodes=$(host_tier_memory_nodes | wc -l)
  if ((nodes < 2)); then
    printf 'warn\tone node with memory: instances get the rest of it\tCOLD_MEMORY: a slower node\tanother server\n'
  else
    printf 'ok\t%s MiB on node %s\tCOLD_MEMORY=%s\t-\n' $((COLD_SUM >> 20)) "$1" "$2"
  fi
}

# Compute the bytes for each node.
# Usage: host_cold_room NODES WANTED DATA RESERVE
# Returns: sets COLD_PLAN, lines NODE BYTES LEAST KEEP, and COLD_SUM, the sum of BYTES; 1 with WHY if there is no room
host_cold_room() {
  local text min=0
  { read -r min <"${TIERBENCH_ROOT-}/proc/sys/vm/min_free_kbytes"; } 2>/dev/null || :
  text=$(host_cold_memory "$1" | LC_ALL=C awk -v nodes="$1" -v wanted="$2" -v data="$3" -v reserve="$4" -v min="$min" '
    { value[$1, $2] = $3 * 1024 }
    $1 != "all" && $2 == "MemTotal:" { total += $3 * 1024 }
    END {
      n = split(nodes, node, ",")
      number = wanted + 0
      unit = substr(wanted, length(wanted))
      if (unit ~ /[KMG]/) number *= unit == "K" ? 1024 : unit == "M" ? 1048576 : 1073741824
      for (i = 1; i <= n; i++) {
        at = node[i]
        if (!((at, "MemTotal:") in value)) { print "no\tnode " at " has no memory, or does not exist"; exit }
        # As in lib/membench/room.c: 1 % and 16 MiB are for the kernel, or twice its min; the rest of its part of the reserve comes on top.
        kernel = value[at, "MemTotal:"] / 100 + 16777216
        reclaim = 2 * min * 1024 * value[at, "MemTotal:"] / total
        if (kernel < reclaim) kernel = reclaim
        cached = value[at, "Active(file):"] + value[at, "Inactive(file):"] - value[at, "Mapped:"] - value[at, "Dirty:"]
        room = value[at, "MemFree:"] + (cached > 0 ? cached : 0)
        keep = reserve * value[at, "MemTotal:"] / total
        if (keep < kernel) keep = kernel
        # Whole huge pages, as membench takes them.
        bytes[i] = int((unit == "%" ? (room - keep) * number / 100 : number / n) / 2097152) * 2097152
        kept[i] = keep - kernel
        sum += bytes[i]
        if (bytes[i] <= 0 || bytes[i] > room - keep) {
          printf "no\tnode %s: %d MiB free, of which %d MiB stay free\n", at, room / 1048576, keep / 1048576
          exit
        }
      }
      if (value["all", "MemAvailable:"] < sum + data + reserve) {
        printf "no\t%d MiB available for %d MiB of cold memory and %d MiB of data, with %d MiB kept free\n", value["all", "MemAvailable:"] / 1048576, \
          sum / 1048576, data / 1048576, reserve / 1048576
        exit
      }
      # What the node can give may change: nine tenths of a percentage are enough.
      for (i = 1; i <= n; i++) printf "%s\t%.0f\t%.0f\t%.0f\n", node[i], bytes[i], unit == "%" ? bytes[i] * 0.9 : bytes[i], kept[i]
    }')
  WHY=${text#no$'\t'}
  [[ $text != no$'\t'* ]] || return 1
  COLD_PLAN=$text
  COLD_SUM=$(awk -F '\t' '{ sum += $2 } END { printf "%.0f", sum }' <<<"$text")
}

# Print meminfo, lines NODE NAME: KIB, of every node, and of the machine as node `all`.
host_cold_memory() {
  local root=${TIERBENCH_ROOT-} node nodes
  nodes=$(host_tier_memory_nodes | cut -f 1)
  sed 's/^/all /' "$root/proc/meminfo"
  # The count of a single node can lag behind that of the machine.
  if (($(wc -w <<<"$nodes") < 2)); then
    sed "s/^/${nodes:-0} /" "$root/proc/meminfo"
  else
    for node in $nodes; do sed 's/^Node //' "$root/sys/devices/system/node/node$node/meminfo"; done
  fi
}

# Fill the nodes, and print `held NODE BYTES` for each. A call that is repeated after a lost link starts over. membench exits when the master is
# gone: it watches the master's process if the master runs on this machine, else the lease.
# Usage: host_cold_start PROGRAM NODES WANTED DATA RESERVE
host_cold_start() {
  local node bytes least keep end pid start label
  host_part_fresh
  host_cold_room "${@:2}" || fail "COLD_MEMORY=$3: $WHY"
  owner_watch
  while IFS=$'\t' read -r node bytes least keep; do
    host_part_launch "$node" "$1" hold --node "$node" --bytes "$bytes" --least "$least" --keep "$keep" "${OWNER_WATCH[@]}" >"$PART/$node.tsv" 2>"$PART/$node.err" ||
      fail "COLD_MEMORY=$3: $(said_why <"$PART/$node.err")"
  done <<<"$COLD_PLAN"
  host_part_made
  host_part_counted
  end=$((SECONDS + COLD_READY + COLD_SUM / COLD_SPEED))
  while read -r pid start label _; do
    until [[ -s $PART/$label.tsv ]]; do
      proc_alive "$pid" "$start" || fail "COLD_MEMORY=$3: $(said_why <"$PART/$label.err")"
      ((SECONDS < end)) || fail "COLD_MEMORY=$3: node $label is not filled within $((COLD_READY + COLD_SUM / COLD_SPEED)) s"
      sleep 0.05 # the interval of polling
    done
    read -r _ bytes <"$PART/$label.tsv"
    printf 'held\t%s\t%s\n' "$label" "$bytes"
  done <"$PART/proc"
}

# Fail if the memory is no longer held.
host_cold_look() {
  host_part_lives && return
  [[ -n $LABEL ]] || fail "COLD_MEMORY: none is on record"
  fail "COLD_MEMORY: that of node $LABEL was gone before the phases ended: $(said_why <"$PART/$LABEL.err")"
}
