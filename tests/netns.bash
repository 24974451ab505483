# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Servers and clients on one wire: network namespaces, each with an address, an sshd and separate files.
#
#   netns_up DIR                 builds it all below DIR, or skips the test with the reason
#   netns_exec HOST CMD...       runs a command on HOST's network, with the files of the test (as a master would)
#   netns_host HOST CMD...       runs a command on HOST's network and with HOST's files (as over ssh)
#   netns_link HOST up|down      connects or disconnects HOST's link
#   netns_refuse HOST            makes HOST refuse the master's key from now on
#   netns_down                   stops and removes everything; may be called twice
#   netns_sweep                  does the same for test processes that were killed
#
# Hosts: server 198.18.0.1, server2 198.18.0.2 and so on, as many as NETNS_SERVERS says (1); client1 198.18.0.11, client2 198.18.0.12 and so
# on, as many as NETNS_CLIENTS says (2; RFC 2544's range for benchmarks); each is known to ssh by its name and by its address. Names of namespaces are unique to the test process; links have names inside
# namespaces only, so checkouts can test at the same time.
# Files: if the machine allows it, every host has its own /tmp, /var/tmp, /run and home, and does not see this checkout; NETNS_FILES is then `own`,
# else `shared`. All hosts share process ids.

NETNS_HOSTS=(server)
declare -gA NETNS_ADDRESS=([server]=198.18.0.1)

# Name the hosts. Usage: _netns_hosts CLIENTS SERVERS   Sets: NETNS_HOSTS NETNS_ADDRESS
_netns_hosts() {
  local number
  for ((number = 2; number <= $2; number++)); do
    NETNS_HOSTS+=("server$number")
    NETNS_ADDRESS[server$number]=198.18.0.$number
  done
  for ((number = 1; number <= $1; number++)); do
    NETNS_HOSTS+=("client$number")
    NETNS_ADDRESS[client$number]=198.18.0.$((10 + number))
  done
}
_netns_hosts "${NETNS_CLIENTS:-2}" "${NETNS_SERVERS:-1}"

# Print the name of a host's namespace.
# Usage: netns_name HOST|switch   Globals: NETNS_ID   Returns: 0
netns_name() { printf '%s-%s\n' "$NETNS_ID" "$1"; }

# Build the hosts, or skip the test with the reason.
# Usage: netns_up DIR   Exports: NETNS_ID NETNS_DIR NETNS_FILES NETNS_SSH_CONFIG NETNS_KNOWN_HOSTS
# Returns: 0, or 1 with a line on stderr and everything removed
netns_up() {
  local host reason
  need_command ip sshd ssh ssh-keygen nsenter unshare
  need_root
  export NETNS_ID=tierbench-$$-$RANDOM NETNS_DIR=$1/netns NETNS_FILES
  export NETNS_SSH_CONFIG=$NETNS_DIR/ssh_config NETNS_KNOWN_HOSTS=$NETNS_DIR/known_hosts
  mkdir -p -- "$NETNS_DIR"
  if ! _netns_wire 2>"$NETNS_DIR/error"; then
    reason=$(sed '/^Command failed /d' "$NETNS_DIR/error" | tail -n 1)
    netns_down
    skip "network namespaces cannot be made here: $reason"
  fi
  NETNS_FILES=$(_netns_files_kind)
  _netns_keys
  for host in "${NETNS_HOSTS[@]}"; do _netns_sshd "$host"; done
  wait_until 20 netns_exec client1 timeout 5 bash -c 'for address; do : <>"/dev/tcp/$address/22" || exit; done' bash "${NETNS_ADDRESS[@]}" && return
  for host in "${NETNS_HOSTS[@]}"; do cat "$NETNS_DIR/$host/sshd.log" >&2; done
  netns_down
  return 1
}

# Run ip in a namespace. (`ip -n` changes mounts, which a chroot does not allow.) `-batch -` reads lines of arguments: one process for all of them.
# Usage: _netns_ip HOST|switch ARG...   Returns: ip's status
_netns_ip() {
  nsenter --net="/run/netns/$(netns_name "$1")" -- ip "${@:2}"
}

