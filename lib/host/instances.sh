# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How the instances of a run are stopped: recorded instances, processes that a wrapper of redis-server has started, and processes that have
# lost their record.

# Stop the instances of a run as planned, and remove their directory.
# Usage: host_instances_stop DIR
host_instances_stop() {
  _host_instances_unsaved "$1"
  # A large instance needs time to free its memory.
  host_instances_end 60 "$1" || fail "$1/instances.proc: an instance does not end"
  host_instances_remove "$1"
}

# Remove the directory of the instances of a run, and their data in PERSISTENCE.dir.
# Usage: host_instances_remove DIR
host_instances_remove() {
  local run=${1%/server}
  host_data_remove "${run##*/run-}"
  [[ ! -e $1 && ! -L $1 ]] || rm -rf -- "$1"
}

# Tell instances that keep snapshots to make none when they stop: nobody reads it, and a large snapshot takes longer than the time limit.
# Usage: _host_instances_unsaved DIR
_host_instances_unsaved() {
  local file config
  while IFS= read -r file; do
    config=$(sed -n 's/^rename-command CONFIG //p' "$file")
    # An instance that does not answer is stopped without that.
    protocol_ask "$(sed -n 's/^bind //p' "$file")" "$(basename "$file" .conf)" "${config:-CONFIG} SET save \"\"" || :
  done < <(exec grep -lE '^[[:space:]]*save[[:space:]]+"?[0-9]' "$1"/*.conf 2>/dev/null)
}

# Stop the instances in a directory, and every other process that writes to their logs. Until all instances have answered, only their
# wrappers are recorded, and these may have ended without them. A process whose output is an instance's log belongs to that instance,
# with any pid and parent. The log may have been removed since, with the directory and all records in it.
# Usage: host_instances_end LIMIT DIR
# Returns: 1 when one would not go within LIMIT seconds.
host_instances_end() {
  local limit=$1 folder=$2 round status=0 found
  local -a rows
  # The run's directory may be gone, and the disk full.
  found=${folder%/*}/scratch.$$
  { printf '0\t0\tnone\n' >"$found"; } 2>/dev/null || {
    rm -f -- "$found"
    found=$(mktemp)
  }
  # A wrapper may start an instance while it is being stopped, so look for instances when those on record are gone, and again when those that
  # were found are.
  for round in 1 2 3; do
    proc_end "$limit" "$folder/instances.proc" "$folder/wrappers.proc" "$folder/node.proc" "$found" || {
      status=1
      break
    }
    ((round < 3)) || break
    _host_instances_find "$folder" "$found"
    mapfile -t rows <"$found"
    ((${#rows[@]} > 1)) || break
  done
  rm -f -- "$found"
  return "$status"
}

# Write a record of every process of the directory's instances: their output is one of its logs, they were started with its mark, or they listen on
# the port of the data directory that they are in. With the last, all of their session. Its first line names no process.
# Usage: _host_instances_find DIR FILE
_host_instances_find() {
  local folder=${1#"$WORK"/} pid target
  printf '0\t0\tnone\n' >"$2"
  proc_marked "$2" "SERVER_FOLDER=$1"
  while IFS=$'\t' read -r pid target; do
    [[ $target != "$folder"/redis-*.log* && $target != "$folder"/data-* ]] || proc_record "$2" "$pid" found || : # it has ended in the meantime
  done < <(_host_instances_seen)
}

# Print PID and file of every process that writes to a file of a run, by the kernel's own table; most have two lines. The file is a path below
# WORK; a removed one has ` (deleted)` after its name. Print the same of processes that _host_instances_listening finds.
# Usage: _host_instances_seen
_host_instances_seen() {
  local path pid target
  while IFS=$'\t' read -r path pid target; do
    if [[ $path == */cwd ]]; then _host_instances_listening "$pid" "$target"; else printf '%s\t%s\n' "$pid" "$target"; fi
  done < <(_host_instances_links)
}

# Print PID and directory of a process that is in the data directory of an instance if it listens on its port, and of the other processes of its
# session: redis-server may have left its log, its parents and its environment. Another program in such a directory is left alone.
# Usage: _host_instances_listening PID DIR
_host_instances_listening() {
  local port own='' session='' other REPLY
  port=${2#run-*/server/data-} port=${port% (deleted)}
  { [[ $port != *[!0-9]* && ${#port} -le 5 ]] && _host_instances_listens "$1" "$port"; } || return 0
  printf '%s\t%s\n' "$1" "$2"
  # The session of a terminal is a user's.
  proc_session_of "$$" && own=$REPLY
  proc_session_of "$1" && session=$REPLY
  [[ -n $session && $session != "$own" ]] || return 0
  for other in /proc/[0-9]*; do
    other=${other#/proc/}
    [[ $other == "$1" ]] || ! proc_session_of "$other" || [[ $REPLY != "$session" ]] || printf '%s\t%s\n' "$other" "$2"
  done
}

# Whether a process listens on a TCP port.
# Usage: _host_instances_listens PID PORT
_host_instances_listens() {
  local hex at link held=' '
  printf -v hex ':%04X' "$2"
  while read -r link; do held+="$link "; done < <(exec find "/proc/$1/fd" -maxdepth 1 -lname 'socket:*' -printf '%l\n' 2>/dev/null)
  while read -r _ at _ _ _ _ _ _ _ link _; do
    [[ $at != *"$hex" || $held != *" socket:[$link] "* ]] || return 0
  done < <(exec grep -hs ' 0A ' "/proc/$1/net/tcp" "/proc/$1/net/tcp6")
  return 1
}

# Print PATH, PID and target of those outputs and directories of processes that are below a run's directory, also by way of a link to data elsewhere.
# The kernel gives processes of containers too, whose files may have the same paths.
# Usage: _host_instances_links
# Globals: WORK
_host_instances_links() {
  local work path target pid REPLY
  work=$(readlink -f -- "$WORK")
  while IFS=$'\t' read -r path target; do
    REPLY=${target#"$work"/}
    [[ $target == "$work"/run-* ]] || host_data_link "$target" || continue
    pid=${path#/proc/}
    pid=${pid%%/*}
    # It is the same file, or, if that was removed, the process sees our directory.
    [[ $path -ef $target || /proc/$pid/root$work -ef $work ]] || continue
    printf '%s\t%s\t%s\n' "$path" "$pid" "$REPLY"
  done < <(exec find /proc/[0-9]*/{fd/[12],cwd} -maxdepth 0 '(' -lname '*/run-*' -o -lname '*/tierbench-data-*' ')' -printf '%p\t%l\n' 2>/dev/null)
}

# Print PID, RUN and file of every process of a run whose directory has lost its owner's line: the directory was removed during the run.
# Usage: host_instances_lost
# Globals: WORK
host_instances_lost() {
  local pid target rest
  while IFS=$'\t' read -r pid target; do
    rest=${target#run-}
    owner_names "${rest%%/*}" || continue
    [[ /${rest#*/} =~ ^/(server/redis-[0-9]+\.log|client-[^/]*/(out/)?std(out|err)|monitor/monitor\.err|[a-z]+\.part/.*|server/data-[0-9]+)( \(deleted\))?$ ]] ||
      continue
    [[ ! -e $WORK/run-${rest%%/*}/owner ]] || continue
    # root starts instances as another user.
    ((EUID == 0)) || [[ -O /proc/$pid ]] || continue
    printf '%s\t%s\t%s\n' "$pid" "${rest%%/*}" "$target"
  done < <(_host_instances_seen)
}
