# SPDX-License-Identifier: MIT
# Print rows without the percentiles of result.tsv, so that totals have those of the histograms.

BEGIN { FS = OFS = "\t" }

NR == 1 {
  for (i = 1; i <= NF; i++) {
    schema_see($i)
    if (schema[$i, "clients"] == "histogram") late[i]
  }
}

NR > 1 { for (i in late) $i = "" }

{ print }
