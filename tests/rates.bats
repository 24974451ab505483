#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A rate over time: the requests of each second, in the load generator and in a run.
# slow

load helper
load loadgen

# Whether a series follows rates of FILE, lines SECOND RATE: no request is answered before its intended start, and none later than its latency. So
# the counts tell the schedule, at any speed of the machine. The unit tests have the exact counts.
# Usage: follows SERIES RATES LATENCY_US
follows() {
  awk -F '\t' -v late_us="$3" '
    function due(t,    i, sum) {
      for (i = 1; i <= n && from[i] < t; i++) sum += rate[i] * ((i < n && from[i + 1] < t ? from[i + 1] : t) - from[i])
      return sum
    }
    FNR == NR { from[++n] = $1; rate[n] = $2; next }
    FNR > 1 {
      sum += $2
      # A thread hands its counts over after the end of an interval, or with the next one.
      if (sum > due($1 + 0.5) + 2 || sum < due($1 - late_us / 1000000 - 0.5) - 2) { print "at " $1 ": " sum ", due " due($1); wrong = 1 }
    }
    END { exit wrong || FNR < 3 }' "$2" "$1"
}

@test "steps and a sine: each second has its requests, and latency counts from the intended start" {
  redis_start
  loadgen 1 --phases set 127.0.0.1 "$REDIS_PORT" 100 1000
  printf '%s\t%s\n' 0 100 1 900 2 200 >steps
  loadgen 2 --instances 1 --no-flush --phases get -c 5 --rate '100 900@1s 0.2k@2' --time 3 --interval 0.5 127.0.0.1 "$REDIS_PORT" 100 1000
  assert_equal "$(result get 'ops rate arrival latency_from')" '1200 400 uniform intended'
  follows out/get.series.tsv steps "$(us get max_us)" || fail "$(<out/get.series.tsv)"
  awk 'BEGIN { for (i = 0; i < 60; i++) printf "%.3f\t%.6f\n", i / 20, 500 + 400 * sin(2 * 3.14159265358979 * ((i + 0.5) / 60 + 0.75)) }' >sine
  loadgen 2 --instances 1 --no-flush --phases get -c 5 --rate 'sine 100..900 3s phase=0.75' --time 3 --interval 0.5 127.0.0.1 "$REDIS_PORT" 100 1000
  assert_equal "$(result get 'ops rate')" '1500 500'
  follows out/get.series.tsv sine "$(us get max_us)" || fail "$(<out/get.series.tsv)"
  # A warm-up has the first rate: 100 requests in its second.
  redis-cli -p "$REDIS_PORT" config resetstat >/dev/null
  loadgen 1 --no-flush --phases get -c 5 --rate '100 900@1s' --arrival poisson --time 2 --warmup 1 127.0.0.1 "$REDIS_PORT" 100 1000
  assert_equal "$(result get ops) $(calls get)" '1000 1100'
}

@test "a run divides rates over its instances, and keeps their text and mean" {
  untune
  succeeds run_split "$REPO/do_it.sh" run -s demo REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$(ports_pick 2)" \
    INSTANCES=2 KEYS=500 VALUE_SIZES=100 REDISRUNS=1 PHASES='populate get' TIME=3 INTERVAL=0.5 RATE='100 900@1s 0.2k@2' ARRIVAL=uniform -v native
  rep=$(echo "$SCRATCH"/results/*/native/100B-2i/rep-1)
  printf '%s\t%s\n' 0 100 1 900 2 200 >steps
  assert_equal "$(result get ops "$rep/127.0.0.1") $(result get rate "$rep/127.0.0.1")" '1200 400'
  follows "$rep/127.0.0.1/get.series.tsv" steps "$(us get max_us "$rep/127.0.0.1")" || fail "$(<"$rep/127.0.0.1/get.series.tsv")"
  assert_contains 'RATE="100 900@1 200@2"' "$(<"$rep/../../../run.conf")"
}

@test "each client has its part of every rate" {
  prints '200.000000000
300
200.000000000 400.400000000@30
600
sine 20.000000000..60.000000000 60 phase=0.5
90' run_split bash -c '. "$REPO/lib/run/shares.sh"; CLIENT_IP="a b" REDISBASE=1 POINT_INSTANCES=3
    for rate in 300 "300 600.6@30" "sine 30..90 60 phase=0.5"; do shares_rate a "$rate"; echo; shares_peak "$rate"; echo "$REPLY"; done'
}
