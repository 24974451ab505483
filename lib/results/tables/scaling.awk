# SPDX-License-Identifier: MIT
# Print one table per phase, value size and further swept settings (the column sweep) from totals: rows are numbers of instances, columns are
# variants; and the knee of each curve.
# Table: 10
# Needs: interval bound totals

# From this utilization in % on, a resource is called full.
function filled(share) {
  return share >= 90 ? " (full)" : ""
}

function at_most(limit, x) {
  return x > limit ? limit : x
}

# Returns the seconds of warm-up before a phase, from the result.tsv in a directory of a client.
function warmup_of(folder, operation,    file, line, f, i, at, found) {
  file = text_opened(folder "/result.tsv")
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (!("operation" in at)) for (i in f) at[f[i]] = i
    else if (("warmup_s" in at) && f[at["operation"]] == operation) found = f[at["warmup_s"]]
  }
  close(file)
  return found + 0
}

# Read the load of the server's parts in the phase of a repeat, from the monitors' counters: sets load[...] in %.
function read_load(folder, operation, us,    file, line, f, i, column, d, scope, ports, rx, tx, speed) {
  for (i in load) delete load[i]
  file = text_opened(folder "/../server/counters.tsv")
  if (us <= 0 || (getline line < file) <= 0) return
  # The counters include the warm-up, which has the same load.
  us += warmup_of(folder, operation) * 1000000
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] != operation || f[4] !~ /^[0-9]+$/ || f[5] !~ /^[0-9]+$/) continue
    d = f[5] - f[4]
    if (f[3] == "used_cpu_us") { ports++; load["server"] += d / us * 100 }
    else if (f[3] == "busy_us" && f[2] == "cpus") load["host"] = d / us * 100
    else if (f[3] == "count" && f[2] == "cpus") load["cpus"] = f[5]
    else if (f[3] == "irq_us" && d / us * 100 > load["irq"] + 0) load["irq"] = d / us * 100
    else if (f[3] == "rx_bytes") rx[f[2]] = d
    else if (f[3] == "tx_bytes") tx[f[2]] = d
    else if (f[3] == "speed_mbit") speed[f[2]] = f[5]
  }
  close(file)
  if (ports) load["server"] /= ports
  # The counters are read slightly before and after the phase. Hardly any CPU is busy then, so all of the time is counted for the phase.
  if (load["cpus"]) load["host"] = at_most(100, load["host"] / load["cpus"])
  else delete load["host"]
  if ("irq" in load) load["irq"] = at_most(100, load["irq"] + 0)
  for (scope in speed) {
    d = (rx[scope] > tx[scope] ? rx[scope] : tx[scope]) * 8 / us / speed[scope] * 100
    if (d > load["link"] + 0) { load["link"] = d; load["speed"] = speed[scope] }
  }
}

# The utilization of resources in the first repeat of a cell, as text.
function busy(cell,    out, client) {
  read_load(folder_of[cell], operation_of[cell], elapsed_of[cell])
  out = "an instance uses " percent("server" in load ? load["server"] : "")
  if ("host" in load) out = out ", the server's CPUs " percent(load["host"])
  if ("irq" in load) out = out ", the CPU with most interrupts " percent(load["irq"])
  if ("speed" in load) out = out ", the link of " text_group(load["speed"], 0) " Mbit/s " percent(load["link"])
  client = cpu_of[cell] == "" || !threads_of[cell] || elapsed_of[cell] <= 0 ? "" : cpu_of[cell] / elapsed_of[cell] / threads_of[cell] * 100
  out = out ", a thread of the load generator " percent(client)
  if (limited_of[cell]) out = out "; the client was the limit"
  return out
}

function percent(x) {
  return x == "" ? "an unknown part" : sprintf("%.0f %%%s", x, filled(x))
}

# Whether GAIN, from N to N + 1 instances, is under 5 %, and less than half of linear growth.
function little(gain, n) {
  return gain < 0.05 && gain < 0.5 / n
}

# The first point after which one more instance gains little, and so do the further instances on average. A slow point in a curve
# that continues to grow does not count.
function knee(o, l, rest, v,    i, before, now, n, gain, cell, last, end) {
  before = ""
  for (i = 1; i <= points; i++) {
    cell = o SUBSEP l SUBSEP rest SUBSEP point[i] SUBSEP v
    # With a rate the curve follows the schedule.
    if (rate_of[cell] > 0) return
    now = median_of(cell, "ops")
    if (now != "") { last = now; end = point[i] }
  }
  for (i = 1; i <= points; i++) {
    cell = o SUBSEP l SUBSEP rest SUBSEP point[i] SUBSEP v
    now = median_of(cell, "ops")
    if (now == "") continue
    # From 0 there is no relative gain.
    if (before > 0) {
      gain = (now / before - 1) / (point[i] - n)
      if (little(gain, n) && little((last / before - 1) / (end - n), n)) {
        print "note", text_escape(variant_text(v) ", " o ": the knee is at " n (n == 1 ? " instance" : " instances") "; each of the next " \
          (point[i] - n == 1 ? "" : point[i] - n " ") \
          (gain < 0 ? sprintf("takes %.1f %% away", -100 * gain) : sprintf("adds %+.1f %%", 100 * gain)) ". With " point[i] ": " busy(cell) ".")
        return
      }
    }
    before = now
    n = point[i]
  }
  if (before == "") return
  print "note", text_escape(variant_text(v) ", " o ": no knee up to " n " instances. There: " busy(o SUBSEP l SUBSEP rest SUBSEP n SUBSEP v) ".")
}

