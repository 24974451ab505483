# SPDX-License-Identifier: MIT
# The reader of settings: checks what the command line, files and the environment say, and keeps it by layer (lib/settings/layers.awk).
# Input lines, tab-separated; lib/core/conf.sh prints them. A line break in an argument is the character 1:
#   word LAYER WHERE NAME=VALUE   an assignment
#   host WHERE LAYER NAME ADDRESS a line of a hosts file: one more host of SERVER or CLIENT_IP
#   address WHERE VALUE           a data address of a hosts file
#   environment NAME=VALUE        a variable of the environment
#   hosts FILE                    the words below are of this hosts file of the command line
#   scenario NAME                 -s, or empty: the setting SCENARIO names it
#   named KIND NAME               a directory of TIERBENCH_PATH has this file
#   text OF NAME PATH LINES       a file, and its lines below: NAME of a kind, or in the directory of the OFth text; `none OF NAME`: it does not exist
# Files of conf/ are read here. For others, `want OF NAME` is printed in place of an answer: lib/core/conf.sh decides whether they may be read.
# Groups of lines besides those of lib/settings/layers.awk:
#   layer     the layers, for the planner (lib/plan/settings.awk)
#   part      names of parts of NAME.*
#   over      names of settings that override those of any variant
#   optional  variants that VARIANTS names with ?
#   trust     NUMBER NAME=VALUE: a program, a file or a user that the text of this number names, and nothing overrides
#   warn      texts of warnings

BEGIN {
  SPACE = "[ \t\r\v\f]"
  NAMED = "[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z0-9_-]+)?"
  kinds_read()
  files = split(ENVIRON["LISTS"], list, "\n")
  for (i = 1; i <= files; i++) list_read(list[i])
  aliases_read(ROOT "/conf/aliases.tsv")
  file_take("block", ROOT "/do_it.sh", "# >>> settings", "# <<< settings")
}

left > 0 {
  LINE[texts, ++LINES[texts]] = $0
  left--
  next
}
$1 == "text" {
  GIVEN[$2, $3] = ++texts
  PATH[texts] = $4
  left = $5
}
$1 == "none" { GIVEN[$2, $3] = "" }
$1 == "named" { OURS[$2, $3] = 1 }
$1 == "word" { word_take($2, substr($0, length($1 $2 $3) + 4), $3) }
$1 == "host" {
  check($4 "", $5, $2)
  keep_short($4, $5 = (($3, $4) in VALUE ? VALUE[$3, $4] " " : "") CHECKED_VALUE, $2)
  setting_keep($3, $4, $5, $2)
}
$1 == "environment" { environment_take(substr($0, 13)) }
$1 == "scenario" { asked = $2; is_asked = 1 }
$1 == "address" && !kind_is_host($3) {
  stop($2 ": " $3 ": invalid data address; accepted: " kind_text("host") ", or - for the address of ssh")
}
$1 == "hosts" {
  given = ("argument", "SERVER") in VALUE ? "SERVER=" VALUE["argument", "SERVER"] : ""
  if (("argument", "CLIENT_IP") in VALUE) given = given (given == "" ? "" : " and ") "CLIENT_IP=" VALUE["argument", "CLIENT_IP"]
  if (given != "") conflict = "command line: -H=" $2 ": conflicts with " given "; leave out one of the two ways"
}

