# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Convert lists of CPUs in the kernel's form (0-3,8) to numbers and back. Read by the master and sent to hosts.

# awk functions, prepended to a program.
#   cpus_expand(LIST, OUT)   fills OUT[1..n], returns n
#   cpus_compress(IN, n)     the list of IN[1..n], which may be unordered and have duplicates
# shellcheck disable=SC2034 # used by the modules that this is read or sent with
CPUS_AWK='
function cpus_expand(list, out,   parts, ends, i, c, k, n) {
  k = split(list, parts, ",")
  for (i = 1; i <= k; i++) {
    if (split(parts[i], ends, "-") < 2) ends[2] = ends[1]
    for (c = ends[1] + 0; c <= ends[2] + 0; c++) out[++n] = c
  }
  return n + 0
}
function cpus_compress(cpus, n,   seen, i, c, top, text, last) {
  top = -1
  for (i = 1; i <= n; i++) { seen[cpus[i] + 0] = 1; if (cpus[i] + 0 > top) top = cpus[i] + 0 }
  for (c = 0; c <= top; c++) {
    if (!(c in seen)) continue
    for (last = c; (last + 1) in seen; last++) ;
    text = text (text == "" ? "" : ",") c (last > c ? "-" last : "")
    c = last
  }
  return text
}
'
