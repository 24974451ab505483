# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The memory that the instances touch in a given time: clear the kernel's "referenced" marks, and count them after 1, 4 and 16 s.
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

WSS_SECONDS=(1 4 16)

# Usage: main probe|check
main() {
  "host_wss_$1"
}

# Print `touched PORT SECONDS BYTES` for each instance and each time, and `cost CLEAR_US READ_US`: how long clearing took, and the longest of
# the readings.
host_wss_probe() {
  local pid start port from clear read=0 seconds began took
  local -a pids=() ports=()
  workdir_open
  while read -r pid start port; do
    proc_alive "$pid" "$start" || fail "the instance on port $port has exited"
    pids+=("$pid") ports+=("$port")
  done <"$WORK/run-$RUN_ID/server/instances.proc"
  # Nothing is ever written to this pipe: reading from it with a limit is a pause without a process.
  exec {WSS_NEVER}<> <(:)
  began=${EPOCHREALTIME/[.,]/}
  for pid in "${pids[@]}"; do
    # 1: clears the marks of all its pages (proc(5)).
    { echo 1 >"/proc/$pid/clear_refs"; } 2>/dev/null || fail "/proc/$pid/clear_refs: cannot be written"
  done
  from=${EPOCHREALTIME/[.,]/}
  clear=$((from - began))
  for seconds in "${WSS_SECONDS[@]}"; do
    host_wss_until $((from + seconds * 1000000))
    began=${EPOCHREALTIME/[.,]/}
    host_wss_read "$seconds"
    took=$((${EPOCHREALTIME/[.,]/} - began))
    ((took <= read)) || read=$took
  done
  printf 'cost\t%d\t%d\n' "$clear" "$read"
}

# Print `touched PORT SECONDS BYTES` for each instance.
# Usage: host_wss_read SECONDS
# Globals: pids and ports of host_wss_probe
host_wss_read() {
  local index line kib
  for index in "${!pids[@]}"; do
    kib=
    while read -r line; do
      [[ $line != Referenced:* ]] || kib=${line//[^0-9]/}
    done <"/proc/${pids[index]}/smaps_rollup" 2>/dev/null || :
    [[ -n $kib ]] || fail "/proc/${pids[index]}/smaps_rollup: has no Referenced line"
    printf 'touched\t%s\t%s\t%d\n' "${ports[index]}" "$1" $((kib * 1024))
  done
}

# Wait until a time in microseconds.
host_wss_until() {
  local left
  while left=$(($1 - ${EPOCHREALTIME/[.,]/})) && ((left > 0)); do
    ((left < 999999)) || left=999999
    printf -v left '0.%06d' "$left"
    read -r -t "$left" -u "$WSS_NEVER" || :
  done
}

# Print whether this kernel has the files that the probe requires, as a row STATE FOUND WANTED FIX.
host_wss_check() {
  local file lacks=''
  for file in clear_refs smaps_rollup; do
    [[ -e ${TIERBENCH_ROOT-}/proc/self/$file ]] || lacks+="${lacks:+ and }/proc/PID/$file"
  done
  if [[ -n $lacks ]]; then
    printf 'fail\tno %s\tPROBE_WSS=on: a kernel with CONFIG_PROC_PAGE_MONITOR\tset PROBE_WSS=off\n' "$lacks"
  else
    printf 'ok\t/proc/PID/clear_refs and smaps_rollup\tPROBE_WSS=on\t-\n'
  fi
}
