# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The CPU time that this host has used so far, and the run's part of it: from /proc/stat and the times of processes (proc(5)).

# Print one line: KERNEL SPACE TIME_US CPUS USED_US STEAL_US ALL_US OURS_US ROOT SCRIPTS_US THROTTLED_US PERIODS, separated by tabs.
#   KERNEL    its boot_id: hosts with the same one share their CPUs; SPACE is the namespace of process ids
#   USED_US   user, nice and system time of all CPUs without the kernel's threads; interrupts have separate columns in /proc/stat
#   ALL_US    the time of all visible processes except for the kernel's threads, with their ended children
#   OURS_US   the time of the sessions of recorded processes (instances, monitors, load generators), with their ended children
#   THROTTLED_US and PERIODS say for how long, and in how many periods, a quota of CPU time stopped the recorded processes
#   ROOT      the process above this script: the master, or the sshd of its connection; SCRIPTS_US is all that runs below it
# Usage: host_probe_cpu ENDED_US RECORD...
#   ENDED_US is added to OURS_US: the time of recorded processes that have ended
# Globals: ALLOWED_STATS, as host_allowed_stats sets it for the recorded processes
host_probe_cpu() {
  local id own_space boot space master ended=$1 REPLY
  shift
  owner_place
  id=${REPLY%$'\t'*} own_space=${REPLY#*$'\t'}
  IFS=$'\t' read -r _ _ _ master _ boot space _ <<<"$RUN_OWNER"
  [[ $boot == "$id" && $space == "$own_space" ]] || master=0
  host_allowed_throttled "${ALLOWED_STATS[@]}"
  # Ticks are hundredths of a second on every machine but Alpha.
  LC_ALL=C awk -v id="$id" -v space="$own_space" -v now="${EPOCHREALTIME/[.,]/}" -v master="$master" -v script=$$ -v ended="$ended" \
    -v records=$# -v throttled="$REPLY" '
    function us(ticks) { return sprintf("%.0f", ticks * 10000) }
    # One process: its line is PID (NAME) STATE PARENT GROUP SESSION ..., and NAME may contain blanks and brackets.
    function take(file,    line, pid, f) {
      if ((getline line < file) > 0) {
        pid = line + 0
        if (line ~ /^[0-9]+ \(sshd/) sshd[pid] = 1
        if (line ~ /^2 \(kthreadd\)/) kernel = 1
        sub(/^.*\) /, "", line)
        split(line, f, " ")
        parent[pid] = f[2] + 0
        session[pid] = f[4] + 0
        used[pid] = f[12] + f[13] + f[14] + f[15]
      }
      close(file)
      return pid
    }
    function is_below(pid, root,    steps) {
      for (steps = 0; pid > 0 && steps < 1000; steps++) {
        if (pid == root) return 1
        pid = parent[pid]
      }
      return 0
    }
    BEGIN {
      while ((getline line < "/proc/stat") > 0) {
        split(line, f, " ")
        if (f[1] == "cpu") { busy = f[2] + f[3] + f[4]; stolen = f[9] }
        else if (f[1] ~ /^cpu[0-9]/) cpus++
        else break
      }
      self = take("/proc/self/stat")
      for (i = 1; i <= records; i++) {
        while ((getline line < ARGV[i]) > 0) recorded[line + 0] = 1
        close(ARGV[i])
      }
      for (; i < ARGC; i++) take(ARGV[i])
      for (root = self; root > 1 && root != master && !(root in sshd); root = parent[root]);
      if (root <= 1) root = script
      for (pid in recorded) if ((pid in session) && session[pid] != session[self]) own[session[pid]] = 1
      for (pid in used) {
        if (kernel && (pid == 2 || parent[pid] == 2)) {
          busy -= used[pid]
          continue
        }
        all += used[pid]
        if ((session[pid] in own) || (pid in recorded)) ours += used[pid]
        else if (is_below(pid, root)) scripts += used[pid]
      }
      printf "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%.0f\t%d\t%s\t%s\n", id, space, now, cpus, us(busy), us(stolen), us(all), us(ours) + ended, root, us(scripts), throttled
    }' "$@" /proc/[0-9]*/stat
}

# Print the microseconds that a process and its ended children used, from the output of the shell builtin `times`: four values such as 1m2.345s.
# Usage: host_probe_times FILE
host_probe_times() {
  LC_ALL=C awk '{ for (i = 1; i <= NF; i++) { split($i, part, "m"); sub(/,/, ".", part[2]); sum += 60 * part[1] + part[2] } }
    END { printf "%.0f\n", sum * 1000000 }' "$1"
}

# Print `machine` and the line of host_probe_cpu; nothing after several failed tries: mawk fails when a process ends while it is read.
# Usage: host_probe_row ENDED_US RECORD...
host_probe_row() {
  local line try
  for try in 1 2 3 4 5; do
    line=$(exec 2>/dev/null && host_probe_cpu "$@") || line=
    [[ -n $line ]] || continue
    printf 'machine\t%s\n' "$line"
    return 0
  done
}
