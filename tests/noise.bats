#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Why measurements that are alike differ: components of variance, their intervals, and what `noise` prints of runs whose noise is known.

load helper

# Run awk with the programs that find components: nested_awk ARGUMENT...
nested_awk() {
  local folder=$REPO/lib/results/figures
  awk -f "$folder/interval.awk" -f "$folder/nested.awk" -f "$REPO/tests/random.awk" "$@"
}

# Make runs of known noise, runs/run-1 and so on: known_make SEED RUNS STARTS PHASES SECONDS MODEL [SLOWER], as tests/noise.awk explains.
known_make() {
  local run start
  for ((run = 1; run <= $2; run++)); do
    for ((start = 1; start <= $3; start++)); do mkdir -p "runs/run-$run/native/1000B-2i/rep-$start/127.0.0.1"; done
  done
  awk -v dir=runs -v seed="$1" -v runs="$2" -v starts="$3" -v phases="$4" -v seconds="$5" -v model="$6" -v slower="${7-0}" -f "$REPO/tests/random.awk" -f "$REPO/tests/noise.awk"
}

# Print FIGURE LEVEL COLUMN... of the CSV of a noise: columns CSV FIGURE COLUMN...
columns() {
  cells -c -w metric="$2" "level ${*:3}" "$1"
}

@test "components of variance are those that are published for the calcium of turnip leaves" {
  # Snedecor and Cochran, Statistical Methods: 4 plants, 3 leaves of each, 2 samples of each.
  cat >calcium.awk <<'END'
BEGIN {
  n = split("3.28 3.09 3.52 3.48 2.88 2.80 2.46 2.44 1.87 1.92 2.19 2.19 2.77 2.66 3.74 3.44 2.55 2.55 3.78 3.87 4.07 4.12 3.31 3.31", nested_y, " ")
  for (k = 1; k <= n; k++) {
    nested_group[k, 1] = int((k - 1) / 6)
    nested_group[k, 2] = int((k - 1) / 2)
    nested_group[k, 3] = k
  }
  nested_fit(n, 3, 0, 1, 1)
  for (l = 1; l <= 3; l++) printf "%d %.5f\n", nested_df[l], nested_component[l]
}
END
  run nested_awk -f calcium.awk
  assert_output $'3 0.36522\n8 0.16106\n12 0.00665'
}

@test "components are unbiased, also of unequal groups, and an interval of 95 % contains the true one in 93 to 97 %" {
  cat >trials.awk <<'END'
# Each run has 3 starts and each start 3 phases; if they are uneven, each second run has another start, and each third start has one phase.
function trial(uneven,    a, b, c, n, run, start) {
  n = 0
  for (a = 1; a <= 6; a++) {
    run = 2 * gauss()
    for (b = 1; b <= 3 + (uneven && a % 2); b++) {
      start = run + gauss()
      for (c = 1; c <= (uneven && b % 3 == 0 ? 1 : 3); c++) {
        nested_y[++n] = start + 1.5 * gauss()
        nested_group[n, 1] = a
        nested_group[n, 2] = a SUBSEP b
        nested_group[n, 3] = n
      }
    }
  }
  nested_fit(n, 3, 0, 1, 1)
}
BEGIN {
  seed = 20261128
  split("4 1 2.25", truth, " ")
  for (uneven = 0; uneven <= 1; uneven++) {
    trials = uneven ? 300 : 1000
    for (l = 1; l <= 3; l++) sum[l] = squares[l] = inside[l] = 0
    for (t = 1; t <= trials; t++) {
      trial(uneven)
      for (l = 1; l <= 3; l++) {
        sum[l] += nested_component[l]
        squares[l] += nested_component[l] ^ 2
        inside[l] += nested_low[l] <= truth[l] && nested_high[l] >= truth[l]
      }
    }
    for (l = 1; l <= 3; l++) {
      mean = sum[l] / trials
      off = (mean - truth[l]) / sqrt((squares[l] / trials - mean * mean) / trials)
      covered = 100 * inside[l] / trials
      if (off < -3 || off > 3 || covered < 93 || covered > 97.5) print uneven, l, mean, off, covered
    }
  }
}
END
  run nested_awk -f trials.awk
  assert_output ''
}

