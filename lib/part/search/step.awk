# SPDX-License-Identifier: MIT
# One step of all clients: the sum of their counts, and percentiles of their merged histograms. Input: lines `bucket US COUNT` in the order of US,
# then `figure CLIENT NAME VALUE` for clients 1, 2 and so on. Prints the columns of steps.tsv from ops_per_sec to
# send_lag_p99_us.

BEGIN {
  FS = OFS = "\t"
  # A stall at the very end of a short step is not an overload.
  tail_us = 50000
}

$1 == "bucket" {
  if (!buckets || $2 + 0 != us[buckets]) us[++buckets] = $2 + 0
  count[buckets] += $3
  all += $3
}

$1 == "figure" {
  value[$3, $2] = $4 + 0
  if ($2 > clients) clients = $2
}

function percentile(share,    i, acc, rank) {
  rank = share / 100 * all
  rank = int(rank) + (rank - int(rank) > 1e-6)
  for (i = 1; i <= buckets; i++) if ((acc += count[i]) >= rank) return us[i] < max ? us[i] : max
  return max + 0
}

END {
  for (c = 1; c <= clients; c++) {
    ops += per_second(value["ops", c], value["elapsed_us", c])
    rate += value["rate", c]
    lasted = value["elapsed_us", c] - tail_us > value["asked_us", c] ? value["elapsed_us", c] - tail_us : value["asked_us", c]
    if (lasted > longest) longest = lasted
    answered += value["ops", c]
    asked += requests(value["rate", c] * value["asked_us", c] / 1000000)
    sum += value["avg_us", c] * value["samples", c]
    if (value["max_us", c] > max) max = value["max_us", c]
    unsent += value["unsent", c]
    errors += value["errors", c]
    limited += value["client_limited", c]
    if (value["send_lag_p99_us", c] > lag) lag = value["send_lag_p99_us", c]
    if (value["asked_us", c] > length_us) length_us = value["asked_us", c]
  }
  share = rate > 0 && asked > 0 && longest > 0 ? 100 * answered / asked * length_us / longest : 100
  printf "%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f\t%d\t%d\t%d\t%.3f\n", ops, all ? sum / all : 0, percentile(50), percentile(90), percentile(99),
    percentile(99.9), percentile(99.99), max, (share > 100 ? 100 : share), unsent, errors, (limited > 0), lag
}

# The whole requests of an open loop, as the load generator rounds them (engine_plan_load).
function requests(exact) {
  return exact <= 0 ? 0 : exact < 1 ? 1 : int(exact + 0.5)
}

function per_second(n, us_long) {
  return us_long > 0 ? n * 1000000 / us_long : 0
}
