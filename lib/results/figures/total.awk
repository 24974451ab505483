# SPDX-License-Identifier: MIT
# Add up rows over clients: one line per (run, variant, point, repeat, operation), in the reading order; `keys` is the number per instance,
# independent of the requests of a phase. The schema has the columns and the aggregation of each. Rates and counts are summed.
# Percentiles of several clients come from their merged histograms; without the histograms they stay empty, because the total percentile cannot be
# computed from percentiles. Error margins of several clients come from their series added up by time (margin.awk). Each line begins with a sort key;
# the caller sorts by it and removes it.

function at(column) {
  return (column in place_of) ? $place_of[column] : ""
}

function plus(column, value) {
  sum[column] += value
  known[column]++
}

# Percentiles from the histograms of all its clients.
function merge(    i, n, path, all, acc, next_p, value) {
  histogram_clear()
  all = 0
  n = split(histograms, path, "\t")
  for (i = 1; i <= n; i++) {
    value = path[i] == "" ? 0 : histogram_add(text_unescape(substr(path[i], 2)), path[i] ~ /^1/, kept["operation"] "")
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
  if (kept["tsv"] && sum["errors"] + sum["timeouts"] + sum["lost"] == 0 && all + sum["out_of_range"] != sum["ops"] + sum["late"]) {
    text_complain(text_unescape(kept["folder"]), sprintf("the histograms of %s contain %.0f of %.0f requests; percentiles are left empty",
      kept["operation"], all + sum["out_of_range"], sum["ops"] + sum["late"]))
    failed = 1
    return
  }
  histogram_sort(buckets)
  # Samples above the histograms' range count as above every bucket.
  all += sum["out_of_range"]
  acc = 0
  next_p = 1
  for (i = 1; i <= buckets && next_p <= percentiles; i++) {
    acc += bucket[order[i]]
    while (next_p <= percentiles) {
      if (acc < histogram_rank(share[next_p], all)) break
      value = order[i] + 0
      if (known["max_us"] && value > sum["max_us"]) value = sum["max_us"]
      percentile[percentile_name[next_p]] = value
      next_p++
    }
  }
  for (; next_p <= percentiles; next_p++) percentile[percentile_name[next_p]] = known["max_us"] ? sum["max_us"] : ""
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
    else if (kind == "groups") group_at = i
    else if (kind == "different") { word_name[++worded] = $i; word_at[worded] = i }
  }
  for (i = 1; i <= schema_columns; i++)
    if (schema[schema_name[i], "clients"] != "") {
      total_name[++columns] = schema_name[i]
      total_kind[columns] = schema[schema_name[i], "clients"]
    }
  # The percentage is in the column's name: p99_9_us.
  for (i = 1; i <= columns; i++)
    if (total_kind[i] == "histogram") {
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
  take_row(key, "")
  # The clients of a group are a total, too.
  if (group_at && $group_at != "" && !schema_is_fill(at("operation"))) take_row(key SUBSEP $group_at, $group_at)
}

# Add the current line to the total of a key.
function take_row(key, group) {
  if (!(key in number)) {
    number[key] = ++totals
    group_of[totals] = group
    if (!(group in group_rank)) group_rank[group] = ++groups
  }
  row[number[key], ++rows_of[number[key]]] = $0
}

# Begin a total.
function start() {
  split("", sum)
  split("", known)
  split("", own)
  split("", percentile)
  split("", machine)
  machines = grouped = 0
  histograms = ""
  parts = weight = last_start = closed = 0
}

# The value of a column of the current line; keys are those of an instance, if they are known.
function value_of(name) {
  return name == "keys" && at("instance_keys") != "" ? at("instance_keys") : at(name)
}

# Take the current line, the row of client C, into the total.
function add_client(c,    i, samples) {
  for (i = 1; i <= columns && c == 1; i++) if (total_kind[i] ~ /^(same|group)/) kept[total_name[i]] = value_of(total_name[i])
  if (group_at && $group_at != "") grouped = 1
  if (c > 1 && grouped && group == "") differ()
  clients = c
  client_of[c] = text_unescape(at("client"))
  i = client_of[c]
  # A client has a load generator for each group.
  sub(/@.*/, "", i)
  if (!(i in machine)) machines++
  machine[i] = 1
  folder_of[c] = at("folder")
  first_done[c] = at("first_done_us")
  last_done[c] = at("max_time_us")
  own_rate[c] = at("threads_ops_per_sec")
  for (i = 1; i <= margin_columns; i++) margin[margin_column[i]] = at(margin_column[i])
  # These loops process most columns of most rows, so they call no functions.
  for (i = 1; i <= summed; i++)
    if ($sum_at[i] != "") {
      sum[sum_name[i]] += $sum_at[i]
      known[sum_name[i]]++
    }
  for (i = 1; i <= maxed; i++)
    if ($max_at[i] != "") {
      if (!(max_name[i] in sum) || $max_at[i] + 0 > sum[max_name[i]]) sum[max_name[i]] = $max_at[i] + 0
      known[max_name[i]]++
    }
  for (i = 1; i <= least; i++)
    if ($min_at[i] != "") {
      known[min_name[i]]++
      if ($min_at[i] > 0 && (!(min_name[i] in sum) || $min_at[i] + 0 < sum[min_name[i]])) sum[min_name[i]] = $min_at[i] + 0
    }
  # A mean latency is one of all requests that percentiles include.
  samples = at("ops") + at("late") + at("unanswered")
  weight += samples
  for (i = 1; i <= means; i++) if ($mean_at[i] != "") plus(mean_name[i], at(mean_name[i]) * samples)
  for (i = 1; i <= worded; i++) if ($word_at[i] != "") add_word(word_name[i], $word_at[i])
  if (at("foreign_cpu_percent") != "" && at("foreign_cpu_percent") == sum["foreign_cpu_percent"]) own["foreign_host"] = at("foreign_host")
  if (at("discarded") != "" && index("; " own["discarded"] "; ", "; " at("discarded") "; ") == 0)
    own["discarded"] = own["discarded"] (own["discarded"] == "" ? "" : "; ") at("discarded")
  if (at("rate") + 0 == 0) closed++
  if (at("start_us") + 0 > last_start) last_start = at("start_us") + 0
  for (i = 1; i <= percentiles; i++) if (clients == 1) percentile[percentile_name[i]] = at(percentile_name[i])
  # A client without requests has an empty histogram.
  if (!at("tsv") || samples + at("out_of_range") > 0) histograms = (parts++ ? histograms "\t" : "") (at("histogram") == "" ? "" : (at("tsv") + 0) at("histogram"))
}

# Groups have their own settings: empty what differs between them.
function differ(    i, name) {
  for (i = 1; i <= columns; i++) {
    name = total_name[i]
    if (total_kind[i] ~ /^group/ || total_kind[i] == "same" && name !~ /^(operation|folder)$/ && kept[name] != value_of(name)) kept[name] = ""
  }
}

# A group has no figures of the server, which are those of all groups: figures that neither its load generators nor the plan have. What discards a repeat
# discards all of it.
function of_server(name) {
  return schema[name, "source"] ~ /[.]tsv$/ && schema[name, "source"] !~ /^(settings|result|(server\/)?plan)[.]tsv$/ && name !~ /^(tier|discarded$)/
}

# Add WORD to the different words of a column; `-` means none.
function add_word(column, word) {
  known[column]++
  if (word == "-" || index(" " sum[column] " ", " " word " ")) return
  sum[column] = sum[column] (sum[column] == "" ? "" : " ") word
}

# Read the start of the phase on each client into begun[client], in us on the master's clock; returns how many are known.
function read_starts(    file, line, f, i, count) {
  for (i in begun) delete begun[i]
  file = text_opened(text_unescape(kept["folder"]) "/../starts.tsv")
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] != kept["operation"] || f[3] !~ /^[0-9]+$/) continue
    count++
    begun[f[2]] = f[3] + 0
  }
  close(file)
  return count
}

