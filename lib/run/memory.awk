# SPDX-License-Identifier: MIT
# The latency and bandwidth of a host's memory, from lines of lib/host/memory.sh: a table for figures_tables (`title`, `row`, `note`), proposed
# weights, and `doctor HOST STATE CHECK FOUND WANTED FIX` where firmware or the kernel contradict the measurement.
# Environment: MEMORY_HOST.

function doctor(found, wanted, fix) {
  print "doctor", ENVIRON["MEMORY_HOST"], "warn", "memory speed", found, wanted, fix
}

function known(x) {
  return x != "-" && x + 0 > 0
}

function shown(x, divide, decimals) {
  return known(x) ? sprintf("%." decimals "f", x / divide) : ""
}

function times(x) {
  return sprintf("%.1fx", x)
}

BEGIN { FS = OFS = "\t" }

$1 == "node" {
  node[++nodes] = $2
  tier[$2] = $4
  firmware["latency", $2] = $5
  firmware["bandwidth", $2] = $6
  weight[$2] = $7
}

$1 == "pair" {
  pairs++
  pair[pairs] = $0
  # Firmware describes the path from the nearest socket.
  if (known($4) && (!(("latency", $3) in seen) || $4 + 0 < seen["latency", $3])) seen["latency", $3] = $4 + 0
  # The kernel derives its own weights from the smaller of read and write bandwidth (mm/mempolicy.c): do the same.
  least = $7 + 0 < $8 + 0 ? $7 + 0 : $8 + 0
  if (least > 0 && least > seen["bandwidth", $3] + 0) seen["bandwidth", $3] = least
  if ($9 != "huge") small = 1
  if ($10 == "yes") cached[$3] = 1
  if (!known($5)) alone = 1
  if ($11 < 95) disturbed = disturbed (disturbed == "" ? "" : ", ") "node " $3 " from socket " $2
}

$1 == "failed" { doctor("node " $3 " from socket " $2 ": " $4, "a node that can be measured", "see the message") }

# Returns the fastest node: with the min latency, or the max bandwidth, by firmware or as measured.
function fastest(what, of,    i, n, best) {
  best = ""
  for (i = 1; i <= nodes; i++) {
    n = node[i]
    if (!((what, n) in seen) || of == "firmware" && !known(firmware[what, n])) continue
    if (best == "" || (what == "latency" ? value(what, n, of) < value(what, best, of) : value(what, n, of) > value(what, best, of))) best = n
  }
  return best
}

function value(what, n, of) {
  return of == "firmware" ? firmware[what, n] + 0 : seen[what, n]
}

# Returns how many times slower a node is than another, by firmware or as measured.
function slower(what, n, than, of) {
  return what == "latency" ? value(what, n, of) / value(what, than, of) : value(what, than, of) / value(what, n, of)
}

# Prints a warning for each node whose ratio to the fastest node differs between firmware and measurement.
function check_firmware(what, word,    best, i, n, said, found) {
  best = fastest(what, "firmware")
  for (i = 1; i <= nodes; i++) {
    n = node[i]
    if (n == best || !((what, n) in seen) || !known(firmware[what, n])) continue
    said = slower(what, n, best, "firmware")
    found = slower(what, n, best, "")
    if (found > 1.5 * said || said > 1.5 * found)
      doctor("node " n ": by firmware " times(said) " " word " node " best ", measured " times(found), \
        "a correct HMAT: the kernel derives memory tiers and weights from it", "use the measured figures")
  }
}

# Prints a warning for each slow node that the kernel does not place in a slower tier.
function check_tiers(    best, i, n, found) {
  best = fastest("latency", "")
  for (i = 1; i <= nodes; i++) {
    n = node[i]
    if (n == best || !(("latency", n) in seen) || tier[n] == "-" || tier[best] == "-") continue
    found = slower("latency", n, best, "")
    if (found < 1.3 || tier[n] + 0 > tier[best] + 0) continue
    if (tier[n] == tier[best])
      doctor("node " n " has " times(found) " the latency of node " best ", and both are in memory tier " tier[n], \
        "a slower tier for node " n ", else the kernel neither promotes nor demotes between them", "firmware with HMAT, or variants that need no tiers (bind, weighted)")
    else
      doctor("node " n " has " times(found) " the latency of node " best ", and is in the faster memory tier " tier[n] " (" tier[best] ")", \
        "a slower tier for node " n, "firmware with HMAT, or variants that need no tiers (bind, weighted)")
  }
}

