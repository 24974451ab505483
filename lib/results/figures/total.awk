# SPDX-License-Identifier: MIT
# Add up rows over clients: one line per (run, variant, point, repeat, operation), in the reading order; `keys` is the number per instance,
# independent of the requests of a phase. The schema has the columns and the aggregation of each. Rates and counts are summed.
# Percentiles of several clients come from their merged histograms; without the histograms they stay empty, because the total percentile cannot be
# computed from percentiles. Error margins of several clients come from their series added up by time (margin.awk). Each line begins with a sort key;
# the caller sorts by it and removes it.

function at(column) {
  return (column in place_of) ? $place_of[column] : ""
}

function plus(t, column, value) {
  sum[t, column] += value
  known[t, column]++
}

# Percentiles of total T from the histograms of all its clients.
function merge(t,    i, n, path, all, acc, next_p, value) {
  histogram_clear()
  all = 0
  n = split(histograms[t], path, "\t")
  for (i = 1; i <= n; i++) {
    value = path[i] == "" ? 0 : histogram_add(text_unescape(substr(path[i], 2)), path[i] ~ /^1/, kept[t, "operation"] "")
    if (!value) {
      # A directory of the guide's logs often has no histograms; that is not an error.
      if (path[i] ~ /^1/) {
        text_complain(text_unescape(substr(path[i], 2)), "the histogram is missing or truncated; percentiles are left empty")
        failed = 1
      }
      return
    }
    all += value
  }
  # Every request that succeeded is a sample; fewer samples mean that the file was truncated after its percentage reached 100.000.
  if (kept[t, "tsv"] && sum[t, "errors"] + sum[t, "timeouts"] + sum[t, "lost"] == 0 && all + sum[t, "out_of_range"] != sum[t, "ops"] + sum[t, "late"]) {
    text_complain(text_unescape(folder[t]), sprintf("the histograms of %s contain %.0f of %.0f requests; percentiles are left empty",
      kept[t, "operation"], all + sum[t, "out_of_range"], sum[t, "ops"] + sum[t, "late"]))
    failed = 1
    return
  }
  histogram_sort(buckets)
  # Samples above the histograms' range count as above every bucket.
  all += sum[t, "out_of_range"]
  acc = 0
  next_p = 1
  for (i = 1; i <= buckets && next_p <= percentiles; i++) {
    acc += bucket[order[i]]
    while (next_p <= percentiles) {
      if (acc < histogram_rank(share[next_p], all)) break
      value = order[i] + 0
      if (known[t, "max_us"] && value > sum[t, "max_us"]) value = sum[t, "max_us"]
      percentile[t, percentile_name[next_p]] = value
      next_p++
    }
  }
  for (; next_p <= percentiles; next_p++) percentile[t, percentile_name[next_p]] = known[t, "max_us"] ? sum[t, "max_us"] : ""
}

BEGIN {
  FS = "\t"
}

NR == 1 {
  for (i = 1; i <= NF; i++) {
    schema_see($i)
    place_of[$i] = i
    kind = schema[$i, "clients"]
    if (kind == "sum") { sum_name[++summed] = $i; sum_at[summed] = i }
    else if (kind == "max" || kind == "largest") { max_name[++maxed] = $i; max_at[maxed] = i }
    else if (kind == "min") { min_name[++least] = $i; min_at[least] = i }
    else if (kind == "mean") { mean_name[++means] = $i; mean_at[means] = i }
    else if (kind == "different") { word_name[++worded] = $i; word_at[worded] = i }
  }
  for (i = 1; i <= schema_columns; i++) if (schema[schema_name[i], "clients"] != "") total_name[++columns] = schema_name[i]
  # The percentage is in the column's name: p99_9_us.
  for (i = 1; i <= columns; i++)
    if (schema[total_name[i], "clients"] == "histogram") {
      percentile_name[++percentiles] = total_name[i]
      share[percentiles] = substr(total_name[i], 2)
      sub(/_us$/, "", share[percentiles])
      sub(/_/, ".", share[percentiles])
    }
  next
}

