# SPDX-License-Identifier: MIT
# Refusals of settings that contradict each other: hosts, instances, memory and clusters. lib/plan/check_load.awk has those of the load.

# Refuse settings of the run, with those of the first variant in force.
function check_run(    i, j, n, clients_all, client, number, seen) {
  clients_all = words("CLIENT_IP", client)
  for (i = 1; i <= clients_all; i++) {
    if (client[i] in seen) refuse("CLIENT_IP", "the client " client[i] " is repeated; give each client once")
    seen[client[i]] = 1
    for (j = 1; j <= servers; j++)
      if (!(client[i] in HERE) && is_loopback(ADDRESS[SERVER[j]]))
        refuse("SERVER", "the client " client[i] " cannot reach a loopback address; set SERVER to an address that clients reach")
  }
  check_servers()
  check_rounds()
  check_answer()
  n = words("INSTANCES", number)
  for (i = 1; i <= n; i++) {
    if (number[i] + 0 < clients_all) check_undivided(number[i], clients_all, n)
    if (V["REDISBASE"] + number[i] - 1 > 65535)
      refuse("REDISBASE", "the ports of " number[i] " instances would end at " V["REDISBASE"] + number[i] - 1 ", past 65535; set a lower" \
        " REDISBASE, or fewer INSTANCES")
  }
}

# Refuse a number of instances that leaves a client without any; for a sweep, refuse only if no number is left.
function check_undivided(number, clients_all, numbers,    text) {
  text = number " instances cannot be divided over " clients_all " clients"
  if (numbers == 1)
    refuse("INSTANCES", text "; use at least " clients_all " instances, or set CLIENTS=" number)
  stop(where("INSTANCES") ": INSTANCES: " text "; start the sweep at the number of clients: INSTANCES=clients..all")
}

# Refuse servers that cannot be those of one run.
function check_servers(    i, seen, here) {
  for (i = 1; i <= servers && servers > 1; i++) {
    if (SERVER[i] in seen) refuse("SERVER", "the server " SERVER[i] " is repeated; give each server once")
    seen[SERVER[i]] = 1
    if (is_loopback(ADDRESS[SERVER[i]]))
      refuse("SERVER", "other servers cannot reach the loopback address " SERVER[i] "; set addresses that all hosts reach")
    if (!(SERVER[i] in HERE)) continue
    if (here != "") refuse("SERVER", here " and " SERVER[i] " are one machine; give each server once")
    here = SERVER[i]
  }
}

# Read the names of metrics, METRIC, and of columns, COLUMN, from the lists of result columns (SCHEMA in the environment).
function metrics_read(    i, n, list) {
  n = split(ENVIRON["SCHEMA"], list, "\n")
  for (i = 1; i <= n; i++) metrics_take(list[i])
}

