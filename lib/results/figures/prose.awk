# SPDX-License-Identifier: MIT
# Print escaped lines as prose, each after PREFIX (in the environment), without control characters. With FORMAT markdown, escaped for it; with json,
# as an array of strings.

BEGIN {
  format = ENVIRON["FORMAT"]
  if (format == "json") printf "["
}

{
  line = text_unescape($0)
  if (format == "json") printf "%s\n %s", (NR > 1 ? "," : ""), text_json(line)
  else print ENVIRON["PREFIX"] (format == "markdown" ? text_markdown(text_plain(line)) : text_plain(line))
}

END { if (format == "json") print (NR ? "\n]" : "]") }
