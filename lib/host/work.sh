# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Our directory on a host, with its cache for binaries.

# Usage: main
main() {
  workdir_open
  mkdir -p -- "$WORK/cache"
  echo "$WORK"
}
