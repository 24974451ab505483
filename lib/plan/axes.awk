# SPDX-License-Identifier: MIT
# Axes of the sweep: which settings have several values, and the points that they make. lib/plan/axes.tsv is the table of axes.
# Input lines, tab-separated:
#   sweep WORD NAME VALUES   a word of SWEEP, the setting it names, and its checked values

$1 == "sweep" {
  sweep_keep($2, $3, $4)
  next
}
function sweep_keep(word, name, values) {
  SWEPT_WORD[++sweeps] = word
  SWEPT[sweeps] = name
  SWEPT_VALUES[sweeps] = values
}

# Read the table: the settings that accept lists are LISTS[1..lists].
function axes_table(    file, line, field) {
  file = LIB "/plan/axes.tsv"
  while ((getline line < file) > 0) {
    if (line ~ /^#/) continue
    split(line, field, "\t")
    COLUMN[field[1]] = field[2]
    if (field[3] == "") continue
    FORM[field[1]] = field[3]
    COLON[field[1]] = field[4] == "-" ? "" : field[4]
    LISTS[++lists] = field[1]
  }
  close(file)
}

# Resolve the settings of a variant; refuse those that all variants share. They would count for a part of the run only, or not at all: what is changed
# under one REMOTE_DIR would not be restored under another, and an axis has the values of the run.
function variant_check(variant,    i, name, was, run, layer) {
  resolve("")
  for (i = 1; i <= names; i++) run[NAME[i]] = V[NAME[i]]
  resolve(variant)
  # The files of a resumed run have all settings, and were checked when it started.
  if (RESUME) return
  layer = "variant:" variant
  for (i = 1; i <= names; i++) {
    name = NAME[i]
    was = run[name]
    # Not as numbers: 01 is another word than 1.
    if (V[name] "" == was "") continue
    if (axis_column(name) == "-") refuse(name, "one value for the whole run, not for a variant; set it on the command line or in a scenario")
    if (axis_shared(name, was " " V[name])) refuse(name, "its values are points that all variants have; set it on the command line or in a scenario")
  }
  for (i = 1; i <= sweeps; i++)
    if (LAYER[layer_of(SWEPT[i])] == "variant")
      refuse(SWEPT[i], "conflicts with " SWEPT_WORD[i] " in SWEEP, whose values all variants have; leave out one of them")
  # Results would have the name of another tier.
  if ((layer, "TIER") in VALUE && VALUE[layer, "TIER"] != V["TIER"])
    refuse("TIER", "conflicts with TIER=" VALUE[layer, "TIER"] " of the variant " variant "; leave it out, and name a variant with this tier (-v)")
}

# Whether all variants have the same values of a setting that accepts a list: VALUES are those of the run and of a variant.
function axis_shared(name, values,    word) {
  if (name ~ /^(VALUE_SIZES|INSTANCES|HIT_RATIO)$/) return 1
  return name ~ /^(DRAM_RATIO|KEY_PATTERN|NEIGHBOUR|COLD_MEMORY)$/ && split(values, word, " ") > 2
}

# The columns of plan.tsv before and after those of the axes.
function columns_first() {
  return "number\tvariant\tpoint\trepeat\tneed\tsweep"
}

function columns_last() {
  return "places\tkeys\tset_keys\tdata_bytes\tfull_bytes\ttarget_bytes\trule_bytes\tdram_bytes\tknown\tclients\tseconds" \
    "\toutgrown_bytes\tlimit_bytes\tswap_bytes\tclient_places\tlargest_size" (is_tenants() ? "\ttenants" : "")
}

# Set the axes from the settings in force.
function axes_settle(    i, name, word, points_all, column, seen) {
  for (i = 1; i <= lists; i++) {
    name = LISTS[i]
    axis_once(where(name) ": " name "=" V[name], V[name])
    # A single value of the others is not swept: a variant may set another. A hit ratio belongs to the point: all variants have the same keys.
    if (V[name] ~ / / || name ~ /^(VALUE_SIZES|INSTANCES)$/ || (name == "HIT_RATIO" && V[name] != "off")) axis_add(name, axis_values(name))
    else axis_add(name, "-")
  }
  # These accept a list too, but have a column only if they have several values.
  axis_list("NEIGHBOUR")
  axis_list("COLD_MEMORY")
  tenants_axis()
  for (i = 1; i <= sweeps; i++) axis_sweep(i)
  # A directive of Redis may have the name of a setting, or of a column of the plan.
  for (i = split(columns_first() "\t" columns_last(), word, "\t"); i > 0; i--) seen[word[i]] = 1
  # The plan has the swept value in its own column.
  delete seen["keys"]
  points_all = 1
  for (i = 1; i <= axes; i++) {
    column = axis_column(AXIS[i])
    if (seen[column]++) refuse("SWEEP", "two columns would have the name " column "; sweep one of them, and run once for each value of the other")
    points_all *= split(VALUES[AXIS[i]], word, " ")
    if (points_all > 4096) refuse(V["SWEEP"] == "" ? "INSTANCES" : "SWEEP", "too many points; accepted: at most 4096 combinations of all lists")
  }
}

function axis_add(name, values) {
  AXIS[++axes] = name
  VALUES[name] = values
}

# The values of a list; sizes in bytes.
function axis_values(name,    n, i, word, out) {
  if (name != "VALUE_SIZES") return V[name]
  n = words(name, word)
  for (i = 1; i <= n; i++) out = out (i > 1 ? " " : "") whole(size_bytes(word[i]))
  return out
}

function axis_list(name,    text) {
  if (V[name] !~ / /) return
  text = name "=" V[name]
  gsub(/ /, ",", text)
  axis_once(where(name) ": " name ": " text, V[name])
  axis_add(name, V[name])
  AXIS_FROM[name] = where(name) ": " name
}

# Take a word of SWEEP.
function axis_sweep(i,    name, at) {
  name = SWEPT[i]
  at = where("SWEEP") ": SWEEP: " SWEPT_WORD[i]
  axis_once(at, SWEPT_VALUES[i])
  if (axis_column(name) == "-") stop(at ": " name " has one value for the whole run; run once for each value")
  if (axis_column(name) == "+") stop(at ": " name " cannot be swept; write a variant for each value")
  if (name in FORM) stop(at ": " name " is a list already; set " name "=\"" SWEPT_VALUES[i] "\"")
  if (name in VALUES) stop(at ": " name " is repeated; give each setting once, with all its values")
  axis_add(name, SWEPT_VALUES[i])
  AXIS_FROM[name] = where("SWEEP") ": SWEEP"
}

# Refuse a value that is given twice: 1G is 1024M.
function axis_once(at, values,    n, i, word, seen, value) {
  n = split(values, word, " ")
  for (i = 1; i <= n; i++) {
    value = word[i] ~ /^[1-9][0-9]*[KMG]$/ ? whole(size_bytes(word[i])) : word[i]
    if (value in seen) stop(at ": the value " word[i] " is repeated; give each value once")
    seen[value] = 1
  }
}

# The column of an axis in plan.tsv and in results. Parts of a setting without a value have the name of the part: KERNEL.thp -> thp, but
# FAULT.at -> fault_at.
function axis_column(name,    part) {
  if (name in COLUMN) return COLUMN[name]
  if (split(name, part, ".") == 2 && !(part[1] in V)) name = part[2]
  gsub(/[.-]/, "_", name)
  return tolower(name)
}

# A value as it is written in the name of a directory.
function axis_written(name, value,    form, i) {
  if (value == "-") return ""
  i = index(value, ":")
  if (i) value = substr(value, 1, i - 1) COLON[name] substr(value, i + 1)
  gsub(/:/, "-", value)
  # A node of memory.
  if (value ~ /^[0-9.]+@/) sub(/@/, "-node", value)
  gsub(/[^A-Za-z0-9._-]/, "", value)
  form = name in FORM ? FORM[name] : axis_column(name) "%"
  gsub(/_/, "", form)
  i = index(form, "%")
  return substr(form, 1, i - 1) value substr(form, i + 1)
}

# A value as it is printed after size and instances; these values need no name as prefix: ratios, patterns.
function axis_told(name, value,    text) {
  if (value == "-" || name == "VALUE_SIZES" || name == "INSTANCES") return ""
  if (name == "DRAM_RATIO" || name == "KEY_PATTERN") return value
  text = name == "HIT_RATIO" ? "hit ratio" : axis_column(name)
  gsub(/_/, " ", text)
  return text " " value
}

# Make the combinations of the values in SWEEP, COMBINED[1..combined], in which every variant has its own lists.
function sweeps_make(    a, i, j, n, word, more, m) {
  for (a = 1; a <= lists; a++) COMBINED[1] = COMBINED[1] (a > 1 ? "\t" : "") "-"
  combined = 1
  for (a = lists + 1; a <= axes; a++) {
    n = split(VALUES[AXIS[a]], word, " ")
    m = 0
    for (i = 1; i <= combined; i++) for (j = 1; j <= n; j++) more[++m] = COMBINED[i] "\t" word[j]
    for (i = 1; i <= m; i++) COMBINED[i] = more[i]
    combined = m
  }
}

# Make the points, every combination of the values of all axes, the last axis changing fastest: POINT, their names; POINT_VALUES, as enter_point takes
# them; POINT_TOLD, how a point differs from others with the same size and number of instances.
function points_make(    a, i, j, n, m, word, text, name, told, values, seen) {
  points = 1
  POINT[1] = ""
  for (a = 1; a <= axes; a++) {
    n = split(VALUES[AXIS[a]], word, " ")
    m = 0
    for (i = 1; i <= points; i++)
      for (j = 1; j <= n; j++) {
        text = axis_written(AXIS[a], word[j])
        name[++m] = POINT[i] (text != "" && POINT[i] != "" ? "-" : "") text
        text = axis_told(AXIS[a], word[j])
        told[m] = POINT_TOLD[i] (text != "" && POINT_TOLD[i] != "" ? ", " : "") text
        values[m] = POINT_VALUES[i] (a > 1 ? "\t" : "") word[j]
      }
    points = m
    for (i = 1; i <= m; i++) {
      POINT[i] = name[i]
      POINT_TOLD[i] = told[i]
      POINT_VALUES[i] = values[i]
    }
  }
  for (i = 1; i <= points; i++) {
    text = POINT_VALUES[i]
    gsub(/\t/, " ", text)
    if (POINT[i] in seen)
      stop(where("SWEEP") ": SWEEP=" V["SWEEP"] ": two points would share the directory " POINT[i] ": " text " and " seen[POINT[i]] "; leave one out")
    seen[POINT[i]] = text
    # A directory has at most 255 bytes, and a failed repeat has a longer name in it.
    if (length(POINT[i]) > 200) stop(where("SWEEP") ": SWEEP: the name of a point would be longer than 200 characters; sweep shorter values, or write variants")
  }
}
