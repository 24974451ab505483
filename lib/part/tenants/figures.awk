# SPDX-License-Identifier: MIT
# The tenant of a row, from the repeat's tenants.tsv, and what the counters of its instances and of its cgroup say. A tenant has rows of several
# clients, each with a range of its instances.

function tenants_figures(    n, i, f) {
  n = repeat_lines("tenants.tsv")
  for (i = 2; i <= n; i++) {
    split(repeat_line["tenants.tsv", i], f, "\t")
    if (f[1] == name["client"]) cell["tenant"] = text_escape(f[2])
  }
  if (cell["tenant"] == "") return
  tenants_ports(n)
  tenants_counters()
  tenants_samples()
}

# Read the ports of the row's tenant: tenants_port[PORT].
function tenants_ports(n,    i, k, f) {
  split("", tenants_port)
  for (i = 2; i <= n; i++) {
    split(repeat_line["tenants.tsv", i], f, "\t")
    if (text_escape(f[2]) != cell["tenant"] || !text_is_count(f[3]) || !text_is_count(f[4]) || f[4] > 65536) continue
    for (k = 0; k < f[4] + 0; k++) tenants_port[f[3] + k] = 1
  }
}

# The change of a counter of all instances of the tenant, or what it is after the phase; empty if that of an instance is not known.
function tenants_sum(counter, changes,    port, one, sum) {
  for (port in tenants_port) {
    one = changes ? counter_change(port, counter) : counter_known(port, counter) ? counter_end(port, counter) : ""
    if (one == "") return ""
    sum += one
  }
  return sum
}

function tenants_counters(    calls, far, group, sum, known, i, word) {
  calls = tenants_sum("calls", 1)
  far = tenants_sum("majflt", 1)
  if (far == "") far = tenants_sum("far_misses", 1)
  if (calls > 0 && far != "" && cell["tier_is"] !~ /(^| )direct( |$)/) cell["tenant_far_per_op"] = text_number(far / calls, 6)
  cell["tenant_dram_bytes"] = tenants_sum("rss", 0)
  cell["tenant_swap_bytes"] = tenants_sum("swap", 0)
  group = "group:" text_unescape(cell["tenant"])
  split("pswpin zswpin", word, " ")
  for (i = 1; i <= 2; i++) {
    if (counter_change(group, word[i]) == "") continue
    sum += counter_change(group, word[i])
    known = 1
  }
  if (!known) sum = counter_change(group, "workingset_refault_anon")
  if (sum "" == "") sum = counter_change(group, "pgmajfault")
  cell["tenant_swapins"] = sum
  # With several nodes the cgroup has counts of each.
  if (counter_known(group, "dram")) cell["tenant_dram_bytes"] = counter_text(group, "dram")
  if (counter_known(group, "far")) cell["tenant_far_bytes"] = counter_text(group, "far")
  cell["tenant_hint_faults"] = counter_change(group, "numa_hint_faults")
  cell["tenant_promoted_pages"] = counter_change(group, "pgpromote_success")
  known = sum = 0
  for (i = split("kswapd direct khugepaged proactive", word, " "); i > 0; i--) {
    if (counter_change(group, "pgdemote_" word[i]) == "") continue
    sum += counter_change(group, "pgdemote_" word[i])
    known = 1
  }
  if (known) cell["tenant_demoted_pages"] = sum
  # Version 1 says 2^63 less a page for none.
  if (counter_known(group, "limit") && counter_end(group, "limit") < 2 ^ 60) cell["tenant_limit_bytes"] = counter_text(group, "limit")
}

# Fill the min and the max of its DRAM over the seconds of the phase.
function tenants_samples(    n, i, f) {
  if (!phase_from) return
  n = repeat_lines("dram.tsv")
  for (i = 2; i <= n; i++) {
    split(repeat_line["dram.tsv", i], f, "\t")
    if (text_escape(f[2]) != cell["tenant"] || f[1] * 1000000 < phase_from || f[1] * 1000000 > phase_to) continue
    if (cell["tenant_dram_min_bytes"] == "" || f[3] + 0 < cell["tenant_dram_min_bytes"] + 0) cell["tenant_dram_min_bytes"] = f[3]
    if (f[3] + 0 > cell["tenant_dram_max_bytes"] + 0) cell["tenant_dram_max_bytes"] = f[3]
  }
}
