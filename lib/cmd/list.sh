# SPDX-License-Identifier: MIT
# List scenarios, variants and past runs, a line each.
#
# Usage: ./do_it.sh list
# shellcheck shell=bash

cmd_list() {
  local file
  options_read "${BASH_SOURCE[0]}" "$@"
  for file in "$ROOT"/conf/scenarios/*.conf; do _list_conf scenario "$file"; done
  for file in "$ROOT"/conf/variants/*.conf; do _list_conf variant "$file"; done
  for file in "$RESULTS_DIR"/*/run.conf; do
    [[ ! -e $file ]] || _list_run "${file%/run.conf}"
  done
}

# The first comment line after the licence says what a file is.
_list_conf() {
  printf '%-9s %-16s %s\n' "$1" "$(basename "$2" .conf)" "$(sed -n '2s/^# //p' "$2")"
}

_list_run() {
  local done=0 all
  done=$(find "$1" -mindepth 3 -maxdepth 3 -type d -name 'rep-*' ! -name '*.*' | wc -l)
  # Every repeat that its settings ask for.
  if ! all=$(
    exec 2>&1
    conf_file scenario "$1/run.conf"
    conf_resolve
    plan_cells | wc -l
  ); then
    # One that is broken does not hide those behind it.
    printf '%-9s %-16s %s\n' run "$1" "cannot be read: ${all##*$'\n'}"
    return
  fi
  printf '%-9s %-16s %s of %s repeats\n' run "$1" "$done" "$all"
}
