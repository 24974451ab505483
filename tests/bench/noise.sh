#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether `noise` finds the components of runs whose noise is known: their mean, and how often intervals have them. How often the largest one is first, and
# how precise its share is. How often `--causes` names a planted cause, and how often another one. Whether the chance that `plan` prints is the true one.
# Usage: noise.sh     TRIALS=100; SHAPES: runs, starts, phases, seconds, and the model of tests/noise.awk
set -Eeuo pipefail
# shellcheck source=tests/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
trap scratch_teardown EXIT
scratch_setup
mapfile -t shapes <<<"${SHAPES-2 8 3 30 .02 .05 .03 .04 .4 .06 .04
1 8 3 30 .02 .05 .03 .04 .4 .06 .04
1 8 3 30 0 .01 .05 .1 .7 0 .02
4 4 2 60 .03 .02 .01 .05 0 .02 .01}"
for shape in "${shapes[@]}"; do
  read -r runs starts phases seconds model <<<"$shape"
  for ((run = 1; run <= runs; run++)); do
    for ((start = 1; start <= starts; start++)); do mkdir -p "known/run-$run/native/1000B-2i/rep-$start/127.0.0.1"; done
  done
  for ((trial = 1; trial <= ${TRIALS:-100}; trial++)); do
    awk -v dir=known -v seed=$((20261128 + trial)) -v runs="$runs" -v starts="$starts" -v phases="$phases" -v seconds="$seconds" -v model="$model" \
      -f "$REPO/tests/random.awk" -f "$REPO/tests/noise.awk"
    "$REPO/do_it.sh" noise --format csv known/run-*
  done | awk -F, -v model="$model" -v seconds="$seconds" '
    BEGIN {
      split(model, sd, " ")
      for (k = 1; k < seconds; k++) { power = k > 1 ? power * sd[5] : sd[5]; sum += (1 - k / seconds) * power }
      n = split("run start phase second instance instance_in_a_start", level, " ")
      split(sd[1] " " sd[2] " " sd[3] " " sd[4] * sqrt((1 + 2 * sum) / seconds) " " sd[6] " " sd[7], truth, " ")
      for (i = 1; i <= n; i++) { gsub(/_/, " ", level[i]); is[level[i]] = truth[i] }
    }
    $1 == "variant" { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["variance"] == "" || !($at["level"] in is) { next }
    {
      key = $at["level"]
      count[key]++
      found[key] += $at["variance"] / 10000
      squares[key] += ($at["variance"] / 10000) ^ 2
      # The interval of a spread that is 0 may begin above it by rounding only.
      inside[key] += is[key] * 100 >= $at["low_percent"] - 1e-3 && is[key] * 100 <= $at["high_percent"] + 1e-3
    }
    END {
      print "model " model
      for (i = 1; i <= n; i++) {
        key = level[i]
        if (!count[key]) continue
        mean = found[key] / count[key]
        error = sqrt((squares[key] / count[key] - mean * mean) / count[key])
        printf "%-20s true %.3f %%^2, found %.3f +- %.3f, interval has it in %.1f %% of %d\n", key, 10000 * is[key] ^ 2, 10000 * mean, 10000 * 1.96 * error, 100 * inside[key] / count[key], count[key]
      }
    }'
  rm -r known
done

# Models with one large level: start, phase, and second. Only totals of figures are judged, not units.
for model in '0 .1 .02 .02 0 0 0' '0 0 .1 .08 0 0 0' '0 .007 .007 .08 .5 0 0'; do
  for ((start = 1; start <= 8; start++)); do mkdir -p "known/run-1/native/1000B-2i/rep-$start/127.0.0.1"; done
  for ((trial = 1; trial <= ${TRIALS:-100}; trial++)); do
    awk -v dir=known -v seed=$((20261128 + trial)) -v runs=1 -v starts=8 -v phases=3 -v seconds=30 -v model="$model" \
      -f "$REPO/tests/random.awk" -f "$REPO/tests/noise.awk"
    "$REPO/do_it.sh" noise --format csv known/run-1
  done | awk -F, -v model="$model" '
    # Judge the figure that was read.
    function judge(    level, sum, most, name) {
      for (level in variance) {
        sum += variance[level]
        if (variance[level] > most) { most = variance[level]; name = level }
      }
      if (!sum) return
      figures++
      first += name == largest
      share = 100 * variance[largest] / sum
      shares += share
      near += share > true - 10 && share < true + 10
      split("", variance)
    }
    BEGIN {
      split(model, sd, " ")
      for (k = 1; k < 30; k++) { power = k > 1 ? power * sd[5] : sd[5]; sum += (1 - k / 30) * power }
      of["start"] = sd[2] ^ 2; of["phase"] = sd[3] ^ 2; of["second"] = sd[4] ^ 2 * (1 + 2 * sum) / 30
      for (level in of) if (largest == "" || of[level] > of[largest]) largest = level
      true = 100 * of[largest] / (of["start"] + of["phase"] + of["second"])
    }
    $1 == "variant" { judge(); split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["metric"] != metric { judge(); metric = $at["metric"] }
    $at["level"] in of && $at["variance"] > 0 { variance[$at["level"]] = $at["variance"] }
    END {
      judge()
      printf "%s has %.0f %%: first in %.1f %% of %d figures, its share %.1f %% on average, within 10 points in %.1f %%\n", largest, true, 100 * first / figures, figures, shares / figures, 100 * near / figures
    }'
  rm -r known
done

for slower in 0 .1 .2 .3; do
  for ((start = 1; start <= 9; start++)); do mkdir -p "known/run-1/native/1000B-2i/rep-$start/127.0.0.1"; done
  for ((trial = 1; trial <= ${TRIALS:-100}; trial++)); do
    awk -v dir=known -v seed=$((20261128 + trial)) -v runs=1 -v starts=9 -v phases=2 -v seconds=5 -v slower="$slower" -v model='0 .05 .02 .03 0 0 0' \
      -f "$REPO/tests/random.awk" -f "$REPO/tests/noise.awk"
    "$REPO/do_it.sh" noise --causes --format csv known/run-1
  done | awk -F, -v slower="$slower" '
    $1 == "variant" { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; figures += 3; next }
    $at["cause"] != "" { named[$at["cause"]]++ }
    END {
      printf "other programs slow every third of 9 starts, which spread by 5 %%, by %s: of %d figures", slower, figures
      for (c in named) printf ", %s named in %.1f %%", c, 100 * named[c] / figures
      print ""
    }'
  rm -r known
done

# One repeat of this model spreads by sqrt(1^2 + 0.5^2 + 4^2 * 2.93 / 30) = 1.68 %: seconds with the correlation 0.5 are worth a third.
for repeats in 3 5 8 12; do
  for ((start = 1; start <= 8; start++)); do mkdir -p "known/run-1/native/1000B-2i/rep-$start/127.0.0.1"; done
  true=$(awk -v n="$repeats" -f "$REPO/lib/results/figures/interval.awk" -f "$REPO/lib/results/figures/power.awk" -f <(echo 'BEGIN { print 100 * power_chance(n, 0.0168, 0.02, 0.95) }'))
  for ((trial = 1; trial <= ${TRIALS:-100}; trial++)); do
    awk -v dir=known -v seed=$((20261128 + trial)) -v runs=1 -v starts=8 -v phases=3 -v seconds=30 -v model='0 .01 .005 .04 .5 0 0' \
      -f "$REPO/tests/random.awk" -f "$REPO/tests/noise.awk"
    "$REPO/do_it.sh" plan -s noise --noise known/run-1 REDISRUNS="$repeats" SERVER_CORES=2 SERVER_MEM=8 CLIENT_IP=203.0.113.1 SERVER=203.0.113.2
  done | awk -v true="$true" -v n="$repeats" '
    /^GET / && match($0, / [0-9]+ of 100 /) {
      chance = substr($0, RSTART) + 0
      sum += chance
      near += chance > true - 10 && chance < true + 10
      figures++
    }
    / of 100 .* - / && match($0, /of 100 +[0-9]+ - [0-9]+/) {
      split(substr($0, RSTART + 6, RLENGTH - 6), limit, " - ")
      inside += limit[1] - 0.5 <= true && limit[2] + 0.5 >= true
    }
    END { printf "%d repeats find 2 %% in %.0f of 100: printed on average %.1f, within 10 in %.0f %%, its interval has it in %.0f %% of %d\n", n, true, sum / figures, 100 * near / figures, 100 * inside / figures, figures }'
  rm -r known
done
