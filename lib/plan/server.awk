# SPDX-License-Identifier: MIT
# What the servers are, and what of them the instances and local clients use: processes, CPUs, memory nodes.
# Input lines, tab-separated:
#   host HOST local|remote ADDRESS   a server or client, whether it is this machine, and the address that carries the load
#   fact HOST NAME VALUE...          a fact of a server, as in lib/plan/facts.sh

$1 == "host" {
  if ($3 == "local") HERE[$2] = 1
  ADDRESS[$2] = $4
  next
}
$1 == "fact" {
  if ($3 == "topology") TOPOLOGY[$2, ++TOPOLOGY[$2]] = $4
  else if ($3 == "limit") {
    LIMIT[$2, $4] = $5
    LIMIT_WHERE[$2, $4] = $6
  } else FACT[$2, $3] = $4
  next
}

# The largest, or the smallest, of a fact of all servers.
function facts_most(name,    i, out) {
  for (i = 1; i <= servers; i++) if (FACT[SERVER[i], name] + 0 > out) out = FACT[SERVER[i], name]
  return out + 0
}
function facts_least(name,    i, out) {
  for (i = 1; i <= servers; i++) if (i == 1 || FACT[SERVER[i], name] + 0 < out + 0) out = FACT[SERVER[i], name]
  return out + 0
}

# A text about a limit of memory on one server, for messages.
function memory_limit_text(host) {
  if (!((host, "memory") in LIMIT)) return ""
  return " (the memory limit in " LIMIT_WHERE[host, "memory"] " is " whole(int(LIMIT[host, "memory"] / 1048576)) " MiB)"
}

function is_loopback(address) {
  return address ~ /^127\./ || address == "localhost" || address == "::1"
}

# Whether two hosts are one machine, as far as their names say.
function is_same(host, other) {
  return host == other || (host in HERE && other in HERE)
}

# The number of CPUs of a server that instances may be spread over.
function cpus_of(host,    n, quota) {
  n = V["SERVER_CORES"] + 0
  # A plan without facts knows of no smaller server.
  if (servers > 1 && (host, "cpus") in FACT && FACT[host, "cpus"] + 0 < n) n = FACT[host, "cpus"] + 0
  if (!((host, "quota") in LIMIT)) return n
  # More instances than the quota has CPUs would be stopped by turns.
  quota = int(LIMIT[host, "quota"] / 100)
  return quota >= n ? n : quota >= 2 ? quota : 1
}

# Make the topology of a server the current one.
function topology_use(host,    i) {
  if (topology_host == host) return
  topology_host = host
  place_clear()
  for (i = 1; i <= TOPOLOGY[host]; i++) if (TOPOLOGY[host, i] ~ /^[0-9]/) place_line(TOPOLOGY[host, i])
}

# The CPUs that the kernel isolates, as a list.
function cpus_isolated(host,    i) {
  for (i = 1; i <= TOPOLOGY[host]; i++) if (index(TOPOLOGY[host, i], "# isolated ") == 1) return substr(TOPOLOGY[host, i], 12)
  return ""
}

# The CPUs that handle the IRQs of the NIC, as a list; empty when TUNE.irq names none.
function cpus_of_irqs() {
  return V["TUNE.irq"] ~ /^[0-9]/ ? V["TUNE.irq"] : ""
}

# The CPUs to which instances are restricted, as a list; empty when there is no restriction.
function cpus_allowed(host,    list, i, n, taken, one, left) {
  if (V["SERVER_CPUS"] != "auto") return V["SERVER_CPUS"]
  list = cpus_isolated(host)
  if (list == "") return ""
  for (i = cpus_expand(cpus_of_irqs(), one); i > 0; i--) taken[one[i]] = 1
  split("", one)
  for (i = cpus_expand(list, one); i > 0; i--) if (!(one[i] in taken)) left[++n] = one[i]
  return cpus_compress(left, n)
}

# The sets of CPUs of the instances on a server in turn, as place_units gives them.
function units_of(host, instances, placement, threads,    allowed, except, node, key) {
  allowed = cpus_allowed(host)
  if (allowed == "") allowed = "-"
  except = cpus_of_irqs()
  if (except == "") except = "-"
  node = V["PLACEMENT_NODE"] == "auto" ? "-" : V["PLACEMENT_NODE"]
  key = host " " instances " " placement " " node " " V["SERVER_CORES"] " " allowed " " except " " threads
  if (!(key in UNITS)) {
    topology_use(host)
    UNITS[key] = place_units(instances + 0, placement, node, V["SERVER_CORES"] + 0, allowed, except, threads + 0)
  }
  return UNITS[key]
}

