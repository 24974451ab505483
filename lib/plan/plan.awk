# SPDX-License-Identifier: MIT
# The planner: from settings by layer (lib/settings) and facts of the servers to a plan. It calls no host and starts nothing.
# Groups of lines besides those of lib/settings/layers.awk (docs/plan.md):
#   row    lines of plan.tsv; of a resumed run without what is derived, which its own plan.tsv has
#   note   FOUND WANTED FIX: settings without effect
#   doubt  FOUND FIX FILL: fills that may be missed

# `steps NUMBER`: the max steps of a search for a limit in the quick form.
$1 == "steps" { quick_steps = $2 + 0 }

END {
  axes_table()
  mix_table()
  resolve("")
  variants = words("VARIANTS", VARIANT_NAME)
  enter(VARIANT_NAME[1])
  check_run()
  axes_settle()
  sweeps_make()
  check_all()
  points_make()
  cells_make()
  notes_make()
  rows_say()
  settings_say()
  said_print("set", "run change row note doubt")
}

# The variant after another one; the first comes last.
function variant_next(v) {
  return v % variants + 1
}

# Refuse settings of any variant.
function check_all(    v, i, step) {
  for (step = 1; step <= variants; step++) {
    v = variant_next(step)
    enter(VARIANT_NAME[v])
    for (i = 1; i <= combined; i++) {
      enter_point(COMBINED[i])
      check_variant()
    }
  }
  enter(VARIANT_NAME[1])
  parts_checked()
}

# Print settings without effect.
function notes_make(    v, i, p) {
  for (v = 1; v <= variants; v++) {
    enter(VARIANT_NAME[v])
    for (i = 1; i <= combined; i++) {
      enter_point(COMBINED[i])
      notes_variant()
    }
  }
  note_ratio()
  for (p = 1; p <= points; p++)
    for (v = 1; v <= variants; v++) {
      if (KEPT[VARIANT_NAME[v], "REDIS_CONF.maxmemory"] == "default" && !("REDIS_CONF.maxmemory" in VALUES)) continue
      enter(VARIANT_NAME[v])
      enter_point(POINT_VALUES[p])
      note_full(CELL_DATA[v, p])
    }
  notes_unused()
}

# Derive the values of all variants at all points.
function cells_make(    v, p, step) {
  for (step = 1; step <= variants; step++) {
    v = variant_next(step)
    enter(VARIANT_NAME[v])
    for (p = 1; p <= points; p++) {
      enter_point(POINT_VALUES[p])
      if (!RESUME) cell_make(v, p)
    }
  }
}

# What the load of some instances needs at a point: LOAD[keys] per instance, of which phases set LOAD[held]; the bytes of them, LOAD[data] and LOAD[all], of all keys
# LOAD[full], of tables that have just been outgrown LOAD[growing], or with all keys LOAD[outgrown], by the rule of the guide LOAD[rule]; the largest
# size of any phase, LOAD[largest]. LOAD_KNOWN is the source of the bytes.
function load_cell(size, instances,    number, held, sized, largest, data) {
  number = keys_of(size, instances)
  held = keys_set(instances, number)
  data = data_of(size, instances, held)
  # SETs of a later phase may be larger.
  sized = size
  largest = value_sizes_largest(size)
  if (largest + 0 > size + 0 && data_of(largest, instances, held) > data) {
    data = data_of(largest, instances, held)
    sized = largest
  }
  # The shell counts bytes in 63 bits.
  if (data > 2 ^ 59) refuse(V["KEYS"] == "auto" ? "FILL" : "KEYS", "more than 512 PiB of data; set fewer keys, or smaller values")
  LOAD["keys"] = number
  LOAD["held"] = held
  LOAD["data"] = LOAD["all"] = data
  LOAD["full"] = data_of(size, instances, number)
  LOAD["growing"] = outgrown_of(size, instances, held)
  LOAD["outgrown"] = outgrown_of(size, instances, number)
  LOAD["rule"] = int(3 * (size + 32) * held * processes(instances) / 2)
  LOAD_KNOWN = source_of(sized, instances)
  LOAD["largest"] = largest
}

