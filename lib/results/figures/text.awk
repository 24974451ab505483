# SPDX-License-Identifier: MIT
# Text of tables: escaping of names, CSV fields, formatted numbers. Plain POSIX awk, with the same output in mawk and gawk.

# A table line holds one row, so a tab, a newline or a backslash in a name is written \t, \n, \r or \\.
function text_unescape(s,    out, i, c) {
  if (!index(s, "\\")) return s
  out = ""
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (c == "\\") {
      i++
      c = substr(s, i, 1)
      c = c == "t" ? "\t" : c == "n" ? "\n" : c == "r" ? "\r" : c
    }
    out = out c
  }
  return out
}

# The reverse of text_unescape. Character by character: awks differ in how gsub reads a backslash.
function text_escape(s,    out, i, c) {
  if (s !~ /[\\\t\n\r]/) return s
  out = ""
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    out = out (c == "\\" ? "\\\\" : c == "\t" ? "\\t" : c == "\n" ? "\\n" : c == "\r" ? "\\r" : c)
  }
  return out
}

# The name of a host whose directory has a name: hosts_folder in lib/core/hosts.sh.
function text_host(name) {
  gsub(/\+/, ":", name)
  return name
}

# The name under which a path is opened: with the prefix ./, so that awk does not interpret a name such as "-".
function text_opened(path) {
  return path ~ /^\// ? path : "./" path
}

