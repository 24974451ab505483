# SPDX-License-Identifier: MIT
# Add histograms: bucket[us] is the number of samples in the bucket whose highest latency is US, order[1..buckets] the buckets from fast to slow after
# sorting. US is text with up to three decimals: as a number, an index would have six digits.

# The rank of the percentile SHARE of N samples.
function histogram_rank(share, n,    rank) {
  rank = share / 100 * n
  # Floating-point rounding must not move an integral rank to the next one.
  return int(rank) + (rank - int(rank) > 1e-6)
}

# Empty the sums.
function histogram_clear(    i) {
  for (i in bucket) delete bucket[i]
  for (i in order) delete order[i]
  buckets = 0
}

# The highest latency of the bucket at US, as text: a file in ns has it; tables of ./test keep 11 bits of a value, the guide's are linear.
function histogram_top(us, ours,    w) {
  if (us ~ /\./) return us
  w = 1
  if (ours) while (us >= 2048 * w) w *= 2
  return text_number(us + w - 1, 0)
}

# Add the histogram of PHASE of a client, whose table is at PATH: the file in ns beside it, else the table. Older versions and other generators
# have only the table. OURS: of ./test. Returns its samples; 0 if neither can be read completely: then nothing is added.
function histogram_add(path, ours, phase,    fine, n) {
  fine = path
  if (ours && phase ~ /^[a-z]+(-[0-9]+)?$/ && sub(/[^\/]*$/, phase ".histogram.tsv", fine)) n = histogram_read(fine, ours)
  return n ? n : histogram_read(path, ours)
}

# Add a file to bucket[]: a latency first, its samples and the cumulative percentage last. Returns its samples; 0 if it cannot be read completely.
# It reads into $0, because gawk takes three times as long to split a line with many threads into an array; so call it from END.
function histogram_read(path, ours,    file, separator, last, seen, lines, us, count, i, top) {
  file = text_opened(path)
  separator = FS
  FS = " "
  last = ""
  seen = lines = 0
  if ((getline < file) > 0)
    while ((getline < file) > 0) {
      if (NF < 3 || !text_is_count($(NF - 1)) || $1 !~ /^[0-9]+(\.[0-9]+)?$/) {
        last = ""
        break
      }
      last = $NF
      if ($(NF - 1) == 0) continue
      us[++lines] = $1
      count[lines] = $(NF - 1)
      seen += $(NF - 1)
    }
  close(file)
  FS = separator
  # The cumulative percentage of the last line shows whether the file is complete.
  if (last + 0 < 99.9995) return 0
  for (i = 1; i <= lines; i++) {
    top = histogram_top(us[i], ours)
    if (!(top in bucket)) order[++buckets] = top
    bucket[top] += count[i]
  }
  return seen
}

# Shell sort of order[1..n]: awk has no portable sort, and the buckets of one client are sorted already.
function histogram_sort(n,    gap, i, j, value) {
  for (gap = 1; gap < n / 3;) gap = 3 * gap + 1
  for (; gap >= 1; gap = int(gap / 3))
    for (i = gap + 1; i <= n; i++) {
      value = order[i]
      for (j = i; j > gap && order[j - gap] + 0 > value + 0; j -= gap) order[j] = order[j - gap]
      order[j] = value
    }
}
