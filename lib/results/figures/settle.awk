# SPDX-License-Identifier: MIT
# The time at which the bytes on a server's nodes settled in a phase, from the samples of each second in server/nodes.tsv.
#
# Load it after text.awk. All its names begin with settle_.

# The fraction of all bytes that may still move, and the fraction of the phase that must be settled at its end.
BEGIN {
  settle_part = 0.01
  settle_rest = 0.1
}

# Returns the seconds from FROM_US until every node has the bytes of the last sample, within 1 % of all bytes. Returns `no` if that is in the last
# tenth of the phase (until TO_US) or in its last two samples. Returns empty if there are fewer than five samples or two nodes.
function settle_read(file, from_us, to_us,    line, f, n, i, nodes, rows, at, bytes, all, r, moving) {
  while ((getline line < file) > 0) {
    n = split(line, f, "\t")
    if (f[1] == "time") {
      nodes = n - 1
      continue
    }
    if (n != nodes + 1 || f[1] !~ /^[0-9]+\.[0-9]+$/ || f[1] * 1e6 < from_us || f[1] * 1e6 > to_us) continue
    at[++rows] = f[1] - from_us / 1e6
    for (i = 1; i <= nodes; i++) bytes[rows, i] = f[i + 1] + 0
  }
  close(file)
  if (rows < 5 || nodes < 2) return ""
  for (i = 1; i <= nodes; i++) all += bytes[rows, i]
  if (all <= 0) return ""
  for (r = rows; r >= 1; r--) {
    moving = 0
    for (i = 1; i <= nodes; i++) if (bytes[r, i] - bytes[rows, i] >= settle_part * all || bytes[rows, i] - bytes[r, i] >= settle_part * all) moving = 1
    if (moving) break
  }
  if (r == 0) return 0
  # Sample r is the last one that differs.
  if (r + 1 >= rows - 1 || at[r + 1] > (to_us - from_us) / 1e6 * (1 - settle_rest)) return "no"
  return sprintf("%.0f", at[r + 1])
}
