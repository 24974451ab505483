# SPDX-License-Identifier: MIT
# A comparison as JUnit's XML: a test case for each rule, FAIL_IFS in the environment, one per line. Input: sections of compare.awk, then the tables
# as lines `out TEXT`. If nothing could be compared, there are no rows: every rule then fails with the notes. NOW is the time in the form of XML Schema.

# Text escaped for XML, also inside an attribute. A byte that is not UTF-8, or a character that XML lacks, becomes the replacement character.
function xml(s,    out, i, n, c) {
  s = text_html(text_printable(s))
  if (s !~ /[\200-\377]/) return s
  for (i = 1; i <= length(s); i += n) {
    c = substr(s, i, 1)
    n = c <= "\177" ? 1 : text_utf8(substr(s, i, 4))
    out = out (!n || substr(s, i, 3) ~ /^\357\277[\276\277]/ ? "\357\277\275" : substr(s, i, n))
    if (!n) n = 1
  }
  return out
}

# The test case of a rule: its failure has all lines of the section `failed` that end with the rule.
function test_case(rule,    i, first, all) {
  for (i = 1; i <= lines; i++) {
    if (rows && substr(line[i], length(line[i]) - length(rule) - 1) != "(" rule ")") continue
    if (all == "") first = line[i]
    all = all line[i] "\n"
  }
  failures += all != ""
  return "    <testcase name=\"" xml(text_plain(rule)) "\" classname=\"tierbench.compare\" time=\"0\"" \
    (all == "" ? "/>\n" : "><failure type=\"fail-if\" message=\"" xml(text_plain(first)) "\">" xml(all) "</failure></testcase>\n")
}

BEGIN { FS = "\t" }

$1 == "rows" { rows++ }
$1 == "failed" { failed[++failed_lines] = text_unescape($2) }
$1 == "notes" { note[++notes] = text_unescape($2) }
$1 == "out" { out[++outs] = xml(substr($0, 5)) }

END {
  lines = rows ? failed_lines : notes
  for (i = 1; i <= lines; i++) line[i] = rows ? failed[i] : note[i]
  rules = split(ENVIRON["FAIL_IFS"], rule, "\n")
  for (i = 1; i <= rules; i++) cases = cases test_case(rule[i])
  print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>"
  printf "  <testsuite name=\"compare\" package=\"tierbench\" id=\"0\" timestamp=\"%s\" hostname=\"localhost\" ", ENVIRON["NOW"]
  printf "tests=\"%d\" failures=\"%d\" errors=\"0\" time=\"0\">\n    <properties/>\n%s", rules, failures, cases
  printf "    <system-out>"
  for (i = 1; i <= outs; i++) print out[i]
  printf "</system-out>\n    <system-err/>\n  </testsuite>\n</testsuites>\n"
}
