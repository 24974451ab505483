# SPDX-License-Identifier: MIT
# The figures of a failover over all repeats of a run, from the failover.tsv of each: median, min and max, for table_print.

BEGIN { FS = "\t" }

FNR > 1 && $2 ~ /^[0-9.]+$/ {
  n = split(FILENAME, part, "/")
  key = part[n - 3] " " part[n - 2] "\t" $1
  if (!(key in count)) order[++keys] = key
  value[key, ++count[key]] = $2 + 0
}

END {
  print "variant, point\tfailover\tmedian\tmin\tmax\trepeats"
  for (k = 1; k <= keys; k++) {
    n = count[order[k]]
    for (i = 1; i <= n; i++) v[i] = value[order[k], i]
    interval_sort(v, n)
    printf "%s\t%.10g\t%.10g\t%.10g\t%d\n", order[k], interval_median(v, n), v[1], v[n], n
  }
}
