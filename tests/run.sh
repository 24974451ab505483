#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every test, in seven parallel lanes, and ends with one line: N passed, N failed.
#
# Usage: tests/run.sh [--repeat N] [--changed | all | SUITE...]
#   SUITE: build, tidy, fuzz, lint, unit, qemu (make check-qemu), or a .bats file; default: all suites but qemu; all: with qemu;
#   --changed: those that the changes of this branch can affect
#   --repeat N runs them N times, to find intermittent failures
# A suite with the line `# lane: host` changes the machine, or uses a resource that exists once: these run one after the other. The other suites run
# at the same time, in six lanes. Suites with the line `# slow` begin first, so that they do not run alone at the end. The output of a suite is
# shown when it ends.
# FUZZ_RUNS=N is the number of inputs that each fuzz target tries (40000; make check-fuzz: 200000).
# TEST_AWK=NAME is the awk that all suites use, if it is installed (mawk). With TEST_TRACE=on a failure in a function has its own line, too (slower).
# With CI=true a skip is a failure if the missing tool can be installed. It also runs a failed suite once more, alone: tests that then pass are
# reported as unsteady, and do not count as failures. Without CI every failure counts.
# Exit status: 0 all passed, 1 not, 2 bad usage.
set -Eeuo pipefail

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
# Time limit of one suite in seconds, for a machine that is several times slower than usual.
SUITE_LIMIT=${SUITE_LIMIT:-1800}

passed=0
used=0
skips=()
failures=()
# The suites that have failed, and the tests that failed in the first run of suites that passed in the second.
failed_suites=()
unsteady=()
# If more suites than this fail, they have a common reason, and running them again does not help.
readonly AGAIN_MOST=3
# The suite that runs in each lane, by the name of the lane.
declare -A suite_pid=() suite_name=() suite_path=() suite_began=()
# The first port of each lane, which has the next 1400 (ports_pick): two lanes with the same port could pick it. The bus of a Redis Cluster uses ports
# 10000 above, which no lane and no outgoing connection uses.
declare -A lane_ports=([host]=10000 [rest]=11400 [more]=12800 [next]=14200 [last]=15600 [spare]=17000 [extra]=18400)
# The directory of each lane, in that of the driver. To make and remove many small files on a disk takes a tenth of the CPU time of all suites, so most
# lanes are in memory (run_memory). The host lane makes swap files, which must be on a disk.
declare -A lane_folder=([host]=host [rest]=ram/rest [more]=ram/more [next]=ram/next [last]=ram/last [spare]=ram/spare [extra]=ram/extra)
# The queue of suites of each lane.
declare -A lane_queue=([host]=host [rest]=rest [more]=rest [next]=rest [last]=rest [spare]=rest [extra]=rest)

# shellcheck source=tests/helper.bash
. "$ROOT/tests/helper.bash"
# shellcheck source=tests/netns.bash
. "$ROOT/tests/netns.bash"
# shellcheck source=tests/changed.bash
. "$ROOT/tests/changed.bash"

