#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs, runs, upgrades and removes the packages of the last commit, in fresh roots of Debian without network.
#
# Usage: tests/packages/run.sh [RELEASE...]   default: bookworm trixie
# Needs root and a mirror of Debian. Each root has its own mounts, processes and network, and is removed at the end.
# Exit status: 0 all passed, 1 not.
set -Eeuo pipefail

REPO=$(cd -- "${BASH_SOURCE[0]%/*}/../.." && pwd -P)

# Print a result.
# Usage: check NAME COMMAND...   Returns: sets FAILED if the command fails
check() {
  local name=$1
  shift
  # In the background, because a function in a condition goes on after an error.
  ("$@") >"$SCRATCH/said" 2>&1 &
  if wait $!; then
    printf 'ok - %s\n' "$name"
  else
    printf 'not ok - %s\n' "$name"
    sed 's/^/# /' "$SCRATCH/said"
    FAILED=1
  fi
}

# Run a command in the root, as root or as the user `plain`.
# Usage: inside root|plain COMMAND...
inside() {
  local user=$1
  shift
  unshare --mount --pid --net --fork --kill-child --mount-proc="$ROOT/proc" bash -c '
    ip link set lo up
    mount --rbind /dev "$0/dev"
    mount -t sysfs -o ro sys "$0/sys"
    root=$0 user=$1 home=/root
    shift
    [[ $user != plain ]] || home=/home/plain
    exec chroot "$root" setpriv --reuid="$user" --regid="$user" --init-groups \
      env -i HOME="$home" USER="$user" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 bash -c "cd && \"\$@\"" - "$@"
  ' "$ROOT" "$user" "$@"
}

# The files of the package in the root.
# Usage: installed
installed() { (cd -- "$ROOT" && find usr -path '*tierbench*' | sort); }

# Print the checksum of the results of the user.
# Usage: results
results() { (cd -- "$ROOT/home/plain" && find results -type f -exec sha256sum {} + | sort); }

# Build a package twice: the bytes are the same.
# Usage: same_twice dist|deb|rpm
same_twice() {
  local file sum
  file=$("$REPO/tools/package.sh" "$1")
  sum=$(sha256sum <"$REPO/$file")
  "$REPO/tools/package.sh" "$1"
  [[ $(sha256sum <"$REPO/$file") == "$sum" ]]
}

# The archive builds without git, and knows its commit.
# Usage: dist_builds
dist_builds() {
  tar -xf "$REPO"/build/packages/tierbench-*.tar.gz -C "$SCRATCH"
  cd "$SCRATCH"/tierbench-*/
  (cd "$REPO/build/packages" && sha256sum -c --quiet ./*.tar.gz.sha256)
  PATH=$SCRATCH/nogit make -s test
  [[ $(./do_it.sh --version) == *"($(git -C "$REPO" rev-parse HEAD | cut -c 1-12))" ]]
}

# The rpm is installed, upgraded and removed by rpm. Its dependencies have no meaning on Debian.
# Usage: rpm_life
rpm_life() {
  local root=$SCRATCH/rpm

  mkdir "$root"
  rpm --root "$root" --initdb
  rpm --root "$root" --nodeps -i "$REPO"/build/packages/tierbench-*-1.x86_64.rpm
  rpm --root "$root" --nodeps -V tierbench
  rpm --root "$root" --nodeps -U "$REPO"/build/packages/tierbench-*-2.x86_64.rpm
  rpm --root "$root" -q tierbench
  [[ $(rpm --root "$root" -q tierbench) == tierbench-*-2.* ]]
  "$root/usr/lib/tierbench/do_it.sh" list >/dev/null
  rpm --root "$root" --nodeps -e tierbench
  [[ -z $(cd "$root" && find usr -path "*tierbench*") ]]
}

# Run podman on containers of this test, without systemd.
# Usage: containers ARGUMENT...
containers() { podman --root "$SCRATCH/containers" --runroot "$SCRATCH/running" --storage-driver vfs --cgroup-manager cgroupfs --events-backend file --runtime runc "$@"; }

# Run the command of the image, with the capabilities that containers have by default. Limits of files and processes are below those of this session,
# which may not be allowed to raise them.
# Usage: image_run VERSION [OPTION...] -- ARGUMENT...
image_run() {
  local version=$1
  local -a options=()
  shift
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  containers run --rm --network host --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 -v "$SCRATCH/measured:/results" "${options[@]}" "tierbench:$version" "${@:2}"
}

# The limits of a container are those of plan and doctor: a tenth of 630 MiB, of 700 MiB.
# Usage: image_limited VERSION
image_limited() {
  local -a limits=(--cpus 0.9 --memory 700m)
  [[ $(image_run "$1" "${limits[@]}" -- plan --rows -s demo FILL=10%) == *$'\t'$((63 << 20))$'\t'* ]]
  image_run "$1" "${limits[@]}" -- doctor --all -s demo FILL=3G >"$SCRATCH/doctor" || :
  cat "$SCRATCH/doctor"
  grep -qE 'fail +memory +[0-9]+ MiB available .the memory limit in .* is 700 MiB' "$SCRATCH/doctor"
  grep -qE 'warn +CPU quota +90 % of a CPU' "$SCRATCH/doctor"
}

# The image for containers: loaded by podman under its name, and run.
# Usage: image_check
image_check() {
  local version
  check 'image: made' tools/package.sh image
  version=$(printf '%s\n' build/packages/*.oci.tar)
  version=${version##*/tierbench-} version=${version%.oci.tar}
  mkdir "$SCRATCH/measured"
  check 'image: podman loads it' containers load -i build/packages/*.oci.tar
  check 'image: a container without privileges measures' image_run "$version" -- run -s demo TUNE=off KERNEL=keep KEYS=1000 REDISRUNS=1
  check 'image: its results are on the host' test -s "$SCRATCH"/measured/results/2*/report.html
  check 'image: the limits of a container are those of plan and doctor' image_limited "$version"
}

