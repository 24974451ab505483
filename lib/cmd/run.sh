# SPDX-License-Identifier: MIT
# Run a scenario: provision the server, load it from every client, and leave the results in results/.
#
# Usage: ./do_it.sh [run] [-s SCENARIO] [-v VARIANT]... [-H HOSTS_FILE] [NAME=VALUE]...
#        ./do_it.sh run --resume RUN
#
#   -s SCENARIO    a name under conf/scenarios, or a file: the run.conf of an earlier run repeats that run
#                  (with -H, its file hosts, when it has one)
#   -v VARIANT     a name under conf/variants; the first is the baseline
#   -H HOSTS_FILE  server and clients, as in hosts.example
#   --resume RUN   go on with a run that was cut: repeats that are whole stay, the others are run
#   NAME=VALUE     a setting of conf/defaults.conf
#
# The result table is printed on stdout; everything else, with the path of the report, goes to stderr.
# Exit status: 0 done, 1 a repeat failed, 2 bad usage or settings, 3 a host is not fit, 130 or 143 interrupted.
# shellcheck shell=bash

# shellcheck source=lib/report.sh
. "$LIB/report.sh"

cmd_run() {
  local failed=0 page
  options_read "${BASH_SOURCE[0]}" "$@"
  _run_build
  remote_init
  lock_name "$(basename "$SCENARIO" .conf)"
  run_prepare
  lock_take
  tune_start
  _run_capture
  _run_cells || failed=1
  RESULT_PROGRAM=${0##*/} result_table "$RUN" || failed=1
  _run_compare
  scaling_show "$RUN"
  ratio_show "$RUN"
  log_info "the run: $RUN"
  # Drawn from what is there by now; it can be drawn again, so a page that fails does not make the run fail.
  page=$(report_make "$RUN") || :
  [[ -z $page ]] || log_info "the report: $page"
  return "$failed"
}

# The load generator is compiled like the guide's, before anything else; an installed tree brings it along.
_run_build() {
  local log
  [[ ! -x $ROOT/test || -e $ROOT/build ]] || return 0
  log=$(make -s -C "$ROOT" 2>&1) || die "the load generator does not build: $(tail -n 1 <<<"$log")"
}

# Check the hosts, make or reopen the run's folder, and write down what is about to happen.
run_prepare() {
  local rows=$_REMOTE_TMP/doctor
  server_password
  _run_stale
  doctor_rows >"$rows"
  if grep -q $'\tfail\t' "$rows"; then
    doctor_failures <"$rows" >&2
    die_unfit "a host is not fit (./do_it.sh doctor shows all checks); nothing was started"
  fi
  _run_folder
  plan_warn
}

# Write down what every host is, tuned as it is for the run.
_run_capture() {
  local host
  while read -r host; do
    log_info "reading what $host is"
    sysinfo_capture "$host" "$RUN" || die "$host: its description could not be written to $RUN"
  done < <(doctor_hosts)
  { printf 'kind\twhere\tdetail\n' && tier_detect "$SERVER"; } >"$RUN/env/$SERVER/tiers.tsv"
  sysinfo_head "$RUN" >"$RUN/setup.log"
}

# Make results/UTC-SCENARIO, or go on in the one that is resumed. A folder is never used twice.
_run_folder() {
  local name variant
  if [[ -n $RESUME ]]; then
    RUN=$RESUME
  else
    name=$(basename "$SCENARIO" .conf)
    { mkdir -p -- "$RESULTS_DIR" && [[ -w $RESULTS_DIR ]]; } || die_usage "$(conf_where RESULTS_DIR): $RESULTS_DIR cannot be written"
    until RUN=$RESULTS_DIR/$(date -u +%Y%m%dT%H%M%SZ)-$name && mkdir -- "$RUN" 2>/dev/null; do
      [[ -d $RUN ]] || die "$RUN: cannot be made"
      sleep 1 # another run took this second's name
    done
    [[ -z $HOSTS_FILE ]] || cp -- "$HOSTS_FILE" "$RUN/hosts"
    for variant in $VARIANTS; do
      mkdir -- "$RUN/$variant"
      variant_use "$variant"
      server_auto
      { _run_conf && conf_print; } >"$RUN/$variant/variant.conf"
    done
    { _run_conf && options_print; } >"$RUN/run.conf.new"
    mv -- "$RUN/run.conf.new" "$RUN/run.conf"
    variant_use "${VARIANTS%% *}"
    server_auto
    fill_write "$RUN/fill.tsv"
    cp -- "$RUN/run.conf" "$RUN/run.log" # what was asked, and below it what happened
  fi
  LOG_FILE=$RUN/run.log
  log_info "results go to $RUN"
}

# Print what stands above the settings of a run.
_run_conf() {
  printf '# %s\n' "Every setting of this run; $(report_again "$RUN") repeats it."
}

# With several variants: the guide's Table 1, the others against the first, and below it what the guide leaves out.
_run_compare() {
  local sections
  [[ $VARIANTS == *' '* ]] || return 0
  sections=$(RESULT_PROGRAM=${0##*/} METRICS=$'tx\nops\np50\np99\np99.9\nfar\ncpu' LIMITS='' FAIL_IFS='' compare_sections "$RUN" 2>/dev/null) || return 0
  printf '\nEach repeat against %s\n\n' "${VARIANTS%% *}"
  compare_section repeats table <<<"$sections"
  printf '\nMedian of repeats against %s\n\n' "${VARIANTS%% *}"
  compare_section rows table <<<"$sections"
  ! result_rows "$RUN" 2>/dev/null | awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $at["placement"] == "off" { found = 1 }
    END { exit !found }' ||
    log_warn "rows with placement=off are of a tier that did not get what its variant asks for"
}

# Every repeat in the plan's order; a failed one does not end the run, unless the next would fail in the same way for want of memory.
_run_cells() {
  local name size instances repeat variant ratio pattern keys failed=0
  local -a cells
  mapfile -t cells < <(plan_cells)
  local cell number=0
  for cell in "${cells[@]}"; do
    number=$((number + 1))
    IFS=$'\t' read -r name size instances repeat variant ratio pattern <<<"$cell"
    plan_at "$variant" "$ratio" "$pattern"
    tune_apply "$variant"
    keys=$(fill_keys "$size" "$instances")
    log_info "$number of ${#cells[@]}: $variant, $instances instances, $keys keys of $size B each, repeat $repeat"
    repeat_run "$RUN/$variant/$name/rep-$repeat" "$size" "$instances" "$keys" "$repeat" && continue
    failed=1
    ((number < ${#cells[@]})) || break
    server_room || {
      log_warn "no further repeat is started; once there is room, ./do_it.sh run --resume $RUN does the rest"
      break
    }
  done
  return "$failed"
}

# End what an earlier run of ours left on the hosts, when its master is gone.
_run_stale() {
  local host
  while read -r host; do
    remote_open "$host" || die_unfit "$host cannot be reached; nothing was started"
    remote_run -e LEASE "$host" stop stale >&2 || die_unfit "$host is in use; nothing was started"
  done < <(doctor_hosts)
}
