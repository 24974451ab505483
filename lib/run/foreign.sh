# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# CPU time that other programs used on the hosts during a phase, from probes at the marks around the phases.

_FOREIGN_MARKS='' # lines MARK HOST and the output of host_probe_cpu there

# Remove the marks of the previous repeat.
# Usage: foreign_start
foreign_start() {
  _FOREIGN_MARKS=''
}

# Record a probe that was taken between two phases.
# Usage: foreign_mark NEXT_PHASE HOST PROBE
#   HOST is what monitor_name prints, or a client's name; PROBE is the line of host_probe_cpu; an empty one is left out
foreign_mark() {
  [[ -z $3 ]] || _FOREIGN_MARKS+="$1"$'\t'"$2"$'\t'"$3"$'\n'
}

# Write DIR/foreign.tsv, one row per phase and host, and warn about each phase and machine over the limit, or with processes that a quota stopped.
# Usage: foreign_write DIR
# Globals: FOREIGN SERVER
foreign_write() {
  local file=$1/foreign.tsv row phase host seconds foreign steal limit over time periods what said=' '
  local -a rows
  LIMIT=$FOREIGN LC_ALL=C write_file "$file" awk -f "$LIB/run/foreign.awk" <<<"${_FOREIGN_MARKS%$'\n'}" || return
  mapfile -t -s 1 rows <"$file"
  for row in "${rows[@]}"; do
    IFS=$'\t' read -r phase host _ seconds _ _ _ _ foreign steal limit over _ <<<"$row"
    [[ $over == 1 ]] || continue
    [[ $host != server ]] || host=$SERVER
    host=${host#server:} host=${host%@*}
    # A machine that is server and client has two rows.
    [[ $said != *" $phase $host "* ]] || continue
    said+="$phase $host "
    log_warn "$host: during $phase ($seconds s) other programs used $foreign % of a CPU and the hypervisor took $steal % (limit $limit %)"
  done
  for row in "${rows[@]}"; do
    IFS=$'\t' read -r phase host _ _ _ _ _ _ _ _ _ _ time periods <<<"$row"
    ((time > 0)) || continue
    what="the load generator"
    [[ $host != server* ]] || what="the instances"
    [[ $host != server ]] || host=$SERVER
    log_warn "${host#server:}: during $phase a quota of CPU time stopped $what for $((time / 1000)) ms, in $periods periods; doctor prints the quota"
  done
}

# Print the rows of a foreign.tsv that are over their limit.
# Usage: foreign_over FILE
foreign_over() {
  awk -F '\t' 'NR > 1 && $12 == 1' "$1"
}