@test "noise finds the components of two runs whose noise is known, and says which is the largest" {
  known_make 4 2 8 3 30 '.02 .06 .02 .04 .5 0 .05'
  succeeds run_split "$REPO/do_it.sh" noise --format=csv runs/run-1 runs/run-2
  printf '%s\n' "$output" >csv
  # A phase of 30 seconds whose neighbours have the correlation 0.5 is worth about 10.5 independent ones: 4 % / sqrt(10.5) = 1.23 %.
  run awk -v truth='run 2 start 6 phase 2 second 1.23 instance 0 instance-in-a-start 5' '
    BEGIN { n = split(truth, word, " "); for (i = 1; i < n; i += 2) true_of[word[i]] = word[i + 1] }
    { sub(/instance in a start/, "instance-in-a-start") }
    { seen[$1]++ }
    true_of[$1] < $2 || true_of[$1] > $3 { print }
    END { for (level in true_of) if (!seen[level]) print level " is missing" }' < <(columns csv ops_per_sec low_percent high_percent)
  assert_output ''
  run columns csv p99_us level
  assert_output $'run run\nstart start\nphase phase\nsecond second'
  run_split "$REPO/do_it.sh" noise runs/run-1 runs/run-2
  assert_match $'\nGET, ops/s: [89][0-9] % of the variance comes from the start; what helps: more starts \\(REDISRUNS\\)\n'
  assert_match 'second +1\.[0-9]+ % .* 30 in each phase, worth (9|1[0-2])[.0-9]* independent ones; one spreads by [34]\.'
}

@test "seconds do not outweigh what phases spread by" {
  # In phases of five seconds, the correlation of 0.95 is that of the whole phase: alone, seconds seem to explain more than all that phases spread by.
  known_make 7 1 6 3 5 '0 .1 0 .1 .95 0 0'
  succeeds run_split "$REPO/do_it.sh" noise --format=csv runs/run-1
  assert_match '^start' "$(columns - p99_us share_percent <<<"$output" | sort -k 2,2nr | sed 1q)"
  # The mean of 1.5 and 0.5, by their degrees of freedom, is 1; what is left explains it by the correlation.
  cat >pool.awk <<'END'
BEGIN {
  noise_within = 1.5
  nested_mean_square[3] = 0.5
  noise_within_df = nested_df[3] = 10
  noise_second = 3
  noise_length = 10
  noise_pool()
  printf "%g %g %g %g %.4f\n", noise_within, noise_within_df, noise_second, noise_worth, noise_second * noise_mean_variance(noise_correlation, 10)
}
END
  run modules 'figures_run interval nested margin totals noise -- -f pool.awk </dev/null'
  assert_output '1 20 2.5 2.5 1.0000'
}

@test "noise of one run with one phase in each start names the levels that lack groups" {
  known_make 5 1 3 1 2 '0 .05 0 .01 0 0 0'
  succeeds run_split "$REPO/do_it.sh" noise --format markdown runs/run-1
  assert_match $'\\| ops/s \\| run \\| - \\| - \\| - \\| 1 run \\|\n'
  assert_match $'\\| ops/s \\| start \\| [0-9.]+ % \\| [^|]+ \\| 100\\.0% \\| 3 starts \\|\n'
  assert_match $'\\| ops/s \\| phase \\| - \\| - \\| - \\| 1 in each start \\|\n'
  assert_match $'\\| ops/s \\| second \\| - \\| - \\| - \\| no series of five intervals in each phase \\|\n'
  assert_contains 'A level without a spread lacks groups: what it adds is in the level above.'
  rm -r runs/run-1/native/1000B-2i/rep-[23]
  run_split "$REPO/do_it.sh" noise runs/run-1
  assert_equal "$status" 1
  assert_contains 'no phase was measured twice' "$STDERR"
}

