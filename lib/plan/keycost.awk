# SPDX-License-Identifier: MIT
# The memory of keys in one Redis instance, and how many keys fit: bytes(KEYS) = base + the bytes of the keys + the tables of dicts. Functions only.
#
# conf/keycost.tsv has a row for each server whose strings were measured; cost_table reads it. What it lacks was measured before; cost_row takes it.
# The form of keys is their value size in bytes, with +ttl if strings have a time to live, and with +cluster. Rows of a measured form, by word:
#   base BYTES            no key
#   cost DIGITS BYTES     a key whose number has DIGITS digits; 3 means three or fewer. The name of a key is part of its cost.
#   table 1               (default) the tables of Redis, slots of 8 bytes; their number is the next power of two
#   table 2               those of Redis since 8.2: also 16 bytes for each key that finds its slot used
#   table 7               those of Valkey since 8.1, buckets of 64 bytes for 7 keys each, their number a power of two; an 8th key gets another bucket,
#                         with room for 6 more
#   table 0               other ones, taken for those of Redis
#   slot BYTES            each slot of a cluster that has keys has its own tables, as since Redis 7.4, and they take BYTES without a key
#   backlog BYTES         the most that an instance with replicas keeps of its writes (default 1 MiB)
#   ring BYTES            instead: it takes all of that before any write
# Times to live are in a second table.
#
# Globals of the caller:
#   COST_KINDS, COST_VALUES   the keys of different kinds per key number, and the values in all of them; 1 and 1 for strings
#   COST_PREFIX               the bytes of a name before its number
#   COST_DATA                 the content of values: `pattern`, `random`; other content has no numbers
#   COST_INSTANCES            instances of the point, which share the slots of a cluster (default 1), and COST_REPLICAS, the replicas of each

