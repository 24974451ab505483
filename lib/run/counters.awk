# SPDX-License-Identifier: MIT
# Combine marks: for each phase, every counter before and after. Input: the marks' files in order, lines `SCOPE COUNTER VALUE`. MARKS in the
# environment names the phases that begin at each mark, and `end`. Between search-PHASE or searched-PHASE and the next
# mark there is no phase.

BEGIN {
  FS = OFS = "\t"
  split(ENVIRON["MARKS"], name, " ")
  print "phase", "scope", "counter", "before", "after"
}

FNR == 1 { marks++ }

{
  key = $1 OFS $2
  if (!(key in seen)) { seen[key] = 1; order[++keys] = key }
  value[marks, key] = $3
}

END {
  for (m = 1; m < marks; m++) {
    if (name[m] ~ /^search/) continue
    for (i = 1; i <= keys; i++)
      if (((m, order[i]) in value) || ((m + 1, order[i]) in value))
        print name[m], order[i], ((m, order[i]) in value) ? value[m, order[i]] : "-", ((m + 1, order[i]) in value) ? value[m + 1, order[i]] : "-"
  }
}
