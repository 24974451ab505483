#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The first hour on a machine that lacks something: one line names what is missing, with a fix that can be pasted.
# slow

load helper

prepare() {
  untuned=(TUNE=off KERNEL=keep)
  mkdir sbin
  export POLICY_FILE=$SCRATCH/sbin/policy-rc.d
}

# Put a stand-in for a command into bin/: stand_in NAME TEXT
stand_in() { program_make "bin/$1" '#!/bin/bash\n%s\n' "$2"; }

# Copy the files of a fresh clone to clone/: nothing is built there.
fresh() {
  mkdir clone
  cp -r "$REPO"/{do_it.sh,summary2csv.sh,Makefile,test.c,conf,lib,tools} clone
}

# A very short demo that leaves the host as it is: moment [NAME=VALUE]...   Sets: WORDS
moment() {
  WORDS=(-s demo REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 REDISRUNS=1 RESULTS_DIR="$SCRATCH/results" "$@")
}

# Every line on stderr is one of the log's own.
assert_no_raw_errors() { assert_equal "$(grep -vE '^[0-9]{2}:[0-9]{2}:[0-9]{2} ' <<<"$STDERR" | grep .)" ''; }

@test "on a fresh clone doctor builds nothing and says make; a run builds the load generator, and with REPORT=off needs no gnuplot and names the command for a page" {
  fresh
  moment
  commands_link make gnuplot
  # As of busybox, which lacks an option.
  stand_in sha256sum '[[ " $* " != *" --"[a-z]* ]] || { echo "sha256sum: unrecognized option" >&2; exit 1; }; exec /usr/bin/sha256sum "$@"'
  # What make would do in the time of a test.
  stand_in make "cp '$REPO/test' '$SCRATCH/clone/test' && mkdir -p '$SCRATCH/clone/build'"
  PATH=$SCRATCH/bin succeeds run_split clone/do_it.sh doctor "${untuned[@]}" "${WORDS[@]}"
  assert_line '  127.0.0.1: load generator: not built, or older than its sources: what depends on it is not checked'
  assert_line "    fix: make -C $SCRATCH/clone test; a run does it too"
  assert_equal "${lines[-1]}" fit
  assert_no_raw_errors
  refute_exists clone/test clone/build
  PATH=$SCRATCH/bin succeeds run_split clone/do_it.sh run "${untuned[@]}" "${WORDS[@]}" PHASES=set
  assert_contains 'building: make test' "$STDERR"
  assert_match 'the plan: 1 repeat, about [0-9]+ s' "$STDERR"
  assert_match 'no report \(REPORT=off\); ./do_it.sh report [^ ]*demo makes it' "$STDERR"
  assert_equal "$(compgen -G 'results/*/report.html' || :)" ''
  # It is up to date until a source is newer.
  touch -d '+1 hour' clone/lib/loadgen/keys.c
  PATH=$SCRATCH/bin run_split clone/do_it.sh doctor "${untuned[@]}" "${WORDS[@]}"
  assert_contains 'load generator: not built, or older than its sources'
}

@test "doctor on a fresh clone without a compiler reports it once, with the command that installs it, and a port that is taken, without ss; a build that fails is told by the compiler's first error" {
  fresh
  redis_start
  moment REDISBASE="$REDIS_PORT" INSTANCES=1
  commands_link gcc make ss
  PATH=$SCRATCH/bin fails 3 run_split clone/do_it.sh doctor "${untuned[@]}" "${WORDS[@]}"
  assert_line '  127.0.0.1: load generator: not built, and what builds it is missing: gcc gcc:stdio.h gcc:omp.h make'
  assert_line "    fix: $SCRATCH/clone/tools/deps.sh run gcc gcc:stdio.h gcc:omp.h make"
  assert_match "127.0.0.1: ports: port $REDIS_PORT is taken; requires: free from $REDIS_PORT on"
  assert_equal "${lines[-1]}" '2 problems'
  assert_no_raw_errors
  moment
  stand_in make 'printf "%s\n" "test.c:3:10: fatal error: hiredis.h: No such file or directory" "test.c:9:1: error: second" "make: *** [build.mk:64: main.o] Error 1" >&2; exit 2'
  PATH=$SCRATCH/bin:$PATH fails 3 run_split clone/do_it.sh run "${untuned[@]}" "${WORDS[@]}"
  assert_contains 'does not build (make test): test.c:3:10: fatal error: hiredis.h: No such file or directory; requires: make test; fix: ' "$STDERR"
  refute_contains second "$STDERR"
}