# Make the namespaces and the bridge that joins them.
# Usage: _netns_wire   Returns: 0, or 1 with ip's reason on stderr
_netns_wire() {
  local host
  # The first namespace of a machine mounts this directory, and the last one removes the mount.
  mountpoint -q /run/netns || : >"$NETNS_DIR/made-run-netns"
  ip netns add "$(netns_name switch)" || return 1
  for host in "${NETNS_HOSTS[@]}"; do ip netns add "$NETNS_ID-$host" || return 1; done
  {
    printf 'link add name wire type bridge stp_state 0 forward_delay 0\nlink set wire up\n'
    for host in "${NETNS_HOSTS[@]}"; do
      # One end is the host's eth0, the other a port of the switch with the host's name.
      printf 'link add name %s type veth peer name eth0 netns %s\nlink set %s master wire up\n' "$host" "$NETNS_ID-$host" "$host"
    done
  } | _netns_ip switch -batch - || return 1
  for host in "${NETNS_HOSTS[@]}"; do
    printf 'link set lo up\naddress add %s/24 dev eth0\nlink set eth0 up\n' "${NETNS_ADDRESS[$host]}" | _netns_ip "$host" -batch - || return 1
  done
}

# Print the method to get a mount namespace with private mounts.
# Usage: _netns_files_kind   Returns: 0, with `own`, `own-unchanged` or `shared` on stdout
_netns_files_kind() {
  local probe=$NETNS_DIR/probe
  mkdir -p -- "$probe"
  if unshare --mount mount -t tmpfs none "$probe" 2>/dev/null; then
    echo own
    return
  fi
  # In a chroot the root is not a mount, so unshare cannot make it private; it may already be private.
  if unshare --mount --propagation unchanged bash -c 'mount -t tmpfs none "$1" && : >"$1/seen"' bash "$probe" 2>/dev/null &&
    [[ ! -e $probe/seen ]]; then
    echo own-unchanged
    return
  fi
  umount "$probe" 2>/dev/null || :
  echo shared
}

# Write the keys, the master's ssh configuration, and its known_hosts.
# Usage: _netns_keys   Returns: 0
_netns_keys() {
  local host names
  ssh-keygen -q -t ed25519 -N '' -C master -f "$NETNS_DIR/id"
  : >"$NETNS_KNOWN_HOSTS"
  {
    for host in "${NETNS_HOSTS[@]}"; do
      mkdir -p -- "$NETNS_DIR/$host"
      ssh-keygen -q -t ed25519 -N '' -C "$host" -f "$NETNS_DIR/$host/host_key"
      cp -- "$NETNS_DIR/id.pub" "$NETNS_DIR/$host/authorized_keys"
      names=$host,${NETNS_ADDRESS[$host]}
      printf '%s %s\n' "$names" "$(<"$NETNS_DIR/$host/host_key.pub")" >>"$NETNS_KNOWN_HOSTS"
      printf 'Host %s\n  HostName %s\n' "${names/,/ }" "${NETNS_ADDRESS[$host]}"
    done
    printf 'Host *\n  User root\n  IdentityFile %s\n  IdentitiesOnly yes\n' "$NETNS_DIR/id"
    printf '  UserKnownHostsFile %s\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n' "$NETNS_KNOWN_HOSTS"
    printf '  UpdateHostKeys no\n  BatchMode yes\n  ConnectTimeout 20\n'
  } >"$NETNS_SSH_CONFIG"
}

