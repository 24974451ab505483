#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Scenarios, variants and workloads outside of the tree: TIERBENCH_PATH.

load helper

prepare() {
  untune
  far=(SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=4 SERVER_MEM=4)
  mkdir -p {mine,more}/{scenarios,variants,workloads}
  printf '# SPDX-License-Identifier: MIT\n# Mine?\nLIKE=demo\nPIPELINE=7\nWORKLOAD=own\nTRACE="sleep 1"\n' >mine/scenarios/question.conf
  printf '# SPDX-License-Identifier: MIT\n# My place.\nLIKE=native\nSERVER_PREFIX="nice -n 1"\n' >mine/variants/place.conf
  printf '# SPDX-License-Identifier: MIT\n# My load.\nKEY_PATTERN=zipf\n' >more/workloads/own.conf
  export TIERBENCH_PATH=$SCRATCH/mine:$SCRATCH/more
}

# A command that is refused in one line.
# Usage: refused LINE [COMMAND...]
refused() {
  [[ $# -gt 1 ]] || set -- "$1" list
  fails 2 run_split "$REPO/do_it.sh" "${@:2}" </dev/null
  assert_equal "$STDERR" "do_it.sh: $1"
}

@test "names of TIERBENCH_PATH are known to plan, list, hints and completion, and its files are the user's own" {
  succeeds run_split "$REPO/do_it.sh" plan --settings -s question -v place "${far[@]}" </dev/null
  assert_equal "$STDERR" ''
  assert_match $'\tPIPELINE\t7\t'
  assert_match $'\tINSTANCES\t2\t'
  assert_match $'\tKEY_PATTERN\tzipf'
  assert_match $'place\t-\tSERVER_PREFIX\tnice -n 1\t'
  run "$REPO/do_it.sh" list
  assert_match "scenario +question +Mine\\? \\(in $SCRATCH/mine/scenarios\\)"
  assert_match "workload +own +My load\\. \\(in $SCRATCH/more/workloads\\)"
  refute_contains "(in $REPO"
  refused "command line: -s: SCENARIO=queston: not found; the nearest is question (./do_it.sh list names scenarios)" plan -s queston
  refused "command line: -v: VARIANTS=plaice: plaice: not found; the nearest is place (./do_it.sh list names variants)" plan -v plaice
  run bash -c '. "$REPO/tools/completion.bash"; COMP_WORDS=("$REPO/do_it.sh" -v p) COMP_CWORD=2; _tierbench; printf "%s\n" "${COMPREPLY[@]}"'
  assert_output $'place\npreferred'
  unset -v TIERBENCH_PATH
  refused "command line: -s: SCENARIO=question: not found; ./do_it.sh list names scenarios" plan -s question
}

@test "the first directory wins, and a file that hides another one is named" {
  printf '# SPDX-License-Identifier: MIT\n# Second.\nKEYS=5\n' | tee more/scenarios/question.conf more/variants/native.conf >/dev/null
  succeeds run_split "$REPO/do_it.sh" plan --settings -s question -v native "${far[@]}"
  assert_match $'\tPIPELINE\t7\t'
  assert_equal "$(cut -d ' ' -f 2- <<<"$STDERR")" "warning: $SCRATCH/mine/scenarios/question.conf: hides $SCRATCH/more/scenarios/question.conf; rename one of them to use both
warning: $SCRATCH/more/variants/native.conf: hides $REPO/conf/variants/native.conf; rename one of them to use both"
  run "$REPO/do_it.sh" list
  assert_equal "$(grep -cE '^scenario +question ' <<<"$output") $(grep -cE '^variant +native ' <<<"$output")" '1 1'
  refute_contains Second.\ \(in\ "$SCRATCH/more/scenarios"
}

@test "a directory or a file that another user could change is refused in one line" {
  need_root
  file=$SCRATCH/mine/scenarios/question.conf fix="; set TIERBENCH_PATH to a path of root's or yours"
  TIERBENCH_PATH=mine refused "environment: TIERBENCH_PATH=mine: not a directory that you can read; accepted: absolute paths of directories, separated by colons"
  chmod o+w more
  refused "environment: TIERBENCH_PATH=$SCRATCH/more: other users can write to $SCRATCH/more (mode 757); chmod go-w it, or set TIERBENCH_PATH to another path"
  chmod o-w more
  chmod o+w mine/scenarios
  refused "environment: TIERBENCH_PATH=$file: other users can write to $SCRATCH/mine/scenarios (mode 757); chmod go-w it, or set TIERBENCH_PATH to another path" \
    plan -s question
  chmod o-w mine/scenarios
  chmod 666 "$file"
  refused "environment: TIERBENCH_PATH=$file: other users can write to $file (mode 666); chmod go-w it, or set TIERBENCH_PATH to another path" plan -s question
  chmod 644 "$file"
  chown nobody "$file"
  refused "environment: TIERBENCH_PATH=$file: $file belongs to another user (nobody), who could replace it$fix" plan -s question
  refused "environment: TIERBENCH_PATH=$SCRATCH/mine/scenarios/question.conf: $file belongs to another user (nobody), who could replace it$fix" plan -s mine/scenarios/question.conf
  mv "$file" other.conf
  ln -s ../../other.conf "$file"
  refused "environment: TIERBENCH_PATH=$file: $SCRATCH/other.conf belongs to another user (nobody), who could replace it$fix" plan -s question
}

@test "parts and tiers of TIERBENCH_PATH: known to plan, list and completion; a name that is taken, or a file that cannot be used, is one line" {
  need_root
  cannot='cannot open; accepted: files that you can read' path="chmod go-w it, or set TIERBENCH_PATH to another path"
  "$REPO/do_it.sh" new part spare
  "$REPO/do_it.sh" new tier ownt
  succeeds run_split "$REPO/do_it.sh" plan --settings -s question -v ownt SPARE=on "${far[@]}"
  assert_match $'\tSPARE\ton\tcommand line'
  assert_match $'ownt\t-\tTIER\townt\t'
  run bash -c '. "$REPO/tools/completion.bash"; COMP_WORDS=("$REPO/do_it.sh" run SPA) COMP_CWORD=2; _tierbench; printf "%s\n" "${COMPREPLY[@]}"'
  assert_output SPARE=
  # Nothing is hidden, because hosts would get both.
  mkdir more/{part,tier}
  echo cold >more/part/list
  refused "environment: TIERBENCH_PATH=$SCRATCH/more/part/cold: the name cold is taken; rename it"
  echo a-b >more/part/list
  refused "environment: TIERBENCH_PATH=$SCRATCH/more/part/a-b: not a name; accepted: small letters, digits and _, with a letter first"
  echo none >more/part/list
  refused "environment: TIERBENCH_PATH=$SCRATCH/more/part/none: $cannot"
  rm more/part/list
  cp mine/tier/ownt.sh more/tier/swap.sh
  refused "environment: TIERBENCH_PATH=$SCRATCH/more/tier/swap.sh: the name swap is taken; rename it"
  rm more/tier/swap.sh
  for file in mine/part/spare/figures.awk mine/tier/ownt.sh; do
    chmod 646 "$file"
    refused "environment: TIERBENCH_PATH=$SCRATCH/$file: other users can write to $SCRATCH/$file (mode 646); $path"
    chmod 000 "$file"
    fails 2 run_split setpriv --bounding-set=-dac_override,-dac_read_search "$REPO/do_it.sh" list
    assert_equal "$STDERR" "do_it.sh: environment: TIERBENCH_PATH=$SCRATCH/$file: $cannot"
    chmod 644 "$file"
  done
  file=$SCRATCH/mine/scenarios/question.conf
  chmod 000 "$file"
  fails 2 run_split setpriv --bounding-set=-dac_override,-dac_read_search "$REPO/do_it.sh" plan -s question "${far[@]}"
  assert_equal "$STDERR" "do_it.sh: $file: cannot open; name a file of settings that you can read"
}

@test "a list of parts that is not a file or that others can change, and a part's setting or column that exists or is not one, are one line" {
  local list=$SCRATCH/more/part/list settings=$SCRATCH/more/part/ours/settings.conf
  mkdir -p more/part/ours
  mkfifo "$list"
  refused "environment: TIERBENCH_PATH=$list: cannot open; accepted: files that you can read"
  rm "$list"
  echo ours >"$list"
  chmod 646 "$list"
  refused "environment: TIERBENCH_PATH=$list: other users can write to $list (mode 646); chmod go-w it, or set TIERBENCH_PATH to another path"
  chmod 644 "$list"
  echo 'KEYS=1  #: int:1..9' >"$settings"
  refused "$settings:1: KEYS: exists, $REPO/conf/defaults.conf:$(grep -n ^KEYS= "$REPO/conf/defaults.conf" | cut -d : -f 1); choose another name"
  printf '# OURS\n\nOURS=1 #: int:1..9\n' >"$settings"
  refused "$settings:3: OURS=1 #: int:1..9: not a setting; accepted: NAME=VALUE  #: KIND"
  rm "$settings"
  cp "$REPO/lib/part/wss/columns.tsv" more/part/ours/
  printf 'settings\tOURS\n' >more/part/ours/part.tsv
  refused "environment: TIERBENCH_PATH=$SCRATCH/more/part/ours/part.tsv: settings: unknown row; accepted: label setting program limit reply files merge"
  : >more/part/ours/part.tsv
  echo 'ours_at_strat() { :; }' >more/part/ours/master.sh
  refused "environment: TIERBENCH_PATH=$SCRATCH/more/part/ours/master.sh: ours_at_strat: no such point; accepted: up instances load mark start stop done"
  echo 'ours_got_start() { :; }' >more/part/ours/master.sh
  refused "environment: TIERBENCH_PATH=$SCRATCH/more/part/ours/master.sh: ours_wanted: missing; add it: it says whether the settings ask for the part"
  rm more/part/ours/{part.tsv,master.sh}
  refused "$SCRATCH/more/part/ours/columns.tsv: wss_1s_bytes: a column of this name exists; choose another name" plan "${far[@]}"
}

@test "a header of a tier with a field or a word that has no meaning is refused, because what it asks for would not be checked" {
  local file=$SCRATCH/mine/tier/ownt.sh line
  "$REPO/do_it.sh" new tier ownt
  while IFS='|' read -r line text; do
    cp "$REPO/conf/new/tier.sh" "$file"
    sed -i "$line" "$file"
    refused "environment: TIERBENCH_PATH=$file: $text"
  done <<'END'
s/^# Verify: memory/# Verify: memory node/|# Verify: node: unknown word; accepted: memory nodes shares limit
s/^# Verify/# Verifies/|# Verifies: unknown field; accepted: Is Nodes Policy Policies Uses Verify Price
s/$/\r/|# Is: free : unknown word; accepted: limited disk compressed bound spills divided direct free moves hidden
/^# Is: /d|the line '# Is: WORD...' is missing at its beginning; add it
END
}
