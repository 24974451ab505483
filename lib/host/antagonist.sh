# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A load on the memory of a node of this host while phases are measured: membench, which reads at a fixed rate.
# Needs: tier_detect cpus
# Settings sent in front: RUN_ID, and for start: RUN_OWNER.
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Seconds until membench must load the node: before that, it touches its whole buffer.
ANTAGONIST_READY=120

# Usage: main check NODE | start PROGRAM NODE GB_S BUSY_CPUS | fetch | stop
main() {
  local verb=$1
  shift
  work_open
  FOLDER=$WORK/run-${RUN_ID-}/antagonist
  RECORD=$WORK/run-${RUN_ID-}/antagonist.proc
  "antagonist_$verb" "$@"
}

# Print whether the node can be loaded, as a row STATE FOUND WANTED FIX.
# Usage: antagonist_check NODE
antagonist_check() {
  local nodes
  nodes=$(tier_memory_nodes | cut -f 1 | paste -sd ' ')
  if [[ " ${nodes:-0} " == *" $1 "* ]]; then
    printf 'ok\tnode %s\tNEIGHBOUR: a load on its memory\t-\n' "$1"
  else
    printf 'fail\tnode %s has no memory, or is not there\tNEIGHBOUR: a node with memory: %s\tset NEIGHBOUR_NODE\n' "$1" "${nodes:-0}"
  fi
}

# Start membench, and wait until it loads the node. It exits when the master is gone: it watches the master's process if the master runs on
# this machine, else the lease.
# Usage: antagonist_start PROGRAM NODE GB_S BUSY_CPUS
#   BUSY_CPUS are the CPUs of the instances, which membench avoids if other CPUs are available
antagonist_start() {
  local end=$((SECONDS + ANTAGONIST_READY)) pid start
  # The master repeats a call after a lost link: membench may run already.
  [[ -e $RECORD ]] || antagonist_launch "$@"
  read -r pid start _ <"$RECORD"
  until [[ -s $FOLDER/antagonist.tsv ]]; do
    proc_alive "$pid" "$start" || fail "NEIGHBOUR: it ended at once: $(said_why <"$FOLDER/antagonist.err")"
    ((SECONDS < end)) || fail "NEIGHBOUR: node $2 is not loaded within $ANTAGONIST_READY s"
    sleep 0.05 # the interval of polling
  done
}

# Usage: antagonist_launch PROGRAM NODE GB_S BUSY_CPUS
antagonist_launch() {
  local -a watch
  run_open
  owner_read "$WORK/run-$RUN_ID/owner" || fail "$WORK/run-$RUN_ID/owner: cannot be read"
  if owner_here; then
    watch=(--process "$OWNER_PID:$OWNER_START")
  else
    watch=(--lease "$WORK/run-$RUN_ID/owner:$OWNER_LEASE")
  fi
  rm -rf -- "$FOLDER"
  mkdir -p -- "$FOLDER"
  setsid "$1" load --node "$2" --gb-s "$3" --cpus "$(antagonist_cpus "$4" "$3")" "${watch[@]}" \
    </dev/null >"$FOLDER/antagonist.tsv" 2>"$FOLDER/antagonist.err" &
  proc_started "$RECORD" $! antagonist || fail "NEIGHBOUR: it ended at once: $(said_why <"$FOLDER/antagonist.err")"
}

# Print the CPUs for membench, one for every 2 GB/s: of the allowed CPUs those without an instance, or all if every CPU has one.
# Usage: antagonist_cpus BUSY_CPUS GB_S
antagonist_cpus() {
  sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "${TIERBENCH_ROOT-}/proc/self/status" | LC_ALL=C awk -v busy="$1" -v rate="$2" "$CPUS_AWK"'
    {
      n = busy ~ /^[0-9]/ ? cpus_expand(busy, list) : 0
      for (i = 1; i <= n; i++) taken[list[i]] = 1
      n = cpus_expand($0, may)
      for (i = n; i >= 1; i--) if (!(may[i] in taken)) cpu[++found] = may[i]
      if (!found) for (i = n; i >= 1; i--) cpu[++found] = may[i]
      want = int((rate + 1.999) / 2)
      print cpus_compress(cpu, found < want ? found : want > 0 ? want : 1)
    }'
}

# Stop membench, and send its bandwidth of each second.
antagonist_fetch() {
  local pid start
  [[ -e $RECORD ]] || fail "NEIGHBOUR: no load on memory is on record"
  read -r pid start _ <"$RECORD"
  proc_alive "$pid" "$start" || fail "NEIGHBOUR: the load on memory ended before the phases did: $(said_why <"$FOLDER/antagonist.err")"
  proc_end 10 "$RECORD" || fail "NEIGHBOUR: the load on memory does not end"
  cd "$FOLDER" 2>/dev/null || fail "$FOLDER: is gone"
  files_send -- antagonist.tsv
}

# Stop membench, whether the repeat succeeded or failed.
antagonist_stop() {
  proc_end 10 "$RECORD" || fail "NEIGHBOUR: the load on memory does not end"
  rm -rf -- "$FOLDER" "$RECORD"
  run_close
}
