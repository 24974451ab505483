# SPDX-License-Identifier: MIT
# Where the memory of COLD_MEMORY was at the end of a phase: its bytes, and those of them on slow nodes or swapped out.

function cold_figures(    n, i, k, part, ends, away, asked) {
  asked = repeat_setting("COLD_MEMORY")
  if (asked ~ /^[1-9][0-9]*[KMGT%]?$/) cell["cold_memory_used"] = asked
  if (!counter_known("cold", "resident")) return
  away = counter_end("cold", "swap")
  cell["cold_bytes"] = text_number(counter_end("cold", "resident") + away, 0)
  # Data on slow nodes is what such a run is about.
  cell["far_meant"] = 1
  # Nodes of several servers were counted before (lib/run/servers.awk).
  away += counter_end("cold", "far_bytes")
  n = counter_known("cold", "far_bytes") ? 0 : split(counter_text("tier", "far"), part, ",")
  for (i = 1; i <= n; i++) {
    if (split(part[i], ends, "-") < 2) ends[2] = ends[1]
    for (k = ends[1] + 0; k <= ends[2] + 0; k++) away += counter_end("cold", "node" k)
  }
  cell["cold_far_bytes"] = text_number(away, 0)
}
