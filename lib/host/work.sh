# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Our directory on a host, with its cache for binaries.
# Input: put

# Usage: main [put FILE SUM]
#   without a verb  print the path of the directory
#   put             copy stdin to FILE, under a temporary name until it has the checksum SUM
main() {
  workdir_open
  mkdir -p -- "$WORK/cache"
  if [[ ${1-} == put ]]; then
    NEW=$2.new.$$
    trap 'workdir_left; rm -f -- "$NEW"' EXIT
    cat >"$NEW"
    [[ $(sha256sum <"$NEW") == "$3 "* ]] || fail "$2: did not arrive whole"
    mv -f -- "$NEW" "$2"
  else
    echo "$WORK"
  fi
}