# One field of RFC 4180: in quotes only if it contains the SEPARATOR, a quote or a line break; without control characters.
function text_csv(s, separator) {
  s = text_printable(s)
  # A spreadsheet runs text that begins with these characters as a formula; an apostrophe before it makes it text.
  if (s ~ /^[=+@\t-]/ && s !~ /^[-+0-9.,:;%() eE]*$/) s = "'" s
  if (s !~ /["\n]/ && !index(s, separator)) return s
  gsub(/"/, "\"\"", s)
  return "\"" s "\""
}

# A number with at most DECIMALS places and no trailing zeros, never in exponent form.
function text_number(x, decimals,    s) {
  s = sprintf("%." decimals "f", x)
  if (index(s, ".")) {
    sub(/0+$/, "", s)
    sub(/\.$/, "", s)
  }
  return s == "-0" ? "0" : s
}

# A number with commas between thousands, rounded to DECIMALS places; empty stays empty.
function text_group(x, decimals,    s, sign, whole, rest, out) {
  if (x == "") return ""
  s = sprintf("%." (decimals + 0) "f", x)
  sign = sub(/^-/, "", s) ? "-" : ""
  whole = s
  rest = ""
  if (index(s, ".")) {
    whole = substr(s, 1, index(s, ".") - 1)
    rest = substr(s, index(s, "."))
  }
  out = ""
  while (length(whole) > 3) {
    out = "," substr(whole, length(whole) - 2) out
    whole = substr(whole, 1, length(whole) - 3)
  }
  return sign whole out rest
}

# A number with three significant digits, and whole from 1000 on.
function text_short(x) {
  return x < 999.5 ? text_number(sprintf("%.3g", x), 6) : text_group(x, 0)
}

# The decimals that show X with DIGITS significant digits if it is below 1, else DIGITS: a small number rounded to a place loses its value.
function text_places(x, digits) {
  for (x += 0; x > 0 && x < 0.1 && digits < 30; x *= 10) digits++
  return digits
}

# The decimals of X by the word of the schema: a number; digits (text_places); latency: three significant digits, and none of whole numbers.
function text_decimals(x, word) {
  if (word == "digits") return text_places(x, 4)
  return word != "latency" ? word : x !~ /\./ ? 0 : x < 10 ? 2 : x < 100 ? 1 : 0
}

# Whole, not negative, and of at most 64 bits, so that arithmetic on it is valid.
function text_is_count(s) {
  return s ~ /^[0-9]+$/ && length(s) <= 20
}

# A number of a size that figures can have. Without a check, awk reads inf, nan and 1e999 as numbers.
function text_is_number(s) {
  return s ~ /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ && s + 0 < 1e20 && s + 0 > -1e20
}

# Sort key that orders rep-2 before rep-10: every run of digits is padded to one width.
function text_natural(s,    out, digits) {
  out = ""
  while (match(s, /[0-9]+/)) {
    digits = substr(s, RSTART, RLENGTH)
    out = out substr(s, 1, RSTART - 1) (RLENGTH < 20 ? substr("00000000000000000000", 1, 20 - RLENGTH) : "") digits
    s = substr(s, RSTART + RLENGTH)
  }
  return out s
}

# Text with ? for each control character except tab and newline: a terminal obeys them, and names are another person's. A C1 control of UTF-8 is two
# bytes, or one character for gawk in a UTF-8 locale. Each refuses the class of the other, so both are strings.
function text_printable(s) {
  gsub(/[\001-\010\013-\037\177]/, "?", s)
  gsub(length("\302\200") == 1 ? "[\302\200-\302\237]" : "\302[\200-\237]", "?", s)
  return s
}

# The same for one line or cell, which has no tab and no newline either.
function text_plain(s) {
  gsub(/[\t\n]/, "?", s)
  return text_printable(s)
}

# Print a message about PATH on stderr.
function text_complain(path, what) {
  print text_plain(ENVIRON["RESULT_PROGRAM"] ": " path ": " what) > "/dev/stderr"
}

# The bytes of the character of UTF-8 at the start of S, which is not ASCII; 0 if it is invalid. A string, because a UTF-8 locale refuses a program with
# half a character in a regular expression.
function text_utf8(s,    next_byte) {
  next_byte = "[\200-\277]"
  return match(s, "^([\302-\337]" next_byte "|\340[\240-\277]" next_byte "|\355[\200-\237]" next_byte "|[\341-\354\356\357]" next_byte next_byte \
    "|(\360[\220-\277]|[\361-\363]" next_byte "|\364[\200-\217])" next_byte next_byte ")") ? RLENGTH : 0
}

# A string of JSON, in its quotes; control characters are escaped. A byte that is not UTF-8, as a name may have, becomes the replacement character.
function text_json(s,    out, i, c, n, next_byte) {
  if (!("\t" in text_code)) for (i = 1; i < 160; i++) if (i < 32 || i > 126) text_code[sprintf("%c", i)] = i
  out = ""
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (c > "\177") {
      n = text_utf8(substr(s, i, 4))
      next_byte = substr(s, i + 1, 1)
      out = out (!n ? "\\ufffd" : c == "\302" && (next_byte in text_code) ? sprintf("\\u%04x", text_code[next_byte]) : substr(s, i, n))
      if (n) i += n - 1
      continue
    }
    out = out (c == "\\" || c == "\"" ? "\\" c : c == "\n" ? "\\n" : c == "\t" ? "\\t" : c == "\r" ? "\\r" : (c in text_code) ? sprintf("\\u%04x", text_code[c]) : c)
  }
  return "\"" out "\""
}

# Text escaped for markdown, also in a cell of a table.
function text_markdown(s) {
  if (s !~ /[&<>|*`\[\]\\]/) return s
  gsub(/&/, "\\&amp;", s)
  gsub(/</, "\\&lt;", s)
  gsub(/>/, "\\&gt;", s)
  gsub(/[|]/, "\\&#124;", s)
  gsub(/[*]/, "\\&#42;", s)
  gsub(/`/, "\\&#96;", s)
  gsub(/\[/, "\\&#91;", s)
  gsub(/\]/, "\\&#93;", s)
  gsub(/\\/, "\\&#92;", s)
  return s
}

# Text escaped for HTML, also inside an attribute in double quotes.
function text_html(s) {
  if (s !~ /[&<>"']/) return s
  gsub(/&/, "\\&amp;", s)
  gsub(/</, "\\&lt;", s)
  gsub(/>/, "\\&gt;", s)
  gsub(/"/, "\\&quot;", s)
  gsub(/'/, "\\&#39;", s)
  return s
}