{
  key = at("run_folder") SUBSEP at("run") SUBSEP at("variant") SUBSEP at("point") SUBSEP at("repeat") SUBSEP at("operation") SUBSEP (at("point") == "" ? at("len") : "")
  # A plain log without a repeat number is a separate repeat.
  if (at("repeat") == "") key = key SUBSEP NR
  if ((key, at("client")) in taken) {
    text_complain(text_unescape(at("filename")), "client " at("client") " has a second result of the same repeat and phase; excluded")
    failed = 1
    next
  }
  taken[key, at("client")] = 1
  if (!(key in number)) {
    t = number[key] = ++totals
    for (i = 1; i <= columns; i++) if (schema[total_name[i], "clients"] == "same") kept[t, total_name[i]] = at(total_name[i])
    if (at("instance_keys") != "") kept[t, "keys"] = at("instance_keys")
    folder[t] = at("folder")
  }
  t = number[key]
  clients[t]++
  client_of[t, clients[t]] = text_unescape(at("client"))
  folder_of[t, clients[t]] = at("folder")
  first_done[t, clients[t]] = at("first_done_us")
  last_done[t, clients[t]] = at("max_time_us")
  own_rate[t, clients[t]] = at("threads_ops_per_sec")
  for (i = 1; i <= margin_columns; i++) margin[t, margin_column[i]] = at(margin_column[i])
  # These loops process most columns of most rows, so they call no functions.
  for (i = 1; i <= summed; i++)
    if ($sum_at[i] != "") {
      sum[t, sum_name[i]] += $sum_at[i]
      known[t, sum_name[i]]++
    }
  for (i = 1; i <= maxed; i++)
    if ($max_at[i] != "") {
      if (!((t, max_name[i]) in sum) || $max_at[i] + 0 > sum[t, max_name[i]]) sum[t, max_name[i]] = $max_at[i] + 0
      known[t, max_name[i]]++
    }
  for (i = 1; i <= least; i++)
    if ($min_at[i] != "") {
      known[t, min_name[i]]++
      if ($min_at[i] > 0 && (!((t, min_name[i]) in sum) || $min_at[i] + 0 < sum[t, min_name[i]])) sum[t, min_name[i]] = $min_at[i] + 0
    }
  # A mean latency is one of all requests that percentiles include.
  samples = at("ops") + at("late") + at("unanswered")
  weight[t] += samples
  for (i = 1; i <= means; i++) if ($mean_at[i] != "") plus(t, mean_name[i], at(mean_name[i]) * samples)
  for (i = 1; i <= worded; i++) if ($word_at[i] != "") add_word(t, word_name[i], $word_at[i])
  if (at("foreign_cpu_percent") != "" && at("foreign_cpu_percent") == sum[t, "foreign_cpu_percent"]) own[t, "foreign_host"] = at("foreign_host")
  if (at("discarded") != "" && index("; " own[t, "discarded"] "; ", "; " at("discarded") "; ") == 0)
    own[t, "discarded"] = own[t, "discarded"] (own[t, "discarded"] == "" ? "" : "; ") at("discarded")
  if (at("start_us") + 0 > last_start[t]) last_start[t] = at("start_us") + 0
  for (i = 1; i <= percentiles; i++) if (clients[t] == 1) percentile[t, percentile_name[i]] = at(percentile_name[i])
  # A client without requests has an empty histogram.
  if (!at("tsv") || samples + at("out_of_range") > 0) histograms[t] = (parts[t]++ ? histograms[t] "\t" : "") (at("histogram") == "" ? "" : (at("tsv") + 0) at("histogram"))
}

# Add WORD to the different words of a column; `-` means none.
function add_word(t, column, word) {
  known[t, column]++
  if (word == "-" || index(" " sum[t, column] " ", " " word " ")) return
  sum[t, column] = sum[t, column] (sum[t, column] == "" ? "" : " ") word
}

# Read the start of total T's phase on each client into begun[client], in us on the master's clock; returns how many are known.
function read_starts(t,    file, line, f, i, count) {
  for (i in begun) delete begun[i]
  file = text_opened(text_unescape(folder[t]) "/../starts.tsv")
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] != kept[t, "operation"] || f[3] !~ /^[0-9]+$/) continue
    count++
    begun[f[2]] = f[3] + 0
  }
  close(file)
  return count
}

# The delay between the start of the first client of total T and that of client C, in seconds.
function offset_of(t, c) {
  return clients[t] == 1 ? 0 : (begun[client_of[t, c]] - begun[client_of[t, 1]]) / 1000000
}

# The time between the first and the last client's start of the phase of total T, in us: by starts.tsv of the repeat, which is on one clock,
# else by the clients' own clocks.
function start_spread(t,    i, first, last) {
  if (clients[t] < 2) return ""
  if (starts != clients[t]) return known[t, "start_us"] ? text_number(last_start[t] - sum[t, "start_us"], 0) : ""
  for (i in begun) {
    if (first == "" || begun[i] < first) first = begun[i]
    if (last == "" || begun[i] > last) last = begun[i]
  }
  return text_number(last - first, 0)
}

