# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether this host meets the requirements of its role, as rows: STATE CHECK FOUND WANTED FIX.
# Needs: cpus irq ports vsmp damon resctrl tune_kind tune_journal tune program
# Settings sent in front: ADDRESS (which carries the load), NEED_MBIT (required speed of the link, in Mbit/s),
# NEED_PORTS (a client's connections to one instance), NEED_FILES (open files for all of its connections),
# NEED_NUMACTL (not empty: policies are requested), FIRST_PORT and LAST_PORT of the instances, CLUSTER, TUNE_ROWS (empty: tuning is not checked),
# PROGRAM_KEY (of the load generator; empty: it is not looked for).
# TIERBENCH_ROOT, if set, is a prefix of the kernel's paths, so that a test can simulate another machine.

# Print the checks of a role as rows, `tuning` and the rows of tune_rows, `found PATH` or `lacks MACHINE WHY` of the load generator, and
# `clock ARRIVED LEFT`: this host's clock at the beginning and at the end.
# Usage: main server|client
main() {
  local tool arrived=${EPOCHREALTIME/,/.}
  work_open
  row ok "work directory" "$WORK" "private" -
  for tool in tar sha256sum flock awk; do need "$tool"; done
  leftovers
  link
  case $1 in
    server)
      for tool in setsid taskset lscpu; do need "$tool"; done
      [[ -z $NEED_NUMACTL ]] || need numactl
      limit warn 10032 "what redis-server asks for with its default maxclients"
      ports_reserved
      ports_free
      ;;
    client)
      need screen --version
      limit fail "$NEED_FILES" "the load generator's connections at the largest point"
      ports_ephemeral
      [[ -z $PROGRAM_KEY ]] || generator
      ;;
  esac
  [[ -z $TUNE_ROWS ]] || tuning
  row clock "$arrived" "${EPOCHREALTIME/,/.}"
}

# Whether the cache has the load generator, and it runs.
generator() {
  local said what path why
  if ! said=$(program_look test "$PROGRAM_KEY" 2>&1); then
    row fail "load generator" "cannot be run in $WORK/cache (mounted noexec?)" "./test" "set REMOTE_DIR to a directory where programs can be run"
    return
  fi
  # The master asks for the reason when it copies the program.
  IFS=$'\t' read -r what path why <<<"$said"
  if [[ $what == yes ]]; then row found "$path"; else row lacks "$path" "$why"; fi
}

# The changes that tuning would make.
tuning() {
  TUNE=$WORK/tune-$RUN_ID
  tune_rows check
}

# What tune_rows prints, in the place of the function in lib/host/tune.sh.
tune_say() {
  row tuning "$@"
}

# A tool must exist; with an option that prints its version, the version is in FOUND.
# Usage: need TOOL [OPTION]
need() {
  local found
  # The shell's table of paths answers without a process.
  if hash -- "$1" 2>/dev/null; then
    found=${BASH_CMDS[$1]-$1}
    if [[ -n ${2-} ]]; then
      # A program may fail to print its version, as older versions of screen do, but it must return.
      found=$(run_limited 10 "$1" "$2" 2>&1) || (($? != 124)) || {
        row fail "$1" "${found##*$'\n'}" "a program that works" "reinstall $1 here"
        return
      }
      found=${found%%$'\n'*}
    fi
    row ok "$1" "$found" "in PATH" -
  else
    row fail "$1" missing "in PATH" "install: $1"
  fi
}

# The next run and `stop` clean up after a broken run; it is reported because it uses memory and ports until then.
leftovers() {
  local folder names=
  for folder in "$WORK"/run-* "$WORK"/tune-*; do
    [[ -d $folder ]] || continue
    if ! run_ours "$folder" || owner_lives "$folder/owner"; then continue; fi
    [[ " $names " == *" $OWNER_RUN "* ]] || names+="${names:+ }$OWNER_RUN"
    [[ ${folder##*/} == run-* || ! -e $folder/journal ]] || names+=" (with settings of this host that are not restored)"
  done
  if [[ -n $names ]]; then
    row warn leftovers "$names" none "./do_it.sh stop"
  else
    row ok leftovers none none -
  fi
}

# The slowest NIC that carries the load, against the required speed.
link() {
  local device speed slowest='' found='' driver
  for device in $(irq_devices "$ADDRESS" || :); do
    if [[ $device == lo ]]; then
      row ok link loopback "$NEED_MBIT Mbit/s" -
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
  if [[ -z $found ]]; then
    row warn link "no NIC carries $ADDRESS" "$NEED_MBIT Mbit/s" "ip route get $ADDRESS"
  elif [[ -n $slowest ]] && ((slowest < NEED_MBIT)); then
    row warn link "$found" "$NEED_MBIT Mbit/s for the largest value at PLAN_OPS or RATE" "the link would be the limit: use a faster link, or smaller values"
  else
    row ok link "$found" "$NEED_MBIT Mbit/s" -
  fi
}

# The kernel's local port range, against the connections of a client: a port can be used once per instance.
ports_ephemeral() {
  local low high
  read -r low high <"${TIERBENCH_ROOT-}/proc/sys/net/ipv4/ip_local_port_range"
  if ((high - low + 1 >= NEED_PORTS)); then
    row ok "port range" "$low-$high" "$NEED_PORTS connections per instance" -
  else
    row fail "port range" "$low-$high" "$NEED_PORTS connections per instance" "sysctl net.ipv4.ip_local_port_range='1024 65535', here"
  fi
}

# The kernel may use one of our ports for an outgoing connection of another program.
ports_reserved() {
  local low high reserved
  read -r low high <"${TIERBENCH_ROOT-}/proc/sys/net/ipv4/ip_local_port_range"
  reserved=$(cat "${TIERBENCH_ROOT-}/proc/sys/net/ipv4/ip_local_reserved_ports" 2>/dev/null) || :
  if ((FIRST_PORT > high || LAST_PORT < low)) || [[ $reserved == *"$FIRST_PORT-$LAST_PORT"* ]]; then
    row ok "port range" "$low-$high" "outside of $FIRST_PORT-$LAST_PORT" -
  else
    row warn "port range" "$low-$high" "outside of $FIRST_PORT-$LAST_PORT, the instances' ports" \
      "set REDISBASE, or sysctl net.ipv4.ip_local_reserved_ports=$FIRST_PORT-$LAST_PORT, here"
  fi
}

# The instances' ports, and with CLUSTER=on those of the cluster bus.
ports_free() {
  local port text
  local -a ports=() taken
  for ((port = FIRST_PORT; port <= LAST_PORT; port++)); do
    ports+=("$port")
    [[ $CLUSTER != on ]] || ports+=($((port + 10000)))
  done
  mapfile -t -n 20 taken < <(ports_taken "${ports[@]}")
  if ((${#taken[@]} == 0)); then
    row ok ports free "$((LAST_PORT - FIRST_PORT + 1)) from $FIRST_PORT on" -
  else
    printf -v text '%s, ' "${taken[@]}"
    row fail ports "${text%, }" "free from $FIRST_PORT on" "set REDISBASE, or ./do_it.sh stop if it is of a broken run"
  fi
}

# The limit of open files of a process, against the number that it will open.
# Usage: limit STATE WANTED WHAT
limit() {
  local most
  most=$(ulimit -Hn)
  if [[ $most == unlimited ]] || ((most >= $2)); then
    row ok "open files" "$most" "$2" -
  else
    row "$1" "open files" "$most" "$2: $3" "raise nofile in /etc/security/limits.conf"
  fi
}

row() {
  local IFS=$'\t'
  printf '%s\n' "$*"
}
