# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by all test files: a scratch directory, a private Redis, and waiting by polling.

REPO=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
export REPO
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
# The locale in which do_it.sh works. C.UTF-8 would add a fifth to the time that a small program takes; locale.bats and user.bats have others.
export LC_ALL=C
# Settings of a user's environment must not reach the programs under test.
unset -v REDISCLI_AUTH OMP_NUM_THREADS RESULTS_DIR TIERBENCH_RESULTS_DIR COLUMNS

# shellcheck source=tests/outcome.bash
. "$REPO/tests/outcome.bash"
# shellcheck source=tests/cells.bash
. "$REPO/tests/cells.bash"

# Processes that helpers started, as PID:STARTTIME.
TEST_PROCESSES=()
ZSWAP_FILE=/sys/module/zswap/parameters/enabled

# Nothing writes to this pipe: reading from it is a pause without a process, which would take more CPU time than most polls. It is opened here, because
# that sets $!, which tests use after a wait.
exec {TEST_NEVER}<> <(:)

# Make bats record the line of the test's own commands only. It records each command in functions and subshells too, which often takes longer than the
# command. A failure in a function then has the line of the test that called it.
# Usage: trace_less   Globals: TEST_TRACE: on records all   Returns: 0
trace_less() {
  [[ ${TEST_TRACE-} != on ]] || return 0
  set +T
  # These end the record at a failure, which takes effect behind them only if they are traced.
  declare -ft bats_error_trap bats_check_status_from_trap 2>/dev/null || :
}

# Make a private directory for this test and go there.
# Usage: scratch_setup   Sets: SCRATCH   Returns: 0
scratch_setup() {
  trace_less
  SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/tierbench-test.XXXXXX")
  # The files that do_it.sh leaves on a host for the next run, too. Scripts of hosts take the names without a prefix.
  export SCRATCH REMOTE_DIR=$SCRATCH/host LOCK_DIR=$SCRATCH/locks TIERBENCH_REMOTE_DIR=$SCRATCH/host TIERBENCH_LOCK_DIR=$SCRATCH/locks
  # The list of accepted settings.
  export XDG_STATE_HOME=$SCRATCH/state
  # A report costs a third of a small run's time. The tests that look at one set it.
  export TIERBENCH_REPORT=off
  cd "$SCRATCH" || return 1
}

