# SPDX-License-Identifier: MIT
# What a plan refuses of tenants, and what their limits need in swap besides what does not fit into the DRAM of all; in the planner (lib/plan).

# Refuse what conflicts with tenants.
function tenants_check(    t, i, n, word, key, text, seen) {
  tenants_read()
  if (!tenants) {
    n = split("MEMORY.max MEMORY.high MEMORY.low", word, " ")
    for (i = 1; i <= n; i++) if (V[word[i]] != "none") refuse(word[i], "requires TENANTS; set that, or " word[i] "=none")
    if (V["TENANTS.load"] != "all") refuse("TENANTS.load", "requires TENANTS; set that, or TENANTS.load=all")
    return
  }
  n = words("TENANTS.load", word)
  for (t = 1; t <= tenants; t++) {
    if (TENANT_NAME[t] ~ /^(all|alone)$/) refuse("TENANTS", TENANT_NAME[t] ": the name has another meaning in TENANTS.load; rename the file")
    if (TENANT_NAME[t] in seen) refuse("TENANTS", TENANT_NAME[t] " is repeated; write " TENANT_NAME[t] "*2 for twice the instances")
    seen[TENANT_NAME[t]] = 1
  }
  for (i = 1; i <= n; i++) if (word[i] != "all" && !(word[i] in seen)) refuse("TENANTS.load", word[i] ": not a tenant; accepted: alone, or all and names of TENANTS=" V["TENANTS"])
  if (V["GENERATOR"] != "test") refuse("TENANTS", V["GENERATOR"] " does not support it; set GENERATOR=test")
  if (is_cluster()) refuse("TENANTS", "does not support CLUSTER=on; set CLUSTER=off")
  if (is_search_wanted() || V["HIT_RATIO"] != "off") refuse("TENANTS", "conflicts with a search; set RATE, CONNECTIONS and DRAM_RATIO to numbers, and HIT_RATIO=off")
  if (is_on("PROBE_WSS") || V["REPLAY"] != "off" || V["EVENTS"] != "none" || is_on("LOG_LINKS"))
    refuse("TENANTS", "does not support PROBE_WSS, REPLAY, EVENTS and LOG_LINKS; leave them out")
  if (V["TIME"] == 0) refuse("TENANTS", "requires phases of the same time; set TIME")
  if (!is_filled_first()) refuse("TENANTS", "requires PHASES that begin with populate, as each tenant has its own keys; set PHASES=\"populate mixed\"")
  n = words("INSTANCES", word)
  for (i = 1; i <= n; i++)
    if (word[i] + 0 < tenants) refuse("INSTANCES", "fewer than the " tenants " tenants; set at least " tenants ", or fewer TENANTS")
  for (t = 1; t <= tenants; t++)
    for (i = 1; i <= names; i++) {
      key = "tenant:" TENANT_NAME[t] SUBSEP NAME[i]
      text = key in VALUE ? tenants_wrong(key, NAME[i]) : ""
      if (text != "") stop(FROM[key] ": " NAME[i] "=" VALUE[key] ": " text)
    }
  for (t = 1; t <= tenants; t++) {
    tenant_enter(t)
    if (V["KEYS"] == "auto" && V["FILL"] == "guide" && V["KEY_MAX"] == "auto")
      stop(where("TENANTS") ": TENANTS=" V["TENANTS"] ": " TENANT ": no size of its data; set FILL or KEYS in the file of the tenant")
    if (V["MEMORY.low"] != "none" && V["MEMORY.max"] != "none" && size_bytes(V["MEMORY.low"]) > size_bytes(V["MEMORY.max"]))
      stop(where("MEMORY.low") ": MEMORY.low=" V["MEMORY.low"] ": more than MEMORY.max=" V["MEMORY.max"] "; set it to at most that")
    check_load()
    tenant_leave()
  }
}

# What is wrong with the setting NAME of a tenant's file, VALUE[KEY]; empty if nothing is.
function tenants_wrong(key, name) {
  if (!(name in TENANT_IS)) return "all tenants have the same; set it in a scenario or on the command line"
  if (name ~ /^(VALUE_SIZES|KEY_PATTERN)$/ && VALUE[key] ~ / /) return "several values; give a tenant one"
  if (name ~ /^(RATE|CONNECTIONS)$/ && VALUE[key] ~ /search/) return "a tenant has no search; set a number"
  if ((name in VALUES) && VALUES[name] ~ / /) return "conflicts with the points of " name "; leave out one of them"
  return ""
}

function tenants_space() {
  if (is_tenants()) space_more += int(TENANT_SWAP * 5 / 4)
}
