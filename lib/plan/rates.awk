# SPDX-License-Identifier: MIT
# RATE over time: steps, R R@S..., or a sine, `sine LOW..HIGH PERIOD phase=P`.

# Whether RATE changes over time.
function rate_varies() {
  return index(V["RATE"], " ") > 0
}

# Refuse a rate over time that cannot be sent.
function check_rates(    i, n, word, part, last, at) {
  if (!rate_varies()) return
  if (V["GENERATOR"] != "test") refuse("RATE", V["GENERATOR"] " does not support a rate over time; set GENERATOR=test, or one number")
  if (V["TIME"] == 0) refuse("RATE", "a rate over time requires TIME; set the duration of a phase")
  n = split(V["RATE"], word, " ")
  if (word[1] == "sine") {
    split(word[2], part, "[.][.]")
    check_rate(part[1])
    check_rate(part[2])
    if (part[1] + 0 > part[2] + 0) refuse("RATE", word[2] ": the first rate is above the second; accepted: LOW..HIGH")
    if (word[3] < 0.1 || word[3] > 1000000) refuse("RATE", word[3] ": invalid period; accepted: a time from 0.1 to 1000000 s")
    sub(/phase=/, "", word[4])
    if (word[4] > 1) refuse("RATE", "phase=" word[4] ": more than a period; accepted: a number from 0 to 1")
    return
  }
  if (n > 100) refuse("RATE", "too many: " n " steps; accepted: at most 100")
  for (i = 1; i <= n; i++) {
    split(word[i], part, "@")
    check_rate(part[1])
    at = i > 1 ? part[2] + 0 : 0
    if (i > 1 && at <= last) refuse("RATE", word[i] ": not after the step before it; set times that ascend from above 0 s")
    if (at >= V["TIME"] + 0) refuse("RATE", word[i] ": starts after the end of a phase; set a longer time than TIME=" V["TIME"])
    last = at
  }
}

# Refuse a rate of a schedule that the load generator does not take.
function check_rate(rate) {
  if (rate < 0.001 || rate > 1000000000) refuse("RATE", rate ": invalid rate; accepted: with several rates, each a number from 0.001 to 1000000000")
}

# The requests of SECONDS at RATE.
function rate_requests(seconds,    i, n, word, part, last, sum, turn, phase) {
  if (!rate_varies()) return V["RATE"] * seconds
  n = split(V["RATE"], word, " ")
  if (word[1] == "sine") {
    split(word[2], part, "[.][.]")
    turn = 8 * atan2(1, 1)
    phase = turn * substr(word[4], 7)
    return seconds * (part[1] + part[2]) / 2 + word[3] * (part[2] - part[1]) / 2 / turn * (cos(phase) - cos(phase + turn * seconds / word[3]))
  }
  for (i = 1; i <= n; i++) {
    split(word[i], part, "@")
    last = i < n ? substr(word[i + 1], index(word[i + 1], "@") + 1) : seconds
    sum += part[1] * (last - (i > 1 ? part[2] : 0))
  }
  return sum
}
