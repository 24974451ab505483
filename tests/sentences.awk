# SPDX-License-Identifier: MIT
# Print the sentences of Markdown documents that have more than MAX words, as FILE:LINE: WORDS words: SENTENCE.
# Usage: awk -v MAX=30 -f tests/sentences.awk FILE...
#
# Code blocks, tables, headings and images are skipped. A paragraph or a list item ends a sentence; so do `.`, `!` and `?` before a blank.
# A word is text between blanks with a letter or a digit in it; link targets are not counted.

FNR == 1 {
  paragraph_end()
  code = 0
}
/^[[:space:]]*```/ {
  paragraph_end()
  code = !code
  next
}
code { next }
/^[[:space:]]*$/ || /^[[:space:]]*\|/ || /^[[:space:]]*</ || /^#/ || /^!\[/ {
  paragraph_end()
  next
}
/^[[:space:]]*([-*]|[0-9]+\.)[[:space:]]/ {
  paragraph_end()
  sub(/^[[:space:]]*([-*]|[0-9]+\.)[[:space:]]/, "")
}
{
  if (text == "") {
    file = FILENAME
    line = FNR
  }
  text = text " " $0
}
END { paragraph_end() }

# Print the long sentences of the collected paragraph, and start a new paragraph.
function paragraph_end() {
  gsub(/\]\([^)]*\)/, "]", text)
  while (match(text, /[.!?][])"'`*]*[[:space:]]/)) {
    sentence(substr(text, 1, RSTART + RLENGTH - 1))
    text = substr(text, RSTART + RLENGTH)
  }
  sentence(text)
  text = ""
}

function sentence(words, n, i, count, word) {
  n = split(words, word, " ")
  for (i = 1; i <= n; i++) count += word[i] ~ /[[:alnum:]]/
  if (count > MAX) printf "%s:%d: %d words:%s\n", file, line, count, words
}
