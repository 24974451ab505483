# SPDX-License-Identifier: MIT
# The actual and the planned fill, and the location of the data, one row per variant and point, for the repeat with the largest error. Input,
# tab-separated and escaped: `VARIANT POINT REPEAT KEYS DIR PLACEMENT FAR_SHARE COMPRESSED DRAM`, where KEYS are the keys that the first phase set in all instances,
# for a run without a plan, and DIR is server/ of a repeat. Output: lines `table ...`, the table for render.awk, and
# `warning TEXT`.

# A count in a file of the run; 0 if it is not a count.
function count_of(s) {
  return text_is_count(s) ? s + 0 : 0
}

# Read the final reports of the instances: sets instances, keys, used, rss, least and most.
function read_info(file,    line, value) {
  instances = keys = used = rss = 0
  least = most = ""
  while ((getline line < file) > 0) {
    sub(/\r$/, "", line)
    if (line ~ /^### instance /) instances++
    else if (line ~ /^used_memory:/) {
      value = count_of(substr(line, 13))
      used += value
      if (least == "" || value < least) least = value
      if (most == "" || value > most) most = value
    } else if (line ~ /^used_memory_rss:/) rss += count_of(substr(line, 17))
    else if (line ~ /^db[0-9]+:keys=/) {
      sub(/^[^=]*=/, "", line)
      sub(/,.*/, "", line)
      keys += count_of(line)
    }
  }
  close(file)
}

# Reads the plan of the repeat (lib/run/repeat.sh): sets planned (keys of all instances), target and expected, or leaves them empty.
function read_plan(file,    line, f) {
  planned = target = expected = ""
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (!text_is_count(f[2])) continue
    if (f[1] == "keys") planned = f[2] * instances
    if (f[1] == "target_bytes") target = f[2]
    if (f[1] == "expected_bytes") expected = f[2]
  }
  close(file)
}

# Read the location of the data after the last phase: sets swapped, and nodes as `node0 12.3, node1 4.5`; empty if it was not recorded.
function read_places(file,    line, f, i, after, seen, bytes, count, name) {
  swapped = nodes = ""
  while ((getline line < file) > 0) {
    if (line !~ /\t(swap|node[0-9]+)\t/) continue
    split(line, f, "\t")
    if (f[2] !~ /^[0-9]+$/ || !text_is_count(f[5])) continue
    # A later phase comes later in the file.
    after[f[2], f[3]] = f[5]
    if (!((f[2], f[3]) in seen)) {
      seen[f[2], f[3]] = 1
      name[++count] = f[2] SUBSEP f[3]
    }
  }
  close(file)
  for (i = 1; i <= count; i++) {
    split(name[i], f, SUBSEP)
    if (f[2] == "swap") swapped += after[name[i]]
    else bytes[f[2]] += after[name[i]]
  }
  for (i = 0; i < 1024; i++) if (("node" i) in bytes) nodes = nodes (nodes == "" ? "" : ", ") sprintf("node%d %.1f", i, bytes["node" i] / mib)
}

function size(bytes) {
  return bytes == "" ? "" : text_number(bytes / mib, 3)
}

function off(want) {
  return want > 0 ? 100 * (used / want - 1) : ""
}

function distance(percent) {
  return percent < 0 ? -percent : percent + 0
}

BEGIN {
  FS = OFS = "\t"
  mib = 1048576
}

{
  folder = text_opened(text_unescape($5))
  read_info(folder "/info.after")
  if (!instances || !used) next
  read_plan(folder "/plan.tsv")
  read_places(folder "/counters.tsv")
  if (planned == "") planned = $4
  # Each instance that the load generator flushed has its marker in addition to the load's keys.
  if (keys - instances >= planned) keys -= instances
  percent = off(target > 0 ? target : expected)
  cell = $1 OFS $2
  # The error of FILL is at most 1 %.
  if (target > 0 && distance(percent) > 1) missed[cell]++
  repeats[cell]++
  if (cell in row) {
    if (distance(percent) <= distance(furthest[cell])) next
  } else order[++cells] = cell
  furthest[cell] = percent
  repeat[cell] = $3
  if (nodes != "") by_node = 1
  if ($8 != "") packed = 1
  if (target != "") targets = 1
  row[cell] = cell OFS $3 OFS instances OFS text_number(planned, 0) OFS text_number(keys, 0) OFS (planned > 0 ? text_number(100 * keys / planned, 4) : "") OFS size(target) OFS size(expected) OFS \
    size(used) OFS (percent == "" ? "" : sprintf("%+.2f %%", percent)) OFS size(least) OFS size(most) OFS size(rss) OFS \
    text_number(rss / used, 4) OFS size(swapped) OFS size($8) OFS size($9) OFS nodes OFS ($7 == "" ? "" : text_number(100 * $7, 4)) OFS $6
}

END {
  print "table", "variant", "point", "repeat", "instances", "keys_planned", "keys_held", "held_percent", "target_mib", "planned_mib", "used_memory_mib", \
    "off_percent", "least_mib", "most_mib", "rss_mib", "rss_to_used", "swapped_mib", "compressed_mib", "dram_mib", "nodes_mib", "far_percent", "placement"
  print "table", "Variant", "Point", "Repeat", "Instances", "Keys planned", "Keys held", "Held", targets ? "FILL asks for MiB" : "", "Planned MiB", "Used memory MiB", \
    "Off by", "Least MiB", "Most MiB", "RSS MiB", "RSS / used", "Swapped MiB", packed ? "Compressed MiB" : "", packed ? "DRAM MiB" : "", by_node ? "On nodes MiB" : "", "% far", "Placement"
  print "table", "text", "text", "raw", 0, 0, 0, "percent", 1, 1, 1, "right", 1, 1, 1, 2, 1, 1, 1, "text", "percent", "text"
  for (i = 1; i <= cells; i++) print "table", row[order[i]]
  for (i = 1; i <= cells; i++)
    if (missed[order[i]]) {
      split(order[i], f, "\t")
      print "warning", text_escape(text_unescape(f[1]) " at " text_unescape(f[2]) ": the fill differs from FILL by more than 1 % in " missed[order[i]] " of " \
        repeats[order[i]] " repeats; most in repeat " repeat[order[i]] ": " sprintf("%+.1f %%", furthest[order[i]]))
    }
}
