# SPDX-License-Identifier: MIT
# The far memory that was touched and read in a phase, from the counters of DAMON and resctrl in server/counters.tsv. Load it after text.awk.

# The min number of aggregations.
BEGIN { damon_least = 3 }

function damon_begin() {
  split("", damon_delta)
  damon_far = damon_of = ""
  damon_samples = 0 # of an aggregation: the highest number of accesses that was counted
}

# Read a line of counters.tsv with scope damon or resctrl, split into F.
function damon_take(f) {
  if (f[2] == "damon" && f[3] ~ /^access[0-9][0-9]?$/ && substr(f[3], 7) + 0 > damon_samples) damon_samples = substr(f[3], 7) + 0
  if (f[2] == "damon" && f[3] == "far_bytes" && text_is_count(f[5])) damon_far = f[5]
  else if (f[2] == "resctrl" && f[3] == "of") damon_of = f[5]
  else if (text_is_count(f[4]) && text_is_count(f[5]) && f[5] - f[4] >= 0) damon_delta[f[3]] = f[5] - f[4]
}

# Returns the mean bytes of the slow nodes that were accessed within one sample (100 ms); empty if DAMON did not monitor the whole phase, or had fewer
# than three aggregations.
function damon_touched(    i, all, touched) {
  if (!damon_samples) return ""
  for (i = 0; i <= damon_samples; i++) {
    if (!(("access" i) in damon_delta)) return ""
    all += damon_delta["access" i]
    touched += damon_delta["access" i] * i / damon_samples
  }
  return damon_far == "" || damon_far <= 0 || all / damon_far < damon_least ? "" : text_number(touched / all * damon_far, 0)
}

# Returns the pages that DAMON migrated between nodes; empty if it only monitored.
function damon_moved() {
  return ("moved_pages" in damon_delta) ? damon_delta["moved_pages"] : ""
}

# Set the cell's bytes from far memory per operation of CALLS, and the touched bytes.
function damon_fill(calls) {
  cell["far_wss_bytes"] = damon_touched()
  cell["far_bytes_of"] = text_escape(damon_of)
  if (calls > 0 && ("far_bytes" in damon_delta)) cell["far_bytes_per_op"] = text_number(damon_delta["far_bytes"] / calls, 3)
}
