# SPDX-License-Identifier: MIT
# Totals, or with SERIES=yes the time series that rows name, as OpenMetrics text (version 1.0.0): units in names are base units, and each
# sample has the time of its measurement, if that is known.

# A label's value, quoted as the format requires. Character by character, because gsub treats backslashes differently in different awks.
function om_quote(s,    i, c, out) {
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    out = out (c == "\n" ? "\\n" : (c == "\\" || c == "\"") ? "\\" c : c)
  }
  return "\"" out "\""
}

# Begin a family; UNIT is the suffix of its name, or empty.
function om_family(name, type, unit, help) {
  if (name in family_of) return
  family_of[name] = ++families
  family[families] = name
  head[families] = "# TYPE " name " " type "\n" (unit == "" ? "" : "# UNIT " name " " unit "\n") "# HELP " name " " help "\n"
}

# Add a sample to a family; nothing if the figure is unknown.
function om_sample(name, suffix, labels, x, scale) {
  if (x == "" || x !~ /^-?[0-9.]+([eE][-+]?[0-9]+)?$/) return
  body[family_of[name]] = body[family_of[name]] name suffix "{" labels "} " sprintf("%.12g", x * scale) (time == "" ? "" : " " time) "\n"
}

function om_labels() {
  return "run=" om_quote(text_unescape($at["run"])) ",scenario=" om_quote(text_unescape($at["scenario"])) ",variant=" om_quote(text_unescape($at["variant"])) \
    ",point=" om_quote(text_unescape($at["point"])) ",repeat=" om_quote($at["repeat"]) ",operation=" om_quote(text_unescape($at["operation"]))
}

# Returns when the line's phase started, on its client or on the first one, in us: on the master's clock, by starts.tsv of the repeat; without it on the
# client's clock; 0 for logs without a result.tsv.
function om_start(    file, line, f, client, first) {
  client = ("client" in at) ? text_unescape($at["client"]) : ""
  file = text_opened(text_unescape($at["folder"]) "/../starts.tsv")
  while ((getline line < file) > 0)
    if (split(line, f, "\t") == 3 && f[1] == text_unescape($at["operation"]) && (client == "" || f[2] == client) && text_is_count(f[3]) && (!first || f[3] + 0 < first)) first = f[3] + 0
  close(file)
  return first ? first : $at["start_us"] + 0
}

function om_totals(    labels, q, start) {
  labels = om_labels()
  start = om_start()
  time = start > 0 ? sprintf("%.6f", (start + $at["max_time_us"]) / 1e6) : ""
  om_sample("tierbench_operations_per_second", "", labels, $at["ops_per_sec"], 1)
  om_sample("tierbench_transmit_bits_per_second", "", labels, $at["tx_bps"], 1)
  for (q = 1; q <= quantiles; q++) om_sample("tierbench_latency_seconds", "", labels ",quantile=\"" quantile[q] "\"", $at[quantile_name[q]], 1e-6)
  om_sample("tierbench_latency_seconds", "_count", labels, $at["ops"], 1)
  if ($at["avg_us"] != "") om_sample("tierbench_latency_seconds", "_sum", labels, $at["avg_us"] * $at["ops"], 1e-6)
  om_sample("tierbench_latency_max_seconds", "", labels, $at["max_us"], 1e-6)
  om_sample("tierbench_phase_seconds", "", labels, $at["max_time_us"], 1e-6)
  om_sample("tierbench_client_cpu_seconds_per_operation", "", labels, $at["client_cpu_us_per_op"], 1e-6)
  om_sample("tierbench_far_accesses_per_operation", "", labels, $at["far_per_op"], 1)
  om_sample("tierbench_errors", "_total", labels, $at["errors"], 1)
  om_sample("tierbench_misses", "_total", labels, $at["misses"], 1)
}

# The series of a client's phase, relative to the start of the phase.
function om_series(    labels, file, line, f, i, n, col, step, before, start) {
  start = om_start()
  if (!start) return
  labels = om_labels() ",client=" om_quote(text_unescape($at["client"]))
  file = text_unescape($at["folder"]) "/" text_unescape($at["operation"]) ".series.tsv"
  if ((getline line < text_opened(file)) <= 0) return
  n = split(line, f, "\t")
  for (i = 1; i <= n; i++) col[f[i]] = i
  while ((getline line < text_opened(file)) > 0) {
    # The last line of a generator that was killed may be truncated.
    if (split(line, f, "\t") != n || f[col["time_s"]] !~ /^[0-9.]+$/) continue
    step = f[col["time_s"]] - before
    before = f[col["time_s"]]
    time = sprintf("%.6f", start / 1e6 + before)
    if (step > 0) om_sample("tierbench_interval_operations_per_second", "", labels, f[col["ops"]] / step, 1)
    om_sample("tierbench_interval_p50_seconds", "", labels, f[col["p50_us"]], 1e-6)
    om_sample("tierbench_interval_p99_seconds", "", labels, f[col["p99_us"]], 1e-6)
    om_sample("tierbench_interval_p999_seconds", "", labels, f[col["p99_9_us"]], 1e-6)
    om_sample("tierbench_interval_max_seconds", "", labels, f[col["max_us"]], 1e-6)
  }
  close(text_opened(file))
}

BEGIN {
  FS = "\t"
  series = ENVIRON["SERIES"] == "yes"
  quantiles = split("0.5 0.9 0.99 0.999 0.9999", quantile, " ")
  split("p50_us p90_us p99_us p99_9_us p99_99_us", quantile_name, " ")
  if (series) {
    om_family("tierbench_interval_operations_per_second", "gauge", "", "Operations per second of a client in an interval.")
    om_family("tierbench_interval_p50_seconds", "gauge", "seconds", "Median latency of a client in an interval.")
    om_family("tierbench_interval_p99_seconds", "gauge", "seconds", "99th percentile of latency of a client in an interval.")
    om_family("tierbench_interval_p999_seconds", "gauge", "seconds", "99.9th percentile of latency of a client in an interval.")
    om_family("tierbench_interval_max_seconds", "gauge", "seconds", "Highest latency of a client in an interval.")
  } else {
    om_family("tierbench_operations_per_second", "gauge", "", "Operations per second, all clients together.")
    om_family("tierbench_transmit_bits_per_second", "gauge", "", "Tx combined, as in the guide of 2018: whole seconds.")
    om_family("tierbench_latency_seconds", "summary", "seconds", "Latency of all requests of a phase, from merged histograms.")
    om_family("tierbench_latency_max_seconds", "gauge", "seconds", "Highest latency of a phase.")
    om_family("tierbench_phase_seconds", "gauge", "seconds", "Duration of a phase.")
    om_family("tierbench_client_cpu_seconds_per_operation", "gauge", "", "CPU time of the load generators per operation.")
    om_family("tierbench_far_accesses_per_operation", "gauge", "", "Waits for far memory per operation: major faults (swap-in) of the instances, or what HIT_COUNTERS counts.")
    om_family("tierbench_errors", "counter", "", "Requests that failed.")
    om_family("tierbench_misses", "counter", "", "GETs that found no key.")
  }
}

NR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

series { om_series(); next }
{ om_totals() }

END {
  for (i = 1; i <= families; i++) if (body[i] != "") printf "%s%s", head[i], body[i]
  print "# EOF"
}
