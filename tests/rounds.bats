#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# REDISRUNS=auto: when it checks, which figures are still open, the rate of false alarms after several checks, and disturbed repeats.

load helper
load logs

prepare() {
  FIGURES=$REPO/lib/results/figures
}

# Run the awk program PROGRAM with the functions of the statistics and the schedule.
# Usage: statistics PROGRAM [ARGUMENT...]
statistics() {
  local program=$1
  shift
  awk -f "$FIGURES/text.awk" -f "$FIGURES/stored.awk" -f "$FIGURES/interval.awk" -f "$FIGURES/decide.awk" -f "$FIGURES/schedule.awk" -f "$REPO/tests/random.awk" -f "$program" "$@"
}

# Print the output of rounds.awk for totals: lines VARIANT REPEAT OPS P99 [SEARCH [CLIENT_LIMITED [PHASE [UNANSWERED]]]] on stdin, of get without PHASE.
# SEARCH is `share` for the answer of a search for DRAM. Requests without an answer waited for 100 us or more.
# Usage: judged NAME=VALUE... <ROWS
judged() {
  {
    printf 'variant\toperation\trepeat\tmax_time\tops_per_sec\tp99_us\tsearch\tcapacity_ops_per_sec\tclient_limited\tunanswered\tat_least_us\tsearch_holds\n'
    awk -v OFS='\t' '{ print $1, ($7 == "" ? "get" : $7), $2, 10, $3, $4, $5, ($5 == "found" ? $3 : ""), $6, $8, ($8 ? 100 : ""), ($5 == "share" ? 40 : "") }'
  } | env VARIANTS="a b" PRECISION="2% ops p99" SMALLEST=2% REDISRUNS=auto:3..30 "$@" \
    SCHEMA="$REPO/lib/results/schema.tsv" awk -f "$FIGURES/text.awk" -f "$FIGURES/schema.awk" -f "$FIGURES/stored.awk" -f "$FIGURES/metric.awk" -f "$FIGURES/interval.awk" -f "$FIGURES/decide.awk" -f "$FIGURES/schedule.awk" -f "$FIGURES/bound.awk" -f "$FIGURES/rounds.awk" |
    tr '\t' '|'
}

@test "looks are few and of one level, which is 95 % when there is one look alone" {
  echo 'BEGIN {
    for (n = 1; n <= 30; n++) if (schedule_is_look(n, 3, 30)) printf "%d ", n
    print (schedule_level(3, 30) > 0.98), schedule_level(5, 5), schedule_next(0, 40, 30), schedule_next(30, 3, 30)
  }' >looks.awk
  prints "3 5 8 13 21 30 1 0.95 30 30" run statistics looks.awk
}

@test "of equal variants it calls 5 of 100 different at most; a look after each round at 95 % calls more than 20" {
  succeeds run statistics "$REPO/tests/rounds.awk" 2500 peek:3:30:5:0 schedule:3:30:5:0 schedule:3:10:5:0 schedule:3:30:5:10
  while read -r name wrong called rounds; do
    case $name in
      peek:*) want='called > 20' ;;
      *:0) want='called <= 5.5 && wrong <= 5.5' ;;
      # A difference is found, and a larger difference is found earlier.
      *:10) want='called > 99 && rounds < 12 && wrong <= 5.5' ;;
    esac
    awk -v called="$called" -v wrong="$wrong" -v rounds="$rounds" "BEGIN { exit !($want) }" || fail "$name: $wrong $called $rounds: not $want"
  done <<<"$output"
}

@test "a figure is closed when it is precise, the same, better or worse, and the run stops at a look" {
  # b has 90 % of the throughput and about the same p99.
  rows=$'a 1 1000 500\nb 1 900 500\na 2 1010 500\nb 2 909 501\na 3 990 501\nb 3 892 500'
  run judged ROUND=3 <<<"$rows"
  assert_line "closed|get throughput of b: 90.0 % of a, +-0.4 %, worse"
  assert_match 'closed\|get p99 latency of b: 100\.0 % of a, \+-[01]\.[0-9] %, same'
  assert_line "stop|1"
  # Between two checks, the run does not act on the result.
  run judged ROUND=4 <<<"$rows"$'\na 4 1000 500\nb 4 900 500'
  assert_line "stop|0|5"
  run judged ROUND=3 <<<"$rows"$'\na 4 1000 500\nb 4 1 1'
  assert_line "stop|1"
}

