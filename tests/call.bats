#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A call of a host: what arrives there and what comes back, here and over ssh; and what happens when one of the two sides ends.
# slow
# shellcheck disable=SC1003

load helper
load elsewhere

prepare() {
  elsewhere_ssh 'if [[ $* == *tierbench-push* ]]; then echo push; else echo call; fi >>"$SCRATCH/calls"
[[ ! -e $SCRATCH/noise ]] || . "$SCRATCH/noise"'
  cp -r "$REPO/lib" lib
}

# Run a piece of the master's shell, with the host `elsewhere` and this one. Its files have the scripts of the test, too.
ask() {
  ask_write "$1"
  run_split /bin/bash ask.sh
}

# Write such a piece into ask.sh: ask_write CODE
ask_write() { elsewhere_master "$(tell_master)"$'\n'"$1" | sed "s|LIB=$REPO/lib|LIB=$SCRATCH/lib|" >ask.sh; }

# Print a function for these pieces. It gives the status of a call, its reply, and its messages without the place where bash saw them.
tell_master() {
  cat <<'END'
# Usage: tell HOST SCRIPT [ARG]...
tell() {
  local status=0 REMOTE_FILE= REMOTE_REPLY= REMOTE_MARK= REMOTE_LIMIT=
  call_mark
  call_raw 256 "$@" 2>err || status=$?
  printf '%s\n%s\n' "$status" "${REMOTE_REPLY//$REMOTE_MARK/MARK}"
  sed 's/^.*: line [0-9]*: //' err
}
END
}

# Write a script of the hosts from stdin. Usage: script NAME [READS]
script() { { printf '%s\n\nmain() {\n' "${2:+# Reads: $2}" && cat && echo '}'; } >"lib/host/$1.sh"; }

process_ended() { [[ ! -e /proc/$1 ]]; }

@test "output, messages, status, any argument and any value arrive, here and elsewhere; a reply is cut at its limit" {
  script words VALUE <<<'printf "<%s>\n" "$#" "$@" "$VALUE"; printf "a\033b\n" >&2; cat; echo $((SECONDS < 5)) $-; extra_says'
  sed -i '1s/^/# Needs: extra\n/' lib/host/words.sh
  echo 'extra_says() { echo "from the module"; }' >lib/host/extra.sh
  script fails <<<'echo before; echo why >&2; exit 7'
  script unset <<<'echo "$nothing_of_that_name"'
  script long <<<'printf "%0150000d" 1'
  script longer <<<'printf "%0300000d" 1'
  for host in elsewhere 127.0.0.1; do
    rm -f calls
    ask 'host='$host'
      VALUE=$'\''\n"$(id)"\\ä\n\n'\'' tell "$host" words "a  b\$(id)'\''\"" "" $'\''\n'\'' "*" >words
      VALUE=$(printf "%0100000d" 2) tell "$host" words >large
      tell "$host" fails >fails
      tell "$host" unset >unbound
      tell "$host" long >long
      tell "$host" longer >longer'
    assert_equal "$status: $STDERR" '0: '
    assert_contains $'0\n\nMARK\n<4>\n<a  b$(id)\'">\n<>\n<\n>\n<*>\n<\n"$(id)"\\ä\n\n>\n1 ' "$(<words)"
    assert_contains $'from the module\n\nMARK.end\n\na b' "$(<words)"
    assert_contains '<0000000000' "$(<large)"
    assert_equal "$(<fails)" $'7\n\nMARK\nbefore\n\nwhy'
    assert_contains 'nothing_of_that_name: unbound variable' "$(<unbound)"
    refute_contains MARK.end "$(<unbound)"
    assert_contains $'\nMARK.end' "$(tail -c 20 long)"
    refute_contains MARK.end "$(tail -c 20 longer)"
    # One ssh for each call after the first one, and none here.
    if [[ $host == elsewhere ]]; then assert_equal "$(paste -sd ' ' calls)" 'push call call call call call call'; else assert_equal "$(<calls)" push; fi
  done
}

