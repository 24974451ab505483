# SPDX-License-Identifier: MIT
# What the tier of the settings is, by the headers of the tiers (lib/core/tiers.sh).
# Input lines, tab-separated:
#   tier NAME FIELD WORDS   a line of a header

$1 == "tier" {
  if (!($2 in IS_TIER)) TIER_NAME[++tier_names] = $2
  IS_TIER[$2] = 1
  TIER_FIELD[$2, $3] = $4
  next
}

# Whether a field of a tier has one of some words, and whether the tier in force is one of some words.
function tier_has(name, field, list,    i, n, word) {
  n = split(list, word, " ")
  for (i = 1; i <= n; i++) if (index(" " TIER_FIELD[name, field] " ", " " word[i] " ")) return 1
  return 0
}
function tier_is(list) {
  return tier_has(V["TIER"], "Is", list)
}

# The tiers with one of some words in a field, for messages: A, B or C.
function tiers_with(field, list,    i, last, text) {
  for (i = 1; i <= tier_names; i++) {
    if (!tier_has(TIER_NAME[i], field, list)) continue
    if (last != "") text = text (text == "" ? "" : ", ") last
    last = TIER_NAME[i]
  }
  return (text == "" ? "" : text " or ") last
}

# The numactl options of the tier; empty if it has none.
function tier_policy(host,    nodes, option) {
  option = TIER_FIELD[V["TIER"], "Policy"]
  if (option == "") return ""
  nodes = V["TIER_NODES"]
  if (nodes == "auto") nodes = nodes_list(host, TIER_FIELD[V["TIER"], "Nodes"])
  if (nodes ~ /[,-]/ && TIER_FIELD[V["TIER"], "Policies"] != "") option = TIER_FIELD[V["TIER"], "Policies"]
  sub(/%/, nodes, option)
  return option
}
