# SPDX-License-Identifier: MIT
# Check every host: reachable, tools, memory, ports, limits, links, clocks, tuning; print what is missing and how to fix it.
#
# Usage: ./do_it.sh doctor [--all] [--fix [--yes]] [--probe] [--trust] [-q] [-s SCENARIO] [-v VARIANT]... [-H HOSTS_FILE] [NAME=VALUE]...
#
#   --all   print every check, one table per host; by default problems and warnings only
#   --fix   install what is missing, with each host's package manager, after asking for each host; then check again
#   --yes   with --fix: do not ask
#   --probe measure the memory of each server too: latency and bandwidth of every node from every socket, idle and loaded, in a table;
#           check firmware (HMAT) and memory tiers against it, and propose TIER_WEIGHTS (docs/devices.md); about 3 s for each pair
#   -q      the quick form, as for a run
#   --trust accept the programs, files and users that a file of another person names; else they are asked for (docs/security.md)
#
# A load generator that is not built is a warning with the command that builds it; a run builds it. The last line is 'fit' or the number of
# problems.
# A run makes the same checks before it starts anything. Exit status: 0 all hosts are fit, 3 a host is not fit.
# shellcheck shell=bash

# Check every host of a run, and print problems and warnings; the header of this file is the help.
# Usage: cmd_doctor [ARGUMENT]...
cmd_doctor() {
  local word DOCTOR_ALL='' fix='' yes='' probe='' rows status=0
  local -a words=() hosts
  for word; do
    case $word in
      --all) DOCTOR_ALL=all ;;
      --fix) fix=yes ;;
      --yes) yes=yes ;;
      --probe) probe=yes ;;
      *) words+=("$word") ;;
    esac
  done
  [[ -z $yes || -n $fix ]] || die_usage "command line: --yes: requires --fix; add --fix"
  options_read "${BASH_SOURCE[0]}" "${words[@]}"
  plan_settle
  remote_init
  write_room || return 1
  lock_name doctor
  hosts_all
  log_info "checking ${hosts[*]}"
  rows=$_REMOTE_TMP/doctor
  doctor_rows >"$rows"
  if [[ -n $fix ]]; then
    doctor_fix "$rows" "$yes" || status=$?
    # Check again what was installed.
    ((status == 2)) || doctor_rows >"$rows"
  fi
  [[ -z $probe ]] || memory_probe "$rows"
  doctor_show "$DOCTOR_ALL" <"$rows"
  ! grep $'\tfail\t' "$rows" >/dev/null || return 3
}
