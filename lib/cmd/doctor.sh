# SPDX-License-Identifier: MIT
# Check every host: reachable, tools, memory, ports, limits, links, clocks, tuning; say what is missing and the command that mends it.
#
# Usage: ./do_it.sh doctor [-s SCENARIO] [-v VARIANT]... [-H HOSTS_FILE] [NAME=VALUE]...
#
# A run makes the same checks before it starts anything. Exit status: 0 all hosts are fit, 3 one is not.
# shellcheck shell=bash

cmd_doctor() {
  local rows
  options_read "${BASH_SOURCE[0]}" "$@"
  remote_init
  lock_name doctor
  server_password
  rows=$_REMOTE_TMP/doctor
  doctor_rows >"$rows"
  doctor_show <"$rows"
  ! grep -q $'\tfail\t' "$rows" || return 3
}
