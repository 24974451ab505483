# SPDX-License-Identifier: MIT
# List the instances of a phase, read from PHASE.instances.tsv of all clients, in the form of the Redis-Memtier workload. Environment:
# RESULT_PROGRAM and DIR for messages; OPERATION; the clients' results over all requests: CLIENTS SERVERS OPS AVG_US P99_US MISSES ERRORS
# (empty: not known); COMMANDS, the mix of commands, `-` or empty for GET and SET; FIRST, the port of instance 0 (empty: the lowest port found). Exit
# status 1, with one line and no listing, if the files are incomplete.

function rate(count) {
  return seconds > 0 ? count / seconds : 0
}

# One thread may drive several instances: 0,2,4.
function instance(ports,    n, i, port, out) {
  n = split(ports, port, ",")
  for (i = 1; i <= n; i++) out = out (i > 1 ? "," : "") (port[i] - first)
  return out
}

function line(row, what, value) {
  printf "%s: Instance %s %s: %s\n", title, instance(ports_of[row]), what, value
}

# A figure of all requests: NAME of the environment over BY.
function known(name, by, decimals) {
  return ENVIRON[name] == "" ? "not known" : sprintf("%." decimals "f", ENVIRON[name] / by)
}

BEGIN {
  FS = "\t"
  first = ENVIRON["FIRST"]
  title = schema_is_fill(ENVIRON["OPERATION"]) ? "Populate" : "Formal execution"
}

FNR == 1 {
  files++
  columns = NF
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

# Ignore a truncated line.
NF != columns { next }

{
  rows++
  ports_of[rows] = $at["ports"]
  servers += split($at["ports"], port, ",")
  # awk takes the first number of a list.
  if (ENVIRON["FIRST"] == "" && (first == "" || $at["ports"] + 0 < first)) first = $at["ports"] + 0
  seconds = $at["elapsed_us"] / 1000000
  if (seconds > longest) longest = seconds
  requests += $at["ops"]
  ops[rows] = rate($at["ops"])
  gets += $at["ops"] - $at["sets"]
  hit[rows] = rate($at["ops"] - $at["sets"] - $at["misses"])
  missed[rows] = rate($at["misses"])
  avg[rows] = $at["avg_us"] / 1000
  p99[rows] = $at["p99_us"] / 1000
  kilobytes[rows] = rate($at["wire_bytes"]) / 1024
}

END {
  # Of a mix of commands, misses are keys and elements, of which one request may miss several.
  mixed = ENVIRON["COMMANDS"] !~ /^-?$/ || ENVIRON["OPERATION"] ~ /^replay/
  if (!rows || files != ENVIRON["CLIENTS"] || servers != ENVIRON["SERVERS"] || requests != ENVIRON["OPS"]) {
    text_complain(ENVIRON["FOLDER"], sprintf("%s.instances.tsv is incomplete: %d of %s client(s), %d of %s instance(s), %.0f of %s requests",
      ENVIRON["OPERATION"], files, ENVIRON["CLIENTS"], servers, ENVIRON["SERVERS"], requests, ENVIRON["OPS"]))
    exit 1
  }
  print "#######################"
  for (i = 1; i <= rows; i++) {
    line(i, "ops(ops/sec)", sprintf("%.2f", ops[i]))
    line(i, "hit(hits/sec)", mixed ? "not known" : sprintf("%.2f", hit[i]))
    line(i, "missed(misses/sec)", sprintf("%.2f", missed[i]))
    line(i, "latency average (ms)", sprintf("%.5f", avg[i]))
    line(i, "p99 Latency (ms)", sprintf("%.2f", p99[i]))
    line(i, "throughput (KB/s)", sprintf("%.2f", kilobytes[i]))
    sum_ops += ops[i]
    sum_p99 += p99[i]
    sum_kilobytes += kilobytes[i]
  }
  print "#######################"
  printf "P99 latency(msec): %.2f\n", sum_p99 / rows
  printf "Total Throughput(KB/s): %.2f\n", sum_kilobytes
  printf "*Total OPS(ops/sec): %.2f\n", sum_ops
  print "####################### all requests together"
  printf "P99 latency, mean of the instances' (msec): %.2f\n", sum_p99 / rows
  printf "P99 latency, histograms merged (msec): %s\n", known("P99_US", 1000, 2)
  printf "Average latency (msec): %s\n", known("AVG_US", 1000, 5)
  if (gets > 0) printf "Hit ratio (%%): %s\n", ENVIRON["MISSES"] == "" || mixed ? "not known" : sprintf("%.4f", 100 * (gets - ENVIRON["MISSES"]) / gets)
  printf "Misses: %s\nErrors: %s\n", known("MISSES", 1, 0), known("ERRORS", 1, 0)
  # Each client's rate uses its own slowest instance, so the sum of rates refers to no common time.
  printf "OPS to the end of the slowest instance (ops/sec): %.2f\n", (longest > 0 ? requests / longest : 0)
}