# Derive the values of a point: the columns of plan.tsv after those of the axes, CELL; CELL_DATA, CELL_SECONDS and CELL_SEARCH, for the search of
# keys.
function cell_make(v, p,    size, instances, target) {
  size = V["VALUE_SIZES"]
  instances = V["INSTANCES"] + 0
  if (is_tenants()) tenants_cell(instances)
  else load_cell(size, instances)
  target = is_tenants() ? "" : fill_target()
  CELL[v, p] = places_of(instances) OFS whole(LOAD["keys"]) OFS whole(LOAD["held"]) OFS whole(LOAD["data"]) OFS whole(LOAD["full"]) OFS \
    (target == "" ? "-" : whole(target)) OFS whole(LOAD["rule"]) OFS whole(dram_of(LOAD["data"], LOAD["growing"], instances)) OFS \
    LOAD_KNOWN OFS clients_text(instances)
  if (v == 1 && !is_tenants()) doubts_say(POINT[p], size, instances, target, LOAD["full"], LOAD["outgrown"])
  CELL_MORE[v, p] = whole(LOAD["outgrown"]) OFS tier_spaces(LOAD["all"], instances) OFS client_places() OFS whole(LOAD["largest"]) \
    (is_tenants() ? OFS TENANT_TEXT : "")
  CELL_DATA[v, p] = LOAD["data"]
  CELL_SECONDS[v, p] = seconds_of(LOAD["keys"] * instances, LOAD["data"])
  CELL_SEARCH[v, p] = hit_seconds(LOAD["keys"] * instances)
}

# The clients of a point: CLIENT/FIRST_PORT/INSTANCES/THREADS, separated by blanks.
function clients_text(instances,    i, text) {
  shares_make(instances)
  for (i = 1; i <= clients; i++) text = text (i > 1 ? " " : "") CLIENT[i] "/" SHARE_PORT[i] "/" SHARE[i] "/" threads_of(SHARE[i])
  return text
}

# The seconds of all phases of a repeat: populate sets each key once, also with TIME.
function seconds_of(number, data,    i, n, phase, work, pace, sum) {
  for (i = 1; i <= clients; i++) work += requests_of(SHARE[i])
  if (!work) work = number
  pace = V["RATE"] == 0 || is_rate_searched() ? V["PLAN_OPS"] * 1000 : whole(V["RATE"] * 1000) + 0
  if (pace < 1) pace = 1
  n = words("PHASES", phase)
  for (i = 1; i <= n; i++) {
    if (is_fill(phase[i])) sum += int(number / V["PLAN_OPS"]) + 1
    else sum += int(V["WARMUP"]) + (V["TIME"] == 0 ? int(work * 1000 / pace) : int(V["TIME"])) + 1
  }
  # A probe of the working set needs 24 s, and more of a large server.
  if (is_on("PROBE_WSS")) sum += phases_measured() * (24 + int(data / 10737418240))
  return sum + search_seconds()
}

# The seconds that searches add to a repeat. Measured: 20 to 25 steps for one limit on an idle machine, about 10 for each further limit. For DRAM,
# looks are repeated until the instances have fetched their pages. The master needs about a second between two steps. Each further limit measures the
# phase once more.
function search_seconds(    limits, limit, steps) {
  if (!is_search_wanted()) return 0
  limits = words("LIMITS", limit)
  steps = is_dram_searched() ? 25 + 15 * limits : 15 + 10 * limits
  if (is_on("QUICK") && steps > quick_steps * limits) steps = quick_steps * limits
  return whole(phases_measured() * (steps * (V["SEARCH_TIME"] + 1) + (limits - 1) * V["TIME"])) + 0
}

# The seconds of the search for the keys of a hit ratio: populate, and nine looks; 0 if the variant is not used for it.
function hit_seconds(number) {
  if (V["HIT_RATIO"] == "off" || !is_counted()) return 0
  return whole(number / V["PLAN_OPS"] + 1 + 9 * (V["SEARCH_TIME"] + 1)) + 0
}

# Say the rows: variants alternate within a repeat (A B A B), so that a drift of the machine affects all of them.
function rows_say(    a, p, v, r, line, number, searched, seconds) {
  line = columns_first()
  for (a = 1; a <= axes; a++) line = line OFS axis_column(AXIS[a])
  say("row", line OFS columns_last())
  for (p = 1; p <= points; p++) {
    # The keys of a point are searched once, on the first variant that supports it.
    searched = 0
    enter_point(POINT_VALUES[p])
    for (r = 1; r <= (is_tenant_alone() ? 1 : rounds_most); r++)
      for (v = 1; v <= variants; v++) {
        seconds = CELL_SECONDS[v, p]
        if (!searched && CELL_SEARCH[v, p] > 0) {
          searched = 1
          seconds += CELL_SEARCH[v, p]
        }
        say("row", ++number OFS VARIANT_NAME[v] OFS POINT[p] OFS r OFS (r <= rounds_least ? "yes" : "maybe") OFS \
          (POINT_TOLD[p] == "" ? "-" : POINT_TOLD[p]) OFS POINT_VALUES[p] OFS CELL[v, p] OFS whole(seconds) OFS CELL_MORE[v, p])
      }
  }
}