@test "two runs of a checkout build one after the other; without its build with TLS it does not load with the other, and an installed tree has one program" {
  mkdir bin tree
  program_make bin/make '#!/bin/sh\nmkdir busy || echo both >>said\nsleep 0.5\nrmdir busy\necho built >>said\n'
  PATH=$PWD/bin:$PATH succeeds run modules 'ROOT=$PWD/tree; for i in 1 2 3; do build_target test & done; wait'
  assert_equal "$(<said)" $'built\nbuilt\nbuilt'
  mkdir -p tree/build
  : >tree/test
  chmod +x tree/test
  program() { modules 'ROOT=tree TLS=on SWEEP=; client_program; echo "$REPLY"'; }
  prints tree/build/tls/test run program
  rm -r tree/build
  prints tree/test run program
}

@test "the demo takes ports that are free, and compares DRAM with what the machine can: without root DRAM alone, with no change of the host, and both are said" {
  need_command setpriv
  redis_start
  (($("$REPO/tools/ports.sh" 1 "$REDIS_PORT") > REDIS_PORT))
  # Two in a row do not begin below a port that is in use.
  (($("$REPO/tools/ports.sh" 2 $((REDIS_PORT - 1))) > REDIS_PORT))
  shows tools/demo.sh run make -s -C "$REPO" -n demo
  fresh
  cp "$REPO/test" clone
  chown -R 65534:65534 "$SCRATCH"
  moment KERNEL.swappiness=43 PHASES=get
  succeeds run_split setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$SCRATCH" TMPDIR="$SCRATCH" clone/tools/demo.sh "${WORDS[@]:3}"
  assert_contains 'demo: DRAM alone: neither zram nor swap can be used here' "$STDERR"
  assert_match '100 +500 +2 +GET'
  assert_match 'cannot be set here:.* OVERCOMMIT \(needs root\)' "$STDERR"
  assert_contains 'warning: 127.0.0.1: SWAPPINESS: /proc/sys/vm/swappiness: needs root' "$STDERR"
}

@test "without git a checkout still knows its commit" {
  fresh
  git -C clone init -q
  git -C clone -c user.name=n -c user.email=e@example.org commit -q --allow-empty -m one
  commands_link git
  PATH=$SCRATCH/bin succeeds run clone/do_it.sh --version
  assert_match "\($(git -C clone rev-parse --short=12 HEAD); changes not known: git is missing\)\$"
  git -C clone pack-refs --all
  PATH=$SCRATCH/bin run clone/do_it.sh --version
  assert_match "\($(git -C clone rev-parse --short=12 HEAD); changes not known"
}

@test "doctor --fix installs what is missing after asking, reports it, and checks again" {
  need_root
  moment
  commands_link screen sudo
  stand_in apt-get '[[ " $* " != *" install "* ]] || { echo "$*" >>calls; ln -s /usr/bin/screen bin/screen; }'
  # There is no user to ask.
  PATH=$SCRATCH/bin fails 3 run_split "$REPO/do_it.sh" doctor --fix "${untuned[@]}" "${WORDS[@]}" </dev/null
  assert_line '  127.0.0.1: screen: missing; requires: in PATH'
  assert_line "    fix: $REPO/tools/deps.sh run screen"
  assert_contains 'doctor --fix --yes installs without asking' "$STDERR"
  refute_exists calls
  PATH=$SCRATCH/bin succeeds run_split "$REPO/do_it.sh" doctor --fix --yes "${untuned[@]}" "${WORDS[@]}"
  assert_equal "${lines[-1]}" fit
  assert_match 'install screen$' "$(<calls)"
  assert_contains '127.0.0.1: installed: screen' "$STDERR"
}

