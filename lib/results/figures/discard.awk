# SPDX-License-Identifier: MIT
# Why a row is discarded: reasons `KIND: DETAILS`, with a semicolon between two. usable.awk leaves such rows out. Part of result.awk.
# All its names begin with discard_.

# The MiB of the data on each node and in swap, as text, from BYTES by name: node0 12.3 MiB + swap 4.5 MiB.
function discard_places(bytes,    i, last, out) {
  last = -1
  for (i in bytes) if (index(i, "node") == 1 && substr(i, 5) + 0 > last) last = substr(i, 5) + 0
  for (i = 0; i <= last; i++) if (("node" i) in bytes) out = out sprintf("node%d %.1f MiB + ", i, bytes["node" i] / 1048576)
  # A server with one node does not count pages by node.
  if (out == "" && ("rss" in bytes)) out = sprintf("resident %.1f MiB + ", bytes["rss"] / 1048576)
  if ("swap" in bytes) out = out sprintf("swap %.1f MiB + ", bytes["swap"] / 1048576)
  return substr(out, 1, length(out) - 3)
}

# Discard the cell for a reason of KIND, with its details: it is then in no figure that compares (usable.awk).
function discard_add(kind, details) {
  cell["discarded"] = cell["discarded"] (cell["discarded"] == "" ? "" : "; ") kind ": " text_escape(details)
}

# Fill PLACEMENT and where the data is, from BYTES by name, and discard the cell if that is not where it was requested: PERCENT of the data is.
function discard_placed(bytes, placement, percent) {
  cell["placement"] = text_escape(placement)
  cell["placed_percent"] = percent ~ /^[0-9.]+$/ ? percent : ""
  cell["located_at"] = discard_places(bytes)
  if (placement == "off") discard_add("placement", (cell["placed_percent"] != "" ? percent " % of the data as requested; " : "") cell["located_at"])
}

# Discard the cell of row R of result.tsv if its phase was ended before its time, other than by a part (phase_cut), or if no GET found a key.
function discard_fill(r,    gets) {
  if (tsv[r, "stopped"] > 0 && !phase_cut) discard_add("stopped", sprintf("after %.1f s", tsv[r, "max_time_us"] / 1000000))
  gets = tsv[r, "ops"] - tsv[r, "sets"]
  if (cell["operation"] ~ /^(get|mixed)(-[0-9]+)?$/ && !tsv_has(r, "commands") && tsv[r, "misses"] > 0 && tsv[r, "misses"] >= gets)
    discard_add("misses", "all " gets " GETs")
}

# The directives of Redis that had no effect in the repeat of the cell, and the version that made it, from its server/plan.tsv.
function discard_recorded(    n, i, f) {
  n = repeat_lines("server/plan.tsv")
  for (i = 1; i <= n; i++) {
    split(repeat_line["server/plan.tsv", i], f, "\t")
    if (f[1] == "ignored") cell["ignored_directives"] = text_escape(f[2])
    if (f[1] == "made_by") cell["made_by"] = text_escape(f[2])
  }
}
