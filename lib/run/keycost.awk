# SPDX-License-Identifier: MIT
# Prints the rows of lib/plan/keycost.awk for one form of keys, from samples of a scratch instance; it runs after that program.
# Environment: KINDS, VALUES (default 1) and PREFIX, as keycost.awk needs them.
# Input lines, tab-separated, after the form: `sample DIGITS KEYS USED_MEMORY`, the last two with the most digits. For the kind of table also a line
# `table KIND`, or three lines `step KEYS USED_MEMORY` with equal distances, and a table of each kind growing between them; for a cluster four lines
# `slots KEYS USED_MEMORY`, with keys in half of the 16384 slots, one key in each, two, and six.

# The bytes of a slot with keys: what the first key of a slot takes more than the second one. With one dict for all slots that is 0. Four more keys in
# each slot make a table of Redis grow.
function fit_slot(form,    alone, second) {
  second = (slots_used[3] - slots_used[2]) / (slots_keys[3] - slots_keys[2])
  COST_TABLE[form] = 1
  alone = (slots_used[2] - slots_used[1]) / (slots_keys[2] - slots_keys[1]) - second
  if (alone < 20) return
  COST_SLOT[form] = alone
  if (slots_used[4] - slots_used[3] - second * (slots_keys[4] - slots_keys[3]) < 16 * 16384) COST_TABLE[form] = 7
  printf "slot\t%.4f\n", alone
}

# The kind of table whose growth explains by how much the second of two equal steps is larger than the first one.
function fit_steps(form,    found, kinds, n, i, kind, off, least) {
  found = step_used[3] - 2 * step_used[2] + step_used[1]
  COST_TABLE[form] = kind = 0
  least = 0.25 * cost_table_of(form, step_keys[3])
  n = split("1 2 7", kinds, " ")
  for (i = 1; i <= n; i++) {
    COST_TABLE[form] = kinds[i] + 0
    off = found - cost_table_of(form, step_keys[3] + 1) + 2 * cost_table_of(form, step_keys[2] + 1) - cost_table_of(form, step_keys[1] + 1)
    if (off < 0) off = -off
    if (off < least) { least = off; kind = kinds[i] + 0 }
  }
  COST_TABLE[form] = kind
}

function fit(form,    large, small, base, i) {
  if (counted == 4) fit_slot(form)
  else if (stepped == 3) fit_steps(form)
  printf "table\t%d\n", COST_TABLE[form]
  for (i = 1; i <= samples; i++) rest[i] = used[i] - cost_tables(form, keys[i])
  large = samples - 1
  small = samples
  base = rest[large] - keys[large] * (rest[large] - rest[small]) / (keys[large] - keys[small])
  printf "base\t%.0f\n", base
  for (i = 1; i <= large; i++) printf "cost\t%d\t%.4f\n", digits_of[i], (rest[i] - base) / keys[i]
}

BEGIN {
  FS = OFS = "\t"
  COST_KINDS = ENVIRON["KINDS"] > 0 ? ENVIRON["KINDS"] + 0 : 1
  COST_VALUES = ENVIRON["KINDS"] > 0 ? ENVIRON["VALUES"] + 0 : 1
  COST_PREFIX = ENVIRON["PREFIX"] + 0
}

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

END {
  # One sample is not enough; the message about the missing ones was printed already.
  if (samples < 2) exit 1
  fit(form)
}
