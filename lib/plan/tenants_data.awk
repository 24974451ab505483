# SPDX-License-Identifier: MIT
# TENANTS: the instances and the data of each tenant.

# Whether a tenant is loaded at the current point.
function is_tenant_loaded(name) {
  return V["TENANTS.load"] == "all" || V["TENANTS.load"] == name
}

# Whether the current point is that of a tenant alone, which other points are compared with: it is measured once.
function is_tenant_alone() {
  return is_tenants() && V["TENANTS.load"] != "all" && (" " VALUES["TENANTS.load"] " ") ~ / all /
}

# Divide the instances: each tenant has one, and the next goes to the tenant with the fewest for its weight. TENANT_COUNT, and TENANT_FIRST from 0.
function tenants_divide(instances,    i, left, best) {
  for (i = 1; i <= tenants; i++) TENANT_COUNT[i] = 1
  for (left = instances - tenants; left > 0; left--) {
    best = 1
    for (i = 2; i <= tenants; i++) if (TENANT_COUNT[i] / TENANT_WEIGHT[i] < TENANT_COUNT[best] / TENANT_WEIGHT[best]) best = i
    TENANT_COUNT[best]++
  }
  for (i = 1; i <= tenants; i++) TENANT_FIRST[i] = i == 1 ? 0 : TENANT_FIRST[i - 1] + TENANT_COUNT[i - 1]
}

# The setting with the lowest limit of the tenant: over MEMORY.high the kernel reclaims, too. Empty without one.
function tenant_bound() {
  if (V["MEMORY.high"] == "none") return V["MEMORY.max"] == "none" ? "" : "MEMORY.max"
  return V["MEMORY.max"] == "none" || size_bytes(V["MEMORY.high"]) < size_bytes(V["MEMORY.max"]) ? "MEMORY.high" : "MEMORY.max"
}

# The keys and bytes of each tenant at a point: TENANT_TEXT, its column in plan.tsv, NAME/FIRST/INSTANCES/KEYS/SIZE/BYTES for each, with KEYS 0 of
# one that is not loaded; LOAD_..., the sums of those that are loaded; and the bytes of all, TENANT_DATA.
function tenants_cell(instances,    t, sum, name, loaded, known, bound, limit) {
  tenants_read()
  tenants_divide(instances)
  TENANT_TEXT = ""
  TENANT_DATA = TENANT_SWAP = 0
  for (t = 1; t <= tenants; t++) {
    tenant_enter(t)
    load_cell(V["VALUE_SIZES"], TENANT_COUNT[t])
    loaded = is_tenant_loaded(TENANT)
    TENANT_DATA += LOAD["data"]
    TENANT_TEXT = TENANT_TEXT (t > 1 ? " " : "") TENANT "/" TENANT_FIRST[t] "/" TENANT_COUNT[t] "/" (loaded ? whole(LOAD["keys"]) : 0) "/" \
      V["VALUE_SIZES"] "/" whole(LOAD["data"])
    if (!loaded) sum["data"] += data_of(V["VALUE_SIZES"], TENANT_COUNT[t], 0)
    else {
      for (name in LOAD) sum[name] += name ~ /^(keys|held)$/ ? LOAD[name] * TENANT_COUNT[t] : LOAD[name]
      known = known == "" || known == LOAD_KNOWN ? LOAD_KNOWN : "estimated"
      if (LOAD["largest"] + 0 > sum["most"] + 0) sum["most"] = LOAD["largest"]
    }
    bound = tenant_bound()
    limit = bound == "" ? 0 : size_bytes(V[bound])
    # An instance needs 4 MiB in addition to its data.
    if (limit && limit < LOAD["data"] + TENANT_COUNT[t] * 4194304) {
      if (!tier_is("limited"))
        stop(where(bound) ": " bound "=" V[bound] ": less than the " int((LOAD["data"] + TENANT_COUNT[t] * 4194304) / 1048576) + 1 " MiB of " TENANT \
          ", and the variant " VARIANT " has no swap; set at least that, or a variant with a tier " tiers_with("Is", "limited"))
      TENANT_SWAP += LOAD["data"] + TENANT_COUNT[t] * 4194304 - limit
    }
    tenant_leave()
  }
  for (name in LOAD) LOAD[name] = sum[name]
  # A tenant that is alone has the DRAM of all.
  LOAD["all"] = TENANT_DATA
  LOAD["keys"] = int(LOAD["keys"] / instances)
  LOAD["held"] = int(LOAD["held"] / instances)
  LOAD["largest"] = sum["most"]
  LOAD_KNOWN = known
}
