# SPDX-License-Identifier: MIT
# Run a scenario: provision the server, load it from every client, and leave the results in results/.
#
# Usage: ./do_it.sh [run] [--trust] [-q] [-s SCENARIO] [-v VARIANT]... [-H HOSTS_FILE] [NAME=VALUE]...
#        ./do_it.sh run [--trust] --resume RUN
#
#   -s SCENARIO    a name under conf/scenarios, or a file: the run.conf of an earlier run repeats that run
#                  (with -H, its file `hosts`, if it exists)
#   -v VARIANT     a name under conf/variants; the first is the baseline
#   -H HOSTS_FILE  server and clients, as in hosts.example; conflicts with SERVER and CLIENT_IP
#   -q             the quick form: a first answer in about two minutes, and not a result (docs/scenarios/README.md)
#   --resume RUN   continue an interrupted run: complete repeats stay, the others are run
#   --trust        use the programs, files and users that a file of another person names; else they are asked for (docs/security.md)
#   NAME=VALUE     a setting of conf/defaults.conf
#
# The result table is printed on stdout; everything else, with the path of the report, goes to stderr.
# Exit status: 0 done, 1 a repeat failed, 2 bad usage or settings, 3 a host is not fit, 130 or 143 interrupted.
# shellcheck shell=bash

