#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every message with which ./test refuses its command line, produced once: tests/messages_test.tsv is the table of them.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper
load loadgen

@test "each refusal of the load generator comes with status 2 and its line" {
  local given expected word count=0 bad=''
  local -a words arguments
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
    [[ $status == 2 && $stderr == $expected && -z $output ]] || bad+="$given"$'\n'"  expected 2: $expected"$'\n'"  actual   $status: $stderr"$'\n'
  done <"$REPO/tests/messages_test.tsv"
  ((count > 60)) || fail "the table has $count rows"
  [[ -z $bad ]] || fail "$bad"
}
