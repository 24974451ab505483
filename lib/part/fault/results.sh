# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The effect of a fault: a table of windows between its steps, and the figures of the failover, per repeat and over all repeats.

# Write windows.tsv and failover.tsv into a repeat's directory, if it had a fault.
# Usage: fault_write DIR PHASE CLIENT...
#   PHASE is the one with the fault
# Returns: 1 if a required file is missing
fault_write() {
  local folder=$1 phase=$2 client start windows name REPLY
  local -a logs=() series=() gaps=() tracks=()
  shift 2
  [[ -e $folder/server/events.tsv ]] || return 0
  start=$(result_began "$folder" "$phase")
  for client; do
    hosts_folder "$folder" "$client"
    name=$REPLY/$phase
    logs+=("$name.hlog") series+=("$name.series.tsv") gaps+=("$name.gaps.tsv")
    [[ ! -e $REPLY/track.tsv ]] || tracks+=("$REPLY/track.tsv")
  done
  write_file "$folder/windows.part" awk -F '\t' -v start="$start" -f "$LIB/part/fault/windows.awk" \
    "$folder/server/events.tsv" "${series[@]}" || return
  windows=$(cut -f 2 "$folder/windows.part" | paste -sd ,)
  [[ -n $windows ]] || { rm -f -- "$folder/windows.part" && return; }
  write_file "$folder/windows.hist" "$ROOT/test" --windows "$windows" "${logs[@]}" || return
  # shellcheck disable=SC2016 # the program of awk
  write_file "$folder/windows.tsv" awk -F '\t' -v OFS='\t' '
    FILENAME != part { if (FNR == 1) for (i = 1; i <= NF; i++) at[$i] = i; else slow[FNR - 1] = $at["intervals"] ? 100 * $at["slow"] / $at["intervals"] : 0
      p50[FNR - 1] = $at["p50_us"]; p99[FNR - 1] = $at["p99_us"]; next }
    FNR == 1 { print "window", "from_s", "to_s", "ops_per_sec", "of_before_percent", "p50_us", "p99_us", "slow_percent", "errors" }
    { split($2, t, "-"); print $1, t[1], t[2], $3, $4, p50[FNR], p99[FNR], sprintf("%.0f", slow[FNR]), $5 }' \
    part="$folder/windows.part" "$folder/windows.hist" "$folder/windows.part" || return
  rm -f -- "$folder/windows.part" "$folder/windows.hist"
  write_file "$folder/failover.tsv" awk -F '\t' -v start="$start" -v phase="$phase" -f "$LIB/part/fault/failover.awk" "$folder/windows.tsv" \
    "$folder/server/cluster.tsv" "$folder/server/events.tsv" "${gaps[@]}" "${tracks[@]}" || return
  write_more "$folder/failover.tsv" '' _fault_expired "$folder"
}

# Print the number of expired elections of replicas, from the logs of the instances: a shard waits four times the node timeout for the next election.
# Usage: _fault_expired DIR
_fault_expired() {
  # The line is repeated while the replica waits.
  awk 'FNR == 1 { begun = 0 }
    /Starting a failover election/ { begun = 1 }
    /Failover attempt expired/ && begun { expired++; begun = 0 }
    END { printf "elections_expired\t%d\n", expired }' "$1"/server/redis-*.log
}

# Print the tables of a repeat as text.
# Usage: fault_show DIR
fault_show() {
  [[ -s $1/windows.tsv ]] || return 0
  tr '_' ' ' <"$1/windows.tsv" | table_print
  awk -F '\t' '$1 == "elections_expired" && $2 > 0 {
    printf "warning: elections expired: %d; such a shard waited 4 x cluster-node-timeout for the next one, so the takeover took longer\n", $2 }' "$1/failover.tsv"
}
