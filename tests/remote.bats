#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A whole run over ssh: a server and two clients as separate hosts, and the effects of a bad link or login.
# slow

load helper
load netns

SERVER_HOST=198.18.0.1
CLIENTS="198.18.0.11 198.18.0.12"

prepare() {
  untune
  netns_up "$SCRATCH"
  WORDS=(-s demo SERVER="$SERVER_HOST" CLIENT_IP="$CLIENTS" SSH_CONFIG="$NETNS_SSH_CONFIG" SRV_OVERRIDE=2 KEYS=500 VALUE_SIZES=100
    REDISRUNS=1 RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host")
}

# do_it.sh on the master, which is the first client.
master() {
  netns_exec client1 "$REPO/do_it.sh" "$@"
}

# No process of the run and no directory of it on any host.
assert_nothing_left() {
  local host
  for host in server client1 client2; do
    assert_equal "$(netns_host "$host" find "$SCRATCH"/{host,locks} -name 'run-*' -o -name 'tierbench-lock*')" ''
  done
  # What a killed master leaves of itself sees within a second or two that it is gone.
  wait_until 20 processes_gone || fail "a process of the run is left: $(pgrep -af "$SCRATCH/[r]esults")"
}

processes_gone() { ! pgrep -f "$SCRATCH/[r]esults"; }

# Whether the load of the second repeat has begun.
phase_of_second() { sed '1,/ 2 of 2: /d' job.err | grep 'phase set starts' >/dev/null; }

@test "a client of another machine gets the load generator built there, once, and by a run only; four instances, loaded by both clients in step, every operation accounted for" {
  # The client says that its machine is another; what is built there is then really built by its own make.
  netns_host client2 bash -c 'mkdir -p "$HOME/bin" && printf "#!/bin/sh\n[ \"\$1\" != -m ] || exec echo other\nexec /usr/bin/uname \"\$@\"\n" >"$HOME/bin/uname" && chmod +x "$HOME/bin/uname" &&
    printf "PATH=\$HOME/bin:\$PATH\nexport CFLAGS=\"-O0 -g0\"\n" >"$HOME/.bashrc"'
  succeeds run_split master doctor --all "${WORDS[@]}"
  assert_match $'198.18.0.12\n([^\n]+\n)* +ok +load generator +our copy does not start: it is for [^\n]* the host has other [^\n]*a run builds it there'
  netns_host client2 bash -c 'printf "#!/bin/sh\nexit 1\n" >"$HOME/bin/pkg-config" && chmod +x "$HOME/bin/pkg-config"'
  fails 3 run_split master doctor "${WORDS[@]}"
  assert_match "198.18.0.12: load generator: our copy does not start: it is for [^;]*, the host has other; a build there lacks: hiredis zlib; .*doctor --fix"
  netns_host client2 bash -c 'rm "$HOME/bin/pkg-config"'
  assert_equal "$(netns_host client2 find "$SCRATCH/host" -name 'test-*')" ''
  printf 'server %s root 22 %s\nclient 198.18.0.11\nclient 198.18.0.12 root - %s\n' "$SERVER_HOST" "$NETNS_DIR/id" "$NETNS_DIR/id" >hosts
  succeeds run_split master run -H hosts -s imdt SSH_CONFIG="$NETNS_SSH_CONFIG" SRV_OVERRIDE=4 KEYS=500 VALUE_SIZES=100 REDISRUNS=1 \
    RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host"
  assert_contains "198.18.0.12: building the load generator there" "$STDERR"
  assert_exists results/*-imdt/hosts
  rep=$(echo results/*-imdt/native/100B-4i/rep-1)
  for client in $CLIENTS; do
    assert_exists "$rep/$client"/{result.tsv,set.hgrm,get.hlog} results/*/env/"$client"/setup.log
  done
  assert_exists results/*/env/$SERVER_HOST/setup.log
  assert_equal "$(info_calls set "$rep/server/info.after")" 2000
  assert_equal "$(info_calls get "$rep/server/info.after")" 2000
  # Both clients, both phases, on the master's clock; the guide starts them one after the other.
  assert_equal "$(tail -n +2 "$rep/starts.tsv" | cut -f 1,2 | tr '\t' ' ' | sort)" \
    $'get 198.18.0.11\nget 198.18.0.12\nset 198.18.0.11\nset 198.18.0.12'
  succeeds run_split "$REPO/summary2csv.sh" results/*
  assert_equal "${#lines[@]}" 5
  assert_nothing_left
  succeeds run_split master doctor --all "${WORDS[@]}"
  assert_match $'198.18.0.12\n([^\n]+\n)* +ok +load generator +runs'

  # Where it cannot be built either, the host is not fit, and the line says why.
  netns_host client2 bash -c 'printf "#!/bin/sh\necho no hiredis here >&2; exit 2\n" >"$HOME/bin/make" && chmod +x "$HOME/bin/make" && rm -rf "$SCRATCH/host/cache"'
  refuses 3 "198.18.0.12: load generator: the load generator does not build here: no hiredis here" run_split master run "${WORDS[@]}"
  refute_contains "--fix" "$STDERR"
  assert_nothing_left
}

@test "a client's link is cut for five seconds in the middle of the load: no result is lost; the master is killed while it is out of reach: nobody goes on trying, the load does until stop ends it" {
  job_start nsenter --net="/run/netns/$(netns_name client1)" -- "$REPO/do_it.sh" run "${WORDS[@]}" SWEEP="TIME=0,600" KEYS=1500 RATE=300 ARRIVAL=uniform
  wait_until 60 grep -q 'phase set starts' job.err
  # The load has begun when the server has keys; then pull the cable of the client that is not the master.
  wait_until 30 bash -c "ss -N '$(netns_name server)' -Htn state established '( sport >= :6379 and sport <= :6380 )' | grep . >/dev/null"
  netns_link client2 down
  sleep 5 # the length of the outage is what is tested
  netns_link client2 up
  wait_until 200 phase_of_second
  rep=$(echo results/*/native/100B-2i-*/rep-1)
  assert_equal "$(info_calls set "$rep/server/info.after")" 3000
  assert_equal "$(info_calls get "$rep/server/info.after")" 3000
  assert_exists "$rep"/198.18.0.1{1,2}/result.tsv

  # The second repeat loads for ten minutes.
  netns_link client2 down
  wait_until 60 grep -q '198.18.0.12 does not answer' job.err
  kill -KILL "$JOB_PID"
  job_wait 10 || :
  wait_until 20 processes_gone
  netns_link client2 up
  succeeds run_split netns_host client2 bash -c 'kill -0 "$(cut -f 1 "$SCRATCH"/host/run-*/client-*/generator.proc | sed -n 1p)"'
  succeeds run_split master stop "${WORDS[@]}"
  assert_contains "198.18.0.12: stopped everything that"
  assert_contains "198.18.0.1: stopped everything that"
  assert_nothing_left
  refute_exists "${TMPDIR:-/tmp}/tierbench-$JOB_PID".*
}

