# SPDX-License-Identifier: MIT
# Checks what a host's script printed against its rows of replies.tsv, and prints it when every field is of its kind.
# Environment: REPLY_TABLE, REPLY_TUNING (files), REPLY_CALL (script, tab, verb), REPLY_MARK (the line before the reply; the line after it has `.end`
# added). Returns: 0; else prints a line on stderr that names the field.

BEGIN {
  FS = OFS = "\t"
  mark = ENVIRON["REPLY_MARK"]
  read_forms(ENVIRON["REPLY_TABLE"])
}

!begun { begun = ($0 == mark); next }
$0 == mark ".end" { ended = 1; exit }
{ line[++lines] = $0 }

END {
  if (!begun) refuse("no reply: the login shell did not run the script; check its start-up files (~/.bashrc) there")
  if (!ended) refuse("the reply is truncated")
  # The mark is printed on its own line, whether or not the last line of the reply ended with a line feed.
  if (lines && line[lines] == "") lines--
  if (lines > most) refuse("the reply has " lines " lines, expected up to " most)
  for (i = 1; i <= lines; i++) check(line[i])
  for (i = 1; i <= lines; i++) print line[i]
}

function read_forms(file,   row, f) {
  while ((getline row < file) > 0) {
    if (row ~ /^#/ || split(row, f, "\t") < 4 || f[1] FS f[2] != ENVIRON["REPLY_CALL"]) continue
    form[++forms] = f[4]
    most = f[3] + 0
  }
  close(file)
}

# If there are several forms, the first word of a line selects the form. The INFO of many instances has many lines and one form.
function check(text,   f, n, k, part, parts) {
  if (forms == 1 && form[1] == "info:info" && fits(text, "info")) return
  n = split(text, f, "\t")
  for (k = 1; k <= forms; k++) {
    parts = split(form[k], part, " ")
    if (parts == 1 && part[1] == "info:info") f[n = 1] = text
    if (index(part[1], ":") || f[1] == part[1]) break
  }
  if (k > forms) refuse("unexpected line " shown(text))
  if (n != parts) refuse("a line has " n " fields, expected " parts " (" form[k] "): " shown(text))
  for (k = 1; k <= parts; k++)
    if (index(part[k], ":") && !fits(f[k], substr(part[k], index(part[k], ":") + 1)))
      refuse(substr(part[k], 1, index(part[k], ":") - 1) "=" shown(f[k]) ": expected " substr(part[k], index(part[k], ":") + 1))
}

function fits(v, kind) {
  if (kind == "text") return length(v) <= 4096 && !control(v)
  if (kind == "info") return length(v) <= 8192 && !control(v) && v ~ /^($|#|[A-Za-z_][^:]*:)/
  if (kind == "count") return length(v) <= 18 && v ~ /^(0|[1-9][0-9]*)$/
  if (kind == "few") return v ~ /^(0|[1-9][0-9]?[0-9]?[0-9]?[0-9]?)$/
  if (kind == "number") return length(v) <= 32 && v ~ /^-?[0-9]+(\.[0-9]+)?$/
  if (kind == "seconds") return length(v) <= 18 && v ~ /^[1-9][0-9]*\.[0-9][0-9][0-9][0-9][0-9][0-9]$/
  if (kind == "name") return length(v) <= 128 && v ~ /^[A-Za-z0-9_.:@+-]+$/
  if (kind == "path") return length(v) <= 4096 && v ~ /^[.\/]/ && !control(v)
  if (kind == "tuning") return v == "-" || tuned(v)
  if (kind == "phase") return length(v) <= 24 && v ~ /^(populate|set|get|mixed|replay)(-[1-9][0-9]*)?(\.[1-9][0-9]*)?$/
  if (kind == "topology") return length(v) <= 256 && !control(v) && v ~ /^(#.*|[0-9]+,[0-9]+,[0-9]*,[0-9]*)$/ && v !~ /[0-9][0-9][0-9][0-9][0-9][0-9]/
  return v != "" && v !~ /\|/ && index("|" kind "|", "|" v "|")
}

# Control characters, also those that UTF-8 has in two bytes: a terminal obeys both.
function control(v) {
  return v ~ /[\001-\037\177]/ || v ~ /\302[\200-\237]/
}

function tuned(v,   row, f, file) {
  if (!tunings) {
    file = ENVIRON["REPLY_TUNING"]
    while ((getline row < file) > 0) if (row !~ /^#/ && split(row, f, "\t")) { tuning[f[1]] = 1; tunings++ }
    close(file)
  }
  return v in tuning
}

# A foreign value in a message: shortened, and without control characters.
function shown(v) {
  v = substr(v, 1, 80)
  gsub(/[\001-\037\177-\377]/, "?", v)
  return "'" v "'"
}

function refuse(why) {
  print why > "/dev/stderr"
  lines = 0
  exit 1
}
