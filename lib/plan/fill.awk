# SPDX-License-Identifier: MIT
# How many keys fill the requested memory, the bytes they take, and the limits of memory that follow; lib/plan/keycost.awk knows the cost of a key.

# `cost FORM ROW...`: the cost of keys that was measured. `redis ROW known|assumed`: the row of conf/keycost.tsv.
$1 == "cost" {
  cost_row($2, $3, $4, $5)
  if ($3 == "base") MEASURED[$2] = 1
}
$1 == "redis" {
  is_redis_known = cost_table(ROOT "/conf/keycost.tsv", $2) && $3 == "known"
}

# The keys per instance that settings name, or auto.
function keys_named() {
  if (V["KEY_MAX"] == "auto" || keys_apart()) return V["KEYS"]
  return V["KEY_MAX"] - V["KEY_MIN"] + 1
}

# The form of the keys with values of a size (lib/plan/keycost.awk), which becomes that of the questions to it.
function form_of(size, instances) {
  mix_read()
  COST_KINDS = MIX_KEYS
  COST_VALUES = MIX_VALUES
  COST_PREFIX = V["KEY_PREFIX"] == "off" ? 0 : length(V["KEY_PREFIX"])
  COST_DATA = V["DATA"]
  COST_INSTANCES = instances
  COST_REPLICAS = is_cluster() ? V["REPLICAS"] + 0 : 0
  return size (V["EXPIRE"] != "off" && MIX_STRINGS ? "+ttl" : "") (is_cluster() ? "+cluster" : "")
}

# The source of the expected bytes: `asked` of Redis by samples, the `table` of known servers, or `estimated`. The table has strings of one size, in
# instances without settings that change what they need themselves.
function source_of(size, instances) {
  if (form_of(size, instances) in MEASURED) return "asked"
  return is_redis_known && value_sizes_first() == "" && is_usual() && V["SERVER_PREFIX"] == "" && V["IO_THREADS"] == 1 && MIX_STRINGS && \
    MIX_KEYS == 1 && MIX_VALUES == 1 ? "table" : "estimated"
}

# The answer of lib/plan/keycost.awk to a question about keys of a size: most points ask what others have asked.
function cost_of(what, size, instances, number,    form_asked, question) {
  form_asked = form_of(size, instances)
  question = what " " form_asked " " cost_id() " " COST_REPLICAS " " number
  if (!(question in COST_SAID)) {
    if (what == "keys") COST_SAID[question] = cost_keys(form_asked, number)
    else if (what == "bytes") COST_SAID[question] = cost_bytes(form_asked, number)
    else COST_SAID[question] = cost_moving(form_asked, number)
  }
  return COST_SAID[question]
}

# The bytes of a server's memory that must stay free.
function reserve_of(total,    tenth) {
  if (V["RESERVE"] != "auto") return size_bytes(V["RESERVE"])
  tenth = int(total / 10)
  return tenth < 8589934592 ? tenth : 8589934592
}

# The used_memory, in bytes over all instances, that FILL requests; empty if FILL does not name one. A percentage is of the usable memory: the
# server's memory minus the reserve. Each of several servers has as much as the smallest.
function fill_target(    least) {
  if (keys_named() != "auto" || V["FILL"] == "guide") return ""
  if (V["FILL"] !~ /%$/) return size_bytes(V["FILL"])
  least = facts_least("mem_bytes")
  return int((least - reserve_of(least)) * (V["FILL"] + 0) / 100) * servers
}

# Keys per instance by the formula of the 2018 guide: 8 GB reserved, 90 % of the rest, a key counted as 110 % of its value, rounded down to 10,000
# keys, divided by the instances. All integer arithmetic, in this order.
function keys_guide(size, instances,    all) {
  all = int(int((V["SERVER_MEM"] - 8) * 1073741824 * 90 / 110) / size)
  return int(int(all / 10000) * 10000 / instances)
}

# The keys per instance.
function keys_of(size, instances,    all, out) {
  # A replica uses as much memory as its master.
  all = processes(instances)
  out = keys_named()
  if (out == "auto" && V["FILL"] == "guide") {
    # Of several servers, each has its part of the instances.
    if (servers > 1) all = int((all + servers - 1) / servers)
    out = keys_guide(size, all)
    if (out <= 0)
      refuse("FILL", "too small: the guide's formula leaves no key of " size " B for " all " instances in " V["SERVER_MEM"] " GiB" \
        memory_limit_text(SERVER[1]) "; set KEYS or a size")
  } else if (out == "auto") {
    out = cost_of("keys", size, instances, int(fill_target() / all))
    if (out <= 0) refuse("FILL", "too small; " all " instances need room for at least one key of " size " B each")
  }
  if (keys_apart() && V["KEY_MAX"] + 0 >= out + 0)
    refuse("KEY_MAX", "populate sets only the keys 0.." whole(out - 1) "; set a lower KEY_MAX, or more KEYS")
  return out + 0
}

# Whether no directive of the user may change what an instance needs itself.
function is_usual(    i) {
  for (i = listed_names + 1; i <= names; i++) if (V[NAME[i]] != "default") return 0
  return 1
}

# The max used_memory of an instance; 0: no limit.
function data_limit() {
  return V["REDIS_CONF.maxmemory"] == "default" ? 0 : size_bytes(V["REDIS_CONF.maxmemory"])
}

# Whether Redis evicts keys at maxmemory. Else it refuses writes.
function is_evicting(    policy) {
  policy = V["REDIS_CONF.maxmemory-policy"]
  return policy ~ /^allkeys-/ || (policy ~ /^volatile-/ && V["EXPIRE"] != "off")
}