# Counts a suite's results from its TAP lines, or as one test if it printed none.
# Usage: run_count NAME STATUS FILE   Returns: 0
run_count() {
  local name=$1 status=$2 line title reason found='' bad=''
  while IFS= read -r line; do
    [[ $line =~ ^(not\ )?ok\ [0-9]+\ ?(.*)$ ]] || continue
    found=1
    title=${BASH_REMATCH[2]#- }
    if [[ -n ${BASH_REMATCH[1]} ]]; then
      bad=1
      failures+=("$name: $title")
    elif [[ ${title,,} == *'# skip'* ]]; then
      reason=${title#*# [sS][kK][iI][pP]}
      reason=${reason# }
      skips+=("$name: ${title%% \#*}: ${reason:-no reason given}")
      # A missing tool can be installed; missing support for namespaces cannot.
      if [[ ${CI:-} == true && $reason == *'is not installed'* ]]; then
        bad=1
        failures+=("$name: skipped, and need not be: ${title%% \#*}")
      fi
    else
      passed=$((passed + 1))
    fi
  done <"$3"
  if ((status == 124)); then
    failures+=("$name: took more than $SUITE_LIMIT s")
  elif ((status != 0)) && [[ -z $bad ]]; then
    failures+=("$name: exit status $status")
  elif [[ -z $found ]] && ((status == 0)); then
    passed=$((passed + 1))
  fi
}

# Finds the command of a suite.
# Usage: run_command SUITE   Sets: command   Returns: 0, 2 for an unknown suite
run_command() {
  case $1 in
    build) command=(make -j 2 --no-print-directory -C "$ROOT" WERROR=1 test membench) ;;
    lint) command=("$ROOT/tools/lint.sh" scripts) ;;
    tidy) command=("$ROOT/tools/lint.sh" tidy) ;;
    unit) command=(make --no-print-directory -C "$ROOT" check-unit) ;;
    fuzz) command=(make --no-print-directory -C "$ROOT" check-fuzz FUZZ_RUNS="${FUZZ_RUNS:-40000}") ;;
    qemu) command=("$ROOT/tests/qemu/run.sh") ;;
    *.bats)
      [[ -f $1 ]] || {
        printf 'no such test file: %s\n' "$1" >&2
        return 2
      }
      command=(bats --tap "$1")
      ;;
    *)
      printf 'unknown suite: %s (build, tidy, fuzz, lint, unit, qemu, or a .bats file)\n' "$1" >&2
      return 2
      ;;
  esac
}

