# SPDX-License-Identifier: MIT
# Settings by layer, and their values in force, V[NAME]: what the reader of settings and the planner share.
# Environment: LIB and ROOT, directories of this project; LISTS and SCHEMA, the lists of settings and of result columns,
# one path per line; IN_RUN, what no name of a variant matches; RESUME, if a run is resumed.
# Both programs print a line of words GROUP COUNT..., and the lines of these groups (lib/core/conf.sh); groups that are texts come last, and are the
# first words, with their negative length. Instead of all that, `refuse TEXT`, and exit 2.
#   set     lines of settings.tsv, those of the run first
#   run     settings of the run, VARIABLE=VALUE
#   change  what a variant or a point changes: VARIANT or `VARIANT POINT`, a tab and VARIABLE=VALUE

BEGIN {
  FS = OFS = "\t"
  LIB = ENVIRON["LIB"]
  ROOT = ENVIRON["ROOT"]
  RESUME = ENVIRON["RESUME"] != ""
  # Lowest first; a later layer overrides. Each variant has its own layer, variant:NAME, and each tenant tenant:NAME.
  layers = split("default block hosts scenario variant tenant over environment argument", LAYER, " ")
}

# Keep a value of a layer.
function setting_keep(layer, name, value, from,    part) {
  # A part of a split compares as a number if it is one.
  split(value, part, "\n")
  VALUE[layer, name] = part[1]
  FROM[layer, name] = from
}

# Refuse the settings: one line of text.
function stop(text) {
  print "refuse\t" text
  is_stopped = 1 # END runs after it
  exit 2
}

# Refuse a setting in force that is wrong, or conflicts with others.
function refuse(name, text,    value) {
  value = V[name]
  if (length(value) > 300) value = substr(value, 1, 300) "..."
  stop(where(name) ": " name "=" value ": " text)
}

# The key of a layer of the current variant and tenant.
function layer_key(i) {
  return LAYER[i] == "variant" ? "variant:" VARIANT : LAYER[i] == "tenant" ? "tenant:" TENANT : LAYER[i]
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

# Put the settings of a variant in force, or those without a variant if it is empty.
function resolve(variant,    i) {
  VARIANT = variant
  split("", POINTED)
  for (i = 1; i <= names; i++) V[NAME[i]] = VALUE[layer_key(layer_of(NAME[i])), NAME[i]]
  servers = split(V["SERVER"], SERVER, " ")
}

# The words of a setting's value.
function words(name, out) {
  return split(V[name], out, " ")
}

# A size in bytes: 10K is 10240.
function size_bytes(size) {
  return (size + 0) * (size ~ /K$/ ? 1024 : size ~ /M$/ ? 1048576 : size ~ /G$/ ? 1073741824 : 1)
}

# The shell's variable of a setting: KERNEL.thp is KERNEL_THP.
function variable_of(name) {
  gsub(/[.-]/, "_", name)
  return toupper(name)
}

# Say a setting in force of the run, of a variant, or of a point.
function setting_say(variant, point, name,    assignment) {
  say("set", variant OFS point OFS name OFS V[name] OFS where(name))
  assignment = variable_of(name) "=" V[name]
  if (variant == "-") say("run", assignment)
  else say("change", variant (point == "-" ? "" : " " point) OFS assignment)
}

# Keep a line of a group for said_print.
function say(group, line) {
  SAID[group, ++SAYS[group]] = line
}
function said_print(texts, list,    n, m, g, i, group, text) {
  m = split(texts, group, " ")
  for (g = m; g > 0; g--) {
    for (i = 1; i <= SAYS[group[g]]; i++) text[g] = text[g] (i > 1 ? "\n" : "") SAID[group[g], i]
    printf "%s %d ", group[g], -length(text[g])
  }
  n = split(list, group, " ")
  for (g = 1; g <= n; g++) printf "%s %d%s", group[g], SAYS[group[g]], g < n ? " " : "\n"
  for (g = 1; g <= n; g++) for (i = 1; i <= SAYS[group[g]]; i++) print SAID[group[g], i]
  for (g = 1; g <= m; g++) print text[g]
}
