# SPDX-License-Identifier: MIT
# Lists the instances of a phase, read from PHASE.instances.tsv of all clients, in the form of the Redis-Memtier workload.
# Environment: OPERATION, and of all requests together OPS_PER_SEC AVG_US P99_US MISSES ERRORS (empty: not known).

function rate(count) {
  return seconds > 0 ? count / seconds : 0
}

# Some instances are driven by one thread together: 0,2,4.
function instance(ports,    n, i, port, out) {
  n = split(ports, port, ",")
  for (i = 1; i <= n; i++) out = out (i > 1 ? "," : "") (port[i] - first)
  return out
}

function line(row, what, value) {
  printf "%s: Instance %s %s: %s\n", title, instance(ports_of[row]), what, value
}

function known(us) {
  return us == "" ? "not known" : sprintf("%.2f", us / 1000)
}

BEGIN {
  FS = "\t"
  title = ENVIRON["OPERATION"] == "populate" ? "Populate" : "Formal execution"
}

FNR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

{
  rows++
  ports_of[rows] = $at["ports"]
  # awk takes the first number of a list.
  if (rows == 1 || $at["ports"] + 0 < first) first = $at["ports"] + 0
  seconds = $at["elapsed_us"] / 1000000
  ops[rows] = rate($at["ops"])
  gets += $at["ops"] - $at["sets"]
  hit[rows] = rate($at["ops"] - $at["sets"] - $at["misses"])
  missed[rows] = rate($at["misses"])
  avg[rows] = $at["avg_us"] / 1000
  p99[rows] = $at["p99_us"] / 1000
  kilobytes[rows] = rate($at["wire_bytes"]) / 1024
}

END {
  print "#######################"
  for (i = 1; i <= rows; i++) {
    line(i, "ops(ops/sec)", sprintf("%.2f", ops[i]))
    line(i, "hit(hits/sec)", sprintf("%.2f", hit[i]))
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
  printf "P99 latency, histograms merged (msec): %s\n", known(ENVIRON["P99_US"])
  printf "Average latency (msec): %s\n", ENVIRON["AVG_US"] == "" ? "not known" : sprintf("%.5f", ENVIRON["AVG_US"] / 1000)
  if (gets > 0) printf "Hit ratio (%%): %.4f\n", 100 * (gets - ENVIRON["MISSES"]) / gets
  printf "Misses: %d\nErrors: %d\n", ENVIRON["MISSES"], ENVIRON["ERRORS"]
  printf "OPS to the end of the slowest instance (ops/sec): %.2f\n", ENVIRON["OPS_PER_SEC"]
}
