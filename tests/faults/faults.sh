# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The faults, one function each: fault_NAME makes it; fault_NAME_undo, if it exists, reverts it when the run has ended.
# Globals: JOB_PID, the master; READER, the process that reads the master's output; RUN_DIR, REMOTE_DIR on every host

# Print the names of all faults.
# Usage: fault_names   Returns: 0
fault_names() {
  compgen -A function fault_ | sed -n 's/^fault_//p' | grep -vE '^(names|signal|pids)$|_undo$' | sort
}

# Send a signal to processes that the run recorded on a host.
# Usage: fault_signal SIGNAL HOST PATTERN   Returns: 0
#   PATTERN is a shell pattern of record files below the run's directory
fault_signal() {
  local pid
  for pid in $(fault_pids "$2" "$3"); do kill -s "$1" "$pid" 2>/dev/null || :; done
}

# Print the pids of such records. They are pids of the machine, because hosts share its processes.
# Usage: fault_pids HOST PATTERN   Returns: 0
fault_pids() {
  netns_host "$1" bash -c 'shopt -s nullglob; cat "$1"/run-*/$2 /dev/null | cut -f 1' bash "$RUN_FOLDER" "$2" 2>/dev/null || :
}

fault_master-kill() { kill -KILL "$JOB_PID"; }
fault_master-int() { kill -INT -- "-$JOB_PID"; }
fault_master-int-twice() {
  kill -INT -- "-$JOB_PID"
  sleep 0.3 # the second signal comes during the cleanup
  kill -INT -- "-$JOB_PID" 2>/dev/null || :
}
fault_master-term() { kill -TERM "$JOB_PID"; }
fault_master-hup() { kill -HUP "$JOB_PID"; }
fault_reader-gone() { kill -KILL "$READER"; }

fault_generator-kill() { fault_signal KILL client2 'client-*/generator.proc'; }
fault_generator-stop() { fault_signal STOP client2 'client-*/generator.proc'; }
fault_redis-kill() { fault_signal KILL server server/instances.proc; }
fault_redis-stop() { fault_signal STOP server server/instances.proc; }
fault_redis-stop_undo() { fault_signal CONT server server/instances.proc; }
fault_monitor-kill() { fault_signal KILL server monitor/monitor.proc; }
fault_monitor-stop() { fault_signal STOP server monitor/monitor.proc; }

fault_client-cut() {
  netns_link client2 down
  sleep 3 # the length of the outage
  netns_link client2 up
}
fault_server-cut() {
  netns_link server down
  sleep 3 # the length of the outage
  netns_link server up
}
fault_client-gone() { netns_link client2 down; }
fault_client-gone_undo() { netns_link client2 up; }
fault_server-gone() { netns_link server down; }
fault_server-gone_undo() { netns_link server up; }

fault_run-removed() { netns_host server bash -c 'rm -rf -- "$1"/run-*' bash "$RUN_FOLDER"; }
# The directory of runs on the server is on a separate small disk.
fault_disk-full() { netns_host server bash -c 'head -c 1G /dev/zero >"$1/filler"' bash "$RUN_FOLDER" 2>/dev/null || :; }
fault_disk-full_undo() { netns_host server rm -f -- "$RUN_FOLDER/filler"; }
