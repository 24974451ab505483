# SPDX-License-Identifier: MIT
# Files of settings: a scenario, its workload, variants and tenants, with what they are LIKE. Each line is an assignment.
# LIKE=NAME in a scenario or variant takes the settings of that file in its directory, or where names are looked up (lib/core/named.sh). The lines
# below it override them. The run.conf of a run may begin with OVER="NAME...": the values of these settings override a variant's, as they did in the run.

# The next line of a file, TAKEN_LINE; 0 at its end. FILE is a path below conf/, or the number of a text.
function file_next(file) {
  if (!(file in PATH)) return (getline TAKEN_LINE < file) > 0
  TAKEN_LINE = LINE[file, ++AT[file]]
  return AT[file] <= LINES[file]
}

# Read a file of assignments into a layer; with BEGIN and END, only the lines between the two that begin so.
function file_take(layer, file, begin, end,    outer, path, number, inside, line, at, name, over) {
  outer = FILE
  FILE = file
  path = file in PATH ? PATH[file] : file
  READING[path] = inside = begin == ""
  while (file_next(file)) {
    line = TAKEN_LINE
    at = path ":" ++number
    if (length(line) > 65536) stop(at ": line: too long; accepted: at most 65536 characters")
    # What editors of other systems add: a carriage return, and the mark of UTF-8.
    sub(/\r$/, "", line)
    if (number == 1 && substr(line, 1, 3) == "\357\273\277") line = substr(line, 4)
    if (begin != "" && index(line, begin) == 1) {
      inside = 1
      continue
    }
    if (end != "" && index(line, end) == 1) break
    if (!inside || line ~ ("^" SPACE "*(#|$)")) continue
    if (line !~ ("^" SPACE "*" NAMED "=")) stop(at ": " line ": not an assignment; accepted: NAME=VALUE")
    sub("^" SPACE "+", "", line)
    name = kind_before(line, "=")
    line = substr(line, length(name) + 2)
    if (name == "LIKE") like_take(layer, file, path, line, at)
    else if (name == "OVER" && layer == "scenario") {
      line = unquoted(name, line, at)
      if (line !~ ("^(" NAMED "( |$))*$")) stop(at ": OVER=" line ": not names of settings; restore the file, or start a new run")
      # The file of a resumed run's variant already has the value that counts.
      if (!RESUME) over = " " line " "
    } else {
      line = unquoted(name, line, at)
      put(layer, name, line, at)
      if (index(over, " " name " ")) put("over", name, line, at)
    }
  }
  if (file in PATH) AT[file] = 0
  else close(file)
  delete READING[path]
  FILE = outer
}

# Read the file that LIKE names.
function like_take(layer, file, path, name, at,    other, kind) {
  name = unquoted("LIKE", name, at)
  if (name == "" || name ~ SPACE) stop(at ": LIKE=" name ": not a name; accepted: the name of one file")
  if (layer !~ /^(scenario$|variant:|file:|tenant:)/) stop(at ": LIKE=" name ": not supported here; accepted in scenarios, variants and tenants")
  kind = layer == "scenario" ? "scenarios" : layer ~ /^tenant:/ ? "tenants" : "variants"
  match(path, /[^\/]*$/)
  path = substr(path, 1, RSTART - 1) name ".conf"
  if (name !~ /\//) {
    if (file in PATH) other = wanted(file, name)
    if (other == "") other = named(kind, name)
  }
  if (other == "") stop(at ": LIKE=" name ": " path ": not found; name a file in its directory, or one of ./do_it.sh list")
  if ((other in PATH ? PATH[other] : other) in READING) stop(at ": LIKE=" name ": circular include; remove one of the LIKE lines")
  # Each file may have several such lines, and some awks have a small stack.
  if (LIKE_DEPTH >= 16 || ++LIKE_FILES > 1000) stop(at ": LIKE=" name ": too many files; accepted: 16 in a chain, 1,000 in all")
  LIKE_DEPTH++
  file_take(layer, other)
  LIKE_DEPTH--
}

