# SPDX-License-Identifier: MIT
# Compare two sides by runs that take turns in random order: kernels, builds of Redis, settings of firmware.
#
# Usage: ./do_it.sh ab [--trials N] [--noise RUN]... [--seed N] [-H HOSTS_FILE] [--trust] A B [NAME=VALUE]...
#        ./do_it.sh ab --next | --all | --side [--trust] [LEDGER]
#        ./do_it.sh ab [LEDGER]
#
#   A, B           files of settings as for run -s, each with one variant; A is the base. Sides that differ only in LABEL are two states of a host.
#                  ab writes a ledger to RESULTS_DIR/ab: every setting of both sides, and the order of the trials. A trial is a run.
#   NAME=VALUE     a setting of both sides
#   --trials N     trials of each side (12; with --noise as many as find SMALLEST in 80 of 100 comparisons)
#   --noise RUN    an earlier run of this machine, its starts and phases; name three or more, because they show what runs and boots add
#   --seed N       the seed of the order; default: a random one
#   --next         run the next trial; after the last one, print the verdict
#   --all          run all trials that are left
#   --side         print the side of the next trial, for a script that boots its kernel; nothing after the last trial
#   LEDGER         the directory that the first form printed; default: the newest one
#
# Without an option, ab prints the state, and after the last trial the verdict. A trial does not count if it was interrupted, failed, or ran on
# another kernel, command line of the kernel, or Redis than its side before: --next repeats it. compare takes a ledger as a run:
# ./do_it.sh compare --format html LEDGER
# Exit status: 0 done, 1 a trial did not count, or a result could not be read, 2 bad usage, 3 a host is not fit, 130 or 143 interrupted.
# shellcheck shell=bash

readonly _AB_TRIALS=12 # of each side, if no noise is known

