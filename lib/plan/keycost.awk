# SPDX-License-Identifier: MIT
# The memory of keys in one Redis instance, and how many keys fit: bytes(KEYS) = base + the bytes of the keys + the tables of dicts.
# Each input line begins with the form of the keys: the value size in bytes, with +ttl if strings have a time to live, and with +cluster.
# Lines of a model, tab-separated: `base BYTES` (no key), `cost DIGITS BYTES` (a key whose number has DIGITS digits; 3 means three or fewer). The name
# of a key is part of its cost. `table 1` (default): the tables of Redis, slots of 8 bytes; their number is the next power of two. `table 7`: those of
# Valkey since 8.1, buckets of 64 bytes for 7 keys each, their number a power of two; an 8th key gets another bucket, with room for 6 more. `table 0`:
# other ones, taken for those of Redis. Times to live are in a second table. `slot BYTES`: each slot of a cluster that has keys has its own tables, as
# since Redis 7.4, and they take BYTES without a key. `backlog BYTES`: the most that an instance with replicas keeps of its writes (default 1 MiB);
# `ring BYTES` instead: it takes all of that before any write.
# Environment: KINDS, the number of keys of different kinds per key number, VALUES, the number of values in all of them (default 1), and PREFIX, the bytes
# of a name before its number.
# With DO=fit in the environment: print a model from samples, lines `sample DIGITS KEYS USED_MEMORY`, the last two with the most digits. For the kind
# of table also a line `table`, or three lines `step KEYS USED_MEMORY` with equal distances, and a table of either kind growing between them; for a cluster four lines
# `slots KEYS USED_MEMORY`, with keys in half of the 16384 slots, one key in each, two, and six.
# Else: answer the questions that follow the lines of models. A form without a model is estimated from jemalloc's size classes and Redis 7's
# structures. Each output line is a question and its answer:
#   ask	keys FORM TARGET [SLOTS REPLICAS]    the number of keys whose bytes are closest to TARGET, not at the edge of a table that would grow
#   ask	bytes FORM KEYS [SLOTS REPLICAS]     the bytes of KEYS keys; the instance has SLOTS of a cluster (default: all) and REPLICAS (default: 0)
#   ask	moving FORM KEYS [SLOTS REPLICAS]    the bytes of outgrown tables that may not yet be empty when KEYS keys have just been set

# The size of an allocation of n bytes: steps of 16 up to 128, then four steps per doubling.
function class(n,    step) {
  if (n <= 8) return 8
  for (step = 16; step * 8 < n; step *= 2) ;
  return int((n + step - 1) / step) * step
}

# The bytes before a text of n bytes in memory.
function header(n) {
  return n < 256 ? 3 : n < 65536 ? 5 : 9
}

# A cluster's keys have a tag of five bytes and two links to other keys of their slot; its tables of slots take 770 kB.
function estimate(form,    size, cluster, value, entry, digits, name) {
  size = form + 0
  cluster = form ~ /\+cluster/
  # Up to 44 bytes are stored together with their object of 16; longer values have a separate header of 3, 5 or 9 bytes.
  value = size <= 44 ? class(16 + 3 + size + 1) : 16 + class(size + 1 + header(size))
  entry = class(cluster ? 40 : 24)
  base[form] = 1000000 + (cluster ? 770000 : 0)
  for (digits = 3; digits <= 15; digits++) {
    name = prefix + digits + (cluster ? 5 : 0)
    # A name of up to 31 bytes has a header of one byte.
    cost[form, digits] = values * value + kinds * (entry + class(name + 1 + (name < 32 ? 1 : header(name)))) + timed(form) * class(24)
  }
  top[form] = 15
  kind[form] = 1
}

# Whether each key number has a key with a time to live.
function timed(form) {
  return form ~ /\+ttl/
}

# The number of entries that the table for this many has before it grows.
function capacity(entries, each,    full) {
  for (full = each > 1 ? each : 4; full < entries; full *= 2) ;
  return full
}

