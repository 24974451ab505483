# SPDX-License-Identifier: MIT
# Adds up rows over clients: one line a (run, variant, point, repeat, operation), in the order people read them; `keys` are
# those of an instance, however many requests a phase made.
# Rates and counts are summed. Percentiles of several clients come from their histograms added together; without the
# histograms they stay empty, for no arithmetic on percentiles gives the percentile of the whole.
# A sort key is put in front of each line; the caller sorts by it and cuts it off.

function at(column) {
  return (column in place_of) ? $place_of[column] : ""
}

function plus(t, column, value) {
  if (value == "") return
  sum[t, column] += value
  known[t, column]++
}

# Percentiles of total T from the histograms of all its clients.
function merge(t,    i, n, path, all, rank, acc, next_p, value) {
  histogram_clear()
  all = 0
  n = split(histograms[t], path, "\t")
  for (i = 1; i <= n; i++) {
    value = path[i] == "" ? 0 : histogram_add(text_unescape(substr(path[i], 2)), substr(path[i], 1, 1))
    if (!value) {
      # A folder of the guide's logs often comes without its histograms: nothing was promised there.
      if (path[i] ~ /^1/) {
        printf "%s: %s: the histogram is missing or cut short; percentiles are left empty\n", program, substr(path[i], 2) > "/dev/stderr"
        failed = 1
      }
      return
    }
    all += value
  }
  # Every request that succeeded is a sample; fewer samples are a file that was cut where its per cent are already 100.000.
  if (kept[t, "tsv"] && sum[t, "errors"] + sum[t, "timeouts"] + sum[t, "lost"] == 0 && all + sum[t, "out_of_range"] != sum[t, "ops"]) {
    printf "%s: %s: the histograms of %s hold %.0f of %.0f requests; percentiles are left empty\n", program, folder[t], kept[t, "operation"],
      all + sum[t, "out_of_range"], sum[t, "ops"] > "/dev/stderr"
    failed = 1
    return
  }
  histogram_sort(buckets)
  # Samples above the histograms' range are in no bucket, but above every one of them.
  all += sum[t, "out_of_range"]
  acc = 0
  next_p = 1
  for (i = 1; i <= buckets && next_p <= percentiles; i++) {
    acc += bucket[order[i]]
    while (next_p <= percentiles) {
      rank = share[next_p] / 100 * all
      # Floating point must not push a rank that is whole past itself.
      rank = int(rank) + (rank - int(rank) > 1e-6)
      if (acc < rank) break
      value = histogram_top(order[i])
      if (known[t, "max_us"] && value > sum[t, "max_us"]) value = sum[t, "max_us"]
      percentile[t, next_p] = value
      next_p++
    }
  }
  for (; next_p <= percentiles; next_p++) percentile[t, next_p] = known[t, "max_us"] ? sum[t, "max_us"] : ""
}

BEGIN {
  FS = "\t"
  program = ENVIRON["RESULT_PROGRAM"]
  percentiles = split("50 90 99 99.9 99.99", share, " ")
  split("p50_us p90_us p99_us p99_9_us p99_99_us", percentile_name, " ")
  summed = split("ops ops_per_sec tx_bps bytes errors misses error_replies mismatches timeouts lost outages out_of_range client_cpu_us" \
    " client_limited", sum_column, " ")
  maxed = split("max_time max_time_us elapsed_us max_us outage_longest_us send_lag_p99_us", max_column, " ")
  keep_count = split("run scenario variant point repeat operation len keys threads connections pipeline rate run_folder variant_rank tsv latency_from version tier" \
    " far_per_op used_memory rss swap far_share placement", keep, " ")
}

NR == 1 {
  for (i = 1; i <= NF; i++) place_of[$i] = i
  for (i = 1; i <= summed; i++)
    if (sum_column[i] in place_of) {
      sum_name[++summed_here] = sum_column[i]
      sum_at[summed_here] = place_of[sum_column[i]]
    }
  for (i = 1; i <= maxed; i++)
    if (max_column[i] in place_of) {
      max_name[++maxed_here] = max_column[i]
      max_at[maxed_here] = place_of[max_column[i]]
    }
  next
}

{
  key = at("run") SUBSEP at("variant") SUBSEP at("point") SUBSEP at("repeat") SUBSEP at("operation") SUBSEP (at("point") == "" ? at("len") : "")
  # A plain log that says nothing of its repeat stands alone.
  if (at("repeat") == "") key = key SUBSEP NR
  if ((key, at("client")) in taken) {
    printf "%s: %s: client %s has a second result of the same repeat and phase; left out\n", program, at("filename"), at("client") > "/dev/stderr"
    failed = 1
    next
  }
  taken[key, at("client")] = 1
  if (!(key in number)) {
    t = number[key] = ++totals
    for (i = 1; i <= keep_count; i++) kept[t, keep[i]] = at(keep[i])
    if (at("instance_keys") != "") kept[t, "keys"] = at("instance_keys")
    folder[t] = at("folder")
  }
  t = number[key]
  clients[t]++
  plus(t, "servers", at("servers"))
  # Most columns of most rows go through these two loops, so they call nothing.
  for (i = 1; i <= summed_here; i++)
    if ($sum_at[i] != "") {
      sum[t, sum_name[i]] += $sum_at[i]
      known[t, sum_name[i]]++
    }
  for (i = 1; i <= maxed_here; i++)
    if ($max_at[i] != "") {
      if (!((t, max_name[i]) in sum) || $max_at[i] + 0 > sum[t, max_name[i]]) sum[t, max_name[i]] = $max_at[i] + 0
      known[t, max_name[i]]++
    }
  plus(t, "latency_sum", at("avg_us") == "" ? "" : at("avg_us") * at("ops"))
  if ((start = at("start_us")) != "") {
    if (!(t in first_start) || start + 0 < first_start[t]) first_start[t] = start + 0
    if (!(t in last_start) || start + 0 > last_start[t]) last_start[t] = start + 0
  }
  for (i = 1; i <= percentiles; i++) if (clients[t] == 1) percentile[t, i] = at(percentile_name[i])
  histograms[t] = (clients[t] > 1 ? histograms[t] "\t" : "") (at("histogram") == "" ? "" : (at("tsv") + 0) at("histogram"))
}