# Read the row of a server. Usage: cost_table(FILE, "SERVER VERSION QUANTUM")
# Returns 1, or 0 if the table has no such row; the earlier row then stays.
function cost_table(file, server,    line, value, i, n, found) {
  while ((getline line <file) > 0) {
    if (line ~ /^#/) continue
    n = split(line, value, "\t")
    if (value[1] == "server") for (i = 1; i <= n; i++) COST_NAME[i] = value[i]
    if (value[1] " " value[2] " " value[3] != server) continue
    for (i = 1; i <= n; i++) COST[COST_NAME[i]] = value[i]
    found = 1
  }
  close(file)
  return found + 0
}

# Take one row of a measured form. Usage: cost_row(FORM, WORD, FIRST, SECOND)
function cost_row(form, word, first, second) {
  if (word == "base") COST_BASE[form] = first + 0
  else if (word == "cost") { COST_EACH[form, first + 0] = second + 0; COST_TOP[form] = first + 0 }
  else if (word == "slot") COST_SLOT[form] = first + 0
  else if (word == "table") COST_TABLE[form] = first + 0
  else if (word == "backlog") COST_KEPT[form] = first + 0
  else if (word == "ring") COST_RING[form] = first + 0
}

# Make the rows of a form that was not measured, from the table.
function cost_known(form) {
  if (form in COST_BASE) return
  COST_BASE[form] = COST[cost_clustered(form) ? "cluster" : "base"] + 0
  COST_TABLE[form] = COST["tables"] + 0
  COST_KEPT[form] = COST["backlog"] + 0
  if (cost_clustered(form) && COST["slot"] > 0) COST_SLOT[form] = COST[cost_timed(form) ? "slot_ttl" : "slot"] + 0
}

# The bytes of a key whose number has DIGITS digits. Of a cluster, its name has a tag of five bytes.
function cost_key(form, digits,    id) {
  if (form in COST_TOP) return COST_EACH[form, (form, digits) in COST_EACH ? digits : COST_TOP[form]]
  id = digits " " cost_id()
  if (!((form, id) in COST_EACH)) COST_EACH[form, id] = cost_string(form, COST_PREFIX + digits + (cost_clustered(form) ? 5 : 0))
  return COST_EACH[form, id]
}

# All of the load that a key's bytes depend on, beside its form.
function cost_id() {
  return COST_KINDS " " COST_VALUES " " COST_PREFIX " " COST_DATA " " COST_INSTANCES
}

# The size of an allocation of n bytes by jemalloc: steps of its quantum, then four steps per doubling. Since 5.3.1 (quantum `8p` or `16p`), sizes above
# 16 KiB are whole pages.
function cost_class(n,    step) {
  if (n <= 8) return n > 0 ? 8 : 0
  step = COST["quantum"] ~ /^8/ ? 8 : 16
  if (n > 16384 && COST["quantum"] ~ /p/) step = 4096
  else while (step * 8 < n) step *= 2
  return int((n + step - 1) / step) * step
}

# The bytes before a text of n bytes in memory.
function cost_header(n) {
  return n < 32 ? 1 : n < 256 ? 3 : n < 65536 ? 5 : 9
}

# The bytes of a text of n bytes in memory.
function cost_text(n) {
  return n + 1 + cost_header(n)
}

# The share of values of n bytes that are numbers, which a server stores in fewer bytes. The pattern is the same for all keys of an instance: instance
# i has the characters from i on, of 75 that begin with 0123456789.
function cost_numbers(n,    i, instances, sum) {
  if (COST_DATA == "random") return n == 1 ? 10 / 256 : 0
  if (COST_DATA != "pattern" || n > 9) return 0
  instances = COST_INSTANCES > 1 ? COST_INSTANCES : 1
  for (i = 0; i < instances; i++) if (i % 75 + n <= 10 && (n == 1 || i % 75 > 0)) sum++
  return sum / instances
}

# The bytes of a string of this form whose name has n bytes: the entry of a dict, the name, the object with or without its value, the time to live.
# The name has its own allocation, or is in the entry, or in the object.
function cost_string(form, n,    size, timed, entry, sum, front, bare, inside, number) {
  size = form + 0
  timed = cost_timed(form)
  entry = COST["entry"] + (cost_clustered(form) ? COST["links"] : 0)
  if (COST["key"] == "own") sum = cost_class(cost_text(n)) + cost_class(entry)
  else if (COST["key"] == "entry") sum = cost_class(entry + cost_text(n))
  else {
    sum = cost_class(entry)
    inside = cost_text(n) + (timed ? COST["ttl_object"] : 0)
  }
  if (timed) sum += cost_class(COST["ttl"] + 0)
  # A small value is in its object, with a header of three bytes. Such an object is not smaller than others.
  front = COST["small"] + inside + size + 4
  bare = COST["raw"] + inside
  number = COST["numbers"] == "shared" && size <= 4 ? 0 : cost_class(bare)
  if (front > COST["whole"] + 0) front = cost_class(bare) + cost_class(cost_text(size))
  else front = cost_class(front > bare ? front : bare)
  return COST_VALUES * (front + cost_numbers(size) * (number - front)) + COST_KINDS * sum
}

# Whether each key number has a key with a time to live, and whether keys are those of a cluster.
function cost_timed(form) { return form ~ /\+ttl/ }
function cost_clustered(form) { return form ~ /\+cluster/ }

# The number of entries that the table for this many has before it grows.
function cost_capacity(entries, each,    full) {
  for (full = each > 1 ? each : 4; full < entries; full *= 2) ;
  return full
}

# The buckets of a chain for N keys, beside the first one: of a full bucket, the 7th place points to the next bucket.
function cost_chained(entries, buckets,    n, p, sum) {
  if (buckets == 1) return entries > 7 ? int((entries - 2) / 6) : 0
  # How many buckets have n keys, by the binomial distribution.
  p = buckets * exp(entries * log(1 - 1 / buckets))
  for (n = 0; n < 64 && n <= entries; n++) {
    if (n > 7) sum += p * int((n - 2) / 6)
    p *= (entries - n) / (n + 1) / (buckets - 1)
  }
  return sum + 0
}

# The bytes of a table with this many entries.
function cost_table_of(form, entries,    each, full, sum) {
  each = cost_full(form)
  full = cost_capacity(entries, each)
  if (each == 7) return 64 * (full / 7 + cost_chained(entries, full / 7))
  sum = 8 * full
  return COST_TABLE[form] == 2 ? sum + cost_class(16) * (entries - full * (1 - exp(entries * log(1 - 1 / full)))) : sum
}

# The entries per bucket.
function cost_full(form) {
  return COST_TABLE[form] == 7 ? 7 : 1
}

# The bytes by which the tables of all slots exceed their smallest size; keys are spread evenly, EACH is their number per key number.
function cost_spread(form, keys, each,    slots, full, more, least) {
  slots = cost_slots()
  full = int(keys / slots)
  more = keys - full * slots
  least = cost_table_of(form, 1)
  return (slots - more) * (cost_table_of(form, full * each) - least) + more * (cost_table_of(form, (full + 1) * each) - least)
}

# The bytes of all tables. The load generator's marker is an additional key, without a time to live.
function cost_tables(form, keys,    slots) {
  if (form in COST_SLOT) {
    slots = cost_slots()
    slots = COST_SLOT[form] * (keys < slots ? keys : slots)
    return slots + cost_spread(form, keys, COST_KINDS) + (cost_timed(form) ? cost_spread(form, keys, 1) : 0)
  }
  return cost_table_of(form, keys * COST_KINDS + 1) + (cost_timed(form) ? cost_table_of(form, keys) : 0)
}

# The bytes of the table that this many entries have outgrown, while it may not yet be empty: each SET moves the keys of one slot or bucket to the new
# one, and passes empty slots. Of full tables, exp(-1) of the slots and exp(-7) of the buckets are empty.
function cost_outgrown(form, entries,    each, old) {
  each = cost_full(form)
  old = cost_capacity(entries, each) / 2
  if (old < 4 * each || entries > old + (each == 1 ? 0.66 * old : old / 7 + 1)) return 0
  return cost_table_of(form, old)
}

# The bytes of outgrown tables that may not yet be empty when KEYS keys have just been set. The tables of slots are small, and soon empty.
function cost_moving(form, keys) {
  cost_known(form)
  if (form in COST_SLOT) return 0
  return cost_outgrown(form, keys * COST_KINDS + 1) + (cost_timed(form) ? cost_outgrown(form, keys) : 0)
}

# The bytes of a word in a command.
function cost_word(n) {
  return n + length(n "") + 5
}

# The bytes of the commands that set the keys of a number, as replicas get them: a SET names the time at which its key expires.
function cost_sent(form, digits) {
  return COST_KINDS * (13 + cost_word(COST_PREFIX + digits + 5)) + COST_VALUES * cost_word(form + 0) + cost_timed(form) * (cost_word(4) + cost_word(13))
}

# The bytes that an instance with replicas keeps of these commands, in blocks of 20 KiB; before Redis 7, it has all of them from the start.
function cost_backlog(form, written,    most) {
  if (form in COST_RING) return COST_RING[form]
  most = form in COST_KEPT ? COST_KEPT[form] : 1048576
  return 20504 * (int((written < most ? written : most) / 20440) + 1)
}

# The bytes for the other nodes of a cluster: what is known of each, and its links. Without replicas, an instance runs fewer commands than the scratch
# instance, and a histogram of 25 kB for one of them is missing.
function cost_nodes(    nodes) {
  nodes = (COST_INSTANCES > 1 ? COST_INSTANCES : 1) * (1 + COST_REPLICAS)
  return nodes > 1 ? 5000 * (nodes - 1) - (COST_REPLICAS ? 0 : 25000) : 0
}

# The slots of a cluster in an instance.
function cost_slots() {
  return COST_INSTANCES > 1 ? int(16384 / COST_INSTANCES) : 16384
}

# The bytes of KEYS keys.
function cost_bytes(form, keys,    sum, from, to, digits, written) {
  cost_known(form)
  sum = COST_BASE[form] + cost_tables(form, keys)
  for (digits = 3; from < keys; digits++) {
    to = 10 ^ digits < keys ? 10 ^ digits : keys
    sum += (to - from) * cost_key(form, digits)
    written += (to - from) * cost_sent(form, digits)
    from = to
  }
  return sum + (cost_clustered(form) ? cost_nodes() : 0) + (COST_REPLICAS ? cost_backlog(form, written) : 0)
}

# The number of keys whose bytes are closest to TARGET, not at the edge of a table that would grow. cost_bytes() grows with every key, so bisection
# finds the last number that fits; the next number may be nearer to the target.
function cost_keys(form, target,    low, high, middle) {
  high = 2 ^ 45
  while (high - low > 1) {
    middle = int((low + high) / 2)
    if (cost_bytes(form, middle) <= target) low = middle
    else high = middle
  }
  return cost_inside(form, target - cost_bytes(form, low) <= cost_bytes(form, low + 1) - target ? low : low + 1, target)
}

# The number of keys; 0.2 % fewer or more if a few keys decide whether a table grows.
function cost_inside(form, keys, target,    each, edge, width, low, high) {
  if (form in COST_SLOT) return keys
  each = cost_full(form)
  edge = cost_capacity(keys * COST_KINDS + 1, each)
  # It may be a little above the end of the smaller table.
  if (keys * COST_KINDS < 0.75 * edge) edge /= 2
  width = 1 + int(edge / 500)
  if (edge < 64 * each || keys * COST_KINDS + 1 < edge - width || keys * COST_KINDS > edge + width) return keys
  low = int((edge - width - 1) / COST_KINDS)
  high = int((edge + width) / COST_KINDS) + 1
  return target - cost_bytes(form, low) <= cost_bytes(form, high) - target ? low : high
}