# Sets proposed[NODE]: the smallest whole numbers that match the ratios of bandwidth within 5 %, else the best match. The slowest node gets at
# most 10.
function propose(    i, n, least, m, w, off, worst, best) {
  least = ""
  for (i = 1; i <= nodes; i++) {
    n = node[i]
    if (!(("bandwidth", n) in seen)) return 0
    if (least == "" || seen["bandwidth", n] < least) least = seen["bandwidth", n]
  }
  for (m = 1; m <= 10; m++) {
    worst = 0
    for (i = 1; i <= nodes; i++) {
      w = int(seen["bandwidth", node[i]] * m / least + 0.5)
      if (w > 255) return best != ""
      off = w * least / (m * seen["bandwidth", node[i]])
      off = off > 1 ? off - 1 : 1 - off
      if (off > worst) worst = off
    }
    if (best != "" && worst >= best - 1e-9) continue
    best = worst
    for (i = 1; i <= nodes; i++) proposed[node[i]] = int(seen["bandwidth", node[i]] * m / least + 0.5)
    if (best <= 0.05) break
  }
  return 1
}

function print_weights(    i, text, now, differs) {
  if (nodes < 2 || !propose()) return
  for (i = 1; i <= nodes; i++) {
    text = text (i > 1 ? " " : "") node[i] ":" proposed[node[i]]
    now = now (i > 1 ? " " : "") node[i] ":" weight[node[i]]
    if (weight[node[i]] != proposed[node[i]]) differs = 1
  }
  print "note", "Proposed for the variant weighted, by the smaller one of read and write: TIER_WEIGHTS=\"" text "\"" \
    (now ~ /-/ ? "" : differs ? " (the kernel has " now ")" : ", equal to those of the kernel") "."
}

END {
  print "title", text_escape("Memory of " ENVIRON["MEMORY_HOST"] ", measured")
  print "row", "socket", "node", "latency_ns", "loaded_ns", "load_gb_s", "read_gb_s", "write_gb_s", "firmware_ns", "firmware_gb_s", "tier"
  print "row", "Socket", "Node", "Latency ns", "Loaded ns", "at GB/s", "Read GB/s", "Write GB/s", "Firmware ns", "Firmware GB/s", "Memory tier"
  print "row", "text", "text", "right", "right", "right", "right", "right", "right", "right", "right"
  for (i = 1; i <= pairs; i++) {
    split(pair[i], f, "\t")
    print "row", f[2], f[3], shown(f[4], 1, 0), shown(f[5], 1, 0), shown(f[6], 1000, 1), shown(f[7], 1000, 1), shown(f[8], 1000, 1), \
      shown(firmware["latency", f[3]], 1, 0), shown(firmware["bandwidth", f[3]], 1000, 1), tier[f[3]] == "-" ? "" : tier[f[3]]
  }
  if (pairs) {
    print "note", "Latency: dependent loads from random lines of a large buffer. Loaded: while the socket's other CPUs read from the same node."
    if (small) print "note", "The buffer was not completely in huge pages: the latency includes page table walks."
    for (i = 1; i <= nodes; i++) if (node[i] in cached) print "note", "Node " node[i] ": too little free memory: its figures include the CPU's caches."
    if (disturbed != "") print "note", "Other programs, or the hypervisor, used CPU time during the measurement: measure again on an idle host (" disturbed ")."
    if (alone) print "note", "On a socket with one CPU, no other CPU can load the node."
    print_weights()
  }
  check_firmware("latency", "the latency of")
  check_firmware("bandwidth", "less bandwidth than")
  check_tiers()
}
