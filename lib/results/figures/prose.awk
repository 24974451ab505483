# SPDX-License-Identifier: MIT
# Prints escaped lines as prose, each after PREFIX (in the environment), with nothing in them that drives a terminal. With FORMAT
# markdown or html, as these show them; with json, as an array of strings.

BEGIN {
  format = ENVIRON["FORMAT"]
  if (format == "json") printf "["
}

{
  line = text_unescape($0)
  if (format == "json") printf "%s\n %s", (NR > 1 ? "," : ""), text_json(line)
  else print ENVIRON["PREFIX"] (format == "markdown" ? text_markdown(text_plain(line)) : format == "html" ? text_html(text_plain(line)) : text_plain(line))
}

END { if (format == "json") print (NR ? "\n]" : "]") }
