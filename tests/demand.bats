#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The table of a run's load: shares of requests to the most popular keys, and sizes of values, against exact sums and recorded requests.

load helper
load loadgen

# Print the table of a run: demand RUN
demand() { modules 'tables_make "$LIB/results/tables/demand.awk" "$1" </dev/null' "$1"; }

# Make the result.tsv of a client from lines PATTERN SIZES KEYS SHIFT: demand_make RUN <LINES
demand_make() {
  mkdir -p "$1/native/p/rep-1/c"
  {
    printf 'operation\tpattern\tsizes\tkeys\tkey_sd\tshift\tops\tmisses\tbytes\tcommands\n'
    awk -v OFS='\t' '{ print "get", $1, $2, $3, "-", $4, 1000, 200, 80000, "-" }'
  } >"$1/native/p/rep-1/c/result.tsv"
}

@test "shares of the most popular keys are the exact sums, for each pattern and number of keys; the sizes of values have their median and p99; without popular keys and with one size there is no table" {
  demand_make run <<'END'
zipf:0.99 - 100000 -
zipf:1 - 5000 -
zipf:0.5 - 300 -
zipf:2.5 - 40000 -
latest:1.2 - 20000 -
hotspot:5:90 - 1000 -
hotspot:90:5 - 1000 -
gaussian:50 - 1000 -
gaussian - 2000 -
uniform - 500 -
END
  # Repeats that are not complete have no load.
  demand_make cut <<<'zipf:0.7 - 700 -'
  mv cut/native/p/rep-1 run/native/p/rep-2.failed-1
  demand run >table
  refute_contains zipf:0.7 "$(<table)"
  assert_equal "$(grep -c ' uniform ' table)" 0
  # The exact weight of each key, in descending order of popularity.
  awk '
    function weight(i, n) {
      if (kind ~ /zipf|latest/) return i ^ -p[2]
      if (kind == "hotspot") return p[2] < p[3] ? (i <= n * p[2] / 100 ? p[3] / p[2] : (100 - p[3]) / (100 - p[2])) : (i <= n * (100 - p[2]) / 100 ? (100 - p[3]) / (100 - p[2]) : p[3] / p[2])
      sd = p[2] == "" ? n / 6 : p[2]
      return exp(-(int(i / 2) / sd) ^ 2 / 2)
    }
    $1 == "get" {
      rows++
      split($3, p, ":")
      kind = p[1]
      n = $4
      gsub(",", "", n)
      n += 0
      all = 0
      for (i = 1; i <= n; i++) all += w[i] = weight(i, n)
      split("1 10 50", percent, " ")
      for (k = 1; k <= 3; k++) {
        sum = 0
        for (i = 1; i <= n * percent[k] / 100; i++) sum += w[i]
        said = $(4 + k) + 0
        off = said - 100 * sum / all
        if (off > 0.11 || off < -0.11) { printf "%s of %d keys, %d %%: %s, exactly %.2f\n", $3, n, percent[k], said, 100 * sum / all; bad = 1 }
      }
    }
    END { exit bad || rows != 9 }' table >wrong || fail "$(cat wrong table)"
  demand_make run <<'END'
uniform 100:80,5000:20 100 -
uniform 50-400 100 -
uniform etc 100 -
uniform lognormal:200:100 100 -
uniform pareto:100:1.5 100 -
uniform 1k 100 -
uniform populate=100 100 -
zipf - 100 20:10
END
  demand run >table
  # Closed forms: gpareto 615.9 * (q^-0.348238 - 1), lognormal 178.9 * exp(0.4724 z), pareto 100 * (1 - q)^(-2/3).
  awk '$1 == "get" { print $8, $9, $10, $NF }' table >found
  diff found - <<'END' || fail "$(cat table)"
100:80,5000:20 100 5,000 100
50-400 225 397 100
etc 168 2,446 100
lognormal:200:100 179 537 100
pareto:100:1.5 159 2,154 100
1k 1,000 1,000 100
populate=100 - - 100
86.4% one - 100
END
  assert_contains 'Moving: every 20 s of the phase other keys become popular (10 % of all keys on).' "$(<table)"
  demand_make run <<<'uniform - 100 -'
  assert_equal "$(demand run)" ''
  mkdir none
  assert_equal "$(demand none)" ''
}

@test "the shares are those of the requests that were sent, or that the index of a trace has" {
  redis_start
  for pattern in zipf:0.9 hotspot:20:70; do
    mkdir -p "$pattern/native/p/rep-1"
    OMP_NUM_THREADS=1 succeeds run_split "$REPO/test" --out "$pattern/native/p/rep-1/c" --phases populate,get --keys "$pattern" --requests 100000 --record "$pattern.csv" -P 32 \
      127.0.0.1 "$REDIS_PORT" 10 1000
    demand "$pattern" >table
    # Popular keys have the lowest numbers.
    awk -F , '$6 == "get" { all++; if ($2 < 10) a++; if ($2 < 100) b++; if ($2 < 500) c++ } END { print 100 * a / all, 100 * b / all, 100 * c / all }' "$pattern.csv" >sent
    awk 'NR == FNR { split($0, sent, " "); next } $1 == "get" { for (k = 1; k <= 3; k++) { off = $(4 + k) - sent[k]; if (off > 0.7 || off < -0.7) bad = 1 } rows++ } END { exit bad || rows != 1 }' \
      sent table || fail "$(cat sent table)"
  done
  # Ten keys: the first has 50 of 100 requests, and the first five have 90.
  awk 'BEGIN { split("50 20 10 5 5 2 2 2 2 2", n, " "); for (k = 1; k <= 10; k++) for (i = 0; i < n[k]; i++) printf "5,key:%d,0,200,0,set,0\n", k }' >t.csv
  mkdir -p run/native/p/rep-1
  OMP_NUM_THREADS=1 succeeds run_split "$REPO/test" --out run/native/p/rep-1/c --trace t.csv --speed max 127.0.0.1 "$REDIS_PORT"
  demand run >table
  assert_match 'replay +p +trace +10 +50.0% +50.0% +90.0% +trace +- +- +200$' "$(<table)"
}
