# SPDX-License-Identifier: MIT
# Places instances on CPUs: which sets of CPUs of a topology (lscpu -p: CPU,CORE,SOCKET,NODE) the instances use in turn.
# Read after CPUS_AWK (lib/shared/cpus.sh).

# Forget the topology.
function place_clear() {
  listed = 0
  split("", there)
  split("", core)
  split("", at)
}

# Take a line of the topology.
function place_line(line,    field) {
  split(line, field, ",")
  there[++listed] = field[1] + 0
  # The id of a core may be unique only within its socket.
  core[field[1] + 0] = field[3] ":" field[2]
  at[field[1] + 0] = field[4] + 0
}

# Set cpu[1..count] to the usable CPUs, at most CORES.
function take_cpus(cores, allowed, except,    i, list, may, never) {
  if (allowed != "-") for (i = cpus_expand(allowed, list); i > 0; i--) may[list[i]] = 1
  if (except != "-") for (i = cpus_expand(except, list); i > 0; i--) never[list[i]] = 1
  count = 0
  for (i = 1; i <= listed && count < cores; i++)
    if (allowed != "-" ? there[i] in may : !(there[i] in never)) cpu[++count] = there[i]
}

# Order the nodes from `node` on, wrapping around.
function from_node(node,    i, top, n, k, kept) {
  for (i = 1; i <= count; i++) {
    kept[i] = cpu[i]
    if (at[cpu[i]] > top) top = at[cpu[i]]
  }
  for (n = 0; n <= top; n++)
    for (i = 1; i <= count; i++) if (at[kept[i]] == (node + n) % (top + 1)) cpu[++k] = kept[i]
}

# Group by core, in the order of each core's first CPU.
function by_core(    i, key, c, number) {
  for (i = 1; i <= count; i++) {
    c = cpu[i]
    if (!(core[c] in number)) { number[core[c]] = ++units; members[units] = 0 }
    key = number[core[c]]
    unit[key, ++members[key]] = c
  }
}

# Groups of one CPU: the first CPU of every core, then every second CPU, so that few instances never share a core.
function by_cpu(    i, c, rank, most, r, taken) {
  for (i = 1; i <= count; i++) {
    c = cpu[i]
    rank[c] = ++taken[core[c]]
    if (rank[c] > most) most = rank[c]
  }
  for (r = 1; r <= most; r++)
    for (i = 1; i <= count; i++)
      if (rank[cpu[i]] == r) { unit[++units, 1] = cpu[i]; members[units] = 1 }
}

# Group by node, in the order of each node's first CPU; only the node `only` when it is named.
function by_node(only,   i, n, key, number) {
  for (i = 1; i <= count; i++) {
    n = at[cpu[i]]
    if (only != "" && n != only) continue
    if (!(n in number)) { number[n] = ++units; members[units] = 0; memory[units] = n }
    key = number[n]
    unit[key, ++members[key]] = cpu[i]
  }
}

# The guide's rule: each instance gets the same number of neighbouring CPUs, wrapping around; the CPUs left over are fewer than one instance has.
function by_step(instances, share,    step, i, first) {
  step = int(count / instances)
  if (step < share) step = share < count ? share : count
  for (first = 1; first + step - 1 <= count; first += step) {
    members[++units] = step
    for (i = 0; i < step; i++) unit[units, i + 1] = cpu[first + i]
  }
}

# Join as many neighbouring groups as one instance's threads need CPUs.
function join_units(share,    need, group, i, j, k, joined, sizes) {
  need = int((share + members[1] - 1) / members[1])
  if (need < 2) return
  if (need > units) need = units
  for (group = 1; group * need <= units; group++) {
    k = 0
    for (i = (group - 1) * need + 1; i <= group * need; i++)
      for (j = 1; j <= members[i]; j++) joined[group, ++k] = unit[i, j]
    sizes[group] = k
  }
  units = group - 1
  for (i = 1; i <= units; i++) {
    members[i] = sizes[i]
    for (j = 1; j <= sizes[i]; j++) unit[i, j] = joined[i, j]
  }
}

# The CPUs of the instances in turn: CPUS@NODE, separated by semicolons; `-` for any node; `none` if no CPU is left. `-` in NODE, ALLOWED and EXCEPT
# means no limit; SHARE is the number of CPUs that an instance needs.
function place_units(instances, placement, node, cores, allowed, except, share,    u, i, one, out) {
  units = 0
  split("", unit)
  split("", members)
  split("", memory)
  take_cpus(cores, allowed, except)
  if (!count) return "none"
  if (node != "-") from_node(node)
  if (placement == "spread") by_step(instances, share)
  else if (placement == "core") { by_core(); join_units(share) }
  else if (placement == "cpu") { by_cpu(); join_units(share) }
  else if (placement == "numa") by_node("")
  else by_node(node == "-" ? 0 : node)
  if (!units) return "none"
  for (u = 1; u <= units && u <= instances; u++) {
    split("", one)
    for (i = 1; i <= members[u]; i++) one[i] = unit[u, i]
    out = out ";" cpus_compress(one, members[u]) "@" ((u in memory) ? memory[u] : "-")
  }
  return substr(out, 2)
}
