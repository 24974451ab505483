# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The guests of the lab: boot them on a network of their own, log in to them, reset them, and remove everything.
#
# Guest N has the address 198.18.1.N, the master 198.18.1.100. Both are in the network namespace LAB_ID. The master has its own /var/tmp, ssh
# configuration and sysfs.

# By name of a guest: the process of QEMU, and its number.
declare -A LAB_PIDS=() LAB_NUMBERS=()

# Make the network, and what the master needs.
# Usage: lab_up
# Globals: LAB_ID LAB_WORK LAB_CACHE
lab_up() {
  local left
  # A lab that was killed leaves its namespace and its disks.
  for left in /run/netns/tierbench-lab-*; do
    [[ ! -e $left || -e /proc/${left##*-} ]] || ip netns del "${left##*/}"
  done
  for left in "$LAB_CACHE"/run.*; do
    [[ ! -e $left || -e /proc/${left##*.} && $left != "$LAB_WORK" ]] || rm -rf --one-file-system -- "$left"
  done
  ip netns add "$LAB_ID"
  mkdir -m 700 -- "$LAB_WORK"
  printf 'link set lo up\nlink add br0 type bridge stp_state 0 forward_delay 0\naddress add 198.18.1.100/24 dev br0\nlink set br0 up\n' | _lab_ip
  mkdir -- "$LAB_WORK"/{bin,vartmp}
  chmod 1777 "$LAB_WORK/vartmp"
  install -m 600 "$LAB_CACHE/key" "$LAB_WORK/key"
  printf '198.18.1.* %s\n' "$(<"$LAB_CACHE/host.pub")" >"$LAB_WORK/known_hosts"
  cat >"$LAB_WORK/ssh_config" <<END
Host *
  IdentityFile $LAB_WORK/key
  IdentitiesOnly yes
  UserKnownHostsFile $LAB_WORK/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  UpdateHostKeys no
  BatchMode yes
  ConnectTimeout 20
END
  printf '#!/bin/sh\nexec %q -F %q "$@"\n' "$(type -P ssh)" "$LAB_WORK/ssh_config" >"$LAB_WORK/bin/ssh"
  chmod 755 "$LAB_WORK/bin/ssh"
}

# Run lines of ip in the network of the lab.
# Usage: _lab_ip <LINES
_lab_ip() {
  nsenter --net="/run/netns/$LAB_ID" -- ip -batch -
}

# Stop the run and all guests, and remove the network and the files.
# Usage: lab_down
lab_down() {
  local name
  # This script was interrupted in a check.
  [[ -z ${RUN_PID-} ]] || ! kill "$RUN_PID" 2>/dev/null || wait "$RUN_PID" || :
  for name in "${!LAB_PIDS[@]}"; do lab_off "$name"; done
  [[ ! -e /run/netns/$LAB_ID ]] || ip netns del "$LAB_ID"
  rmdir /run/netns 2>/dev/null || :
  rm -rf --one-file-system -- "$LAB_WORK"
}

# Start a guest on a fresh copy of the image of a release. lab_ready waits until it can be used.
# Usage: lab_boot NAME NUMBER SUITE MEMORY CPUS [ARGUMENT...]
#   ARGUMENT of QEMU
# Globals: LAB_OPTIONS, of the machine type (optional); LAB_CPU (optional); LAB_APPEND, to the command line of the kernel (optional)
lab_boot() {
  local name=$1 number=$2 queues='' many='' LAB_IMAGE MACHINE
  lab_image "$3"
  # A queue for each CPU.
  (($5 == 1)) || queues=,queues=$5 many=multi_queue
  nsenter --net="/run/netns/$LAB_ID" -- ip link show "tap$number" >/dev/null 2>&1 ||
    printf 'tuntap add dev tap%s mode tap %s\nlink set tap%s master br0 up\n' "$number" "$many" "$number" | _lab_ip
  cp --sparse=always -- "$LAB_IMAGE" "$LAB_WORK/$name.img"
  # Writes reach the page cache of this machine at once, so they survive a kill of QEMU.
  machine_words "${LAB_OPTIONS-}" "root=/dev/nvme0n1 rw net.ifnames=0 lab.ip=198.18.1.$number lab.host=$name${LAB_APPEND:+ $LAB_APPEND}" "$(compgen -G "$LAB_KERNEL/boot/vmlinuz-*")" \
    ${LAB_CPU:+-cpu "$LAB_CPU"} -m "$4" -smp "$5" -serial "file:$LAB_WORK/$name.console" -device virtio-rng-pci \
    -drive "file=$LAB_WORK/$name.img,if=none,id=root,format=raw,cache=unsafe" -device nvme,drive=root,serial=root \
    -netdev "tap,id=n0,ifname=tap$number,script=no,downscript=no$queues" \
    -device "virtio-net-pci,netdev=n0,mac=52:54:00:00:00:0$number,mq=on,vectors=$((2 * $5 + 2))" "${@:6}"
  LAB_NUMBERS[$name]=$number
  declare -p MACHINE >"$LAB_WORK/$name.words"
  _lab_start "$name"
}

# Start QEMU for a guest. It ends with this script in any case.
# Usage: _lab_start NAME
_lab_start() {
  local MACHINE
  # shellcheck source=/dev/null
  . "$LAB_WORK/$1.words"
  setpriv --pdeathsig KILL -- nsenter --net="/run/netns/$LAB_ID" -- setsid "${MACHINE[@]}" </dev/null >"$LAB_WORK/$1.out" 2>&1 &
  LAB_PIDS[$1]=$!
}

# Wait until ssh to guests works; fail with the last lines of the console. QEMU lost the end of an interrupt in some boots with several CPUs: CPU 0 is
# halted while its local APIC still has the timer in service, so no timer and no NVMe interrupt arrives any more. Such a guest boots again, once.
# Usage: lab_ready NAME...
lab_ready() {
  local name end tries
  for name; do
    tries=1 end=$((SECONDS + 120))
    until lab_ssh "$name" true 2>"$LAB_WORK/$name.ssh"; do
      if ((SECONDS > end && tries == 1)); then
        _lab_last "$name"
        echo "# $name: does not boot; once more"
        tries=2 end=$((SECONDS + 400))
        lab_reset "$name"
      elif ! kill -0 "${LAB_PIDS[$name]}" 2>/dev/null || ((SECONDS > end)); then
        _lab_last "$name"
        echo "# $name: does not answer"
        return 1
      fi
      sleep 1 # between two polls
    done
    echo "# $name: up at $SECONDS s"
  done
}

# Print what a guest has said last.
# Usage: _lab_last NAME
_lab_last() {
  tail -n 20 "$LAB_WORK/$1".{out,console,ssh} 2>/dev/null | tr -d '\r' | sed 's/^/# /'
}

# Turn a guest off at once, as a loss of power does.
# Usage: lab_off NAME
lab_off() {
  [[ -n ${LAB_PIDS[$1]-} ]] || return 0
  kill -KILL "${LAB_PIDS[$1]}" 2>/dev/null || :
  wait "${LAB_PIDS[$1]}" 2>/dev/null || :
  unset 'LAB_PIDS[$1]'
}

# Turn a guest off and on: it boots from the disk as it is.
# Usage: lab_reset NAME
lab_reset() {
  lab_off "$1"
  _lab_start "$1"
}

# Reboot a guest by its own command. QEMU ends with that, so the lab is what loads the kernel, with other words at the end of its command line.
# Usage: lab_reboot NAME WORDS
# Returns: 1 if the guest does not shut down in two minutes, or does not boot
lab_reboot() {
  local end=$((SECONDS + 120))
  lab_ssh "$1" reboot || :
  while kill -0 "${LAB_PIDS[$1]}" 2>/dev/null; do
    if ((SECONDS > end)); then
      _lab_last "$1"
      echo "# $1: does not shut down"
      return 1
    fi
    sleep 0.5 # between two polls
  done
  sed -i "s/ lab[.]host=$1[^\"]*/ lab.host=$1 $2/" "$LAB_WORK/$1.words"
  lab_reset "$1"
  lab_ready "$1"
}

# Install this project in a guest, without the libraries of the load generator.
# Usage: lab_install NAME
lab_install() {
  make -s -C "$REPO" install DESTDIR="$LAB_WORK/tree" PREFIX=/usr/local >/dev/null
  tar -C "$LAB_WORK/tree" -cf - usr | lab_ssh "$1" tar -C / --no-overwrite-dir -xf -
}

# Install the libraries of the load generator in a guest.
# Usage: lab_libraries NAME
lab_libraries() {
  local library
  while read -r library; do
    lab_ssh "$1" "cat >/usr/local/lib/${library##*/} && ldconfig" <"$library"
  done < <(ldd "$REPO/test" | awk '/hiredis|gomp/ { print $3 }')
}

# Turn all guests off after a failed check, so that the next one does not begin with what was left.
# Usage: lab_fresh FAILED
#   FAILED: the number of failed checks at the last call
lab_fresh() {
  local name
  ((FAILED > $1)) || return 0
  for name in "${!LAB_PIDS[@]}"; do lab_off "$name"; done
}

# Print the address of a guest.
# Usage: lab_address NAME
lab_address() {
  echo "198.18.1.${LAB_NUMBERS[$1]}"
}

# Run a command in a guest as root.
# Usage: lab_ssh NAME COMMAND...
lab_ssh() {
  nsenter --net="/run/netns/$LAB_ID" -- "$LAB_WORK/bin/ssh" -o ConnectTimeout=5 "root@$(lab_address "$1")" "${@:2}"
}

# Run a command as the master; it replaces the process that calls this.
# Usage: lab_master COMMAND...
lab_master() {
  exec nsenter --net="/run/netns/$LAB_ID" -- unshare --mount bash -c 'mount --bind "$0/vartmp" /var/tmp && mount -t sysfs none /sys && PATH=$0/bin:$PATH TIERBENCH_RESULTS_DIR=$0/results exec "$@"' \
    "$LAB_WORK" "$@"
}

# Run do_it.sh as the master, with the scenario of the lab.
# Usage: lab_do COMMAND ARGUMENT...
lab_do() {
  (lab_master "$REPO/do_it.sh" "$1" -s "$LAB_WORK/lab.conf" "${@:2}")
}

# The same; stdout and stderr are kept in LAB_WORK/out and err, the status in STATUS, and stderr is printed.
# Usage: lab_run COMMAND ARGUMENT...
lab_run() {
  STATUS=0
  lab_do "$@" >"$LAB_WORK/out" 2>"$LAB_WORK/err" </dev/null || STATUS=$?
  echo "# do_it.sh $*: exit $STATUS at $SECONDS s"
  sed 's/^/#   /' "$LAB_WORK/err"
}

# Start a run, and wait until a line of its log matches; its process is RUN_PID, until it was waited for.
# Usage: lab_begin REGEX ARGUMENT...
lab_begin() {
  local end=$((SECONDS + 400))
  (lab_master "$REPO/do_it.sh" run -s "$LAB_WORK/lab.conf" "${@:2}") </dev/null >"$LAB_WORK/out" 2>"$LAB_WORK/err" &
  RUN_PID=$!
  until grep -qE "$1" "$LAB_WORK/err"; do
    if ! kill -0 "$RUN_PID" 2>/dev/null || ((SECONDS > end)); then
      sed 's/^/#   /' "$LAB_WORK/err"
      echo "# the run did not come to: $1"
      return 1
    fi
    sleep 0.5 # between two polls
  done
}

# Print the newest run of the lab.
# Usage: lab_newest
lab_newest() {
  find "$LAB_WORK/results" -mindepth 1 -maxdepth 1 | sort | tail -n 1
}

# Print what a run may change on a guest.
# Usage: lab_state NAME
lab_state() {
  lab_ssh "$1" bash -s <"$REPO/tests/lab/guest/state"
}
