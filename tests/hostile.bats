#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hosts that answer over ssh with more, less or something else than was asked for: real hosts, with their own start-up files.
# shellcheck disable=SC2154,SC2016 # stderr is set by run_split; commands are expanded on the host

load helper
load netns

setup() {
  scratch_setup
  untune
  netns_up "$SCRATCH"
  WORDS=(-s demo SERVER=198.18.0.1 CLIENT_IP=198.18.0.11 SSH_CONFIG="$NETNS_SSH_CONFIG" SRV_OVERRIDE=1 KEYS=100 VALUE_SIZES=100
    REDISRUNS=1 RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host" CONNECT_TIMEOUT=20)
}

teardown() {
  netns_down
  scratch_teardown
}

# do_it.sh on the master, which is the first client.
master() {
  netns_exec client1 "$REPO/do_it.sh" "$@"
}

# Give the server's login shell a start-up file.
bashrc() {
  netns_host server bash -c 'printf "%s\n" "$1" >~/.bashrc' bash "$1"
}

@test "a login shell that prints and reads what is sent does not matter; one that swallows it is one line; a command in a reply runs nowhere" {
  # ssh_config has options for work at a terminal.
  sed -i "s|^Host \*|Host *\n  ForwardAgent yes\n  RequestTTY force\n  RemoteCommand id\n  PermitLocalCommand yes\n  LocalCommand touch $SCRATCH/local|" "$NETNS_SSH_CONFIG"
  bashrc 'echo Welcome; echo -e "\e[31mred" >&2; read -r answer; head -n 1 >/dev/null'
  run_split master run "${WORDS[@]}"
  assert_success
  refute_contains $'\e' "$stderr"
  assert_exists results/*/native/100B-1i/rep-1/{SIZES,server/info.after}
  refute_exists local

  bashrc 'cat >/dev/null'
  run_split master doctor "${WORDS[@]}"
  assert_failure 3
  assert_contains "198.18.0.1: invalid reply to 'facts all': no reply: the login shell did not run the script; check its start-up files (~/.bashrc) there" "$stderr"

  # A stand-in for bash answers with a command where a number is expected.
  bashrc 'env() { command env "$@" | sed "s/^host\t[0-9]*\t/host\tPATH[\$(id>pwned)]\t/"; }'
  run_split master doctor "${WORDS[@]}"
  assert_failure 3
  assert_contains "198.18.0.1: invalid reply to 'facts all': cpus='PATH[\$(id>pwned)]': expected few" "$stderr"
  refute_exists pwned results/pwned
}

@test "a flood from a host is named as its cause, and never as a host in use" {
  bashrc 'head -c 20M /dev/zero | tr "\0" x'
  run_split master run "${WORDS[@]}"
  assert_failure 3
  assert_contains "198.18.0.1: stop: the reply is longer than 16 MiB"$'\n' "$stderr"
  assert_equal "${stderr##*$'\n'}" 'do_it.sh: 198.18.0.1: cannot be prepared, nothing was started; the line above gives the reason'
  refute_contains 'in use' "$stderr"
  refute_exists results
  # Messages beyond what is used do no harm.
  bashrc 'head -c 20M /dev/zero | tr "\0" x >&2'
  run_split master doctor "${WORDS[@]}"
  assert_success
  assert_contains '198.18.0.1: more messages than 256 KiB or 2000 lines: the rest is left out' "$stderr"
  refute_contains 'in use' "$stderr"
}