@test "an open figure tells how far it is and about how many rounds there will be; the last round stops all the same" {
  rows=$'a 1 1000 500\nb 1 1100 500\na 2 1000 500\nb 2 920 500\na 3 1000 500\nb 3 1000 500'
  run judged ROUND=3 <<<"$rows"
  assert_match 'open\|get throughput of b: 10[0-9.]+ % of a, \+-[0-9.]+ % \(wanted: \+-2\.0 %, or a verdict; about [0-9]+ rounds\)'
  assert_line "stop|0|5"
  run judged ROUND=3 REDISRUNS=auto:3..3 <<<"$rows"
  assert_match '(^|'$'\n'')open\|'
  assert_line "stop|1"
  run judged ROUND=1 <<<"$rows"
  assert_line "open|get throughput of b: too few repeats"
  assert_line "stop|0|3"
}

@test "a figure of a limited load generator, and a latency without answers, have the verdict of compare: only what their bounds support" {
  rows='a 1 1000 500 - 0 get 0
b 1 900 400 - 0 get 0
a 2 1001 501 - 0 get 0
b 2 901 401 - 0 get 0
a 3 1002 502 - 1 get 0
b 3 902 402 - 0 get 0'
  run judged ROUND=3 <<<"$rows"
  assert_match 'closed\|get throughput of b: 90\.0 % of a, [^,]*, worse'
  assert_match 'closed\|get p99 latency of b: 80\.. % of a, [^,]*, better'
  run judged ROUND=3 <<<"${rows/%0 get 0/1 get 7}"
  assert_match 'closed\|get throughput of b: 90\.0 % of a, [^,]*, client limited'
  assert_match 'closed\|get p99 latency of b: 80\.. % of a, [^,]*, unanswered'
  run judged ROUND=3 <<<"${rows/ 0 get 0/ 0 get 7}"
  assert_match 'closed\|get p99 latency of b: 80\.. % of a, [^,]*, better'
}

@test "one variant alone is judged by the interval of its mean; a figure that no repeat has holds nothing up, nor do steps of a figure: p99 of some microseconds" {
  run judged ROUND=3 VARIANTS=a <<<$'a 1 1000 \na 2 1001 \na 3 1002 '
  assert_match 'closed\|get throughput of a \+-0\.[0-9] %'
  assert_line "unknown|get p99 latency of a: too few repeats"
  assert_line "stop|1"
  run judged ROUND=3 PRECISION="2% p99" <<<$'a 1 0 10\nb 1 0 10\na 2 0 10\nb 2 0 10\na 3 0 10\nb 3 0 10'
  assert_output $'closed|get p99 latency of b: 100.0 % of a, +-0.0 %, same\nstop|1'
}

@test "populate is not evaluated beside a measured phase, also repeated; alone it is" {
  rows=$'a 1 50 9 - 0 populate\na 1 70 9 - 0 populate-2\na 2 90 9 - 0 populate\na 2 99 9 - 0 populate-2'
  run judged VARIANTS=a PRECISION="2% ops" ROUND=2 REDISRUNS=auto:2..30 <<<"$rows"$'\na 1 1000 500\na 2 1000 500'
  assert_output $'closed|get throughput of a +-0.0 %\nstop|1'
  run judged VARIANTS=a PRECISION="2% ops" ROUND=2 REDISRUNS=auto:2..30 <<<"$rows"
  assert_match 'open\|populate throughput of a .*open\|populate-2 throughput of a '
}

