# SPDX-License-Identifier: MIT
# What the load on memory beside a phase (NEIGHBOUR) reached, from server/antagonist.tsv. Load it behind text.awk.

# Returns the mean GB/s of the seconds that are all within FROM_US and TO_US by the server's clock; of a shorter phase, of the second that its
# end is in; empty when there is none.
function antagonist_read(file, from_us, to_us,    line, f, sum, n, last) {
  while ((getline line < file) > 0) {
    if (split(line, f, "\t") != 2 || f[1] !~ /^[0-9]+\.[0-9]+$/ || f[2] !~ /^[0-9]+\.[0-9]+$/ || f[1] * 1e6 < from_us) continue
    if (last == "") last = f[2]
    if ((f[1] - 1) * 1e6 < from_us || f[1] * 1e6 > to_us) continue
    sum += f[2]
    n++
  }
  close(file)
  return n ? text_number(sum / n, 3) : last
}
