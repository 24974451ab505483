# SPDX-License-Identifier: MIT
# The counters of several servers in one table: from a counters.tsv of each (lib/run/counters.awk) to their sum. Rows of instances stay as
# they are, because ports are unique over all servers.
#
# Bytes and counts of hosts, tiers and cgroups are added up; CPUs and network devices stay apart, as HOST:DEVICE. A time is that of the first
# server. Data is where it was asked for when it is so on every server, and the smallest share is that of all. Variables before each file:
# host, its server, and ahead, how far its clock is ahead of the master's, in us.

BEGIN { FS = OFS = "\t" }

FNR == 1 {
  files++
  if (files == 1) print
  next
}

$3 ~ /^(irq_us|rx_bytes|tx_bytes|speed_mbit)$/ { $2 = host ":" $2 }

$3 == "time_us" {
  for (i = 4; i <= 5; i++) if ($i ~ /^[0-9]+$/) $i = sprintf("%.0f", $i - ahead)
}

{
  key = $1 OFS $2 OFS $3
  if (!(key in times)) order[++keys] = key
  first = !times[key]++
  before[key] = first ? $4 : join($2, $3, before[key], $4)
  after[key] = first ? $5 : join($2, $3, after[key], $5)
}

# Join the value of one more server.
function join(scope, counter, sum, value) {
  if (counter == "time_us") return sum
  if (counter == "placement") return sum == "-" || (sum == "ok" && value != "-") ? value : sum
  if (counter == "placed_percent") return sum == "-" || (value != "-" && value + 0 < sum + 0) ? value : sum
  # Numbers of nodes, for instance, are no counts.
  if (scope == "tier" && counter !~ /^(limit|data_bytes|far_bytes)$/) return sum
  if (value !~ /^[0-9]+$/ || sum !~ /^[0-9]+$/) return "-"
  return sprintf("%.0f", sum + value)
}

END { for (i = 1; i <= keys; i++) print order[i], before[order[i]], after[order[i]] }
