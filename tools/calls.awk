# SPDX-License-Identifier: MIT
# Print which files of the modules call which, and what of that runs against the layers.
#
# Usage: awk -f calls.awk FILE... FILE...
#   FILE...  all files, twice, because functions are read before calls: lib/LAYER/NAME.sh, lib/part/NAME/results.sh in the layer results, and programs, which are above all layers
# Output: lines `FROM TO FUNCTION...`, then lines `up: ...`, `circle: FILE...` and `unread: FILE` for what is wrong.
#
# A call is a word outside of comments, quotes and ${ } that has the name of a function of another file. A function that is passed to another one, and
# the command of a trap, count too.

BEGIN {
  # Lowest first; with a comma between two, neither calls the other.
  n = split("shared core plan,results run part cmd", layer, " ")
  for (i = 1; i <= n; i++) {
    m = split(layer[i], folder, ",")
    for (j = 1; j <= m; j++) rank[folder[j]] = i
  }
  rank[""] = i
}

FNR == 1 {
  check_state()
  if (FILENAME in seen) again = 1
  seen[FILENAME] = 1
  if (!again) file[++files] = FILENAME
  state = "code"
}

!again && /^[a-z_][a-z0-9_]*\(\)/ { owner[substr($1, 1, index($1, "(") - 1)] = FILENAME }

again {
  text = code($0)
  gsub(/[A-Za-z0-9_]+[+]?=/, "=", text)
  n = split(text, word, /[^A-Za-z0-9_$-]+/)
  for (i = 1; i <= n; i++) {
    if (!(word[i] in owner) || owner[word[i]] == FILENAME || word[i] == "main") continue
    key = FILENAME " " owner[word[i]]
    if (!(key in calls)) next_of[FILENAME] = next_of[FILENAME] " " owner[word[i]]
    if (index(calls[key] " ", " " word[i] " ") == 0) calls[key] = calls[key] " " word[i]
  }
}

# The code of a line, without comments, quoted text and ${ }. What is open at the end of the line is in `state`, the innermost first.
function code(line,   i, c, out, top) {
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    top = state
    sub(/ .*/, "", top)
    if (top == "single") {
      if (c == "'") close_state()
    } else if (c == "\\" ) {
      i++
    } else if (top == "escaped") {
      if (c == "'") close_state()
    } else if (c == "$" && substr(line, i + 1, 1) == "{") {
      state = "brace " state
      i++
      out = out "$"
    } else if (c == "$" && substr(line, i + 1, 1) == "(") {
      state = "paren " state
      i++
      out = out " "
    } else if (c == "\"") {
      if (top == "double") close_state()
      else state = "double " state
    } else if (top == "brace") {
      if (c == "}") close_state()
      else if (c == "'" && !index(state, "double")) state = "single " state
    } else if (top == "double") {
      continue
    } else if (c == "'") {
      # The command of a trap.
      if (out ~ /trap [$]?$/) state = "trap " state
      else if (top == "trap") close_state()
      else if (out ~ /\$$/) state = "escaped " state
      else state = "single " state
    } else if (c == "#" && (i == 1 || substr(line, i - 1, 1) ~ /[ \t;(]/)) {
      break
    } else {
      if (c == "(" && state != "code") state = "paren " state
      if (c == ")" && top == "paren") close_state()
      out = out c
    }
  }
  return out
}

function close_state() {
  sub(/^[a-z]+ /, "", state)
}

# A file ends outside of quotes and brackets, if each of its lines was understood.
function check_state() {
  if (state != "" && state != "code") unread = unread "unread: " last "\n"
  last = FILENAME
}

# The layer of a file; empty for a program.
function layer_of(name,   part) {
  split(name, part, "/")
  return part[2] == "part" && part[4] == "results.sh" ? "results" : part[2]
}

END {
  check_state()
  printf "%s", unread
  for (f = 1; f <= files; f++) {
    n = split(next_of[file[f]], to, " ")
    for (i = 1; i <= n; i++) print file[f] " " to[i] calls[file[f] " " to[i]]
  }
  for (f = 1; f <= files; f++) {
    from = layer_of(file[f])
    if (!(from in rank)) {
      print "up: " file[f] ": its directory is not a layer"
      continue
    }
    n = split(next_of[file[f]], to, " ")
    for (i = 1; i <= n; i++) {
      above = layer_of(to[i])
      if (rank[above] > rank[from] || rank[above] == rank[from] && above != from) print "up: " file[f] " calls" calls[file[f] " " to[i]] " of " to[i]
    }
  }
  circles()
}

# Print the circles: remove files that no remaining file calls, or that call none, until nothing changes. What remains is in a circle, or between two.
function circles(   f, i, n, to, changed, left, into, out, text) {
  for (f = 1; f <= files; f++) left[file[f]] = 1
  do {
    changed = 0
    split("", into)
    for (f in left) {
      n = split(next_of[f], to, " ")
      out = 0
      for (i = 1; i <= n; i++) if (to[i] in left) { into[to[i]] = 1; out++ }
      if (!out) { delete left[f]; changed = 1 }
    }
    for (f in left) if (!(f in into)) { delete left[f]; changed = 1 }
  } while (changed)
  for (f = 1; f <= files; f++) if (file[f] in left) text = text " " file[f]
  if (text != "") print "circle:" text
}