function variant_text(v) {
  return text_unescape(variant[v])
}

# The gain over the first variant in %. If the load generator was the limit of one of both, it is a bound; nothing follows from two bounds.
function gained(base, now, base_limited, is_limited,    side) {
  side = bound_side(base_limited, is_limited)
  return now != "" && base > 0 && side != "both" ? bound_ratio(side, 1) text_number(100 * (now / base - 1), 2) : ""
}

function table(o, l, rest,    i, v, line, columns, base, first, now, cut, cell, bounds) {
  for (v = 1; v <= variants; v++) columns = columns "\t" variant[v] "|0|" variant[v]
  for (v = 2; v <= variants; v++) columns = columns "\t" variant[v] " gain %|percent|" variant[v] " gain %"
  table_begin(text_escape(toupper(o) ", values of " text_group(l, 0) " B" (rest == "" ? "" : ", " rest) ": operations per second while all load generators were running"), \
    "instances|0|Instances" columns "\tcut off %|percent|Cut off")
  for (i = 1; i <= points; i++) {
    line = point[i]
    cut = ""
    for (v = 1; v <= variants; v++) {
      cell = o SUBSEP l SUBSEP rest SUBSEP point[i] SUBSEP v
      now = median_of(cell, "ops")
      if (v == 1) { base = now; first = cell }
      line = line OFS (now == "" ? "" : (limited_of[cell] ? bound_sign(1) : "") text_number(now, 0))
      gains[v] = v > 1 ? gained(base, now, limited_of[first] + 0, limited_of[cell] + 0) : ""
      if (now != "" && limited_of[cell]) bounds++
      now = median_of(cell, "cut")
      if (now != "" && now + 0 > cut + 0) cut = now
    }
    for (v = 2; v <= variants; v++) line = line OFS gains[v]
    print "row", line, cut == "" ? "0" : cut
  }
  if (bounds) print "note", bound_note()
}

FNR == 1 { next }

# A phase that broke the limit of its search shows nothing within that limit. Tenants have parts of the instances.
schema_is_fill($at["operation"]) || ("tenant" in at) && $at["tenant"] != "" || $at["window_ops_per_sec"] == "" || $at["search"] == "broken" { next }

{
  who = $at["variant"] == "" ? $at["run"] : $at["variant"]
  if (!(who in rank)) {
    rank[who] = $at["variant_rank"] == "" ? 9999 : $at["variant_rank"] + 0
    variant[++variants] = who
  }
  o = $at["operation"]
  l = $at["len"]
  n = $at["servers"] + 0
  if (!(n in point_seen)) { point_seen[n] = 1; point[++points] = n }
  rest = text_unescape($at["sweep"])
  if (!((o, l, rest) in curve_seen)) { curve_seen[o, l, rest] = 1; curve[++curves] = o SUBSEP l SUBSEP rest }
  line_of[++lines] = o SUBSEP l SUBSEP rest SUBSEP n SUBSEP who
  ops_at[lines] = $at["window_ops_per_sec"]
  cut_at[lines] = $at["cut_percent"]
  folder_at[lines] = text_unescape($at["folder"])
  elapsed_at[lines] = $at["max_time_us"]
  cpu_at[lines] = $at["client_cpu_us"]
  threads_at[lines] = $at["threads"]
  limited_at[lines] = bound_row()
  rate_at[lines] = $at["rate"]
}

END {
  # The sweep in order, and the baseline first, as VARIANTS names them.
  interval_sort(point, points)
  for (i = 2; i <= variants; i++) {
    who = variant[i]
    for (j = i - 1; j >= 1 && rank[variant[j]] > rank[who]; j--) variant[j + 1] = variant[j]
    variant[j + 1] = who
  }
  for (i = 1; i <= variants; i++) place[variant[i]] = i
  for (i = 1; i <= lines; i++) {
    split(line_of[i], f, SUBSEP)
    cell = f[1] SUBSEP f[2] SUBSEP f[3] SUBSEP f[4] SUBSEP place[f[5]]
    j = ++count[cell]
    value[cell, j, "ops"] = ops_at[i]
    value[cell, j, "cut"] = cut_at[i]
    if (limited_at[i]) limited_of[cell] = 1
    if (j > 1) continue
    operation_of[cell] = f[1]
    folder_of[cell] = folder_at[i]
    elapsed_of[cell] = elapsed_at[i]
    cpu_of[cell] = cpu_at[i]
    threads_of[cell] = threads_at[i]
    rate_of[cell] = rate_at[i]
  }
  # With one number of instances there is no growth.
  if (points < 2) exit
  for (i = 1; i <= curves; i++) {
    split(curve[i], f, SUBSEP)
    table(f[1], f[2], f[3])
    for (j = 1; j <= variants; j++) knee(f[1], f[2], f[3], j)
  }
}
