# SPDX-License-Identifier: MIT
# Print a table of the load of each phase, from the result.tsv of all clients: the share of requests to the most popular keys, and the sizes of
# values. Shares follow from the key pattern and the number of keys; of a trace they are columns. Only phases with a pattern that is not uniform, or
# with several sizes.
# Table: 50
# Needs: interval totals
# Files: */*/rep-*/*/result.tsv

# The probability that a standard normal variable is below x (Abramowitz and Stegun 7.1.26, error below 2e-7).
function normal(x,    t, tail, z) {
  z = (x < 0 ? -x : x) / sqrt(2)
  t = 1 / (1 + 0.3275911 * z)
  tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * exp(-z * z) / 2
  return x < 0 ? tail : 1 - tail
}

# The sum of i^-theta over i = 1..n: the first 1,000 terms, and Euler and Maclaurin's formula for the others.
function harmonic(n, theta,    i, sum, from) {
  from = n < 1000 ? n : 1000
  if (!((from, theta) in head)) {
    for (i = 1; i <= from; i++) sum += i ^ -theta
    head[from, theta] = sum
  }
  sum = head[from, theta]
  if (n == from) return sum
  sum += theta == 1 ? log(n / from) : (n ^ (1 - theta) - from ^ (1 - theta)) / (1 - theta)
  return sum + (n ^ -theta - from ^ -theta) / 2 + theta * (from ^ (-theta - 1) - n ^ (-theta - 1)) / 12
}

# The share of requests to the most popular percent of n keys, 0 to 1.
function share(pattern, sd, n, percent,    part, kind, top, hot, requests, swapped) {
  split(pattern, part, ":")
  kind = part[1]
  top = n * percent / 100
  if (top < 1) top = 1
  if (kind == "zipf" || kind == "latest") return harmonic(int(top + 0.5), part[2] == "" ? 0.99 : part[2] + 0) / harmonic(n, part[2] == "" ? 0.99 : part[2] + 0)
  if (kind == "gaussian") {
    sd = part[2] != "" ? part[2] : sd > 0 ? sd : n / 6
    return (2 * normal(top / 2 / sd) - 1) / (2 * normal(n / 2 / sd) - 1)
  }
  if (kind == "hotspot") {
    # The generator has a whole number of hot keys; if all are hot, it is uniform.
    hot = int(part[2] / 100 * n + 0.5)
    if (hot < 1) hot = 1
    if (hot >= n) return top / n
    hot /= n
    requests = part[3] / 100
    # The keys that are called hot may be the less popular ones.
    if (requests < hot) {
      hot = 1 - hot
      requests = 1 - requests
    }
    top /= n
    return top <= hot ? requests * top / hot : requests + (1 - requests) * (top - hot) / (1 - hot)
  }
  return percent / 100
}

# The probability that a size of a list or distribution is at most x bytes.
function at_most(sizes, x,    part, n, i, choice, ends, weight, sum, weights, var) {
  if (sizes == "etc") sizes = "gpareto:0:214.476:0.348238"
  split(sizes, part, ":")
  if (part[1] == "pareto") return x + 0.5 <= part[2] ? 0 : 1 - ((x + 0.5) / part[2]) ^ -part[3]
  if (part[1] == "gpareto") {
    if (x + 0.5 <= part[2]) return 0
    return part[4] == 0 ? 1 - exp(-(x + 0.5 - part[2]) / part[3]) : 1 - (1 + part[4] * (x + 0.5 - part[2]) / part[3]) ^ (-1 / part[4])
  }
  if (part[1] == "lognormal") {
    var = log(1 + (part[3] / part[2]) ^ 2)
    return normal((log(x + 0.5) - log(part[2]) + var / 2) / sqrt(var))
  }
  n = split(sizes, choice, ",")
  for (i = 1; i <= n; i++) {
    weight = split(choice[i], part, ":") > 1 ? part[2] : 1
    if (split(part[1], ends, "-") < 2) ends[2] = ends[1]
    ends[1] = bytes_of(ends[1])
    ends[2] = bytes_of(ends[2])
    weights += weight
    if (x >= ends[1]) sum += weight * (x >= ends[2] ? 1 : (x - ends[1] + 1) / (ends[2] - ends[1] + 1))
  }
  return sum / weights
}

