#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hosts that answer over ssh with more, less or something else than was asked for: real hosts, with their own start-up files.

load helper
load netns

prepare() {
  untune
  netns_up "$SCRATCH"
  WORDS=(-s demo SERVER=198.18.0.1 CLIENT_IP=198.18.0.11 SSH_CONFIG="$NETNS_SSH_CONFIG" SRV_OVERRIDE=1 KEYS=100 VALUE_SIZES=100
    REDISRUNS=1 RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host")
}

# do_it.sh on the master, which is the first client.
master() { netns_exec client1 "$REPO/do_it.sh" "$@"; }

# Give the server's login shell a start-up file.
bashrc() { netns_host server bash -c 'printf "%s\n" "$1" >~/.bashrc' bash "$1"; }

@test "a login shell that prints does not matter; one that reads or swallows what is sent is one line; a command in a reply runs nowhere; a flood is named as its cause, and never as a host in use" {
  # ssh_config has options for work at a terminal.
  sed -i "s|^Host \*|Host *\n  ForwardAgent yes\n  RequestTTY force\n  RemoteCommand id\n  PermitLocalCommand yes\n  LocalCommand touch $SCRATCH/local|" "$NETNS_SSH_CONFIG"
  bashrc 'echo Welcome; echo -e "\e[31mred" >&2'
  succeeds run_split master run "${WORDS[@]}"
  refute_contains $'\e' "$STDERR"
  assert_exists results/*/native/100B-1i/rep-1/{SIZES,server/info.after}
  refute_exists local

  for reads in 'cat >/dev/null' 'read -r answer' 'exit 0'; do
    bashrc "$reads"
    fails 3 run_split master doctor "${WORDS[@]}"
    assert_contains '198.18.0.1: reachable: start-up files of the login shell (~/.bashrc) read the input of commands, or end the shell; ' "$output$STDERR"
  done

  # A stand-in for bash answers with a command where a number is expected.
  bashrc 'env() { command env "$@" | LC_ALL=C sed "s/^host\t[0-9]*\t/host\tPATH[\$(id>pwned)]\t/"; }'
  fails 3 run_split master doctor "${WORDS[@]}"
  assert_contains "198.18.0.1: invalid reply to 'facts all': cpus='PATH[\$(id>pwned)]': expected few" "$STDERR"
  refute_exists pwned results/pwned

  rm -r results
  bashrc 'head -c 20M /dev/zero | tr "\0" x'
  refuses 3 '198.18.0.1: start-up files of the login shell (~/.bashrc) print more than 1 MiB' run_split master run "${WORDS[@]}"
  refute_contains 'in use' "$STDERR"
  refute_exists results
  # Messages beyond what is used do no harm; a shell that takes its time for every call is named.
  bashrc 'sleep 0.2; head -c 4M /dev/zero | tr "\0" x >&2'
  warns '198.18.0.1: more messages than 256 KiB or 2000 lines: the rest is left out' run_split master doctor "${WORDS[@]}"
  refute_contains 'in use' "$STDERR"
  assert_match '198.18.0.1: start-up files: [0-9]+ ms of each call; requires: at most 50 ms' "$output$STDERR"
}