@test "several scripts in one call: each has its own variables, status, messages and checked reply; one that fails prevents no other" {
  script clock ONE <<<'VALUE=${ONE} ; echo "${EPOCHREALTIME/,/.}"; echo a >>"$REMOTE_DIR.said"; cd /; trap "echo left >>$REMOTE_DIR.said" EXIT'
  script fails TWO <<<'echo "$TWO ${VALUE-none} $PWD" >>"$REMOTE_DIR.said"; echo why >&2; false; echo on >>"$REMOTE_DIR.said"'
  script work <<<'echo "text of no path"'
  script quiet <<<'echo "$*" >>"$REMOTE_DIR.said"; echo done >&2'
  for host in elsewhere 127.0.0.1; do
    rm -f host.said calls
    ask 'ONE=1 TWO=2; call_several '$host' clock fails $'"'quiet\tb\tc'"' work; echo "${CALL_OUT[*]}|${CALL_STATUS[*]}"'
    assert_match '^[0-9]+\.[0-9]{6}   \|0 1 0 3$'
    assert_equal "$STDERR" $'why\ndone\n'"$host: invalid reply to 'work -': path='text of no path': expected path"
    assert_equal "$(<host.said)" $'a\nleft\n2 none '"$SCRATCH"$'\nb c'
    [[ $host != elsewhere ]] || assert_equal "$(paste -sd ' ' calls)" 'push call'
    # In a chain, it is the last one.
    prints '0 1' ask 'ONE=1 TWO=2; call_chain '$host' clock fails $'"'quiet\tb'"'; echo "${CALL_STATUS[*]}"'
    assert_equal "$STDERR" why
    # One alone, and a reply that ends early.
    succeeds ask 'ONE=1; call_several '$host' $'"'quiet\tonly'"
    assert_equal "$STDERR" 'done'
  done
  script fails <<<'exit 0'
  rm host.said
  prints '0 3 0' ask 'TWO=2; call_several elsewhere $'"'quiet\tb' fails \$'quiet\tc'"'; echo "${CALL_STATUS[*]}"'
  assert_equal "$STDERR" $'done\ndone\nelsewhere: invalid reply to \'fails -\': the reply is truncated'
  assert_equal "$(<host.said)" $'b\nc'
}

@test "several scripts send files in one call: each to its directory with every byte, and nothing of one that fails" {
  mkdir -p sent/{one,two,three}
  printf 'a\0b\n' >sent/one/vmstat.tsv
  head -c 200000 /dev/urandom >sent/one/instances.tsv
  echo log >sent/two/redis-7001.log
  head -c 200000 /dev/urandom >sent/three/stdout
  printf '\0' | tee sent/three/set.hgrm >sent/three/get.hgrm
  : >sent/three/stderr
  script monitor <<<'cd "'"$SCRATCH"'/sent/one" && files_send -- *'
  script server <<<'cd "'"$SCRATCH"'/sent/two" && files_send -- * | head -c 90; echo why >&2; exit 7'
  script client <<<'cd "'"$SCRATCH"'/sent/three" && files_send -- *'
  for host in elsewhere 127.0.0.1; do
    rm -rf calls one two three
    mkdir one two three
    ask 'receive_several '$host' one $'"'monitor\tfetch' two $'server\tlogs' three $'client\tfetch'"'; echo "${CALL_STATUS[*]}"'
    assert_output '0 7 0'
    assert_equal "$STDERR" why
    diff -r sent/one one
    assert_equal "$(ls -A two)" ''
    diff -r sent/three three
    [[ $host != elsewhere ]] || assert_equal "$(paste -sd ' ' calls)" 'push call'
  done
  # So does a repeat fetch all files of a server. Logs without INFO are not enough.
  script parts <<<'cd "'"$SCRATCH"'/sent/two" && files_send -- *'
  cp lib/host/parts.sh lib/host/server.sh
  fails 1 ask 'HOST=elsewhere _PARTS_BEGUN[sidecar]=yes; fetch_servers got'
  assert_match 'warning: elsewhere: no INFO of the instances after the load$' "$STDERR"
  assert_equal "$(cd got && find . -type f | sort | xargs)" './instances.tsv ./redis-7001.log ./sidecar/redis-7001.log ./vmstat.tsv'
  # A link that is cut at the end: what came whole is kept.
  script client <<<'cd "'"$SCRATCH"'/sent/three" && files_send -- * | head -c -9'
  prints '0 3' ask 'receive_several elsewhere one $'"'monitor\tfetch' three $'client\tfetch'"'; echo "${CALL_STATUS[*]}"'
  assert_equal "$STDERR" "elsewhere: invalid files from 'client fetch': the files are truncated"
}