# The buckets of a chain for N keys, beside the first one: of a full bucket, the 7th place points to the next bucket.
function chained(entries, buckets,    n, p, sum) {
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
function table(form, entries,    each, full) {
  each = full_of(form)
  full = capacity(entries, each)
  return each == 1 ? 8 * full : 64 * (full / 7 + chained(entries, full / 7))
}

# The entries per bucket.
function full_of(form) {
  return kind[form] == 7 ? 7 : 1
}

# The bytes by which the tables of all slots exceed their smallest size; keys are spread evenly, EACH is their number per key number.
function spread(form, keys, each,    full, more, least) {
  full = int(keys / slots)
  more = keys - full * slots
  least = table(form, 1)
  return (slots - more) * (table(form, full * each) - least) + more * (table(form, (full + 1) * each) - least)
}

# The load generator's marker is an additional key, without a time to live.
function tables(form, keys) {
  if (form in slot) return slot[form] * (keys < slots ? keys : slots) + spread(form, keys, kinds) + (timed(form) ? spread(form, keys, 1) : 0)
  return table(form, keys * kinds + 1) + (timed(form) ? table(form, keys) : 0)
}

# The bytes of the table that this many entries have outgrown, while it may not yet be empty: each SET moves the keys of one slot or bucket to the new
# one, and passes empty slots. Of full tables, exp(-1) of the slots and exp(-7) of the buckets are empty.
function outgrown(form, entries,    each, old) {
  each = full_of(form)
  old = capacity(entries, each) / 2
  if (old < 4 * each || entries > old + (each == 1 ? 0.66 * old : old / 7 + 1)) return 0
  return table(form, old)
}

# The tables of slots are small, and soon empty.
function moving(form, keys) {
  if (form in slot) return 0
  return outgrown(form, keys * kinds + 1) + (timed(form) ? outgrown(form, keys) : 0)
}

# The bytes of a word in a command.
function word_sent(n) {
  return n + length(n "") + 5
}

# The bytes of the commands that set the keys of a number, as replicas get them: a SET names the time at which its key expires.
function sent(form, digits) {
  return kinds * (13 + word_sent(prefix + digits + 5)) + values * word_sent(form + 0) + timed(form) * (word_sent(4) + word_sent(13))
}

# The bytes that an instance with replicas keeps of these commands, in blocks of 20 KiB; before Redis 7, it has all of them from the start.
function backlog(form, written,    most) {
  if (form in ring) return ring[form]
  most = form in kept ? kept[form] : 1048576
  return 20504 * (int((written < most ? written : most) / 20440) + 1)
}

# The bytes for the other nodes of a cluster: what is known of each, and its links. Without replicas, an instance runs fewer commands than the scratch
# instance, and a histogram of 25 kB for one of them is missing.
function known() {
  return 5000 * (int(16384 / slots) * (1 + replicas) - 1) - (replicas ? 0 : 25000)
}

function bytes(form, keys,    sum, from, to, digits, written) {
  sum = base[form] + tables(form, keys)
  for (digits = 3; from < keys; digits++) {
    to = 10 ^ digits < keys ? 10 ^ digits : keys
    sum += (to - from) * ((form, digits) in cost ? cost[form, digits] : cost[form, top[form]])
    written += (to - from) * sent(form, digits)
    from = to
  }
  return sum + (shared ? known() : 0) + (replicas ? backlog(form, written) : 0)
}

# bytes() grows with every key, so bisection finds the last number that fits; the next number may be nearer to the target.
function nearest(form, target,    low, high, middle) {
  high = 2 ^ 45
  while (high - low > 1) {
    middle = int((low + high) / 2)
    if (bytes(form, middle) <= target) low = middle
    else high = middle
  }
  return inside(form, target - bytes(form, low) <= bytes(form, low + 1) - target ? low : low + 1, target)
}

# The number of keys; 0.2 % fewer or more if a few keys decide whether a table grows.
function inside(form, keys, target,    each, edge, width, low, high) {
  if (form in slot) return keys
  each = full_of(form)
  edge = capacity(keys * kinds + 1, each)
  # It may be a little above the end of the smaller table.
  if (keys * kinds < 0.75 * edge) edge /= 2
  width = 1 + int(edge / 500)
  if (edge < 64 * each || keys * kinds + 1 < edge - width || keys * kinds > edge + width) return keys
  low = int((edge - width - 1) / kinds)
  high = int((edge + width) / kinds) + 1
  return target - bytes(form, low) <= bytes(form, high) - target ? low : high
}

# The bytes of a slot with keys: what the first key of a slot takes more than the second one. With one dict for all slots that is 0. Four more keys in
# each slot make a table of Redis grow.
function fit_slot(form,    alone, second) {
  second = (slots_used[3] - slots_used[2]) / (slots_keys[3] - slots_keys[2])
  kind[form] = 1
  alone = (slots_used[2] - slots_used[1]) / (slots_keys[2] - slots_keys[1]) - second
  if (alone < 20) return
  slot[form] = alone
  if (slots_used[4] - slots_used[3] - second * (slots_keys[4] - slots_keys[3]) < 16 * slots) kind[form] = 7
  printf "slot\t%.4f\n", alone
}

# The kind of table whose growth explains by how much the second of two equal steps is larger than the first one.
function fit_steps(form,    found, i, each, off, least) {
  found = step_used[3] - 2 * step_used[2] + step_used[1]
  kind[form] = 0
  least = 0.25 * table(form, step_keys[3])
  for (i = 1; i <= 2; i++) {
    kind[form] = i == 1 ? 1 : 7
    off = found - table(form, step_keys[3] + 1) + 2 * table(form, step_keys[2] + 1) - table(form, step_keys[1] + 1)
    if (off < 0) off = -off
    if (off < least) { least = off; each = kind[form] }
  }
  kind[form] = each + 0
}

function fit(form,    large, small, base, i) {
  if (counted == 4) fit_slot(form)
  else if (stepped == 3) fit_steps(form)
  printf "table\t%d\n", kind[form]
  for (i = 1; i <= samples; i++) rest[i] = used[i] - tables(form, keys[i])
  large = samples - 1
  small = samples
  base = rest[large] - keys[large] * (rest[large] - rest[small]) / (keys[large] - keys[small])
  printf "base\t%.0f\n", base
  for (i = 1; i <= large; i++) printf "cost\t%d\t%.4f\n", digits_of[i], (rest[i] - base) / keys[i]
}

BEGIN {
  FS = OFS = "\t"
  slots = 16384
  kinds = ENVIRON["KINDS"] > 0 ? ENVIRON["KINDS"] + 0 : 1
  prefix = ENVIRON["PREFIX"] + 0
  values = ENVIRON["KINDS"] > 0 ? ENVIRON["VALUES"] + 0 : 1
}

$2 == "base" { base[$1] = $3 + 0 }
$2 == "cost" { cost[$1, $3 + 0] = $4 + 0; top[$1] = $3 + 0 }
$2 == "slot" { slot[$1] = $3 + 0 }
$2 == "table" { kind[$1] = $3 + 0 }
$2 == "backlog" { kept[$1] = $3 + 0 }
$2 == "ring" { ring[$1] = $3 + 0 }
$2 == "sample" {
  form = $1
  digits_of[++samples] = $3
  keys[samples] = $4
  used[samples] = $5
}
$2 == "step" {
  step_keys[++stepped] = $3
  step_used[stepped] = $4
}
$2 == "slots" {
  slots_keys[++counted] = $3
  slots_used[counted] = $4
}
$1 == "ask" {
  shared = split($2, word, " ") > 3
  slots = shared ? word[4] : 16384
  replicas = word[5] + 0
  if (!(word[2] in base)) estimate(word[2])
  if (word[1] == "keys") answer = nearest(word[2], word[3] + 0)
  else answer = word[1] == "bytes" ? bytes(word[2], word[3] + 0) : moving(word[2], word[3] + 0)
  printf "%s\t%.0f\n", $2, answer
}

END {
  if (ENVIRON["DO"] != "fit") exit
  # One sample is not enough; the message about the missing ones was printed already.
  if (samples < 2) exit 1
  fit(form)
}
