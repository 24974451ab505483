#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a host says is used only when it is of its form: every field of every script, and every file that is received.
# slow

load helper
load elsewhere

prepare() {
  # With a file `stream` the host says that instead, with `filter` what that makes of its answer.
  elsewhere_ssh 'if [[ $* == *tierbench-push* ]]; then
  :
elif [[ -e $SCRATCH/stream ]]; then
  mark=$(grep -m 1 -o "tierbench-reply-[0-9]*" | sed -n 1p)
  cat >/dev/null
  printf "%s\n" "$mark" && cat "$SCRATCH/stream" && printf "\n%s.end\n" "$mark"
  exit
elif [[ -e $SCRATCH/filter ]]; then
  bash -c "$*" | bash "$SCRATCH/filter"
  exit
fi'
}

# Run a piece of the master's shell that has a host named elsewhere.
ask() {
  elsewhere_master "$1" >ask.sh
  run_split bash ask.sh
}

# Check one line as a field of a kind.
# Usage: field KIND VALUE
field() {
  printf 'x\t-\t9\tfield:%s\n' "$1" >table
  run_split bash -c 'set -Eeuo pipefail
    LIB=$REPO/lib
    . "$LIB/core/parts.sh" && . "$LIB/core/reply.sh"
    reply_forms table "$REPO/conf/tuning.tsv"
    reply_longer() { return 1; }
    REMOTE_MARK=mark
    printf -v REMOTE_REPLY "\nmark\n%b\n\nmark.end\n" "$1"
    reply_print host x -' bash "$2"
}