# Run every repeat of a scenario, and print the results; the header of this file is the help.
# Usage: cmd_run [ARGUMENT]...
cmd_run() {
  local failed=0 page
  options_read "${BASH_SOURCE[0]}" "$@"
  plan_settle
  RUN=
  cleanup_push progress_leave
  remote_init
  write_room || return 1
  lock_name "$(basename "$SCENARIO" .conf)"
  # Before anything changes on a host.
  [[ -z $RESUME ]] || run_lock_take "$RESUME"
  if _run_complete; then
    RUN=$RESUME
    log_info "every repeat of $RUN is complete: no host is used"
  else
    _run_hosts || failed=$?
  fi
  # On a full disk no report can be written; the run reports that, and continues when there is space.
  ((failed < 2)) || return 1
  stored_seal "$RUN" run || failed=1
  write_room || return 1
  export RESULT_PROGRAM=${0##*/}
  # Output that cannot be printed can be printed again (summary2csv.sh, compare); the page is still made.
  ending_show "$RUN" "$_REMOTE_TMP/results" || failed=1
  log_info "the run: $RUN"
  if [[ $REPORT == off ]]; then
    log_info "no report (REPORT=off); ./do_it.sh report $(log_word "$RUN") makes it"
  elif ! command -v gnuplot >/dev/null; then
    failed=1
    log_warn "no report: gnuplot is missing (make deps), then ./do_it.sh report $(log_word "$RUN")"
  elif ! page=$(report_make "$RUN" "$_REMOTE_TMP/results"); then
    failed=1
    log_warn "the report is missing or incomplete; ./do_it.sh report $(log_word "$RUN") makes it again"
  fi
  [[ -z ${page-} ]] || log_info "the report: $page"
  return "$failed"
}

# Whether the run in RESUME has every repeat of its plan. With REDISRUNS=auto its figures decide that. What is no plan is refused later.
_run_complete() {
  local variant point repeat status=1 REPLY
  [[ -n $RESUME && $REDISRUNS != auto:* ]] && file_read "$RESUME/plan.tsv" "$FILE_PLAN" || return
  [[ $REPLY == $'number\tvariant\tpoint\trepeat\t'*$'\n' ]] || return
  while IFS=$'\t' read -r _ variant point repeat _; do
    [[ " $VARIANTS " == *" $variant "* && $point =~ ^[0-9][A-Za-z0-9._-]*$ && $repeat =~ ^[0-9]+$ ]] || return
    [[ -d $RESUME/$variant/$point/rep-$repeat ]] || return
    status=0
  done < <(printf '%s' "${REPLY#*$'\n'}")
  return "$status"
}

# Check and tune the hosts, make or reopen the run's directory, and run every repeat on them.
# Returns: as _run_cells
_run_hosts() {
  local failed=0 REPLY
  local -a hosts
  hosts_all
  log_info "checking ${hosts[*]}"
  version_read
  run_prepare
  # Another run may have taken a server since the checks.
  lock_take "${hosts[@]}"
  _run_folder
  log_info "the plan: $(progress_plan "$RUN")"
  plan_warn
  hosts_shared
  [[ -z $REPLY ]] || log_warn "client and server both run on $REPLY: the load generator takes CPU time from the instances"
  tune_start
  cleanup_push repeat_end
  _run_capture
  _run_cells || failed=$?
  sysinfo_irqs "$RUN"
  return "$failed"
}

# Check the hosts, and install what they need.
run_prepare() {
  local rows=$_REMOTE_TMP/doctor
  _run_stale
  doctor_rows >"$rows"
  _run_fit "$rows"
  provision_rows >"$rows"
  _run_fit "$rows"
}

# Exit when a row of the checks is a failure.
# Usage: _run_fit FILE
_run_fit() {
  grep -q $'\tfail\t' "$1" || return 0
  doctor_failures <"$1" >&2
  die_unfit "doctor: a host is not fit, nothing was started; ./do_it.sh doctor --all prints all checks"
}

# Record the facts of every host, tuned as it is for the run.
_run_capture() {
  local -a hosts
  hosts_all
  log_info "reading the description of ${hosts[*]}"
  if [[ -n $RESUME ]] && sysinfo_known "$RUN"; then
    sysinfo_again "$RUN" || die "cannot write the description of every host to $RUN"
    return
  fi
  { sysinfo_capture "$RUN" && facts_write "$RUN"; } || die "cannot write the description of every host to $RUN"
  servers_each _run_memory
  write_file "$RUN/setup.log" sysinfo_head "$RUN" || die "cannot write the description of every host to $RUN"
}

# Record the kinds of memory of one server, and its latencies where they are known.
_run_memory() {
  local REPLY
  hosts_folder "$RUN/env" "$HOST"
  write_file "$REPLY/tiers.tsv" _run_tiers || die "cannot write the kinds of memory of $HOST to $RUN"
  memory_record "$REPLY/memory.tsv" || die "cannot write the latencies of $HOST to $RUN"
}

# Print the kinds of memory of the server in HOST, with a header.
_run_tiers() {
  printf 'kind\twhere\tdetail\n'
  tier_detect "$HOST"
}

# Make results/UTC-SCENARIO, or reopen the directory of a resumed run.
_run_folder() {
  local name head REPLY
  if [[ -n $RESUME ]]; then
    RUN=$RESUME
  else
    name=$(basename "$SCENARIO" .conf)
    name=${name//:/+}
    { mkdir -p -- "$RESULTS_DIR" 2>/dev/null && [[ -w $RESULTS_DIR ]]; } || die_usage "$(conf_where RESULTS_DIR): RESULTS_DIR=$RESULTS_DIR: cannot write to it; set a directory that you can write to"
    write_folder "$RESULTS_DIR" "$name"
    RUN=$REPLY
    run_lock_take "$RUN"
    head=$(_run_conf)
    _run_describe || die "$RUN: cannot be written; free some space, or set RESULTS_DIR"
    plan_enter "${VARIANTS%% *}" ''
  fi
  progress_open "$RUN"
  LOG_FILE=$RUN/run.log
  log_trace_file "$RUN/debug.log"
  [[ -z $RESUME ]] || _run_versions
  log_info "results go to $RUN"
}

# Warn if another version of the tool began the resumed run.
_run_versions() {
  local made
  made=$(version_made "$RUN") || :
  [[ $made == "$VERSION_TEXT" ]] || log_warn "--resume=$RUN: this is $VERSION_TEXT, and ${made:-an unknown version} began the run; its repeats will be of several versions"
}

# Write the files that describe a run into its new directory.
# Usage: _run_describe
# Globals: head, the lines before its settings
# Returns: 1 if one of them cannot be written
_run_describe() {
  local variant tenant
  [[ -z $HOSTS_FILE ]] || write_file "$RUN/hosts" cat -- "$HOSTS_FILE" || return
  for variant in $VARIANTS; do
    mkdir -- "$RUN/$variant" 2>/dev/null || write_failed "$RUN/$variant" || return
    plan_enter "$variant" ''
    write_file "$RUN/$variant/variant.conf" _run_headed "$head" conf_print || return
  done
  for tenant in $(conf_tenants); do
    write_file "$RUN/tenants-$tenant.conf" _run_headed "$head" conf_tenant "$tenant" || return
  done
  # The run can be resumed as soon as run.conf has its name, so that is the last one.
  write_file "$RUN/plan.tsv" plan_print && write_file "$RUN/settings.tsv" plan_settings_print &&
    write_file "$RUN/run.conf" _run_headed "$head" plan_run_settings && stored_note "$RUN" || return
  trust_record "$RUN"/{run.conf,hosts,*/variant.conf,tenants-*.conf}
  # The settings, followed by the events.
  write_file "$RUN/run.log" cat -- "$RUN/run.conf"
}

# Print HEAD, and what a command prints.
# Usage: _run_headed HEAD COMMAND...
_run_headed() {
  printf '%s\n' "$1"
  "${@:2}"
}

# Print the lines before the settings of a run.
_run_conf() {
  printf '# %s\n' "Every setting of this run; $(copy_again "$RUN") repeats it." "Made by $VERSION_TEXT."
}

# Run every repeat in the plan's order. A failed repeat does not end the run, unless the next one would fail in the same way because memory
# is short.
# Returns: 1 if a repeat failed, 2 if the disk is full
_run_cells() {
  local row name variant failed=0 settled='' most='' folder=
  [[ $REDISRUNS != auto:* ]] || most='at most '
  for row in "${PLAN_ROWS[@]}"; do
    plan_row "$row"
    name=${ROW[point]} variant=${ROW[variant]}
    [[ $name != "$settled" ]] || continue
    disk_room "$RUN" "$folder" || return 2
    folder=$RUN/$variant/$name/rep-${ROW[repeat]}
    progress_repeat "${ROW[number]}" "${#PLAN_ROWS[@]}" "$folder"
    # With REDISRUNS=auto a finished repeat may be run again. After a suspension of the master, another run may have the server and its settings.
    if [[ ! -e $folder || $REDISRUNS == auto:* ]] && ! parts_each settle "$row" || ! repeat_tune "$variant"; then
      failed=1
      _run_goes_on || break
      continue
    fi
    log_info "${ROW[number]} of $most${#PLAN_ROWS[@]}: $variant, ${ROW[instances]} instances, ${ROW[keys]} keys of ${ROW[value_size]} B each$(_run_sweep), repeat ${ROW[repeat]}"
    if rounds_repeat "$folder" "${ROW[value_size]}" "${ROW[instances]}" "${ROW[keys]}" "${ROW[repeat]}"; then
      [[ $variant != "${VARIANTS##* }" ]] || ! rounds_look "$name" "${ROW[repeat]}" || settled=$name
      continue
    fi
    failed=1
    _run_goes_on || break
  done
  plan_enter "${VARIANTS%% *}" ''
  return "$failed"
}

# Whether the run starts the next repeat after a failed one.
# Returns: 1 if it does not, with the reason on stderr
_run_goes_on() {
  [[ ${ROW[number]} != "${#PLAN_ROWS[@]}" ]] || return
  if [[ -n $REPEAT_LOST ]]; then
    log_warn "no further repeat starts; ./do_it.sh run --resume $(log_word "$RUN") continues"
    return 1
  fi
  server_room || {
    log_warn "no further repeat starts; free some space, then ./do_it.sh run --resume $(log_word "$RUN") continues"
    return 1
  }
}

# Print the swept settings of the row's point in addition to its size and number of instances.
_run_sweep() {
  [[ ${ROW[sweep]} == - ]] || printf ', %s' "${ROW[sweep]}"
}

# Stop what an earlier run left on the hosts, if its master is dead.
_run_stale() {
  local host
  local -a hosts
  hosts_all
  remote_reach "${hosts[@]}" || {
    parallel_print "${hosts[@]}" >&2
    die_unfit "$(parallel_failed "${hosts[@]}"): cannot be reached, nothing was started; ./do_it.sh doctor prints what is missing"
  }
  parallel_run $((REMOTE_RETRY + 300)) _run_stale_host "${hosts[@]}" || {
    for host in "${hosts[@]}"; do
      ((${PARALLEL_STATUS[$host]} != LOCK_TAKEN)) || die_unfit "$host: in use, nothing was started; wait for that run, or stop it with ./do_it.sh stop --force"
    done
    die_unfit "$(parallel_failed "${hosts[@]}"): cannot be prepared, nothing was started; the line above gives the reason"
  }
}

# Stop what runs with a dead master left on one host, and print it on stderr.
# Usage: _run_stale_host HOST
# Returns: LOCK_TAKEN, with its owner on stderr, if a run with a live master has the host; not 0 if the host cannot be cleaned up
_run_stale_host() {
  local status=0
  lock_clean "$1" stale >&2 || status=$?
  # Two runs can use the same client.
  ((status == LOCK_BESIDE)) || return "$status"
}
