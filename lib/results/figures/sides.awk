# SPDX-License-Identifier: MIT
# Rows, or totals, of the sides of a comparison: each variant has the name and the rank that the comparison gives it, and a further column, base, is
# the name of its base. Input: the sections of the comparison, then the rows.

BEGIN { FS = OFS = "\t" }

FNR == NR {
  if ($1 == "pairs") {
    side_add($3, $4, $2, $2)
    side_add($6, $7, $5, $2)
  }
  next
}

FNR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  print $0, "base"
  next
}

{
  key = $at["run_folder"] SUBSEP $at["variant"]
  # Plain logs have the names of their directories.
  if ($at["run_folder"] == "") print $0, ""
  else if (key in name_of) {
    $at["variant"] = name_of[key]
    $at["variant_rank"] = rank_of[key]
    print $0, base_of[key]
  }
}

# Add a side: the directory of its run, its variant there, its name, and that of its base.
function side_add(folder, variant, name, base,    key) {
  key = folder SUBSEP variant
  if (key in name_of) return
  name_of[key] = name
  base_of[key] = base
  rank_of[key] = ++sides
}