# Everything in a fresh root of a release.
# Usage: release_check RELEASE
release_check() {
  local files before
  ROOT=$SCRATCH/$1
  files=$(tr '\n' , < <(. "$REPO/tools/deps.sh" && dpkg-deb -f "$REPO"/build/packages/tierbench_*-1_*.deb Depends | sed 's/, /\n/g; s/ *|[^,\n]*//g; s/ ([^)]*)//g'))
  # With what the package depends on: the root has no network.
  check "$1: a fresh root" unshare --mount mmdebstrap --quiet --mode=root --variant=apt --include="${files%,}" "$1" "$ROOT"
  cp -- "$REPO"/build/packages/tierbench_*.deb "$ROOT/root"
  chroot "$ROOT" useradd -m -s /bin/bash plain
  # Of screen; a boot makes it.
  install -d -m 1777 "$ROOT/run/screen"
  check "$1: installed, with all that it depends on" inside root sh -c 'apt-get install -y "$PWD"/tierbench_*-1_*.deb && dpkg --verify tierbench'
  check "$1: the command, the manual page and the completion are there" inside plain sh -c \
    'tierbench --version && test -s /usr/share/man/man1/tierbench.1.gz && test -s /usr/share/bash-completion/completions/tierbench'
  check "$1: a plain user measures, with results in the current directory" inside plain sh -c \
    'tierbench run -s demo TUNE=off KERNEL=keep SERVER=127.0.0.1 CLIENT_IP=127.0.0.1 KEYS=1000 REDISRUNS=1 && ls results/*/run.conf && tierbench verify results/2*'
  before=$(results) || return
  check "$1: upgraded" inside root sh -c 'apt-get install -y "$PWD"/tierbench_*-2_*.deb && dpkg --verify tierbench'
  check "$1: the upgraded command reads the results" inside plain sh -c 'tierbench report results/2*'
  check "$1: removed" inside root apt-get purge -y tierbench
  check "$1: nothing of the package is left" test -z "$(installed)"
  check "$1: the results are as they were" grep -qF -- "$before" <(results)
}

# Usage: main [RELEASE...]
main() {
  local kind release
  FAILED=0
  SCRATCH=$(mktemp -d /var/tmp/tierbench-packages.XXXXXX)
  chmod 711 "$SCRATCH"
  trap 'rm -rf --one-file-system -- "$SCRATCH"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  cd "$REPO"
  rm -f -- build/packages/tierbench*
  mkdir "$SCRATCH/nogit"
  ln -s -- /usr/bin/* "$SCRATCH/nogit"
  rm -f -- "$SCRATCH/nogit/git"
  for kind in dist deb rpm; do check "$kind: the same bytes from the same commit" same_twice "$kind"; done
  for kind in deb rpm; do check "$kind: the next release" env PACKAGE_RELEASE=2 tools/package.sh "$kind"; done
  check 'dist: builds without git, and knows its commit' dist_builds
  check 'deb: lintian finds no error' lintian --allow-root --fail-on error build/packages/tierbench_*-1_*.deb
  check 'rpm: installed, upgraded and removed' rpm_life
  image_check
  (($# > 0)) || set -- bookworm trixie
  for release in "$@"; do release_check "$release"; done
  return "$FAILED"
}

main "$@"