# Make a ledger, run its next trial, or print its state; the header of this file is the help.
# Usage: cmd_ab [ARGUMENT]...
cmd_ab() {
  local action='' trials='' seed='' hosts='' ledger
  local -a files=() words=() noise=() trust=()
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  while (($# > 0)); do
    case $1 in
      --next | --all | --side) action=$1 ;;
      --trials | --noise | --seed | -H)
        [[ -n ${2-} ]] || die_usage "command line: $1: the value is missing; ./do_it.sh ab --help shows the options"
        _ab_option "$1" "$2"
        shift
        ;;
      --trials=* | --noise=* | --seed=*) _ab_option "${1%%=*}" "${1#*=}" ;;
      --trust) trust=("$1") ;;
      -*) options_unknown "$1" "${BASH_SOURCE[0]}" ;;
      *=*) words+=("$1") ;;
      *)
        [[ -n $1 ]] || die_usage "command line: LEDGER: empty; name a ledger, or leave it out for the newest one"
        files+=("$1")
        ;;
    esac
    shift
  done
  if ((${#files[@]} == 2)); then
    [[ -z $action ]] || die_usage "command line: $action: conflicts with the files of a new comparison; leave it out; --next runs the trials of a ledger"
    _ab_make
    return
  fi
  ((${#files[@]} < 2)) || die_usage "command line: ${files[2]}: too many arguments; accepted: two files of settings, or one ledger"
  [[ -z ${words[*]}${noise[*]}$trials$seed$hosts ]] ||
    die_usage "command line: ${files[0]-ab}: settings and options of a new comparison require two files; name A and B"
  ledger=$(_ab_ledger "${files[@]}") || exit
  ledger_read "$ledger"
  case $action in
    --next) _ab_next ;;
    --all)
      _ab_next || return
      while ((LEDGER_DONE < ${#LEDGER_ROWS[@]})); do _ab_next || return; done
      ;;
    --side) ((LEDGER_DONE == ${#LEDGER_ROWS[@]})) || cut -f 3 <<<"${LEDGER_ROWS[LEDGER_DONE]}" ;;
    *) _ab_show ;;
  esac
}

# Take one option with its value into the variables of cmd_ab.
# Usage: _ab_option OPTION VALUE
_ab_option() {
  case $1 in
    --trials)
      [[ $2 =~ ^([3-9]|[1-9][0-9][0-9]?|1000)$ ]] || die_usage "command line: --trials=$2: invalid; accepted: a whole number from 3 to 1000"
      trials=$2
      ;;
    --seed)
      [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || die_usage "command line: --seed=$2: invalid; accepted: a whole number from 1 to 999999999"
      seed=$2
      ;;
    --noise)
      [[ -n $2 ]] || die_usage "command line: $1: the value is missing; ./do_it.sh ab --help shows the options"
      noise+=("$2")
      ;;
    -H) hosts=$2 ;;
  esac
}

# Print the directory of the ledger that an argument names, or of the newest one.
# Usage: _ab_ledger [WORD]
# Returns: exits 2 if it does not exist
_ab_ledger() {
  local found word=${1-}
  local -a all
  conf_environment
  conf_read
  if [[ -n $word ]]; then
    found=$(compare_resolve "$word") || found=$RESULTS_DIR/ab/$word
  else
    # A directory without this file was interrupted while it was made.
    all=("$RESULTS_DIR"/ab/2*/ledger.tsv)
    found=${all[-1]%/ledger.tsv}
  fi
  ledger_is "$found" || die_usage "command line: ${word:-ab}: not a ledger; ./do_it.sh ab A.conf B.conf makes one in $RESULTS_DIR/ab"
  printf '%s\n' "${found%/}"
}

# Make a ledger of two files of settings.
# Globals: files words noise trials seed hosts of cmd_ab
_ab_make() {
  local i name folder ledger power='' text results REPLY
  local -a sides=() settings=()
  [[ ! ${files[0]} -ef ${files[1]} ]] || die_usage "command line: ${files[1]}: the same file as ${files[0]}; copy it, and set what differs, or LABEL alone"
  for i in 0 1; do
    text=$(_ab_settings "${files[i]}") || exit
    settings+=("$text")
    name=${files[i]##*/}
    name=${name%.conf}
    name=${name//[^A-Za-z0-9._-]/-}
    [[ $name == [A-Za-z0-9]* ]] || name=side$name
    sides+=("$name")
  done
  [[ ${sides[0]} != "${sides[1]}" && ! " ${sides[*]} " =~ \ (runs|hosts|ledger[.]tsv)\  ]] || sides=("${sides[0]}-A" "${sides[1]}-B")
  _ab_value RESULTS_DIR
  results=$REPLY folder=$REPLY/ab
  _ab_power || die "--noise: the runs have no measurement that was repeated; name three runs of these settings"
  { mkdir -p -- "$folder" 2>/dev/null && [[ -w $folder ]]; } || die_usage "RESULTS_DIR=$results: cannot write to it; set a directory that you can write to"
  write_folder "$folder" "${sides[0]}-${sides[1]}"
  ledger=$REPLY
  mkdir -- "$ledger"/{runs,"${sides[0]}","${sides[1]}"} || die "$ledger: cannot create the directory"
  [[ -z $hosts ]] || write_file "$ledger/hosts" cat -- "$hosts" || return 1
  for i in 0 1; do
    write_file "$ledger/${sides[i]}/variant.conf" printf '%s\n' "${settings[i]}" || return 1
    trust_record "$ledger/${sides[i]}/variant.conf"
  done
  mapfile -t LEDGER_ROWS < <(ledger_order "$seed" "$trials" "${sides[@]}")
  write_file "$ledger/ledger.tsv" ledger_print "$seed" "${sides[@]}" "${LEDGER_ROWS[@]}" || return 1
  _ab_sync
  _ab_differences
  [[ -z $power ]] || FORMAT=table figures_tables <<<"$power"
  ledger_read "$ledger"
  trials_state "$ledger" | sed -n 1,3p
  [[ -n $power ]] || printf 'chance   unknown: --noise RUN prints what %d trials of each side find\n' "$trials"
  _ab_following
}

# Print every setting of a side, as assignments that repeat it in spite of later edits of other files.
# Usage: _ab_settings FILE
# Globals: words hosts trust of cmd_ab
# Returns: exits 2 on invalid settings
_ab_settings() {
  local file=$1 text word value
  local -a swept values
  [[ $file == */* || ! -e $file ]] || file=./$file
  options_read "$LIB/cmd/ab.sh" ${hosts:+-H "$hosts"} -s "$file" "${trust[@]}" "${words[@]}"
  plan_settle
  [[ $VARIANTS != *' '* ]] || conf_refuse VARIANTS "a side has one variant; variants of one run take turns already, so name one"
  [[ $REDISRUNS != auto:* ]] || conf_refuse REDISRUNS "a trial has a fixed number of repeats; set it, such as REDISRUNS=1"
  parts_each ledger
  read -r -a swept <<<"$SWEEP"
  for word in "${swept[@]}"; do
    IFS=, read -r -a values <<<"${word#*=}"
    for value in "${values[@]}"; do (_ab_swept "${word%%=*}" "$value") || exit; done
  done
  text=$(conf_print)
  # With the names of all of them, the file of the variant sets nothing.
  printf '%s\n' "$text" | sed 's/=.*//' | paste -sd ' ' | sed 's/.*/OVER="&"/'
  printf '%s\n' "$text"
}

# Refuse a value in SWEEP that a ledger does not keep. Only in a subshell: the value stays in force.
# Usage: _ab_swept NAME VALUE
_ab_swept() {
  CONF_SET+=$'\n-\t-\t'$1$'\t'$2$'\t'$(conf_where SWEEP)': SWEEP'
  plan_enter "$VARIANTS" '' "$1=$2"
  parts_each ledger
}

# A setting of the first side.
# Usage: _ab_value NAME
# Globals: settings of _ab_make
# Returns: sets REPLY
_ab_value() {
  REPLY=${settings[0]#*$'\n'"$1=\""}
  REPLY=${REPLY%%\"$'\n'*}
}

# Find the number of trials, a seed, and what they find.
# Globals: noise trials seed of cmd_ab, settings, results and power of _ab_make
# Returns: 1 if no noise was found
_ab_power() {
  local path word smallest starts REPLY
  local -a runs=()
  if ((${#noise[@]} > 0)); then
    for word in "${noise[@]}"; do
      # The results of the sides may be in another directory than those of other commands.
      [[ $word == */* || ! -d $results/$word ]] || word=$results/$word
      path=$(compare_directory "$word") || exit
      runs+=("$path")
    done
    _ab_value SMALLEST
    smallest=${REPLY%\%}
    _ab_value REDISRUNS
    starts=$REPLY
    _ab_value TIME
    power=$(RESULT_PROGRAM=ab noise_trials "$smallest" "$starts" "$REPLY" "$trials" "${runs[@]}") && [[ $power == pairs* ]] || return 1
    trials=${power%%$'\n'*}
    trials=${trials#*$'\t'} power=${power#*$'\n'}
    ((trials > 0)) || die "--noise: more than 1,000 trials of each side find $smallest %; measure longer (TIME), set SMALLEST, or --trials"
  fi
  trials=${trials:-$_AB_TRIALS} seed=${seed:-$(((RANDOM << 15 | RANDOM) % 999999999 + 1))}
}

# Print what differs between the settings of the sides.
# Globals: settings and sides of _ab_make
_ab_differences() {
  local found names
  found=$(diff <(printf '%s\n' "${settings[0]}") <(printf '%s\n' "${settings[1]}") | sed -n "s/^< /${sides[0]}: /p; s/^> /${sides[1]}: /p" | grep -vE '^[^:]*: (OVER|SCENARIO)=') || :
  [[ -z $found ]] || stored_plain <<<"$found"
  names=$(sed 's/^[^:]*: //; s/=.*//' <<<"$found" | grep -v '^LABEL$' | sort -u | paste -sd ' ') || :
  [[ -n $names ]] || log_info "the sides differ in no setting but LABEL: before each trial, boot the host into the side that ./do_it.sh ab --side prints"
  [[ $names != *' '* ]] || log_warn "the sides differ in ${names// /, }: the verdict is about all of them together"
}

# Print the next trial, and the command that runs it.
# Globals: ledger of cmd_ab
_ab_following() {
  local trial side
  IFS=$'\t' read -r trial _ side _ <<<"${LEDGER_ROWS[LEDGER_DONE]}"
  log_info "next: trial $trial of ${#LEDGER_ROWS[@]}, side $side: ./do_it.sh ab --next $(log_word "$ledger")"
}

# Print the state of the ledger, or after its last trial the verdict.
# Globals: ledger of cmd_ab
_ab_show() {
  local status=0
  trials_state "$ledger"
  if ((LEDGER_DONE < ${#LEDGER_ROWS[@]})); then
    _ab_following
    return
  fi
  printf '\n'
  RESULT_PROGRAM=ab trials_verdict "$ledger" || status=$?
  log_info "a page: ./do_it.sh compare --format html $(log_word "$ledger") >ab.html"
  return "$status"
}

# Run the next trial, and count it if it is whole and of the same system as the earlier trials of its side.
# Globals: ledger trust of cmd_ab
# Returns: the status of the run, 1 if it does not count
_ab_next() {
  local trial pair side lock before run status=0 facts why name
  local -a options=() clean=()
  ((LEDGER_DONE < ${#LEDGER_ROWS[@]})) || {
    _ab_show
    return
  }
  exec {lock}<"$ledger"
  flock -n "$lock" || die_usage "command line: $ledger: another process runs a trial of it; wait for it, or interrupt it there"
  ledger_read "$ledger"
  IFS=$'\t' read -r trial pair side _ <<<"${LEDGER_ROWS[LEDGER_DONE]}"
  log_info "trial $trial of ${#LEDGER_ROWS[@]}, pair $pair, side $side"
  [[ ! -e $ledger/hosts ]] || options=(-H "$ledger/hosts")
  options+=("${trust[@]}")
  # Settings of today's environment would override those of the side.
  for name in "${!TIERBENCH_@}"; do [[ $name == TIERBENCH_@(PATH|DEBUG) ]] || clean+=(-u "$name"); done
  before=$(ls "$ledger/runs")
  env "${clean[@]}" "$ROOT/do_it.sh" run "${options[@]}" -s "$ledger/$side/variant.conf" RESULTS_DIR="$ledger/runs" >&2 {lock}<&- || status=$?
  # Not the last by name, which has the time: the clock may have been set.
  run=$ledger/runs/$(comm -13 <(printf '%s\n' "$before") <(ls "$ledger/runs") | tail -n 1)
  if ((status > 0)); then
    why="the run ended with status $status"
  elif [[ $run == */ ]]; then
    why="there is no new run in $ledger/runs"
  elif ! verify_show "$run" >/dev/null; then
    why="$run is not whole and unchanged (./do_it.sh verify $(log_word "$run"))"
  else
    facts=$(trials_facts "$run" "$(trials_setting "$ledger" "$side" SERVER)")
    why=$(_ab_other "$side" "$facts" "$run")
  fi
  if [[ -n $why ]]; then
    exec {lock}<&-
    log_warn "trial $trial, side $side: does not count: $why; ./do_it.sh ab --next $(log_word "$ledger") repeats it"
    return $((status > 0 ? status : 1))
  fi
  _ab_sync
  LEDGER_ROWS[LEDGER_DONE]=$trial$'\t'$pair$'\t'$side$'\t'${run##*/}$'\t'$facts
  write_file "$ledger/ledger.tsv" ledger_print "$LEDGER_SEED" "${LEDGER_SIDES[@]}" "${LEDGER_ROWS[@]}" || return
  _ab_sync
  exec {lock}<&-
  ledger_read "$ledger"
  _ab_alike "$trial" "$side" "$run"
  if ((LEDGER_DONE < ${#LEDGER_ROWS[@]})); then _ab_following; else _ab_show; fi
}

# Warn if the first trial of a side is of the same system as the first one of the other side, although the sides are states of the hosts.
# Usage: _ab_alike TRIAL SIDE RUN
# Globals: ledger of cmd_ab
_ab_alike() {
  local other=${LEDGER_SIDES[0]} first
  [[ $other != "$2" ]] || other=${LEDGER_SIDES[1]}
  first=$(ledger_run "$ledger" "$other")
  [[ -n $first && $(ledger_run "$ledger" "$2") == "$3" ]] && trials_alike "$first" "$3" || return 0
  log_warn "trial $1, side $2: its settings, kernel, programs and hardware are those of $other: if the sides are kernels, builds or firmware, one of them was not booted; then start a new comparison"
}

# Bring the ledger and its runs to the disk, because a reset of the host may be next.
# Globals: ledger of cmd_ab
_ab_sync() {
  sync -f -- "$ledger" 2>/dev/null || sync
}

# Print why a trial is of another system than the earlier trials of its side: another kernel, or another Redis, or another command line of the kernel
# than that of the first one; nothing if it is of the same.
# Usage: _ab_other SIDE FACTS RUN
# Globals: ledger of cmd_ab
_ab_other() {
  local kernel redis why first
  IFS=$'\t' read -r kernel _ redis <<<"$2"
  why=$(printf '%s\n' "${LEDGER_ROWS[@]:0:LEDGER_DONE}" | KERNEL=$kernel BUILD=$redis awk -F '\t' -v side="$1" '
    $3 "" != side "" || found { next }
    $5 "" != ENVIRON["KERNEL"] "" { print "the server has the kernel " ENVIRON["KERNEL"] ", and had " $5; found = 1; next }
    $7 != ENVIRON["BUILD"] { print "the server has Redis " ENVIRON["BUILD"] ", and had " $7; found = 1 }')
  first=$(ledger_run "$ledger" "$1")
  [[ -n $why || -z $first ]] || why=$(trials_booted "$3" "$first" "$(trials_setting "$ledger" "$1" SERVER)")
  [[ -z $why ]] || printf '%s\n' "$why"
}
