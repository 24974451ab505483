# SPDX-License-Identifier: MIT
# The columns of rows that are axes: the values of the point; and what a phase used of the settings that accept lists where these are not swept.

# Fill the columns that are axes.
function axes_fill(    i) {
  for (i = 1; i <= axes; i++) cell[axis[i]] = of_plan[name["run_folder"], cell["variant"], cell["point"], axis[i]]
}

# Fill the columns NAME_used: rows.awk prints them where NAME, an axis, is empty. Tables take NAME alone, which tells points apart. R is the cell's row
# of result.tsv, or 0.
function axes_used(r,    ratio, cold, neighbour) {
  ratio = axis_setting("DRAM_RATIO")
  cold = axis_setting("COLD_MEMORY")
  neighbour = axis_setting("NEIGHBOUR")
  if (cell["tier_is"] ~ /(^| )limited( |$)/ && ratio ~ /^[0-9]+:[0-9]+$/) cell["dram_ratio_used"] = ratio
  if (cold ~ /^[1-9][0-9]*[KMGT%]?$/) cell["cold_memory_used"] = cold
  # Populate sets each key once, without another program that reads.
  if (schema_is_fill(cell["operation"])) return
  if (neighbour ~ /^[0-9.]+(@[0-9]+)?$/ && neighbour + 0 > 0) cell["neighbour_used"] = neighbour
  if (r && tsv_has(r, "pattern")) cell["key_pattern_used"] = tsv[r, "pattern"]
}
function axis_setting(name_of) {
  return stored_setting(name["run_folder"], name["variant"], name_of)
}
