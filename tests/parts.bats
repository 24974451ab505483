#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Parts of a run at its points (lib/run/parts.sh, docs/parts.md).

load helper

# Run code with the parts one and two on the servers a and b, whose scripts answer with their words. The calls of a server are in calls.SERVER.
# Usage: parts CODE   Sets: as run_split does
parts() {
  cat >parts.sh <<'END'
set -Eeuo pipefail
ROOT=$REPO LIB=$REPO/lib RESUME=
. "$LIB/modules.sh"
conf_word argument 'SERVER=a b' test
conf_read
cleanup_init
_REMOTE_TMP=$PWD
PARTS=(one two)
one_wanted() { :; }
two_wanted() { :; }
one_at_up() { parts_ask up; }
one_at_load() { parts_ask load "$@"; }
one_at_start() { parts_ask start "$@"; }
one_at_stop() { parts_ask stop "$@"; }
one_at_done() { parts_ask done "$@"; }
two_at_up() { parts_ask up; }
two_at_instances() { parts_ask instances; }
two_at_load() { parts_ask load "$@"; }
two_at_start() { parts_ask start "$@"; }
two_at_stop() { parts_ask stop "$@"; }
two_at_done() { parts_ask done "$@"; }
one_got_load() { echo "one of a: ${PART_SAID[a]}, one of b: ${PART_SAID[b]}" >>got; }
two_lost_start() { echo "two is lost on $1 before $2" >>got; }
call_several() {
  local host=$1 call
  CALL_STATUS=() CALL_OUT=()
  for call in "${@:2}"; do
    call=${call//$'\t'/ }
    printf '%s, ' "$call" >>"calls.$host"
    CALL_STATUS+=(0) CALL_OUT+=("$host $call")
    [[ "$host $call" == "$REFUSED"* ]] || continue
    CALL_STATUS[-1]=1 CALL_OUT[-1]=
    [[ -z ${CHAIN-} ]] || break
  done
  echo >>"calls.$host"
}
call_chain() { CHAIN=yes call_several "$@"; }
REFUSED=nothing
repeat() {
  parts_begin .
  parts_at 'up instances' || return
  parts_phase 'stop load mark start' populate && parts_phase 'stop load mark start' get && parts_phase 'stop load mark start' set || return
  parts_at 'stop mark done' end
}
END
  printf '%s\n' "$1" >>parts.sh
  run_split timeout 60 bash parts.sh
}

@test "one call for each server and point, whatever is on; what began first ends last, and load is there once" {
  succeeds parts repeat
  assert_equal "$(sed 's/ $//' calls.a)" 'one up, two up, two instances,
one start populate, two start populate,
two stop get, one stop get, one load get, two load get, one start get, two start get,
two stop set, one stop set, one start set, two start set,
two stop end, one stop end, two done end, one done end,'
  assert_equal "$(<calls.b)" "$(<calls.a)"
  assert_equal "$(<got)" 'one of a: a one load get, one of b: b one load get'
}

@test "a part that fails is named, and the repeat with it, unless the part can be lost; what has not begun does not end" {
  parts 'REFUSED="b one load"; repeat || echo "failed: $PARTS_WHY"; parts_at "stop mark done" end'
  assert_output 'failed: one'
  # It had begun before the instances.
  assert_equal "$(tail -n 1 calls.b)" 'two stop end, one stop end, two done end, one done end, '
  parts 'REFUSED="b one up"; repeat || echo "failed: $PARTS_WHY"; parts_at "stop mark done" end'
  assert_output 'failed: one'
  assert_equal "$(tail -n 1 calls.b)" 'one up, '
  succeeds parts 'REFUSED="b two start get"; repeat'
  assert_equal "$(tail -n 1 got)" 'two is lost on b before get'
}

@test "a part that only asks when a phase has ended does so once for each phase that has begun" {
  local code='PARTS+=(three); three_wanted() { :; }; three_at_stop() { parts_ask stop "$PARTS_PHASE"; }'
  succeeds parts "$code; repeat"
  assert_equal "$(grep -o 'three [a-z ]*' calls.a)" $'three stop populate\nthree stop get\nthree stop set'
  rm calls.a calls.b
  parts "$code"'; REFUSED="b one start get"; repeat || parts_at "stop mark done" end'
  assert_equal "$(grep -o 'three [a-z ]*' calls.a)" 'three stop populate'
}

@test "a repeat that is not measured has only what is there before the instances" {
  succeeds parts 'repeat() { parts_begin "" three; parts_at up; parts_phase "stop load mark start" get; }; repeat'
  assert_equal "$(cat calls.a calls.b)" $'one up, two up, \none up, two up, '
}

@test "no other file of lib names a figure, a function or a file of a part" {
  cd "$REPO"
  words=$(
    grep -v '^#' lib/part/list | while read -r part; do
      cut -s -f 2 "lib/part/$part/columns.tsv" 2>/dev/null | grep _
      grep -ohE "^(function )?_?${part}_[a-z_]+\(" lib/part/"$part"/*.{awk,sh} 2>/dev/null | sed 's/^function //; s/($//'
      printf 'part/%s\n' "$part"
    done | sort -u
  )
  (($(wc -l <<<"$words") > 50)) || fail "$words"
  # A column of the plan is that of its axis. The plots of searches and of hit ratios are drawn with those that all runs have.
  found=$(grep -rnwF "$words" lib/results lib/core lib/plan | grep -v '^lib/plan/axes.tsv:\|^lib/results/plot/\(search\|detail\|time\).awk:') || :
  [[ -z $found ]] || fail "move it to the directory of the part, or let the part set a column of lib/results/schema.tsv:"$'\n'"$found"
  words=$(
    grep -v '^#' lib/part/list | while read -r part; do
      grep -ohE "^_?(host_)?${part}_[a-z_]+\(" lib/part/"$part"/*.sh 2>/dev/null | sed 's/($//'
      printf '%s\n' "part/$part" "$part.part"
      # The setting that turns it on.
      sed -n 's/^setting	//p' "lib/part/$part/part.tsv" 2>/dev/null
    done | sort -u
  )
  (($(wc -l <<<"$words") > 50)) || fail "$words"
  found=$(grep -rnwF "$words" do_it.sh lib/{run,cmd,host,shared,settings,tier} | grep -vE ':[[:space:]]*#') || :
  [[ -z $found ]] || fail "let the part do it at a point (docs/parts.md):"$'\n'"$found"
}