@test "doctor fits the terminal, groups hosts and settings, and shows all checks only when asked; the fix for another host can be pasted here; an exit status that no command has is explained" {
  printf '%s\n' \
    $'h1\tok\ttar\t/usr/bin/tar\tin PATH\t-' $'h1\tfail\tscreen\tmissing\tin PATH\t-' $'h2\tfail\tscreen\tmissing\tin PATH\t-' \
    $'h1\twarn\ttuning TUNE.governor\tthere is no such file\tauto\tTUNE.governor=off, if it is to stay as it is' $'h2\twarn\ttuning THP\tnot there\tnever\tKERNEL.thp=keep' \
    $'h1\twarn\tlink\teth0 with a very long description of the driver and of its speed 1000 Mbit/s\t80001 Mbit/s\ta faster one, or smaller values' >rows
  succeeds master '' 'export COLUMNS=60; doctor_show <rows; echo; doctor_show all <rows'
  assert_line '  h1, h2: screen: missing; requires: in PATH'
  assert_contains $'  h1, h2: tuning: TUNE.governor, THP: not available there\n    (--all says why)\n    fix: TUNE.governor=off KERNEL.thp=keep accepts it\n'
  assert_equal "$(grep -c '^2 problems$' <<<"$output")" 2
  assert_equal "$(awk 'length > 60' <<<"$output")" ''
  refute_contains /usr/bin/tar "${output%%2 problems*}"
  assert_match 'ok +tar +/usr/bin/tar' "${output#*2 problems}"
  succeeds master '' 'SERVER=127.0.0.1 CLIENT_IP="192.0.2.9" COMMAND_WORDS=(-H "my hosts" FILL=4G)
    printf "192.0.2.9\tfail\tscreen\tmissing\tin PATH\tinstall: screen\n" | doctor_show'
  assert_line '    fix: master.sh doctor --fix -H my\ hosts FILL=4G'
  assert_equal "${lines[-1]}" '1 problem'
  refuses 99 'unexpected exit status 99' master '' 'exit 99'
  master '' 'exit 3'
  assert_equal "$STDERR" ''
}

@test "this machine's own name is this machine; a name that ssh takes elsewhere is not" {
  stand_in getent '[[ $2 != here ]] || echo "127.0.1.1 STREAM here"; [[ $2 != both ]] || printf "%s\n" "127.0.1.1 STREAM" "192.0.2.7 STREAM"'
  printf 'Host far\n  HostName here\n  Port 2222\nHost near\n  HostName here\n' >config
  PATH=$SCRATCH/bin:$PATH succeeds master SSH_CONFIG="$SCRATCH/config" 'for name in here near far both nowhere; do
      if remote_is_local "$name"; then echo "$name yes"; else echo "$name no"; fi
    done'
  assert_equal "$output" $'here yes\nnear yes\nfar no\nboth no\nnowhere no'
}

@test "a run whose report cannot be drawn says so in one line and exits 1" {
  local -x TIERBENCH_REPORT=on
  moment
  commands_link gnuplot
  PATH=$SCRATCH/bin fails 1 run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" PHASES=set
  assert_match 'warning: no report: gnuplot is missing \(make deps\), then ./do_it.sh report [^ ]*demo$' "$STDERR"
  assert_contains 'SET'
}

@test "a full disk stops a run with one line that names the command to continue" {
  master RESULTS_DIR="$SCRATCH" 'stat() { echo "100 * 1024 / 1024"; }
    disk_room "$PWD" && echo room
    stat() { echo "10000 * 1024 / 1024"; }
    disk_room "$PWD" && echo room'
  assert_output room
  assert_match "warning: RESULTS_DIR: 100 KiB are free and a repeat takes 512 KiB: .*./do_it[.]sh run --resume $SCRATCH\$" "$STDERR"
  # What it proposes can be pasted into a shell.
  mkdir -p "a b/it's \$HERE"
  master RESULTS_DIR="$SCRATCH" 'stat() { echo "100 * 1024 / 1024"; }
    disk_room "$PWD/a b/it'"'"'s \$HERE"'
  prints "run|--resume|$SCRATCH/a b/it's \$HERE|" run bash -c "printf '%s|' ${STDERR##*./do_it.sh}"
}
