#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Settings that name programs, files or users: those of another person's file are asked for, or refused.

load helper

prepare() {
  untune
  # A server that is not reached, and an ssh that would leave a trace.
  far=(SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=4 SERVER_MEM=4)
  printf 'Host *\nProxyCommand touch %s/ran\n' "$SCRATCH" >ssh_config
  mkdir theirs
}

@test "settings of another's file that name programs, files or users are refused without a terminal, by every command" {
  # Each kind has its own value; a new setting of one of these kinds is covered.
  {
    echo 'KEYS=7'
    while IFS=$'\t' read -r name kind; do
      case $kind in
        *commands*) value=get:1,set:2 ;;
        *user*) value=root ;;
        *) value=/x ;;
      esac
      [[ $name != SWEEP ]] || value='RATE=1,2 REDIS_CONF.loadmodule=/x,/y'
      [[ $name != QUICK.settings ]] || value='TIME=5 REDIS_CONF.loadmodule=/x'
      printf '%s="%s"\n' "$name" "$value"
    done < <(sed -nE 's/^([A-Z][A-Za-z0-9_.-]*)=.*#: (.*\b(text|path|program|absolute|user|commands)\b.*)/\1\t\2/p' "$REPO"/{conf/defaults,lib/part/*/settings}.conf)
    printf 'REDIS_CONF.loadmodule="/x"\n'
  } >theirs/all.conf
  for name in SERVER_PREFIX CLIENT_PREFIX SIDECAR REDIS REDIS_CONF.loadmodule SSH_CONFIG REDIS_USER TIER_SWAP COMMANDS REPLAY REMOTE_DIR \
    LOCK_DIR RESULTS_DIR SERVER_NUMACTL FACTS SWEEP QUICK.settings; do
    grep -q "^$name=" theirs/all.conf || fail "not covered: $name"
  done
  fails 2 run_split env -u TIERBENCH_REMOTE_DIR -u TIERBENCH_LOCK_DIR "$REPO/do_it.sh" plan -s theirs/all.conf </dev/null
  while IFS='=' read -r name _; do
    [[ $name == KEYS ]] || assert_contains "$name=" "$STDERR"
  done <theirs/all.conf
  # No other setting takes a path, except those whose own checks refuse it.
  run settings_awk 'BEGIN { for (i = 1; i <= names; i++) if (!is_risky(NAME[i]) && kind_is("/bin/id", KIND[NAME[i]])) print NAME[i] }'
  assert_output $'QUICK.settings\nSWEEP\nVALUE_DISTRIBUTION\nLIMITS'
  printf 'SSH_CONFIG=%s\nKEYS=7\n' "$SCRATCH/ssh_config" >theirs/run.conf
  printf 'SSH_CONFIG=""\nTRACE=\nKEYS=7\n' >theirs/harmless.conf
  printf 'LIKE=run\nKEYS=8\n' >theirs/like.conf
  for command in "plan -s theirs/run.conf" "plan -s theirs/like.conf" "doctor -s theirs/run.conf" "run -s theirs/run.conf" "list -s theirs/run.conf" \
    "stop -s theirs/run.conf"; do
    # shellcheck disable=SC2086 # the command and its options
    fails 2 run_split "$REPO/do_it.sh" $command "${far[@]}" </dev/null
    assert_equal "$STDERR" "do_it.sh: theirs/run.conf: SSH_CONFIG=$SCRATCH/ssh_config: a program, a file or a user of a file that none of your runs wrote; read the file, then add --trust"
  done
  refute_exists ran
  # What the user says, the default, and what names nothing.
  succeeds run_plan -s theirs/run.conf SSH_CONFIG= "${far[@]}"
  succeeds run_plan -s theirs/harmless.conf "${far[@]}"
}

@test "a resumed run and its variants and hosts are another's, too" {
  mkdir -p theirs/native
  "$REPO/do_it.sh" plan --rows "${far[@]}" KEYS=7 -v native >theirs/plan.tsv
  printf 'KEYS=7\n' | tee theirs/run.conf >theirs/native/variant.conf
  printf 'server 203.0.113.1 root 22 %s\nclient 203.0.113.2\n' "$SCRATCH/ssh_config" >theirs/hosts
  fails 2 run_split "$REPO/do_it.sh" run --resume theirs </dev/null
  assert_contains "theirs/hosts: server 203.0.113.1 root 22 $SCRATCH/ssh_config: a program, a file or a user" "$STDERR"
  printf 'server 203.0.113.1\nclient 203.0.113.2\n' >theirs/hosts
  echo 'SERVER_PREFIX=id' >>theirs/native/variant.conf
  refuses 2 'theirs/native/variant.conf: SERVER_PREFIX=id: a program' run_split "$REPO/do_it.sh" stop --resume theirs </dev/null
}

@test "a file is known by its text: what a run wrote or the user accepted is used, in any directory, until it is changed" {
  printf 'SIDECAR="sleep 1"\nKEYS=7\n' >theirs/one.conf
  succeeds run_plan --trust -s theirs/one.conf "${far[@]}"
  mv theirs/one.conf two.conf
  succeeds run_plan -s ./two.conf "${far[@]}"
  assert_equal "$(stat -c %a state/tierbench/settings)" 600
  bash -c 'cd "$REPO" && set -- lib/core && . lib/core/file.sh && . lib/core/trust.sh && cd "$SCRATCH" && printf "SIDECAR=id\nKEYS=7\n" >own.conf && trust_record own.conf none'
  succeeds run_plan -s ./own.conf "${far[@]}"
  echo 'SIDECAR="sleep 2"' >>two.conf
  fails 2 run_plan -s ./two.conf "${far[@]}"
  fails 2 run_split env XDG_STATE_HOME=/proc/none "$REPO/do_it.sh" plan -s ./own.conf "${far[@]}" </dev/null
  succeeds run env XDG_STATE_HOME=/proc/none "$REPO/do_it.sh" plan --trust -s ./own.conf "${far[@]}" </dev/null
}

@test "on a terminal the settings are shown, none with a control character, and the answer counts" {
  need_command script
  printf 'SIDECAR="id \e[31m"\nKEYS=7\n' >theirs/one.conf
  fails 2 run_plan -s theirs/one.conf "${far[@]}"
  assert_equal "$STDERR" 'do_it.sh: theirs/one.conf:1: SIDECAR: a line break, another control character or a double quote in the value is not supported; remove it'
  printf 'SIDECAR="id 31m"\nKEYS=7\n' >theirs/one.conf
  for answer in n y ''; do
    run script -qec "'$REPO/do_it.sh' plan -s theirs/one.conf ${far[*]}" /dev/null <<<"$answer"
    if [[ $answer == y || -z $answer ]]; then
      assert_success
    else
      assert_failure 2
      assert_contains 'theirs/one.conf: the settings were not accepted; read the file, then add --trust'
    fi
    [[ -z $answer ]] || assert_match $'and it names programs, files or users:\r\n  SIDECAR=id 31m\r\n'
  done
}
