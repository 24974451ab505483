# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A load on the memory of a node of this host while phases are measured: membench, which reads at a fixed rate.
# Needs: allowed tier_detect cpus
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Seconds until membench must load the node: before that, it touches its whole buffer.
ANTAGONIST_READY=120

# Usage: main check NODE | start PROGRAM NODE GB_S BUSY_CPUS | fetch | stop
main() {
  local verb=$1
  shift
  workdir_open
  FOLDER=$WORK/run-${RUN_ID-}/antagonist
  RECORD=$WORK/run-${RUN_ID-}/antagonist.proc
  "host_antagonist_$verb" "$@"
}

# Print whether the node can be loaded, as a row STATE FOUND WANTED FIX.
# Usage: host_antagonist_check NODE
host_antagonist_check() {
  local nodes
  nodes=$(host_tier_memory_nodes | cut -f 1 | paste -sd ' ')
  if [[ " ${nodes:-0} " == *" $1 "* ]]; then
    printf 'ok\tnode %s\tNEIGHBOUR: a load on its memory\t-\n' "$1"
  else
    printf 'fail\tnode %s has no memory, or does not exist\tNEIGHBOUR: a node with memory: %s\tname it in NEIGHBOUR\n' "$1" "${nodes:-0}"
  fi
}

# Start membench, wait until it loads the node, and print host_antagonist_cpus. It exits when the master has died: it checks the master's process if the
# master runs on this machine, else the lease.
# Usage: host_antagonist_start PROGRAM NODE GB_S BUSY_CPUS
#   BUSY_CPUS are the CPUs of the instances, which membench avoids if other CPUs are available
host_antagonist_start() {
  local end=$((SECONDS + ANTAGONIST_READY)) pid start
  # The master repeats a call after a lost link, so membench may already be running.
  [[ -e $RECORD ]] || host_antagonist_launch "$@"
  read -r pid start _ <"$RECORD"
  until [[ -s $FOLDER/antagonist.tsv ]]; do
    proc_alive "$pid" "$start" || fail "NEIGHBOUR: it ended at once: $(said_why <"$FOLDER/antagonist.err")"
    ((SECONDS < end)) || fail "NEIGHBOUR: node $2 is not loaded within $ANTAGONIST_READY s"
    sleep 0.05 # the interval of polling
  done
  cat "$FOLDER/cpus"
}

# Start membench as a separate process on the CPUs of host_antagonist_cpus, and record it.
# Usage: host_antagonist_launch PROGRAM NODE GB_S BUSY_CPUS
host_antagonist_launch() {
  owner_open
  owner_watch
  rm -rf -- "$FOLDER"
  [[ -d $FOLDER ]] || mkdir -- "$FOLDER"
  host_antagonist_cpus "$4" "$3" >"$FOLDER/cpus"
  setsid "$1" load --node "$2" --gb-s "$3" --cpus "$(cut -f 2 "$FOLDER/cpus")" "${OWNER_WATCH[@]}" \
    </dev/null >"$FOLDER/antagonist.tsv" 2>"$FOLDER/antagonist.err" &
  proc_started "$RECORD" $! antagonist || fail "NEIGHBOUR: it ended at once: $(said_why <"$FOLDER/antagonist.err")"
}

# Print `cpus LIST KIND`, the CPUs for membench, one for every 2 GB/s. KIND is free; sibling if one of them is a hyperthread of an instance's CPU,
# and instance if one of them is an instance's CPU: such CPUs are used only if there are no others.
# Usage: host_antagonist_cpus BUSY_CPUS GB_S
host_antagonist_cpus() {
  local root=${TIERBENCH_ROOT-} file cpu list
  {
    sed -n 's/^Cpus_allowed_list:[[:space:]]*/allowed\t/p' "$root/proc/self/status"
    for file in "$root"/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list; do
      list=
      { read -r list <"$file"; } 2>/dev/null || continue
      cpu=${file%/topology/*}
      printf '%s\t%s\n' "${cpu##*/cpu}" "$list"
    done
  } | LC_ALL=C awk -F '\t' -v busy="$1" -v rate="$2" "$CPUS_AWK"'
    $1 == "allowed" { all = cpus_expand($2, may); next }
    { siblings[$1] = $2 }
    END {
      n = busy ~ /^[0-9]/ ? cpus_expand(busy, list) : 0
      for (i = 1; i <= n; i++) class[list[i]] = 3
      for (i = 1; i <= all; i++) if (!(may[i] in class)) class[may[i]] = 1
      for (i = 1; i <= all; i++) {
        n = cpus_expand(siblings[may[i]], list)
        for (j = 1; j <= n; j++) if (class[may[i]] == 1 && list[j] != may[i] && class[list[j]] == 3) class[may[i]] = 2
      }
      want = int((rate + 1.999) / 2)
      if (want < 1) want = 1
      for (kind = 1; kind <= 3; kind++)
        for (i = all; i >= 1; i--)
          if (class[may[i]] == kind && found < want && (kind < 3 || !found)) { cpu[++found] = may[i]; worst = kind }
      print "cpus\t" cpus_compress(cpu, found) "\t" (worst == 3 ? "instance" : worst == 2 ? "sibling" : "free")
    }'
}

# Stop membench, and send its bandwidth of each second. The master repeats a call after a lost link, and the first one may have stopped membench.
host_antagonist_fetch() {
  local pid start
  [[ -e $RECORD ]] || fail "NEIGHBOUR: no load on memory is recorded"
  read -r pid start _ <"$RECORD"
  [[ -e $FOLDER/stopped ]] || proc_alive "$pid" "$start" ||
    fail "NEIGHBOUR: the load on memory ended before the phases: $(said_why <"$FOLDER/antagonist.err")"
  # On a full disk a first call must succeed.
  { : >"$FOLDER/stopped"; } 2>/dev/null || :
  proc_end 10 "$RECORD" || fail "NEIGHBOUR: the load on memory does not end"
  cd "$FOLDER" 2>/dev/null || fail "$FOLDER: is missing"
  files_send -- antagonist.tsv
}

# Stop membench, whether the repeat succeeded or failed.
host_antagonist_stop() {
  proc_end 10 "$RECORD" || fail "NEIGHBOUR: the load on memory does not end"
  rm -rf -- "$FOLDER" "$RECORD"
  owner_close
}
