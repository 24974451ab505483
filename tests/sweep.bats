#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A run of a plan: points of a swept setting, and what a resumed run takes from its plan.tsv.
# slow

load helper

prepare() {
  local base
  base=$(ports_pick 2)
  untuned=(TUNE=off KERNEL=keep)
  # Settings of a run of two instances on this machine that does not tune it.
  WORDS=(SERVER=127.0.0.1 CLIENT_IP=127.0.0.1 INSTANCES=2 KEYS=300 VALUE_SIZES=100 REDISRUNS=1 REDISBASE="$base"
    REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results")
}

# Resume a run with its stored settings, so that it does not tune the machine either.
# Usage: resume RUN
resume() {
  local -a words=(run --trust --resume "$1")
  run_split "$REPO/do_it.sh" "${words[@]}"
}

@test "a run of two points of a swept setting sends what each says, and has it as a column of its plan; a run that goes on does what is missing" {
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" "${WORDS[@]}" SWEEP='PIPELINE=1,16 DATA=random'
  assert_contains "1 of 2: native, 2 instances, 300 keys of 100 B each, pipeline 1, data random, repeat 1" "$STDERR"
  assert_contains "2 of 2: native, 2 instances, 300 keys of 100 B each, pipeline 16, data random, repeat 1" "$STDERR"
  run=$(echo results/*)
  assert_equal "$(cells 'point pipeline' "$run/plan.tsv")" $'100B-2i-pipeline1-datarandom 1\n100B-2i-pipeline16-datarandom 16'
  for point in 1 16; do
    assert_equal "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["pipeline"] }' "$run/native/100B-2i-pipeline$point-datarandom/rep-1/127.0.0.1/result.tsv")" "$point"
    assert_equal "$(info_calls set "$run/native/100B-2i-pipeline$point-datarandom/rep-1/server/info.after")" 600
  done
  succeeds run_split "$REPO/summary2csv.sh" "$run"
  assert_equal "$(cells -c 'point pipeline data' <<<"$output" | sort -u)" \
    $'100B-2i-pipeline1-datarandom 1 random\n100B-2i-pipeline16-datarandom 16 random'

  # The recorded facts of the hosts give the same plan without the hosts.
  "$REPO/do_it.sh" plan --rows "${untuned[@]}" "${WORDS[@]}" SWEEP='PIPELINE=1,16 DATA=random' FACTS="$run" >again.tsv
  cmp "$run/plan.tsv" again.tsv

  # A resumed run follows the stored plan, here with a number of keys that differs from KEYS.
  rm -r "$run/native/100B-2i-pipeline16-datarandom/rep-1"
  sed -i '3s/\t300\t300\t/\t200\t200\t/' "$run/plan.tsv"
  TIERBENCH_RESULTS_DIR=$SCRATCH/results run "$REPO/do_it.sh" list
  assert_contains "1 of 2 repeats"
  made=$("$REPO/do_it.sh" --version) other=${made/tierbench ?/tierbench X}
  sed -i "s/tierbench ./tierbench X/" "$run/run.conf" "$run/native/100B-2i-pipeline1-datarandom/rep-1/server/plan.tsv"
  succeeds resume "$run"
  assert_contains "warning: --resume=$run: this is $made, and $other began the run; its repeats will be of several versions" "$STDERR"
  assert_contains "warning: several versions of the tool made the repeats, and may measure differently: $other (1); $made (1)"
  assert_contains "2 of 2: native, 2 instances, 200 keys of 100 B each, pipeline 16, data random, repeat 1" "$STDERR"
  assert_equal "$(info_calls set "$run/native/100B-2i-pipeline16-datarandom/rep-1/server/info.after")" 400
  succeeds resume "$run"
  assert_contains "every repeat of $run is complete: no host is used" "$STDERR"
  refute_contains checking "$STDERR"
  assert_contains "$run" "$STDERR"
}

@test "a plan that is not one of the run's settings is not gone on with" {
  mkdir -p results/one
  "$REPO/do_it.sh" plan --rows "${untuned[@]}" "${WORDS[@]}" SWEEP=PIPELINE=1,16 >plan.tsv
  # Usage: resumed WHAT; with the plan as it is
  resumed() {
    (cd "$SCRATCH" && printf '%s="%s"\n' SWEEP PIPELINE=1,16 SRV_OVERRIDE 2 SERVER_CORES 2 SERVER_MEM 8 >results/one/run.conf)
    # Another run on this machine has the usual LOCK_DIR.
    printf '%s\n' LOCK_DIR="$LOCK_DIR" "${untuned[@]}" "${WORDS[@]}" | sed 's/=\(.*\)/="\1"/' >>results/one/run.conf
    mkdir -p results/one/native
    cp results/one/run.conf results/one/native/variant.conf
    resume results/one
  }
  # tests/messages.tsv has a run without a plan, with other columns, and with rows of another length.
  for row in '2s/\tnative\t/\tother\t/' '3s/100B-2i-pipeline16/..\/elsewhere/' '3s/\t16\t/\tfast\t/' '3s/\t300\t/\t3e2\t/' '3s/\t300\t/\t3|4\t/'; do
    sed "$row" plan.tsv >results/one/plan.tsv
    fails 2 resumed
    assert_match 'plan\.tsv:[23]: not a row of a plan' "$STDERR" || fail "$row"
    [[ $STDERR != *"1 of 2"* ]] || fail "it was run: $row"
  done
  # Truncated at the line feed of a row, where the rest is a valid row, and at that of the header.
  for row in "3 -1" "1 $(head -n 1 plan.tsv | head -c -1 | wc -c)"; do
    head -c "${row#* }" plan.tsv >results/one/plan.tsv
    refuses 2 "plan.tsv:${row% *}: " resumed
    [[ $STDERR != *"1 of 2"* ]] || fail "it was run: $row"
  done
}

@test "a run whose plan cannot be written has no run.conf, with which it could be resumed, and no part of a plan" {
  fails 1 run modules '. "$LIB/cmd/run.sh"
    RESUME= SCENARIO=one RESULTS_DIR=results HOSTS_FILE= VARIANTS=native
    plan_enter() { :; }
    conf_print() { :; }
    plan_run_settings() { :; }
    # As on a full disk.
    plan_print() { echo number && return 1; }
    _run_folder'
  assert_exists results/*/native/variant.conf
  refute_exists results/*/run.conf
  refute_exists results/*/plan.tsv
}
