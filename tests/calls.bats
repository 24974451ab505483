#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Which files of the modules may call which: the layers of docs/architecture.md.

load helper

# Print what tools/calls.awk finds in these files: calls_graph FILE...
calls_graph() { awk -f "$REPO/tools/calls.awk" "$@" "$@"; }

@test "calls go one way: shared < core < plan and results < run < part < cmd, and no files call each other in a circle; the graph has what calls a function, and not what names it" {
  cd "$REPO"
  mapfile -t parts < <(find lib/part -name '*.sh' ! -name 'host*.sh' | sort)
  graph=$(calls_graph do_it.sh summary2csv.sh lib/{shared,core,plan,results,run,cmd}/*.sh "${parts[@]}")
  (($(wc -l <<<"$graph") > 500)) || fail "$graph"
  # A plan calls no host, MODULES=results does not load lib/plan, lib/run and lib/part, and MODULES=plan only lib/plan of these and lib/results.
  run grep -E "^([a-z]+: |lib/plan/[^ ]* (lib/core/(call|receive)\.sh|.* remote_(open|reach)\b)|(lib/cmd/(compare|kpi|noise|report|verify)|summary2csv)\.sh lib/(plan|run|part)/|lib/cmd/stop\.sh lib/(run|results|part)/)" <<<"$graph"
  [[ -z $output ]] || fail "call what is below, or pass its result as a parameter:"$'\n'"$output"
  cd "$BATS_TEST_TMPDIR"
  mkdir -p lib/core lib/run lib/odd
  # shellcheck disable=SC1003 # text
  printf '%s\n' 'a_one() {' '  b_one "${x#"b_two"}" # b_three' "  awk '" '    b_four()' "  ' \"b_five \$(b_six 'b_seven') b_eight\"" '  b_nine=1 x=b_ten' \
    "  trap 'b_twelve' INT" '  printf $'"'"'\'"'"'b_thirteen'"'" '}' >lib/core/a.sh
  printf 'b_%s() { :; }\n' one two three four five six seven eight nine ten twelve thirteen >lib/core/b.sh
  printf '%s\n' 'c_one() { a_one; }' 'c_two() { d_one; }' >lib/core/c.sh
  printf '%s\n' 'd_one() { c_one; }' >lib/run/d.sh
  printf '%s\n' "e_one() { a_one 'open; }" >lib/odd/e.sh
  prints "unread: lib/odd/e.sh
lib/core/a.sh lib/core/b.sh b_one b_six b_ten b_twelve
lib/core/c.sh lib/core/a.sh a_one
lib/core/c.sh lib/run/d.sh d_one
lib/odd/e.sh lib/core/a.sh a_one
lib/run/d.sh lib/core/c.sh c_one
up: lib/core/c.sh calls d_one of lib/run/d.sh
up: lib/odd/e.sh: its directory is not a layer
circle: lib/core/c.sh lib/run/d.sh" run calls_graph lib/*/*.sh
}

# Print the calls between the objects of the load generator, as pairs of caller and called; each object also with itself.
objects_graph() {
  nm -- "$1"/*.o | awk '
    /:$/ { sub(".*/", ""); sub("[.]o:$", ""); file = $0; print file, file; next }
    NF < 2 { next }
    $(NF - 1) ~ /^[TDBR]$/ { home[$NF] = file }
    $(NF - 1) == "U" { calls[file " " $NF] }
    END { for (call in calls) { split(call, part); if (part[2] in home) print part[1], home[part[2]] } }'
}

@test "files of the load generator call each other in one direction" {
  cd "$BATS_TEST_TMPDIR"
  make -s -C "$REPO" LOADGEN_OUT="$BATS_TEST_TMPDIR/objects" CFLAGS=-O0 "$BATS_TEST_TMPDIR/objects/test" >made 2>&1 || fail "$(<made)"
  objects_graph "$BATS_TEST_TMPDIR/objects" >graph
  grep -qx 'worker receive' graph || fail "$(<graph)"
  succeeds run tsort graph
}
