# SPDX-License-Identifier: MIT
# Searches for DRAM on a simulated server with a known answer: its load uses 43 % of the memory uniformly. With less DRAM, far accesses per operation
# are the missing fraction. After a change of the share, a part of the missing data is loaded in each step. Some steps are disturbed: requests are
# left unanswered.
#
# Usage: awk -f metric.awk -f search.awk -f random.awk -f tests/dram.awk SEARCHES CASE...
#   CASE is DISTURBED[:KILLED]: DISTURBED in percent; the OOM killer stops an instance below KILLED percent of DRAM
# Output: each CASE, its min, median and max answer, the number of answers that are more than 3 points off the truth, the max number of
# steps of a search, their mean, the number of OOM kills in the last search, and which limit breaks below the answer.

function look(share,    steady) {
  steady = share < truth ? (truth - share) / truth : 0
  # Loaded pages may be evicted again, and evicted pages may still be needed.
  if (share != share_before) missing = share < share_before ? steady + 0.2 : missing > steady ? missing : steady
  missing = steady + 0.4 * (missing - steady)
  share_before = share
  return missing * (0.95 + 0.1 * uniform())
}

function searched(disturbed, killed,    line, f, n, good) {
  search_begin("far<=0.01", "dram", 2, 95, 80, 0)
  share_before = 100
  missing = 0
  kills = 0
  for (n = 0; n < 1000; n++) {
    line = search_next(1)
    split(line, f, "\t")
    if (f[1] == "keep" || f[1] == "none") break
    if (f[1] == "take") f[4] = f[3]
    figure[rows + 1, "far"] = look(f[4])
    kills += f[4] < killed
    good = uniform() >= disturbed / 100
    if (f[1] == "take") search_add("take", "far<=0.01", f[4], 1, 1, 0, 1, 100, "")
    else search_add(f[2], f[3], f[4], f[5], 1, 0, good, 100, f[4] < killed ? "oom" : "")
  }
  taken = n
  broke = f[10]
  return f[1] == "keep" ? f[3] : 0
}

BEGIN {
  OFS = "\t"
  truth = 43
  for (a = 2; a < ARGC; a++) {
    seed = 20261122
    split(ARGV[a] ":", part, ":")
    off = most = sum = 0
    for (k = 1; k <= ARGV[1]; k++) {
      answer_of[k] = searched(part[1], part[2])
      if (answer_of[k] < truth - 3 || answer_of[k] > truth + 3) off++
      if (taken > most) most = taken
      sum += taken
    }
    interval_sort(answer_of, k - 1)
    printf "%s %d %d %d %d %d %.1f %d %s\n", ARGV[a], answer_of[1], answer_of[int((k + 1) / 2)], answer_of[k - 1], off, most, sum / (k - 1), kills, broke
  }
}
