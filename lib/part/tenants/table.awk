# SPDX-License-Identifier: MIT
# Print a table per phase of runs with tenants: the figures of each, and with TENANTS.load=alone how much slower each is than without the others, and
# how fair that is. With several policies, a table of their ranks, and whether the repeats tell them apart.
# Table: 97
# Needs: interval decide bound totals
# Files: */*/rep-*/tenants.tsv

FNR == 1 {
  files++
  n = split(FILENAME, part, "/")
  variant = part[n - 3]
  next
}

# What has no results.
files > 1 {
  if ($6 != "") {
    lost[variant ": " $2]++
    why[variant ": " $2] = $6
  }
  next
}

# All DRAM is no policy.
$at["tenant"] == "all" && $at["discarded"] == "" && $at["variant_rank"] > 0 && $at["tier_is"] != "free" && !schema_is_fill($at["operation"]) {
  key = $at["operation"] SUBSEP $at["point"] SUBSEP $at["variant"]
  value[key, ++count[key], "dram_bytes"] = $at["dram_bytes"]
  is_policy[key] = 1
}

$at["tenant"] != "" && $at["tenant"] != "all" && $at["discarded"] == "" && $at["variant_rank"] > 0 {
  point = $at["point"]
  sweep = $at["sweep"]
  load = "tenants_load" in at ? $at["tenants_load"] : ""
  # The points with all tenants, and each alone, differ in nothing else.
  if (load != "") {
    sub("-?tenantsload" load, "", point)
    sub(/(, )?tenants load [^,]*/, "", sweep)
  }
  phase = substr($at["operation"], 1, length($at["operation"]) - length($at["tenant"]) - 1)
  shape = phase SUBSEP point
  remember("shape", shape)
  if (load == "" || load == "all") {
    policy_point[shape] = $at["point"]
    latency[shape, $at["variant"], $at["tenant"], $at["repeat"]] = $at["avg_us"]
    if ($at["repeat"] > repeats) repeats = $at["repeat"]
  }
  sweep_of[shape] = sweep
  rank[$at["variant"]] = $at["variant_rank"]
  found_variant[$at["variant"]] = 1
  remember("tenant", $at["tenant"])
  key = shape SUBSEP $at["variant"] SUBSEP $at["tenant"] SUBSEP (load == $at["tenant"] ? "alone" : "all")
  k = ++count[key]
  if ($at["tenant_promoted_pages"] + $at["tenant_demoted_pages"] > 0) moved = 1
  n = split("servers ops_per_sec rate_percent avg_us p99_us p99_9_us tenant_dram_bytes tenant_dram_min_bytes tenant_dram_max_bytes tenant_swap_bytes" \
    " tenant_swapins tenant_promoted_pages tenant_demoted_pages max_time_us", column, " ")
  for (i = 1; i <= n; i++) value[key, k, column[i]] = $at[column[i]]
}

function tenants_median(key, figure,    m) {
  m = median_of(key, figure)
  return m == "" ? "" : text_short(m)
}

# How many times the figure of all at the same time is that of the tenant alone; empty if one of both is not known.
function tenants_times(key, alone, figure,    a, b) {
  a = median_of(key, figure)
  b = median_of(alone, figure)
  return a == "" || b == "" || b <= 0 ? "" : a / b
}

function tenants_mib(key, figure,    m) {
  m = median_of(key, figure)
  return m == "" ? "" : text_short(m / 1048576)
}

# Per second of the phase.
function tenants_paced(key, figure,    m, us) {
  m = median_of(key, figure)
  us = median_of(key, "max_time_us")
  return m == "" || us <= 0 ? "" : text_short(m * 1000000 / us)
}

function tenants_line(shape, v, t,    key, alone, slow, tail, span) {
  key = shape SUBSEP v SUBSEP t SUBSEP "all"
  alone = shape SUBSEP v SUBSEP t SUBSEP "alone"
  if (!count[key]) return
  slow = tenants_times(key, alone, "avg_us")
  tail = tenants_times(key, alone, "p99_us")
  if (slow != "") {
    slowed++
    # A tenant has 1 / slow of its speed.
    sum += 1 / slow
    squares += 1 / (slow * slow)
    if (slow > worst) { worst = slow; worst_of = t }
  }
  span = tenants_mib(key, "tenant_dram_min_bytes")
  if (span != "") span = span " to " tenants_mib(key, "tenant_dram_max_bytes")
  print "row", v, t, median_of(key, "servers"), tenants_median(key, "ops_per_sec"), tenants_median(key, "rate_percent"), tenants_median(key, "avg_us"), \
    tenants_median(key, "p99_us"), tenants_median(key, "p99_9_us"), span, tenants_mib(key, "tenant_swap_bytes"), \
    tenants_paced(key, "tenant_swapins"), tenants_paced(key, "tenant_promoted_pages"), tenants_paced(key, "tenant_demoted_pages"), (slow == "" ? "" : sprintf("%.2f", slow)), (tail == "" ? "" : sprintf("%.2f", tail))
}

