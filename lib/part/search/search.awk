# SPDX-License-Identifier: MIT
# The next step of a search: pure functions of its looks so far. metric.awk is loaded first; steps.awk reads the looks and calls these
# functions.
#
# search_next(l) returns one line for limit l, fields separated by tabs:
#   step KIND LIMIT LOAD TRY   look at a load: KIND is top (a closed loop), scan, seek or settle (before a take)
#   take LIMIT LOAD TRY        measure the phase at a load
#   keep LIMIT LOAD STATE LOW HIGH SOFT_LOW SOFT_HIGH STEPS
#                              the last take is the answer. STATE is found; client (above it, the load generator broke the limit);
#                              open (SEARCH_STEPS were not enough); broken (the measured phase breaks the limit at slower loads too).
#                              LOW and HIGH: the load of the answer is between these, with 95 % (- where the ladder ends). SOFT_LOW is the
#                              slowest load at which a look broke the limit, SOFT_HIGH the fastest at which a look kept it
#   none LIMIT FIGURE LOAD STEPS KEPT LOOKS SLOWEST
#                              no load keeps the limit; the min figure of looks with answers, and its load (- without any). KEPT of the LOOKS
#                              at the slowest load kept the limit
#
# In a search for DRAM a load is the share of DRAM in percent: the smaller, the harder. `keep` then has one field more: what breaks the
# limit below the answer (latency, far, throughput, oom, reclaim or -), and its pairs are in the order of shares. After a change of the share the
# instances fetch missing pages, so a look that breaks a limit is repeated while far accesses fall.
#
# Rungs are numbered from the slowest, 1, and are SEARCH_STEP apart. No single look decides. For each rung, the search computes the probability that
# the limit is kept up to it and broken above it. The next look is next to the median of this distribution (probabilistic
# bisection: Horstein 1963; Waeber, Frazier and Henderson 2013). The search is done when the answer is within two rungs of the median with
# the probability SEARCH_SURE. Errors are not symmetric, because other programs can only make a server slower. The search assumes that a share
# BAD_LUCK of the looks below the answer break the limit, and a share GOOD_LUCK above it keep the limit.

# Begin a search: LIMITS as users write them, SEARCH is rate, connections or dram, MOST is the number of connections.
function search_begin(limits_text, search, step_percent, sure_percent, steps_most, most) {
  if (!metrics_known) metric_init()
  bad_luck = 0.3
  good_luck = 0.08
  by_rate = search == "rate"
  by_dram = search == "dram"
  near_enough = by_dram ? 1 : 2
  points = step_percent + 0
  apart = 1 + step_percent / 100
  sure = sure_percent / 100
  most_steps = steps_most + 0
  most_load = most + 0
  limits = split(limits_text, limit, " ")
  rows = top = fastest = 0
}

# Add a finished look or take: its figures are in figure[rows + 1, METRIC]. IS_LOST is the reason of a failure: oom, the OOM killer stopped it;
# reclaim, the kernel could not free enough memory; else empty.
function search_add(what, whose, at_load, times, is_counted, by_the_client, is_sound, ops, is_lost) {
  rows++
  kind[rows] = what
  for_limit[rows] = whose
  load[rows] = at_load
  try[rows] = times
  counts[rows] = is_counted
  if (by_dram && times > 1 && rows > 1) counts[rows - 1] = 0
  client[rows] = by_the_client
  sound[rows] = is_sound && !is_lost
  lost[rows] = is_lost
  answered[rows] = ops > 0
  if (what == "top" && is_counted && 1.25 * ops > top) top = 1.25 * ops
  # Not a take: a longer ladder would begin the search again.
  if (by_rate && is_counted && what != "top" && what != "take" && keeps_any(rows) && at_load + 0 > fastest) fastest = at_load + 0
}

