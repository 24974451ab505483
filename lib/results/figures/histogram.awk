# SPDX-License-Identifier: MIT
# Add histogram tables: bucket[us] is the number of samples, order[1..buckets] the buckets from fast to slow after sorting. exact[us] marks a bucket
# of ./test, whose width is known.

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
  for (i in exact) delete exact[i]
  buckets = 0
}

# The highest latency of a bucket.
function histogram_top(us) {
  return us + histogram_width(us, us in exact) - 1
}

# The width of the bucket at US: histograms of ./test keep 11 bits of a value, the guide's are linear.
function histogram_width(us, ours,    w) {
  w = 1
  if (ours) while (us >= 2048 * w) w *= 2
  return w
}

# Add the total column of a histogram table to bucket[]. Returns its samples; 0 if the file cannot be read completely: then nothing is added. It reads
# into $0, because gawk takes three times as long to split a line with many threads into an array; so call it from END.
function histogram_add(path, ours,    file, separator, last, seen, lines, us, count, i) {
  file = text_opened(path)
  separator = FS
  FS = " "
  last = ""
  seen = lines = 0
  if ((getline < file) > 0)
    while ((getline < file) > 0) {
      if (NF < 3 || !text_is_count($(NF - 1))) {
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
    if (!(us[i] in bucket)) order[++buckets] = us[i] + 0
    bucket[us[i]] += count[i]
    if (ours) exact[us[i]] = 1
  }
  return seen
}

# Shell sort of order[1..n]: awk has no portable sort, and the buckets of one client are sorted already.
function histogram_sort(n,    gap, i, j, value) {
  for (gap = 1; gap < n / 3;) gap = 3 * gap + 1
  for (; gap >= 1; gap = int(gap / 3))
    for (i = gap + 1; i <= n; i++) {
      value = order[i]
      for (j = i; j > gap && order[j - gap] > value; j -= gap) order[j] = order[j - gap]
      order[j] = value
    }
}
