# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The images of the lab's guests: Debian with systemd and sshd on ext4 with a journal, and the modules of the kernel that is booted without an
# initramfs. They are kept in LAB_CACHE; an image whose recipe has changed is made again.

# By release: the packages of its guests. The servers of the lab are of trixie, which has programs for CXL.
# shellcheck disable=SC2054 # mmdebstrap separates packages by commas
declare -A LAB_PACKAGES=(
  [bookworm]=systemd-sysv,udev,dbus,openssh-server,iproute2,kmod,procps,screen,libhiredis0.14,libgomp1
  [trixie]=systemd-sysv,udev,dbus,openssh-server,iproute2,kmod,procps,screen,numactl,redis-server,irqbalance,firewalld,systemd-zram-generator,cxl,daxctl,ndctl,sudo
)

# Fetch QEMU with its libraries, and the kernel, and make the keys of the master and of the guests, once. QEMU of the release on this machine may be too
# old for CXL.
# Usage: lab_fetch
# Globals: LAB_CACHE; sets MACHINE_QEMU, and LAB_KERNEL, the directory of the kernel
lab_fetch() {
  local qemu=$LAB_CACHE/qemu lib=$LAB_CACHE/qemu/usr/lib/x86_64-linux-gnu name
  for name in key host; do
    [[ -e $LAB_CACHE/$name ]] || ssh-keygen -q -t ed25519 -N '' -C lab -f "$LAB_CACHE/$name" || return
  done
  release_unpack "$qemu" trixie --depends qemu-system-x86 || return
  release_unpack "$LAB_CACHE/kernel" trixie linux-image-cloud-amd64 || return
  LAB_KERNEL=$LAB_CACHE/kernel
  # Its own C library.
  MACHINE_QEMU=(env "QEMU_MODULE_DIR=$lib/qemu" "$qemu/usr/lib64/ld-linux-x86-64.so.2" --library-path "$lib:$lib/pulseaudio"
    "$qemu/usr/bin/qemu-system-x86_64" -L "$qemu/usr/share/qemu" -L "$qemu/usr/share/seabios" -L "$qemu/usr/lib/ipxe/qemu")
}

# Make the image of a release, once.
# Usage: lab_image SUITE
# Globals: LAB_CACHE LAB_KERNEL REPO
# Returns: sets LAB_IMAGE, its path; 1 if it cannot be made
lab_image() {
  local tree mirror
  LAB_IMAGE=$LAB_CACHE/$1-$(cat "$REPO"/tests/lab/images.sh "$REPO"/tests/lab/guest/lab-net* | sha256sum | cut -c 1-8).img
  [[ ! -e $LAB_IMAGE ]] || return 0
  rm -f -- "$LAB_CACHE/$1"-*.img
  tree=$LAB_CACHE/$1.tree
  rm -rf --one-file-system -- "$tree"
  mirror=$(release_source "$1") || return
  # Mounts that a kill would leave end with the process.
  unshare --mount mmdebstrap --quiet --mode=root --variant=minbase --include="${LAB_PACKAGES[$1]}" --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --aptopt='Acquire::Languages "none"' \
    --aptopt='APT::Install-Recommends "false"' "$1" "$tree" "$mirror" >&2 || return
  _lab_image_files "$tree" || return
  truncate -s 2G "$LAB_IMAGE.new"
  mke2fs -q -t ext4 -d "$tree" "$LAB_IMAGE.new" || return
  rm -rf --one-file-system -- "$tree"
  mv -- "$LAB_IMAGE.new" "$LAB_IMAGE"
}

# Add to a tree what a guest of the lab needs: a key, users, its network, the modules of the kernel. Services that use the CPU at boot are off, and
# those that checks start.
# Usage: _lab_image_files TREE
_lab_image_files() {
  local name
  chroot "$1" useradd -m -s /bin/bash plain || return
  for name in root home/plain; do
    install -d -m 700 "$1/$name/.ssh"
    install -m 600 "$LAB_CACHE/key.pub" "$1/$name/.ssh/authorized_keys"
  done
  chroot "$1" chown -R plain: /home/plain
  rm -f -- "$1"/etc/ssh/ssh_host_*
  install -m 600 "$LAB_CACHE/host" "$1/etc/ssh/ssh_host_ed25519_key"
  install -m 755 "$REPO/tests/lab/guest/lab-net" "$1/usr/local/sbin/lab-net"
  install -m 644 "$REPO/tests/lab/guest/lab-net.service" "$1/etc/systemd/system/lab-net.service"
  chroot "$1" systemctl -q enable lab-net.service
  for name in redis-server firewalld ndctl-monitor cxl-monitor e2scrub_reap apt-daily apt-daily-upgrade dpkg-db-backup fstrim; do
    find "$1/etc/systemd/system" -name "$name.*" -type l -delete
  done
  echo '/dev/nvme0n1 / ext4 noatime 0 0' >"$1/etc/fstab"
  # At a first boot, which has none, systemd would enable all services.
  sha256sum "$LAB_CACHE/host.pub" | cut -c 1-32 >"$1/etc/machine-id"
  mkdir -p -- "$1/usr/lib/modules"
  cp -r -- "$LAB_KERNEL"/usr/lib/modules/* "$1/usr/lib/modules/"
  chroot "$1" depmod "$(basename "$LAB_KERNEL"/usr/lib/modules/*)"
}