@test "start-up files may print; a host whose copy of our files is gone gets another one; a second master finds them" {
  script words <<<'echo answer'
  echo 'seq 20000; echo noise >&2' >noise
  ask 'tell elsewhere words >said; tell elsewhere words >>said; rm -r host/cache; tell elsewhere words >>said'
  assert_equal "$status: $STDERR" '0: '
  assert_equal "$(sed '/^[0-9]\{2,\}$/d; /^[1-9]$/d; /^$/d' said | paste -sd ' ')" '0 MARK answer MARK.end 0 MARK answer MARK.end 0 MARK answer MARK.end'
  # A call that finds no files there is repeated after the copy.
  assert_equal "$(paste -sd ' ' calls)" 'push call call call push call'
  # Of a script, that status is an answer.
  script missing <<<'echo run >>"$REMOTE_DIR.runs"; exit 127'
  rm -r host/cache
  matches '^127' ask 'tell elsewhere missing'
  assert_equal "$(<host.runs)" run
  touch -d 2020-01-01 host/cache/lib-*/shared/common.sh
  shows answer ask 'tell elsewhere words'
  assert_equal "$(stat -c %y host/cache/lib-*/shared/common.sh | cut -c 1-4)" 2020
}

@test "a call that is not waited for any more ends its script, here at once and elsewhere at the same limit" {
  script hangs <<<'echo $BASHPID >"$REMOTE_DIR.pid"; sleep 1000'
  script words <<<'echo answer'
  for host in elsewhere 127.0.0.1; do
    rm -f host.pid
    # What runs elsewhere does not end with ssh.
    echo 'exec 7<&0; (/bin/bash -c "$*" <&7 & echo $! >"$SCRATCH/there"); while [[ -e /proc/$(<"$SCRATCH/there") ]]; do sleep 0.1; done; exit' >noise
    ask 'host='$host'
      hangs() { tell "$1" hangs; }
      parallel_run 3 hangs "$host" || :
      echo "${PARALLEL_STATUS[$host]}" >ended
      tell "$host" words >after'
    assert_equal "$status: $STDERR" "0: $host: no answer within 3 s"
    assert_equal "$(<ended)" 124
    assert_contains answer "$(<after)"
    wait_until 20 process_ended "$(<host.pid)"
  done
}

@test "a connection that is lost during a call is asked again; ssh's own words come once" {
  # The first try takes the connection with it.
  script breaks <<<'[[ -e $REMOTE_DIR.broken ]] || { : >"$REMOTE_DIR.broken"; exit 255; }; echo answer'
  warns 'elsewhere does not answer' ask 'REMOTE_RETRY=9; tell elsewhere breaks >said'
  assert_equal "$(sed /^$/d said | paste -sd ' ')" '0 MARK answer MARK.end'
  script words <<<'echo answer'
  echo '[[ -e up || $(grep -c call calls) -gt 3 ]] || { echo "ssh: connect to host elsewhere port 22: Connection refused" >&2; exit 255; }' >noise.later
  rm -f calls
  ask 'mv noise.later noise; REMOTE_RETRY=30; tell elsewhere words >said'
  assert_equal "$status: $(sed -n '1p; /answer/p' said | paste -sd ' ')" '0: 0 answer'
  assert_equal "$(grep -c 'elsewhere does not answer (nothing answers on its ssh port)' <<<"$STDERR") $(grep -c 'elsewhere answers again' <<<"$STDERR") $(wc -l <<<"$STDERR")" '1 1 2'
  mv noise noise.later
  rm -f calls
  ask 'mv noise.later noise; REMOTE_RETRY=1; tell elsewhere words >said'
  assert_equal "$(grep -c 'Connection refused' said)" 1
}

@test "a flood of messages, with line feeds or without: as much as is used is read; Ctrl-C and TERM during an endless flood: the master ends, and no script of it stays" {
  script flood <<<'case $1 in long) head -c 4000000 /dev/zero | tr "\\0" x ;; lines) seq 100000 ;; esac >&2; echo answer'
  for host in elsewhere 127.0.0.1; do
    for what in lines long; do
      ask "tell $host flood $what >said"
      assert_equal "$status: $STDERR" '0: '
      assert_equal "$(sed -n '1p; /answer/p' said | paste -sd ' ')" '0 answer'
      (($(wc -c <said) < 300000 && $(wc -l <said) < 2010)) || fail "$host $what: $(wc said)"
      assert_contains 'more messages than 256 KiB or 2000 lines: the rest is left out' "$(tail -n 1 said)"
    done
  done
  script endless <<<'proc_start $BASHPID; echo "$BASHPID $PROC_START" >"$SCRATCH/new.$BASHPID"; mv "$SCRATCH/new.$BASHPID" "$SCRATCH/begun.$BASHPID"
    if [[ $1 == lines ]]; then yes; else tr "\\0" x </dev/zero; fi >&2'
  begun() { [[ $(compgen -G "begun.*" | wc -l) == 2 ]]; }
  for sign in INT:130:lines TERM:143:long; do
    rm -f begun.*
    ask_write "flood() { tell \$1 endless ${sign##*:}; }; parallel_run 600 flood elsewhere 127.0.0.1"
    job_start /bin/bash ask.sh
    wait_until 20 begun
    # A terminal gives it to the whole group, another program to the master alone.
    if [[ $sign == INT* ]]; then kill -INT -- "-$JOB_PID"; else kill -TERM "$JOB_PID"; fi
    job_wait 20
    assert_failure "$(cut -d : -f 2 <<<"$sign")"
    for file in begun.*; do
      read -r pid start <"$file"
      wait_until 10 process_gone "$pid" "$start"
    done
  done
}

