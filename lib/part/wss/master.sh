# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# PROBE_WSS: after each measured phase, its load continues unmeasured while each server counts the memory that its instances touch.
#
# The load generator gets each phase a second time. At the gate it gets a step with the phase's load (docs/loadgen.md), then `skip`, so that
# the second phase leaves no row.

_WSS_FOLDER= # wss.tsv of the repeat
_WSS_PHASE=  # the phase whose load continues
_WSS_END=    # the end of the load, in microseconds by the master's clock; empty: no load runs, or it was counted

# Seconds of the probe, and of the load before and after it; clearing and counting 64 GiB take about 2 s each.
readonly _WSS_LOOK=16 _WSS_ROOM=8

# Whether this run probes working sets.
# Usage: wss_wanted
# Globals: PROBE_WSS
wss_wanted() {
  [[ $PROBE_WSS == on ]]
}

# Whether a phase at the gate is a probe.
# Usage: wss_owns OFFER
wss_owns() {
  [[ ${1%.*} == *-2 ]] && ! common_is_fill "$1"
}

# Phases for the load generator: each measured phase appears a second time, for its probe.
# Usage: wss_phases
# Returns: sets REPLY, which has the phases before
wss_phases() {
  local phase list=''
  local -a phases
  read -r -a phases <<<"$REPLY"
  for phase in "${phases[@]}"; do
    list+=" $phase"
    common_is_fill "$phase" || list+=" $phase"
  done
  REPLY=${list# }
}

# Print the seconds for which the load continues for a probe.
# Usage: _wss_length DATA_BYTES
_wss_length() {
  echo $((_WSS_LOOK + _WSS_ROOM + $1 / (10 << 30)))
}

# Print a row STATE FOUND WANTED FIX: whether the kernel of the server in HOST supports the probe.
# Usage: wss_doctor
wss_doctor() {
  ! wss_wanted || call_run "$HOST" wss check
}

# Begin the probes of a repeat.
# Usage: wss_fresh DIR
wss_fresh() {
  _WSS_FOLDER=$1 _WSS_PHASE='' _WSS_END='' PARTS_DUE=
}

# All clients wait at the gate of a probe: choose their next action. The counters of the phase end here.
# Usage: wss_turn OFFER CLIENT...
wss_turn() {
  local client
  if [[ $1 != *.* ]]; then
    _WSS_PHASE=${1%-2}
    PARTS_DO=step
    for client in "${@:2}"; do foreign_mark steps "$client" "$(client_probe "$client")"; done
    monitor_mark "search-$1" || :
    log_info "after $_WSS_PHASE: its load continues unmeasured for $(_wss_length "${ROW[data_bytes]}") s while the touched memory is counted"
  else
    PARTS_DO=skip
  fi
}

# Print the content of a client's start file after the time: the phase's load and its duration.
# Usage: wss_load CLIENT
# Globals: RATE ROW
wss_load() {
  local load=c0
  [[ $RATE == 0 ]] || load=$(shares_rate "$1" "$RATE")
  echo "$load $(_wss_length "${ROW[data_bytes]}")"
}

# The load of wss_turn starts at START_US of the master's clock. The memory is counted as soon as the clients know it.
# Usage: wss_goes OFFER START_US
wss_goes() {
  wss_owns "$1" || return 0
  _WSS_BEGIN=$2 PARTS_DUE=yes
  _WSS_END=$(($2 + $(_wss_length "${ROW[data_bytes]}") * 1000000))
}

# Once the clients continue the load, count the touched memory once, on all servers at the same time.
# Usage: wss_look
# Returns: 0, also when it cannot be counted, with the reason on stderr
wss_look() {
  local rows clear read end=$_WSS_END left
  [[ -n $_WSS_END ]] || return 0
  _WSS_END='' PARTS_DUE=
  left=$((_WSS_BEGIN - ${EPOCHREALTIME/[.,]/}))
  ((left <= 0)) || proc_wait "$((left / 1000000)).$(printf '%06d' $((left % 1000000)))"
  # The sum without a server would be too small.
  servers_parallel $((REMOTE_RETRY + 60 + $(_wss_length "${ROW[data_bytes]}"))) _wss_probe || {
    # shellcheck disable=SC2086 # split into hosts on purpose
    log_warn "$(parallel_failed $HOST): the working set of $_WSS_PHASE is unknown"
    return 0
  }
  # shellcheck disable=SC2086 # split into hosts on purpose
  rows=$(parallel_print $HOST)
  ((${EPOCHREALTIME/[.,]/} <= end)) || {
    log_warn "${HOST// /, }: the working set of $_WSS_PHASE is unknown: counting took longer than the load"
    return 0
  }
  # shellcheck disable=SC2016 # the program of awk
  write_more "$_WSS_FOLDER/wss.tsv" $'phase\tport\tseconds\tbytes' \
    awk -F '\t' -v OFS='\t' -v phase="$_WSS_PHASE" '$1 == "touched" { print phase, $2, $3, $4 }' <<<"$rows" || return
  read -r clear read < <(awk -F '\t' '$1 == "cost" { if ($2 > clear) clear = $2; if ($3 > read) read = $3 } END { print clear + 0, read + 0 }' <<<"$rows")
  log_info "after $_WSS_PHASE: touched $(_wss_told "$rows"); the probe's cost: $(_wss_ms "$clear") ms to clear, $(_wss_ms "$read") ms to read"
}

# Count the touched memory on the server in HOST, and print the rows of host.sh.
# Usage: _wss_probe
_wss_probe() {
  call_run "$HOST" wss probe
}

# Print the bytes of all instances for each time: 10.0 MiB in 1 s, ...
_wss_told() {
  LC_ALL=C awk -F '\t' '
    $1 == "touched" { if (!($3 in sum)) order[++n] = $3; sum[$3] += $4 }
    END { for (i = 1; i <= n; i++) printf "%s%.1f MiB in %s s", (i > 1 ? ", " : ""), sum[order[i]] / 1048576, order[i] }' <<<"$1"
}

# Microseconds as milliseconds.
_wss_ms() {
  LC_ALL=C awk -v us="$1" 'BEGIN { printf "%.1f", us / 1000 }'
}
