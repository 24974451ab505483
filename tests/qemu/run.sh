#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Boot a machine with a slow memory node without a CPU, and cgroups of version 2, in QEMU, and run tests/qemu/guest.sh in it.
#
# Usage: tests/qemu/run.sh
#
# Kernel: the distribution's cloud kernel, downloaded and unpacked below build/qemu, not installed. Everything else in the
# guest are this machine's own programs. Nothing here says anything about speed: the CPU is emulated.
set -Eeuo pipefail

REPO=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
CACHE=$REPO/build/qemu
LIMIT=540 # seconds that the guest may take

# Programs that the harness, Redis and the tests call.
PROGRAMS='bash awk sed grep sort head tail cut tr cat cp mv rm rmdir mkdir mktemp ln ls stat chmod touch date sleep uname id dirname basename
  readlink seq wc find xargs tee od env sync sha256sum base64 paste tar gzip hostname getconf lscpu taskset setsid flock free uptime ss ip
  ssh screen numactl mkswap swapon swapoff redis-server blkid fallocate mount chattr comm uniq expr printf true false test df ps sysctl diff'

# Say what is missing, and leave.
qemu_need() {
  local name
  for name; do
    command -v "$name" >/dev/null || {
      echo "$name is missing: apt-get install qemu-system-x86 busybox-static" >&2
      exit 2
    }
  done
}

# Find the kernel of the newest cloud image package, downloading it once.
# Sets: KERNEL MODULES
qemu_kernel() {
  local package
  mkdir -p -- "$CACHE/kernel"
  if ! compgen -G "$CACHE/kernel/boot/vmlinuz-*" >/dev/null; then
    package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p' | head -n 1)
    (cd "$CACHE" && apt-get -q download "$package") >&2
    dpkg-deb -x "$CACHE/$package"_*.deb "$CACHE/kernel"
    rm -f -- "$CACHE/$package"_*.deb
  fi
  KERNEL=$(compgen -G "$CACHE/kernel/boot/vmlinuz-*" | head -n 1)
  MODULES=$(compgen -G "$CACHE/kernel/lib/modules/*" | head -n 1)
}

# Copy a program and the libraries that it asks for into the guest's tree.
# Usage: qemu_program TREE PROGRAM
qemu_program() {
  local path library
  path=$(type -P "$2") || {
    echo "without $2" >&2
    return 0
  }
  # The name that it is called by leads through links to what it is.
  [[ -e $1/usr/bin/${2##*/} ]] || cp -L -- "$path" "$1/usr/bin/${2##*/}"
  while read -r library; do
    [[ -e $1$library ]] && continue
    mkdir -p -- "$1${library%/*}"
    cp -L -- "$library" "$1$library"
  done < <(ldd "$path" 2>/dev/null | grep -o '/[^ ]*' || :)
}

# Make the guest's tree and pack it.
# Usage: qemu_initramfs TREE FILE
qemu_initramfs() {
  local tree=$1 program module
  mkdir -p -- "$tree"/{usr/bin,proc,sys,dev,tmp,run/screen,var/tmp,etc,root,lib/modules}
  ln -s usr/bin "$tree/bin"
  ln -s usr/bin "$tree/sbin"
  ln -s bin "$tree/usr/sbin"
  for program in $PROGRAMS; do qemu_program "$tree" "$program"; done
  cp -L -- "$(type -P busybox)" "$tree/usr/bin/busybox"
  # Its libraries; the program itself comes with the tree.
  qemu_program "$tree" "$REPO/test"
  cp -f -L -- "$(type -P test)" "$tree/usr/bin/test"
  mkdir -p -- "$tree/usr/share/terminfo/v" "$tree/usr/lib/x86_64-linux-gnu"
  cp -r -- "$(find /lib/terminfo /usr/share/terminfo -name vt100 2>/dev/null | head -n 1)" "$tree/usr/share/terminfo/v/" || :
  for module in zsmalloc zram lz4_compress lzo_compress lzo lzo-rle lz4 842_compress; do
    find "$MODULES" -name "$module.ko*" -exec cp -t "$tree/lib/modules" -- {} +
  done
  printf 'root:x:0:0:root:/root:/bin/bash\n' >"$tree/etc/passwd"
  printf 'root:x:0:\nutmp:x:43:\ntty:x:5:\n' >"$tree/etc/group"
  printf '127.0.0.1 localhost\n' >"$tree/etc/hosts"
  mkdir -- "$tree/tierbench"
  tar -C "$REPO" --exclude=./build --exclude=./results --exclude=./.git -cf - . | tar -C "$tree/tierbench" -xf -
  install -m 755 "$REPO/tests/qemu/init" "$tree/init"
  (cd "$tree" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$2"
}

# Boot, and leave what the guest says on its console in a file.
# Usage: qemu_boot INITRAMFS FILE
qemu_boot() {
  timeout "$LIMIT" qemu-system-x86_64 -M q35,hmat=on,accel=tcg -cpu max -smp 2 -m 1792M -nographic -no-reboot -nic none \
    -object memory-backend-ram,id=m0,size=1280M -object memory-backend-ram,id=m1,size=512M \
    -numa node,nodeid=0,memdev=m0,cpus=0-1 -numa node,nodeid=1,memdev=m1,initiator=0 \
    -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-latency,latency=100 \
    -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-bandwidth,bandwidth=20G \
    -numa hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-latency,latency=300 \
    -numa hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-bandwidth,bandwidth=5G \
    -kernel "$KERNEL" -initrd "$1" -append 'console=ttyS0 quiet panic=-1 cgroup_no_v1=all psi=1' </dev/null | stdbuf -o0 tr -d '\r' | tee "$2"
}

main() {
  local work
  qemu_need qemu-system-x86_64 busybox redis-server numactl dpkg-deb
  [[ -x $REPO/test ]] || make -s -C "$REPO"
  qemu_kernel
  work=$(mktemp -d "${TMPDIR:-/tmp}/tierbench-qemu.XXXXXX")
  # shellcheck disable=SC2064 # the folder is known now
  trap "rm -rf -- '$work'" EXIT
  qemu_initramfs "$work/tree" "$work/initramfs" 2>&1 | sed 's/^/# /' >&2
  qemu_boot "$work/initramfs" "$work/console" || :
  # The guest counts for itself; one that never came to its end has failed.
  grep -q '^1\.\.[0-9]*$' "$work/console" || {
    echo 'the guest did not come to its end' >&2
    exit 1
  }
  ! grep -q '^not ok' "$work/console"
}

main "$@"
