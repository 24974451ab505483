#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Boots a server and clients of two Debian releases in QEMU, and checks on them what namespaces cannot show: systemd, boots, NIC queues, CXL.
#
# Usage: tests/lab/run.sh [CHECK]...
#   CHECK is a file of tests/lab/checks; default: all of CHECKS
#
# Prints TAP and, as the last line, `N passed, N failed`. Packages and images are kept in build/lab; everything else is removed at the end.
# Exit status: 0 all passed, 1 not, 2 the lab cannot run here.
set -Eeuo pipefail

REPO=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
LAB_CACHE=$REPO/build/lab
# In the order in which they run: first those that use the same three guests.
CHECKS=(main releases queues plain device killed firewall reset cxl boots)

# Print why the lab cannot run here, and exit.
lab_cannot() {
  printf 'check-lab: %s\n' "$*" >&2
  exit 2
}

# Write the scenario that all checks share. The guests are slow, so nothing has a short time limit.
lab_scenario() {
  cat >"$LAB_WORK/lab.conf" <<END
# What is common to all checks of the lab.
SERVER=198.18.1.1
CLIENT_IP="198.18.1.2 198.18.1.3"
SRV_OVERRIDE=2
VALUE_SIZES=1000
KEYS=300
PHASES="populate get"
TIME=5
RATE=100
CONNECTIONS=2
REDISRUNS=1
RESERVE=64M
REPLY_TIMEOUT=240
REMOTE_RETRY=60
REPORT=off
END
}

# Boot the server and two clients, unless they run.
# Usage: lab_three
lab_three() {
  [[ -z ${LAB_PIDS[server]-} ]] || return 0
  # Not a second NVMe: the kernel numbers them in the order in which they answer.
  (umask 077 && truncate -s 512M "$LAB_WORK/swap.img" && mkswap -q "$LAB_WORK/swap.img" 2>/dev/null)
  lab_boot server 1 trixie 1536M 4 -drive "file=$LAB_WORK/swap.img,if=none,id=swap,format=raw,cache=unsafe" -device virtio-blk-pci,drive=swap
  lab_boot client1 2 bookworm 512M 1
  lab_boot client2 3 bookworm 512M 1
  lab_ready server client1 client2
}

main() {
  local name failed=0
  for name; do [[ " ${CHECKS[*]} " == *" $name "* ]] || lab_cannot "$name: no such check; accepted: ${CHECKS[*]}"; done
  (($# == 0)) || CHECKS=("$@")
  ((EUID == 0)) || lab_cannot "requires root: network namespaces and images"
  [[ $(uname -m) == x86_64 ]] || lab_cannot "the guests are x86_64, and this machine is not"
  command -v mmdebstrap >/dev/null || lab_cannot "mmdebstrap: not found; install it: tools/deps.sh lab"
  release_mirror >/dev/null || lab_cannot "apt on this machine knows no mirror of Debian"
  make -s -C "$REPO" test membench >&2
  mkdir -p -- "$LAB_CACHE"
  lab_fetch || lab_cannot "packages of Debian cannot be fetched, or keys of ssh cannot be made"
  LAB_ID=tierbench-lab-$$
  LAB_WORK=$LAB_CACHE/run.$$
  trap lab_down EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  lab_up
  mkdir -- "$LAB_WORK/results"
  lab_scenario
  for name in "${CHECKS[@]}"; do
    echo "# $name: at $SECONDS s"
    # shellcheck source=/dev/null
    . "$REPO/tests/lab/checks/$name.sh"
    # A check that cannot go on has failed.
    "${name}_checks" || check "$name: comes to its end" '^yes$' "no: status $?"
    lab_fresh "$failed"
    failed=$FAILED
  done
  echo "1..$COUNT"
  echo "# done at $SECONDS s"
  echo "$((COUNT - FAILED)) passed, $FAILED failed"
  ((FAILED == 0))
}

# shellcheck source=tests/releases.bash
. "$REPO/tests/releases.bash"
# shellcheck source=tests/machine.bash
. "$REPO/tests/machine.bash"
# shellcheck source=tests/tap.bash
. "$REPO/tests/tap.bash"
# shellcheck source=tests/lab/images.sh
. "$REPO/tests/lab/images.sh"
# shellcheck source=tests/lab/guests.sh
. "$REPO/tests/lab/guests.sh"

main "$@"