# How far apart the clients of total T started its phase, in us: by starts.tsv of the repeat, where the clients' clocks are
# set against each other, else by their own clocks.
function start_spread(t,    file, line, f, first, last, count) {
  if (clients[t] < 2) return ""
  file = text_opened(text_unescape(folder[t]) "/../starts.tsv")
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] != kept[t, "operation"] || f[3] !~ /^[0-9]+$/) continue
    count++
    if (count == 1 || f[3] + 0 < first) first = f[3] + 0
    if (count == 1 || f[3] + 0 > last) last = f[3] + 0
  }
  close(file)
  if (count == clients[t]) return text_number(last - first, 0)
  return (t in first_start) ? text_number(last_start[t] - first_start[t], 0) : ""
}

# A sum that misses a client is no sum.
function total(t, column, decimals) {
  return known[t, column] == clients[t] ? text_number(sum[t, column], decimals) : ""
}

# What a request costs the clients. Some of them count CPU in ticks of 10 ms: too coarse for a phase under a second.
function cpu_per_op(t) {
  if (known[t, "client_cpu_us"] != clients[t] || sum[t, "ops"] <= 0 || sum[t, "max_time_us"] < 1000000) return ""
  return text_number(sum[t, "client_cpu_us"] / sum[t, "ops"], 3)
}

END {
  print " \trun\tscenario\tvariant\tpoint\trepeat\toperation\tlen\tkeys\tthreads\tconnections\tpipeline\trate\trun_folder\tvariant_rank" \
    "\ttsv\tlatency_from\tversion\ttier\tfar_per_op\tused_memory\trss\tswap\tfar_share\tplacement\tclients\tservers\tops\tops_per_sec\ttx_bps\tbytes\tavg_us\tp50_us\tp90_us\tp99_us\tp99_9_us\tp99_99_us" \
    "\tmax_us\tmax_time\tmax_time_us\terrors\tmisses\tmismatches\ttimeouts\tlost\toutages\toutage_longest_us\tclient_cpu_per_op" \
    "\tclient_limited\tsend_lag_p99_us\tstart_spread_us\tfolder"
  for (t = 1; t <= totals; t++) {
    if (clients[t] > 1 || percentile[t, 1] == "") {
      for (i = 1; i <= percentiles; i++) percentile[t, i] = ""
      if (histograms[t] !~ /^\t*$/) merge(t)
    }
    printf "%s", text_natural(kept[t, "run"]) "\001" text_natural(kept[t, "point"] == "" ? kept[t, "len"] : kept[t, "point"]) "\001" \
      text_natural(kept[t, "repeat"]) "\001" phase_rank(t) "\001" text_natural(kept[t, "variant_rank"] == "" ? 9999 : kept[t, "variant_rank"]) \
      "\001" text_natural(kept[t, "variant"])
    for (i = 1; i <= keep_count; i++) printf "\t%s", kept[t, keep[i]]
    printf "\t%d\t%s\t%s\t%s\t%s\t%s\t%s", clients[t], total(t, "servers", 0), total(t, "ops", 0), total(t, "ops_per_sec", 3), total(t, "tx_bps", 6),
      total(t, "bytes", 0), (known[t, "latency_sum"] == clients[t] && sum[t, "ops"] > 0) ? text_number(sum[t, "latency_sum"] / sum[t, "ops"], 3) : ""
    for (i = 1; i <= percentiles; i++) printf "\t%s", percentile[t, i]
    printf "\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", total(t, "max_us", 0), total(t, "max_time", 0), total(t, "max_time_us", 0),
      total(t, "errors", 0), total(t, "misses", 0), total(t, "mismatches", 0), total(t, "timeouts", 0), total(t, "lost", 0), total(t, "outages", 0),
      total(t, "outage_longest_us", 0), cpu_per_op(t),
      total(t, "client_limited", 0), total(t, "send_lag_p99_us", 0), start_spread(t), folder[t]
  }
  exit failed
}

# Phases keep the order in which the first log had them.
function phase_rank(t,    operation) {
  operation = kept[t, "operation"]
  if (!(operation in rank)) rank[operation] = ++ranks
  return sprintf("%04d", rank[operation])
}
