# SPDX-License-Identifier: MIT
# The effect of a fault in a phase, from the repeat's failover.tsv: one figure per line, the phase first.

# A fault ends its phase before its time, and the server's counters are no sum: the fault restarted processes, or made replicas, which repeat the writes
# of their masters, masters.
function fault_phase(    n, i, f) {
  if (!fault_take(0)) return
  phase_cut = 1
  n = repeat_lines("server/events.tsv")
  for (i = 1; i <= n; i++) {
    split(repeat_line["server/events.tsv", i], f, "\t")
    if (f[3] == "node up" && f[4] != "continued" || f[3] == "taken over") phase_torn = 1
  }
}

function fault_figures() {
  fault_take(1)
}

# Returns whether the fault was in the phase. With FILL, sets its figures.
function fault_take(fill,    n, i, f, mine, found) {
  n = repeat_lines("failover.tsv")
  for (i = 1; i <= n; i++) {
    split(repeat_line["failover.tsv", i], f, "\t")
    if (f[1] == "phase") {
      mine = f[2] == cell["operation"]
      found += mine
    }
    if (fill && mine && schema[f[1], "source"] == "failover.tsv" && f[2] ~ /^[0-9.]+$/) cell[f[1]] = f[2]
  }
  return found
}
