# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The state that a run may change on a machine, as text: it must be the same before a run and after its cleanup.

# Print the state of the machine and of the hosts on it.
# Usage: state_print   Globals: NETNS_HOSTS, and RUN_DIR, the REMOTE_DIR of the runs   Returns: 0
state_print() {
  local host file
  for file in /proc/sys/vm/* /sys/kernel/mm/{ksm,transparent_hugepage}/* /proc/sys/kernel/numa_balancing /sys/module/zswap/parameters/*; do
    # Counters of the kernel are not settings.
    case $file in */stat_refresh | */pages_* | */full_scans | */ksm_* | */general_profit | */stable_node_*) continue ;; esac
    [[ -f $file && -w $file ]] && printf '%s %s\n' "$file" "$(tr '\n' ' ' 2>/dev/null <"$file")"
  done
  find /sys/fs/cgroup -type d -name '*tierbench*' 2>/dev/null
  # Without the size of what is in it: swap of others is used at any time.
  awk 'NR > 1 { print $1, $2, $3, $5 }' /proc/swaps
  printf 'zram %s\n' /sys/block/zram*
  for file in /proc/irq/*/smp_affinity_list; do printf '%s %s\n' "$file" "$(<"$file")"; done 2>/dev/null
  for host in "${NETNS_HOSTS[@]}"; do _state_host "$host"; done
}

# The state of one host: its network settings, its processes, and the files in its directories.
_state_host() {
  netns_host "$1" bash -c '
    for file in /proc/sys/net/core/* /proc/sys/net/ipv4/*; do
      # State of the kernel or the whole machine, which other tests may change at the same time.
      case $file in */flow_limit* | */netdev_rss_key | */tcp_fastopen_key | */*mem | */tcp_*congestion_control) continue ;; esac
      [[ -f $file && -w $file ]] && printf "%s %s %s\n" "$0" "$file" "$(tr "\n" " " 2>/dev/null <"$file")"
    done
    for folder in "$1" /tmp /var/tmp /run/screen /run/lock; do
      [[ ! -d $folder ]] || find "$folder" -mindepth 1 \( -path "$1/cache" -prune -o -type f -name "*.flock" -o -printf "$0 %p\n" \)
    done' "$1" "$RUN_FOLDER" 2>/dev/null | sort
  state_processes "$1" | sort -k 3
}

# Print the processes of a host, except for its sshd: HOST PID COMMAND.
# Usage: state_processes HOST   Returns: 0
state_processes() {
  local each command listener
  listener=$(<"$NETNS_DIR/$1/sshd.process")
  for each in $(netns_processes "$1"); do
    [[ $each != "$listener" ]] || continue
    command=$(tr '\0' ' ' 2>/dev/null <"/proc/${each%%:*}/cmdline") || continue
    # A session with a lost peer waits for it as long as sshd does.
    [[ $command != 'sshd: '* ]] || continue
    printf '%s %s %s\n' "$1" "${each%%:*}" "$command"
  done
}
