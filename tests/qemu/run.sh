#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Boot a machine with two nodes with CPUs, a slow node without CPUs, and cgroup v2, in QEMU, and run tests/qemu/guest.sh in it.
#
# Usage: tests/qemu/run.sh [GROUP]...
#   GROUP is a file of tests/qemu/checks; the guest runs them in this order. Default: placement
#
# The kernel, and a numactl with weights, are from the Debian release that has them, through the mirror in the apt configuration of this machine;
# they are unpacked below build/qemu and not installed. All other programs in the guest are copies from this machine.
# No test here measures speed: the CPU is emulated.
set -Eeuo pipefail

REPO=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
CACHE=$REPO/build/qemu
# shellcheck source=tests/releases.bash
. "$REPO/tests/releases.bash"
# shellcheck source=tests/machine.bash
. "$REPO/tests/machine.bash"
SUITE=trixie # Linux 6.12 and numactl 2.0.19
LIMIT=1400   # time limit of the guest in seconds

# Programs that the harness, Redis and the tests call. An emulated CPU needs long to link a program with its libraries. Frequently
# called programs are therefore from busybox, which is static, like the bash of the package. Programs that start other programs are
# not from busybox, because busybox would start its own.
PROGRAMS='env timeout grep sort cp mv ln ls stat date find xargs od sync sha256sum base64 tar gzip getconf lscpu taskset setsid flock free uptime ss ip ssh
  screen mkswap swapon swapoff redis-server blkid blockdev fallocate mount chattr df ps sysctl dd setpriv head chmod readlink'

# The modules that the kernel needs, without their dependencies.
MODULES='zram'

# Print why the tests cannot run here, and exit.
qemu_cannot() {
  printf 'check-qemu: %s\n' "$*" >&2
  exit 2
}

# Fetch and unpack the packages once.
# Usage: qemu_fetch DIR
qemu_fetch() {
  release_mirror >/dev/null || qemu_cannot "apt on this machine knows no mirror of Debian"
  release_unpack "$1" "$SUITE" linux-image-cloud-amd64 numactl libnuma1 libc6 bash-static
}

