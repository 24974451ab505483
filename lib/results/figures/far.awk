# SPDX-License-Identifier: MIT
# Loads from far memory in a phase, from the counts of perf. Load it after text.awk.

# Fill far_loads_per_op and far_source from the counts of perf in the cell's phase, the repeat's far.tsv. If a phase was measured again,
# its last events count.
function far_fill(    file, line, f, key, keys, order, i, sum, text, counted, same) {
  file = name["folder"]
  sub(/\/[^\/]*$/, "/far.tsv", file)
  file = text_opened(file)
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") != 7 || f[1] != cell["operation"]) continue
    key = f[2] SUBSEP f[3] SUBSEP f[4]
    if (!(key in far_value)) order[++keys] = key
    far_value[key] = f[6]
    sub(/^.*\./, "", f[5])
    text = f[5] (f[3] == "socket" ? " (whole sockets)" : "")
    if (!text_is_count(f[6])) text = text " (not counted)"
    else if (f[7] < 99.5) text = text sprintf(" (%.0f %% of the time)", f[7])
    far_text[key] = text
    far_cpu[key] = f[2]
  }
  close(file)
  for (i = 1; i <= keys; i++) {
    # Servers can have different CPUs.
    same = i > 1 && far_cpu[order[i]] == far_cpu[order[i - 1]]
    text = (i == 1 ? "" : text) (same ? " + " : (i == 1 ? "" : "; ") far_cpu[order[i]] ": ") far_text[order[i]]
    if (text_is_count(far_value[order[i]])) {
      sum += far_value[order[i]]
      counted = 1
    }
    delete far_value[order[i]]
  }
  if (!keys) return
  cell["far_source"] = text_escape(text)
  if (counted && phase_calls > 0) cell["far_loads_per_op"] = text_number(sum / phase_calls, 6)
}