# Start a host's sshd, with its own files if possible.
# Usage: _netns_sshd HOST   Returns: 0
_netns_sshd() {
  local host=$1 folder=$NETNS_DIR/$1 inside=$NETNS_DIR/$1 pid
  [[ $NETNS_FILES == shared ]] || inside=/run/testbed
  cat >"$folder/sshd_config" <<END
Port 22
ListenAddress ${NETNS_ADDRESS[$host]}
HostKey $inside/host_key
AuthorizedKeysFile $inside/authorized_keys
PidFile $inside/sshd.pid
# The keys may be below /tmp, which other users can write to.
StrictModes no
UsePAM no
UseDNS no
PasswordAuthentication no
PermitRootLogin prohibit-password
PrintLastLog no
PrintMotd no
MaxStartups 100
MaxSessions 100
Subsystem sftp internal-sftp
END
  _netns_enter "$host" bash -c "$(declare -f _netns_own_files); "'
    [[ $1 == shared ]] || _netns_own_files "$2" "$3" "$4"
    # sshd requires an empty directory of root; on a running system it exists.
    [[ -d /run/sshd ]] || { mkdir -m 755 /run/sshd && : >"$5/made-run-sshd"; }
    exec "$(command -v sshd)" -D -e -f "$5/sshd_config"' \
    bash "$NETNS_FILES" "$folder" "$REPO" ~root "$inside" </dev/null >"$folder/sshd.log" 2>&1 3>&- &
  pid=$!
  printf '%s:%s\n' "$pid" "$(process_start "$pid")" >"$folder/sshd.process"
}

# Cover the directories that one machine does not share with another; runs in the host's mount namespace.
# Usage: _netns_own_files DIR CHECKOUT HOME   Returns: 0
_netns_own_files() {
  set -e
  local path
  mount -t sysfs none /sys 2>/dev/null || : # shows the links of this namespace
  mount -t tmpfs -o mode=755 none /run
  mkdir -m 700 /run/testbed
  cp -- "$1"/{host_key,authorized_keys,sshd_config} /run/testbed
  # Without PAM, sshd refuses an account whose password field begins with `!`, as root has it on some systems.
  printf 'root:*:19000:0:99999:7:::\nsshd:*:19000::::::\n' >/run/testbed/shadow
  chmod 600 /run/testbed/shadow
  mount --bind /run/testbed/shadow /etc/shadow
  cd /
  for path in /tmp /var/tmp "$3" "$2"; do
    [[ ! -d $path ]] || mount -t tmpfs -o mode=1777 none "$path"
  done
  [[ ! -d $3 ]] || chmod 700 "$3"
}

# Run a command on a host's network, in a separate mount namespace if possible, in the same process.
# Usage: _netns_enter HOST COMMAND...   Returns: the command's status
_netns_enter() {
  local -a how=(unshare --mount --)
  case $NETNS_FILES in
    own-unchanged) how=(unshare --mount --propagation unchanged --) ;;
    shared) how=() ;;
  esac
  exec nsenter --net="/run/netns/$(netns_name "$1")" -- "${how[@]}" "${@:2}"
}

# Run a command on a host's network, with the files of the test.
# Usage: netns_exec HOST COMMAND...   Returns: the command's status
netns_exec() {
  # A sysfs mounted inside shows the links of the namespace; the old sysfs shows those of the machine.
  (_netns_enter "$1" bash -c '[[ $1 == shared ]] || mount -t sysfs none /sys 2>/dev/null; shift; exec "$@"' \
    bash "$NETNS_FILES" "${@:2}")
}

# Run a command on a host's network and with the host's files.
# Usage: netns_host HOST COMMAND...   Returns: the command's status
netns_host() {
  local process
  process=$(<"$NETNS_DIR/$1/sshd.process")
  # --root: in a chroot, entering only the mounts would leave the chroot.
  nsenter --target "${process%%:*}" --net --mount --root --wd=/ -- "${@:2}"
}

# Connect or disconnect a host's link. The host keeps its address; its packets are lost. A link that comes up is waited for: the kernel notices
# the carrier some time later.
# Usage: netns_link HOST up|down   Returns: ip's status; 1 if port 22 of the host does not answer in time
netns_link() {
  local from=client1
  _netns_ip switch link set "$1" "$2" || return
  [[ $2 == up ]] || return 0
  [[ $1 != client1 ]] || from=server
  wait_until 20 netns_exec "$from" timeout 1 bash -c ": <>/dev/tcp/${NETNS_ADDRESS[$1]}/22"
}

