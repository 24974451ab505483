#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Comparisons of two sides by runs that take turns: the order of trials, what counts, the verdict, and what the printed number of trials finds.
# slow

load helper

prepare() {
  untune
  export TIERBENCH_RESULTS_DIR=$SCRATCH/results
  printf '%s\n' LIKE=demo INSTANCES=1 REDISRUNS=1 KEYS=500 VALUE_SIZES=100 'PHASES="set get"' VARIANTS=native >old.conf
  { cat old.conf && echo LABEL=new; } >new.conf
}

# Sets: ledger, the directory of the one ledger
ledger_find() { ledger=$(echo "$SCRATCH"/results/ab/*); }

# Write a ledger of PAIRS pairs whose runs are known: figures of tests/noise.awk, two starts each.
# Usage: ledger_known PAIRS   Sets: ledger
ledger_known() {
  local run trial
  "$REPO/do_it.sh" ab --seed 7 --trials "$1" old.conf new.conf >made 2>&1
  ledger_find
  for ((run = 1; run <= 2 * $1; run++)); do mkdir -p "$ledger/runs/run-$run/native/1000B-2i/rep-"{1,2}/127.0.0.1; done
  awk -v dir="$ledger/runs" -v seed=11 -v runs=$((2 * $1)) -v starts=2 -v phases=1 -v seconds=3 -v model='.02 .03 .01 .02 0 0 0' -f "$REPO/tests/random.awk" -f "$REPO/tests/noise.awk"
  for ((trial = 1; trial <= 2 * $1; trial++)); do
    run=$ledger/runs/20250101T0000$((trial + 10))Z-x
    mv "$ledger/runs/run-$trial" "$run"
    (cd "$run" && find . -type f -printf '%P\0' | xargs -0 sha256sum) >sums
    mv sums "$run/SHA256SUMS"
    sed -i "s/^$trial\t\(.*\)\t-\t-\t-\t-$/$trial\t\1\t${run##*/}\t6.1\tboot-$((trial % 3))\t7.0.15 abc/" "$ledger/ledger.tsv"
  done
}

# Count copies of the run of the first trial as those of later ones: ledger_copy TRIAL...
ledger_copy() {
  local trial run rest
  IFS=$'\t' read -r _ _ _ run rest < <(sed -n 3p "$ledger/ledger.tsv")
  for trial; do
    cp -r "$ledger/runs/$run" "$ledger/runs/$run-$trial"
    sed -i "s/^$trial\t\(.*\)\t-\t-\t-\t-$/$trial\t\1\t$run-$trial\t$rest/" "$ledger/ledger.tsv"
  done
}

@test "each pair has both sides, of two pairs each side is first in one, a seed repeats the order, and settings are kept" {
  shows $'\nnew: LABEL="new"\n' run_split "$REPO/do_it.sh" ab --seed 7 --trials 40 old.conf new.conf RATE=100
  assert_contains 'chance   unknown'
  ledger_find
  assert_equal "$(head -n 1 "$ledger/ledger.tsv")" '# seed 7, 80 trials of old and new'
  prints '' run awk -F '\t' 'NR > 2 {
      side[NR % 2] = $3
      first[$2] = first[$2] == "" ? $3 : first[$2]
      if ($1 % 2 == 0 && side[0] == side[1]) print "pair " $2
      if ($1 % 4 == 0 && first[$2] == first[$2 - 1]) print "pairs to " $2
      if ($1 % 4 == 1) count[$3]++
    } END { if (count["old"] < 4 || count["new"] < 4) print "not random" }' "$ledger/ledger.tsv"
  modules_run 'ledger_order 7 40 old new'
  assert_equal "$output" "$(sed 1,2d "$ledger/ledger.tsv")"
  modules_run 'ledger_order 8 40 old new'
  [[ $output != "$(sed 1,2d "$ledger/ledger.tsv")" ]] || fail 'another seed, the same order'
  # Later edits of the files and other settings of the environment do not change a trial.
  echo RATE=5 >>new.conf
  assert_equal "$(grep '^RATE=' "$ledger"/{old,new}/variant.conf)" "$ledger/old/variant.conf:RATE=\"100\""$'\n'"$ledger/new/variant.conf:RATE=\"100\""
  run "$REPO/do_it.sh" ab --side
  assert_output "$(sed -n 3p "$ledger/ledger.tsv" | cut -f 3)"
  cp old.conf new.conf
  run_split "$REPO/do_it.sh" ab --trials 3 old.conf new.conf
  assert_contains 'the sides differ in no setting but LABEL: before each trial, boot the host' "$STDERR"
  # Names that are the same number, and names of files of a ledger.
  cp old.conf 6.1.conf
  cp old.conf 6.10.conf
  cp old.conf hosts.conf
  succeeds run_split "$REPO/do_it.sh" ab --trials 3 6.1.conf 6.10.conf RESULTS_DIR=versions
  shows 'hosts-A (base) and 6.1-B' run_split "$REPO/do_it.sh" ab --trials 3 hosts.conf 6.1.conf RESULTS_DIR=versions
  printf '%s\n' RATE=9 CONNECTIONS=2 >>new.conf
  run_split "$REPO/do_it.sh" ab --trials 3 ./old.conf ./new.conf RESULTS_DIR=others
  assert_contains 'the sides differ in CONNECTIONS, RATE: the verdict is about all of them together' "$STDERR"
}

