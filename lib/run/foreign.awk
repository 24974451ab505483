# SPDX-License-Identifier: MIT
# Compute foreign.tsv from probes: for each phase and host, the CPU time that was not used by Redis, load generators, monitors or our scripts.
# Input: lines MARK HOST and the columns of host_probe_cpu (lib/host/probe.sh); a phase lasts from its mark to the host's next
# mark. LIMIT in the environment: percent of one CPU, or off.
#
#   foreign = the larger of  used - ours  over the hosts of the run with the same kernel, which share its CPUs
#                       and  all - ours   over those that also see the same processes
#   limit   = LIMIT % of one CPU, or 0.5 % of all CPUs if that is larger: larger machines run more daemons; off: all CPUs
# Two counts are made, because each can miss time. `used` lacks interrupts, which many kernels add to the time of processes; `all` lacks processes
# of other containers. A process that ends during a probe may be in `all` twice, or only the next time, with all that it ever used. Foreign and steal
# are percent of one CPU: 200 is two CPUs for the whole time, and no machine has more than its CPUs.

BEGIN {
  FS = OFS = "\t"
  print "phase", "host", "cpus", "seconds", "used_us", "all_us", "ours_us", "steal_us", "foreign_cpu_percent", "steal_percent", "limit_percent", "over", \
    "throttled_us", "throttled_periods"
}

# Ignore a truncated probe.
NF != 14 || $14 !~ /^[0-9]+$/ { next }

{
  if ($2 in last_mark) take_phase(last_mark[$2], $2)
  last_mark[$2] = $1
  for (i = 3; i <= 14; i++) last[$2, i] = $i
}

# The CPU time of a host since its previous mark.
function since(host, i) {
  return $i - last[host, i]
}

# Keep what a host used in a phase. A search can measure a phase again: its last take counts.
function take_phase(phase, host,    key, n) {
  # The steps of a search are checked one by one.
  if (phase == "steps") return
  key = phase SUBSEP host
  if (!(key in row)) row[key] = ++rows
  n = row[key]
  phase_of[n] = phase
  host_of[n] = host
  cpus[n] = $6
  kernel[n] = phase SUBSEP $3
  space[n] = phase SUBSEP $3 SUBSEP $4
  time[n] = since(host, 5)
  used[n] = since(host, 7)
  steal[n] = since(host, 8)
  all[n] = since(host, 9)
  own[n] = since(host, 10)
  # Scripts below different processes cannot be compared.
  root[n] = $11 == last[host, 11] ? $11 : ""
  scripts[n] = since(host, 12)
  throttled[n] = since(host, 13)
  periods[n] = since(host, 14)
}

# Add what is ours on a host to the sum of its group.
function add_ours(group, n) {
  ours[group] += own[n]
  # Hosts with one master or one sshd see the same scripts.
  if (root[n] == "" || ((group, root[n]) in seen)) return
  seen[group, root[n]] = 1
  ours[group] += scripts[n]
}

END {
  for (n = 1; n <= rows; n++) {
    add_ours(kernel[n], n)
    add_ours(space[n], n)
  }
  for (n = 1; n <= rows; n++) {
    if (time[n] <= 0) continue
    foreign = used[n] - ours[kernel[n]]
    if (all[n] - ours[space[n]] > foreign) foreign = all[n] - ours[space[n]]
    foreign = foreign > 0 ? 100 * foreign / time[n] : 0
    if (foreign > 100 * cpus[n]) foreign = 100 * cpus[n]
    stolen = steal[n] > 0 ? 100 * steal[n] / time[n] : 0
    limit = ENVIRON["LIMIT"] == "off" ? 100 * cpus[n] : ENVIRON["LIMIT"] + 0
    if (limit < 0.5 * cpus[n]) limit = 0.5 * cpus[n]
    printf "%s\t%s\t%d\t%.1f\t%.0f\t%.0f\t%.0f\t%.0f\t%.1f\t%.1f\t%g\t%d\t%.0f\t%d\n", phase_of[n], host_of[n], cpus[n], time[n] / 1000000, used[n], all[n],
      ours[space[n]], steal[n], foreign, stolen, limit, (foreign > limit || stolen > limit), \
      (throttled[n] > 0 ? throttled[n] : 0), (periods[n] > 0 ? periods[n] : 0)
  }
}
