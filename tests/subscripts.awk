# SPDX-License-Identifier: MIT
# Prints lines of shell code in which bash evaluates the text of a variable as a part of an array's subscript, as FILE:LINE:TEXT.
# Usage: awk -f tests/subscripts.awk FILE...
#
# A name such as x$(command) then runs the command: -v and arithmetic in bash 5.0 and 5.1, the others in every version. ${array[$name]} expands the
# subscript once, and so does unset 'array[$name]' in single quotes.

{
  line = $0
  sub(/^[ \t]*#.*/, "", line)
  bad = line ~ /\$\{![A-Za-z_][A-Za-z0-9_]*\[[^]]*[$`]/
  # Expansions become $ alone, the inner ones first: what is in them is no name of a variable.
  gsub(/\$\{[#!]?[A-Za-z_][A-Za-z0-9_]*\[[^]${}]*\]\}/, "$", line)
  while (gsub(/\$\{[^{}]*\}/, "$", line)) continue
  bad = bad || line ~ /(^|[ \t])-v[ \t]+["']?[A-Za-z_][A-Za-z0-9_]*\[/ && line !~ /(printf|unset|ls|grep|awk)[ \t]+-v/
  double = line
  gsub(/'[^']*'/, "", double)
  bad = bad || double ~ /(^|[^A-Za-z0-9_-])(unset|printf -v|read|mapfile|readarray|let|wait|declare|typeset|export|readonly|local)[ \t]+([^;&|<(]*[ \t])?"?[A-Za-z_][A-Za-z0-9_]*\[[^]]*[$`]/
  while (match(line, /\(\(([^()]|\([^()]*\))*\)\)/)) {
    bad = bad || substr(line, RSTART, RLENGTH) ~ /[A-Za-z_][A-Za-z0-9_]*\[[^]]*[$`]/
    line = substr(line, RSTART + RLENGTH)
  }
  if (bad) print FILENAME ":" FNR ":" $0
}
