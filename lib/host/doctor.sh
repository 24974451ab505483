# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether this host meets the requirements of its role, as rows: STATE CHECK FOUND WANTED FIX.
# Needs: user cpus allowed irq locks ports vsmp tune_kind tune_journal tune program part/*/host_tune
# Reads server client: ADDRESS NEED_MBIT NEED_PORTS NEED_FILES NEED_NUMACTL NEED_REACH FIRST_PORT LAST_PORT LAST_BUS NEED_DISK TUNE_ROWS PROGRAM_KEY
#   ADDRESS carries the load; NEED_MBIT is the required speed of the link, in Mbit/s; NEED_PORTS are a client's connections to one instance, and
#   NEED_FILES the open files for all of its connections; with NEED_NUMACTL, policies are requested; with NEED_REACH, other hosts connect; FIRST_PORT and LAST_PORT are those of the
#   instances, and those up to LAST_BUS have a cluster bus, 10000 above them; NEED_DISK are lines PERSISTENCE.dir REDIS_USER BYTES, of the instances' files; without TUNE_ROWS tuning is not checked; PROGRAM_KEY is that of the load generator (empty: it is not looked for)
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Print the checks of a role as rows, `tuning` and the rows of host_tune_rows, `found PATH` or `lacks MACHINE WHY` of the load generator,
# `startup MS`, see host_doctor_startup, and `clock ARRIVED LEFT`: this host's clock at the beginning and at the end.
# Usage: main server|client|startup   startup: only that row
main() {
  local tool arrived=${EPOCHREALTIME/,/.}
  host_doctor_startup
  [[ $1 != startup ]] || return 0
  workdir_open
  host_doctor_row ok "work directory" "$WORK" "private" -
  for tool in tar sha256sum flock awk; do host_doctor_need "$tool"; done
  host_doctor_leftovers
  host_doctor_address "$1"
  host_doctor_link
  host_doctor_allowed
  case $1 in
    server)
      for tool in setsid taskset lscpu; do host_doctor_need "$tool"; done
      [[ -z $NEED_NUMACTL ]] || host_doctor_need numactl
      host_doctor_limit warn 10032 "what redis-server asks for with its default maxclients"
      host_doctor_ports_reserved "$FIRST_PORT" "$LAST_PORT" "instances'"
      ((LAST_BUS == 0)) || host_doctor_ports_reserved $((FIRST_PORT + 10000)) $((LAST_BUS + 10000)) "cluster bus's"
      host_doctor_ports_low
      host_doctor_locks
      host_doctor_ports_free
      host_doctor_disk
      ;;
    client)
      host_doctor_need screen --version
      host_doctor_limit fail "$NEED_FILES" "the load generator's connections at the largest point"
      host_doctor_ports_ephemeral
      [[ -z $PROGRAM_KEY ]] || host_doctor_generator
      ;;
  esac
  [[ -z $TUNE_ROWS ]] || host_doctor_tuning
  host_doctor_row clock "$arrived" "${EPOCHREALTIME/,/.}"
}

