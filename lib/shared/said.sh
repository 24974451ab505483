# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The reason of a failure, from what a program said.

# From the output of a failed program, print the one line that gives the reason: the last line, or the first when its usage follows.
# Usage: said_why <TEXT
said_why() {
  awk '
    # numactl prints its usage after its error, on the same line.
    match($0, /[Uu]sage: |^Try /) { usage = 1; $0 = substr($0, 1, RSTART - 1) }
    NF && (!usage || /^[A-Za-z_-]+: /) { last = $0; if (first == "") first = $0 }
    END { text = usage ? first : last; print text == "" ? "no reason given" : text }'
}

# From the output of a failed make, print the line that gives the reason: the first error, else the last line.
# Usage: said_error <TEXT
said_error() {
  LC_ALL=C awk '
    /error: |undefined reference|cannot find -l/ && error == "" { error = $0 }
    /finds no |not found|No such file|Killed|No space left/ && other == "" { other = $0 }
    NF { last = $0 }
    END {
      text = error != "" ? error : other != "" ? other : last
      gsub(/[\001-\037\177]/, " ", text)
      print text == "" ? "no reason given" : text
    }'
}
