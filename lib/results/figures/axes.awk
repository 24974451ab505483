# SPDX-License-Identifier: MIT
# The columns of rows that are axes: the values of the point; and what a phase used of the settings that accept lists where these are not swept.

# Fill the columns that are axes.
function axes_fill(    i) {
  for (i = 1; i <= axes; i++) cell[axis[i]] = of_plan[name["run_folder"], cell["variant"], cell["point"], axis[i]]
}

# Fill the columns NAME_used: rows.awk prints them where NAME, an axis, is empty. Tables take NAME alone, which tells points apart. R is the cell's row
# of result.tsv, or 0.
function axes_used(r,    ratio) {
  ratio = repeat_setting("DRAM_RATIO")
  if (cell["tier_is"] ~ /(^| )limited( |$)/ && ratio ~ /^[0-9]+:[0-9]+$/) cell["dram_ratio_used"] = ratio
  # Populate sets each key once.
  if (!schema_is_fill(cell["operation"]) && r && tsv_has(r, "pattern")) cell["key_pattern_used"] = tsv[r, "pattern"]
}