@test "the verdict is that of the pairs of trials, whose repeats are one figure, in 72 columns" {
  ledger_known 5
  shows 'new against old: 5 pairs of trials in random order (seed 7)' run_split "$REPO/do_it.sh" ab
  assert_contains $'\nold: Redis 7.0.15 abc, Linux 6.1, 3 boots\n'
  assert_equal "$(sed -n '/^new against/,$p' <<<"$output" | awk 'length($0) > 72')" ''
  assert_contains "./do_it.sh compare --format html $ledger >ab.html" "$STDERR"
  succeeds run_split "$REPO/do_it.sh" compare --format csv "$ledger"
  found=$(cells -c -w metric=ops 'base other_repeats low_percent high_percent' <<<"$output")
  # The same from the rows of each run.
  "$REPO/summary2csv.sh" --total "$ledger"/runs/* | tr , '\t' | awk -F '\t' -v OFS='\t' '
    NR == FNR { pair[$4] = $2; side[$4] = $3; next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print pair[$at["run"]], side[$at["run"]], $at["ops_per_sec"] }' "$ledger/ledger.tsv" - >figures
  # shellcheck disable=SC2028 # of awk
  expected=$(awk -f "$REPO/lib/results/figures/interval.awk" -f <(echo '{ log_of[$1, $2] += log($3) / 2; n = $1 > n ? $1 : n }
    END { for (i = 1; i <= n; i++) r[i] = exp(log_of[i, "new"] - log_of[i, "old"]); interval_paired(r, n, .95); printf "old %d %.4f %.4f\n", n, 100 * interval_low, 100 * interval_high }') figures)
  assert_equal "$(awk '{ printf "%s %d %.2f %.2f\n", $1, $2, $3, $4 }' <<<"$found")" "$(awk '{ printf "%s %d %.2f %.2f\n", $1, $2, $3, $4 }' <<<"$expected")"
  # Rows of a ledger are those of a run of its sides.
  run "$REPO/summary2csv.sh" "$ledger"
  assert_equal "$(cells -c 'variant repeat' <<<"$output" | sort | uniq -c | awk '{ print $1 }' | sort -u)" 1
  # A run that was changed since has no verdict.
  row=$(sed -n 5p "$ledger/ledger.tsv")
  run=$(cut -f 4 <<<"$row")
  echo >>"$ledger/runs/$run/native/1000B-2i/rep-1/starts.tsv"
  fails 1 run_split "$REPO/do_it.sh" ab
  assert_contains "trial 3 of $(cut -f 3 <<<"$row"): $ledger/runs/$run: missing or changed since it was counted" "$STDERR"
}

@test "a look before the last trial is named, and a truncated or changed ledger is refused" {
  ledger_known 3
  cp "$ledger/ledger.tsv" whole
  sed -i '8s/\t2025[^\t]*\t.*/\t-\t-\t-\t-/' "$ledger/ledger.tsv"
  succeeds run_split "$REPO/do_it.sh" ab
  refute_contains reaches
  assert_contains "next: trial 6 of 6, side $(sed -n 8p whole | cut -f 3): ./do_it.sh ab --next $ledger" "$STDERR"
  warns '5 of 6 trials: a look before the last one finds differences that do not exist' run_split "$REPO/do_it.sh" compare "$ledger"
  while read -r line edit; do
    sed "$edit" whole >"$ledger/ledger.tsv"
    fails 2 run_split "$REPO/do_it.sh" ab
    assert_equal "$STDERR" "do_it.sh: $ledger/ledger.tsv:$line: truncated or changed; restore the file, or start a new comparison"
  done <<'END'
1 1s/trials/runs/
2 2s/boot/boots/
4 4s/old/x/; 4s/new/x/
4 3p
3 3,4d
7 $d
5 5s/2025/..\/2025/
6 5s/2025[^\t]*/-/
END
  head -c -3 whole >"$ledger/ledger.tsv"
  refuses 2 'ledger.tsv:end: truncated or changed' run_split "$REPO/do_it.sh" ab --next
}

