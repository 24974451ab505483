# SPDX-License-Identifier: MIT
# What a plan refuses of events; in the planner (lib/plan).

function events_check(    n, i, moment, part, last, phase) {
  if (V["EVENTS"] == "none") return
  n = words("PHASES", phase)
  if (is_fill(phase[n]) || V["TIME"] == 0) refuse("EVENTS", "requires a timed last phase; set TIME, and end PHASES with set, get or mixed")
  if (is_search_wanted()) refuse("EVENTS", "conflicts with a search; set RATE and CONNECTIONS to numbers")
  if (V["GENERATOR"] != "test") refuse("EVENTS", "requires the interval logs of GENERATOR=test; set that")
  n = words("EVENTS", moment)
  if (n > 31) refuse("EVENTS", "too many; accepted: at most 31 events")
  for (i = 1; i <= n; i++) {
    split(moment[i], part, ":")
    if (part[1] + 0 >= V["TIME"] + 0) refuse("EVENTS", moment[i] ": after the end of the last phase; set a TIME above " part[1] + 0)
    if (i > 1 && part[1] + 0 <= last) refuse("EVENTS", moment[i] ": not after the event before it; write the events in the order of time")
    last = part[1] + 0
    if (part[2] == "fullsync" && V["TLS"] == "on") refuse("EVENTS", moment[i] ": not supported with TLS=on; leave out one of them")
    if (part[2] == "restart") events_check_restart(moment[i], moment[1])
  }
}

# The pages that are copied while a child writes the data: in the worst case all of it.
function events_space() {
  if (V["EVENTS"] ~ /bgsave|bgrewriteaof|fullsync/) space_more += space_of
}

# An instance that is started again has the data that it has kept. In a cluster a replica would take over.
function events_check_restart(moment, first) {
  if (V["PERSISTENCE"] !~ /^(rdb|aof)$/) refuse("EVENTS", moment ": requires data on the disk; set PERSISTENCE=rdb or aof")
  if (is_cluster()) refuse("EVENTS", moment ": does not support a cluster; set FAULT instead")
  if (V["SERVER_PREFIX"] != "") refuse("SERVER_PREFIX", "not supported with a restart in EVENTS; leave it empty")
  # Its full rate is compared with that before all events.
  if (first + 0 < V["INTERVAL"] + 0) refuse("EVENTS", first ": a restart requires one INTERVAL=" V["INTERVAL"] " before all events; set a later second, or a shorter INTERVAL")
}