# The value on the right side of an assignment, without quotes, brackets and a trailing comment.
function unquoted(name, raw, at,    value, ours) {
  # Most values are plain words.
  if (raw !~ /[ \t\r\v\f"\047()#]/) return raw
  value = substr(raw, 2)
  if (raw ~ ("^\"[^\"]*\"" SPACE "*(#.*)?$")) return kind_before(value, "\"")
  if (raw ~ ("^\047[^\047]*\047" SPACE "*(#.*)?$")) return kind_before(value, "\047")
  if (raw ~ ("^[(][^)]*[)]" SPACE "*(#.*)?$")) {
    value = kind_before(value, ")")
    ours = name in ALIAS ? ALIAS[name] : name
    if (ours in KIND && KIND[ours] !~ /list:/) stop(at ": " name "=(" value "): a list is not supported; give one value")
    return value
  }
  if (raw !~ ("^[^ \t\r\v\f\"\047()#]*" SPACE "*(#.*)?$"))
    stop(at ": " name "=" raw ": a value with blanks or brackets requires quotes; write " name "=\"...\"")
  sub(SPACE "*(#.*)?$", "", raw)
  return raw
}

# A file that is not of conf/: the number of its text, or empty if it does not exist.
function wanted(of, name) {
  if ((of, name) in GIVEN) return GIVEN[of, name]
  print "want" OFS of OFS name
  exit 0
}

# The file of a name in a directory of TIERBENCH_PATH, or in conf/; empty if it does not exist.
function named(kind, name,    path, line, is_there) {
  if ((kind, name) in OURS) return wanted(kind, name)
  path = ROOT "/conf/" kind "/" name ".conf"
  is_there = (getline line < path) >= 0
  close(path)
  return is_there ? path : ""
}

# Read the scenario that the command line, or else a setting, names, and its workload.
function scenario_take(    name, at, file) {
  if (conflict != "") stop(conflict)
  at = "command line: -s"
  if (("scenario", "") in GIVEN) {
    file_take("scenario", GIVEN["scenario", ""])
    # A user's file has its own name; a run.conf names the scenario that it came from.
    if (asked != "" && !(("scenario", "SCENARIO") in VALUE)) put("argument", "SCENARIO", asked, at)
  } else {
    resolve("")
    name = asked
    if (asked == "") {
      name = V["SCENARIO"]
      at = where("SCENARIO")
    }
    file = named("scenarios", name)
    if (file == "") stop_near("scenarios", name, at ": SCENARIO=" name ": not found; ")
    file_take("scenario", file)
    if (asked != "") put("argument", "SCENARIO", asked, at)
  }
  if (RESUME) return
  quick_take()
  workload_take()
}

# Put QUICK.settings in force for the quick form: above files, below the environment and the command line. A run.conf has them already.
function quick_take(    n, i, word, at) {
  resolve("")
  if (V["QUICK"] == "off") return
  at = where("QUICK.settings") ": QUICK.settings"
  n = words("QUICK.settings", word)
  for (i = 1; i <= n; i++) if (!(("over", kind_before(word[i] "", "=")) in VALUE)) word_take("over", word[i] "", at)
}

# Copy the settings of WORKLOAD into the layer that names it. Settings of that layer itself, and of all higher layers, stay.
function workload_take() {
  resolve("")
  if (V["WORKLOAD"] != "off") workload_copy(LAYER[layer_of("WORKLOAD")])
}

# Copy the settings of the workload that a layer names into it, below its own.
function workload_copy(layer,    name, at, file, i) {
  name = VALUE[layer, "WORKLOAD"]
  at = FROM[layer, "WORKLOAD"] ": WORKLOAD=" name
  if (name == "ycsb-e")
    stop(at ": not supported: it scans records in the order of their keys, which Redis does not keep; ./do_it.sh list names workloads")
  if (name !~ /[^A-Za-z0-9_-]/) file = named("workloads", name)
  if (file == "") stop_near("workloads", name, at ": not found; ")
  for (i = 1; i <= names; i++) delete VALUE["workload", NAME[i]]
  file_take("workload", file)
  for (i = 1; i <= names; i++)
    if (("workload", NAME[i]) in VALUE && !((layer, NAME[i]) in VALUE)) setting_keep(layer, NAME[i], VALUE["workload", NAME[i]], at)
}

# Read the files of all variants, each into its layer. A variant that is repeated is refused: its repeats would have the same directories.
function variants_take(    n, i, name, seen, file, text) {
  resolve("")
  n = words("VARIANTS", name)
  for (i = 1; i <= n; i++) {
    if (sub(/\?$/, "", name[i])) say("optional", name[i])
    text = text (i > 1 ? " " : "") name[i]
  }
  V["VARIANTS"] = text
  for (i = 1; i <= n; i++) {
    if (name[i] in seen) refuse("VARIANTS", "the variant " name[i] " is repeated; give each variant once")
    seen[name[i]] = 1
    # Its results would have a directory with this name.
    if (name[i] ~ /:/) refuse("VARIANTS", name[i] ": a name with a colon, which is no name of a directory on other systems; rename its file")
    if (name[i] ~ ENVIRON["IN_RUN"]) refuse("VARIANTS", name[i] ": the name of another file or directory of a run; rename its file")
    # A resumed run reads the settings it began with, not the current files.
    file[i] = RESUME ? wanted("run", name[i]) : named("variants", name[i] "")
    if (file[i] == "") stop_near("variants", name[i], where("VARIANTS") ": VARIANTS=" text ": " name[i] ": not found; ")
  }
  VALUE[LAYER[layer_of("VARIANTS")], "VARIANTS"] = text
  for (i = 1; i <= n; i++) {
    file_take("variant:" name[i], file[i] "")
    # That file has every setting, also those that the variant does not set.
    if (RESUME && (file[i] = named("variants", name[i] "")) != "") file_take("file:" name[i], file[i] "")
  }
}

# Say the layers, and what the shell asks or warns of.
function layers_say(    i, n, word, key, part, text) {
  say("layer", "listed" OFS listed)
  for (i = 1; i <= names; i++) {
    say("layer", "setting" OFS "default" OFS NAME[i] OFS FROM["default", NAME[i]] OFS VALUE["default", NAME[i]])
    n = split("over environment argument", word, " ")
    while (n && !((word[n], NAME[i]) in VALUE)) n--
    if (n) text = text (text == "" ? "" : " ") NAME[i]
    if (kind_before(NAME[i], ".") ".*" in KIND) say("part", NAME[i])
  }
  if (text != "") say("over", text)
  for (key in VALUE) {
    split(key, part, SUBSEP)
    if (part[1] !~ /^(default|workload)$/) say("layer", "setting" OFS part[1] OFS part[2] OFS FROM[key] OFS VALUE[key])
  }
  for (i = 1; i <= risks; i++)
    if (!(("argument", RISKY[i]) in VALUE || ("environment", RISKY[i]) in VALUE)) say("trust", RISKY_LINE[i])
  environment_warn()
}
