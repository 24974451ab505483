# SPDX-License-Identifier: MIT
# Prints escaped lines as prose, each after PREFIX (in the environment), with nothing in them that drives a terminal.

{
  line = text_unescape($0)
  gsub(/[\001-\037\177]/, "?", line)
  print ENVIRON["PREFIX"] line
}
