# SPDX-License-Identifier: MIT
# What keys cost in one Redis instance, and how many fit: bytes(KEYS) = base + the keys' own bytes + the dict's table.
#
# Model, a line each, tab-separated: `base BYTES` (no key), `cost DIGITS BYTES` (a key whose number has so many digits; 3 is
# three or fewer): the name of a key is part of its cost. The table has as many slots of 8 bytes as the next power of two.
# DO in the environment:
#   estimate   print a model for values of SIZE bytes, by the sizes that jemalloc hands out and Redis 7's structures
#   fit        print a model from samples, lines `sample DIGITS KEYS USED_MEMORY`, the last two with the most digits
#   keys       print the number of keys whose bytes come closest to TARGET, for the model on stdin
#   bytes      print the bytes of KEYS keys, for the model on stdin

# What an allocation of n bytes takes: steps of 16 up to 128, then four to each doubling.
function class(n,    step) {
  if (n <= 8) return 8
  for (step = 16; step * 8 < n; step *= 2) ;
  return int((n + step - 1) / step) * step
}

function estimate(size,    value, digits) {
  # Up to 44 bytes stand in one piece with their object of 16; longer ones have a header of 3, 5 or 9 of their own.
  value = size <= 44 ? class(16 + 3 + size + 1) : 16 + class(size + 1 + (size < 256 ? 3 : size < 65536 ? 5 : 9))
  print "base", 1000000
  for (digits = 3; digits <= 15; digits++) print "cost", digits, value + class(24) + class(digits + 2)
}

# The marker key of the load generator is one more.
function table(keys,    slots) {
  for (slots = 4; slots < keys + 1; slots *= 2) ;
  return 8 * slots
}

function bytes(keys,    sum, from, to, digits) {
  sum = base + table(keys)
  for (digits = 3; from < keys; digits++) {
    to = 10 ^ digits < keys ? 10 ^ digits : keys
    sum += (to - from) * (digits in cost ? cost[digits] : cost[top])
    from = to
  }
  return sum
}

# bytes() grows with every key, so halving finds the last that fits; the next may be nearer.
function nearest(target,    low, high, middle) {
  high = 2 ^ 45
  while (high - low > 1) {
    middle = int((low + high) / 2)
    if (bytes(middle) <= target) low = middle
    else high = middle
  }
  return target - bytes(low) <= bytes(low + 1) - target ? low : low + 1
}

function fit(    large, small, i) {
  large = samples - 1
  small = samples
  base = used[large] - table(keys[large]) - keys[large] * (used[large] - table(keys[large]) - used[small] + table(keys[small])) / (keys[large] - keys[small])
  printf "base\t%.0f\n", base
  for (i = 1; i <= large; i++) printf "cost\t%d\t%.4f\n", digits_of[i], (used[i] - table(keys[i]) - base) / keys[i]
}

BEGIN {
  FS = OFS = "\t"
  if (ENVIRON["DO"] == "estimate") {
    estimate(ENVIRON["SIZE"] + 0)
    exit
  }
}

$1 == "base" { base = $2 + 0 }
$1 == "cost" { cost[$2 + 0] = $3 + 0; top = $2 + 0 }
$1 == "sample" {
  digits_of[++samples] = $2
  keys[samples] = $3
  used[samples] = $4
}

END {
  # One sample tells nothing, and what could not set them has said why.
  if (ENVIRON["DO"] == "fit" && samples < 2) exit 1
  if (ENVIRON["DO"] == "fit") fit()
  else if (ENVIRON["DO"] == "keys") printf "%.0f\n", nearest(ENVIRON["TARGET"] + 0)
  else if (ENVIRON["DO"] == "bytes") printf "%.0f\n", bytes(ENVIRON["KEYS"] + 0)
}