@test "a signal ends the master when the call is over, and not before; what a script leaves running has none of the master's descriptors, and holds no call" {
  script slow <<<'echo begun >>"$REMOTE_DIR.said"; until [[ -e $REMOTE_DIR.go ]]; do sleep 0.05; done; echo done >>"$REMOTE_DIR.said"'
  for host in elsewhere 127.0.0.1; do
    rm -f host.go host.said
    ask_write "trap 'echo ended >>host.said' EXIT"$'\n'"call_run $host slow; echo not reached"
    job_start /bin/bash ask.sh
    wait_until 20 grep -q begun host.said
    kill -TERM "$JOB_PID"
    touch host.go
    fails 143 job_wait 60
    assert_equal "$(<host.said)" $'begun\ndone\nended'
  done
  script leaves <<<'setsid sleep 20 </dev/null >/dev/null 2>&1 & echo $! >"$REMOTE_DIR.pid"; until [[ $(</proc/$!/comm) == sleep ]] && held=$(readlink /proc/$!/fd/* 2>/dev/null) && [[ $held != *lib* && $held != */etc/* ]]; do :; done; sort -u <<<"$held"'
  for host in elsewhere 127.0.0.1; do
    ask 'tell '$host' leaves >said'
    kill "$(<host.pid)"
    assert_equal "$status: $STDERR" '0: '
    assert_contains $'0\n\nMARK\n/dev/null\n\nMARK.end' "$(<said)"
  done
}

@test "a run has one session on each host, which renews its records; one that is lost or silent is opened again, and it ends with the master; another process with its number lives on" {
  mkdir -m 1777 locks
  ask 'lock_lease() { REPLY=6; }; lock_name test; SERVER=elsewhere; lock_take elsewhere
    owner=host/run-$RUN_ID/owner
    renewed() { local text; text=$(<"$owner"); for ((i = 0; i < 600; i++)); do [[ $(<"$owner") == "$text" ]] || return 0; proc_wait 0.1; done; return 1; }
    sessions() { ps -o pid= --ppid "$_LOCK_RENEWER" | xargs; }
    renewed; renewed; renewed
    sessions >first
    kill $(<first)
    renewed; renewed
    sessions >second
    # One that does not answer is replaced, too.
    silent=$(ps -o pid= --ppid "$(<second)")
    kill -STOP $silent
    renewed; renewed
    sessions >third
    kill -KILL $silent 2>/dev/null || :
    # A suspended master has its hosts.
    (kill -STOP $$; renewed; renewed; touch held; kill -CONT $$) &
    wait "$!"
    grep -c call calls >count'
  assert_equal "$status: $STDERR" '0: '
  # Take, and three sessions.
  assert_equal "$(<count)" 4
  assert_match '^[0-9]+$' "$(<first)"
  assert_match '^[0-9]+$' "$(<second)"
  assert_exists held
  [[ $(<first) != "$(<second)" ]] || fail 'it was not opened again'
  [[ $(<third) =~ ^[0-9]+$ && $(<second) != "$(<third)" ]] || fail 'it was not replaced'
  wait_until 20 process_ended "$(<third)"
  assert_equal "$(find host locks -name '*test-*')" ''
  prints alive ask 'declare -A pid started
    for name in other own; do
      sleep 100 >/dev/null 2>&1 &
      pid[$name]=$!
      proc_start "$!"
      started[$name]=$PROC_START
      disown "$!"
    done
    started[other]=1
    for name in other own; do _lock_session_end "$name"; done
    until ! proc_alive "${pid[own]}" "${started[own]}"; do proc_wait 0.05; done
    proc_start "${pid[other]}" && echo alive
    kill "${pid[other]}"'
}

@test "a connection has the time limit of the user's ssh configuration, and 10 s where that has none" {
  printf 'Host near\n  ConnectTimeout 44\nHost far\n  ConnectTimeout none\n' >config
  prints $'ConnectTimeout=44\nConnectTimeout=10\nConnectTimeout=10' ask 'PATH=/usr/bin:/bin SSH_CONFIG=$SCRATCH/config
    for host in near far other; do _remote_options "$host"; printf "%s\n" "${options[@]}" | grep Timeout; done'
}
