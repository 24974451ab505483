# SPDX-License-Identifier: MIT
# Where the memory of COLD_MEMORY was at the end of a phase, from server/counters.tsv. Load it after text.awk.

function cold_begin() {
  split("", cold_value)
}

# Take a line of counters.tsv with scope cold, split into F.
function cold_take(f) {
  if (text_is_count(f[5])) cold_value[f[3]] = f[5]
}

# Fill the cell's bytes of cold memory, and those of them on the nodes FAR (a list such as 1-2,4) or swapped out. Nodes of several servers were
# counted before (lib/run/servers.awk).
function cold_fill(far,    n, i, k, part, ends, away) {
  if (!("resident" in cold_value)) return
  away = cold_value["swap"] + 0
  cell["cold_bytes"] = text_number(cold_value["resident"] + away, 0)
  n = "far_bytes" in cold_value ? 0 : split(far, part, ",")
  away += cold_value["far_bytes"]
  for (i = 1; i <= n; i++) {
    if (split(part[i], ends, "-") < 2) ends[2] = ends[1]
    for (k = ends[1] + 0; k <= ends[2] + 0; k++) away += cold_value["node" k]
  }
  cell["cold_far_bytes"] = text_number(away, 0)
}
