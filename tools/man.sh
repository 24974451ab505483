#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the manual page tierbench(1), generated from the help of the commands and the comments in the lists of settings.
set -Eeuo pipefail

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)

# Converts the text on stdin to roff, line by line, and replaces the name of the tool by the name of the installed tool.
# Usage: man_text   Returns: 0
man_text() {
  sed -e 's/\\/\\e/g; s/-/\\-/g; s#\./do_it\\*\.sh#tierbench#g' -e "s/^[.']/\\\\\&&/"
}

# Prints the help of a command: its header comment.
# Usage: man_help FILE   Returns: 0
man_help() {
  awk '!/^#/ { exit } !/^#!|SPDX|shellcheck/ { sub(/^# ?/, ""); print }' "$1" | man_text
}

# Prints every setting with its default and its comment, and comments on several of them.
# Usage: man_settings   Returns: 0
man_settings() {
  awk '
    FNR == 1 { section = 0; if (NR > 1 && !parts++) print "S\tParts of a run" }
    /^# ---/ { gsub(/^# -+ *| *-+$/, ""); print "S\t" $0; text = ""; section = 1; next }
    /^#/ { sub(/^# ?/, ""); text = text (text == "" ? "" : " ") $0; next }
    /^[A-Z][A-Za-z0-9_.*-]*=.*#:/ { value = $0; sub(/ *#:.*/, "", value); print "N\t" value; if (text != "") print "T\t" text; text = ""; next }
    { if (section && text != "") print "T\t" text; text = "" }' "$ROOT"/{conf/defaults,lib/part/*/settings}.conf | man_text | awk -F '\t' '
    $1 == "S" { print ".SS " $2 }
    $1 == "N" { print ".TP\n.B " $2 }
    $1 == "T" { print $2 }'
}

# Prints the page.
# Usage: main   Returns: 0
main() {
  local file version
  version=$(sed -n 's/^#define LOADGEN_VERSION *"\(.*\)"$/\1/p' "$ROOT/lib/loadgen/options.h")
  printf '.\\" SPDX-License-Identifier: MIT\n.TH TIERBENCH 1 "" "tierbench %s" "User Commands"\n' "$version"
  printf '.SH NAME\ntierbench \\- measure Redis on different kinds of memory\n'
  printf '.SH SYNOPSIS\n.B tierbench\n[\\fICOMMAND\\fR] [\\fIOPTION\\fR]... [\\fINAME\\fR=\\fIVALUE\\fR]...\n.br\n.B tierbench\n[\\fICOMMAND\\fR] \\-\\-help\n'
  printf '.SH DESCRIPTION\n'
  sed -n '/^# tierbench$/,/^## /p' "$ROOT/README.md" | grep -v '^#' | man_text
  printf '.SH COMMANDS\nWithout a command, \\fBrun\\fR.\n'
  for file in "$ROOT"/lib/cmd/*.sh; do
    file=${file##*/}
    printf '.SS %s\n.nf\n' "${file%.sh}"
    man_help "$ROOT/lib/cmd/$file"
    printf '.fi\n'
  done
  printf '.SH SETTINGS\nGiven as NAME=VALUE on the command line, in a scenario or a variant, or in the environment as TIERBENCH_NAME. The default is shown.\n'
  man_settings
  printf '.SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\na repeat, a result or a report failed\n.TP\n.B 2\nbad usage or settings\n.TP\n.B 3\na host is not fit\n'
  printf '.TP\n.B 130, 143\ninterrupted; what was kept is printed, with the command that continues\n'
}

main "$@"
