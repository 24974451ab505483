# SPDX-License-Identifier: MIT
# When the load is as before after a restart. Prints NUMBER:FULL:OVER of each restart that reaches it, separated by blanks, in seconds of the phase. FULL:
# the end of the first interval that begins after the last instance has answered, and has 90 % of the mean rate before all events. OVER: no interval
# after it has more than 110 %, because an open loop has sent what was due in the meantime.
# Input: persistence.tsv, and the series of all clients. Variables: start, when the phase began (us since the epoch).

# The rate of an interval.
function rate(i) {
  return to[i] > from[i] ? ops[i] / (to[i] - from[i]) : 0
}

FNR == 1 {
  files++
  last = 0
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

files == 1 {
  n = $1
  if (n > events) events = n
  if (!(n in asked) || $5 < asked[n]) asked[n] = $5
  if ($7 > ended[n]) ended[n] = $7
  if ($2 == "restart") unfinished[n] += $4 != "done"
  next
}

# The clients have the same intervals.
{
  ops[FNR] += $at["ops"]
  from[FNR] = last
  to[FNR] = last = $at["time_s"]
  if (FNR > rows) rows = FNR
}

END {
  for (n in asked) if (first == "" || asked[n] < first) first = asked[n]
  for (i = 2; i <= rows && to[i] <= (first - start) / 1e6; i++) before += ops[i]
  if (i > 2 && before > 0) before /= to[i - 1]
  for (n = 1; n <= events && before > 0; n++) {
    if (!(n in unfinished) || unfinished[n] > 0) continue
    back = (ended[n] - start) / 1e6
    for (i = 2; i <= rows && (from[i] < back || rate(i) < 0.9 * before); i++);
    if (i > rows) continue
    printf "%s%d:%.3f:", found++ ? " " : "", n, to[i]
    for (back = to[i++]; i <= rows && rate(i) > 1.1 * before; i++) back = to[i]
    printf "%.3f", back
  }
}