# Starts a suite in a lane.
# Usage: run_start LANE SUITE   Returns: 0
run_start() {
  local lane=$1
  local -a command
  run_command "$2"
  suite_name[$lane]=${2##*/}
  suite_path[$lane]=$2
  suite_began[$lane]=$SECONDS
  mkdir -m 711 -- "$scratch/${lane_folder[$lane]}"
  # A teardown that reverts tuning on a busy machine needs its time.
  command=(timeout --kill-after=60 "$SUITE_LIMIT" "${command[@]}")
  # The host lane takes longest and waits for its own processes, and the emulated machine is slow, so they have a higher priority than other suites.
  [[ $lane == host || $2 == qemu ]] || command=(nice -n 5 "${command[@]}")
  # In a separate job (-m), because other background processes ignore SIGINT, and the tests of Ctrl-C require it.
  set -m
  TMPDIR=$scratch/${lane_folder[$lane]} TEST_PORTS=${lane_ports[$lane]} "${command[@]}" </dev/null >"$scratch/$lane.log" 2>&1 &
  suite_pid[$lane]=$!
  set +m
}

# Shows the output of a lane's suite.
# Usage: run_show LANE   Returns: 0
run_show() {
  printf '== %s\n' "${suite_name[$1]}"
  cat -- "$scratch/$1.log"
}

# Prints the processes that a lane's suite started and that still run: they have its directory as TMPDIR, or work in it. Redis overwrites its
# environment with its title.
# Usage: run_processes LANE   Returns: 0
run_processes() {
  local folder=$scratch/${lane_folder[$1]}
  {
    grep -lzE "^TMPDIR=$folder(/|\$)" /proc/[0-9]*/environ || :
    # The kernel adds a blank and a word to the name of a removed directory.
    find /proc/[0-9]*/cwd -maxdepth 0 \( -lname "$folder" -o -lname "${folder}[/ ]*" \) || :
  } 2>/dev/null | cut -d / -f 3 | sort -nu
}

# Whether a lane's suite has no process left.
# Usage: run_clear LANE   Returns: 0 none, 1 some
run_clear() {
  [[ -z $(run_processes "$1") ]]
}

# Prints the watchdogs among a lane's processes. A watchdog restores the settings of its host when its journal is removed.
# Usage: run_watchdogs LANE   Returns: 0
run_watchdogs() {
  local pid
  for pid in $(run_processes "$1"); do
    ! grep -qsaz '/tune-[^/]*/watchdog\.sh$' "/proc/$pid/cmdline" || printf '%s\n' "$pid"
  done
}

# Whether no process of a lane still has to restore a host.
# Usage: run_restored LANE   Returns: 0 none, 1 some
run_restored() {
  [[ -z $(run_watchdogs "$1") ]]
}

# Sends TERM to runs that a lane's suite left, so that they revert their changes.
# Usage: run_ask LANE   Returns: 0 asked, 1 if there is no run
run_ask() {
  local pid status=1
  for pid in $(run_processes "$1"); do
    grep -qsa 'do_it\.sh' "/proc/$pid/cmdline" || continue
    kill -TERM "$pid" 2>/dev/null && status=0
  done
  return "$status"
}

# Stops processes that a lane's suite left running, and names them; processes that are about to end have some seconds. A process that changed the
# machine is never killed before the change is reverted, because the machine would remain changed.
# Usage: run_reap LANE   Globals: REAP_LIMIT, the seconds (30)   Sets: reaped, a text   Returns: 0
run_reap() {
  local pid said
  local -A watchdog=()
  reaped=''
  ! wait_within "${REAP_LIMIT:-30}" run_clear "$1" 2>/dev/null || return 0
  for pid in $(run_processes "$1"); do
    # A process that has ended since then does not count.
    said=$({ tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null) || continue
    reaped+="$said; "
  done
  ! run_ask "$1" || wait_within "${REAP_LIMIT:-30}" run_clear "$1" 2>/dev/null || :
  for pid in $(run_watchdogs "$1"); do watchdog[$pid]=1; done
  for pid in $(run_processes "$1"); do [[ -n ${watchdog[$pid]+set} ]] || kill -KILL "$pid" 2>/dev/null || :; done
  ((${#watchdog[@]} > 0)) || return 0
  find "$scratch/${lane_folder[$1]}" -path '*/tune-*/journal' -delete 2>/dev/null || :
  # A host with its own files still has the journal: its watchdog waits for the lease of 120 s.
  wait_within 180 run_restored "$1" || :
  for pid in $(run_processes "$1"); do kill -KILL "$pid" 2>/dev/null || :; done
}

# Reads the CPU time of all suites that have ended, in whole seconds. A suite's time is counted when it ends.
# Usage: run_used   Sets: used   Returns: 0
run_used() {
  local user system each
  # In a subshell it would be the time of that shell.
  times >"$scratch/times"
  { read -r _ && read -r user system; } <"$scratch/times"
  used=0
  for each in "$user" "$system"; do
    each=${each%%.*}
    used=$((used + ${each%%m*} * 60 + ${each##*m}))
  done
}

# Shows a suite that has ended, counts its results, and counts it as a failure if it left a process or a file behind.
# Usage: run_end LANE STATUS   Returns: 0
run_end() {
  local lane=$1 name=${suite_name[$1]} folder=$scratch/${lane_folder[$1]} left last reaped before=${#failures[@]}
  unset -v 'suite_pid[$lane]'
  run_reap "$lane"
  run_show "$lane"
  run_count "$name" "$2" "$scratch/$lane.log"
  [[ -z $reaped ]] || failures+=("$name: left running: $reaped")
  left=$(find "$folder" -mindepth 1 -maxdepth 1 -printf '%f ')
  [[ -z $left ]] || failures+=("$name: left in TMPDIR: $left")
  # Swap that is still in use cannot be removed. The other suites run in any case.
  rm -rf --one-file-system -- "$folder" || failures+=("$name: its directory cannot be removed")
  ((${#failures[@]} == before)) || failed_suites+=("${suite_path[$lane]}")
  last=$used
  run_used
  printf '== %s: %s s, %s s of CPU\n' "$name" "$((SECONDS - ${suite_began[$lane]}))" "$((used - last))"
}

# Starts the next suite of a lane, if there is one. If no suite waits for the host lane, it takes suites of the others.
# Usage: run_next LANE   Globals: the arrays named in lane_queue   Returns: 0
run_next() {
  local -n waiting=${lane_queue[$1]}
  if ((${#waiting[@]} == 0)); then
    unset -n waiting
    local -n waiting=rest
  fi
  ((${#waiting[@]} > 0)) || return 0
  run_start "$1" "${waiting[0]}"
  waiting=("${waiting[@]:1}")
}

# Runs suites, each in its lane.
# Usage: run_lanes SUITE...   Returns: 0
run_lanes() {
  local suite lane pid ended status
  local -a host=() rest=() slow=()
  for suite; do
    if [[ $suite == *.bats ]] && grep -qx '# lane: host' -- "$suite"; then
      host+=("$suite")
    elif [[ $suite != *.bats ]] || grep -qx '# slow' -- "$suite"; then
      slow+=("$suite")
    else
      rest+=("$suite")
    fi
  done
  rest=("${slow[@]}" "${rest[@]}")
  for lane in "${!lane_queue[@]}"; do run_next "$lane"; done
  while ((${#suite_pid[@]} > 0)); do
    status=0 ended=''
    # bash keeps the status of a suite that has ended, but `wait -n` may not report it (bash 5.2, seldom).
    for pid in "${suite_pid[@]}"; do [[ -e /proc/$pid ]] || ended=$pid; done
    if [[ -n $ended ]]; then wait "$ended" || status=$?; else wait -n -p ended "${suite_pid[@]}" || status=$?; fi
    if [[ -z ${ended-} ]]; then
      read -rt 0.1 -u "$TEST_NEVER" || :
      continue
    fi
    for lane in "${!lane_queue[@]}"; do
      [[ ${suite_pid[$lane]-} == "$ended" ]] || continue
      run_end "$lane" "$status"
      run_next "$lane"
    done
  done
}

# Runs the failed suites once more, one after the other, with the line of a failure also in functions. If all of them pass, the failed tests are
# unsteady.
# Usage: run_again   Returns: 0
run_again() {
  local suite count=$passed
  local -a first=("${failures[@]}") said=("${skips[@]}") again=("${failed_suites[@]}")
  ((${#again[@]} > 0 && ${#again[@]} <= AGAIN_MOST)) || return 0
  printf '== again, alone: %s\n' "${again[*]##*/}"
  failures=()
  for suite in "${again[@]}"; do TEST_TRACE=on run_lanes "$suite"; done
  skips=("${said[@]}")
  if ((${#failures[@]} > 0)); then
    failures=("${first[@]}")
    passed=$count
  else
    unsteady=("${first[@]}")
    passed=$((count + ${#first[@]}))
  fi
}

# Stops the running suites, shows their output so far, and removes what they may have left.
# Usage: run_finish   Returns: 0
run_finish() {
  local lane reaped
  # A signal must not end this function.
  trap '' INT TERM HUP
  for lane in "${!suite_pid[@]}"; do kill -TERM "${suite_pid[$lane]}" 2>/dev/null || :; done
  for lane in "${!suite_pid[@]}"; do
    wait "${suite_pid[$lane]}" 2>/dev/null || :
    run_ask "$lane" || :
    run_reap "$lane"
    run_show "$lane"
  done
  netns_sweep || :
  ! mountpoint -q -- "$scratch/ram" || umount -- "$scratch/ram" || umount -l -- "$scratch/ram" || :
  rm -rf -- "$scratch"
}

# Disables swap files of tests that were killed: they have the highest priority, so tests of swap could not run beside them.
# Usage: run_swap_sweep   Returns: 0
run_swap_sweep() {
  local file
  while read -r file _; do
    [[ $file == */tierbench-test.*/host/tierbench-*.swap ]] || continue
    # A test that runs has its directory in its environment.
    ! grep -qszxF "SCRATCH=${file%/host/*}" /proc/[0-9]*/environ || continue
    printf 'removing the swap of a test that was killed: %s\n' "$file" >&2
    ! swapoff "$file" || rm -f -- "$file"
  done </proc/swaps
}

# Puts the directory of most lanes into memory, if there is enough, and this user may mount a file system. Else it stays on the disk.
# Usage: run_memory   Returns: 0
run_memory() {
  mkdir -m 711 -- "$scratch/ram"
  awk '$1 == "MemAvailable:" && $2 >= 4 * 1024 * 1024 { found = 1 } END { exit !found }' /proc/meminfo || return 0
  mount -t tmpfs -o mode=711 tierbench-tests "$scratch/ram" 2>/dev/null || :
}

# Puts programs before the machine's in the PATH: the requested awk, and the system's python3, because the wrapper of a version manager starts ten
# shells for each call.
# Usage: run_programs   Returns: 0
run_programs() {
  local awk
  mkdir -m 755 -- "$scratch/bin"
  ! awk=$(command -v "${TEST_AWK:-mawk}") || ln -s -- "$awk" "$scratch/bin/awk"
  # No link: a virtual environment has the path by which Python was called, and outlives this directory.
  if /usr/bin/python3 -c 'import ensurepip' 2>/dev/null; then
    printf '#!/bin/sh\nexec /usr/bin/python3 "$@"\n' >"$scratch/bin/python3"
    chmod 755 "$scratch/bin/python3"
  fi
  export PATH=$scratch/bin:$PATH
}

# Runs the suites and prints the result.
# Usage: main [--repeat N] [--changed | all | SUITE...]   Returns: 0 all passed, 1 not, 2 bad usage
main() {
  local each round repeat=1
  local -a command suites files
  if [[ ${1-} == --repeat ]]; then
    [[ ${2-} =~ ^[1-9][0-9]{0,3}$ ]] || {
      printf 'run.sh: --repeat %s: is no number of times; 1 to 9999\n' "${2-}" >&2
      return 2
    }
    repeat=$2
    shift 2
  fi
  if [[ ${1-} == --changed ]]; then
    mapfile -t files < <(changed_files)
    mapfile -t suites < <(changed_suites "${files[@]}")
    set -- "${suites[@]}"
  fi
  # The longest first.
  [[ $* != all ]] || set -- build qemu tidy lint unit fuzz "$ROOT"/tests/*.bats
  (($# > 0)) || set -- build tidy lint unit fuzz "$ROOT"/tests/*.bats
  for each; do run_command "$each" || return; done
  run_programs
  run_swap_sweep
  run_memory
  # All lanes use the built programs.
  if [[ $1 == build ]]; then
    run_lanes build
    shift
  fi
  for ((round = 1; round <= repeat; round++)); do run_lanes "$@"; done
  [[ ${CI:-} != true || $repeat != 1 ]] || run_again
  for each in "${unsteady[@]}"; do printf 'unsteady: %s\n' "$each"; done
  for each in "${skips[@]}"; do printf 'skipped: %s\n' "$each"; done
  for each in "${failures[@]}"; do printf 'failed: %s\n' "$each"; done
  printf '%s passed, %s failed' "$passed" "${#failures[@]}"
  ((${#skips[@]} == 0)) || printf ', %s skipped' "${#skips[@]}"
  ((${#unsteady[@]} == 0)) || printf ', %s unsteady' "${#unsteady[@]}"
  printf '\n'
  ((${#failures[@]} == 0))
}

# Short names, because the path of an ssh control socket below it is limited to 108 bytes.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tb.XXXXXX")
# As the kernel names it: run_processes compares it with working directories.
scratch=$(cd "$scratch" && pwd -P)
# A test may become another user, who must be able to enter its directory.
chmod 711 "$scratch"
trap run_finish EXIT
# A second signal, from make or timeout, would end the EXIT trap before its first line.
trap "trap '' INT TERM HUP; exit 130" INT
trap "trap '' INT TERM HUP; exit 143" TERM HUP
main "$@"
