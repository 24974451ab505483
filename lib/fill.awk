# SPDX-License-Identifier: MIT
# What the instances held at the end of a repeat, from INFO, a row a variant and point, for render.awk.
# Input: `VARIANT POINT EXPECTED_KEYS FILE`, tab-separated and escaped, FILE being server/info.after of a repeat.

BEGIN {
  FS = OFS = "\t"
  print "variant", "point", "instances", "keys", "expected_keys", "fill_percent", "used_memory_mib", "least_mib", "most_mib", "rss_mib", "rss_to_used"
  print "Variant", "Point", "Instances", "Keys held", "Keys set", "Held", "Used memory MiB", "Least MiB", "Most MiB", "RSS MiB", "RSS / used"
  print "text", "text", 0, 0, 0, "percent", 1, 1, 1, 1, 2
}

{
  file = text_unescape($4)
  if (file !~ /^\//) file = "./" file
  instances = keys = used = rss = 0
  least = most = ""
  while ((getline line < file) > 0) {
    sub(/\r$/, "", line)
    if (line ~ /^### instance /) instances++
    else if (line ~ /^used_memory:/) {
      value = substr(line, 13) + 0
      used += value
      if (least == "" || value < least) least = value
      if (most == "" || value > most) most = value
    } else if (line ~ /^used_memory_rss:/) rss += substr(line, 17)
    else if (line ~ /^db[0-9]+:keys=/) {
      sub(/^[^=]*=/, "", line)
      keys += line
    }
  }
  close(file)
  if (!instances || !used) next
  mib = 1048576
  # Each instance that the load generator emptied holds a mark of ours beside the load's keys.
  if (keys - instances >= $3) keys -= instances
  print $1, $2, instances, keys, $3, ($3 > 0 ? text_number(100 * keys / $3, 4) : ""), text_number(used / mib, 3), text_number(least / mib, 3), text_number(most / mib, 3),
    text_number(rss / mib, 3), text_number(rss / used, 4)
}