# The delay between the start of the first client and that of client C, in seconds.
function offset_of(c) {
  return clients == 1 ? 0 : (begun[client_of[c]] - begun[client_of[1]]) / 1000000
}

# The time between the first and the last client's start of the phase, in us: by starts.tsv of the repeat, which is on one clock,
# else by the clients' own clocks.
function start_spread(    i, first, last) {
  if (clients < 2) return ""
  if (starts != clients) return known["start_us"] ? text_number(last_start - sum["start_us"], 0) : ""
  for (i in begun) {
    if (first == "" || begun[i] < first) first = begun[i]
    if (last == "" || begun[i] > last) last = begun[i]
  }
  return text_number(last - first, 0)
}

# Reads the series of all clients.
function read_series(    c) {
  for (c = 1; c <= clients; c++)
    series_read(c, text_opened(text_unescape(folder_of[c] "/" kept["operation"] ".series.tsv")), offset_of(c))
}

# Set margin[...] of several clients; empty if a client has no series, or its start is unknown.
function merge_margins(    i, c, lacks) {
  lacks = starts != clients
  for (c = 1; c <= clients && !lacks; c++)
    if (!(client_of[c] in begun) || first_done[c] == "" || !series_rows[c] || !margin_take(c, offset_of(c), first_done[c] / 1000000)) lacks = 1
  if (!lacks) margin_judge(margin_merge(clients), !closed)
  for (i = 1; i <= margin_columns; i++) margin[margin_column[i]] = lacks ? "" : margin_of[margin_column[i]]
}