# The milliseconds from the start of the login shell to the beginning of this script, in steps of 10: what its start-up files take of every call.
# Nothing for a call of the master's own machine.
host_doctor_startup() {
  local name line up
  local -a field
  # The login shell has become the program that limits the time of a call.
  { read -r name <"/proc/$PPID/comm" && read -r line <"/proc/$PPID/stat" && read -r up _ </proc/uptime; } 2>/dev/null && [[ $name == timeout ]] || return 0
  read -r -a field <<<"${line##*) }"
  # Both count hundredths of a second (USER_HZ) since the boot.
  host_doctor_row startup $(((10#${up/./} - field[19]) * 10))
}

# Whether the cache has the load generator, and it runs.
host_doctor_generator() {
  local said what path why
  if ! said=$(host_program_look test "$PROGRAM_KEY" 2>&1); then
    host_doctor_row fail "load generator" "cannot be run in $WORK/cache (mounted noexec?)" "./test" "set REMOTE_DIR to a directory where programs can be run"
    return
  fi
  # The master asks for the reason when it copies the program.
  IFS=$'\t' read -r what path why <<<"$said"
  if [[ $what == yes ]]; then host_doctor_row found "$path"; else host_doctor_row lacks "$path" "$why"; fi
}

# The directories of the instances' files, as instances will use them, and the space there, against the files of their persistence.
host_doctor_disk() {
  local folder user needed free name why
  while IFS=$'\t' read -r folder user needed; do
    ((needed > 0)) || continue
    needed=$((needed >> 20)) name=PERSISTENCE.dir
    if [[ $folder == auto ]]; then
      folder=$WORK name=REMOTE_DIR
    elif ! why=$(
      host_user_find "$user" || :
      host_user_data "$folder" 2>&1
    ); then
      why=${why#PERSISTENCE.dir=} why=${why//[$'\t\n']/ }
      host_doctor_row fail persistence "${why%%; *}" "up to $needed MiB" "${why#*; }"
      continue
    fi
    free=$(($(stat -f -c '%a * %S / 1048576' -- "$folder")))
    if ((free >= needed)); then
      host_doctor_row ok persistence "$free MiB free in $folder" "up to $needed MiB" -
    else
      host_doctor_row fail persistence "$free MiB free in $folder" "up to $needed MiB" \
        "set $name to a directory on a larger disk, PERSISTENCE=off, fewer events, or less data"
    fi
  done <<<"$NEED_DISK"
}

# Print the changes that tuning would make.
# Usage: host_doctor_tuning
host_doctor_tuning() {
  TUNE=$WORK/tune-$RUN_ID TUNE_FIRST=(tuning)
  host_tune_rows check
}

# A tool must exist; with an option that prints its version, the version is in FOUND.
# Usage: host_doctor_need TOOL [OPTION]
host_doctor_need() {
  local found
  # The shell's table of paths answers without a process.
  if hash -- "$1" 2>/dev/null; then
    found=${BASH_CMDS[$1]-$1}
    if [[ -n ${2-} ]]; then
      # A program may fail to print its version, as older versions of screen do, but it must return.
      found=$(run_limited 10 "$1" "$2" 2>&1) || (($? != 124)) || {
        host_doctor_row fail "$1" "${found##*$'\n'}" "a program that works" "reinstall $1 here"
        return
      }
      found=${found%%$'\n'*}
    fi
    host_doctor_row ok "$1" "$found" "in PATH" -
  else
    host_doctor_row fail "$1" missing "in PATH" "install: $1"
  fi
}

# The next run and `stop` clean up after a broken run; it is reported because it uses memory and ports until then.
host_doctor_leftovers() {
  local folder names=
  for folder in "$WORK"/run-* "$WORK"/tune-*; do
    [[ -d $folder ]] || continue
    if ! owner_ours "$folder" || owner_lives "$folder/owner"; then continue; fi
    [[ " $names " == *" $OWNER_RUN "* ]] || names+="${names:+ }$OWNER_RUN"
    [[ ${folder##*/} == run-* || ! -e $folder/journal ]] || names+=" (with settings of this host that are not restored)"
  done
  if [[ -n $names ]]; then
    host_doctor_row warn leftovers "$names" none "./do_it.sh stop"
  else
    host_doctor_row ok leftovers none none -
  fi
}

# Whether this host knows the address that carries the load. On the server it must be an address of this host that other hosts reach.
# Usage: host_doctor_address server|client
host_doctor_address() {
  local at=$ADDRESS found=$ADDRESS table=${TIERBENCH_ROOT-}/proc/net/fib_trie fix="name an IP address of the server as DATA in the hosts file (hosts.example)"
  if [[ ! $ADDRESS =~ ^[0-9.]+$ && $ADDRESS != *:* ]]; then
    at=
    read -r at _ < <(run_limited 10 getent ahosts "$ADDRESS") || :
    found="$ADDRESS is ${at:-not known here (ssh_config is for ssh only)}"
  fi
  if [[ -z $at ]]; then
    host_doctor_row fail "data address" "$found" "an address that this host resolves" "$fix"
  elif [[ $1 == server && -n $NEED_REACH && ($at == 127.* || $at == ::1) ]]; then
    # Debian's installer writes `127.0.1.1 NAME`.
    host_doctor_row fail "data address" "$found on the server (/etc/hosts)" "an address that clients reach" "$fix"
  elif [[ $1 == server && $at =~ ^[0-9.]+$ && $at != 127.* && -e $table ]] &&
    ! awk -v at="$at" '$1 == "|--" { last = $2 } /host LOCAL/ && last == at { found = 1 } END { exit !found }' "$table"; then
    host_doctor_row fail "data address" "$found, and no interface of the server has it" "an address of the server" "$fix"
  else
    host_doctor_row ok "data address" "$found" "an address that carries the load" -
  fi
}

# What cgroups and cpusets leave to the processes of a run.
host_doctor_allowed() {
  local cpus limits REPLY
  cpus=$(getconf _NPROCESSORS_ONLN)
  host_allowed_quota self
  if [[ -n $ALLOWED_QUOTA ]] && ((ALLOWED_QUOTA < 100 * cpus)); then
    host_doctor_row warn "CPU quota" "$ALLOWED_QUOTA % of a CPU, by the cgroup $ALLOWED_WHERE" "no quota: the kernel stops processes that use more" \
      "raise cpu.max or cpu.cfs_quota_us there, or start this session outside of that cgroup"
  else
    host_doctor_row ok "CPU quota" none none -
  fi
  host_allowed_memory self
  host_allowed_left
  limits="CPUs $(host_allowed_cpus)"
  [[ -z $ALLOWED_BYTES ]] || limits+=", $((ALLOWED_BYTES >> 20)) MiB of memory by $ALLOWED_WHERE"
  host_allowed_swap
  [[ -z $REPLY ]] || limits+=", $((REPLY >> 20)) MiB of ${ALLOWED_KIND/memsw/memory and swap} by $ALLOWED_WHERE"
  host_doctor_row ok "allowed" "$limits" "what processes may use" -
}

# The slowest NIC that carries the load, against the required speed.
host_doctor_link() {
  local device speed slowest='' found='' driver
  for device in $(host_irq_devices "$ADDRESS" || :); do
    if [[ $device == lo ]]; then
      host_doctor_row ok link loopback "$NEED_MBIT Mbit/s" -
      return
    fi
    speed=
    { read -r speed <"${TIERBENCH_ROOT-}/sys/class/net/$device/speed"; } 2>/dev/null || :
    driver=$(readlink "${TIERBENCH_ROOT-}/sys/class/net/$device/device/driver" || echo virtual)
    # An interface without a speed reports -1, or refuses to report.
    [[ $speed =~ ^[1-9][0-9]*$ ]] || speed=unknown
    found+="${found:+, }$device ${driver##*/} $speed Mbit/s"
    [[ $speed == unknown ]] || ((speed >= ${slowest:-speed + 1})) || slowest=$speed
  done
  if [[ -z $found ]] && ! command -v ip >/dev/null; then
    host_doctor_row warn link "not known: ip is missing" "$NEED_MBIT Mbit/s" "install iproute2 here"
  elif [[ -z $found ]]; then
    host_doctor_row warn link "no NIC carries $ADDRESS" "$NEED_MBIT Mbit/s" "ip route get $ADDRESS"
  elif [[ -n $slowest ]] && ((slowest < NEED_MBIT)); then
    host_doctor_row warn link "$found" "$NEED_MBIT Mbit/s for the largest value at PLAN_OPS or RATE" "the link would be the limit: use a faster link, or smaller values"
  else
    host_doctor_row ok link "$found" "$NEED_MBIT Mbit/s" -
  fi
}

# The kernel's local port range, against the connections of a client: a port can be used once per instance.
host_doctor_ports_ephemeral() {
  local low high
  read -r low high <"${TIERBENCH_ROOT-}/proc/sys/net/ipv4/ip_local_port_range"
  if ((high - low + 1 >= NEED_PORTS)); then
    host_doctor_row ok "port range" "$low-$high" "$NEED_PORTS connections per instance" -
  else
    host_doctor_row fail "port range" "$low-$high" "$NEED_PORTS connections per instance" "sysctl net.ipv4.ip_local_port_range='1024 65535', here"
  fi
}

# The kernel may use one of our ports for an outgoing connection of another program.
# Usage: host_doctor_ports_reserved FIRST LAST WHOSE
host_doctor_ports_reserved() {
  local low high reserved='' ports=$1-$2
  read -r low high <"${TIERBENCH_ROOT-}/proc/sys/net/ipv4/ip_local_port_range"
  { read -r reserved <"${TIERBENCH_ROOT-}/proc/sys/net/ipv4/ip_local_reserved_ports"; } 2>/dev/null || :
  if (($1 > high || $2 < low)) || [[ ",$reserved," == *",$ports,"* ]]; then
    host_doctor_row ok "port range" "$low-$high" "outside of $ports" -
  else
    host_doctor_row warn "port range" "$low-$high" "outside of $ports, the $3 ports" \
      "set REDISBASE, or sysctl net.ipv4.ip_local_reserved_ports=${reserved:+$reserved,}$ports, here"
  fi
}

# Whether a user other than root may listen on the instances' ports.
host_doctor_ports_low() {
  local low
  { read -r low <"${TIERBENCH_ROOT-}/proc/sys/net/ipv4/ip_unprivileged_port_start"; } 2>/dev/null || low=1024
  ((FIRST_PORT >= low)) ||
    host_doctor_row fail ports "those below $low are for root" "$FIRST_PORT" "set REDISBASE=$low, or sysctl net.ipv4.ip_unprivileged_port_start=1024, here"
}

# Whether the directory of locks can be used.
host_doctor_locks() {
  local why
  if why=$( (host_locks_open) 2>&1); then
    host_doctor_row ok locks "$LOCK_DIR" "a directory of all users" -
  else
    host_doctor_row fail locks "${why//[$'\t\n']/ }" "a directory of all users" "set LOCK_DIR, the same for all users of this host"
  fi
}

# The instances' ports, and with a cluster those of its bus.
host_doctor_ports_free() {
  local port text
  local -a ports=() taken
  for ((port = FIRST_PORT; port <= LAST_PORT; port++)); do
    ports+=("$port")
    ((port > LAST_BUS)) || ports+=($((port + 10000)))
  done
  mapfile -t -n 20 taken < <(host_ports_taken "${ports[@]}")
  if ((${#taken[@]} == 0)); then
    host_doctor_row ok ports free "$((LAST_PORT - FIRST_PORT + 1)) from $FIRST_PORT on" -
  else
    printf -v text '%s, ' "${taken[@]}"
    host_doctor_row fail ports "${text%, }" "free from $FIRST_PORT on" "set REDISBASE, or ./do_it.sh stop if it is of a broken run"
  fi
}

# The limit of open files of a process, against the number that it will open.
# Usage: host_doctor_limit STATE WANTED WHAT
host_doctor_limit() {
  local most
  most=$(ulimit -Hn)
  if [[ $most == unlimited ]] || ((most >= $2)); then
    host_doctor_row ok "open files" "$most" "$2" -
  else
    host_doctor_row "$1" "open files" "$most" "$2: $3" "raise nofile in /etc/security/limits.conf"
  fi
}

# Print a row of fields, separated by tabs.
# Usage: host_doctor_row FIELD...
host_doctor_row() {
  local IFS=$'\t'
  printf '%s\n' "$*"
}
