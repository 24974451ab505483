# SPDX-License-Identifier: MIT
# The columns of rows that are axes: the values of the point; and what a phase used of the settings that accept lists where these are not swept.

# Fill the columns that are axes.
function axes_fill(    i) {
  for (i = 1; i <= axes; i++) cell[axis[i]] = of_plan[name["run_folder"], cell["variant"], cell["point"], axis[i]]
}

# Fill the columns NAME_used: rows.awk prints them where NAME, an axis, is empty. Tables take NAME alone, which tells points apart. R is the cell's row
# of result.tsv, or 0.
function axes_used(r,    set) {
  axes_settings(name["run_folder"], name["variant"], set)
  if (set["TIER"] ~ /^(swap|zram|zswap)$/ && set["DRAM_RATIO"] ~ /^[0-9]+:[0-9]+$/) cell["dram_ratio_used"] = set["DRAM_RATIO"]
  if (set["COLD_MEMORY"] ~ /^[1-9][0-9]*[KMGT%]?$/) cell["cold_memory_used"] = set["COLD_MEMORY"]
  # Populate sets each key once, without another program that reads.
  if (schema_is_fill(cell["operation"])) return
  if (set["NEIGHBOUR"] ~ /^[0-9.]+(@[0-9]+)?$/ && set["NEIGHBOUR"] + 0 > 0) cell["neighbour_used"] = set["NEIGHBOUR"]
  if (r && tsv_has(r, "pattern")) cell["key_pattern_used"] = tsv[r, "pattern"]
}

# Set out[SETTING] to the settings of a variant of the run in FOLDER.
function axes_settings(folder, variant, out,    file, line, line_of, at) {
  file = text_opened(folder "/" variant "/variant.conf")
  if (!(file in settings_of)) {
    settings_of[file] = ""
    while ((getline line < file) > 0) if (line ~ /^(TIER|DRAM_RATIO|NEIGHBOUR|COLD_MEMORY)=/) settings_of[file] = settings_of[file] line "\n"
    close(file)
  }
  at = split(settings_of[file], line_of, "\n")
  for (; at > 0; at--) if (match(line_of[at], /^[A-Z_]+=/)) out[substr(line_of[at], 1, RLENGTH - 1)] = unquoted(substr(line_of[at], RLENGTH + 1))
}