@test "a field of each kind accepts valid values, and nothing that bash would run" {
  while read -r kind values; do
    for value in ${values% ; *}; do
      succeeds field "$kind" "$value"
      assert_equal "$output" "$(printf '%b' "$value")"
    done
    [[ $kind == text ]] || values+=' PATH[$(id>file)]'
    for value in ${values#* ; } 'a\033[31mb' 'a\302\233b'; do
      fails 3 field "$kind" "$value"
      assert_equal "$output" ''
      assert_match "^host: invalid reply to 'x -': field='[^[:cntrl:]]*': expected ${kind//|/[|]}\$" "$STDERR"
    done
  done <<'END'
count 0 7 123456789012345678 ; 07 -1 1.5 1234567890123456789 0x10 1e3 1,5
few 0 99999 ; 100000 007
number 0 -1.5 12 ; 1e3 nan 1,5 5x .5
seconds 1700000000.123456 ; 1700000000 0.123456 1700000000.12 01.123456 1700000000,123456
name a eth0:1 node0 numa_hit lapsed ; a/b a[0] $(id) a;b
path /usr/bin/redis-server ./x ; -rf ~x $(id)
text x PATH[0] $(id) ; a\001b \033[2J
ok|warn|fail ok warn fail ; okay ok|warn o
tuning THP - ; PATH thp THP[0]
phase mixed-2.5 get populate ; gets mixed- mixed.x ../x $(id)
topology 0,0,0,0 # #x ; 0,0,0,123456 0-1 x 0,0,0,0,$(id)
info used_memory:7 cmdstat_config|get:calls=0 # ### ; used_memory -x
END
}

@test "every field of every script: a command in it ends in one line with host and field, and runs nowhere" {
  # For each form, a reply that is good, and for each of its fields one with a command in it.
  awk -F '\t' -v OFS='\t' '
    BEGIN {
      sample["count"] = sample["few"] = 7; sample["number"] = "1.5"; sample["seconds"] = "1700000000.123456"; sample["name"] = "x"
      sample["path"] = "/x"; sample["text"] = "x"; sample["tuning"] = "THP"; sample["topology"] = "0,0,0,0"; sample["phase"] = "get"; sample["info"] = "x:1"
    }
    /^#/ { next }
    {
      n = split($4, part, " ")
      for (bad = 0; bad <= n; bad++) {
        if (bad && !index(part[bad], ":")) continue
        reply = ""
        for (i = 1; i <= n; i++) {
          name = part[i]; kind = ""
          if (index(part[i], ":")) {
            kind = substr(part[i], index(part[i], ":") + 1)
            name = kind in sample ? sample[kind] : substr(kind, 1, index(kind, "|") - 1)
          }
          if (i == bad) { name = "PATH[$(id>pwned)]"; field = substr(part[i], 1, index(part[i], ":") - 1); of = kind }
          reply = reply (i > 1 ? "\t" : "") name
        }
        print $1, $2, bad ? (of == "text" ? "passed" : field) : "passed", reply
      }
    }' "$REPO/lib/core/replies.tsv" >cases
  (($(wc -l <cases) > 60))
  succeeds ask '
    REMOTE_FILE= REMOTE_MARK=mark REMOTE_LIMIT=100000
    while IFS=$'\''\t'\'' read -r script verb wanted reply; do
      printf -v REMOTE_REPLY "\nmark\n%s\n\nmark.end\n" "$reply"
      status=0
      said=$(reply_print elsewhere "$script" $verb 2>why) || status=$?
      if [[ $wanted == passed ]]; then
        ((status == 0)) && [[ $said == "$reply" ]] || printf "%s %s: refused: %s\n" "$script" "$verb" "$(<why)"
      else
        ((status == 3)) && [[ -z $said && $(<why) == "elsewhere: invalid reply to "*": $wanted="*": expected "* && $(wc -l <why) == 1 ]] ||
          printf "%s %s %s: status %d: %s\n" "$script" "$verb" "$wanted" "$status" "$(<why)"
      fi
    done <cases'
  assert_equal "$output" ''
  refute_exists pwned
}

@test "a line that begins with the word of one form has that form, also if it fits another; one behind ten thousand others is checked, too; a field that is too long is refused" {
  fails 3 ask 'REMOTE_FILE="" REMOTE_MARK=mark REMOTE_LIMIT=1000
    printf -v REMOTE_REPLY "\nmark\nhost\tx\t1\nmachine\tx\t1\n\nmark.end\n"
    reply_print elsewhere monitor mark'
  assert_match "^elsewhere: invalid reply to 'monitor mark': a line does not have 13 fields .*: 'machine[?]x[?]1'\$" "$STDERR"
  fails 3 ask 'REMOTE_FILE="" REMOTE_MARK=mark REMOTE_LIMIT=1000000
    printf -v REMOTE_REPLY "bucket\t1\t%d\n" {1..10000}
    printf -v REMOTE_REPLY "\nmark\n%sbucket\t1\tx\n\nmark.end\n" "$REMOTE_REPLY"
    reply_print elsewhere client step'
  assert_equal "$STDERR" "elsewhere: invalid reply to 'client step': count='x': expected count"
  fails 3 ask 'REMOTE_FILE="" REMOTE_MARK=mark REMOTE_LIMIT=100000
    for length in 4096 4097; do
      printf -v REMOTE_REPLY "\nmark\nhost\tx\t%0${length}d\n\nmark.end\n" 1
      reply_print elsewhere monitor mark | wc -c
    done'
  assert_output $'4104\n0'
  assert_match "^elsewhere: invalid reply to 'monitor mark': value='0*': expected text\$" "$STDERR"
}

@test "doctor accepts as many rows of tuning as a run: one for each CPU and each interrupt" {
  assert_equal "$(awk -F '\t' '$1 == "doctor" && $2 != "startup" { print $3 }' "$REPO/lib/core/replies.tsv" | sort -u)" \
    "$(awk -F '\t' '$1 == "tune" && $2 == "check" { print $3 }' "$REPO/lib/core/replies.tsv")"
}

@test "an invalid reply is refused: start-up files that print or read, a shell that runs nothing, truncation, NULs, too much" {
  # Text before and after: still a valid reply.
  program_make login '#!/bin/bash\necho hello; echo -e "\\e[31mred" >&2; [[ ! -e reads ]] || read -r x; [[ $1 == -c ]] || exit\n%s "$@"' "$(type -P bash)"
  sed -i "s|^exec /bin/bash |exec $SCRATCH/login |" bin/ssh
  fails 1 ask 'call_run elsewhere facts memory; call_run elsewhere launch nothing-of-that-name --version'
  assert_match $'^host\t[0-9]+\t[0-9]+\t[0-9]+\t[0-9]+$'
  assert_equal "$STDERR" "'nothing-of-that-name' is missing"
  # The settings are on stdin, so one that reads it is refused, at first or later.
  fails 1 ask ': >reads; call_run elsewhere facts memory'
  assert_equal "$STDERR" "start-up files of the login shell (~/.bashrc) read the input of commands; let them do so in interactive shells only"
  fails 1 ask 'call_run elsewhere facts memory'
  assert_equal "$STDERR" "elsewhere: start-up files of the login shell (~/.bashrc) read the input of commands, or end the shell; let them do so in interactive shells only"
  rm reads
  while IFS='|' read -r case wanted; do
    printf '%s\n' "$case" >filter
    fails 3 ask 'call_run elsewhere facts memory'
    assert_equal "$output" ''
    assert_equal "$STDERR" "elsewhere: invalid reply to 'facts memory': $wanted"
  done <<'END'
cat >/dev/null|no reply: the login shell did not run the script; check its start-up files (~/.bashrc) there
head -c 40|the reply is truncated
awk '{ print } /^host/ { print }'|the reply has more lines than 1
END
  printf '%s\n' "tr '\\t' '\\0'" >filter
  fails 3 ask 'call_run elsewhere facts memory'
  assert_equal "$output" ''
  assert_match "^elsewhere: invalid reply to 'facts memory': " "$STDERR"
  echo 'exec cat /dev/zero' >filter
  refuses 3 'elsewhere: facts: the reply is longer than 16 MiB' ask 'call_run elsewhere facts memory'
  printf 'cat; { head -c 20M /dev/zero | tr "\\0" x; } 2>/dev/null\n' >filter
  refuses 3 'elsewhere: facts: the reply is longer than 16 MiB' ask 'call_run elsewhere facts memory'
}

@test "what a host writes to stderr reaches the terminal without control characters" {
  mkdir -m 700 host
  printf 'x\e[31mred\302\2332J' >host/name
  fails 1 ask 'call_run elsewhere launch "$(<host/name)" --version'
  refute_contains $'\e' "$STDERR"
  refute_contains $'\302\233' "$STDERR"
  assert_contains '[31mred' "$STDERR"

  # A copy reads no reply; a function for several hosts prints what each of them said.
  printf '#!/bin/bash\nprintf "x\\e[31mred\\302\\2332J\\n" >&2\nexit 1\n' >ssh
  fails 1 ask 'cp ssh bin/ssh; parallel_run 60 remote_again elsewhere || REMOTE_RETRY=0 call_put elsewhere "$SCRATCH/host/name" name'
  refute_contains $'\e' "$STDERR"
  refute_contains $'\302\233' "$STDERR"
  assert_contains $'elsewhere: x [31mred 2J\nx [31mred 2J\nelsewhere: name could not be copied there' "$STDERR"
}

# Print one line of the list of files that a host sends.
# Usage: listed NAME TEXT [SIZE] [TEXT_OF_SUM]
listed() {
  printf '%s\t%s\t%s\n' "${3-${#2}}" "$(printf '%s' "${4-$2}" | sha256sum | cut -d ' ' -f 1)" "$1"
}

@test "a script is sent what its verb reads, and no more; what is not set is one line" {
  mkdir -p lib/host
  fails 1 ask 'ln -s "$LIB/shared" lib/shared; CALL_LIB=$PWD/lib
    printf "# Reads: ONE\n# Reads other: TWO\n# Reads left right: THREE\n\n" >lib/host/clock.sh
    ONE=1 TWO=2 THREE=3
    for verb in other left right none; do call_settings clock "$verb" && bash -c "$REPLY main() { echo \"\${ONE-} \${TWO-} \${THREE-}\"; }; main"; done
    unset -v TWO
    call_settings clock left
    call_settings clock other'
  assert_output $'1 2 \n1  3\n1  3\n1  '
  assert_equal "$STDERR" 'ask.sh: clock other: reads TWO, which is not set'
}

@test "a bash older than 5 ends in one line, on the master and on a host" {
  said='bash 5 or newer is required, this host has '
  sed 's/BASH_VERSINFO\[0\]/4/' "$REPO/lib/modules.sh" >modules.sh
  LIB=$REPO/lib fails 3 run_split bash -c '. ./modules.sh' do_it.sh
  assert_equal "$STDERR" "do_it.sh: $said$BASH_VERSION"
  sed 's/BASH_VERSINFO\[0\]/4/' "$REPO/lib/host/call.sh" >call.sh
  fails 1 run_split bash -c '. "$0"' ./call.sh mark clock </dev/null
  assert_equal "$output$STDERR" "$said$BASH_VERSION"
}

@test "files are received as regular files of the user; a link is replaced, not followed" {
  mkdir into
  echo mine >outside
  ln -s ../outside into/stdout
  ln -s ../.. into/set.hgrm
  { listed stdout abc && listed set.hgrm $'de\nf' && listed stderr '' && printf '\nabcde\nf'; } >stream
  prints $'set.hgrm\nstderr\nstdout' ask 'umask 077; receive_files into elsewhere client fetch; ls -A into'
  assert_equal "$(cat into/stdout into/set.hgrm)" $'abcde\nf'
  assert_equal "$(<outside)" mine
  assert_equal "$(stat -c '%F %a %u' into/stdout into/set.hgrm)" "regular file 644 $EUID"$'\n'"regular file 644 $EUID"
  mkdir other
  rm -r into
  ln -s other into
  fails any ask 'receive_files into elsewhere client fetch'
  assert_equal "$(ls -A other)" ''
}

@test "the files of each phase that PHASES accepts are received, also of a repeated one" {
  mkdir into
  for phase in $(sed -n 's/^PHASES=.*#: list:\(.*\)/\1/p' "$REPO/conf/defaults.conf" | tr '|' ' '); do
    for number in '' -2; do listed "$phase$number.hgrm" ''; done
  done >stream
  number=$(wc -l <stream)
  ((number >= 10))
  echo >>stream
  prints "$number" ask 'receive_files into elsewhere client fetch; ls -A into | wc -l'
}

@test "a file keeps every byte, whether it is empty, large, or not a text" {
  mkdir into sent
  : >sent/stderr
  printf 'a\0b\n\n' >sent/set.hgrm
  printf 'h\303\251\377\n' >sent/get.hgrm
  head -c 200000 /dev/urandom >sent/stdout
  bash -c '. "$REPO/lib/shared/files.sh" && cd sent && files_send -- *' >stream
  succeeds ask 'receive_files into elsewhere client fetch'
  diff -r sent into
  rm -r into sent/set.hgrm && mkdir into
  bash -c '. "$REPO/lib/shared/files.sh" && cd sent && files_send -- *' >stream
  succeeds ask 'receive_files into elsewhere client fetch'
  diff -r sent into
}

@test "files that are unrequested, too many, too large or not as announced: none is received, one line gives the reason" {
  mkdir into
  while read -r name why; do
    case $name in
      twice) { listed stdout a && listed stdout b && printf '\nab'; } >stream ;;
      wrong) { listed stdout abc 3 abd && printf '\nabc'; } >stream ;;
      short) { listed stdout abc 9 && printf '\nabc'; } >stream ;;
      long) { listed stdout abc 2 ab && printf '\nabc'; } >stream ;;
      large) { listed stdout abc 9999999999999 && printf '\nabc'; } >stream ;;
      # In awk: bats would trace each round of a loop here.
      many) awk 'BEGIN { for (i = 0; i < 10001; i++) printf "0\t%064d\tset.%d\n", 0, i; print "" }' >stream ;;
      list) printf 'PATH[$(id>pwned)]\tx\tstdout\n\n' >stream ;;
      size) printf '10000000000000\t%064d\tstdout\n\n' 0 >stream ;;
      name) name=set.$(printf '%0197d' 0) && { listed "$name" abc && printf '\nabc'; } >stream ;;
      sum) printf '3\t%063d\tstdout\n\nabc' 0 >stream ;;
      *) { listed "$name" abc && printf '\nabc'; } >stream ;;
    esac
    fails 3 ask 'receive_files into elsewhere client fetch'
    assert_equal "$STDERR" "elsewhere: invalid files from 'client fetch': ${why//NAME/$name}"
    assert_equal "$(ls -A into)" ''
  done <<'END'