function search_next(turn,    i, r, l, line) {
  # A look that other programs disturbed is repeated. answer() decides about a take.
  if (rows && kind[rows] != "take" && (!counts[rows] || (by_dram || kind[rows] == "top") && unsettled(rows))) return "step" OFS kind[rows] OFS for_limit[rows] OFS load[rows] OFS try[rows] + 1
  # If a server answers no request, no ladder can be made.
  if (by_rate && !top) return rows < 8 ? "step" OFS "top" OFS "-" OFS 0 OFS 1 : "none" OFS limit[turn] OFS "-" OFS "-" OFS rows OFS 0 OFS 0 OFS "-"
  make_rungs()
  for (r = 1; r <= rows; r++) rung[r] = kind[r] == "top" ? 0 : nearest(load[r])
  for (i = 1; i <= scans; i++) {
    if (by_dram && i > 2 && hopeless(scan[i - 2]) && hopeless(scan[i - 1])) break
    for (r = 1; r <= rows && rung[r] != scan[i]; r++);
    if (r > rows) return "step" OFS "scan" OFS "-" OFS rung_load(scan[i]) OFS 1
  }
  for (l = 1; l <= limits; l++) if ((line = seek(l)) != "") return line
  return answer(turn)
}

# Whether look r is inconclusive, because far accesses still fall: it is the closed loop, and DRAM holds what populate set last; or the share of DRAM
# was changed before it.
function unsettled(r,    l, is_far) {
  is_far = figure[r, "far"] ~ /[0-9]/ && figure[r, "far"] >= 0.001
  # The steps of the scan must remain.
  if (kind[r] == "top") return is_far && try[r] < 8 && rows < most_steps - 9 && (try[r] == 1 || figure[r, "far"] < 0.8 * figure[r - 1, "far"])
  if (r == 1 || kind[r] == "take" || lost[r] || try[r] >= 8 || try[r] == 1 && load[r] == load[r - 1]) return 0
  for (l = 1; l <= limits && keeps(r, l); l++);
  if (l > limits || figure[r, "far"] ~ /[0-9]/ && !is_far) return 0
  return try[r] == 1 || is_far && figure[r, "far"] < 0.8 * figure[r - 1, "far"]
}

# Whether look r kept a limit.
function keeps_any(r,    l) {
  for (l = 1; l <= limits; l++) if (keeps(r, l)) return 1
  return 0
}

# Whether no look at a rung kept any limit.
function hopeless(wanted,    r) {
  for (r = 1; r <= rows; r++) if (rung[r] == wanted && keeps_any(r)) return 0
  return 1
}

# The ladder for shares of DRAM: 100 %, then SEARCH_STEP less each, down to the share that the OOM killer allows.
function make_shares(    i, n, r) {
  while (100 - rungs * points > 0) {
    rungs++
    # As steps.tsv has it: with a fraction, the difference is not the number that its text is.
    of_rung[rungs] = sprintf("%.6g", 100 - (rungs - 1) * points) + 0
  }
  for (r = 1; r <= rows; r++) if (lost[r] && nearest(load[r]) <= rungs) rungs = nearest(load[r]) - 1
  n = split("100 80 60 40 20 10", share, " ")
  scans = 0
  for (i = 1; i <= n; i++) if (rungs && share[i] >= of_rung[rungs]) scan[++scans] = nearest(share[i])
}

# Number the rungs 1..rungs, and turn the loads of the scan into rungs.
function make_rungs(    i, base, n) {
  rungs = 0
  if (by_dram) {
    make_shares()
    return
  }
  if (by_rate) {
    # From a hundredth of the closed loop's load up to four times it, as the closed loop may be too low; and up to four times the fastest load that
    # kept a limit, so that no answer is at the end of the ladder.
    base = ceiling(log(100) / log(apart))
    rungs = base + ceiling(log(4 * (fastest > top ? fastest / top : 1)) / log(apart))
    slowest = top / exp(base * log(apart))
    scans = split("100 90 80 70 60 50 35 20 10", scan, " ")
    for (i = 1; i <= scans; i++) scan[i] = nearest(top * scan[i] / 100)
    return
  }
  for (n = 1; n <= most_load; n = (n * apart > n + 1 ? int(n * apart + 0.5) : n + 1)) of_rung[++rungs] = n
  scans = 0
  for (n = most_load; n >= 1; n = int(n / 2)) scan[++scans] = nearest(n)
}

