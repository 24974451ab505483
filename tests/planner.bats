#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The planner in awk (lib/plan/plan.awk): plans of tests/planner.tsv, with both kinds of awk, compared with those of lib/plan/plan.sh.
# shellcheck disable=SC2154 # stderr is set by run_split

load helper

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

# Write the facts that the plans have.
planner_facts() {
  printf 'cpus\t8\nmem_gib\t31\nmem_bytes\t33285996544\nmem_available_bytes\t30000000000\n' >t
  printf 'topology\t%s\n' {0,1},0,0,0 {2,3},1,0,0 {4,5},2,1,1 {6,7},3,1,1 '# node 2 has memory and no CPU' \
    '# node 3 has memory and no CPU, faster than DRAM' >>t
  { cat t && printf 'topology\t# isolated 2-5,7\n'; } >i
  sed 's/33285996544/4294967296/; s/^mem_gib.*/mem_gib\t4/' t >c
  printf 'topology\t# node 2 has memory that processes may not use\nlimit\tmemory\t4294967296\t/a\nlimit\tquota\t250\t/a\n' >>c
  printf 'keycost\t1000\t%s\n' $'table\t7' $'base\t1130000' $'cost\t3\t1180.5' $'cost\t8\t1184.25' >>c
}

# Make every plan in one process with both planners: NAME.old, and NAME.AWK/plan.tsv of each awk.
planner_both() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  bash -c 'set -Eeuo pipefail
    ROOT=$REPO LIB=$REPO/lib
    . "$LIB/modules.sh"
    cleanup_init
    alias_read "$ROOT/conf/aliases.tsv"
    conf_defaults "$ROOT/conf/defaults.conf"
    conf_file block "$ROOT/do_it.sh" "# >>> settings" "# <<< settings"
    . "$LIB/cmd/plan.sh"
    planner_one() {
      local name=$1 awk
      shift
      cmd_plan --rows "$@" >"$name.old" 2>"$name.err"
      plan_ignored >"$name.notes"
      for awk in mawk gawk; do
        mkdir "$name.$awk"
        PATH=$SCRATCH/$awk:$PATH
        hash -r
        planner_run "$name.$awk"
        [[ -z $PLANNER_NOTES ]] || printf "%s\n" "$PLANNER_NOTES"
      done >"$name.noted"
    }
    while IFS=$'"'\\t'"' read -r name words; do
      [[ $name != "#"* ]] || continue
      mapfile -t words < <(printf "%s\n" SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 && tr " ~" "\n " <<<"$words")
      (planner_one "$name" "${words[@]}" </dev/null) || { cat "$name.err"; exit 1; }
    done <"$REPO/tests/planner.tsv"'
}

@test "both planners make the same plans, with mawk and gawk, and note the same settings without effect" {
  local awk old bad=''
  need_command gawk
  planner_facts
  for awk in mawk gawk; do
    mkdir "$awk"
    ln -s "$(command -v "$awk")" "$awk/awk"
  done
  planner_both
  for old in *.old; do
    for awk in mawk gawk; do
      # The new columns are the last ones.
      awk -F '\t' -v OFS='\t' '{ NF -= 5; print }' "${old%.old}.$awk/plan.tsv" | cmp -s - "$old" || bad+=" ${old%.old}.$awk"
      cmp -s "${old%.old}.mawk/settings.tsv" "${old%.old}.$awk/settings.tsv" || bad+=" ${old%.old}.$awk/settings"
    done
    cat "${old%.old}".notes{,} | cmp -s - "${old%.old}.noted" || bad+=" ${old%.old}.notes"
  done
  [[ -z $bad ]] || fail "different:$bad"
  (($(cat -- *.old | wc -l) > 300))
  # A point has the settings that it changes, and where they come from.
  assert_contains \
    $'native\t100B-2i-neighbour0-keys1000-keymax100-placementspread\tKEY_MAX\t100\tcommand line: SWEEP' "$(sort sweep.mawk/settings.tsv)"
}
