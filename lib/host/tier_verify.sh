# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The placement of the instances' data, and whether the tier asks for it. Rows SCOPE COUNTER VALUE.

# Print the private pages of a process by node, without pages of files.
# Usage: host_tier_pages PID PORT
host_tier_pages() {
  awk -v port="$2" '
    / anon=/ {
      size = 4096
      for (i = 3; i <= NF; i++) if ($i ~ /^kernelpagesize_kB=/) size = substr($i, 19) * 1024
      for (i = 3; i <= NF; i++) if ($i ~ /^N[0-9]+=/) { split($i, part, "="); sum[substr(part[1], 2)] += part[2] * size }
    }
    END { for (node in sum) printf "%s\tnode%s\t%.0f\n", port, node, sum[node] }' "/proc/$1/numa_maps" 2>/dev/null || :
}

# Print the far nodes of the tier, with a blank around each.
# Usage: host_tier_far FOLDER
#   FOLDER is that of the tier in the directory of the run
host_tier_far() {
  local nodes REPLY
  nodes=$(sed -n 's/^far\t//p' "$1/asked" 2>/dev/null) || :
  _host_tier_detect_list "$nodes"
  printf '%s' "$REPLY"
}

# Print the tier's request, and the usage of its cgroup and its swap, and the rows of the tier itself.
# Usage: host_tier_state
# Globals: WORK RUN_ID
host_tier_state() {
  local folder=$WORK/run-$RUN_ID/tier group far REPLY
  local -a lines=()
  [[ ! -e $folder/asked ]] || mapfile -t lines <"$folder/asked"
  ((${#lines[@]} == 0)) || printf 'tier\t%s\n' "${lines[@]}"
  [[ ! -e $folder/cgroup ]] || host_tier_cgroup_usage "$(<"$folder/cgroup")" | sed 's/^/cgroup\t/'
  [[ ! -e $folder/groups ]] || far=$(host_tier_far "$folder")
  host_tier_cgroup_list
  for group in "${CGROUP_LIST[@]}"; do
    host_tier_cgroup_usage "$group" | sed "s/^/group:${group##*/}\t/"
    # With one node that is what is resident.
    ((${#MONITOR_NODES[@]} < 2)) || ! host_tier_cgroup_nodes "$group" "$far" "$(getconf PAGESIZE)" ||
      printf "group:${group##*/}\t%s\t%s\n" dram "${REPLY%$'\t'*}" far "${REPLY#*$'\t'}"
  done
  [[ ! -s $folder/swap ]] || host_tier_swap_usage "$folder/swap"
  [[ ! "${lines[*]}" =~ $'tier\t'([a-z0-9_]+) ]] || ! declare -F "host_tier_${BASH_REMATCH[1]}_state" >/dev/null || "host_tier_${BASH_REMATCH[1]}_state" "$folder"
}

# Print the bytes in the swap of the tier, and, if it is a zram device, the data in it and the memory that they take.
# Usage: host_tier_swap_usage FILE
#   FILE as _host_tier_swap_note writes it
host_tier_swap_usage() {
  local path before
  IFS=$'\t' read -r path before <"$1"
  PATH_OF=$path awk -v before="$before" '
    $1 == ENVIRON["PATH_OF"] { used = $4 * 1024 - before; printf "swap\tused\t%.0f\n", (used > 0 ? used : 0) }' /proc/swaps
  [[ $path != /dev/zram* ]] ||
    awk '{ printf "zram\tdata\t%s\nzram\tcompressed\t%s\nzram\tmemory\t%s\n", $1, $2, $3 }' "${TIERBENCH_ROOT-}/sys/block/${path##*/}/mm_stat"
}

# Judge the rows on stdin. `tier placement` is ok, off when less than 90 % is where it was asked for, or - when the kernel does not report
# it. `tier far_bytes` is the data outside DRAM, or -, and `tier placed` the share that is where it was asked for, in %.
# Usage: host_tier_verify <ROWS
host_tier_verify() {
  awk -F '\t' -v OFS='\t' '
    function expand(list, into,    n, part, ends, i, node, count) {
      n = split(list, part, ",")
      for (i = 1; i <= n; i++) {
        if (split(part[i], ends, "-") < 2) ends[2] = ends[1]
        for (node = ends[1] + 0; node <= ends[2] + 0; node++) { into[node] = 1; count++ }
      }
      return count + 0
    }
    $1 == "tier" { asked[$2] = $3; next }
    # Other swap of the host does not count.
    $1 == "swap" && $2 == "used" { area = $3; known = 1 }
    $1 !~ /^[0-9]+$/ { next }
    # Pages of files, such as the program, are not data, and the tier does not place them.
    $2 == "anon" { rss += $3 }
    $2 == "swap" { swap += $3 }
    $2 ~ /^node[0-9]+$/ { on[substr($2, 5)] += $3; pages += $3 }
    END {
      # The two counts differ slightly; compute shares within one of them.
      all = (pages > 0 ? pages : rss) + swap
      kind = asked["verify"]
      is_divided = index(" " asked["is"] " ", " divided ")
      count = expand(asked["nodes"], wanted)
      expand(asked["far"], far)
      # A node that the instances are bound to is treated as slow, also if it is DRAM.
      if (index(" " asked["is"] " ", " bound ")) for (node in wanted) far[node] = 1
      away = swap
      for (node in on) if (node in far) away += on[node]
      placed = "-"
      if (all == 0) placed = "-"
      else if (kind == "memory") placed = 1 - swap / all
      else if (kind == "nodes") {
        for (node in on) if (node in wanted) there += on[node]
        # With one node there is no count by page: all resident memory is on it.
        placed = pages > 0 ? there / (pages + swap) : rss / all
      } else if (kind == "shares") {
        n = split(asked["weights"], pair, " ")
        for (node in wanted) weight[node] = 1
        if (is_divided && asked["weights"] != "keep")
          for (i = 1; i <= n; i++) { split(pair[i], part, ":"); weight[part[1]] = part[2] }
        for (node in wanted) total += weight[node]
        # The node with the smallest part of its share decides; weights of the kernel itself are not known here.
        if (pages > 0 && !(is_divided && asked["weights"] == "keep")) {
          placed = 1
          for (node in wanted) {
            if (weight[node] == 0) continue
            share = (on[node] / (pages + swap)) / (weight[node] / total)
            if (share < placed) placed = share
          }
        }
      } else if (kind == "limit" && asked["limit"] > 0) {
        # Data that exceeds the DRAM can only be in the tier.
        placed = all > asked["limit"] ? (known && area < swap ? area : swap) / (all - asked["limit"]) : 1
        if (placed > 1) placed = 1
      }
      printf "tier\tdata_bytes\t%.0f\n", all
      # The hypervisor does not report what it has in DRAM.
      printf "tier\tfar_bytes\t%s\n", index(" " asked["is"] " ", " hidden ") ? "-" : sprintf("%.0f", away)
      printf "tier\tplaced_percent\t%s\n", placed == "-" ? "-" : sprintf("%.1f", 100 * placed)
      # Without data there is no placement. The brackets are required: mawk takes a bare > in print for a redirection.
      print "tier", "placement", (placed == "-" ? "-" : placed >= 0.9 ? "ok" : "off")
    }'
}