@test "the last screen and the page have the noise of a run with repeated phases in three starts, and of no other" {
  known_make 7 1 3 2 5 '0 .05 .01 .01 0 0 0'
  tables='result_totals runs/run-1 | FORMAT=lines tables_print runs/run-1'
  modules_run "$tables"
  assert_contains $'\ntitle\tNoise: '
  rm runs/run-1/native/1000B-2i/rep-*/*/get-2.*
  sed -i '/^get-2/d' runs/run-1/native/1000B-2i/rep-*/*/result.tsv
  sed -i '/get-2/d' runs/run-1/native/1000B-2i/rep-*/*/redis.log.*
  succeeds modules_run "$tables"
  refute_contains 'Noise: '
}

@test "a cause is named if the slow starts have it, and none if nothing recorded explains them or there are too few" {
  known_make 12 1 9 2 5 '0 .03 .02 .01 0 0 0' .3
  succeeds run_split "$REPO/do_it.sh" noise --causes runs/run-1
  assert_match $'\nGET +ops/s +start +CPU time of other programs +-0\\.[89][0-9] .* [0-9.]+ % +10[0-9.]+ % +[0-9.]+% +0\\.0[0-4]'
  refute_contains 'CPU time of other machines'
  rm -r runs
  known_make 13 1 9 2 5 '0 .10 .02 .01 0 0 0'
  succeeds run_split "$REPO/do_it.sh" noise --causes runs/run-1
  assert_equal "$(grep -c 'start  nothing recorded explains it; the nearest of 2: ' <<<"$output")" 3
  rm -r runs/run-1/native/1000B-2i/rep-[4-9]
  run_split "$REPO/do_it.sh" noise --causes runs/run-1
  assert_match $'\nGET +ops/s +start +3 starts: too few to tell '
}

@test "rows have what the server did in a phase: memory, clock, temperature, cores and interrupts" {
  known_make 1 1 1 1 3 '0 0 0 0 0 0 0'
  mkdir runs/run-1/native/1000B-2i/rep-1/server
  printf '%s\n' $'phase\tscope\tcounter\tbefore\tafter' $'get\thost\ttime_us\t1000000\t5000000' $'get\thost\thuge\t0\t4194304' $'get\thost\tpswpin\t10\t12' \
    $'get\thost\tpswpout\t5\t10' $'get\thost\tpressure_some_us\t100\t1000100' \
    $'get\tcpus\tclock_khz\t500000\t5500000' $'get\tcpus\tclock_samples\t1\t3' $'get\tcpus\theat_mdeg\t0\t103000' $'get\tcpus\theat_samples\t0\t2' \
    $'get\tcpus\tmilli_cores\t2000\t7000' $'get\tcpus\tcore_samples\t1\t5' \
    $'get\tcpus\ttime_us\t1000000\t5000000' $'get\tcpus\tinterrupts\t100\t1300' >runs/run-1/native/1000B-2i/rep-1/server/counters.tsv
  run_split "$REPO/summary2csv.sh" --json runs/run-1
  assert_contains '"host_huge_bytes": 4194304, "host_swapped_pages": 7, "memory_stall_percent": 25,' "$output"
  assert_contains '"cpu_mhz": 2500, "cpu_temperature_c": 51.5, "instance_cores": 1.25, "interrupts_per_sec": 300}'
}

@test "the chance to find a difference, and the repeats that it takes, are those of simulated comparisons" {
  cat >simulated.awk <<'END'
function found(n, spread, difference, level,    t, i, r, hits) {
  for (t = 1; t <= 4000; t++) {
    for (i = 1; i <= n; i++) r[i] = (1 + difference) * exp(spread * (gauss() - gauss()))
    interval_paired(r, n, level)
    hits += interval_low > 1
  }
  return hits / 4000
}
BEGIN {
  seed = 77
  n = split("3:.02:.95 5:.01:.95 8:.02:.989 20:.02:.95", case_of, " ")
  for (i = 1; i <= n; i++) {
    split(case_of[i], part, ":")
    off = found(part[1], part[2], .02, part[3]) - power_chance(part[1], part[2], .02, part[3])
    if (off < -.025 || off > .025) print case_of[i], off
    k = power_repeats(.8, part[2], .02, part[3])
    off = found(k, part[2], .02, part[3])
    if (off < .78 || found(k - 1, part[2], .02, part[3]) > .82) print case_of[i], k, off
  }
  print power_repeats(.8, 1, .02, .95), power_chance(2, .001, .02, .95)
}
END
  run nested_awk -f "$REPO/lib/results/figures/power.awk" -f simulated.awk
  assert_output '0 0'
}

@test "plan says what the repeats find, by the newest run of the scenario on the server that has three starts" {
  known_make 4 4 8 3 30 '0 .01 .005 .04 .5 0 0'
  # The first has another server, the second is the one, the third another scenario, the last two starts.
  local number=0 words run
  for words in '203.0.113.1 noise' '127.0.0.1 noise' '127.0.0.1 demo' '127.0.0.1 noise'; do
    run=runs/2025010$((number + 1))T100000Z-noise
    mv runs/run-$((++number)) "$run"
    printf -- '-\t-\tSERVER\t%s\tx\n-\t-\tSCENARIO\t%s\tx\n' "${words% *}" "${words#* }" >"$run/settings.tsv"
  done
  rm -r "$run"/native/1000B-2i/rep-[3-8]
  local -a planned=(-s noise RESULTS_DIR="$PWD/runs" SERVER_CORES=2 SERVER_MEM=8 FACTS=lscpu)
  printf '%s\n' 0,0,0,0 1,1,0,0 >lscpu
  succeeds run_plan "${planned[@]}" SMALLEST=2%
  assert_match $'\nPower: a difference of 2 % between two variants, by the noise of 20250102T100000Z-noise\n'
  # One repeat spreads by 1.6 %: sqrt(1 + 0.25 + 1.5).
  assert_match $'\nGET +ops/s +1\\.[0-9]+ % +[1-9][0-9] of 100 +[0-9]+ - [0-9]+ +[0-9]+ +[0-9]+\n'
  assert_contains '8 repeats find it'
  run_plan "${planned[@]}" SMALLEST=2% REDISRUNS=auto:3..30 TIME=0
  assert_contains '30 repeats find it'
  refute_contains '80 % with TIME'
  run_plan "${planned[@]}"
  refute_contains Power
  run_plan "${planned[@]}" --noise "$run"
  assert_contains "by the noise of ${run##*/}"
  rm -r runs/20250102*
  run_plan "${planned[@]}" SMALLEST=2%
  assert_contains 'power    unknown: no run of this scenario and server with three starts'
}
