#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether `noise` finds causes that are planted in real starts. One run measures plain starts and disturbed ones in turn; runs of 9 starts are drawn from
# them, and `noise` reads each, and runs of 48 starts that are drawn with replacement. A cause of starts disturbs a third of the starts of a run, any other
# one disturbs all of them.
# Usage: planted.sh [RUN]     ROUNDS=8 of two plain starts and one start of each cause; TRIALS=20 drawn runs of each size and cause
#   RUN: one that was kept, in place of a new one. KEEP=DIR keeps a new one.
# Requires root, an idle machine with two CPUs, and a Redis of 6.2 or newer.
# Prints for each cause and size of a run how often its level has the largest component, how far the share of that level is from that of all starts
# together, and which cause `noise --causes` names first.
set -Eeuo pipefail
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
rounds=${ROUNDS:-8} trials=${TRIALS:-20}
# The starts of a round, and the level that each of them disturbs.
plants=(plain plain hog place huge slow stop)
declare -A level=([hog]=start [place]=start [huge]=start [slow]=instance [stop]=second)
thp=/sys/kernel/mm/transparent_hugepage/enabled
group=/sys/fs/cgroup/cpu
[[ -d $group ]] || group=/sys/fs/cgroup
group+=/planted-$$

# Print the process of the instance on a port. Usage: bench_pid PORT
bench_pid() {
  awk -v port="$1" '$3 == port { print $1 }' "$SCRATCH"/host/run-*/server/instances.proc
}

# End what a plant has started. Usage: bench_calm
bench_calm() {
  local entry
  for entry in "${TEST_PROCESSES[@]}"; do process_end "${entry%:*}" "${entry#*:}"; done
  TEST_PROCESSES=()
  [[ ! -d $group ]] || rmdir "$group" 2>/dev/null || :
  printf '%s\n' "$was" >"$thp"
}

# Disturb the instances, whose data is loaded. Usage: bench_plant NAME
bench_plant() {
  local first second
  first=$(bench_pid "$port") second=$(bench_pid $((port + 1)))
  case $1 in
    hog)
      for _ in 1 2; do
        bash -c 'while :; do :; done' &
        process_note "$!"
      done
      ;;
    place) taskset -a -p -c 0 "$first" >/dev/null && taskset -a -p -c 0 "$second" >/dev/null ;;
    slow)
      mkdir "$group"
      if [[ -e $group/cpu.max ]]; then echo '10000 50000' >"$group/cpu.max"; else echo 10000 >"$group/cpu.cfs_quota_us" && echo 50000 >"$group/cpu.cfs_period_us"; fi
      echo "$first" >"$group/cgroup.procs"
      ;;
    stop)
      (
        over=''
        # The trap waits for the end of sleep, so no instance stays stopped.
        trap 'over=yes' TERM
        while [[ -z $over ]] && kill -0 "$first" 2>/dev/null; do
          sleep "$((RANDOM % 3)).$((RANDOM % 10))"
          kill -STOP "$first" "$second"
          sleep 0.4 # the disturbance: most of one second in four
          kill -CONT "$first" "$second"
        done 2>/dev/null
      ) &
      process_note "$!"
      ;;
  esac
}

