# SPDX-License-Identifier: MIT
# TENANTS: groups of instances, each with its own load and data, whose settings are those of its file on top of the others (docs/scenarios/tenants.md).

BEGIN {
  # What a tenant may set; all other settings are those of the run.
  tenant_may = split("WORKLOAD VALUE_SIZES VALUE_DISTRIBUTION EXPIRE KEY_PATTERN KEY_PATTERN.scramble KEY_PATTERN.shift KEY_PREFIX POPULATE_PATTERN DATA" \
    " RATIO COMMANDS CONNECTIONS PIPELINE RATE ARRIVAL FILL KEYS KEY_MIN KEY_MAX VERIFY MEMORY.max MEMORY.high MEMORY.low", TENANT_MAY, " ")
  for (i = 1; i <= tenant_may; i++) TENANT_IS[TENANT_MAY[i]] = 1
}

function is_tenants() {
  return V["TENANTS"] != "none"
}

# Read TENANTS: TENANT_NAME and TENANT_WEIGHT, 1..tenants.
function tenants_read(    i, word, part) {
  tenants = is_tenants() ? words("TENANTS", word) : 0
  for (i = 1; i <= tenants; i++) {
    TENANT_WEIGHT[i] = split(word[i], part, "*") > 1 ? part[2] + 0 : 1
    TENANT_NAME[i] = part[1]
  }
}

# Put the settings of tenant T in force, on top of those of a variant and a point; tenant_leave ends that.
function tenant_enter(t,    i, name) {
  TENANT = TENANT_NAME[t]
  split("", TENANT_POINTED)
  for (i = 1; i <= tenant_may; i++) {
    name = TENANT_MAY[i]
    TENANT_KEPT[name] = V[name]
    if (name in POINTED) TENANT_POINTED[name] = POINTED[name]
    if (!(("tenant:" TENANT, name) in VALUE) && name !~ /^(KEYS|FILL|KEY_MAX)$/) continue
    if (("tenant:" TENANT, name) in VALUE) delete POINTED[name]
    if (!(name in POINTED)) V[name] = VALUE[layer_key(layer_of(name)), name]
  }
  value_sizes_settle()
  V["VALUE_SIZES"] = whole(size_bytes(V["VALUE_SIZES"]))
  keys_settle()
}

function tenant_leave(    i, name) {
  for (i = 1; i <= tenant_may; i++) V[TENANT_MAY[i]] = TENANT_KEPT[TENANT_MAY[i]]
  for (name in TENANT_POINTED) POINTED[name] = TENANT_POINTED[name]
  TENANT = ""
}

# Say what the tenants of the variant change.
function tenants_describe(    t, i, name, value) {
  tenants_read()
  for (t = 1; t <= tenants; t++) {
    tenant_enter(t)
    for (i = 1; i <= tenant_may; i++) {
      name = TENANT_MAY[i]
      if (name in V && V[name] "" != TENANT_KEPT[name] "") setting_say(VARIANT, "+" TENANT, name)
    }
    tenant_leave()
  }
}

# The points of TENANTS.load=alone: all tenants, and each alone.
function tenants_axis(    i, text) {
  if (V["TENANTS.load"] == "alone") {
    tenants_read()
    text = "all"
    for (i = 1; i <= tenants; i++) text = text " " TENANT_NAME[i]
    V["TENANTS.load"] = text
  }
  axis_list("TENANTS.load")
}
