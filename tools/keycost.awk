# SPDX-License-Identifier: MIT
# Makes a row of conf/keycost.tsv from samples, with the functions of lib/plan/keycost.awk: see tools/keycost.sh.
# Input lines, tab-separated: `probe TTL NAME SIZE KEYS USED_MEMORY` of keys with names of NAME bytes, and FORM with rows of a cluster of one node.
# Environment: TABLE, REDIS (SERVER VERSION QUANTUM)

# The value in the middle of VALUE[1..n].
function median(value, n,    i, j, swap) {
  for (i = 2; i <= n; i++) {
    for (j = i; j > 1 && value[j] < value[j - 1]; j--) {
      swap = value[j]
      value[j] = value[j - 1]
      value[j - 1] = swap
    }
  }
  return value[int((n + 1) / 2)]
}

# The largest error of the samples with the current layout, as a share of the bytes of the keys. Sets BASE.
function error(    i, form, rest, most, off, n) {
  for (i = 1; i <= probes; i++) {
    form = size[i] (timed[i] ? "+ttl" : "")
    COST_TABLE[form] = COST["tables"]
    cost[i] = count[i] * cost_string(form, name[i]) + cost_tables(form, count[i])
    rest[i] = used[i] - cost[i]
  }
  BASE = median(rest, probes)
  for (i = 1; i <= probes; i++) {
    off = (used[i] - BASE - cost[i]) / cost[i]
    if (off < 0) off = -off
    if (off > most) most = off
  }
  return most + 0
}

BEGIN {
  FS = OFS = "\t"
  COST_KINDS = COST_VALUES = 1
  server = ENVIRON["REDIS"]
  gsub("\t", " ", server)
}

$1 == "probe" {
  timed[++probes] = $2
  name[probes] = $3
  size[probes] = $4
  count[probes] = $5
  used[probes] = $6
  next
}

{ found[$1, $2, NF > 3 ? $3 : ""] = $NF }

END {
  if (probes < 8) exit 1
  split(server, word, " ")
  # cost_table closes the file.
  while ((getline line <ENVIRON["TABLE"]) > 0)
    if (line !~ /^(#|server\t)/ && split(line, value, "\t") > 3) row[++rows] = value[1] " " value[2] " " value[3]
  close(ENVIRON["TABLE"])
  for (i = 1; i <= rows; i++) {
    cost_table(ENVIRON["TABLE"], row[i])
    COST["quantum"] = word[3]
    now[i] = error()
    if (!best || now[i] < now[best]) best = i
  }
  cost_table(ENVIRON["TABLE"], row[best])
  COST["quantum"] = word[3]
  least = error()
  COST["server"] = word[1]
  COST["version"] = word[2]
  COST["base"] = sprintf("%.0f", BASE)
  COST["cluster"] = found["10+cluster", "base", ""]
  COST["slot"] = COST["slot_ttl"] = "-"
  if (("10+cluster", "slot", "") in found) {
    COST["slot"] = sprintf("%.0f", found["10+cluster", "slot", ""])
    COST["slot_ttl"] = sprintf("%.0f", found["10+ttl+cluster", "slot", ""])
  }
  # Without dicts of slots, an entry has two links to other keys of its slot.
  each = found["10+cluster", "cost", "6"]
  for (COST["links"] = 0; COST["links"] < 16 && cost_string("10+cluster", 11) < each - 4; ) COST["links"] += 16
  COST["backlog"] = found["10+cluster", "backlog", ""]
  COST["error"] = sprintf("%.2f", 100 * least)
  for (i = 1; i in COST_NAME; i++) printf "%s%s", COST[COST_NAME[i]], (i + 1) in COST_NAME ? OFS : "\n"
  printf "keycost: the layout of %s; in a cluster a key of six digits takes %.1f B, and %.1f B by the layout\n", row[best], each, \
    cost_string("10+cluster", 11) >"/dev/stderr"
}