function ceiling(x) {
  return int(x) + (x > int(x))
}

function rung_load(i,    x) {
  if (!by_rate) return of_rung[i]
  x = slowest * exp((i - 1) * log(apart))
  return sprintf(x >= 1000 ? "%.0f" : "%.4f", x)
}

function nearest(x,    i) {
  if (by_dram) i = 1 + int((100 - x) / points + 0.5)
  else if (by_rate) i = 1 + int(log(x / slowest) / log(apart) + 0.5)
  else for (i = 1; i < rungs && of_rung[i] < x; i++);
  # Shares at which the OOM killer stopped an instance are outside the ladder.
  return i < 1 ? 1 : i > rungs ? rungs + by_dram : i
}

# Whether look r kept limit l. A figure that is not known keeps none.
function keeps(r, l,    rule) {
  metric_rule(limit[l], rule)
  return sound[r] && figure[r, rule["metric"]] ~ /^[0-9]/ && metric_holds(rule, figure[r, rule["metric"]] + 0)
}

# Count the looks at limit l: kept[rung], broken[rung], by_client[rung] of the broken ones; soft_low and soft_high; the steps made for it.
function count_looks(l,    r) {
  for (r = 0; r <= rungs + 1; r++) kept[r] = broken[r] = by_client[r] = 0
  steps = soft_low = soft_high = 0
  for (r = 1; r <= rows; r++) {
    if (kind[r] == "take") continue
    if (for_limit[r] == "-" || for_limit[r] == limit[l]) steps++
    if (!counts[r] || kind[r] == "top" || kind[r] == "settle") continue
    if (keeps(r, l)) {
      kept[rung[r]]++
      if (rung[r] > soft_high) soft_high = rung[r]
    } else {
      broken[rung[r]]++
      by_client[rung[r]] += client[r]
      if (!soft_low || rung[r] < soft_low) soft_low = rung[r]
    }
  }
}

# From the looks, compute for each rung the probability that it is the last that keeps the limit (0: no rung does). Sets middle, the median; low and
# high, 95
# % around it; and certain, the probability that the answer is near the middle.
function weigh_looks(    b, most, all, sum) {
  chance[0] = 0
  for (b = 1; b <= rungs; b++) chance[0] += kept[b] * log(good_luck) + broken[b] * log(1 - good_luck)
  most = chance[0]
  for (b = 1; b <= rungs; b++) {
    chance[b] = chance[b - 1] + kept[b] * log((1 - bad_luck) / good_luck) + broken[b] * log(bad_luck / (1 - good_luck))
    if (chance[b] > most) most = chance[b]
  }
  all = sum = certain = 0
  for (b = 0; b <= rungs; b++) all += chance[b] = exp(chance[b] - most)
  low = middle = high = -1
  for (b = 0; b <= rungs; b++) {
    sum += chance[b] / all
    if (low < 0 && sum >= 0.025) low = b
    if (middle < 0 && sum >= 0.5) middle = b
    if (high < 0 && sum >= 0.975) high = b
  }
  if (high < 0) high = rungs
  for (b = middle - near_enough; b <= middle + near_enough; b++) if (b >= 0 && b <= rungs) certain += chance[b] / all
}

# Returns the next step of limit l; empty when it needs no further step.
function seek(l,    look, last) {
  count_looks(l)
  weigh_looks()
  if (certain >= sure || steps >= most_steps) return ""
  look = middle
  if (!middle || middle < rungs && kept[middle + 1] + broken[middle + 1] < kept[middle] + broken[middle]) look = middle + 1
  # When the share does not change, nothing has to be fetched.
  last = rung[rows]
  if (by_dram && middle && middle < rungs && (last == middle || last == middle + 1) && kept[last] + broken[last] < kept[2 * middle + 1 - last] + broken[2 * middle + 1 - last] + 3) look = last
  return "step" OFS "seek" OFS limit[l] OFS rung_load(look) OFS 1
}

