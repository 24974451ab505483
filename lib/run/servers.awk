# SPDX-License-Identifier: MIT
# The counters of several servers in one table: from a counters.tsv of each (lib/run/counters.awk) to their sum. Rows of instances stay as
# they are, because ports are unique over all servers.
#
# Bytes and counts of hosts, tiers and cgroups are added up; CPUs and network devices stay apart, as HOST:DEVICE. A time is that of the first
# server. Data is where it was asked for when it is so on every server, and the smallest share is that of all. A counter that a server lacks has
# no sum, because that of the others would be too small. Variables before each file:
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

$2 == "tier" && $3 == "far" { far[files, $1] = $5 }

# Each server has its own nodes. What is not an instance's is memory of a part (lib/host/monitor.sh).
$2 !~ /^[0-9]+$/ && $3 ~ /^node[0-9]/ {
  if (!(($1, $2) in is_held)) { held_phase[++helds] = $1; held_by[helds] = $2 }
  is_held[$1, $2] = 1
  held[files, $1, $2, $3] = $5
  next
}

{
  key = $1 OFS $2 OFS $3
  if (!(key in times)) order[++keys] = key
  first = !times[key]++
  before[key] = first ? $4 : join($2, $3, before[key], $4)
  after[key] = first ? $5 : join($2, $3, after[key], $5)
}

# Returns the bytes of the memory of a part on slow nodes of a server in a phase.
function held_far(file, phase, scope,    n, i, k, part, ends, sum) {
  n = split(far[file, phase], part, ",")
  for (i = 1; i <= n; i++) {
    if (split(part[i], ends, "-") < 2) ends[2] = ends[1]
    for (k = ends[1] + 0; k <= ends[2] + 0; k++) sum += held[file, phase, scope, "node" k]
  }
  return sum
}

# Join the value of one more server.
function join(scope, counter, sum, value) {
  if (counter == "time_us") return sum
  # The sources of bytes.
  if (counter == "of") return index(" + " sum " + ", " + " value " + ") ? sum : sum " + " value
  if (counter == "placement") return sum == "-" || (sum == "ok" && value != "-") ? value : sum
  if (counter == "placed_percent") return sum == "-" || (value != "-" && value + 0 < sum + 0) ? value : sum
  # Numbers of nodes, for instance, are no counts.
  if (scope == "tier" && counter !~ /^(limit|data_bytes|far_bytes)$/) return sum
  if (value !~ /^[0-9]+$/ || sum !~ /^[0-9]+$/) return "-"
  return sprintf("%.0f", sum + value)
}

END {
  for (i = 1; i <= keys; i++) {
    split(order[i], part, OFS)
    # Instances, CPUs and devices are of one server.
    if (part[2] !~ /^[0-9]+$|:/ && times[order[i]] < files) before[order[i]] = after[order[i]] = "-"
    print order[i], before[order[i]], after[order[i]]
  }
  for (i = 1; i <= helds; i++) {
    sum = 0
    for (file = 1; file <= files; file++) sum += held_far(file, held_phase[i], held_by[i])
    printf "%s\t%s\tfar_bytes\t-\t%.0f\n", held_phase[i], held_by[i], sum
  }
}