# The expected used_memory of Redis, in bytes over all instances, for a number of keys per instance.
function data_of(size, instances, number,    each) {
  each = cost_of("bytes", size, instances, number)
  each = whole(each) + 0
  if (data_limit() && is_evicting() && data_limit() < each) each = data_limit()
  return each * processes(instances)
}

# The bytes of outgrown tables, over all instances, that may be in use in addition when the keys have just been set.
function outgrown_of(size, instances, number) {
  return whole(cost_of("moving", size, instances, number)) * processes(instances)
}

# The keys in an instance after all phases: all of them, unless the phases send too few SETs; with KEY_PATTERN=latest also the added keys, if their
# number is known.
function keys_set(instances, number,    i, n, phase, each, held, added, sent_number, ratio, sets, gets) {
  shares_make(instances)
  for (i = 1; i <= clients; i++) {
    sent_number = requests_of(SHARE[i])
    if (each * SHARE[i] < sent_number) each = int((sent_number + SHARE[i] - 1) / SHARE[i])
  }
  # For TIME, or one request per key.
  if (!each) each = number
  n = words("PHASES", phase)
  for (i = 1; i <= n; i++) {
    if (is_fill(phase[i]) || phase[i] == "replay") held = number
    if (phase[i] == "set") held += each
    if (phase[i] != "mixed") continue
    mix_read()
    split(V["RATIO"], ratio, ":")
    sets = V["COMMANDS"] == "off" ? ratio[1] + 0 : MIX_SETS
    gets = V["COMMANDS"] == "off" ? ratio[2] + 0 : MIX_OTHERS
    if (has_word("KEY_PATTERN", "latest")) {
      # Each SET adds a key. The number of requests of a closed loop in TIME is not known before.
      sent_number = V["TIME"] == 0 ? each : whole(rate_requests(V["TIME"]) / instances)
      added += int(sent_number * sets / (sets + gets))
    } else if (sets) held = V["TIME"] == 0 ? held + int((each * sets - 1) / (sets + gets)) + 1 : number
  }
  return (held < number ? held + 0 : number) + added
}

# Whether a search varies the share of DRAM: of a limited tier, or of one that divides data between near and far nodes.
function is_dram_searched() {
  return V["DRAM_RATIO"] == "search" && tier_is("limited divided")
}

# The DRAM limit in bytes of processes with some data; 0: not limited. A process needs 4 MiB in addition to its data.
function tier_limit(data, number,    ratio) {
  if (!tier_is("limited")) return 0
  # A search begins with all data in DRAM, plus space for memory that Redis does not count.
  if (V["DRAM_RATIO"] == "search") return int(data * 5 / 4) + 67108864 + number * 4194304
  split(V["DRAM_RATIO"], ratio, ":")
  return int(data * ratio[1] / ratio[2]) + number * 4194304
}

# The bytes of a server's memory that the data take. Unless swap is on a disk, all data stay in memory, compressed or not. A limit of the tier holds while tables
# grow, too.
function dram_of(data, growing, instances,    most, part_bytes) {
  most = spread_most(instances)
  part_bytes = spread_part(data, instances, most)
  if (tier_is("disk") && V["DRAM_RATIO"] != "search") return tier_limit(part_bytes, most)
  return spread_part(data + growing, instances, most)
}

# The limits of DRAM, and the swap of the tier, of each server, separated by `|`; `-` without a limit. Swap is for all data that do not fit into DRAM,
# plus a quarter for memory that Redis does not count. A search may leave nearly no data in DRAM.
function tier_spaces(data, instances,    i, number, part_bytes, limit, least, limits_text, spaces_text) {
  if (!tier_is("limited")) return "-\t-"
  for (i = 1; i <= servers; i++) {
    number = spread_count(i, instances)
    part_bytes = spread_part(data, instances, number)
    limit = tier_limit(part_bytes, number)
    least = V["DRAM_RATIO"] == "search" ? 0 : limit < part_bytes ? limit : part_bytes
    limits_text = limits_text (i > 1 ? "|" : "") whole(limit)
    # What parts need in swap beside the data: they add it to space_more.
    space_of = part_bytes
    space_more = 0
    parts_space()
    spaces_text = spaces_text (i > 1 ? "|" : "") whole(int((part_bytes - least) * 5 / 4) + 67108864 + space_more)
  }
  return limits_text "\t" spaces_text
}

# Say why the used_memory of a point may be more than 1 % off FILL. A table that doubles, or a value that is large compared
# with the target, makes some fill targets impossible.
function doubts_say(point, size, instances, target, full, growing,    gap) {
  if (target == "") return
  gap = fill_gap(target, full)
  if (gap != "") say("doubt", gap " for " point OFS "another FILL: no number of keys comes nearer (docs/tiers.md)" OFS V["FILL"])
  gap = growing ? fill_gap(target, full + growing) : ""
  if (gap != "")
    say("doubt", "up to " gap " for " point " after the keys are set, until requests have emptied an outgrown table" OFS \
      "another FILL, or a phase of GETs before the one to compare" OFS V["FILL"])
  size = form_of(size, instances)
  if (COST_TABLE[size] "" == "0")
    say("doubt", "unknown for " point ": the tables of this server are neither those of Redis nor those of Valkey" OFS \
      "KEYS, and compare used_memory with the plan" OFS V["FILL"])
}

# The distance of a fill from its target, if it is more than 1 %.
function fill_gap(target, full,    off) {
  off = 100 * (full / target - 1)
  return off > 1 || off < -1 ? sprintf("%+.1f %%", off) : ""
}