# Read the list of settings: `NAME=VALUE  #: KIND`. With NAME.* any word is a part of NAME, which exists once it is named.
function list_read(file,    line, number, at, name) {
  while ((getline line < file) > 0) {
    number++
    if (line ~ /^(#|$)/) continue
    at = index(line, "  #: ")
    if (!at || !match(line, /^[A-Z][A-Z0-9_]*(\.[*a-z0-9_-]+)?=/)) stop(file ":" number ": " line ": not a setting; accepted: NAME=VALUE  #: KIND")
    name = substr(line, 1, RLENGTH - 1)
    if (name in KIND) stop(file ":" number ": " name ": exists, " FROM["default", name] "; choose another name")
    KIND[name] = substr(line, at + 5)
    line = substr(line, RLENGTH + 1, at - RLENGTH - 1)
    gsub(/^"|"$/, "", line)
    setting_keep("default", name, line, file ":" number)
    if (name !~ /\*/) name_add(name)
  }
  close(file)
  listed = names
}

# Add a name of a setting, or of a part.
function name_add(name,    whole_name) {
  NAME[++names] = name
  TAKEN[variable_of(name)] = 1
  whole_name = name
  if (sub(/\..*/, "", whole_name)) PARTS[whole_name] = PARTS[whole_name] " " name
}

# Whether a name is that of a setting. A part of NAME.* is made, unless another part has its variable.
function is_known(name,    any) {
  if (name in KIND) return 1
  any = name
  if (!sub(/\..*/, ".*", any) || !(any in KIND) || name ~ /\..*[A-Z]/ || variable_of(name) in TAKEN) return 0
  KIND[name] = KIND[any]
  setting_keep("default", name, VALUE["default", any], FROM["default", any])
  name_add(name)
  return 1
}

# The names of the parts of a setting, with a blank in front of each.
function parts_text(name,    text) {
  text = PARTS[name]
  gsub(" " name "[.]", " ", text)
  return text
}

# Read other names of settings: THEIRS OURS VALUES [given]. A name that takes every value has the parts of the setting, too.
function aliases_read(file,    line, field, n, i, part) {
  while ((getline line < file) > 0) {
    if (line ~ /^#/ || split(line, field, "\t") < 3) continue
    alias_add(field[1], field[2], field[3], field[4] == "given")
    n = field[3] == "*" && field[2] in PARTS ? split(PARTS[field[2]], part, " ") : 0
    for (i = 1; i <= n; i++) alias_add(field[1] substr(part[i], length(field[2]) + 1), part[i], "*", field[4] == "given")
  }
  close(file)
}

function alias_add(theirs, ours, values, is_given) {
  ALIAS[theirs] = ours
  ALIAS_VALUES[theirs] = values
  ALIAS_ELSEWHERE[theirs] = is_given
}

# Our value for a value of the other name.
function alias_value(name, value, at,    n, i, word, theirs, text) {
  theirs = value == "" ? "\"\"" : value
  n = split(ALIAS_VALUES[name], word, " ")
  for (i = 1; i <= n && word[i] !~ /^\*/; i++) {
    if (index(word[i], theirs "=") == 1) return substr(word[i], length(theirs) + 2)
    text = text (i > 1 ? " " : "") kind_before(word[i], "=")
  }
  if (i > n) stop(at ": " name "=" value ": unknown value; accepted: " text " (conf/aliases.tsv)")
  if (word[i] == "*") return value
  text = substr(ALIAS_VALUES[name], index(ALIAS_VALUES[name], "*=") + 2)
  i = index(text, "*")
  return substr(text, 1, i - 1) value substr(text, i + 1)
}

# Take an assignment that is given as a word.
function word_take(layer, word, at) {
  if (word !~ ("^" NAMED "=")) stop(at ": " word ": not an assignment; accepted: NAME=VALUE")
  put(layer, kind_before(word, "="), substr(word, index(word, "=") + 1), at)
}

# Take a variable TIERBENCH_NAME=VALUE. A name without the prefix, such as DATA or TIME, may belong to another program. It is ignored, with a message
# if the user may have meant the setting.
function environment_take(pair,    name, value) {
  name = kind_before(pair, "=")
  value = substr(pair, length(name) + 2)
  if (name ~ /^TIERBENCH_./) {
    name = substr(name, 11)
    PREFIXED[name] = 1
    # Not settings:
    if (name !~ /^(DEBUG|HOME|PATH|ROOT|SHOW)$/) word_take("environment", name "=" value, "environment")
  } else if (name in ALIAS ? !ALIAS_ELSEWHERE[name] : name in KIND && kind_is(value, KIND[name])) ALONE[++alone] = name
}

# Say which names without the prefix were ignored. With both names, the user knows the prefix.
function environment_warn(    i, text, last) {
  for (i = 1; i <= alone; i++)
    if (!(ALONE[i] in PREFIXED)) text = text " " (last = ALONE[i])
  if (text != "") say("warn", "environment:" text ": ignored; requires: TIERBENCH_ in front of the name, such as TIERBENCH_" last)
}

# Refuse a value that a line of run.conf, NAME="VALUE", would not hold.
function keep_short(name, value, at) {
  if (length(value) > 65000) stop(at ": " name "=" substr(value, 1, 40) "...: too long; accepted: at most 65000 characters")
}

# Check a setting, or the parts of one, and keep them in a layer under our names.
function put(layer, name, value, at) {
  keep_short(name, value, at)
  # Another name of a setting with parts.
  if (name in ALIAS && ALIAS_VALUES[name] == "*" && ALIAS[name] in PARTS) {
    at = at ": " name
    name = ALIAS[name]
  }
  # Directives have blanks for tabs and the like.
  if (name ".*" in KIND) gsub(SPACE, " ", value)
  if (value ~ /["\001-\037\177]/)
    stop(at ": " name ": a line break, another control character or a double quote in the value is not supported; remove it")
  if (name ".*" in KIND) put_directives(layer, name, value, at)
  else if (name in PARTS) put_parts(layer, name, value, at)
  else put_one(layer, name, value, at)
}

# Take directives in the form of redis.conf, with semicolons between them. Several with one name are one part.
function put_directives(layer, name, value, at,    n, i, line, key, order, count, text) {
  n = split(value, line, ";")
  for (i = 1; i <= n; i++) {
    gsub("^" SPACE "+|" SPACE "+$", "", line[i])
    if (line[i] == "") continue
    gsub(SPACE, " ", line[i])
    key = kind_before(line[i] "", " ")
    # Redis removes quotes, and replaces escapes in them, before it looks at the name.
    if (key ~ /[^A-Za-z0-9_-]/)
      stop(at ": " name "=" substr(value, 1, 300) ": " substr(key, 1, 300) \
        ": not a plain name of a directive; accepted: letters, digits, - and _, without quotes")
    line[i] = substr(line[i], length(key) + 1)
    sub(/^ +/, "", line[i])
    key = tolower(key)
    if (key in text) line[i] = text[key] "; " key " " line[i]
    else order[++count] = key
    text[key] = line[i]
  }
  if (!count) stop(at ": " name "=" value ": empty; accepted: directives as in redis.conf, such as maxmemory 1gb; hz 100")
  for (i = 1; i <= count; i++) put_one(layer, name "." order[i], text[order[i]] "", at)
}

# Take the words of a setting with parts, from left to right: PART=VALUE; PART or +PART, on; -PART, off. Other words are the value of the setting
# itself; if it has none, on, off, auto or keep is the value of each part that accepts it.
function put_parts(layer, name, value, at,    n, i, j, m, word, shown, part, each, own, is_own, is_taken) {
  n = split(value, word, " ")
  if (!n && !(name in KIND)) stop(at ": " name "=: empty; accepted: PART=VALUE, with the parts" parts_text(name))
  is_own = !n
  for (i = 1; i <= n; i++) {
    shown = at ": " name "=" substr(word[i], 1, 300)
    part = ""
    if (word[i] ~ /^[+][a-z]/) word[i] = (part = substr(word[i], 2)) "=on"
    else if (word[i] ~ /^-[a-z]/) word[i] = (part = substr(word[i], 2)) "=off"
    else if (word[i] ~ /^[a-z].*=/) part = kind_before(word[i] "", "=")
    else if (name "." word[i] in KIND && kind_is("on", KIND[name "." word[i]])) word[i] = (part = word[i]) "=on"
    if (part != "") {
      if (!index(PARTS[name] " ", " " name "." part " ")) stop(shown ": unknown part; accepted:" parts_text(name))
      put(layer, name "." part, substr(word[i], index(word[i], "=") + 1), at)
    } else if (name in KIND) {
      own = own (is_own ? " " : "") word[i]
      is_own = 1
    } else {
      is_taken = 0
      m = word[i] ~ /^(on|off|auto|keep)$/ ? split(PARTS[name], each, " ") : 0
      for (j = 1; j <= m; j++)
        if (kind_is(word[i] "", KIND[each[j]])) {
          is_taken = 1
          put(layer, each[j] "", word[i] "", at)
        }
      if (!is_taken) stop(shown ": not PART=VALUE; parts are" parts_text(name))
    }
  }
  if (is_own && name in KIND) put_one(layer, name, own "", at)
}

# Keep a setting in a layer. What a file of another person names is said, unless it is the default, which this installation uses.
function put_one(layer, name, value, at) {
  check(name, value, at)
  setting_keep(layer, CHECKED, CHECKED_VALUE, CHECKED_FROM)
  if (FILE in PATH && layer != "over" && CHECKED_VALUE != VALUE["default", CHECKED] "" && is_risky(CHECKED, CHECKED_VALUE)) {
    RISKY[++risks] = CHECKED
    RISKY_LINE[risks] = FILE OFS CHECKED "=" CHECKED_VALUE
  }
}

# Check the value of a setting by its kind, and normalise both: CHECKED, CHECKED_VALUE and CHECKED_FROM.
function check(name, value, at,    n, i, word, shown, two) {
  if (name in ALIAS) {
    value = alias_value(name, value, at)
    at = at ": " name
    name = ALIAS[name]
  }
  if (!is_known(name)) {
    if (name in PARTS) stop(at ": " name "=" value ": has parts; name one of them:" PARTS[name])
    stop_near("settings", name, at ": " name ": unknown setting; ")
  }
  if (value ~ /^[^@]*%@/ && KIND[name] ~ /(^|[|])found($|[|])/) value = found_rate(name, value, at)
  # Blanks alone are no value.
  if (value ~ ("^" SPACE "*$")) value = ""
  shown = value
  if (KIND[name] ~ /list:/) {
    gsub(/,/, " ", value)
    n = split(value, word, " ")
    shown = value = ""
    for (i = 1; i <= n; i++) {
      shown = shown (i > 1 ? " " : "") word[i]
      value = value (i > 1 ? " " : "") kind_plain(word[i] "", KIND[name])
    }
  } else value = kind_plain(value, KIND[name])
  if (length(shown) > 300) shown = substr(shown, 1, 300) "..."
  two = kind_grouped(shown, KIND[name])
  shown = at ": " name "=" shown
  if (!kind_is(value, KIND[name]))
    stop(shown ": " (value == "" ? "empty" : "invalid") "; accepted: " kind_text(KIND[name]) (name in PARTS ? "; parts are" parts_text(name) : ""))
  if (two != "") stop(shown ": ambiguous, a fraction or thousands; write " two)
  CHECKED = name
  CHECKED_VALUE = value
  CHECKED_FROM = at
}

# Whether a value of a setting names a program, a file or a user: those of these kinds, and a setting that sets them. A new setting has one of them, unless
# its kind accepts neither a path nor any text.
function is_risky(name, value,    n, i, word) {
  if (name !~ /^(SWEEP|QUICK[.]settings)$/) return is_known(name) && KIND[name] ~ /(^|[|:])(text|path|program|absolute|user|commands|arguments)($|[|:])/
  n = split(value, word, " ")
  for (i = 1; i <= n; i++) {
    # SWEEP in QUICK.settings has a name behind it, too.
    sub(/^((SWEEP|QUICK[.]settings)=)+/, "", word[i])
    if (word[i] !~ /^[A-Za-z_].*=/) continue
    name = kind_before(word[i] "", "=")
    if (name in ALIAS) name = ALIAS[name]
    if (name !~ /^(SWEEP|QUICK)/ && is_risky(name)) return 1
  }
  return 0
}

# Refuse a name; the shell adds the nearest known one.
function stop_near(kind, name, text) {
  print "near" OFS kind OFS name OFS text
  is_stopped = 1
  exit 2
}