@test "latencies at loads that a search found, and figures of a limit that broke, are not evaluated" {
  rows=('a 1 1000 50' 'a 2 1010 60' 'a 3 990 55' 'b 1 500 90' 'b 2 505 91' 'b 3 495 89')
  run judged ROUND=3 < <(printf '%s\n' "${rows[@]}")
  assert_contains 'get p99 latency of b: '
  run judged ROUND=3 < <(printf '%s found\n' "${rows[@]}")
  assert_contains 'closed|get throughput of b: 50.0 % of a,'
  assert_contains 'unknown|get p99 latency of b: too few repeats'
  # A search for DRAM holds a part of the load that the other one found.
  run judged ROUND=3 < <(printf '%s found\n' "${rows[@]:0:3}" && printf '%s share\n' "${rows[@]:3}")
  assert_contains 'unknown|get throughput of b: too few repeats'
  assert_contains 'unknown|get p99 latency of b: too few repeats'
  run judged ROUND=3 < <(printf '%s share\n' "${rows[@]}")
  assert_contains 'closed|get throughput of b: 50.0 % of a,'
  assert_contains 'unknown|get p99 latency of b: too few repeats'
  # A rare stall breaks a limit, so a further repeat may have the figure.
  run judged ROUND=3 < <(printf '%s broken\n' "${rows[@]}")
  assert_contains 'open|get throughput of b: too few repeats'
  assert_contains 'stop|0|'
}

@test "compare uses the level of the looks within a run of REDISRUNS=auto, and of no other" {
  printf '%s\n' 'BEGIN { printf "%.4f (%s)\n", schedule_of("auto"), schedule_of("fixed") }' >level.awk
  mkdir auto fixed
  settings_make auto 'REDISRUNS="auto:3..30"'
  settings_make fixed 'REDISRUNS="5"'
  prints "$(awk 'BEGIN { printf "%.4f ()", 1 - 0.05 / 6 ^ 0.85 }')" run statistics level.awk
}

@test "a disturbed repeat is kept aside and run again, twice at most; other runs of repeats count as they are" {
  succeeds master "REDISRUNS=auto:3..30" '
    repeat_run() {
      mkdir "$1"
      printf "phase\thost\tc\ts\tu\ta\to\ts\tforeign\tsteal\tlimit\tover\npopulate\tserver\t2\t9\t0\t0\t0\t0\t99\t0\t10\t1\npopulate-2\tserver\t2\t9\t0\t0\t0\t0\t99\t0\t10\t1\nget\tserver\t2\t9\t0\t0\t0\t0\t42.5\t0.0\t10\t%s\n" "$DISTURBED" >"$1/foreign.tsv"
      echo run >>"$SCRATCH/runs"
    }
    DISTURBED=0 rounds_repeat calm
    DISTURBED=1 rounds_repeat noisy
    REDISRUNS=3 DISTURBED=1 rounds_repeat fixed'
  assert_equal "$(grep -c run runs)" 5
  assert_equal "$(find . -maxdepth 1 -name '*.disturbed-*' | wc -l)" 2
  assert_exists calm noisy fixed
  assert_contains "disturbed (get: others used 42.5 % of a CPU, the hypervisor took 0.0 %): kept as noisy.disturbed-" "$STDERR"
  assert_contains "it counts, as it was run 3 times" "$STDERR"
}

@test "plan prints repeats and times as a range, in hours if long" {
  words=(-s wsf-static-multi-node SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=2 SERVER_MEM=64 PLACEMENT=none REDISRUNS=auto)
  succeeds run_plan "${words[@]}"
  assert_contains "3-30 repeat(s)"
  assert_match '100B-1i .* 3-30 +20\.1 min to 3\.3 h'
  # What it says is what a run has: with the limits and the figures that were left out.
  run_plan --settings "${words[@]}" PRECISION=1%
  assert_equal "$(awk -F '\t' '$1 == "-" && $3 ~ /^(REDISRUNS|PRECISION)$/ { print $4 }' <<<"$output" | paste -sd ,)" 'auto:3..30,1% ops p99'
}