# The clients' CPU time per request. Some clients count CPU time in ticks of 10 ms, which is too coarse for a phase under a second.
function cpu_per_op() {
  if (known["client_cpu_us"] != clients || sum["ops"] <= 0 || sum["max_time_us"] < 1000000) return ""
  return text_number(sum["client_cpu_us"] / sum["ops"], 3)
}

# The cost of 1,000 operations per second within a limit.
function cost_per_kops(    cost) {
  if (kept["memory_cost"] == "" || known["ops_per_sec"] != clients || sum["ops_per_sec"] <= 0) return ""
  cost = 1000 * kept["memory_cost"] / sum["ops_per_sec"]
  return text_number(cost, text_places(cost, 12))
}

# The throughput in % of the requested rate, if all clients have one. A search chooses the rate itself.
function rate_percent() {
  if (closed || kept["search"] != "" || known["ops_per_sec"] != clients) return ""
  return text_number(100 * sum["ops_per_sec"] / sum["rate"], 2)
}

# The value in the column NAME, whose clients add up by KIND. A sum that lacks a client is empty.
function figure(name, kind,    whole) {
  whole = known[name] == clients
  if (kind == "sum" || kind == "max") return whole ? text_number(sum[name], 6) : ""
  if (kind == "largest") return known[name] ? text_number(sum[name], 6) : ""
  if (kind == "min") return name in sum ? text_number(sum[name], 6) : whole ? 0 : ""
  if (kind == "mean") return whole && weight > 0 ? text_number(sum[name] / weight, 3) : ""
  if (kind == "histogram") return percentile[name] == "" ? "" : text_number(percentile[name], 3)
  if (kind == "series") return margin[name]
  if (kind == "different") return !known[name] ? "" : sum[name] == "" ? "-" : sum[name]
  return kind == "count" ? machines : own[name]
}

END {
  # An empty key sorts first.
  line = ""
  for (i = 1; i <= columns; i++) line = line "\t" total_name[i]
  print line
  for (t = 1; t <= totals; t++) {
    start()
    group = group_of[t]
    for (c = 1; c <= rows_of[t]; c++) {
      $0 = row[t, c]
      add_client(c)
    }
    if (clients > 1 || percentile[percentile_name[1]] == "") {
      for (i = 1; i <= percentiles; i++) percentile[percentile_name[i]] = ""
      if (histograms !~ /^\t*$/) merge()
    }
    starts = read_starts()
    read_series()
    if (clients > 1) merge_margins()
    window_fill()
    own["start_spread_us"] = start_spread()
    own["client_cpu_us_per_op"] = cpu_per_op()
    own["cost_per_kops"] = cost_per_kops()
    own["rate_percent"] = rate_percent()
    line = text_natural(kept["run"]) "\001" text_natural(kept["point"] == "" ? kept["len"] : kept["point"]) "\001" \
      text_natural(kept["repeat"]) "\001" phase_rank() "\001" sprintf("%04d", group_rank[group]) "\001" text_natural(kept["variant_rank"] == "" ? 9999 : kept["variant_rank"]) \
      "\001" text_natural(kept["variant"])
    for (i = 1; i <= columns; i++) line = line "\t" total_value(total_name[i], total_kind[i])
    print line
  }
  exit failed
}

# The value in a column of the total. The phase of a group has another name, so that each reader of totals has it as its own.
function total_value(name, kind) {
  if (kind ~ /^group/) return group != "" ? kept[name] : kind == "groups" && grouped ? "all" : ""
  if (group != "" && of_server(name)) return ""
  if (group != "" && name == "operation") return kept[name] "-" group
  return kind == "same" ? kept[name] : figure(name, kind)
}

# Phases have their order in the first log.
function phase_rank(    operation) {
  operation = kept["operation"]
  if (!(operation in rank)) rank[operation] = ++ranks
  return sprintf("%04d", rank[operation])
}