# The number of CPUs that instances may use, on all servers: with the max number of instances, every usable CPU is in the placement.
function cpus_usable(    i, j, n, unit_list, seen, sum) {
  for (i = 1; i <= servers; i++) {
    n = split(units_of(SERVER[i], V["SERVER_CORES"], "cpu", 1), unit_list, ";")
    if (unit_list[1] == "none") continue
    split("", seen)
    for (j = 1; j <= n; j++) {
      if (!(unit_list[j] in seen)) sum++
      seen[unit_list[j]] = 1
    }
  }
  return sum + 0
}

# The memory nodes of a server, as a list: all of them, or only far ones, which have no CPU and are not faster than DRAM.
function nodes_list(host, which,    i, line, field, n, node, barred, kept_n, kept_node) {
  for (i = 1; i <= TOPOLOGY[host]; i++) {
    line = TOPOLOGY[host, i]
    split(line, field, /[, ]/)
    if (line ~ /^[0-9]/ && which == "all") node[++n] = field[4]
    if (line ~ /^# node [0-9]+ has memory and no CPU/ && (which == "all" || line ~ /no CPU$/)) node[++n] = field[3]
    if (line ~ /^# node [0-9]+ .* may not use/) barred[field[3]] = 1
  }
  for (i = 1; i <= n; i++) if (!(node[i] in barred)) kept_node[++kept_n] = node[i]
  return cpus_compress(kept_node, kept_n + 0)
}

# The placement of a server's instances: CPUS@POLICY for each in turn, with a semicolon between two; `none` when no CPU is left.
function place_of(host, instances,    memory_option, n, i, unit_list, part, text) {
  memory_option = tier_policy(host)
  if (V["SERVER_NUMACTL"] != "" || V["PLACEMENT"] == "none") {
    # The user's numactl options replace all others.
    if (V["SERVER_NUMACTL"] != "") memory_option = V["SERVER_NUMACTL"] (memory_option == "" ? "" : " ") memory_option
    return "-@" (memory_option == "" ? "-" : memory_option)
  }
  text = units_of(host, instances, V["PLACEMENT"], V["IO_THREADS"])
  if (text == "none" || (text !~ /@[0-9]/ && memory_option == "")) return text
  # The memory tier is what is measured, so it overrides the best placement of memory.
  n = split(text, unit_list, ";")
  text = ""
  for (i = 1; i <= n; i++) {
    split(unit_list[i], part, "@")
    text = text (i > 1 ? ";" : "") part[1] "@" (memory_option == "" ? "--membind=" part[2] : memory_option)
  }
  return text
}

# The placement on all servers, separated by `|`.
function places_of(instances,    i, text) {
  for (i = 1; i <= servers; i++) text = text (i > 1 ? "|" : "") place_of(SERVER[i], spread_count(i, instances))
  return text
}

# The node after that of the instances, wrapping around; empty with one node.
function other_node(host,    i, node, first, next_node) {
  topology_use(host)
  node = V["PLACEMENT_NODE"] == "auto" ? 0 : V["PLACEMENT_NODE"] + 0
  for (i = 1; i <= listed; i++) {
    if (first == "" || at[there[i]] < first) first = at[there[i]]
    if (at[there[i]] > node && (next_node == "" || at[there[i]] < next_node)) next_node = at[there[i]]
  }
  if (next_node != "") return next_node
  return first == node ? "" : first
}

# The numactl options of each client, in their order, separated by `|`; `-` for a client that is not placed, or is by its CLIENT_PREFIX.
function client_places(    i, j, text, option, node) {
  for (i = 1; i <= clients; i++) {
    option = ""
    if (V["PLACEMENT"] == "split" && V["SERVER_NUMACTL"] == "" && V["CLIENT_PREFIX"] !~ /^numactl /)
      for (j = 1; j <= servers; j++) {
        if (!is_same(CLIENT[i], SERVER[j])) continue
        node = other_node(SERVER[j])
        option = "--cpunodebind=" node " --membind=" node
      }
    text = text (i > 1 ? "|" : "") (option == "" ? "-" : option)
  }
  return text
}

# Whether the instances form a Redis Cluster.
function is_cluster() {
  return V["CLUSTER"] != "off"
}

# The number of processes for a number of instances: in a cluster each shard has replicas too.
function processes(instances) {
  return is_cluster() ? instances * (1 + V["REPLICAS"]) : instances + 0
}

# The nodes of a cluster: servers, or with one server groups of instances that go down together.
function cluster_nodes() {
  if (servers > 1) return servers
  return V["CLUSTER"] == "on" ? 3 : V["CLUSTER"] + 0
}

# The number of processes on a server; lib/run/cluster.sh explains which node has which.
function spread_count(i, instances,    key, nodes, copy, shard, node, sum) {
  if (servers < 2) return processes(instances)
  if (!is_cluster()) return int(instances / servers) + (i - 1 < instances % servers)
  key = i " " instances " " V["REPLICAS"]
  if (key in SPREAD) return SPREAD[key]
  nodes = cluster_nodes()
  for (copy = -1; copy < V["REPLICAS"] + 0; copy++)
    for (shard = 0; shard < instances + 0; shard++) {
      node = copy < 0 ? shard % nodes : (shard + 1 + (int(shard / nodes) + copy) % (nodes - 1)) % nodes
      sum += node == i - 1
    }
  SPREAD[key] = sum + 0
  return SPREAD[key]
}

# The most processes on a server.
function spread_most(instances,    i, count_one, most) {
  for (i = 1; i <= servers; i++) {
    count_one = spread_count(i, instances)
    if (count_one > most) most = count_one
  }
  return most
}

# A server's part of what all instances have together, by its number of processes.
function spread_part(total, instances, on_server) {
  return servers > 1 ? int(total * on_server / processes(instances)) : total
}

# Divide the instances over the clients: contiguous ranges, the remainder one each to the first clients.
function shares_make(instances,    i, port) {
  clients = words("CLIENT_IP", CLIENT)
  port = V["REDISBASE"] + 0
  for (i = 1; i <= clients; i++) {
    SHARE[i] = int(instances / clients) + (i - 1 < instances % clients)
    SHARE_PORT[i] = port
    port += SHARE[i]
  }
}

# The threads of each instance; 1 where THREADS is the number of a client.
function threads_each() {
  return V["THREADS"] ~ /\/instance$/ ? V["THREADS"] + 0 : 1
}

# The threads of a client with a number of instances.
function threads_of(instances) {
  return V["THREADS"] ~ /^[0-9]+$/ ? V["THREADS"] + 0 : threads_each() * instances
}

# The requests of a phase on a client; 0: limited by TIME, or one per key.
function requests_of(instances,    threads) {
  if (V["TIME"] != 0) return 0
  if (V["REQUESTS"] ~ /\/instance$/) return V["REQUESTS"] * instances
  if (V["REQUESTS"] !~ /\/connection$/) return V["REQUESTS"] + 0
  # A thread opens its connections to each of its instances; it has several when there are fewer threads than instances.
  threads = threads_of(instances)
  return (V["REQUESTS"] + 0) * V["CONNECTIONS"] * (threads > instances ? threads : instances)
}

# Replace `auto` by the facts of the servers.
function auto_settle(    i, all, list) {
  if (V["SERVER_CORES"] == "auto") V["SERVER_CORES"] = facts_most("cpus")
  if (V["INSTANCES"] == "auto") {
    for (i = 1; i <= servers; i++) all += cpus_of(SERVER[i])
    V["INSTANCES"] = all
  }
  if (V["INSTANCES"] !~ /^[0-9]+$/) {
    list = numbers_of(V["INSTANCES"])
    if (list == "")
      refuse("INSTANCES", "empty range: instances may use " cpus_usable() " CPUs; set a number, or a range that starts there")
    V["INSTANCES"] = list
  }
  if (V["SERVER_MEM"] == "auto") V["SERVER_MEM"] = facts_least("mem_gib")
}

# The numbers that ranges name, in order: N, A..B or A..B..STEP, also with `all` and `clients`.
function numbers_of(list,    n, i, k, word, part, number, seen, most, out) {
  if (list ~ /all/) gsub(/all/, cpus_usable(), list)
  gsub(/clients/, split(V["CLIENT_IP"], word, " "), list)
  n = split(list, word, " ")
  for (i = 1; i <= n; i++) {
    k = split(word[i], part, /\.\./)
    if (k < 2) part[2] = part[1]
    if (k < 3) part[3] = 1
    for (number = part[1] + 0; number <= part[2] + 0; number += part[3]) seen[number] = 1
    if (part[2] + 0 > most) most = part[2] + 0
  }
  for (number = 1; number <= most; number++) if (number in seen) out = out (out == "" ? "" : " ") number
  return out
}