../stdout the file 'NAME' was not asked for
/etc/set.x the file 'NAME' was not asked for
set.x/y the file 'NAME' was not asked for
.set.x the file 'NAME' was not asked for
run.conf the file 'NAME' was not asked for
set.$(id>pwned) the file 'NAME' was not asked for
twice the file 'stdout' comes twice
wrong a file is not what its checksum says
short the files are truncated
long the files are truncated
large more than 10000 files, or 4096 MiB
many more than 10000 files, or 4096 MiB
list the list of files has the line 'PATH[$(id>pwned)]?x?stdout'
name the file 'NAME' was not asked for
size the list of files has the line '10000000000000?0000000000000000000000000000000000000000000000000000000000000000?stdout'
sum the list of files has the line '3?000000000000000000000000000000000000000000000000000000000000000?stdout'
END
  refute_exists pwned ../stdout /etc/set.x
}

@test "what a host has that is no regular file with a plain name is not sent, and named" {
  mkdir -m 700 -p host
  prints a.txt ask 'cp -r "$LIB" lib; CALL_LIB=$PWD/lib
    printf "main() { cd $SCRATCH/out; files_send -- *; }\n" >lib/host/sysinfo.sh
    _REMOTE_NAME="" && remote_open elsewhere
    mkdir out; echo text >out/a.txt; ln -s /etc/passwd out/b.txt; mkfifo out/c.txt; echo x >"out/d e.txt"; mkdir out/f.txt into
    receive_files into elsewhere sysinfo; ls into'
  assert_equal "$(grep -c 'not sent: it is not a regular file with a plain name' <<<"$STDERR")" 4
}

