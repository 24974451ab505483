# SPDX-License-Identifier: MIT
# Settings of runs that an earlier version made, under their names of today. Environment: ALIASES, the table of names (conf/aliases.tsv).

# Read the table's names of earlier versions, once.
function renamed_read(    line, f, n, i, file) {
  if (renamed_known++) return
  file = text_opened(ENVIRON["ALIASES"])
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[4] != "old" && f[4] != "switch") continue
    renamed_now[f[1]] = f[2]
    renamed_kind[f[1]] = f[4]
    n = split(f[3], pair, " ")
    for (i = 1; i <= n; i++) renamed_value[f[1], i] = pair[i]
    renamed_values[f[1]] = n
  }
  close(file)
}

# The value of today for the VALUE of an old NAME; `-` where it has none.
function renamed_to(name, value,    i, at, theirs, ours) {
  for (i = 1; i <= renamed_values[name]; i++) {
    at = index(renamed_value[name, i], "=")
    theirs = substr(renamed_value[name, i], 1, at - 1)
    ours = substr(renamed_value[name, i], at + 1)
    if (theirs == value) return ours
    if (theirs != "*") continue
    at = index(ours, "*")
    return at ? substr(ours, 1, at - 1) value substr(ours, at + 1) : ours
  }
  return "-"
}

# Replace the old names in is[name], as lib/core/conf.sh does when it reads such a file.
function renamed_settle(is,    name, now, value, old, n, i) {
  renamed_read()
  n = 0
  for (name in is) if (name in renamed_now) old[++n] = name
  for (i = 1; i <= n; i++) {
    name = old[i]
    now = renamed_now[name]
    value = renamed_to(name, is[name])
    delete is[name]
    if (value != "-" && (renamed_kind[name] == "switch" || !(now in is) || is[now] == "auto" || is[now] == "0")) is[now] = value
  }
}
