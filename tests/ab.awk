# SPDX-License-Identifier: MIT
# Simulated A/B comparisons of two builds: how often the pairs of trials that the noise of earlier runs asks for find a planted difference.
#
# Usage: awk -v shape='RUNS STARTS PHASES RUN_SPREAD START_SPREAD PHASE_SPREAD DRIFT' -v trials=2000 -v seed=1 -f interval.awk -f nested.awk -f power.awk
#   -f random.awk -f ab.awk
# Prints the shape, the median number of pairs, and the percentage of comparisons that find something: 2 %, 0 %, 0 % by two sides without pairs, and
# 0 % if every trial of A is before those of B.

# The logarithm of a figure of a trial: the mean of its starts.
function of_trial(    s, sum) {
  for (s = 1; s <= part[2]; s++) sum += part[5] * gauss() + part[6] * gauss()
  return (part[4] * gauss() + sum / part[2]) / 100
}

# Earlier runs, and the pairs that they ask for.
function pairs_asked(    r, s, p, n, run, start) {
  for (r = 1; r <= part[1]; r++) {
    run = part[4] * gauss()
    for (s = 1; s <= part[2]; s++) {
      start = run + part[5] * gauss()
      for (p = 1; p <= part[3]; p++) {
        nested_y[++n] = (start + part[6] * gauss()) / 100
        nested_group[n, 1] = r
        nested_group[n, 2] = r SUBSEP s
        nested_group[n, 3] = n
      }
    }
  }
  nested_fit(n, 3, 0, 1, 1)
  n = power_of_trial(part[2], 0)
  n = power_repeats(0.8, n, 0.02, 0.95, power_known)
  return n ? n : 1000
}

# A comparison of N pairs with a difference; ORDER is pairs or sides. Sets a, b and r, from 1 to N: the sides and their ratios.
function compared(n, difference, order,    i, first, at_a, at_b) {
  for (i = 1; i <= n; i++) {
    first = i % 2 ? uniform() < 0.5 : !first
    at_a = order == "sides" ? i : 2 * i - first
    at_b = order == "sides" ? n + i : 2 * i - !first
    a[i] = exp(of_trial() + drift * at_a / (2 * n))
    b[i] = exp(of_trial() + drift * at_b / (2 * n) + log(1 + difference))
    r[i] = b[i] / a[i]
  }
}

function differs() {
  return interval_low > 1 || interval_high < 1
}

BEGIN {
  split(shape, part, " ")
  drift = part[7] / 100
  for (i = 1; i <= 10; i++) uniform()
  for (t = 1; t <= trials; t++) {
    n = pairs_asked()
    asked[t] = n
    compared(n, 0.02)
    interval_paired(r, n, 0.95)
    found += interval_low > 1
    compared(n, 0)
    interval_paired(r, n, 0.95)
    none += differs()
    interval_ratio(a, n, b, n, 0.95)
    alone += differs()
    compared(n, 0, "sides")
    interval_ratio(a, n, b, n, 0.95)
    sides += differs()
  }
  interval_sort(asked, trials)
  printf "%-34s %7d %7.1f %% %7.1f %% %7.1f %% %10.1f %%\n", shape, interval_median(asked, trials), 100 * found / trials, 100 * none / trials, 100 * alone / trials, 100 * sides / trials
}
