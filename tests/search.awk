# SPDX-License-Identifier: MIT
# Searches on a simulated server with a known answer: its p99 is 200 us / (1 - rate / 100,000), within 10 %, so 80,000/s keep p99<=1ms. Some steps are
# disturbed: ten times the latency.
#
# Usage: awk -f metric.awk -f search.awk -f random.awk -f tests/search.awk SEARCHES CASE...
#   CASE is HOW:DISTURBED[:TOP]. HOW is search; once (bisection with one step per load); or both: a search for p99<=1ms and p99<=500us, with
#   the answer of the second limit, 60,000. DISTURBED is in percent; TOP is the rate of the closed loop.
# Output: each CASE, its min, median and max answer, the number of answers that are more than 3 rungs of 2 % off the truth, the
# max number of steps of a search, and their mean.

function look(rate, disturbed,    p99) {
  p99 = rate < 99000 ? 200 / (1 - rate / 100000) : 20000
  p99 *= 0.9 + 0.2 * uniform()
  return uniform() < disturbed / 100 ? 10 * p99 : p99
}

function searched(disturbed, top_ops, limits_text, turn,    line, f, n) {
  search_begin(limits_text, "rate", 2, 95, 80, 0)
  for (n = 0; n < 1000; n++) {
    line = search_next(turn)
    split(line, f, "\t")
    if (f[1] != "step") break
    if (f[2] == "top") {
      search_add("top", "-", 0, 1, 1, 0, 1, top_ops)
      continue
    }
    figure[rows + 1, "p99"] = look(f[4], disturbed)
    search_add(f[2], f[3], f[4], f[5], 1, 0, f[4] <= 100000, f[4])
  }
  taken = n
  return f[1] == "take" ? f[3] : 0
}

function halved_once(disturbed, top_ops,    low, high, middle) {
  low = 1250
  high = 1.25 * top_ops
  for (taken = 1; high / low > 1.02; taken++) {
    middle = sqrt(low * high)
    if (look(middle, disturbed) <= 1000 && middle <= 100000) low = middle
    else high = middle
  }
  return low
}

BEGIN {
  OFS = "\t"
  for (a = 2; a < ARGC; a++) {
    seed = 20261122
    split(ARGV[a], part, ":")
    off = most = sum = 0
    for (k = 1; k <= ARGV[1]; k++) {
      top_ops = part[3] ? part[3] : 100000
      truth = part[1] == "both" ? 60000 : 80000
      if (part[1] == "once") answer_of[k] = halved_once(part[2], top_ops)
      else if (part[1] == "both") answer_of[k] = searched(part[2], top_ops, "p99<=1ms p99<=500us", 2)
      else answer_of[k] = searched(part[2], top_ops, "p99<=1ms", 1)
      if (answer_of[k] <= 0 || answer_of[k] > truth * exp(3.01 * log(1.02)) || answer_of[k] < truth / exp(3.01 * log(1.02))) off++
      if (taken > most) most = taken
      sum += taken
    }
    interval_sort(answer_of, k - 1)
    printf "%s %d %d %d %d %d %.1f\n", ARGV[a], answer_of[1], answer_of[int((k + 1) / 2)], answer_of[k - 1], off, most, sum / (k - 1)
  }
}
