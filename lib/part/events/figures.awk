# SPDX-License-Identifier: MIT
# What events did to a phase, from the repeat's events.tsv: the worst of its events, and the rest of the phase.

# Of processes that were started again, the server's counters are no sum.
function events_phase(    n, i, f) {
  n = repeat_lines("events.tsv")
  for (i = 1; i <= n; i++) {
    split(repeat_line["events.tsv", i], f, "\t")
    if (f[1] ~ /^restart/ && f[2] == cell["operation"]) phase_torn = 1
  }
}

function events_figures(    n, i, f, at_name, value, name, column) {
  n = repeat_lines("events.tsv")
  for (i = 1; i <= n; i++) {
    split(repeat_line["events.tsv", i], f, "\t")
    if (i == 1) {
      for (name in f) at_name[f[name]] = name
      continue
    }
    if (f[at_name["phase"]] != cell["operation"]) continue
    for (name in at_name) {
      column = (f[at_name["event"]] == "rest" ? "rest_" : "event_") name
      value = f[at_name[name]]
      if (schema[column, "source"] != "events.tsv" || value !~ /^[0-9.]+$/) continue
      if (column ~ /failed|cow_mb$/) cell[column] += value
      else if (cell[column] == "" || (schema[column, "better"] == "more" ? value + 0 < cell[column] + 0 : value + 0 > cell[column] + 0)) cell[column] = value
    }
  }
}
