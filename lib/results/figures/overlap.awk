# SPDX-License-Identifier: MIT
# The overlap of two spans of time; 0 without one.

function overlap(from, to, other_from, other_to) {
  if (other_from > from) from = other_from
  if (other_to < to) to = other_to
  return to > from ? to - from : 0
}