@test "an unreachable host, a refused key, an unknown host key: one clear line each, exit 3, nothing started; a client that is lost in the load is waited for once, and the other hosts are cleaned" {
  netns_refuse client2
  sed -i.known '/^server,/d' "$NETNS_KNOWN_HOSTS"
  WORDS+=(CLIENT_IP="$CLIENTS 198.18.0.99")
  refuses 3 "198.18.0.12: ssh key refused" run_split master run "${WORDS[@]}"
  assert_contains "198.18.0.1: its host key is unknown" "$STDERR"
  assert_match "198.18.0.99: (unreachable|ssh: .*)" "$STDERR"
  refute_exists results
  fails 3 run_split master doctor --all "${WORDS[@]}"
  assert_match $'198.18.0.12\n[^\n]*\n +fail +reachable'

  netns_refuse client2 undo
  mv "$NETNS_KNOWN_HOSTS.known" "$NETNS_KNOWN_HOSTS"
  WORDS+=(CLIENT_IP="$CLIENTS")
  job_start nsenter --net="/run/netns/$(netns_name client1)" -- "$REPO/do_it.sh" run "${WORDS[@]}" PHASES=get TIME=600 RATE=200 REDISRUNS=3 REMOTE_RETRY=2
  wait_until 60 grep -q 'phase get starts' job.err
  netns_link client2 down
  wait_until 90 grep -q '198.18.0.12: it did not answer for REMOTE_RETRY=2 s' job.err
  fails 1 job_wait 200
  # Its tuning, which it undoes itself, is the last that is tried.
  assert_contains "198.18.0.12: the load generator there could not be stopped" "$STDERR"
  assert_equal "$(grep -c '198.18.0.12 does not answer' job.err)" 1
  for host in server client1; do
    assert_equal "$(netns_host "$host" find "$SCRATCH/host" -name 'run-*')" ''
  done
}
