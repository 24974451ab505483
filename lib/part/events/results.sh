# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What events did to the load, per repeat: a row for each event, and one for the rest of the phase.

# Write events.tsv into a repeat's directory: latencies in the window of each event, from the first instance that was asked to the last that was done
# (of a restart: until the load is as before), and outside of all windows, from the interval logs of all clients.
# Usage: events_write DIR PHASE AHEAD CLIENT...
#   AHEAD: how far the clock of the server's samples is ahead, in us; -: far accesses are not counted
# Returns: 1 if a required file is missing
events_write() {
  local folder=$1 phase=$2 ahead=$3 client start windows full far='' REPLY
  local -a logs=() series=()
  [[ -s $folder/server/persistence.tsv ]] || return 0
  shift 3
  start=$(result_began "$folder" "$phase")
  for client; do
    hosts_folder "$folder" "$client"
    logs+=("$REPLY/$phase.hlog") series+=("$REPLY/$phase.series.tsv")
  done
  full=$(awk -F '\t' -v start="$start" -f "$LIB/part/events/full.awk" "$folder/server/persistence.tsv" "${series[@]}") || return
  windows=$(awk -F '\t' -v start="$start" -v full="$full" -v phase_s="$TIME" -v step="$INTERVAL" -f "$LIB/part/events/windows.awk" "$folder/server/persistence.tsv") || return
  [[ -n $windows ]] || return 0
  write_file "$folder/events.hist" "$ROOT/test" --windows "$windows" "${logs[@]}" || return
  [[ $ahead == - ]] || far=$(awk -F '\t' -v windows="$windows" -v phase="$phase" -v start="$start" -v phase_s="$TIME" -v warmup="$WARMUP" -v ahead="$ahead" \
    -f "$LIB/results/figures/overlap.awk" -f "$LIB/part/events/far.awk" "$folder"/server/{counters,persistence,instances}.tsv) || return
  write_file "$folder/events.tsv" awk -F '\t' -v OFS='\t' -v phase="$phase" -v start="$start" -v full="$full" -v far="$far" -f "$LIB/part/events/join.awk" "$folder/server/persistence.tsv" "$folder/events.hist" || return
  rm -f -- "$folder/events.hist"
}

# Print a line for each event that an instance did not finish.
# Usage: events_failed FILE
events_failed() {
  awk -F '\t' '
    NR > 1 && $4 == "failed" { n[$2]++; if (!($2 in why)) why[$2] = $15 " (port " $3 ")" }
    NR > 1 && $4 == "cut" { cut[$2]++ }
    function instances(count) { return count (count == 1 ? " instance" : " instances") }
    END {
      for (e in n) print "EVENTS: " e " failed on " instances(n[e]) ": " why[e]
      for (e in cut) print "EVENTS: " e " was not over when the load ended, on " instances(cut[e]) "; set a longer TIME"
    }' "$1"
}
