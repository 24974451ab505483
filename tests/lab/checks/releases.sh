# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The programs of one release on another, older or newer: a copy is tried, and only a reason of that host refuses it.

# Print the rows of doctor about programs. The status does not matter: a guest may lack other things.
# Usage: releases_said ARGUMENT...
releases_said() {
  lab_do doctor --all -v native NEIGHBOUR=1 "$@" </dev/null 2>&1 | grep -E 'load generator|neighbour' | tr -s ' '
}

releases_checks() {
  local said
  lab_three || return
  said=$(releases_said CLIENT_IP=198.18.1.1)
  check 'newer: a copy of membench runs' 'ok neighbour' "$said"
  check 'newer: a copy without its libraries is tried; the message has one of them, and what a build lacks' \
    'fail load generator our copy does not start: .*lib(hiredis|gomp)[.]so.*a build there lacks: .*make' "$said"
  lab_libraries server
  check 'newer: with its libraries the copy runs' 'ok load generator runs' "$(releases_said CLIENT_IP=198.18.1.1)"

  # The server as the master of the older release.
  lab_install server
  lab_ssh server 'umask 077; cat >.ssh/id_ed25519' <"$LAB_CACHE/key"
  lab_ssh server 'cat >.ssh/known_hosts' <"$LAB_WORK/known_hosts"
  said=$(lab_ssh server tierbench doctor --all SERVER=198.18.1.2 CLIENT_IP=198.18.1.2 KEYS=300 NEIGHBOUR=1 2>&1 </dev/null || :)
  said=$(tr -s ' ' <<<"$said")
  check 'older: a copy of the load generator runs' 'ok load generator runs' "$said"
  lab_ssh server 'rm -rf /usr/local/lib/lib{hiredis,gomp}* /usr/local/lib/tierbench .ssh/id_ed25519 .ssh/known_hosts; ldconfig'
}
