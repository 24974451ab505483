# SPDX-License-Identifier: MIT
# What a plan refuses of counted loads; in the planner (lib/plan).

function far_check(    i, n, event, seen) {
  n = words("FAR.events", event)
  for (i = 1; i <= n; i++) {
    if (event[i] in seen) refuse("FAR.events", "the event " event[i] " is repeated; give each event once")
    seen[event[i]] = 1
  }
}
