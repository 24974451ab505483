# SPDX-License-Identifier: MIT
# Simulated runs with REDISRUNS=auto: how often the interval at the stop does not contain the truth.
#
# Usage: awk -f interval.awk -f decide.awk -f schedule.awk -f random.awk -f rounds.awk ROUNDS CASE...
#   CASE is RULE:MIN:MAX:SPREAD:DIFFERENCE, spread and difference in %; RULE is schedule (as in a run), or peek: a check after each
#   round at 95 %.
# Output: each CASE, the % of runs whose interval at the stop does not contain the true ratio, the % of runs with better or worse
# as their verdict, and the mean number of rounds.

BEGIN {
  for (a = 2; a < ARGC; a++) {
    seed = 20261122
    split(ARGV[a], part, ":")
    wrong = called = sum = 0
    truth = 1 - part[5] / 100
    level = part[1] == "peek" ? 0.95 : schedule_level(part[2] + 0, part[3] + 0)
    for (k = 0; k < ARGV[1]; k++) {
      for (n = 1; n <= part[3]; n++) {
        r[n] = truth * exp(part[4] / 100 * sqrt(2) * gauss())
        if (n < part[2] || n < part[3] && part[1] != "peek" && !schedule_is_look(n, part[2] + 0, part[3] + 0)) continue
        interval_paired(r, n, level)
        says = decide(interval_low, interval_high, 1, 0.02)
        if (n == part[3] || says != "open" || interval_high / interval_centre <= 1.02) break
      }
      wrong += interval_low > truth || interval_high < truth
      called += says == "better" || says == "worse"
      sum += n
    }
    printf "%s %.1f %.1f %.1f\n", ARGV[a], 100 * wrong / ARGV[1], 100 * called / ARGV[1], sum / ARGV[1]
  }
}
