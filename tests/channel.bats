#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The shell that stays on a host: calls through it say what calls without it say, also when it is busy or lost.
# slow
# shellcheck disable=SC2154,SC2016,SC1003 # status and stderr are set by run_split; commands are expanded where they are run

load helper
load elsewhere

setup() {
  scratch_setup
  mkdir bin
  # Stands in for ssh: the host is a shell here.
  cat >bin/ssh <<'END'
#!/bin/bash
while [[ ${1-} == -* ]]; do case $1 in -O | -G) exit 0 ;; -o | -F | -l | -p | -i) shift 2 ;; *) shift ;; esac; done
shift
[[ $1 != true ]] || exit 0
echo ssh >>"$SCRATCH/calls"
[[ ! -e $SCRATCH/noise ]] || . "$SCRATCH/noise"
exec /bin/bash -c "$*"
END
  # Counts the shells that are started here.
  printf '#!/bin/bash\necho bash >>"$SCRATCH/calls"\nexec /bin/bash "$@"\n' >bin/bash
  chmod +x bin/*
  PATH=$SCRATCH/bin:$PATH
}

teardown() {
  scratch_teardown
}

# Print what the pieces below use.
tell_master() {
  cat <<'END'
# Scripts of the test, beside those that every call sends.
mkdir -p $SCRATCH/lib/host && ln -sfn "$LIB/shared" $SCRATCH/lib/shared && ln -sf "$LIB/host/channel.sh" $SCRATCH/lib/host && LIB=$SCRATCH/lib
# What a call gives: its status, its reply, and its messages without the place where bash saw them. Usage: tell HOST SCRIPT [ARG]...
tell() {
  local status=0 REMOTE_FILE= REMOTE_REPLY= REMOTE_MARK= REMOTE_LIMIT=
  remote_raw 256 "$@" 2>err || status=$?
  printf '%s\n%s\n' "$status" "${REMOTE_REPLY//$REMOTE_MARK/MARK}"
  sed 's/^.*: line [0-9]*: //' err
}
END
}

# Run a piece of the master's shell, with the host `elsewhere` and this one.
ask() {
  elsewhere_master "$(tell_master)"$'\n'"$1" >ask.sh
  run_split /bin/bash ask.sh
}

# Write a script of the hosts from stdin. Usage: script NAME [READS]
script() {
  mkdir -p lib/host
  { printf '%s\n\nmain() {\n' "${2:+# Reads: $2}" && cat && echo '}'; } >"lib/host/$1.sh"
}

@test "a call through a channel gives what one without it gives: output, messages, status, any argument and value, long replies" {
  local host
  script words VALUE <<<'printf "<%s>\n" "$#" "$@" "$VALUE"; printf "a\033b\n" >&2; cat; echo $((SECONDS < 5)) $-; pwd; declare -p text state to 2>/dev/null || :'
  script fails <<<'echo before; echo why >&2; exit 7'
  script unset <<<'echo "$nothing_of_that_name"'
  script long <<<'printf "%0150000d" 1'
  script longer <<<'printf "%0300000d" 1'
  for host in elsewhere 127.0.0.1; do
    : >calls
    ask 'host='$host'
      all() {
        VALUE=$'\''\n"$(id)"\\'\'' tell "$host" words "a  b\$(id)'\''\"" "" $'\''\n'\'' "*"
        VALUE=$(printf "%0100000d" 2) tell "$host" words
        tell "$host" fails
        tell "$host" unset
        tell "$host" long
        VALUE= tell "$host" words again
      }
      all >without; mv calls calls.without; : >calls
      channel_open "$host"; all >with; mv calls calls.with
      # A reply above the limit is cut there, and the channel not used again.
      tell "$host" longer >cut
      VALUE= tell "$host" words again >after'
    assert_equal "$status: $stderr" '0: '
    # Line feeds at the end of a reply mean nothing.
    assert_equal "$(sed /^$/d with)" "$(sed /^$/d without)"
    assert_contains $'7\n\nMARK\nbefore\nwhy' "$(<with)"
    assert_contains 'nothing_of_that_name: unbound variable' "$(<with)"
    assert_equal "$(sed /^$/d after)" "$(sed /^$/d with | tail -n "$(sed /^$/d after | wc -l)")"
    assert_match '^0' "$(cat cut)"
    refute_contains MARK.end "$(cat cut)"
    # One shell for six calls.
    assert_equal "$(grep -c bash calls.without) $(grep -c bash calls.with)" '6 1'
  done
}

@test "modules are sent to a channel once: a call sends its script alone, and finds their functions; without a channel it sends both" {
  local host
  mkdir -p lib/host
  printf 'extra_says() { echo "from the module"; }\n' >lib/host/extra.sh
  printf '# Needs: extra\n\nmain() { extra_says; }\n' >lib/host/words.sh
  for host in elsewhere 127.0.0.1; do
    ask 'host='$host'
      tell "$host" words >without
      channel_open "$host"; tell "$host" words >with
      . /dev/stdin <<<"real$(declare -f _channel_write)"
      _channel_write() { printf "%s" "$2" >sent; real_channel_write "$@"; }
      tell "$host" words >again'
    assert_equal "$status: $stderr" '0: '
    assert_contains 'from the module' "$(<with)"
    assert_equal "$(sed /^$/d with)" "$(sed /^$/d without)"
    assert_equal "$(<again)" "$(<with)"
    assert_contains 'main() {' "$(<sent)"
    refute_contains 'extra_says()' "$(<sent)"
  done
}

@test "files keep every byte through a channel; large ones, and those that are not text, come without it" {
  local host kind
  script words <<<'echo answer'
  script sysinfo <<<'cd "$REMOTE_DIR-files"; files_send -- *'
  script trace <<<'echo run >>"$REMOTE_DIR.runs"; cd "$REMOTE_DIR-files"; files_send -- *'
  for kind in text large other; do
    rm -rf host-files && mkdir host-files
    : >host-files/a.txt
    printf 'one\n\n\n' >host-files/b.txt
    printf 'two\200' >host-files/c.txt
    case $kind in
      large) head -c 1100000 /dev/zero | tr '\0' x >host-files/d.txt ;;
      other) printf 'a\0b\n\n' >host-files/d.txt ;;
    esac
    for host in elsewhere 127.0.0.1; do
      : >calls
      ask 'host='$host'
        mkdir with; channel_open "$host"; tell "$host" words >/dev/null; mv calls calls.before; : >calls
        receive_files with "$host" sysinfo'
      assert_equal "$status: $stderr" '0: '
      diff -r host-files with
      rm -r with
      if [[ $kind == text ]]; then assert_equal "$(<calls)" ''; else assert_contains bash "$(<calls)"; fi
      # What a call ends cannot be asked for its files again.
      rm -f host.runs && mkdir with
      ask 'host='$host'
        channel_open "$host"; tell "$host" words >/dev/null
        receive_files with "$host" trace fetch'
      assert_equal "$status: $stderr" '0: '
      diff -r host-files with
      assert_equal "$(wc -l <host.runs)" 1
      rm -r with
    done
  done
}

@test "a call that is killed ends its script here, and leaves the channel to no other call" {
  script hangs <<<'echo $BASHPID >"$REMOTE_DIR.pid"; sleep 1000'
  script words <<<'echo answer'
  local host
  for host in elsewhere 127.0.0.1; do
    rm -f host.pid
    : >calls
    ask 'host='$host'
      hangs() { tell "$1" hangs; }
      channel_open "$host"
      side_run 4 hangs "$host" || :
      echo "${SIDE_STATUS[$host]}" >ended
      tell "$host" words >after
      # Another one can be opened.
      : >calls; channel_open "$host"; tell "$host" words >again; tell "$host" words >>again; mv calls calls.again'
    assert_equal "$status: $stderr" "0: $host: no answer within 4 s"
    assert_equal "$(<ended)" 124
    assert_contains answer "$(<after)"
    assert_equal "$(grep -c answer again) $(grep -c bash calls.again)" '2 1'
    # On another host it is not known to be ours; it ends on its own, at some time.
    [[ $host != elsewhere ]] || kill "$(<host.pid)" 2>/dev/null || :
    wait_until 5 process_ended "$(<host.pid)"
  done
}

process_ended() { [[ ! -e /proc/$1 ]]; }

@test "a channel that is lost: between two calls nothing is said, during a call the host is asked again" {
  script words <<<'echo answer'
  # The first try takes the shell of the channel with it.
  script breaks <<<'[[ -e $REMOTE_DIR.broken ]] || { : >"$REMOTE_DIR.broken"; kill -s KILL $$; sleep 1; }; echo answer'
  local host
  for host in elsewhere 127.0.0.1; do
    ask 'host='$host' REMOTE_RETRY=9
      channel_open "$host"; tell "$host" words >first
      kill -s KILL "${_CHANNEL_PID[$host]}"
      until ! proc_start "${_CHANNEL_PID[$host]}"; do proc_wait 0.1; done
      tell "$host" words >between
      channel_open "$host"; tell "$host" words >>first
      rm -f host.broken; tell "$host" breaks >during'
    assert_equal "$status" 0
    if [[ $host == elsewhere ]]; then assert_contains 'elsewhere does not answer' "$stderr"; else assert_equal "$stderr" ''; fi
    assert_equal "$(grep -c answer first) $(sed /^$/d between | paste -sd ' ')" '2 0 MARK answer MARK.end'
    assert_match '^0 MARK answer MARK.end' "$(sed /^$/d during | paste -sd ' ')"
  done
}

@test "start-up files that print and read, and a host without a place for messages" {
  script words <<<'echo answer'
  echo 'seq 20000; echo noise >&2; head -c 3000 >/dev/null' >noise
  ask 'channel_open elsewhere; for i in 1 2 3; do tell elsewhere words; done >said'
  assert_equal "$status: $stderr" '0: '
  assert_equal "$(grep -c answer said) $(grep -vc 'answer\|MARK\|^0$\|^$' said) $(wc -l <calls)" '3 0 2'
  # A full disk is no reason for a script to fail at a message.
  echo 'export TMPDIR=/nowhere' >noise
  : >calls
  ask 'channel_open elsewhere; for i in 1 2 3; do tell elsewhere words; done >said'
  assert_equal "$status: $stderr" '0: '
  assert_equal "$(grep -c answer said) $(grep -vc 'answer\|MARK\|^0$\|^$' said) $(wc -l <calls)" '3 0 2'
}

@test "a host that refuses a channel, or does not keep to its form, is asked without it" {
  local bad
  script words <<<'echo answer'
  script sysinfo <<<'cd "$REMOTE_DIR-files"; files_send -- *'
  mkdir host-files && echo file >host-files/a.txt
  # Nothing that was sent has run: also if the process ends only after that.
  for bad in 'exit 1' 'exec <&-; exec sleep 1'; do
    echo "[[ \$* != *tierbench-channel* ]] || { $bad; }" >noise
    ask 'channel_open elsewhere; for i in 1 2 3; do tell elsewhere words; done >said'
    assert_equal "$status: $stderr" '0: '
    assert_equal "$(grep -c answer said)" 3
  done
  for bad in '$token 008 0 0' '$token 256 0 0' '$token 0 300000000 0' '$token 0 1 300000000' '$token 0 -1 0' '0 0 0' 'tierbench-reply-1 0 0 0' '$token'; do
    cat >noise <<END
if [[ \$* =~ tierbench-channel-[0-9]+ ]]; then
  printf '\\n%s\\n' "\${BASH_REMATCH[0]}"
  until IFS= read -r line && [[ \$line =~ ^[0-9]+\ (tierbench-reply-[0-9]+)\$ ]]; do :; done
  token=\${BASH_REMATCH[1]}
  echo "$bad"
  exec sleep 2
fi
END
    rm -rf with && mkdir with
    ask 'REMOTE_RETRY=9; channel_open elsewhere; receive_files with elsewhere sysinfo'
    assert_equal "$status" 0
    assert_contains 'elsewhere does not answer' "$stderr"
    diff -r host-files with
  done
}

@test "a host that writes a flood of messages, with line feeds or without: as much as is used is read, in a channel and without one" {
  script flood <<<'case $1 in long) head -c 4000000 /dev/zero | tr "\\0" x ;; lines) seq 100000 ;; esac >&2; echo answer'
  local host what
  for host in elsewhere 127.0.0.1; do
    ask 'host='$host'; tell "$host" flood lines >lines; tell "$host" flood long >without; channel_open "$host"; tell "$host" flood long >with'
    assert_equal "$status" 0
    for kind in with without; do
      assert_equal "$(sed -n '1p; /answer/p' "$kind" | paste -sd ' ')" '0 answer'
      (($(wc -c <"$kind") < 300000)) || fail "$host $kind: $(wc -c <"$kind") bytes"
    done
    for what in without lines; do assert_contains 'more messages than 256 KiB or 2000 lines: the rest is left out' "$(tail -n 1 "$what")"; done
    (($(wc -l <lines) < 2010)) || fail "$host: $(wc -l <lines) lines"
  done
}

@test "Ctrl-C and TERM during an endless flood of messages, with line feeds and without: the master ends, and no script of it stays" {
  local sign what file pid start
  script endless <<<'proc_start $BASHPID; echo "$BASHPID $PROC_START" >"$SCRATCH/new.$BASHPID"; mv "$SCRATCH/new.$BASHPID" "$SCRATCH/begun.$BASHPID"
    if [[ $1 == lines ]]; then yes; else tr "\\0" x </dev/zero; fi >&2'
  begun() { [[ $(compgen -G "begun.*" | wc -l) == 2 ]]; }
  for sign in INT TERM; do
    for what in lines long; do
      rm -f begun.*
      elsewhere_master "$(tell_master)"$'\n'"flood() { tell \$1 endless $what; }; side_run 600 flood elsewhere 127.0.0.1" >ask.sh
      job_start /bin/bash ask.sh
      wait_until 20 begun
      kill -s "$sign" -- "-$JOB_PID"
      job_wait 20
      assert_failure "$([[ $sign == INT ]] && echo 130 || echo 143)"
      for file in begun.*; do
        read -r pid start <"$file"
        wait_until 10 process_gone "$pid" "$start"
      done
    done
  done
}

@test "a host that does not answer for a while: one line says so, and ssh's own words come once" {
  script words <<<'echo answer'
  # shellcheck disable=SC2016 # for the stand-in
  echo '[[ -e up || $(grep -c . calls) -gt 3 ]] || { echo "ssh: connect to host elsewhere port 22: Connection refused" >&2; exit 255; }' >noise
  ask 'REMOTE_RETRY=30; tell elsewhere words >said'
  assert_equal "$status: $(sed -n '1p; /answer/p' said | paste -sd ' ')" '0: 0 answer'
  assert_equal "$(grep -c 'elsewhere does not answer (nothing answers on its ssh port)' <<<"$stderr") $(grep -c 'elsewhere answers again' <<<"$stderr") $(wc -l <<<"$stderr")" '1 1 2'
  : >calls
  ask 'REMOTE_RETRY=1; tell elsewhere words >said'
  assert_equal "$(grep -c 'Connection refused' said)" 1
}

@test "nothing that a script leaves running holds the channel open, and the shell ends with its master" {
  script leaves <<<'setsid sleep 20 </dev/null >/dev/null 2>&1 & echo $! >"$REMOTE_DIR.pid"; until [[ $(</proc/$!/comm) == sleep ]] && held=$(readlink /proc/$!/fd/* 2>/dev/null) && [[ $held != *lib* && $held != */etc/* ]]; do :; done; sort -u <<<"$held"'
  local host
  for host in elsewhere 127.0.0.1; do
    ask 'host='$host'
      channel_open elsewhere 127.0.0.1
      tell "$host" leaves >said
      echo "${_CHANNEL_PID[@]}" >shells'
    kill "$(<host.pid)"
    assert_equal "$status: $stderr" '0: '
    assert_contains $'0\n\nMARK\n/dev/null\nMARK.end' "$(<said)"
    for pid in $(<shells); do wait_until 5 process_ended "$pid"; done
  done
}

@test "a channel ends with a master that is killed before it has read a long reply" {
  local host
  # The private directory of a killed master stays.
  local -x TMPDIR=$SCRATCH
  # The shell prints the reply after its script, and a pipe holds less than that.
  script long <<<'printf "%0300000d" 1; : >"$REMOTE_DIR.done"'
  for host in elsewhere 127.0.0.1; do
    ask 'host='$host'
      channel_open "$host"
      echo "${_CHANNEL_PID[$host]}" >shell
      rm -f "$REMOTE_DIR.done"
      script_own long
      printf "%s%s\n%s%d\n%s" "$_REMOTE_PAD" "${_CHANNEL_MARK[$host]}" "$_CHANNEL_SCRIPT" "${#REPLY}" "$REPLY" >&"${_CHANNEL_TO[$host]}"
      until [[ -e $REMOTE_DIR.done ]]; do proc_wait 0.05; done
      kill -KILL $$'
    assert_equal "$status: $stderr" '137: '
    process_note "$(<shell)"
    wait_until 5 process_ended "$(<shell)"
  done
}

@test "a channel asks whether our directory is ours alone until it is, and again when it is gone" {
  local host
  script opens <<<'workdir_open; echo "$WORK"'
  # Counts the questions.
  printf '#!/bin/bash\necho stat >>"$SCRATCH/asked"\nexec /usr/bin/stat "$@"\n' >bin/stat
  chmod +x bin/stat
  for host in elsewhere 127.0.0.1; do
    mkdir -p wide/host
    chmod 777 wide
    : >asked
    ask 'host='$host' REMOTE_DIR=$SCRATCH/wide/host
      channel_open "$host"
      tell "$host" opens >refused
      chmod 755 wide
      tell "$host" opens >first
      wc -l <asked >before
      tell "$host" opens >second
      wc -l <asked >after
      rm -r wide
      mkdir -m 777 wide
      tell "$host" opens >gone'
    assert_equal "$status: $stderr" '0: '
    assert_contains "REMOTE_DIR=$SCRATCH/wide/host: other users can write to $SCRATCH/wide (mode 777)" "$(<refused)"
    assert_equal "$(<gone)" "$(<refused)"
    assert_equal "$(<first)" $'0\n\nMARK\n'"$SCRATCH/wide/host"$'\nMARK.end'
    assert_equal "$(<second)" "$(<first)"
    (($(<before) > 0)) || fail 'nothing was asked'
    assert_equal "$(<after)" "$(<before)"
  done
}

@test "a text for a shell that is gone is a failure, and no signal, in the script and in its subshells" {
  ask 'exec {to}> >(exec true)
    wait $!
    _channel_write "$to" lost || echo script
    (_channel_write "$to" lost || echo subshell)'
  assert_equal "$status: $stderr" '0: '
  assert_output $'script\nsubshell'
}