# Reads the series of all clients of total T.
function read_series(t,    c) {
  for (c = 1; c <= clients[t]; c++)
    series_read(c, text_opened(text_unescape(folder_of[t, c] "/" kept[t, "operation"] ".series.tsv")), offset_of(t, c))
}

# Set margin[t, ...] of several clients; empty if a client has no series, or its start is unknown.
function merge_margins(t,    i, c, lacks) {
  lacks = starts != clients[t]
  for (c = 1; c <= clients[t] && !lacks; c++)
    if (!(client_of[t, c] in begun) || first_done[t, c] == "" || !series_rows[c] || !margin_take(c, offset_of(t, c), first_done[t, c] / 1000000)) lacks = 1
  if (!lacks) margin_judge(margin_merge(clients[t]), sum[t, "rate"] > 0)
  for (i = 1; i <= margin_columns; i++) margin[t, margin_column[i]] = lacks ? "" : margin_of[margin_column[i]]
}

# The clients' CPU time per request. Some clients count CPU time in ticks of 10 ms, which is too coarse for a phase under a second.
function cpu_per_op(t) {
  if (known[t, "client_cpu_us"] != clients[t] || sum[t, "ops"] <= 0 || sum[t, "max_time_us"] < 1000000) return ""
  return text_number(sum[t, "client_cpu_us"] / sum[t, "ops"], 3)
}

# The cost of 1,000 operations per second within a limit.
function cost_per_kops(t,    cost) {
  if (kept[t, "memory_cost"] == "" || known[t, "ops_per_sec"] != clients[t] || sum[t, "ops_per_sec"] <= 0) return ""
  cost = 1000 * kept[t, "memory_cost"] / sum[t, "ops_per_sec"]
  return text_number(cost, text_places(cost, 12))
}

# The throughput in % of the requested rate. A search chooses the rate itself.
function rate_percent(t) {
  if (sum[t, "rate"] <= 0 || kept[t, "search"] != "" || known[t, "ops_per_sec"] != clients[t]) return ""
  return text_number(100 * sum[t, "ops_per_sec"] / sum[t, "rate"], 2)
}

# The value of total T in the column NAME. A sum that lacks a client is empty.
function figure(t, name,    kind, whole) {
  kind = schema[name, "clients"]
  whole = known[t, name] == clients[t]
  if (kind == "same") return kept[t, name]
  if (kind == "sum" || kind == "max") return whole ? text_number(sum[t, name], 6) : ""
  if (kind == "largest") return known[t, name] ? text_number(sum[t, name], 6) : ""
  if (kind == "min") return (t, name) in sum ? text_number(sum[t, name], 6) : whole ? 0 : ""
  if (kind == "mean") return whole && weight[t] > 0 ? text_number(sum[t, name] / weight[t], 3) : ""
  if (kind == "histogram") return percentile[t, name] == "" ? "" : text_number(percentile[t, name], 3)
  if (kind == "series") return margin[t, name]
  if (kind == "different") return !known[t, name] ? "" : sum[t, name] == "" ? "-" : sum[t, name]
  return kind == "count" ? clients[t] : own[t, name]
}

END {
  # An empty key sorts first.
  line = ""
  for (i = 1; i <= columns; i++) line = line "\t" total_name[i]
  print line
  for (t = 1; t <= totals; t++) {
    if (clients[t] > 1 || percentile[t, percentile_name[1]] == "") {
      for (i = 1; i <= percentiles; i++) percentile[t, percentile_name[i]] = ""
      if (histograms[t] !~ /^\t*$/) merge(t)
    }
    starts = read_starts(t)
    read_series(t)
    if (clients[t] > 1) merge_margins(t)
    window_fill(t)
    own[t, "start_spread_us"] = start_spread(t)
    own[t, "client_cpu_us_per_op"] = cpu_per_op(t)
    own[t, "cost_per_kops"] = cost_per_kops(t)
    own[t, "rate_percent"] = rate_percent(t)
    line = text_natural(kept[t, "run"]) "\001" text_natural(kept[t, "point"] == "" ? kept[t, "len"] : kept[t, "point"]) "\001" \
      text_natural(kept[t, "repeat"]) "\001" phase_rank(t) "\001" text_natural(kept[t, "variant_rank"] == "" ? 9999 : kept[t, "variant_rank"]) \
      "\001" text_natural(kept[t, "variant"])
    for (i = 1; i <= columns; i++) line = line "\t" figure(t, total_name[i])
    print line
  }
  exit failed
}

# Phases have their order in the first log.
function phase_rank(t,    operation) {
  operation = kept[t, "operation"]
  if (!(operation in rank)) rank[operation] = ++ranks
  return sprintf("%04d", rank[operation])
}
