# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Reads the facts of servers from their hosts; lib/plan/facts.sh explains and uses them.

# Read the facts of hosts, all at the same time.
# Usage: facts_read HOST...
# Returns: 1 if a host does not answer, with the reason on stderr.
facts_read() {
  local host status=0
  parallel_run $((REMOTE_RETRY + 60)) _facts_ask "$@" || status=1
  for host; do
    # shellcheck disable=SC2004 # an associative array
    if [[ ${PARALLEL_STATUS[$host]} == 0 ]]; then _FACTS[$host]=${PARALLEL_OUT[$host]}; else printf '%s\n' "${PARALLEL_OUT[$host]}" >&2; fi
  done
  return "$status"
}

# Print the facts of a host as lines NAME VALUE.
# Usage: _facts_ask HOST
# Returns: as call_run.
_facts_ask() {
  local facts line cpus gib bytes available
  facts=$(call_run "$1" facts all) || return
  while IFS= read -r line; do
    case $line in
      host$'\t'*)
        IFS=$'\t' read -r _ cpus gib bytes available <<<"$line"
        printf 'cpus\t%s\nmem_gib\t%s\nmem_bytes\t%s\nmem_available_bytes\t%s\n' "$cpus" "$gib" "$bytes" "$available"
        ;;
      limit_*) printf 'limit\t%s\n' "${line#limit_}" ;;
      [0-9]* | '# isolated '* | '# node '*) printf 'topology\t%s\n' "$line" ;;
    esac
  done <<<"$facts"
}