# Write a program that stands for another one: with the arguments of printf, or from stdin.
# Usage: program_make PATH [FORMAT [ARGUMENT...]]   Returns: 0
program_make() {
  [[ $1 != */* || -d ${1%/*} ]] || mkdir -p "${1%/*}"
  # It may be a link to that one.
  rm -f "$1"
  # shellcheck disable=SC2059 # the caller's
  if (($# > 1)); then printf "${@:2}" >"$1"; else cat >"$1"; fi
  chmod 755 "$1"
}

# Link every command of this machine into bin/, except the named ones, for a PATH without them: commands_link NAME...
commands_link() {
  local folder
  mkdir -p bin
  for folder in /usr/local/{s,}bin /usr/{s,}bin /{s,}bin; do
    # A name that occurs twice is linked once.
    [[ -L $folder ]] || ln -s "$folder"/* bin/ 2>/dev/null || :
  done
  rm -f "${@/#/bin/}"
}

# Turn zswap on or off until the end of this test, where the kernel has it.
# Usage: zswap_set Y|N   Sets: ZSWAP_BEFORE   Returns: 0
zswap_set() {
  [[ -w $ZSWAP_FILE ]] || return 0
  ZSWAP_BEFORE=${ZSWAP_BEFORE:-$(<"$ZSWAP_FILE")}
  echo "$1" >"$ZSWAP_FILE"
}

# Stop the processes and hosts that the helpers started in this test, clean up after runs in $SCRATCH/host, undo zswap_set, and remove the directory.
# Usage: scratch_teardown   Returns: 0
scratch_teardown() {
  local each
  if declare -F netns_down >/dev/null; then netns_down; fi
  if compgen -G "${SCRATCH:-/nowhere}/host/[rt]un*-*" >/dev/null; then
    "$REPO/do_it.sh" stop --force REMOTE_DIR="$SCRATCH/host" >/dev/null 2>&1 || :
  fi
  for each in "${TEST_PROCESSES[@]}"; do
    process_end "${each%%:*}" "${each#*:}"
  done
  TEST_PROCESSES=()
  [[ -z ${ZSWAP_BEFORE-} ]] || zswap_set "$ZSWAP_BEFORE"
  cd "$REPO" || return 1
  [[ -z ${SCRATCH:-} ]] || remove_busy "$SCRATCH"
  unset -v SCRATCH REMOTE_DIR LOCK_DIR TIERBENCH_REMOTE_DIR TIERBENCH_LOCK_DIR
}

# What most test files do before and after each test; the others define their own. What a suite adds before each test is its function `prepare`.
setup() {
  scratch_setup
  if declare -F prepare >/dev/null; then prepare; fi
}
teardown() { scratch_teardown; }

# Print the start time of a process, in ticks since boot: together with the pid it identifies a process until the next boot.
# Usage: process_start PID   Returns: 0, or 1 without such a process
process_start() {
  local REPLY
  _process_read "$1" && printf '%s\n' "$REPLY"
}

# As process_start, without a subshell, for polls.
# Usage: _process_read PID   Sets: REPLY   Returns: 0, or 1 without such a process
_process_read() {
  local line IFS=' '
  local -a field
  # As proc_start in lib/shared/proc.sh, which would be read anew at each poll.
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  # shellcheck disable=SC2206 # nothing in it is a pattern
  field=(${line##*) })
  [[ ${field[0]} != Z ]] || return 1
  REPLY=${field[19]}
}

# Record a process of this test, so that scratch_teardown stops it.
# Usage: process_note PID   Returns: 0
process_note() {
  TEST_PROCESSES+=("$1:$(process_start "$1" || echo gone)")
}

# Whether the recorded process still runs.
# Usage: process_alive PID START   Returns: 0 yes, 1 no
process_alive() {
  local REPLY
  _process_read "$1" && [[ $REPLY == "$2" ]]
}

# Whether the recorded process has ended.
# Usage: process_gone PID START   Returns: 0 yes, 1 no
process_gone() {
  ! process_alive "$1" "$2"
}

# Stop a recorded process: with TERM, and with KILL after five seconds.
# Usage: process_end PID START   Returns: 0
process_end() {
  process_alive "$1" "$2" || return 0
  kill -TERM "$1" 2>/dev/null || :
  wait_within 5 process_gone "$1" "$2" 2>/dev/null && return 0
  process_gone "$1" "$2" || kill -KILL "$1" 2>/dev/null || :
  wait_until 5 process_gone "$1" "$2"
}

# Wait for an event: repeat a command until it succeeds. SECONDS is for a machine of normal speed; a slow machine has ten times that, up to
# five minutes, which costs nothing if the event comes.
# Usage: wait_until SECONDS COMMAND...   Globals: TEST_PATIENCE, the factor (10)   Returns: as wait_within
wait_until() {
  local limit=$(($1 * ${TEST_PATIENCE:-10}))
  ((limit <= 300)) || limit=$(($1 > 300 ? $1 : 300))
  wait_within "$limit" "${@:2}"
}

# Repeat a command until it succeeds, for at most SECONDS: for an event that may not happen.
# Usage: wait_within SECONDS COMMAND...   Returns: 0, or 1 after the time limit, with a line on stderr
wait_within() {
  local limit=$1 start=${EPOCHREALTIME/[.,]/} waited pause=0.05
  shift
  until "$@" >/dev/null 2>&1; do
    waited=$((${EPOCHREALTIME/[.,]/} - start))
    if ((waited >= limit * 1000000)); then
      printf 'not within %s s: %s\n' "$limit" "$*" >&2
      return 1
    fi
    # Most polls start a process: a long wait has few of them.
    ((waited < 1000000)) || pause=0.2
    read -rt "$pause" -u "$TEST_NEVER" || :
  done
}

# Remove directories while processes still write to them: new files are removed in the next round. The last round prints its reason.
# Usage: remove_busy DIRECTORY...   Returns: 0, or 1 if a directory still exists after the time limit
remove_busy() { wait_until 10 rm -rf --one-file-system -- "$@" || rm -rf --one-file-system -- "$@"; }

# Whether no process listens on a port of 127.0.0.1.
# Usage: port_free PORT   Returns: 0 free, 1 taken
port_free() {
  ! (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Print the first of COUNT free ports in a row, below those that the kernel hands out.
# Usage: ports_pick COUNT   Globals: TEST_PORTS, where to look (10000)   Returns: 0, or 1 if none were found
ports_pick() {
  local count=$1 try base port
  for ((try = 0; try < 50; try++)); do
    base=$((${TEST_PORTS:-10000} + RANDOM % (1400 - count)))
    for ((port = base; port < base + count; port++)); do
      port_free "$port" || continue 2
    done
    printf '%s\n' "$base"
    return 0
  done
  echo "no $count free ports in a row" >&2
  return 1
}

# Start a private Redis on 127.0.0.1 and wait until it answers PING.
# Usage: redis_start [-p PORT] [REDIS_OPTION...]   Sets: REDIS_PORT REDIS_PID   Returns: 0, or 1 with its log on stderr
redis_start() {
  local folder fixed='' try
  if [[ ${1-} == -p ]]; then
    fixed=$2
    shift 2
  fi
  folder=$(mktemp -d "$SCRATCH/redis.XXXXXX")
  # Another process can take the port before the server uses it; the server then reports that and exits.
  for ((try = 0; try < 5; try++)); do
    REDIS_PORT=${fixed:-$(ports_pick 1)} || return 1
    # Descriptor 3 is bats' own; a process that inherits it keeps bats waiting.
    redis-server --port "$REDIS_PORT" --bind 127.0.0.1 --dir "$folder" --save '' --appendonly no "$@" >"$folder/log" 2>&1 3>&- &
    REDIS_PID=$!
    process_note "$REDIS_PID"
    # The process id in the answer shows that our server answers.
    if wait_until 10 _redis_answers_or_ended && process_start "$REDIS_PID" >/dev/null; then
      return 0
    fi
    [[ -z $fixed ]] || break
  done
  cat "$folder/log" >&2
  return 1
}

# Whether the Redis of redis_start answers, or has ended.
# Usage: _redis_answers_or_ended   Returns: 0 yes, 1 not yet
_redis_answers_or_ended() {
  local answer
  process_start "$REDIS_PID" >/dev/null || return 0
  # A server that requires a password answers too.
  answer=$(redis-cli -p "$REDIS_PORT" info server 2>&1)
  [[ $answer == *"process_id:$REDIS_PID"* || $answer == *NOAUTH* ]]
}

# Whether perf counts events of software here.
# Usage: perf_counts   Returns: 0 yes, 1 no
perf_counts() {
  command -v perf >/dev/null && perf stat -x '|' -e minor-faults -- bash -c : 2>&1 | awk -F '|' '$1 > 0 { found = 1 } END { exit !found }'
}

# Leave the host's settings unchanged in every run of this test, so that it disturbs no other test.
# Usage: untune [KERNEL]   Exports: TUNE, and KERNEL (keep), with their prefix   Returns: 0
untune() {
  export TIERBENCH_TUNE=off TIERBENCH_KERNEL=${1:-keep}
}

# Start a command in the background as from a terminal: in a separate process group, with SIGINT enabled.
# Usage: job_start COMMAND...   Sets: JOB_PID; writes $SCRATCH/job.out and job.err   Returns: 0
job_start() {
  # The output of an earlier job must not be taken for that of this one, which opens its files later.
  : >"$SCRATCH/job.out"
  : >"$SCRATCH/job.err"
  # Without -m a background process ignores SIGINT, and a script cannot even trap it.
  set -m
  "$@" </dev/null >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" 3>&- &
  JOB_PID=$!
  set +m
  process_note "$JOB_PID"
}

# Wait for the job to end.
# Usage: job_wait SECONDS   Sets: status output stderr, as run_split does   Returns: 0, or 1 if it still runs
job_wait() {
  local start
  if start=$(process_start "$JOB_PID"); then
    wait_until "$1" process_gone "$JOB_PID" "$start" || {
      _job_show
      return 1
    }
  fi
  status=0
  wait "$JOB_PID" || status=$?
  output=$(<"$SCRATCH/job.out") STDERR=$(<"$SCRATCH/job.err")
}

# Print what the processes in the group of the job wait for, and their signals: for a job that does not end.
# Usage: _job_show   Globals: JOB_PID   Returns: 0
_job_show() {
  local path line IFS=' '
  local -a field
  for path in /proc/[0-9]*; do
    # Not $(<FILE): for a process that has ended since, it would end the test.
    { read -r line <"$path/stat"; } 2>/dev/null || continue
    # shellcheck disable=SC2206 # nothing in it is a pattern
    field=(${line##*) })
    [[ ${field[2]-} == "$JOB_PID" ]] || continue
    # It has no line end, and may not be readable.
    line=-
    read -r line <"$path/wchan" || :
    printf '%s: %s, in %s\n' "${path##*/}" "$(tr '\0' ' ' <"$path/cmdline")" "$line"
    grep -E '^(State|PPid|SigPnd|ShdPnd|SigBlk|SigIgn|SigCgt):' "$path/status" | tr '\n' ' '
    echo
  done >&2 2>/dev/null || :
}

# Wait until the load of the run that is the job has started.
# Usage: job_load PHASE   Returns: 0, or 1 with the job's output
job_load() {
  wait_until 120 _job_loads_or_ended "$1" || :
  grep -q "phase $1 starts" "$SCRATCH/job.err" || fail "the load did not begin: $(<"$SCRATCH/job.err")"
}

# Usage: _job_loads_or_ended PHASE   Returns: 0 yes, 1 not yet
_job_loads_or_ended() {
  grep -q "phase $1 starts" "$SCRATCH/job.err" || ! process_start "$JOB_PID" >/dev/null
}

# Run bats' `run` with stderr in $SCRATCH/stderr instead of the output.
# Usage: run_split COMMAND...   Sets: status output lines, and stderr   Returns: 0
run_split() {
  # shellcheck disable=SC2317 # called by run
  _run_split() { "$@" 2>"$SCRATCH/stderr"; }
  run _run_split "$@"
  STDERR=$(<"$SCRATCH/stderr")
}

# Run `do_it.sh plan` in a process of this test that has read the modules and the default settings already: of several plans, each takes a third of
# the CPU time. The process has the environment of the first plan.
# Usage: run_plan ARGUMENT...   Sets: as run_split does   Returns: 0
run_plan() {
  [[ -v PLANNER_PID ]] || _planner_start
  printf '%s\0' "$PWD" "$#" "$@" >&"${PLANNER[1]}"
  read -r status <&"${PLANNER[0]}" || fail "the process of run_plan ended"
  output=$(<"$SCRATCH/plan.out") STDERR=$(<"$SCRATCH/plan.err")
  mapfile -t lines <<<"$output"
}

# Start the process of run_plan: it begins as main() of do_it.sh does, and then makes each plan in a subshell.
# Usage: _planner_start   Sets: PLANNER PLANNER_PID   Returns: 0
_planner_start() {
  coproc PLANNER { exec bash -c 'set -Eeuo pipefail
    export LC_ALL=C
    ROOT=$REPO LIB=$REPO/lib
    . "$LIB/modules.sh"
    . "$LIB/cmd/plan.sh"
    plan_words() {
      # Messages go to the stderr of this plan.
      . "$LIB/core/log.sh"
      COMMAND_WORDS=("$@")
      cleanup_init
      cmd_plan "$@"
    }
    while IFS= read -r -d "" folder; do
      read -r -d "" count
      words=()
      for ((; count > 0; count--)); do
        IFS= read -r -d "" word
        words+=("$word")
      done
      # Not in a list: there, errexit is off.
      set +e
      (set -e && cd "$folder" && plan_words "${words[@]}") >"$SCRATCH/plan.out" 2>"$SCRATCH/plan.err" </dev/null
      echo "$?"
      set -e
    done' do_it.sh 3>&-; }
  process_note "$PLANNER_PID"
}

# Print the value of a setting if layers have these assignments. In a subshell, because bats traces each line of the test's shell.
# Usage: [READ=plan_settle] conf_value NAME [LAYER NAME=VALUE]...   Returns: 0, or what do_it.sh would end with
conf_value() {
  modules 'name=$1
    while shift && (($# > 0)); do
      conf_word "$1" "$2" "$1"
      shift
    done
    ${READ:-conf_read}
    printf "%s\n" "${!name}"' "$@"
}

# Run an awk program that begins with the list of settings and has the functions of their reader.
# Usage: settings_awk PROGRAM <INPUT   Returns: that of the program
settings_awk() {
  local files=("$REPO"/lib/settings/{kind,layers,read,files,found}.awk) tiers=("$REPO"/lib/tier/*.sh) lists
  tiers=("${tiers[@]##*/}")
  lists=$(printf '%s\n' "$REPO"/{conf/defaults,lib/part/*/settings}.conf)
  ROOT=$REPO LIB=$REPO/lib LISTS=$lists TIERS=${tiers[*]%.sh} awk "${files[@]/#/-f}" -f <(printf '%s' "$1")
}

# Print the number of calls of a command, summed over all instances, from a file with their INFO.
# Usage: info_calls COMMAND FILE   Returns: 0
info_calls() {
  sed -n "s/^cmdstat_$1:calls=\([0-9]*\),.*/\1/p" "$2" | awk '{ sum += $1 } END { print sum + 0 }'
}

# Print a column of a phase's row in the result.tsv of the only repeat in $SCRATCH/results.
# Usage: phase_column PHASE NAME   Returns: 0
phase_column() {
  cells -w operation="$1" "$2" "$SCRATCH"/results/*/native/*/rep-1/*/result.tsv
}

# Run shell code with the master's modules in a separate process.
# Usage: modules CODE [ARGUMENT]...   Returns: that of the code
modules() {
  bash -c 'set -Eeuo pipefail
    ROOT=$REPO LIB=$REPO/lib RESUME=
    . "$LIB/modules.sh"
    '"$1" bash "${@:2}"
}

# The same as a script master.sh with a cleanup, like do_it.sh.
# Usage: modules_run CODE   Sets: as run_split does   Returns: 0
modules_run() {
  cat >master.sh <<END
set -Eeuo pipefail
ROOT=$REPO LIB=$REPO/lib RESUME=
. "\$LIB/modules.sh"
cleanup_init
$1
END
  run_split bash master.sh
}

# The same with settings, the server's Redis and the first row of a plan; of the latter two nothing without SETTINGS.
# Usage: master SETTINGS CODE   Sets: as run_split does   Returns: 0
master() {
  local plan='server_facts && server_find_redis; plan_make && plan_row "${PLAN_ROWS[0]}"'
  modules_run ". \"\$REPO/tests/instances.bash\"
for word in REMOTE_DIR=$SCRATCH/host LOCK_DIR=$SCRATCH/locks $1; do conf_word argument \"\$word\" test; done
plan_settle
remote_init
lock_name test
instance_password() { sed -n 's/^requirepass //p' \"\$REMOTE_DIR/run-\$RUN_ID/server/\$1.conf\"; }
${1:+$plan}
$2"
}

# Print the ticks of CPU time of a shell for ROUNDS empty rounds: the same work takes more ticks on a slow machine.
# Usage: rounds_ticks COUNT   Returns: 0
rounds_ticks() {
  bash -c 'for ((i = 0; i < $1; i++)); do :; done; sed "s/.*) //" "/proc/$$/stat"' bash "$1" | awk '{ print $12 + $13 }'
}

# As if a record of a run (lib/shared/owner.sh) had been renewed some seconds ago; its file's time has no meaning.
# Usage: record_age SECONDS FILE...   Returns: 0
record_age() {
  local up ago=$1 file line
  shift
  read -r up _ </proc/uptime
  for file; do
    mapfile -t line <"$file"
    printf '%s\n%s\t%010d\n' "${line[0]}" "${line[1]%$'\t'*}" $((${up%.*} - ago)) >"$file"
  done
}

# Skip the test if a command is not installed.
# Usage: need_command NAME...   Returns: 0
need_command() {
  local name
  for name; do command -v "$name" >/dev/null || skip "$name is not installed"; done
}

# Skip the test unless it runs as root.
# Usage: need_root   Returns: 0
need_root() { ((EUID == 0)) || skip 'needs root'; }

# Skip the test unless this machine can swap out processes of a cgroup.
# Usage: need_swap   Returns: 0
need_swap() {
  need_root
  need_command mkswap swapon
  grep -qE ' cgroup .*[ ,]memory[ ,]' /proc/mounts || grep -qsw memory /sys/fs/cgroup/cgroup.controllers || skip 'no memory cgroup here'
}
