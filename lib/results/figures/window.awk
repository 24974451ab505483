# SPDX-License-Identifier: MIT
# The throughput while every load generator was running. Part of total.awk, which has read the series of all clients.
# When some instances finish, the others have more resources, so the end of a phase is not comparable. The window is from the latest start of a client
# to the earliest end of a thread, on the master's clock (starts.tsv). Operations come from the series; a row that is partly in the window counts by
# its share of time. Without a series every thread counts with its own rate.

# Operations of client C between FROM and TO, in seconds since the first client began; DONE is the end of its last thread.
function window_ops(c, from, to, done,    r, before, after, share, sum) {
  for (r = 1; r <= series_rows[c]; r++) {
    before = series_from[c, r]
    # The last row ends with the last thread; its time is rounded.
    after = series_to[c, r] < done ? series_to[c, r] : done
    share = overlap(before, after, from, to)
    if (share > 0 && after > before) sum += series_ops[c, r] * share / (after - before)
  }
  return sum + 0
}

# Fill window_ops_per_sec, window_us and cut_percent of the total; empty without the times of start and end.
function window_fill(    c, n, begin, from, to, last, sum, earliest) {
  n = clients
  if (n > 1 && starts != n) return
  for (c = 1; c <= n; c++) {
    # A single client needs only its own clock.
    if (first_done[c] <= 0 || (n > 1 && !(client_of[c] in begun))) return
    begin = offset_of(c)
    if (c == 1 || begin > from) from = begin
    if (c == 1 || begin + first_done[c] / 1000000 < to) to = begin + first_done[c] / 1000000
    if (c == 1 || begin + last_done[c] / 1000000 > last) last = begin + last_done[c] / 1000000
    if (begin < earliest || c == 1) earliest = begin
  }
  if (to <= from) return
  for (c = 1; c <= n; c++)
    sum += series_rows[c] ? window_ops(c, from, to, offset_of(c) + last_done[c] / 1000000) : own_rate[c] * (to - from)
  own["window_ops_per_sec"] = text_number(sum / (to - from), 3)
  own["window_us"] = text_number((to - from) * 1000000, 0)
  own["cut_percent"] = text_number(100 * (1 - (to - from) / (last - earliest)), 1)
}