# The mean over all tenants of the logarithm of the latency, for each repeat of a policy that has all tenants: log_of[V, REPEAT]. Returns their number.
function tenants_logs(shape, v,    r, t, us, sum, n) {
  for (r = 1; r <= repeats; r++) {
    sum = 0
    for (t = 1; t <= size["tenant"]; t++) {
      us = latency[shape, v, item["tenant", t], r]
      if (us <= 0) break
      sum += log(us)
    }
    if (t <= size["tenant"]) continue
    log_of[v, r] = sum / size["tenant"]
    n++
  }
  return n
}

# What COMMON repeats say of a policy and the next better one.
function tenants_apart(worse, better, common,    i, ratio, says, more) {
  if (common < 2) return OFS OFS "not decided: fewer than two repeats that both have; set REDISRUNS=3 or more"
  for (i = 1; i <= common; i++) ratio[i] = exp(log_of[worse, shared[i]] - log_of[better, shared[i]])
  interval_paired(ratio, common, 0.95)
  says = decide(interval_low, interval_high, -1, 0.02)
  if (says == "same") says = "equal within 2 %"
  else if (says == "worse") says = "told apart"
  else {
    more = decide_more(interval_centre, interval_error, interval_df, common, 0.02, 0.95)
    says = "not decided: the interval contains 1; " (more ? "about " decide_round(more) " more repeat" (more == 1 ? "" : "s") : "more than 1,000 repeats") " would decide"
  }
  return sprintf("%.2f", interval_centre) OFS sprintf("%.2f - %.2f", interval_low, interval_high) OFS says
}

# Find the repeats that N policies have: shared[1..]. Returns their number.
function tenants_shared(list, n,    r, i, common) {
  for (r = 1; r <= repeats; r++) {
    for (i = 1; i <= n && (list[i], r) in log_of; i++) ;
    if (i > n) shared[++common] = r
  }
  return common + 0
}

# Print the ranks of the policies at a point, by the repeats that all of them have.
function tenants_ranks(phase, shape,    v, i, k, n, list, order, at_point, common, mean) {
  split("", log_of)
  for (v = 1; v <= size["variant"]; v++) {
    at_point = phase SUBSEP policy_point[shape] SUBSEP item["variant", v]
    if ((at_point in is_policy) && tenants_logs(shape, item["variant", v])) list[++n] = item["variant", v]
  }
  if (n < 2) return
  common = tenants_shared(list, n)
  if (!common) {
    print "note", "The policies have no ranks, because no repeat of all of them has all tenants."
    return
  }
  for (k = 1; k <= n; k++) {
    for (i = 1; i <= common; i++) mean[list[k]] += log_of[list[k], shared[i]] / common
    for (i = k; i > 1 && mean[order[i - 1]] > mean[list[k]]; i--) order[i] = order[i - 1]
    order[i] = list[k]
  }
  table_begin(toupper(phase) ": ranks of policies by the latency of all tenants", \
    "rank|right|Rank\tvariant|text|Variant\tavg|right|avg us\tdram|right|DRAM MiB\tratio|right|Times the one above\tinterval|right|95 % interval\tverdict|text|Verdict")
  for (i = 1; i <= n; i++)
    print "row", i, order[i], text_short(exp(mean[order[i]])), tenants_mib(phase SUBSEP policy_point[shape] SUBSEP order[i], "dram_bytes"), \
      (i == 1 ? OFS OFS : tenants_apart(order[i], order[i - 1], common))
  print "note", "The latency is the geometric mean of the mean latencies of all tenants, of the repeats that have all tenants with all policies. DRAM includes what compression takes."
}

END {
  for (key in lost) missing = missing (missing == "" ? "" : "; ") key " in " lost[key] " repeat" (lost[key] == 1 ? "" : "s") " (" why[key] ")"
  if (missing != "") missing = "Without results: " missing "."
  remember_variants()
  for (s = 1; s <= size["shape"]; s++) {
    split(item["shape", s], part, SUBSEP)
    table_begin(toupper(part[1]) (sweep_of[item["shape", s]] == "" ? "" : ", " sweep_of[item["shape", s]]) ": tenants at the same time, medians of repeats", \
      "variant|text|Variant\ttenant|text|Tenant\tinstances|right|Instances\tops|right|ops/s\trate|right|% of rate\tavg|right|avg us\tp99|right|p99 us" \
      "\tp99_9|right|p99.9 us\tdram|text|DRAM MiB\tswap|right|Swap MiB\tswapins|right|Swap-ins/s\tpromoted|right|" (moved ? "Promoted/s" : "") "\tdemoted|right|" (moved ? "Demoted/s" : "") "\tslowdown|right|Slowdown\ttail|right|p99 slowdown")
    noted = ""
    for (v = 1; v <= size["variant"]; v++) {
      slowed = sum = squares = worst = 0
      for (t = 1; t <= size["tenant"]; t++) tenants_line(item["shape", s], item["variant", v], item["tenant", t])
      if (slowed > 1)
        noted = noted (noted == "" ? "" : "; ") item["variant", v] ": fairness " sprintf("%.2f", sum * sum / (slowed * squares)) ", the slowest is " worst_of " (" sprintf("%.2f", worst) " times)"
    }
    if (missing != "") print "note", missing
    if (noted != "") print "note", "Slowdown: mean latency divided by that of the tenant alone. Fairness (Jain): 1 if all are slowed equally, 1/N if one of N alone makes progress. " noted "."
    tenants_ranks(part[1], item["shape", s])
  }
}
