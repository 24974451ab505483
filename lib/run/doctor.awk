# SPDX-License-Identifier: MIT
# Doctor's rows HOST STATE CHECK FOUND WANTED FIX as text: problems and warnings, or a table of all checks. Environment:
# DOCTOR_AS (problems, all, or lines: one line per problem), DOCTOR_WIDTH (columns of the terminal; 0: no limit), DOCTOR_LOCAL (hosts that
# are this machine, blanks around each), DOCTOR_DEPS (the installer here), DOCTOR_FIX (the command that installs on other hosts). A FIX
# `install: NAME...` is replaced by the command that installs these.

BEGIN {
  FS = "\t"
  as = ENVIRON["DOCTOR_AS"]
  width = ENVIRON["DOCTOR_WIDTH"] + 0
}

# A host that is server and client has some checks twice.
seen[$0]++ { next }

{
  rows++
  host[rows] = $1; state[rows] = $2; check[rows] = $3; found[rows] = $4; wanted[rows] = $5
  fix[rows] = command($1, $6)
  if ($2 == "fail") problems++
  if (!($1 in index_of)) { names[++hosts] = $1; index_of[$1] = hosts }
}

END {
  if (as == "all") {
    for (h = 1; h <= hosts; h++) table(names[h])
  } else if (as == "lines") {
    for (i = 1; i <= rows; i++)
      if (state[i] == "fail") print host[i] ": " check[i] ": " found[i] "; requires: " wanted[i] "; fix: " fix[i]
    exit
  } else {
    group()
    list("fail", "Problems")
    list("warn", "Warnings")
  }
  print problems ? problems " problem" (problems > 1 ? "s" : "") : "fit"
}

function command(where, text) {
  if (text !~ /^install: /) return text
  if (index(ENVIRON["DOCTOR_LOCAL"], " " where " ") || where == "master") return ENVIRON["DOCTOR_DEPS"] " run " substr(text, 10)
  return ENVIRON["DOCTOR_FIX"]
}

# A problem that several hosts share becomes one entry, and so do all tuning settings that fail for the same reason.
function group(   i, key, tuning) {
  for (i = 1; i <= rows; i++) {
    if (state[i] == "ok") continue
    tuning = check[i] ~ /^tuning ./
    key = state[i] SUBSEP (tuning ? "TUNE" SUBSEP (found[i] == "needs root") : check[i] SUBSEP found[i] SUBSEP wanted[i]) SUBSEP (tuning ? "" : fix[i])
    if (!(key in at)) {
      at[key] = ++entries
      entry_state[entries] = state[i]; entry_tuning[entries] = tuning
      text[entries] = check[i] ": " found[i] (wanted[i] == "-" || wanted[i] == "" ? "" : "; requires: " wanted[i])
      entry_fix[entries] = fix[i]; root[entries] = found[i] == "needs root"
    }
    add(at[key], host[i], tuning ? substr(check[i], 8) : "", fix[i])
  }
}

# Add a host to an entry, with the tuning setting concerned: its fix has the value that leaves the host as it is.
function add(e, where, name, off) {
  if (!((e, where) in on)) {
    on[e, where] = 1
    where_of[e] = where_of[e] (where_of[e] == "" ? "" : ", ") where
  }
  if (name != "" && !((e, name) in about)) {
    about[e, name] = 1
    settings[e] = settings[e] (settings[e] == "" ? "" : ", ") name
    sub(/^run as root, or /, "", off)
    sub(/,.*/, "", off)
    offs[e] = offs[e] (offs[e] == "" ? "" : " ") off
  }
}

function list(which, title,   e, any) {
  for (e = 1; e <= entries; e++) {
    if (entry_state[e] != which) continue
    if (!any++) print title
    if (entry_tuning[e]) {
      text[e] = "tuning: " settings[e] ": " (root[e] ? "requires root" : "not available there (--all says why)")
      entry_fix[e] = (root[e] ? "run as root, or " : "") offs[e] (root[e] ? "" : " accepts it")
    }
    fold("  ", where_of[e] ": " text[e], 4)
    if (entry_fix[e] != "-" && entry_fix[e] != "") fold("    ", "fix: " entry_fix[e], 9)
  }
  if (any) print ""
}

# Print a text after a prefix in lines no wider than the terminal; continuation lines are indented. A word longer than a line is not broken,
# so that it can be pasted.
function fold(prefix, line, indent,   n, word, i, out) {
  if (!width || length(prefix line) <= width) { print prefix line; return }
  n = split(line, word, " ")
  out = prefix word[1]
  for (i = 2; i <= n; i++) {
    if (length(out) + 1 + length(word[i]) > width) {
      print out
      out = sprintf("%" indent "s", "") word[i]
    } else out = out " " word[i]
  }
  print out
}

# Print all checks of a host. If a line is wider than the terminal, the text after the check's name is on separate lines.
function table(name,   i, w, s, line) {
  print name
  w[1] = length("check"); w[2] = length("found"); w[3] = length("wanted")
  for (i = 1; i <= rows; i++) {
    if (host[i] != name) continue
    if (length(check[i]) > w[1]) w[1] = length(check[i])
    if (length(found[i]) > w[2]) w[2] = length(found[i])
    if (length(wanted[i]) > w[3]) w[3] = length(wanted[i])
  }
  if (width && 10 + w[1] + w[2] + w[3] > width) {
    for (i = 1; i <= rows; i++)
      if (host[i] == name) {
        fold(sprintf("  %-5s  %-" w[1] "s  ", state[i], check[i]), found[i], 11 + w[1])
        if (state[i] != "ok") {
          fold(sprintf("%" 11 + w[1] "s", ""), "requires: " wanted[i], 13 + w[1])
          if (fix[i] != "-") fold(sprintf("%" 11 + w[1] "s", ""), "fix: " fix[i], 13 + w[1])
        }
      }
  } else {
    s = "  %-5s  %-" w[1] "s  %-" w[2] "s  %-" w[3] "s  %s"
    print sprintf(s, "state", "check", "found", "requires", "fix")
    for (i = 1; i <= rows; i++)
      if (host[i] == name) {
        line = sprintf(s, state[i], check[i], found[i], wanted[i], fix[i])
        sub(/ +$/, "", line)
        print line
      }
  }
  print ""
}
