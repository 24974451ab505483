# SPDX-License-Identifier: MIT
# The settings of a plan for a variant and a point of the sweep, as a run uses them.
# Input lines, tab-separated; the reader of settings printed them (lib/settings):
#   listed COUNT                    how many names the lists of settings have; the others are parts that NAME.* has made
#   setting LAYER NAME WHERE VALUE  a value that a layer sets, checked and in the form that is stored; the layer `default` has all names
#   file PATH                       a file of this project that a prefix names
# auto_settle is of the program: the planner replaces `auto` by facts.

$1 == "listed" {
  listed_names = $2
  next
}
$1 == "setting" {
  if ($2 == LAYER[1]) NAME[++names] = $3
  setting_keep($2, $3, substr($0, length($1 $2 $3 $4) + 5), $4)
  next
}
$1 == "file" {
  OURS[substr($0, length($1) + 2)] = 1
  next
}

# Whether a setting was given for this command.
function explicit(name) {
  return where(name) ~ /^(environment|command line)/
}

# Whether a setting comes from a higher layer than another.
function above(name, other) {
  return layer_of(name) > layer_of(other)
}

# Put the settings of a variant in force as a run uses them.
function enter(variant,    i) {
  if (!((variant, "SERVER") in KEPT)) {
    variant_check(variant)
    clients_settle()
    value_sizes_settle()
    keys_settle()
    rounds_settle()
    auto_settle()
    for (i = 1; i <= names; i++) KEPT[variant, NAME[i]] = V[NAME[i]]
  }
  VARIANT = variant
  split("", POINTED)
  for (i = 1; i <= names; i++) V[NAME[i]] = KEPT[variant, NAME[i]]
}

# Put a point of the variant in force: VALUES are those of all axes, separated by tabs; `-` is the variant's own value.
function enter_point(values,    a, name, value) {
  V["KEYS"] = KEPT[VARIANT, "KEYS"]
  V["KEY_MAX"] = KEPT[VARIANT, "KEY_MAX"]
  split("", POINTED)
  split(values, value, "\t")
  for (a = 1; a <= axes; a++) {
    name = AXIS[a]
    if (value[a] == "-") continue
    V[name] = value[a]
    if (name in AXIS_FROM) POINTED[name] = AXIS_FROM[name]
  }
  keys_settle()
}

# Reduce CLIENT_IP to the clients that run load generators.
function clients_settle(    n, i, word, list) {
  if (V["CLIENTS"] == "all") return
  if (V["CLIENTS"] == "server") {
    if (servers > 1) refuse("CLIENTS", "conflicts with several servers: " V["SERVER"] "; set CLIENTS=all")
    V["CLIENT_IP"] = V["SERVER"]
    return
  }
  n = words("CLIENT_IP", word)
  if (V["CLIENTS"] + 0 > n) refuse("CLIENTS", "more than the clients that are given: " V["CLIENT_IP"] "; name more of them, or set CLIENTS=all")
  for (i = 1; i <= V["CLIENTS"] + 0; i++) list = list (i > 1 ? " " : "") word[i]
  V["CLIENT_IP"] = list
}

# Write out REDISRUNS and PRECISION. Looks after 3 to 30 rounds call 5 of 100 equal variants different (docs/method.md).
function rounds_settle(    part) {
  if (V["REDISRUNS"] == "auto") V["REDISRUNS"] = "auto:3..30"
  rounds_least = rounds_most = V["REDISRUNS"] + 0
  if (split(V["REDISRUNS"], part, /:|\.\./) == 3) {
    rounds_least = part[2] + 0
    rounds_most = part[3] + 0
  }
  if (V["PRECISION"] ~ /^[0-9.]+%$/) V["PRECISION"] = V["PRECISION"] " ops p99"
}

# Keep those of KEYS, FILL and KEY_MAX that determine the number of keys. FILL of a higher layer overrides KEYS, and both of a higher layer override
# KEY_MAX. Else both count if there is a populate phase, and KEY_MAX overrides KEYS without it.
function keys_settle() {
  if (V["KEYS"] != "auto" && V["FILL"] != "guide" && above("FILL", "KEYS")) V["KEYS"] = "auto"
  if (V["KEY_MAX"] == "auto") return
  if (V["KEYS"] != "auto" && above("KEYS", "KEY_MAX")) V["KEY_MAX"] = "auto"
  else if (V["KEYS"] == "auto" && V["FILL"] != "guide" && above("FILL", "KEY_MAX")) V["KEY_MAX"] = "auto"
  else if (V["KEY_MIN"] + 0 > V["KEY_MAX"] + 0) refuse("KEY_MAX", "less than KEY_MIN=" V["KEY_MIN"] "; set KEY_MAX to at least KEY_MIN")
  if (V["KEYS"] == "auto" || V["KEY_MAX"] == "auto") return
  if (keys_apart()) {
    if (V["KEY_MAX"] + 0 >= V["KEYS"] + 0)
      refuse("KEY_MAX", "populate sets only the keys 0.." whole(V["KEYS"] - 1) " (KEYS=" V["KEYS"] "); set a lower KEY_MAX, or more KEYS")
    return
  }
  if (!above("KEY_MAX", "KEYS")) refuse("KEY_MAX", "conflicts with KEYS=" V["KEYS"] "; set one of them, or start PHASES with populate")
  V["KEYS"] = "auto"
}

# Whether populate sets other keys than KEY_MIN to KEY_MAX, which the measured phases use.
function keys_apart() {
  return V["KEY_MAX"] != "auto" && has_phase("populate") && (V["KEYS"] != "auto" || V["FILL"] != "guide")
}

function is_on(name) {
  return V[name] == "on"
}

# Whether the value of a setting has a word that begins with a text.
function has_word(name, text) {
  return index(" " V[name], " " text) > 0
}

# A whole number as text, also a large one.
function whole(x) {
  return sprintf("%.0f", x)
}

# Say the settings: those of the run, those that a variant sets or changes, and those that a point changes.
function settings_say(    v, i, p, a, name) {
  enter("")
  for (i = 1; i <= names; i++) setting_say("-", "-", NAME[i])
  for (v = 1; v <= variants; v++) {
    enter(VARIANT_NAME[v])
    for (i = 1; i <= names; i++) {
      name = NAME[i]
      if (V[name] "" != KEPT["", name] "" || layer_key(layer_of(name)) == "variant:" VARIANT) setting_say(VARIANT, "-", name)
    }
    for (p = 1; p <= points; p++) {
      enter_point(POINT_VALUES[p])
      for (a = 1; a <= axes; a++) change_say(POINT[p], AXIS[a])
      change_say(POINT[p], "KEYS")
      change_say(POINT[p], "KEY_MAX")
    }
    enter(VARIANT_NAME[v])
    tenants_describe()
  }
}
function change_say(point, name) {
  if (V[name] "" != KEPT[VARIANT, name] "" || name in POINTED) setting_say(VARIANT, point, name)
}
