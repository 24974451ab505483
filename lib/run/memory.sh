# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master's side of membench for doctor --probe: a table of the latency and bandwidth of the server's memory, and weights from them.

# Install membench on the server, once.
# Usage: memory_prepare
# Globals: HOST
# Returns: sets MEMORY_PROGRAM, its path there; 1 with the reason on stderr
memory_prepare() {
  [[ -s $_REMOTE_TMP/membench.$HOST ]] || {
    MEMORY_PROGRAM=$(memory_program) || {
      tail -n 1 <<<"$MEMORY_PROGRAM" >&2
      return 1
    }
    printf '%s\n' "$MEMORY_PROGRAM" >"$_REMOTE_TMP/membench.$HOST" || return
  }
  MEMORY_PROGRAM=$(<"$_REMOTE_TMP/membench.$HOST")
}

# Build membench if it is not up to date, and print its path on the server.
# Usage: memory_program
# Globals: ROOT HOST
# Returns: 1 with the reason on stdout
memory_program() {
  local file=$ROOT/build/membench/membench
  # An installed tree contains the built program.
  if [[ -x $ROOT/lib/membench/membench ]]; then
    file=$ROOT/lib/membench/membench
  else
    build_target membench 2>&1 || return
  fi
  program_prepare "$HOST" membench "$file" membench "$(program_key "$file")"
}

# Measure every node of each server from each of its sockets, all servers at the same time; print for each a table with the figures of firmware,
# and proposed weights.
# Usage: memory_probe FILE
#   FILE has rows of doctor, and gets more: contradictions between firmware or kernel and the measurement, and failed measurements. Where they say
#   that a server is unreachable, or refuses our directory, nothing is measured.
# Globals: HOST
memory_probe() {
  local host said
  for host in $HOST; do ! _memory_refused "$host" <"$1" || return 0; done
  servers_each _memory_ready >>"$1" || return 0
  # The load of the probe would disturb a run on the server, and a run would disturb the probe.
  # shellcheck disable=SC2086 # split into hosts on purpose
  lock_take $HOST
  log_info "${HOST// /, }: measuring memory: about 3 s for each node and socket"
  # The host has its own limit, which is shorter.
  servers_parallel $((REMOTE_RETRY + 1800)) _memory_measure || :
  for host in $HOST; do
    ((${PARALLEL_STATUS[$host]} == 0)) || {
      printf '%s\tfail\tmemory\tcould not be measured\tdoctor --probe\tsee the message\n' "$host" >>"$1"
      continue
    }
    said=$(memory_judge "$host" <<<"${PARALLEL_OUT[$host]}")
    sed -n $'s/^doctor\t//p' <<<"$said" >>"$1"
    figures_tables <<<"$said"
    echo
  done
}

# Install membench; print a row for doctor where that fails.
_memory_ready() {
  local why
  # Its output would be taken for rows; what it sets has to stay.
  memory_prepare 2>"$_REMOTE_TMP/why" && return
  why=$(tail -n 1 "$_REMOTE_TMP/why" | tr '\t' ' ')
  printf '%s\tfail\tmemory\t%s\tmembench, built\tinstall: %s\n' "$HOST" "$why" "gcc gcc:stdio.h make"
  return 1
}

# Measure the memory of the server in HOST, and print the lines of lib/host/memory.sh.
# Usage: _memory_measure
_memory_measure() {
  memory_prepare && call_run "$HOST" memory measure "$MEMORY_PROGRAM"
}

# Keep what the last doctor --probe measured on the server with a run that counts far loads; nothing if the server has rebooted since.
# Usage: memory_record FILE
# Globals: HOST FAR_EVENTS
# Returns: 1 when the server cannot be asked, or FILE cannot be written
memory_record() {
  local rows
  [[ $FAR_EVENTS != off ]] || return 0
  rows=$(call_run "$HOST" memory stored) || return
  [[ -z $rows ]] || write_file "$1" printf '%s\n' "$rows"
}

# Print lines for figures_tables with the measured figures, and lines `doctor ROW`.
# Usage: memory_judge HOST <ROWS
#   ROWS as lib/host/memory.sh prints them
memory_judge() {
  MEMORY_HOST=$1 figures_run ../../run/memory
}

# Whether a host cannot be reached, or refuses our directory.
# Usage: _memory_refused HOST <ROWS
_memory_refused() {
  awk -F '\t' -v host="$1" '$1 == host && $2 == "fail" && $3 ~ /^(reachable|checks|facts)$/ { found = 1 } END { exit !found }'
}
