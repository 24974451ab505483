# SPDX-License-Identifier: MIT
# Lays out rows for render.awk, with the columns and the figures of summary2csv.sh as they stand.

BEGIN {
  FS = OFS = "\t"
  wanted = split("variant point repeat client operation len servers keys max_time threads connections pipeline rate ops ops_per_sec tx_bps avg_us p50_us" \
    " p90_us p99_us p99_9_us p99_99_us max_us max_time_us errors misses", want, " ")
}

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  for (i = 1; i <= wanted; i++) printf "%s%s", want[i], (i < wanted ? OFS : "\n")
  for (i = 1; i <= wanted; i++) printf "%s%s", want[i], (i < wanted ? OFS : "\n")
  for (i = 1; i <= wanted; i++) printf "%s%s", (i == 3 || i > 5 ? "raw" : "text"), (i < wanted ? OFS : "\n")
  next
}

{ for (i = 1; i <= wanted; i++) printf "%s%s", $at[want[i]], (i < wanted ? OFS : "\n") }
