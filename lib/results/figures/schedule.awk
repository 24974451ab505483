# SPDX-License-Identifier: MIT
# The schedule of looks of REDISRUNS=auto, and the level of their intervals, so that frequent looks cause no false alarms.
#
# Looks are after MIN rounds, then after 1.6 times as many, rounded up, and after MAX: 3 5 8 13 21 30. Each of K looks uses intervals of
# level 1 - 0.05 / K^0.85, like Pocock's boundary, which has one level for all looks (Biometrika 64, 1977). K^0.85 is close to his table (0.0294,
# 0.0221, 0.0182, 0.0158 for 2 to 5 looks) and below it; `tests/rounds.bats` simulates the result. All names begin with schedule_.

# The round of the look after round N (0: of the first look).
function schedule_next(n, min, max,    next_look) {
  if (n < min) return min < max ? min : max
  next_look = int(n * 1.6)
  if (next_look < n * 1.6 - 1e-9) next_look++
  # A settings.tsv that no run wrote may have 0 as MIN; a look after round 0 must not follow itself.
  if (next_look <= n) next_look = n + 1
  return next_look < max ? next_look : max
}

# Whether there is a look after round N.
function schedule_is_look(n, min, max,    look) {
  for (look = schedule_next(0, min, max); look < n; look = schedule_next(look, min, max));
  return look == n
}

# The level of the intervals at every look.
function schedule_level(min, max,    look, looks) {
  looks = 1
  for (look = schedule_next(0, min, max); look < max; look = schedule_next(look, min, max)) looks++
  return 1 - 0.05 / looks ^ 0.85
}

# Whether REDISRUNS is auto:MIN..MAX; sets schedule_min and schedule_max.
function schedule_range(text,    part) {
  if (text !~ /^auto:[0-9]+\.\.[0-9]+$/) return 0
  split(text, part, /:|\.\./)
  schedule_min = part[2] + 0
  schedule_max = part[3] + 0
  return 1
}

# The level of the intervals within the run in DIR, empty (0.95) unless it was one of REDISRUNS=auto.
function schedule_of(folder) {
  if (folder in schedule_known) return schedule_known[folder]
  return schedule_known[folder] = schedule_range(stored_setting(folder, "-", "REDISRUNS")) ? schedule_level(schedule_min, schedule_max) : ""
}