# Returns the reason why limit l breaks just below the answer of a search for DRAM.
function breaker(l,    r, why, ways, most) {
  if (middle == rungs) {
    for (r = 1; r <= rows; r++) if (lost[r]) return lost[r]
    return "-"
  }
  metric_rule(limit[l], rule_of)
  most = "-"
  for (r = 1; r <= rows; r++) {
    if (kind[r] == "take" || kind[r] == "settle" || !counts[r] || rung[r] <= middle || rung[r] > middle + 1 + near_enough || keeps(r, l)) continue
    why = lost[r] ? lost[r] : !sound[r] ? "throughput" : rule_of["metric"] == "far" ? "far" : "latency"
    if (++ways[why] > ways[most] + 0) most = why
  }
  return most
}

# Returns the answer for limit l.
function answer(l,    r, takes, disturbed, back, last, state, least, where, rule, above, clients, wanted) {
  count_looks(l)
  weigh_looks()
  metric_rule(limit[l], rule)
  if (!middle) {
    for (r = 1; r <= rows; r++)
      if (counts[r] && answered[r] && kind[r] != "top" && kind[r] != "take" && figure[r, rule["metric"]] ~ /^[0-9]/ && (least == "" || figure[r, rule["metric"]] + 0 < least)) {
        least = figure[r, rule["metric"]] + 0
        where = load[r]
      }
    for (wanted = 1; wanted < rungs && !(kept[wanted] + broken[wanted]); wanted++);
    for (r = 1; r <= rows && rung[r] != wanted; r++);
    return "none" OFS limit[l] OFS (where == "" ? "-" : least) OFS (where == "" ? "-" : where) OFS steps OFS kept[wanted] + 0 OFS kept[wanted] + broken[wanted] OFS \
      (r <= rows ? load[r] : "-")
  }
  for (r = 1; r <= rows; r++)
    if (kind[r] == "take" && for_limit[r] == limit[l]) {
      # Other programs only make a server slower: a disturbed phase that keeps the limit is an answer, and one that breaks it is repeated.
      disturbed = counts[r] || keeps(r, l) ? 0 : disturbed + 1
      if (!disturbed) takes++
      last = r
    }
  # A phase lasts longer than a look, so rare stalls can break it at a load that most looks keep: the distance doubles.
  back = takes ? 2 ^ takes : 0
  if (back >= middle) back = middle - 1
  if (!takes || disturbed || !keeps(last, l) && takes < 5 && rung[last] > 1) {
    wanted = rung_load(middle - back)
    # Missing pages must not be fetched during the measured phase.
    if (by_dram && load[rows] != wanted) return "step" OFS "settle" OFS limit[l] OFS wanted OFS 1
    return "take" OFS limit[l] OFS wanted OFS disturbed + 1
  }
  for (r = middle + 1; r <= middle + 1 + near_enough && r <= rungs; r++) {
    above += broken[r]
    clients += by_client[r]
  }
  state = !keeps(last, l) ? "broken" : certain < sure ? "open" : middle == rungs && !by_dram || 2 * clients > above && (!by_dram || breaker(l) == "latency") ? "client" : "found"
  if (by_dram)
    return "keep" OFS limit[l] OFS load[last] OFS state OFS (high < rungs ? rung_load(high + 1) : "-") OFS (low ? rung_load(low) : "-") OFS \
      (soft_high ? rung_load(soft_high) : "-") OFS (soft_low ? rung_load(soft_low) : "-") OFS steps OFS breaker(l)
  return "keep" OFS limit[l] OFS load[last] OFS state OFS (low ? rung_load(low) : "-") OFS (high < rungs ? rung_load(high + 1) : "-") OFS \
    (soft_low ? rung_load(soft_low) : "-") OFS (soft_high ? rung_load(soft_high) : "-") OFS steps
}