# Read the messages of the run and disturb its starts. Usage: bench_disturb <MESSAGES
bench_disturb() {
  local line plant
  while IFS= read -r line; do
    case $line in
      *', repeat '*)
        bench_calm
        plant=${plants[(${line##*repeat } - 1) % ${#plants[@]}]}
        # Huge pages are taken when data is written.
        [[ $plant != huge ]] || echo always >"$thp"
        ;;
      *' after populate: '*) bench_plant "$plant" ;;
    esac
  done
  bench_calm
}

# Link starts into a run. Usage: bench_draw RUN START...
bench_draw() {
  local number=0 start
  rm -rf "$1"
  mkdir -p "$1/native/point"
  for start in "${@:2}"; do
    number=$((number + 1))
    cp -rl "$start" "$1/native/point/rep-$number"
  done
}

# Print the starts of a plant in random order: all of them, or COUNT, each as often as it is drawn. Usage: bench_starts NAME [COUNT]
bench_starts() {
  local at round
  local -a repeat=()
  [[ -z ${2-} ]] || repeat=(-r -n "$2")
  for at in "${!plants[@]}"; do
    [[ ${plants[at]} == "$1" ]] || continue
    for ((round = 0; round < rounds; round++)); do printf '%s\n' "$run"/native/*/rep-$((round * ${#plants[@]} + at + 1)); done
  done | shuf "${repeat[@]}"
}

# Make the run drawn, of 9 or 48 starts. Usage: bench_run NAME STARTS
bench_run() {
  local -a planted plain=()
  if [[ ${level[$1]} != start ]]; then
    # There are eight, of which all but one make a run.
    if (($2 == 9)); then mapfile -t planted < <(bench_starts "$1" | tail -n +2); else mapfile -t planted < <(bench_starts "$1" "$2"); fi
  elif (($2 == 9)); then
    mapfile -t planted < <(bench_starts "$1" | sed -n 1,3p)
    mapfile -t plain < <(bench_starts plain | sed -n 1,6p)
  else
    mapfile -t planted < <(bench_starts "$1" $(($2 / 3)))
    mapfile -t plain < <(bench_starts plain $(($2 * 2 / 3)))
  fi
  bench_draw drawn "${planted[@]}" "${plain[@]}"
}

# Print the level with the largest component of the throughput, and the share of LEVEL of all components. Usage: bench_read RUN LEVEL
bench_read() {
  "$REPO/do_it.sh" noise --format csv "$1" | LEVEL=$2 awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["metric"] == "ops_per_sec" && $at["variance"] > 0 {
      sum += $at["variance"]
      if ($at["variance"] > most) { most = $at["variance"]; first = $at["level"] }
      if ($at["level"] == ENVIRON["LEVEL"]) own = $at["variance"]
    }
    END { printf "%s\t%.1f\n", first, 100 * own / sum }'
}

# Draw runs of a cause and print their row; causes are looked for in those of 9 starts. Usage: bench_judge NAME STARTS
bench_judge() {
  local trial all
  local -a starts
  mapfile -t starts < <(bench_starts "$1" && if [[ ${level[$1]} == start ]]; then bench_starts plain; fi)
  bench_draw all "${starts[@]}"
  all=$(bench_read all "${level[$1]}")
  for ((trial = 1; trial <= trials; trial++)); do
    bench_run "$1" "$2"
    bench_read drawn "${level[$1]}" | tr '\n' '\t'
    if (($2 == 9)); then "$REPO/do_it.sh" noise --causes --format csv drawn; fi | awk -F, '
      NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
      $at["metric"] == "ops_per_sec" { named = $at["cause"]; exit }
      END { print named == "" ? "nothing" : named }'
  done >trials.tsv
  awk -F '\t' -v name="$1" -v starts="$2" -v level="${level[$1]}" -v all="${all#*$'\t'}" '
    { first += $1 == level; near += $2 >= all - 10 && $2 <= all + 10; sum += $2; named[$3]++ }
    END {
      printf "%-6s %2d starts: %-9s first in %3.0f %%   share of all starts %5.1f %%, of a run %5.1f %%, within 10 points in %3.0f %%", name, starts, level, 100 * first / NR, all, sum / NR, 100 * near / NR
      if (starts == 9) for (cause in named) printf "   %s %.0f %%", cause, 100 * named[cause] / NR
      print ""
    }' trials.tsv
}

trap 'bench_calm; scratch_teardown' EXIT
run=${1:+$(realpath -- "$1")}
scratch_setup
was=$(sed 's/.*\[\(.*\)\].*/\1/' "$thp")
if [[ -z $run ]]; then
  port=$(ports_pick 2)
  "$REPO/do_it.sh" run -s noise -v native RESULTS_DIR="$SCRATCH/results" REMOTE_DIR="$SCRATCH/host" REDISBASE="$port" KERNEL=keep TUNE=off \
    REDIS_CONF.disable-thp=no INSTANCES=2 FILL=384M VALUE_SIZES=100 PIPELINE=64 PHASES="populate get get get" TIME=5 WARMUP=1 \
    REDISRUNS=$((rounds * ${#plants[@]})) 2>&1 >/dev/null | tee messages | bench_disturb
  run=$(echo "$SCRATCH"/results/2*)
  [[ -z ${KEEP-} ]] || cp -r "$run" "$KEEP"
fi
for starts in 9 48; do
  for plant in hog place huge slow stop; do bench_judge "$plant" "$starts"; done
done