@test "REMOTE_DIR that other users can write to, or replace, is refused in one line on the host that has it" {
  need_root
  # Usage: refused PATH LINE
  refused() {
    fails any ask "REMOTE_DIR=$1 && call_run elsewhere stop stale"
    assert_equal "$STDERR" "REMOTE_DIR=$1: $2"
  }
  top=$SCRATCH/top change=" chmod go-w it, or set REMOTE_DIR to another path"
  mkdir -p top/{open,sticky,theirs,group}/in
  chmod 1777 top/sticky
  succeeds ask "REMOTE_DIR=$top/sticky/in && call_work elsewhere"
  succeeds ask "REMOTE_DIR=$top/sticky/new && call_work elsewhere"
  assert_equal "$(stat -c %a top/sticky/new)" 700

  # A journal that another user planted is not looked at, let alone run.
  chmod 777 top/open
  mkdir -p top/open/in/run-x/tune
  echo 'x[$(id>pwned)]' >top/open/in/run-x/tune/journal
  refused "$top/open/in" "other users can write to $top/open (mode 777);$change"
  refute_exists pwned
  refused "$top/open/new/deep" "other users can write to $top/open (mode 777);$change"
  refute_exists top/open/new
  # Sticky keeps others from what is in it, but they can add to it.
  refused "$top/sticky" "other users can write to $top/sticky (mode 1777);$change"
  chown nobody top/theirs
  refused "$top/theirs/in" "$top/theirs belongs to another user (nobody), who could replace it; set REMOTE_DIR to a path of root's or yours"
  chown root:daemon top/group
  chmod 775 top/group
  refused "$top/group/in" "other users can write to $top/group (mode 775);$change"
  chown root:root top/group
  succeeds ask "REMOTE_DIR=$top/group/in && call_work elsewhere"
  # Where a link leads counts, and whose it is.
  ln -s open/in top/link
  refused "$top/link/new" "other users can write to $top/open (mode 777);$change"
  ln -s sticky/in top/good
  succeeds ask "REMOTE_DIR=$top/good/new && call_work elsewhere"
  chown -h nobody top/good
  refused "$top/good/new" "$top/good belongs to another user (nobody), who could replace it; set REMOTE_DIR to a path of root's or yours"
}
