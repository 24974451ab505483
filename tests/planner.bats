#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The planner (lib/plan/plan.awk): the plans of tests/planner.tsv, with both kinds of awk.

load helper
load processors

# Write the facts that the plans have.
planner_facts() {
  printf 'cpus\t8\nmem_gib\t31\nmem_bytes\t33285996544\nmem_available_bytes\t30000000000\n' >t
  printf 'topology\t%s\n' {0,1},0,0,0 {2,3},1,0,0 {4,5},2,1,1 {6,7},3,1,1 '# node 2 has memory and no CPU' \
    '# node 3 has memory and no CPU, faster than DRAM' >>t
  { cat t && printf 'topology\t# isolated 2-5,7\n'; } >i
  { cat t && printf 'redis\tvalkey\t9.1\t16p\n'; } >v
  sed 's/33285996544/4294967296/; s/^mem_gib.*/mem_gib\t4/' t >c
  printf 'topology\t# node 2 has memory that processes may not use\nlimit\tmemory\t4294967296\t/a\nlimit\tquota\t250\t/a\n' >>c
  printf 'keycost\t1000\t%s\n' $'table\t7' $'base\t1130000' $'cost\t3\t1180.5' $'cost\t8\t1184.25' >>c
}

# Print the table of docs/plan.md that has a column, without its rule, and with tabs between the columns; of settings, without the header.
planner_example() {
  awk -v OFS='\t' -v name="$1" '
    !/^\|/ { inside = 0; next }
    /^\|-/ { next }
    { gsub(/^\| | \|$/, ""); gsub(/ \| /, "\t") }
    !inside && $0 ~ ("(^|\t)" name "(\t|$)") && /^(variant|number)\t/ { inside = 1; if (name == "name") next }
    inside' "$REPO/docs/plan.md"
}

@test "plans of many kinds have the rows that they always had, with mawk and with gawk" {
  need_command mawk gawk
  planner_facts
  mkdir bin
  for awk in mawk gawk; do
    ln -sf "$(command -v "$awk")" bin/awk
    count=0 bad=''
    while IFS=$'\t' read -r name sum words; do
      [[ $name != '#'* ]] || continue
      mapfile -t words < <(tr ' ~' '\n ' <<<"$words")
      PATH=$SCRATCH/bin:$PATH succeeds run_plan --rows SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 "${words[@]}"
      count=$((count + 1))
      [[ $(cksum <<<"$output") == "$sum" ]] || bad+="$awk: $name"$'\n'"$output"$'\n'
    done <"$REPO/tests/planner.tsv"
    [[ -z $bad ]] || fail "$bad"
    assert_equal "$count" "$(grep -vc '^#' "$REPO/tests/planner.tsv")"
  done
}

@test "a file of settings may have any name: nothing of it is taken for a setting" {
  name=$'a\nsetting\tdefault\tPIPELINE\tx\t9\nb'
  mkdir "$name"
  printf 'PIPELINE=7\nKEYS=10\n' >"$name/s.conf"
  succeeds run_plan --settings SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=2 SERVER_MEM=16 -s "$PWD/$name/s.conf"
  assert_equal "$(awk -F '\t' '$3 == "PIPELINE" { print $4 }' <<<"$output")" 7
}

@test "the example of docs/plan.md is what plan prints" {
  line=$(grep '^./do_it.sh plan --settings' "$REPO/docs/plan.md")
  read -r -a words <<<"${line#./do_it.sh plan --settings}"
  run_plan --settings "${words[@]}"
  # It is published with the run.
  refute_contains "$REPO" "$output"
  assert_success
  # shellcheck disable=SC2001 # of each line
  settings=$(sed 's#\t[^\t]*/\([a-z]*\.conf\):[0-9]*$#\t\1#' <<<"$output")
  example=$(planner_example name)
  (($(wc -l <<<"$example") == 4)) || fail "the table of settings: $example"
  while IFS= read -r line; do grep -qxF -- "$line" <<<"$settings" || fail "not printed: $line"; done <<<"$example"
  run_plan --rows "${words[@]}"
  rows=$(awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR < 6 { print $1, $2, $3, $4, $at["value_size"], $at["instances"], $at["rate"] }' <<<"$output")
  assert_equal "$rows" "$(planner_example value_size)"
}

@test "-q: each scenario has a plan of about two minutes; its settings are above files and variants, and below what a user says" {
  words=(SERVER=203.0.113.1 SERVER_MEM=64 FACTS=2x24ht.lscpu)
  topology_of 2x24ht >2x24ht.lscpu
  for file in "$REPO"/conf/scenarios/*.conf; do
    name=${file##*/}
    run_plan -q --rows -s "${name%.conf}" "${words[@]}"
    seconds=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { sum += $at["seconds"] } END { print sum + 0 }' <<<"$output")
    ((seconds > 0 && seconds <= 150)) || fail "$name: $seconds s"
  done
  # Usage: said NAME [WORD]...
  said() { "$REPO/do_it.sh" plan --settings "${words[@]}" "${@:2}" | awk -F '\t' -v name="$1" '$3 == name { print $1, $4, $5 }'; }
  mkdir -p mine/{scenarios,variants}
  printf '# A question\nLIKE=sla\nTIME=9\n' >mine/scenarios/mine.conf
  printf 'TIME=8\n' >mine/variants/mine.conf
  export TIERBENCH_PATH=$PWD/mine TIERBENCH_SEARCH_TIME=3
  run said TIME -s mine -v mine -q
  assert_output "- 5 conf/scenarios/sla.conf:$(grep -n ^QUICK "$REPO/conf/scenarios/sla.conf" | cut -d : -f 1): QUICK.settings"
  prints '- 7 command line' run said TIME -s mine -v mine -q TIME=7
  prints '- 3 environment' run said SEARCH_TIME -s mine -q
  prints '- on command line: -q' run said QUICK -s mine -q
  run "$REPO/do_it.sh" plan -s mine -q "${words[@]}"
  assert_line 'Quick form (-q): a first answer, not a result.'
  # The run.conf of a run has what counted.
  "$REPO/do_it.sh" plan --settings -s mine -v mine -q "${words[@]}" TIME=7 |
    awk -F '\t' '$1 == "-" { print $3 "=\"" $4 "\"" } END { print "OVER=\"QUICK TIME SEARCH_TIME REDISRUNS FILL VALUE_SIZES\"" }' | tac >run.conf
  prints "- 7 ./run.conf:$(grep -n '^TIME=' run.conf | cut -d : -f 1)" run said TIME -s ./run.conf -v mine
  printf 'QUICK.settings="TIME"\n' >>mine/scenarios/mine.conf
  fails 2 run "$REPO/do_it.sh" plan -s mine -q "${words[@]}"
  assert_output "do_it.sh: $PWD/mine/scenarios/mine.conf:4: QUICK.settings: TIME: not an assignment; accepted: NAME=VALUE"
}
