# SPDX-License-Identifier: MIT
# Print rows or totals without those that are discarded: no figure that compares may count them. result.awk gives the reasons. With RESULT_TOLD=yes a
# message on stderr names each of them.

BEGIN { FS = "\t" }

NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }

NR == 1 || $at["discarded"] == "" {
  print
  next
}

ENVIRON["RESULT_TOLD"] == "yes" {
  text_complain(text_unescape(($at["variant"] == "" ? $at["run"] : $at["variant"]) ", " $at["operation"] " at " ($at["point"] == "" ? $at["len"] " B" : $at["point"]) ", repeat " $at["repeat"]), \
    "discarded: " text_unescape($at["discarded"]))
}
