#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every message that ends a command with 2 or 3, produced once: the tables of them are tests/messages.tsv, and messages_test.tsv for ./test.
# slow
# shellcheck disable=SC2030,SC2031 # each test sets its own

load helper

prepare() {
  untune
}

# Make runs that cannot be resumed: without a plan, with a FIFO, with another plan, with a bad row, with a truncated row. One also has a directory
# whose name is not plain, and an archive of nothing.
messages_runs() {
  mkdir -p bare cut {odd,torn,half}/native
  # A resumed run has its own directories on a host, and not those of the environment.
  printf 'REMOTE_DIR="%s"\nLOCK_DIR="%s"\n' "$SCRATCH/host" "$SCRATCH/locks" | tee {bare,cut,odd,torn,half}/run.conf >/dev/null
  touch {odd,torn,half}/native/variant.conf
  mkfifo cut/pipe
  mkdir 'bare/not plain'
  : >bare/empty.tar.gz
  printf 'point\n' >odd/plan.tsv
  "$REPO/do_it.sh" plan --rows SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16 -s imdt | sed -n 1p >torn/plan.tsv
  cp torn/plan.tsv half/plan.tsv
  printf '1\n' >>torn/plan.tsv
  printf '1' >>half/plan.tsv
}

# Run a row of the table, its arguments separated by blanks: `~` is a blank in an argument, `@` the plan of a server that is not reachable.
# Usage: messages_run COMMAND GIVEN
#   GIVEN is the text of the file `given`, `-` none; `%N` a line of N characters
# Returns: sets status and stderr, paths left out
messages_run() {
  local -a words=()
  read -r -a words <<<"$1"
  words=("${words[@]//'~'/ }")
  [[ ! -e given ]] || rm given given.conf
  case $2 in
    -) ;;
    %*) printf "%${2#%}s\n" x | tee given >given.conf ;;
    *) printf '%b\n' "$2" | tee given >given.conf ;;
  esac
  case $1 in
    @*) run_plan SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=16 "${words[@]:1}" ;;
    summary2csv.sh*) run_split "$REPO/summary2csv.sh" "${words[@]:1}" </dev/null ;;
    *) run_split "$REPO/do_it.sh" "${words[@]}" </dev/null ;;
  esac
  STDERR=${STDERR//"$REPO"/ROOT}
  STDERR=${STDERR//"$SCRATCH"/.}
}

@test "each message comes with its status and its line, and no line is of another program" {
  number=0 bad=''
  others=$'\n([^\n]*: line [0-9]+: |(awk|bash|cat|cp|dd|find|grep|ls|m?awk|mkdir|mv|rm|sed|sort|stat|touch): )[^\n]*'
  messages_runs
  while IFS=$'\t' read -r expected command given line; do
    [[ $expected == [23] ]] || continue
    number=$((number + 1))
    messages_run "$command" "$given"
    [[ ! $'\n'$STDERR =~ $others ]] || bad+="$command"$'\n'"  not ours:${BASH_REMATCH[0]}"$'\n'
    STDERR=${STDERR##*$'\n'}
    # Numbers of lines in our own files change with every edit.
    [[ $STDERR != *ROOT* ]] || STDERR=$(sed -E 's/(ROOT[^: ]*):[0-9]+:/\1:N:/' <<<"$STDERR")
    [[ $status == "$expected" && $STDERR == "$line" ]] || bad+="$command"$'\n'"  expected $expected: $line"$'\n'"  actual   $status: $STDERR"$'\n'
  done <"$REPO/tests/messages.tsv"
  unset status STDERR
  ((number > 400)) || fail "the table has $number rows"
  [[ -z $bad ]] || fail "$bad"
}

@test "every kind of setting is explained in words" {
  run settings_awk 'BEGIN {
    for (name in KIND) {
      text = kind_text(KIND[name])
      if (text == "" || text ~ /(int|number|time|times|seconds|ms|span|size|pair|every|each|percent|list|word|fields|ratio|node):|[{]/) print name ": " text
      count++
    }
    print (count > 100) " " kind_text("auto|list:span:1..9")
  }'
  assert_output '1 auto, or a list, separated by blanks or commas, of: N, A..B or A..B..STEP from 1 to 9 (or all, or clients)'
}

@test "each refusal of the load generator comes with status 2 and its line" {
  count=0 bad=''
  [[ -x $REPO/test ]] || make -s -C "$REPO"
  while IFS=$'\t' read -r given expected; do
    [[ $given != '#'* && $given != - ]] || continue
    count=$((count + 1))
    read -r -a words <<<"$given"
    arguments=()
    for word in "${words[@]}"; do
      case $word in
        "''") word='' ;;
        %*) word=$(printf "%${word#%}s" '' | tr ' ' x) ;;
        *) word=${word//'~'/ } ;;
      esac
      arguments+=("$word")
    done
    run_split "$REPO/test" "${arguments[@]}"
    # A row is a pattern in which only the asterisk is one.
    expected=${expected//\\/\\\\} expected=${expected//\[/\\[} expected=${expected//\?/\\?}
    # shellcheck disable=SC2053 # the expected line is a pattern
    [[ $status == 2 && $STDERR == $expected && -z $output ]] || bad+="$given"$'\n'"  expected 2: $expected"$'\n'"  actual   $status: $STDERR"$'\n'
  done <"$REPO/tests/messages_test.tsv"
  ((count > 60)) || fail "the table has $count rows"
  [[ -z $bad ]] || fail "$bad"
}
