# SPDX-License-Identifier: MIT
# The windows of events for ./test --windows, in the order of their numbers, and then the rest of the phase: FROM-TO,...,FROM-TO+FROM-TO.
# Input: persistence.tsv. Variables: start, when the phase began (us since the epoch); phase_s, its length in s; step, the
# length of an interval: a window has at least one; full, what full.awk prints: a window of a restart lasts until then, because requests that waited for
# an instance are answered when it is back.

BEGIN {
  n = split(full, until, " ")
  for (i = 1; i <= n; i++) {
    split(until[i], f, ":")
    last[f[1]] = f[3]
  }
}

NR > 1 {
  n = $1
  from = ($5 - start) / 1e6
  # What was not over, lasted until the end; what was refused, no time.
  to = $7 > 0 ? ($7 - start) / 1e6 : $4 == "failed" ? from : phase_s
  if (from < 0) from = 0
  if (!(n in first) || from < first[n]) first[n] = from
  if (to > last[n]) last[n] = to
  if (n > events) events = n
}

END {
  for (n = 1; n <= events; n++) {
    if (!(n in first)) continue
    if (last[n] < first[n] + step) last[n] = first[n] + step
    text = text sprintf("%.3f-%.3f,", first[n], last[n])
    if (first[n] > at + 0.05) rest = rest (rest == "" ? "" : "+") sprintf("%.3f-%.3f", at, first[n])
    if (last[n] > at) at = last[n]
  }
  if (text == "") exit
  if (phase_s > at + 0.05) rest = rest (rest == "" ? "" : "+") sprintf("%.3f-%.3f", at, phase_s)
  print rest == "" ? substr(text, 1, length(text) - 1) : text rest
}
