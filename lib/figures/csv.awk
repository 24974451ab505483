# SPDX-License-Identifier: MIT
# Prints the columns of summary2csv.sh from rows, as RFC 4180 with line feeds: what every tool on these systems ends a line with.

BEGIN {
  FS = "\t"
  wanted = split("filename clients len servers keys max_time operation run scenario variant point repeat client threads" \
    " connections pipeline rate ops ops_per_sec tx_bps avg_us p50_us p90_us p99_us p99_9_us p99_99_us max_us max_time_us" \
    " errors misses far_per_op used_memory rss swap far_share placement", want, " ")
}

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  for (i = 1; i <= wanted; i++) printf "%s%s", want[i], (i < wanted ? "," : "\n")
  next
}

{ for (i = 1; i <= wanted; i++) printf "%s%s", text_csv(text_unescape($at[want[i]])), (i < wanted ? "," : "\n") }