# A number with a unit of ./test: k, M and G are decimal.
function bytes_of(text) {
  return text * (text ~ /[kK]$/ ? 1000 : text ~ /M$/ ? 1000000 : text ~ /G$/ ? 1000000000 : 1)
}

# The smallest size of which at least a share of the values are no larger.
function quantile(sizes, wanted,    low, high, middle) {
  low = 1
  high = sizes ~ /^(etc|pareto|gpareto|lognormal)/ ? 1048576 : 536870912
  while (low < high) {
    middle = int((low + high) / 2)
    if (at_most(sizes, middle) >= wanted - 1e-12) high = middle
    else low = middle + 1
  }
  return low
}

function percent_text(value) {
  return sprintf("%.1f%%", 100 * value)
}

BEGIN { split("1 10 50", percent, " ") }

FNR == 1 {
  n = split(FILENAME, path, "/")
  next
}

("pattern" in at) && NF >= at["pattern"] {
  pattern = $at["pattern"]
  sizes = ("sizes" in at) ? $at["sizes"] : "-"
  traced = pattern == "trace"
  if (("commands" in at) && $at["commands"] != "-") mixes[path[n - 3]] = 1
  if (sizes == "-" && pattern !~ /^(zipf|gaussian|hotspot|latest)/) next
  # The load is that of every variant, repeat and client of the point, unless a variant has its own number of keys.
  key = $at["operation"] SUBSEP path[n - 3] SUBSEP pattern SUBSEP sizes SUBSEP (traced ? "" : $at["keys"])
  if (!(key in seen)) {
    seen[key] = 1
    order[++rows] = key
    keys_of[key] = $at["keys"]
    sd_of[key] = ("key_sd" in at) ? $at["key_sd"] : ""
    shift_of[key] = ("shift" in at) ? $at["shift"] : "-"
    for (i = 1; i <= 3; i++) share_of[key, i] = traced && ("top_" percent[i] "_percent" in at) && $at["top_" percent[i] "_percent"] ~ /^[0-9.]+$/ ? $at["top_" percent[i] "_percent"] : ""
    mean_of[key] = traced ? text_group($at["len"], 0) : ""
    mix_of[key] = ("commands" in at) ? $at["commands"] : "-"
  }
  bytes[key] += $at["bytes"]
  values[key] += $at["ops"] - $at["misses"]
}

END {
  if (!rows) exit
  table_begin("The load: requests to the most popular keys, and sizes of values", "phase|text|Phase\tpoint|text|Point\tkeys|text|Keys\tcount|right|Keys each" \
    "\ttop_1|right|To 1 % of keys\ttop_10|right|To 10 %\ttop_50|right|To 50 %\tsizes|text|Value sizes\tmedian|right|Median B\tp99|right|p99 B\tmean|right|Measured mean B")
  for (r = 1; r <= rows; r++) {
    key = order[r]
    split(key, part, SUBSEP)
    line = "row" OFS part[1] OFS part[2] OFS part[3] (shift_of[key] == "-" || shift_of[key] == "" ? "" : ", moving") OFS text_group(keys_of[key], 0)
    for (i = 1; i <= 3; i++) {
      if (part[3] == "trace") line = line OFS (share_of[key, i] == "" ? "" : percent_text(share_of[key, i] / 100))
      else line = line OFS percent_text(share(part[3], sd_of[key], keys_of[key], percent[i]))
    }
    several = part[4] != "-" && part[4] != "trace" && part[4] !~ /=/
    line = line OFS (part[4] == "-" ? "one" : part[4]) OFS (several ? text_group(quantile(part[4], 0.5), 0) : "") OFS (several ? text_group(quantile(part[4], 0.99), 0) : "")
    # A mix of commands has requests with several values, and requests without any; so has the populate before it.
    counted = mix_of[key] == "-" && !(schema_is_fill(part[1]) && (part[2] in mixes))
    print line, (mean_of[key] != "" ? mean_of[key] : counted && values[key] > 0 ? text_group(bytes[key] / values[key], 0) : "")
    if (shift_of[key] ~ /^[0-9.]+:[0-9.]+$/) moved = shift_of[key]
    if (part[3] ~ /^latest/) grown = 1
  }
  if (moved != "") {
    split(moved, part, ":")
    print "note", "Moving: every " part[1] " s of the phase other keys become popular (" part[2] " % of all keys on). The plots over time have a mark at each."
  }
  if (grown) print "note", "Latest: the shares are those before keys are added."
}
