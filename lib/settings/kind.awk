# SPDX-License-Identifier: MIT
# Kinds of settings (lib/settings/kinds.tsv): whether a value is of a kind, its plain form, and what a kind accepts in words.
# Environment: TIERS, the kinds of memory, which are a kind of values; LIB.

# Whether a value is of a kind: of one of several, or a list of words of those behind `list:`.
function kind_is(value, kind,    n, i, word, first) {
  while (kind != "" && kind !~ /^list:/) {
    first = kind_before(kind, "|")
    if (kind_is_one(value, first)) return 1
    kind = substr(kind, length(first) + 2)
  }
  n = kind == "" ? 0 : split(value, word, " ")
  for (i = 1; i <= n; i++) if (!kind_is(word[i] "", substr(kind, 6))) return 0
  return n > 0
}

# Read the table of kinds.
function kinds_read(    file, line, field) {
  file = LIB "/settings/kinds.tsv"
  while ((getline line < file) > 0) {
    if (line ~ /^#/) continue
    split(line, field, "\t")
    gsub(/I/, "(0|[1-9][0-9]*)", field[2])
    gsub(/D/, "[0-9]+([.][0-9]+)?", field[2])
    KIND_PATTERN[field[1]] = "^(" field[2] ")$"
    KIND_UNITS[field[1]] = " " field[3] " "
    KIND_WORDS[field[1]] = field[4]
  }
  close(file)
}

# Split a kind: KIND_KEY is its name in the table, and KIND_BOUNDS what is behind it.
function kind_split(kind) {
  KIND_KEY = kind_before(kind, ":")
  KIND_BOUNDS = substr(kind, length(KIND_KEY) + 2)
  if (KIND_BOUNDS != "") KIND_KEY = KIND_KEY ":"
}

# Whether a value is of a single kind, without `list:` and `|`.
function kind_is_one(value, kind,    type, pattern, n, i, m, at, bound, number) {
  if (kind ~ /^[a-z]+:(number|pair|percent|range):/) {
    type = kind_before(kind, ":") ":"
    return index(value, type) == 1 && kind_is_one(substr(value, length(type) + 1), substr(kind, length(type) + 1))
  }
  kind_split(kind)
  type = KIND_KEY
  if (!(type in KIND_PATTERN)) return kind != "" && value == kind
  pattern = KIND_PATTERN[type]
  # `on` turns other counters on, but names no event.
  if (type value ~ /^(eventon|programsource:|ratio:0:0)$/) return 0
  if (type == "each:") {
    sub(/word/, kind_before(KIND_BOUNDS, ":"), pattern)
    sub(/^[^:]*:/, "", KIND_BOUNDS)
  }
  if (value !~ pattern) return 0
  if (type == "host") return kind_is_host(value)
  if (type == "cpus") return kind_is_cpus(value)
  if (type == "tier") return index(" " ENVIRON["TIERS"] " ", " " value " ") > 0
  n = split(KIND_BOUNDS, bound, /[.][.]|:/)
  if (!n) return 1
  if (type ~ /^(word|fields):$/) value = length(value)
  i = type ~ /^(times|span|range):$/ && value !~ /[a-z]/
  gsub(/[.][.]|[^0-9.KMG]/, " ", value)
  m = split(value, number, " ")
  if (i && m > 1 && number[1] + 0 > number[2] + 0) return 0
  for (i = 1; i <= m && i <= 2; i++) {
    at = i * 2 <= n ? i * 2 : 2
    # More digits are not exact.
    if (kind_before(number[i], ".") ~ /^.................../ || number[i] ~ /[.]........../) return 0
    if (size_bytes(number[i]) < size_bytes(bound[at - 1]) || size_bytes(number[i]) > size_bytes(bound[at])) return 0
  }
  return 1
}

# The text in front of the first SEPARATOR; all of it without one.
function kind_before(text, separator,    at) {
  at = index(text, separator)
  return at ? substr(text, 1, at - 1) : text
}

# Whether a value is a list in the kernel's form, 0-3,8, each range ascending.
function kind_is_cpus(value,    n, i, part, edge) {
  # No kernel has more than 8192 CPUs (CONFIG_NR_CPUS), and each CPU in a list is checked.
  if (length(value) > 4096) return 0
  n = split(value, part, ",")
  for (i = 1; i <= n; i++) {
    if (part[i] !~ /^(0|[1-9][0-9]*)(-(0|[1-9][0-9]*))?$/) return 0
    if (split(part[i], edge, "-") < 2) edge[2] = edge[1]
    if (edge[1] + 0 > edge[2] + 0 || edge[2] + 0 >= 8192) return 0
  }
  return n > 0
}

# Whether a value is a host: a name of at most 253 characters, an IPv4 or an IPv6 address. NAME:PORT is refused.
function kind_is_host(value,    n, i, part, at) {
  if (value ~ /::.*::|^::$|^0\./) return 0
  if (value ~ /:.*\./) {
    n = split(value, part, ":")
    return part[n] !~ /[^0-9.]/ && kind_is_host(part[n] "") && kind_is_host(substr(value, 1, length(value) - length(part[n]) - 1) ":0:0")
  }
  if (at = index(value, "::")) return kind_groups(substr(value, 1, at - 1)) + kind_groups(substr(value, at + 2)) < 8
  if (value ~ /:/) return kind_groups(value) == 8
  # A name whose last part is a number would be an address.
  if (value ~ /[^0-9.]/)
    return length(value) <= 253 && value ~ /^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?([.][A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$/
  n = split(value, part, ".")
  for (i = 1; i <= n; i++) if (part[i] !~ /^(0|[1-9][0-9]?[0-9]?)$/ || part[i] + 0 > 255) return 0
  return n == 4
}

# The number of groups in a part of an IPv6 address; 99 if it is not of such groups.
function kind_groups(value,    n, i, part) {
  n = split(value, part, ":")
  for (i = 1; i <= n; i++) if (part[i] !~ /^[0-9A-Fa-f][0-9A-Fa-f]?[0-9A-Fa-f]?[0-9A-Fa-f]?$/) return 99
  return n
}

# The plain form of a value of a kind: 100k is 100000, 5m is 300 (seconds), 4GB is 4G, 08.50 is 8.5. A value with a unit that its kind does not have
# stays as it is.
function kind_plain(value, kind,    out, at, number, is_trimmed, is_rates, separators, width) {
  if (value !~ /[0-9]/) return value
  # The shell takes 08 for an octal number, and equal values must have equal text.
  is_rates = value ~ / / && kind ~ /(^|[|])rates$/
  separators = is_rates ? "[.][.]|[ @=]" : "[:/@-]"
  is_trimmed = is_rates || kind ~ /(^|[|:])(number|time|every|pair|percent):/
  # Numbers may have these between them, and the first one, both times, or all of a schedule, a unit.
  while (value != "") {
    at = match(value, separators) ? RSTART : length(value) + 1
    width = at > length(value) ? 0 : RLENGTH
    number = substr(value, 1, at - 1)
    if (out == "" || is_rates || kind ~ /times:/) number = kind_unit(number, kind)
    if (is_trimmed && (is_rates || out !~ /@$/) && number ~ /^[0-9.]+%?$/) number = kind_trim(kind_before(number, "%")) (number ~ /%/ ? "%" : "")
    out = out number substr(value, at, width)
    value = substr(value, at + width)
  }
  return out
}

# A number without its unit, or with the unit of its kind.
function kind_unit(value, kind,    n, i, part, number, unit, units) {
  if (value !~ /^[0-9]+(\.[0-9]+)?[A-Za-z]+$/ || length(value) > 22) return value
  match(value, /[A-Za-z]+$/)
  number = substr(value, 1, RSTART - 1)
  unit = substr(value, RSTART)
  if (kind_before(number, ".") ~ /^........../ || number ~ /[.]........../) return value
  sub(/list:/, "", kind)
  n = split(kind, part, "|")
  for (i = 1; i <= n; i++) {
    kind_split(part[i])
    units = KIND_KEY in KIND_UNITS ? KIND_UNITS[KIND_KEY] : ""
    if (units == " size ") return kind_size(value, number, toupper(unit))
    if (index(units, " " unit "=")) return kind_scaled(number, substr(units, index(units, " " unit "=") + length(unit) + 2) + 0)
  }
  return value
}

# A decimal without zeros at its ends.
function kind_trim(number) {
  sub(/^0+/, "", number)
  if (number ~ /^(\.|$)/) number = "0" number
  if (number ~ /\./) sub(/\.?0*$/, "", number)
  return number
}

# A decimal times a factor. Its parts are scaled apart: a product may have more digits than a number of awk.
function kind_scaled(number, factor,    at, whole_part, part) {
  at = index(number ".", ".")
  whole_part = substr(number, 1, at - 1)
  part = substr(number, at + 1)
  if (factor < 1) return kind_trim(int(whole_part / 1000) "." sprintf("%03d", whole_part % 1000) part)
  part = substr(part "000000000", 1, 9) * factor
  return kind_trim(sprintf("%.0f.%09d", whole_part * factor + int(part / 1000000000), part % 1000000000))
}

# A size in the largest unit of which it is a whole number; VALUE itself if it has another unit.
function kind_size(value, number, unit,    power, scaled) {
  if (unit !~ /^([KMGT]I?)?B?$/) return value
  power = index("KMGT", substr(unit, 1, 1))
  if (!power) return number ~ /\./ ? value : number
  scaled = kind_scaled(number, 1)
  if (scaled ~ /\./ || power == 4) {
    scaled = kind_scaled(number, 1024)
    power--
  }
  return scaled ~ /\./ ? value : scaled substr("KMG", power, power > 0)
}

# The two readings of a number that may have a separator of thousands in place of a decimal point: 100.000, 1.500G; empty without one. Stored values
# do not end with 0.
function kind_grouped(value, kind,    joined) {
  if (kind !~ /(^|[|:])(int|number|time|seconds|ms|span|size|percent|pair|every|times|each):/) return ""
  if (!match(value, /(^|[ :\/-])[1-9][0-9]?[0-9]?\.[0-9][0-9]0($|[^0-9.])/)) return ""
  value = substr(value, RSTART, RLENGTH)
  gsub(/^[^0-9]|[^0-9]$/, "", value)
  joined = value
  sub(/\./, "", joined)
  return joined " or " value "0"
}

# What a kind accepts, in words.
function kind_text(kind,    n, i, part, text) {
  sub(/list:/, "list|", kind)
  n = split(kind, part, "|")
  for (i = 1; i <= n; i++) {
    if (text != "" && text !~ /: $/) text = text ", "
    if (part[i] == "list") text = text (text == "" ? "" : "or ") "a list, separated by blanks or commas, of: "
    else text = text kind_part(part[i] "")
  }
  return text
}

# What one part of a kind accepts, in words.
function kind_part(kind,    type, text, bound, n, i) {
  type = kind_before(kind, ":")
  if (kind ~ /^[a-z]+:(pair|range):/) return type ":" kind_part(substr(kind, length(type) + 2))
  if (kind ~ /^[a-z]+:(number|percent):/) {
    text = kind ~ /:percent:/ ? ":N%" : ":N"
    sub(/.*:/, "", kind)
    return type text " with N from " kind_before(kind, "..") " to " substr(kind, index(kind, "..") + 2)
  }
  kind_split(kind)
  if (!(KIND_KEY in KIND_WORDS)) return kind
  text = KIND_WORDS[KIND_KEY]
  if (text == "TIERS") {
    text = ENVIRON["TIERS"]
    gsub(/ /, ", ", text)
  }
  if (type == "each") {
    sub(/WORD/, kind_before(KIND_BOUNDS, ":"), text)
    sub(/^[^:]*:/, "", KIND_BOUNDS)
  }
  n = split(KIND_BOUNDS, bound, /[.][.]|:/)
  # Of large numbers, users want to know whether 100000 can be shorter.
  if (type ~ /^(int|number)$/ && bound[2] ~ /^1000000000/) bound[2] = bound[2] ", such as 100k"
  for (i = 1; i <= n; i++) sub("[{]" substr("ABCD", i, 1) "[}]", bound[i] "", text)
  return text
}