function metrics_take(file,    line, field, i, n, at, name) {
  while ((getline line < file) > 0) {
    if (line ~ /^#/) continue
    n = split(line, field, "\t")
    if (!("metric" in at)) {
      for (i = 1; i <= n; i++) at[field[i]] = i
      continue
    }
    name = field[at["name"]]
    if (name in COLUMN) stop(file ": " name ": a column of this name exists; choose another name")
    COLUMN[name] = 1
    if (field[at["metric"]] != "-") METRIC[field[at["name"]]] = METRIC[field[at["metric"]]] = 1
  }
  close(file)
}

# Refuse settings of rounds.
function check_rounds(    i, n, metric, seen) {
  n = words("PRECISION", metric)
  if (metric[1] !~ /%$/) refuse("PRECISION", "does not begin with a percentage; accepted: a percentage and the figures, such as 2% ops p99")
  metrics_read()
  for (i = 2; i <= n; i++) {
    if (!(metric[i] in METRIC)) refuse("PRECISION", "unknown metric " metric[i] "; ./do_it.sh compare --metric list names them")
    if (metric[i] in seen) refuse("PRECISION", "the metric " metric[i] " is repeated; give each metric once")
    seen[metric[i]] = 1
  }
}

# Refuse an ANSWER with a figure or a column that results do not have.
function check_answer(    rest, figure, from, to, n, i, column) {
  if (V["ANSWER"] == "verdict") return
  figure = rest = V["ANSWER"]
  sub(/:.*/, "", figure)
  sub(/.* /, "", figure)
  if (!(figure in METRIC)) refuse("ANSWER", "unknown metric " figure "; ./do_it.sh compare --metric list names them")
  while ((from = index(rest, "{")) && (to = index(substr(rest, from), "}"))) {
    n = split(substr(rest, from + 1, to - 2), column, "[.][.]")
    for (i = 1; i <= n; i++)
      if (!(column[i] in COLUMN) && column[i] !~ /^(base|ratio)$/) refuse("ANSWER", "unknown column " column[i] "; accepted: base, ratio, and columns of docs/results.md")
    rest = substr(rest, from + to)
  }
}

# Refuse settings of a variant, with a combination of the values in SWEEP.
function check_variant(    i, n, number) {
  n = words("INSTANCES", number)
  for (i = 1; i <= n && servers > 1; i++)
    if (number[i] + 0 < servers)
      refuse("INSTANCES", "too few: " number[i] " instances on " servers " servers; set at least " servers ", or fewer servers")
  check_tier()
  check_cluster()
  for (i = 1; i <= servers; i++) check_place(SERVER[i])
  check_prefix("SERVER_PREFIX")
  check_prefix("CLIENT_PREFIX")
  check_directives()
  check_load()
  check_generator()
  check_search()
  parts_check()
}

# The option in SERVER_NUMACTL that places memory; empty without one.
function numactl_memory(    i, n, word) {
  n = words("SERVER_NUMACTL", word)
  for (i = 1; i <= n; i++) if (word[i] ~ /^(-[mipPlw]|--m|--i|--pr|--lo|--w)/) return word[i]
  return ""
}

function check_tier(    i, n, word, part, option, seen, least, most) {
  # numactl accepts one policy; a second one is a conflict.
  option = numactl_memory()
  if (option != "" && tier_policy(SERVER[1]) != "")
    refuse("SERVER_NUMACTL", option " conflicts with TIER=" V["TIER"] ", which places memory too; leave " option " out, or name a variant" \
      " without a tier (-v native)")
  n = words("DRAM_RATIO", word)
  for (i = 1; i <= n && V["DRAM_RATIO"] != "search"; i++) {
    if (word[i] == "search") refuse("DRAM_RATIO", "search conflicts with ratios; set only DRAM_RATIO=search")
    split(word[i], part, ":")
    if (word[i] !~ /^[1-9][0-9]*:[1-9][0-9]*$/ || length(part[1]) > 4 || length(part[2]) > 4 || part[1] + 0 > part[2] + 0)
      refuse("DRAM_RATIO", "invalid ratio " word[i] "; accepted: DRAM:DATA with no more DRAM than data, such as 1:4")
  }
  n = V["TIER_WEIGHTS"] ~ /^(keep|auto)$/ ? 0 : words("TIER_WEIGHTS", word)
  for (i = 1; i <= n; i++) {
    split(word[i], part, ":")
    if (word[i] !~ /^(0|[1-9][0-9]*):[1-9][0-9]*$/ || length(part[1]) > 4 || length(part[2]) > 3 || part[2] + 0 > 255)
      refuse("TIER_WEIGHTS", "invalid weight " word[i] "; accepted: keep, auto, or NODE:WEIGHT with a weight from 1 to 255, such as 1:3")
    if (part[1] in seen) refuse("TIER_WEIGHTS", "the node " part[1] " is repeated; give each node once")
    seen[part[1]] = 1
  }
  least = V["KERNEL.scan_period_min"]
  most = V["KERNEL.scan_period_max"]
  if (least != "keep" && most != "keep" && least + 0 > most + 0)
    refuse("KERNEL.scan_period_min", "more than KERNEL.scan_period_max=" most "; set it to at most that")
}

function check_cluster(    i, n, nodes, number, last) {
  if (!is_cluster()) return
  nodes = cluster_nodes()
  if (servers > 1) {
    if (V["CLUSTER"] != "on" && V["CLUSTER"] + 0 != nodes)
      refuse("CLUSTER", "each server is one node, and there are " nodes " servers; set CLUSTER=on")
    if (nodes < 3)
      refuse("SERVER", "too few for CLUSTER=on: with " nodes " nodes no majority of masters is left to take over; name at least 3 servers, or one")
  }
  if (nodes < 3) refuse("CLUSTER", "too few: with " nodes " nodes no majority of masters is left to take over; set at least 3")
  if (V["REPLICAS"] + 0 >= nodes)
    refuse("REPLICAS", "too many: on " nodes " nodes one node would hold a shard twice; set at most " nodes - 1 ", or more nodes (CLUSTER=N)")
  if (V["GENERATOR"] != "test") refuse("GENERATOR", "does not support CLUSTER=on; set GENERATOR=test")
  if (is_on("TLS")) refuse("TLS", "not supported with CLUSTER=on; set TLS=off")
  n = words("INSTANCES", number)
  for (i = 1; i <= n; i++) {
    if (number[i] + 0 < nodes)
      refuse("INSTANCES", "too few: " number[i] " shards on " nodes " nodes leave a node without a master; set at least " nodes)
    last = V["REDISBASE"] + processes(number[i]) - 1
    if (last > 55535) refuse("REDISBASE", "the cluster bus of port " last " would be port " last + 10000 ", past 65535; set a lower REDISBASE")
    if (last >= V["REDISBASE"] + 10000)
      refuse("INSTANCES", "too many: the cluster bus of port " V["REDISBASE"] " would be port " V["REDISBASE"] + 10000 ", which is that of" \
        " an instance; accepted: at most 10000 processes")
  }
}

# Refuse a placement that is impossible on a server.
function check_place(host,    i, nodes, node, list, all) {
  if (!TOPOLOGY[host]) return
  if (V["REDIS_CONF.bio_cpulist"] != "default") check_cpus(host, "REDIS_CONF.bio_cpulist")
  if (V["SERVER_NUMACTL"] != "") return
  topology_use(host)
  # Of several servers, a smaller one uses all of its CPUs.
  if (V["SERVER_CORES"] + 0 > listed && servers < 2) refuse("SERVER_CORES", "the server has " listed " logical CPUs; set at most that many")
  if (V["SERVER_CPUS"] != "auto") check_cpus(host, "SERVER_CPUS")
  if (cpus_of_irqs() != "") check_cpus(host, "TUNE.irq")
  for (i = 1; i <= listed; i++) node[++nodes] = at[there[i]]
  list = cpus_compress(node, nodes)
  for (i = cpus_expand(list, node); i > 0; i--) all = node[i] (all == "" ? "" : " ") all
  if (V["PLACEMENT_NODE"] != "auto" && !index(" " all " ", " " V["PLACEMENT_NODE"] " "))
    refuse("PLACEMENT_NODE", "node " V["PLACEMENT_NODE"] " has no CPU on the server; accepted: " all)
  if (V["PLACEMENT"] == "split" && other_node(host) == "")
    refuse("PLACEMENT", "requires two NUMA nodes with CPUs, and the server has one; set another PLACEMENT")
  list = units_of(host, V["SERVER_CORES"], V["PLACEMENT"], V["IO_THREADS"])
  if (list == "none")
    refuse(V["SERVER_CPUS"] == "auto" && cpus_of_irqs() != "" ? "TUNE.irq" : "SERVER_CPUS", "no CPU is left for the instances; leave at" \
      " least one CPU")
  for (i = 1; i <= TOPOLOGY[host]; i++) {
    if (TOPOLOGY[host, i] !~ /^# node [0-9]+ .* may not use$/) continue
    split(TOPOLOGY[host, i], node, " ")
    if (index(list ";", "@" node[3] ";"))
      refuse("PLACEMENT", "binds memory to node " node[3] ", which processes on the server may not use (cpuset); set PLACEMENT=spread")
  }
}

# Refuse a list that names a CPU that does not exist.
function check_cpus(host, name,    i, n, list, seen) {
  topology_use(host)
  for (i = 1; i <= listed; i++) seen[there[i]] = 1
  n = cpus_expand(V[name], list)
  for (i = 1; i <= n; i++) {
    if (list[i] in seen) continue
    if ((host, "cpus") in LIMIT) refuse(name, "processes on the server may not use CPU " list[i] " (cpuset); name some of " LIMIT[host, "cpus"])
    refuse(name, "the server has no CPU " list[i] "; name CPUs that lscpu lists there")
  }
}

# Refuse a prefix that names a file outside this project.
function check_prefix(name,    text, file) {
  text = V[name]
  while (match(text, /\{[^{}]+\}/)) {
    file = substr(text, RSTART + 1, RLENGTH - 2)
    text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
    if (!(file in OURS)) refuse(name, file ": not found in this project; {FILE} names a file below the directory of do_it.sh")
  }
}

# Refuse directives of redis.conf that the run sets itself, in REDIS_CONF and in conf/redis.conf.
function check_directives(    i, j, n, line, line_of_file, text, file, number) {
  for (i = listed_names + 1; i <= names; i++) {
    if (V[NAME[i]] == "default") continue
    # Redis reads each of several directives of one name on its own line.
    n = split(substr(NAME[i], index(NAME[i], ".") + 1) " " V[NAME[i]], line, ";")
    for (j = 1; j <= n; j++) if ((text = directive_wrong(line[j])) != "") refuse(NAME[i], text)
  }
  if (is_template_read++) return
  file = ROOT "/conf/redis.conf"
  while ((getline line_of_file < file) > 0) {
    number++
    text = directive_wrong(line_of_file)
    if (text != "") stop("conf/redis.conf:" number ": " text)
  }
  close(file)
}

# What is wrong with a line of redis.conf; empty if it sets no directive of the run.
function directive_wrong(line,    name, file, field, i) {
  gsub(/[\v\f\r]/, " ", line)
  name = line
  sub(/^[ \t]+/, "", name)
  sub(/[ \t].*/, "", name)
  if (name == "" || name ~ /^#/) return ""
  # Redis removes quotes, and replaces escapes in them, before it looks at the name.
  if (name ~ /[^A-Za-z0-9_-]/) return name ": not a plain name of a directive; accepted: letters, digits, - and _, without quotes"
  file = LIB "/plan/directives.tsv"
  if (!directives) {
    while ((getline line < file) > 0) if (line !~ /^#/) DIRECTIVE[++directives] = line
    close(file)
  }
  for (i = 1; i <= directives; i++) {
    split(DIRECTIVE[i], field, "\t")
    gsub(/\*/, ".*", field[1])
    if (tolower(name) ~ ("^(" field[1] ")$")) return name ": the run sets this directive; " (field[2] == "-" ? "leave it out" : field[2])
  }
  return ""
}
