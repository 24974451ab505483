# SPDX-License-Identifier: MIT
# Name the differences between two environments or two sets of settings.
#
# Input, tab-separated and escaped: `BASE OTHER WHERE FILE FILE`, where the files are env.tsv (KEY<TAB>VALUE), setup.log, or settings (NAME=VALUE;
# WHERE is `setting`). ALIASES in the environment is conf/aliases.tsv, with the names of older runs. Output lines begin with the name of a section:
# differs, with heads and one row per difference for render.awk, and notes about hosts and settings without a description. Exit status 0 always.

# Read FILE into into[key]; returns 0 when the file does not exist.
function read_facts(file, into,    i, line, status, at) {
  for (i in into) delete into[i]
  if (file == "") return 0
  file = text_opened(file)
  status = (getline line < file)
  if (status < 0) {
    close(file)
    return 0
  }
  for (; status > 0; status = (getline line < file)) {
    sub(/\r$/, "", line)
    if (file ~ /\.tsv$/) {
      if (at = index(line, "\t")) into[substr(line, 1, at - 1)] = substr(line, at + 1)
    } else if (file ~ /\.conf$/) {
      if (line !~ /^#/ && (at = index(line, "="))) into[current_name(substr(line, 1, at - 1))] = unquoted(substr(line, at + 1))
    } else setup_line(line, into)
  }
  close(file)
  return 1
}

# The current name of a setting, which may be a part of one (NAME.PART).
function current_name(name,    main) {
  main = name
  sub(/\..*/, "", main)
  return main in renamed ? renamed[main] substr(name, length(main) + 1) : name
}

function unquoted(value) {
  return value ~ /^".*"$/ || value ~ /^'.*'$/ ? substr(value, 2, length(value) - 2) : value
}

# The few facts of a setup.log, which has no names for them.
function setup_line(line, into,    f) {
  split(line, f, " ")
  if (line ~ /^Linux /) into["kernel"] = f[3]
  else if (line ~ /^Mem:/) into["memory_gb"] = f[2]
  else if (line ~ /^Swap:/) into["swap_gb"] = f[2]
  else if (line ~ /transparent_hugepage\/enabled:/ && match(line, /\[[a-z]+\]/)) into["transparent_hugepages"] = substr(line, RSTART + 1, RLENGTH - 2)
  else if (line ~ /^Running NATIVE/) into["vsmp"] = "none"
  else if (line ~ /^(Architecture|CPU\(s\)|Model name|Thread\(s\) per core|Socket\(s\)|NUMA node\(s\)|Hypervisor vendor|Vulnerability [^:]*|Flags|L3 cache):/) {
    # Flags are compared one by one, because two lists of a hundred flags are hard to read.
    if (f[1] == "Flags:") return
    f[1] = line
    sub(/:.*/, "", f[1])
    sub(/^[^:]*:[ \t]*/, "", line)
    into[f[1]] = line
  }
}

# Values that change from hour to hour on the same machine, or that name a place, are not differences.
function passing(key, where) {
  return where != "setting" ? \
    key !~ /^sysctl\./ && tolower(key) ~ /uptime|(^|[._])(date|time|load|loadavg|free|available|used|pid|boot|captured|mhz)($|[._])/ : \
    key ~ /^(RESULTS_DIR|REMOTE_DIR|SSH_CONFIG|REMOTE_RETRY|SYSINFO_OMIT|PLAN_OPS|SMALLEST|VARIANTS)$/
}

function show(facts, key) {
  return (key in facts) ? (facts[key] == "" ? "(empty)" : facts[key]) : "(not said)"
}

# Record that FILE of the side LABEL could not be read.
function lacking(file, label, where,    who) {
  # Differences of a run are printed once for it, not for each of its variants.
  who = file
  if (!sub(/\/env\/.*/, "", who) && !sub(/\/[^\/]*$/, "", who)) who = text_unescape(label)
  sub(/.*\//, "", who)
  if ((who, where) in lacks) return
  lacks[who, where] = 1
  if (!(who in missing)) order[++whos] = who
  missing[who] = missing[who] (missing[who] == "" ? "" : ", ") (where == "setting" ? "settings" : where)
}

BEGIN {
  FS = OFS = "\t"
  while ((getline line < ENVIRON["ALIASES"]) > 0) if (split(line, field) >= 3 && field[3] == "*") renamed[field[1]] = field[2]
  close(ENVIRON["ALIASES"])
  print "differs", "base", "other", "where", "what", "base_value", "other_value"
  print "differs", "Base", "Compared", "Where", "Property", "Base has", "Compared has"
  print "differs", "text", "text", "text", "text", "text", "text"
}

{
  known_one = read_facts(text_unescape($4), one)
  known_two = read_facts(text_unescape($5), two)
  # Settings that all variants of one run share do not distinguish them.
  shared = $4 != "" && $4 "" == $5 ""
  if (!known_one && !shared) lacking(text_unescape($4), $1, $3)
  if (!known_two && !shared) lacking(text_unescape($5), $2, $3)
  if (!known_one || !known_two) next
  keys = 0
  for (key in one) if (!passing(key, $3) && one[key] "" != two[key] "") list[++keys] = key
  for (key in two) if (!passing(key, $3) && !(key in one)) list[++keys] = key
  for (i = 2; i <= keys; i++) {
    key = list[i]
    for (j = i - 1; j >= 1 && list[j] > key; j--) list[j + 1] = list[j]
    list[j + 1] = key
  }
  for (i = 1; i <= keys; i++)
    if (!(i > 1 && list[i] == list[i - 1]) && show(one, list[i]) != show(two, list[i]))
      print "differs", $1, $2, $3, text_escape(list[i]), text_escape(show(one, list[i])), text_escape(show(two, list[i]))
}

END {
  for (i = 1; i <= whos; i++)
    print "notes", text_escape("not described in " order[i] ": " missing[order[i]] "; its differences are unknown")
}
