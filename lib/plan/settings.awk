# SPDX-License-Identifier: MIT
# The settings of a plan by layer, and their values in force, V[NAME], for a variant and a point of the sweep.
# Input lines, tab-separated; lib/plan/planner.sh prints them:
#   layer LAYER                     a layer, the lowest first; of `variant`, each variant has its own, variant:NAME
#   file PATH                       a file of this project that a prefix names
#   part NAME WHERE DEFAULT         a part that conf/defaults.conf does not name itself
#   setting LAYER NAME WHERE VALUE  a value that a layer sets, checked and in the form that is stored; conf/defaults.conf is the lowest layer

$1 == "layer" {
  LAYER[++layers] = $2
  next
}
$1 == "file" {
  OURS[substr($0, length($1) + 2)] = 1
  next
}
$1 == "part" {
  PART[++parts] = $0
  next
}
$1 == "setting" {
  setting_keep($2, $3, substr($0, length($1 $2 $3 $4) + 5), $4)
  next
}

# Keep a value of a layer.
function setting_keep(layer, name, value, from,    part) {
  # A part of a split compares as a number if it is one.
  split(value, part, "\n")
  VALUE[layer, name] = part[1]
  FROM[layer, name] = from
}

# Read the list of settings, which is the lowest layer.
function settings_read(    file, line, number, i, name, field) {
  file = ROOT "/conf/defaults.conf"
  while ((getline line < file) > 0) {
    number++
    i = index(line, "  #: ")
    if (!i || line !~ /^[A-Z][A-Z0-9_]*(\.[a-z0-9_-]+)?=/) continue
    name = substr(line, 1, index(line, "=") - 1)
    line = substr(line, length(name) + 2, i - length(name) - 2)
    gsub(/^"|"$/, "", line)
    NAME[++names] = name
    setting_keep(LAYER[1], name, line, file ":" number)
  }
  close(file)
  listed_names = names
  for (i = 1; i <= parts; i++) {
    split(PART[i], field, "\t")
    NAME[++names] = field[2]
    setting_keep(LAYER[1], field[2], field[4], field[3])
  }
}

# Refuse the plan: one line of text.
function stop(text) {
  print "refuse\t" text
  exit 2
}

# Refuse a setting in force that is wrong, or conflicts with others.
function refuse(name, text,    value) {
  value = V[name]
  if (length(value) > 300) value = substr(value, 1, 300) "..."
  stop(where(name) ": " name "=" value ": " text)
}

# The key of a layer of the current variant.
function layer_key(i) {
  return LAYER[i] == "variant" ? "variant:" VARIANT : LAYER[i]
}

# The number of the layer that sets a setting, the lowest being 1; the value of a point is above all layers.
function layer_of(name,    i) {
  if (name in POINTED) return layers + 1
  for (i = layers; i > 1; i--) if ((layer_key(i), name) in VALUE) return i
  return 1
}

# The source of a value, for messages.
function where(name) {
  return name in POINTED ? POINTED[name] : FROM[layer_key(layer_of(name)), name]
}

# Whether a setting was given for this command.
function explicit(name) {
  return where(name) ~ /^(environment|command line)/
}

# Whether a setting comes from a higher layer than another.
function above(name, other) {
  return layer_of(name) > layer_of(other)
}

function resolved(name) {
  return VALUE[layer_key(layer_of(name)), name]
}

# Put the settings of a variant in force, or those without a variant if it is empty.
function resolve(variant,    i) {
  VARIANT = variant
  split("", POINTED)
  for (i = 1; i <= names; i++) V[NAME[i]] = resolved(NAME[i])
  servers = split(V["SERVER"], SERVER, " ")
}

# Put the settings of a variant in force as a run uses them.
function enter(variant,    i) {
  if (!((variant, "SERVER") in KEPT)) {
    variant_check(variant)
    clients_settle()
    sizes_settle()
    keys_settle()
    rounds_settle()
    if (!early) auto_settle()
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

# Replace `auto` by the facts of the servers.
function auto_settle(    i, all, list) {
  if (V["SERVER_CORES"] == "auto") V["SERVER_CORES"] = facts_most("cpus")
  if (V["INSTANCES"] == "auto") {
    for (i = 1; i <= servers; i++) all += cpus_of(SERVER[i])
    V["INSTANCES"] = all
  }
  if (V["INSTANCES"] !~ /^[0-9]+$/) {
    list = numbers_of(V["INSTANCES"])
    if (list == "")
      refuse("INSTANCES", "empty range: instances may use " cpus_usable() " CPUs; set a number, or a range that starts there")
    V["INSTANCES"] = list
  }
  if (V["SERVER_MEM"] == "auto") V["SERVER_MEM"] = facts_least("mem_gib")
}

# The numbers that ranges name, in order: N, A..B or A..B..STEP, also with `all` and `clients`.
function numbers_of(list,    n, i, k, word, part, number, seen, most, out) {
  if (list ~ /all/) gsub(/all/, cpus_usable(), list)
  gsub(/clients/, split(V["CLIENT_IP"], word, " "), list)
  n = split(list, word, " ")
  for (i = 1; i <= n; i++) {
    k = split(word[i], part, /\.\./)
    if (k < 2) part[2] = part[1]
    if (k < 3) part[3] = 1
    for (number = part[1] + 0; number <= part[2] + 0; number += part[3]) seen[number] = 1
    if (part[2] + 0 > most) most = part[2] + 0
  }
  for (number = 1; number <= most; number++) if (number in seen) out = out (out == "" ? "" : " ") number
  return out
}

# The words of a setting's value.
function words(name, out) {
  return split(V[name], out, " ")
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

# A size in bytes: 10K -> 10240.
function size_bytes(size) {
  return (size + 0) * (size ~ /K$/ ? 1024 : size ~ /M$/ ? 1048576 : size ~ /G$/ ? 1073741824 : 1)
}
