# SPDX-License-Identifier: MIT
# The memory of keys in one Redis instance, and how many keys fit: bytes(KEYS) = base + the bytes of the keys + the tables of dicts.
# Each input line begins with the form of the keys: the value size in bytes, with +ttl if strings have a time to live, and with +cluster.
# Lines of a model, tab-separated: `base BYTES` (no key), `cost DIGITS BYTES` (a key whose number has DIGITS digits; 3 means three or fewer). The name
# of a key is part of its cost. A table has slots of 8 bytes; their number is the next power of two. Times to live are in a second dict. `slot BYTES`:
# each slot of a cluster that has keys has its own dicts, as since Redis 7.4, and they take BYTES without a key.
# Environment: KINDS, the number of keys of different kinds per key number, and VALUES, the number of values in all of them (default 1).
# With DO=fit in the environment: print a model from samples, lines `sample DIGITS KEYS USED_MEMORY`, the last two with the most digits; for a
# cluster also three lines `slots KEYS USED_MEMORY`, with keys in half of the 16384 slots, one key in each, and two.
# Else: answer the questions that follow the lines of models. A form without a model is estimated from jemalloc's size classes and Redis 7's
# structures. Each output line is a question and its answer:
#   ask	keys FORM TARGET [SLOTS]    the number of keys whose bytes are closest to TARGET
#   ask	bytes FORM KEYS [SLOTS]     the bytes of KEYS keys; SLOTS of a cluster are in the instance (default 16384)

# The size of an allocation of n bytes: steps of 16 up to 128, then four steps per doubling.
function class(n,    step) {
  if (n <= 8) return 8
  for (step = 16; step * 8 < n; step *= 2) ;
  return int((n + step - 1) / step) * step
}

# A cluster's keys have a tag of five bytes and two links to other keys of their slot; its tables of slots take 770 kB.
function estimate(form,    size, cluster, value, entry, digits) {
  size = form + 0
  cluster = form ~ /\+cluster/
  # Up to 44 bytes are stored together with their object of 16; longer values have a separate header of 3, 5 or 9 bytes.
  value = size <= 44 ? class(16 + 3 + size + 1) : 16 + class(size + 1 + (size < 256 ? 3 : size < 65536 ? 5 : 9))
  entry = class(cluster ? 40 : 24)
  base[form] = 1000000 + (cluster ? 770000 : 0)
  for (digits = 3; digits <= 15; digits++)
    cost[form, digits] = values * value + kinds * (entry + class(digits + 2 + (cluster ? 5 : 0))) + timed(form) * class(24)
  top[form] = 15
}

# Whether each key number has a key with a time to live.
function timed(form) {
  return form ~ /\+ttl/
}

# The bytes of a table with this many entries.
function table(entries,    slots) {
  for (slots = 4; slots < entries; slots *= 2) ;
  return 8 * slots
}

# The bytes by which the tables of the dicts of all slots exceed their smallest size; keys are spread evenly, EACH is their number per key number.
function spread(keys, each,    full, more) {
  full = int(keys / slots)
  more = keys - full * slots
  return (slots - more) * (table(full * each) - 32) + more * (table((full + 1) * each) - 32)
}

# The load generator's marker is an additional key, without a time to live.
function tables(form, keys) {
  if (form in slot) return slot[form] * (keys < slots ? keys : slots) + spread(keys, kinds) + (timed(form) ? spread(keys, 1) : 0)
  return table(keys * kinds + 1) + (timed(form) ? table(keys) : 0)
}

function bytes(form, keys,    sum, from, to, digits) {
  sum = base[form] + tables(form, keys)
  for (digits = 3; from < keys; digits++) {
    to = 10 ^ digits < keys ? 10 ^ digits : keys
    sum += (to - from) * ((form, digits) in cost ? cost[form, digits] : cost[form, top[form]])
    from = to
  }
  return sum
}

# bytes() grows with every key, so bisection finds the last number that fits; the next number may be nearer to the target.
function nearest(form, target,    low, high, middle) {
  high = 2 ^ 45
  while (high - low > 1) {
    middle = int((low + high) / 2)
    if (bytes(form, middle) <= target) low = middle
    else high = middle
  }
  return target - bytes(form, low) <= bytes(form, low + 1) - target ? low : low + 1
}

# The bytes of a slot with keys: what the first key of a slot takes more than the second one. With one dict for all slots that is 0.
function fit_slot(form,    alone) {
  alone = (slots_used[2] - slots_used[1]) / (slots_keys[2] - slots_keys[1]) - (slots_used[3] - slots_used[2]) / (slots_keys[3] - slots_keys[2])
  if (alone < 20) return
  slot[form] = alone
  printf "slot\t%.4f\n", alone
}

function fit(form,    large, small, base, i) {
  if (counted == 3) fit_slot(form)
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
  values = ENVIRON["KINDS"] > 0 ? ENVIRON["VALUES"] + 0 : 1
}

$2 == "base" { base[$1] = $3 + 0 }
$2 == "cost" { cost[$1, $3 + 0] = $4 + 0; top[$1] = $3 + 0 }
$2 == "slot" { slot[$1] = $3 + 0 }
$2 == "sample" {
  form = $1
  digits_of[++samples] = $3
  keys[samples] = $4
  used[samples] = $5
}
$2 == "slots" {
  slots_keys[++counted] = $3
  slots_used[counted] = $4
}
$1 == "ask" {
  slots = split($2, word, " ") == 4 ? word[4] : 16384
  if (!(word[2] in base)) estimate(word[2])
  printf "%s\t%.0f\n", $2, word[1] == "keys" ? nearest(word[2], word[3] + 0) : bytes(word[2], word[3] + 0)
}

END {
  if (ENVIRON["DO"] != "fit") exit
  # One sample is not enough; the message about the missing ones was printed already.
  if (samples < 2) exit 1
  fit(form)
}
