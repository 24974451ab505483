# SPDX-License-Identifier: MIT
# What the CPU counted of far memory in a phase: loads, from the counts of perf in far.tsv, and bytes, from the counters of resctrl.

function far_figures(    bytes) {
  cell["far_bytes_of"] = text_escape(counter_text("resctrl", "of"))
  bytes = counter_change("resctrl", "far_bytes")
  if (phase_calls > 0 && bytes != "") cell["far_bytes_per_op"] = text_number(bytes / phase_calls, 3)
  far_loads()
}

# If a phase was measured again, its last events count.
function far_loads(    n, r, f, key, keys, order, i, sum, text, counted, same, value, shown, cpu) {
  n = repeat_lines("far.tsv")
  for (r = 1; r <= n; r++) {
    if (split(repeat_line["far.tsv", r], f, "\t") != 7 || f[1] != cell["operation"]) continue
    key = f[2] SUBSEP f[3] SUBSEP f[4]
    if (!(key in value)) order[++keys] = key
    value[key] = f[6]
    sub(/^.*\./, "", f[5])
    text = f[5] (f[3] == "socket" ? " (whole sockets)" : "")
    if (!text_is_count(f[6])) text = text " (not counted)"
    else if (f[7] < 99.5) text = text sprintf(" (%.0f %% of the time)", f[7])
    shown[key] = text
    cpu[key] = f[2]
  }
  for (i = 1; i <= keys; i++) {
    # Servers can have different CPUs.
    same = i > 1 && cpu[order[i]] == cpu[order[i - 1]]
    text = (i == 1 ? "" : text) (same ? " + " : (i == 1 ? "" : "; ") cpu[order[i]] ": ") shown[order[i]]
    if (text_is_count(value[order[i]])) {
      sum += value[order[i]]
      counted = 1
    }
  }
  if (!keys) return
  cell["far_source"] = text_escape(text)
  if (counted && phase_calls > 0) cell["far_loads_per_op"] = text_number(sum / phase_calls, 6)
}
