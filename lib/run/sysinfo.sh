# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The description of each host, written into the run before the measurement.

# Write env/HOST/ of a run for every host.
# Usage: sysinfo_capture DIR [SUFFIX]
#   SUFFIX of the directories' names
# Globals: HOST REDIS_BINARY
# Returns: 1 if a host could not be read, with the reason on stderr.
sysinfo_capture() {
  local ADDRESS SYSINFO_RUN=$1 SYSINFO_SUFFIX=${2-}
  local -a hosts
  hosts_all
  parallel_run $((REMOTE_RETRY + 120)) _sysinfo_host "${hosts[@]}"
}

# Whether a run has the description of every host.
# Usage: sysinfo_known DIR
sysinfo_known() {
  local host REPLY
  local -a hosts
  hosts_all
  for host in "${hosts[@]}"; do
    hosts_folder "$1/env" "$host"
    [[ -s $REPLY/env.tsv ]] || return
  done
}

# Read the description of every host again for a resumed run. The first one stays, because the kept repeats were measured on such a host. A host that
# has changed since gets a second one, env/HOST.resumed-TIME, and a warning for each property.
# Usage: sysinfo_again DIR
# Returns: as sysinfo_capture
sysinfo_again() {
  local host suffix what was is found REPLY
  local -a hosts
  hosts_all
  suffix=.resumed-$(date -u +%Y%m%dT%H%M%SZ)
  sysinfo_capture "$1" "$suffix" || return
  for host in "${hosts[@]}"; do
    hosts_folder "$1/env" "$host"
    found=$(_sysinfo_changes "$REPLY/env.tsv" "$REPLY$suffix/env.tsv")
    if [[ -z $found ]]; then
      rm -rf -- "$REPLY$suffix"
      continue
    fi
    while IFS=$'\t' read -r what was is; do log_warn "$host: $what was $was when the run began, and is $is: repeats before and after differ in it"; done <<<"$found"
  done
}

# Print the properties in which two descriptions of a host differ, as compare does: WHAT WAS IS.
# Usage: _sysinfo_changes FILE FILE
_sysinfo_changes() {
  printf 'was\tis\thost\t%s\t%s\n' "$1" "$2" | compare_environment | sed -n 's/^differs\t//p' | tail -n +4 | cut -f 4-6
}

# Fetch the description of one host: of a server with its redis-server, of a client without.
# Usage: _sysinfo_host HOST
_sysinfo_host() {
  if servers_is "$1"; then
    servers_at "$1" _sysinfo_ask "$1"
  else
    REDIS_BINARY='' _sysinfo_ask "$1"
  fi
}

# Fetch the files of lib/host/sysinfo.sh from a host to env/HOST of the run.
# Usage: _sysinfo_ask HOST
# Globals: SYSINFO_RUN SYSINFO_SUFFIX HOST REDIS_BINARY; sets ADDRESS, which lib/host/sysinfo.sh reads
_sysinfo_ask() {
  local host=$1 folder REPLY
  hosts_folder "$SYSINFO_RUN/env" "$host"
  folder=$REPLY$SYSINFO_SUFFIX
  # On a client the network path to the server matters, to the first of several.
  hosts_data "${HOST%% *}"
  ADDRESS=$REPLY
  # The rows of tuning there stay.
  mkdir -p -- "$folder" 2>/dev/null || write_failed "$folder" || return
  receive_files "$folder" "$host" sysinfo
}

# Write the interrupts of the servers' NICs again: an interrupt changes to its new CPU when it occurs, so only under load.
# Usage: sysinfo_irqs DIR
sysinfo_irqs() {
  servers_each _sysinfo_irqs "$1/env"
}

# Write irq.tsv of the server in HOST again, if its NICs have interrupts.
# Usage: _sysinfo_irqs DIR
_sysinfo_irqs() {
  local file ADDRESS REPLY
  hosts_folder "$1" "$HOST"
  file=$REPLY/irq.tsv
  [[ -s $file ]] || return 0
  hosts_data "$HOST"
  ADDRESS=$REPLY
  write_file "$file" call_run "$HOST" irqs ||
    log_warn "$file: not read again after the load: its last column is from before the load"
}

# Print the head of every log, as in the guide: the servers, then the first client.
# Usage: sysinfo_head DIR
# Globals: SERVERS CLIENT_IP
sysinfo_head() {
  local host REPLY
  for host in "${SERVERS[@]}"; do
    printf '====> SERVER system -\n'
    hosts_folder "$1/env" "$host"
    cat "$REPLY/setup.log"
  done
  printf '====> CLIENT system -\n'
  hosts_folder "$1/env" "${CLIENT_IP%% *}"
  cat "$REPLY/setup.log"
}