# Copy a program and the libraries that it requires into the tree of the guest.
# Usage: qemu_program TREE PROGRAM
qemu_program() {
  local path library
  path=$(type -P "$2") || {
    echo "without $2" >&2
    return 0
  }
  # The name of the program may be a chain of links to the file.
  [[ -e $1/usr/bin/${2##*/} ]] || cp -L -- "$path" "$1/usr/bin/${2##*/}"
  while read -r library; do
    [[ -e $1$library ]] && continue
    mkdir -p -- "$1${library%/*}"
    cp -L -- "$library" "$1$library"
  done < <(ldd "$path" 2>/dev/null | grep -o '/[^ ]*' || :)
}

# Put numactl into the tree of the guest with the C library that it was built for; the programs that it starts use the library of the tree.
# Usage: qemu_numactl TREE DIR
qemu_numactl() {
  local libraries
  libraries=$(find "$2/usr/lib" -name libnuma.so.1 -printf '%h' -quit)
  mkdir -- "$1/numactl"
  cp -L -t "$1/numactl" -- "$libraries"/{libnuma.so.1,libc.so.6,ld-linux-x86-64.so.2} "$2/usr/bin/numactl"
  printf '#!/bin/bash\nexec /numactl/ld-linux-x86-64.so.2 --library-path /numactl /numactl/numactl "$@"\n' >"$1/usr/bin/numactl"
  chmod 755 "$1/usr/bin/numactl"
}

# Put a module of the kernel into the tree of the guest after its dependencies, and append it to the list of modules.
# Usage: qemu_module TREE DIR NAME
qemu_module() {
  local file name list=$1/lib/modules/list
  file=$(find "$2/usr/lib/modules" -name "$3.ko*" -o -name "${3//_/-}.ko*" | sed -n 1p)
  # Not found: it is built into the kernel.
  [[ -n $file ]] && ! grep -qsx "$3" "$list" || return 0
  case $file in
    *.xz) xz -dc "$file" ;;
    *) cat "$file" ;;
  esac >"$1/lib/modules/$3"
  for name in $(tr '\0' '\n' <"$1/lib/modules/$3" | sed -n 's/^depends=//p' | tr ',' ' '); do qemu_module "$1" "$2" "$name"; done
  echo "$3" >>"$list"
}

# Make the tree of the guest and pack it, uncompressed: the emulated CPU would unpack it more slowly than it reads it.
# Usage: qemu_initramfs TREE DIR FILE
qemu_initramfs() {
  local tree=$1 program module
  mkdir -p -- "$tree"/{usr/bin,proc,sys,dev,tmp,run/screen,var/tmp,etc,root,lib/modules}
  ln -s usr/bin "$tree/bin"
  ln -s usr/bin "$tree/sbin"
  ln -s bin "$tree/usr/sbin"
  for program in $PROGRAMS mawk busybox; do qemu_program "$tree" "$program"; done
  for program in $(busybox --list); do [[ -e $tree/usr/bin/$program ]] || ln -s busybox "$tree/usr/bin/$program"; done
  install -m 755 -- "$(find "$2" -name bash-static -type f -path '*/bin/*')" "$tree/usr/bin/bash"
  # The libraries of ./test; the program itself is copied with the checkout.
  qemu_program "$tree" "$REPO/test"
  qemu_program "$tree" "$REPO/build/membench/membench"
  ln -sf busybox "$tree/usr/bin/test"
  ln -sf mawk "$tree/usr/bin/awk"
  ln -sf bash "$tree/usr/bin/sh"
  qemu_numactl "$tree" "$2"
  for module in $MODULES; do qemu_module "$tree" "$2" "$module"; done
  mkdir -p -- "$tree/usr/share/terminfo/v"
  cp -r -- "$(find /lib/terminfo /usr/share/terminfo -name vt100 2>/dev/null | sed -n 1p)" "$tree/usr/share/terminfo/v/" || :
  # The user of the instances, because there is no other user.
  printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n' >"$tree/etc/passwd"
  printf 'root:x:0:\nutmp:x:43:\ntty:x:5:\nnogroup:x:65534:\n' >"$tree/etc/group"
  printf '127.0.0.1 localhost\n' >"$tree/etc/hosts"
  mkdir -- "$tree/tierbench"
  # Status 1: another suite changed a directory meanwhile.
  { tar -C "$REPO" --exclude=./build --exclude='./results/*' --exclude=./.git --exclude=./docs --exclude=./tests/fixtures --exclude=__pycache__ -cf - . ||
    (($? == 1)); } |
    tar -C "$tree/tierbench" -xf -
  # As in an installed tree, there is no compiler.
  install -m 755 "$REPO/build/membench/membench" "$tree/tierbench/lib/membench/membench"
  install -m 755 "$REPO/tests/qemu/init" "$tree/init"
  (cd "$tree" && find . | busybox cpio -o -H newc 2>/dev/null) >"$3"
}

# Boot, and write the console of the guest to a file. The slow node is nearer to node 0 than the other node with a CPU, so node 0 falls back to it.
# The root is ramfs, whose pages the kernel cannot demote: those of a tmpfs are the coldest of node 0, so they would be demoted in place of the checks'
# memory. With --foreground a signal for the group of this script ends the machine too.
# Usage: qemu_boot DIR INITRAMFS SWAP FILE GROUP...
qemu_boot() {
  machine_words hmat=on "quiet rootfstype=ramfs cgroup_no_v1=all transparent_hugepage=never checks=$(IFS=, && echo "${*:5}")" \
    "$(compgen -G "$1/boot/vmlinuz-*")" -initrd "$2" -smp 2 -m 1280M -serial stdio -monitor none \
    -object memory-backend-ram,id=m0,size=768M -object memory-backend-ram,id=m1,size=384M -object memory-backend-ram,id=m2,size=128M \
    -numa node,nodeid=0,memdev=m0,cpus=0 -numa node,nodeid=1,memdev=m1,initiator=0 -numa node,nodeid=2,memdev=m2,cpus=1 \
    -numa dist,src=0,dst=1,val=17 -numa dist,src=0,dst=2,val=21 -numa dist,src=1,dst=2,val=28 \
    -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-latency,latency=100 \
    -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-bandwidth,bandwidth=20G \
    -numa hmat-lb,initiator=2,target=2,hierarchy=memory,data-type=access-latency,latency=100 \
    -numa hmat-lb,initiator=2,target=2,hierarchy=memory,data-type=access-bandwidth,bandwidth=20G \
    -numa hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-latency,latency=300 \
    -numa hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-bandwidth,bandwidth=5G \
    -drive "file=$3,if=none,id=swap,format=raw" -device nvme,drive=swap,serial=swap
  timeout --foreground "$LIMIT" "${MACHINE[@]}" </dev/null | stdbuf -o0 tr -d '\r' | tee "$4"
}

main() {
  local work group
  (($# > 0)) || set -- placement
  for group; do [[ -e $REPO/tests/qemu/checks/$group.sh ]] || qemu_cannot "$group: no such group; accepted: $(cd "$REPO/tests/qemu/checks" && echo *.sh)"; done
  [[ $(uname -m) == x86_64 ]] || qemu_cannot "the guest is an x86_64 with this machine's programs, and this is none"
  command -v apt-get >/dev/null || qemu_cannot "the guest's kernel is a package of Debian, and here is no apt"
  [[ -x $REPO/test ]] || make -s -C "$REPO"
  make -s -C "$REPO" membench
  mkdir -p -- "$CACHE"
  qemu_fetch "$CACHE/$SUITE"
  work=$(mktemp -d "${TMPDIR:-/tmp}/tierbench-qemu.XXXXXX")
  # shellcheck disable=SC2064 # the directory is known now
  trap "rm -rf -- '$work'" EXIT
  qemu_initramfs "$work/tree" "$CACHE/$SUITE" "$work/initramfs" 2>&1 | sed 's/^/# /' >&2
  # A swap device that belongs to the administrator of the guest.
  (umask 077 && truncate -s 192M "$work/swap")
  # It is not a swap file of this machine, so its holes do not matter.
  mkswap -q -L standing "$work/swap" 2>/dev/null
  qemu_boot "$CACHE/$SUITE" "$work/initramfs" "$work/swap" "$work/console" "$@" || :
  # The guest counts its own failures; a guest that did not complete has failed.
  grep -q '^1\.\.[0-9]*$' "$work/console" || {
    echo 'the guest did not come to its end' >&2
    exit 1
  }
  ! grep -q '^not ok' "$work/console"
}

main "$@"
