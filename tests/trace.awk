# SPDX-License-Identifier: MIT
# The reference model of a cache under a trace in the CSV format of Twitter: prints hits, misses, fills, executed SETs, and keys.
# Usage: awk -F , -v fill=0|1 -f tests/trace.awk TRACE
{
  # A key may contain commas.
  key = $2
  for (i = 3; i <= NF - 5; i++) key = key "," $i
  size = $(NF - 3)
  op = $(NF - 1)
  if (op == "get" || op == "gets") {
    if (key in cache) hits++
    else {
      misses++
      if (fill && size > 0) {
        fills++
        cache[key] = size
      }
    }
  } else if (op == "set" || op == "cas" || op == "add" && !(key in cache) || (op == "replace" || op == "append" || op == "prepend") && key in cache) {
    sets++
    cache[key] = size
  } else if (op == "delete") delete cache[key]
  else if (op == "incr" || op == "decr") counter[key] += op == "incr" ? 1 : -1
}
END {
  for (key in cache) keys++
  for (key in counter) keys++
  print hits + 0, misses + 0, fills + 0, sets + 0, keys + 0
}