@test "pairs of trials that the noise of earlier runs asks for find 2 % in 80 % of comparisons, and 0 % in 5 %, also with a drift" {
  local figures=$REPO/lib/results/figures
  run awk -v shape='3 1 1 1 0 0 3' -v trials=300 -v seed=3 -f "$figures/interval.awk" -f "$figures/nested.awk" -f "$figures/power.awk" -f "$REPO/tests/random.awk" -f "$REPO/tests/ab.awk"
  read -r _ _ _ _ _ _ _ pairs found _ none _ _ _ sides _ <<<"$output"
  # Three standard errors of 300 comparisons.
  awk -v found="$found" -v none="$none" -v sides="$sides" -v pairs="$pairs" 'BEGIN { exit !(found > 73 && none < 8.8 && sides > 40 && pairs >= 5) }' || fail "$output"
  # As the command prints it.
  ledger_known 3
  mapfile -t runs < <(for run in "$ledger"/runs/*; do printf -- '--noise\n%s\n' "$run"; done)
  succeeds run_split "$REPO/do_it.sh" ab "${runs[@]}" old.conf new.conf RESULTS_DIR=others SMALLEST=5% REDISRUNS=2 TIME=0
  assert_match $'\nGET +ops/s +[2-9][.0-9]* % +(8[0-9]) of 100 +[0-9]+\n'
  assert_match "trials   0 of $((2 * $(sed -n 's/^GET  *ops.* //p' <<<"$output")));"
  run_split "$REPO/do_it.sh" ab "${runs[@]:0:2}" --trials 4 old.conf new.conf RESULTS_DIR=others/x
  assert_contains 'One run does not show what other runs and boots add'
  assert_contains '4 pairs find it'
}

@test "a trial that is killed, fails, or is on another kernel is repeated, and never counts; the last one brings the verdict" {
  BASE=$(ports_pick 2)
  "$REPO/do_it.sh" ab --seed 3 --trials 3 old.conf new.conf REDISBASE="$BASE" >made 2>&1
  ledger_find
  whole=$(<"$ledger/ledger.tsv")
  job_start "$REPO/do_it.sh" ab --next
  wait_until 60 compgen -G "$ledger/runs/*/run.conf" || fail "$(<job.err)"
  refuses 2 "$ledger: another process runs a trial of it" run_split "$REPO/do_it.sh" ab --next
  kill -KILL -- "-$JOB_PID"
  job_wait 10
  assert_equal "$(<"$ledger/ledger.tsv")" "$whole"
  "$REPO/do_it.sh" stop >stopped 2>&1 || fail "$(<stopped)"
  # The run of a failed trial.
  redis_start -p "$BASE"
  run_split "$REPO/do_it.sh" ab --next
  [[ $status == [13] ]] || fail "$status $STDERR"
  assert_match 'trial 1, side [a-z]+: does not count: the run ended with status [13]; ./do_it.sh ab --next ' "$STDERR"
  assert_equal "$(<"$ledger/ledger.tsv")" "$whole"
  process_end "$REDIS_PID" "$(process_start "$REDIS_PID")"
  # A command line of the kernel that differs, in another order, or not known.
  mkdir -p {is,was,order,unknown,less}/env/h
  printf 'kernel.cmdline\t%s\n' 'root=/dev/a quiet thp=never' >is/env/h/env.tsv
  printf 'kernel.cmdline\t%s\n' 'root=/dev/a thp=always' >was/env/h/env.tsv
  printf 'kernel.cmdline\t%s\n' 'thp=always root=/dev/a' >order/env/h/env.tsv
  printf 'kernel.cmdline\t%s\n' 'root=/dev/a' >less/env/h/env.tsv
  modules_run 'for one in was order unknown; do trials_booted is "$one" "h other"; done; trials_booted order was h; trials_booted less was h'
  assert_output 'its kernel was started with "quiet thp=never", and had "thp=always"'$'\n''its kernel was started with "quiet thp=never", and had "thp=always"
its kernel was started with "", and had "thp=always"'
  # Settings of the environment are not those of the sides.
  TIERBENCH_KEYS=7 succeeds run_split "$REPO/do_it.sh" ab --next
  whole=$(<"$ledger/ledger.tsv")
  run cut -f 5-7 <<<"$(sed -n 3p "$ledger/ledger.tsv")"
  assert_match "^$(uname -r)"$'\t'"$(</proc/sys/kernel/random/boot_id)"$'\t[0-9.]+ [0-9a-f]+$'
  run cat "$ledger/runs/$(sed -n 3p "$ledger/ledger.tsv" | cut -f 4)/run.conf"
  assert_line 'KEYS="500"'
  # Both sides are the same machine, in the same state.
  run_split "$REPO/do_it.sh" ab --next
  assert_match 'warning: trial 2, side (old|new): its settings, kernel, programs and hardware are those of (old|new): ' "$STDERR"
  # The next trial of a side whose first one had another kernel: the fourth.
  ledger_copy 3
  sed -i "3s/\t$(uname -r)\t/\t5.0\t/" "$ledger/ledger.tsv"
  refuses 1 "does not count: the server has the kernel $(uname -r), and had 5.0; " run_split "$REPO/do_it.sh" ab --next
  sed -i "3s/\t5.0\t/\t$(uname -r)\t/" "$ledger/ledger.tsv"
  ledger_copy 4 5
  succeeds run_split "$REPO/do_it.sh" ab --all
  refute_contains 'kernel, programs and hardware' "$STDERR"
  assert_contains 'trials   6 of 6'
  assert_match $'\nnew reaches [0-9.]+ % .* of'
  prints '' run "$REPO/do_it.sh" ab --side
  matches '>old<.*Server: .*>new<' run "$REPO/do_it.sh" compare --format html "$ledger"
}
