# SPDX-License-Identifier: MIT
# A rate from the searches of an earlier run, PERCENT@RUN: that part of the lowest rate that they found. Several repeats of a search have a median.

# A row of lib/core/conf.sh, in the order of the searches: `found RUN SEARCH LOAD`, or `found RUN` if none found a rate.
$1 == "found" {
  FOUND[$2, ++FOUND_ROWS[$2]] = $3 OFS $4
  if ($4 == "") FOUND_ROWS[$2] = 0
}

function found_rate(name, value, at,    text, path, i, j, row, next_row, loads, load, middle, lowest) {
  at = at ": " name "=" value
  text = kind_before(value, "@")
  path = substr(value, length(text) + 2)
  if (!kind_is(text, "percent:1..100")) stop(at ": invalid; accepted: 1% to 100%, and a run with searches, such as 60%@results/RUN")
  if (!(path in FOUND_ROWS)) {
    print "want" OFS "found" OFS path
    is_stopped = 1
    exit 0
  }
  if (!FOUND_ROWS[path]) stop(at ": no search in " path " found a rate; name the directory of a run with RATE=search, or of a variant in it")
  for (i = 1; i <= FOUND_ROWS[path]; i++) {
    split(FOUND[path, i], row, OFS)
    split(FOUND[path, i + 1], next_row, OFS)
    # In the order of their size.
    for (j = ++loads; j > 1 && load[j - 1] > row[2] + 0; j--) load[j] = load[j - 1]
    load[j] = row[2] + 0
    if (next_row[1] == row[1]) continue
    middle = (load[int((loads + 1) / 2)] + load[int(loads / 2) + 1]) / 2
    if (lowest == "" || middle < lowest) lowest = middle
    loads = 0
  }
  lowest = int(lowest * text / 100 + 0.5)
  return lowest > 0 ? lowest "" : "1"
}