# Make a host refuse the master's key, or accept it again. (A wrong key in addition to the configured key has no effect, because ssh tries both.)
# Usage: netns_refuse HOST [undo]   Returns: 0
netns_refuse() {
  local file=/run/testbed/authorized_keys
  [[ $NETNS_FILES != shared ]] || file=$NETNS_DIR/$1/authorized_keys
  netns_host "$1" tee "$file" >/dev/null < <([[ ${2-} != undo ]] || cat "$NETNS_DIR/id.pub")
}

# Print every process in a host's namespace as PID:STARTTIME.
# Usage: netns_processes HOST   Returns: 0
netns_processes() {
  local pid start
  for pid in $(ip netns pids "$(netns_name "$1")" 2>/dev/null); do
    start=$(process_start "$pid") && printf '%s:%s\n' "$pid" "$start"
  done
  return 0
}

# Whether no process is left in any of the namespaces.
# Usage: _netns_empty   Returns: 0 yes, 1 no
_netns_empty() {
  local host
  for host in "${NETNS_HOSTS[@]}"; do
    [[ -z $(netns_processes "$host") ]] || return 1
  done
}

# Stop everything in the namespaces, and remove them and their files.
# Usage: netns_down   Returns: 0, or 1 if a process cannot be stopped
netns_down() {
  local host each signal left=0
  [[ -n ${NETNS_ID-} && -n ${NETNS_DIR-} ]] || return 0
  # The namespaces contain only processes of this test: sshd, its sessions, and their children.
  for signal in TERM KILL; do
    for host in "${NETNS_HOSTS[@]}"; do
      for each in $(netns_processes "$host"); do
        process_gone "${each%%:*}" "${each#*:}" || kill "-$signal" "${each%%:*}" 2>/dev/null || :
      done
    done
    wait_within 20 _netns_empty 2>/dev/null && break
    [[ $signal == TERM ]] || left=1
  done
  for host in switch "${NETNS_HOSTS[@]}"; do
    [[ ! -e /run/netns/$(netns_name "$host") ]] || ip netns delete "$(netns_name "$host")"
  done
  if [[ -e $NETNS_DIR/made-run-netns && -z $(ls -A /run/netns) ]]; then
    umount /run/netns && rmdir /run/netns
  fi
  if compgen -G "$NETNS_DIR/*/made-run-sshd" >/dev/null; then
    rmdir /run/sshd 2>/dev/null || :
  fi
  remove_busy "$NETNS_DIR"
  unset -v NETNS_ID
  return "$left"
}

# Remove the namespaces of dead test processes: a killed test could not remove them.
# Usage: netns_sweep   Returns: 0
netns_sweep() {
  local path NETNS_ID NETNS_DIR
  local -a NETNS_HOSTS
  # A teardown that was killed may have removed some of them.
  for path in /run/netns/tierbench-*; do
    [[ -e $path && ${path##*/} =~ ^(tierbench-([0-9]+)-[0-9]+)-[a-z0-9]+$ && ! -e /proc/${BASH_REMATCH[2]} ]] || continue
    NETNS_ID=${BASH_REMATCH[1]}
    NETNS_HOSTS=(/run/netns/"$NETNS_ID"-*)
    NETNS_HOSTS=("${NETNS_HOSTS[@]#/run/netns/"$NETNS_ID"-}")
    printf 'removing the namespaces of a test that was killed: %s\n' "$NETNS_ID" >&2
    # Its scratch directory is unknown; use an empty one.
    NETNS_DIR=$(mktemp -d "${TMPDIR:-/tmp}/tierbench-sweep.XXXXXX")
    netns_down
  done
}

# What most suites with hosts do after each test; the others define their own.
teardown() {
  netns_down
  scratch_teardown
}
