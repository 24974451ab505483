# SPDX-License-Identifier: MIT
# Compare runs or variants: the ratio of each to the first, and whether the difference is significant.
#
# Usage: ./do_it.sh compare [OPTION]... [SMALLEST=PERCENT] [BASE [OTHER]...]
#
#   BASE, OTHER       a run (its directory, or its name under results/), RUN:VARIANT, a variant of the newest run, or a directory
#                     of redis.log.* files of the guide's format. One run alone: its variants against its first variant.
#                     Two runs of several variants: each variant against itself. Without BASE: the newest run. Several runs are
#                     named by their LABEL, or by their servers if these differ.
#   --metric NAME     only this figure; more than once for more; --metric list prints their names
#   --limit 'RULE'    also the max operations per second at a point that meets the rule, such as 'p99<=1ms'
#   --fail-if 'RULE'  exit 1 if the rule is true: 'tx<95%' compares the ratio to the base, 'p99>2ms' the figure itself
#   --price TEXT      also the cost of memory of searches: prices of one GiB, such as 'dram=3.5 cxl=1.8 zram=dram nvme=0.08'
#   --all             every form of a ratio: percentage, gain and factor; by default a percentage for throughput, a factor for costs
#   --repeats         only the table with one row per repeat, as in the guide's Table 1; not with --limit
#   --format FORMAT   table (default), markdown, text (72 columns for a mail, with the command that repeats a run and its checksum; not with
#                     --limit), csv (one table; not with --limit), json (all of them, verdict
#                     and notes; of one run without two variants to compare its totals), html (one page with tables and plots; not with --repeats),
#                     openmetrics (totals) or openmetrics-series (time series), junit (XML: each rule of --fail-if is a test case),
#                     benchmark-action (JSON of one run for github-action-benchmark: throughput, or --metric; all better if more, or all if less)
#
#   SMALLEST=2%       the smallest difference that matters to you
#
# Verdicts: 'same within 2 %' if the whole 95 % interval is within SMALLEST of 100 %; 'better' or 'worse' if it does not
# contain 100 %; else 'not decided', with the number of repeats that would decide. Fewer than three repeats give no interval.
# 'client limited': the load generator was the limit, and the lower bound that it leaves does not support a verdict. 'unanswered':
# the same of a latency, because requests had no answer.
# Exit status: 0 done, 1 a rule of --fail-if is true, a result could not be read completely, or there is nothing to compare, 2 bad usage.
# shellcheck shell=bash

# Compare runs or variants with the first of them; the header of this file is the help.
# Usage: cmd_compare [ARGUMENT]...
cmd_compare() {
  local METRICS='' RULES='' FAIL_IFS='' FORMS='' format=table repeats='' status=0 sections word path what
  local -a words=() paths=() runs
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  conf_environment
  if [[ "$*" =~ ^--metric[\ =]list$ ]]; then
    compare_known list | tr ' ' '\n'
    return
  fi
  while (($# > 0)); do
    case $1 in
      --metric | --limit | --fail-if | --price | --format)
        (($# > 1)) || die_usage "command line: $1: the value is missing; ./do_it.sh compare --help shows the options"
        _compare_option "$1" "$2"
        shift
        ;;
      --metric=* | --limit=* | --fail-if=* | --price=* | --format=*) _compare_option "${1%%=*}" "${1#*=}" ;;
      --all) FORMS=all ;;
      --repeats) repeats=yes ;;
      --)
        shift
        words+=("$@")
        break
        ;;
      SMALLEST=*) conf_word argument "$1" "command line" ;;
      -*) options_unknown "$1" "${BASH_SOURCE[0]}" ;;
      *)
        options_named "$1"
        words+=("$1")
        ;;
    esac
    shift
  done
  conf_read
  if [[ -n $RULES && ($format == @(csv|text) || -n $repeats) ]]; then
    die_usage "command line: --limit: conflicts with --repeats and --format csv and text, which print another single table; leave them out, or use --format json"
  fi
  [[ $format != html || -z $repeats ]] || die_usage "command line: --format=html: conflicts with --repeats, which prints one table; leave one out"
  [[ $format != junit || -n $FAIL_IFS ]] || die_usage "command line: --format=junit: rules are missing; give them with --fail-if, each is a test case"
  if [[ $format == benchmark-action ]]; then
    METRICS=${METRICS:-ops}
    [[ -z $RULES$FAIL_IFS$repeats ]] || die_usage "command line: --format=benchmark-action: conflicts with --limit, --fail-if and --repeats; leave them out"
    ((${#words[@]} < 2)) || die_usage "command line: ${words[1]}: --format=benchmark-action requires a single run; leave the others out"
    compare_known alike "$METRICS" ||
      die_usage "command line: --metric=${METRICS//$'\n'/,}: more of one and less of another is better, and a file has one direction; choose with --metric"
  fi
  [[ $format != html ]] || command -v gnuplot >/dev/null || die "gnuplot is not installed (make deps)"
  if ((${#words[@]} == 0)); then
    path=$(compare_run '') || exit
    log_info "compare: the newest run is $path"
    words=("$path")
  fi
  for word in "${words[@]}"; do
    path=$(compare_resolve "$word") || {
      (($? == 1)) || exit 2
      die_usage "command line: $word: no such run, variant or directory; ./do_it.sh list names runs and variants"
    }
    paths+=("$path")
  done
  export RESULT_PROGRAM=compare
  if [[ $format == benchmark-action ]]; then
    export_benchmark "${paths[0]}"
    return
  elif [[ $format == openmetrics* ]]; then
    [[ -z $RULES$FAIL_IFS$repeats$METRICS ]] || die_usage "command line: --format=$format: conflicts with --metric, --limit, --fail-if and --repeats; leave them out"
    what=totals
    [[ $format == openmetrics ]] || what=series
    export_openmetrics "$what" "${paths[@]}"
    return
  fi
  sections=$(compare_sections "${paths[@]}") || status=$?
  _compare_unfinished "${paths[@]}"
  compare_prose notes 'compare: ' <<<"$sections" >&2
  if ((status == 3 || status == 4)); then
    # Nothing to compare: every rule fails. But one run has totals, and a run of a single variant has nothing else.
    [[ $format != junit ]] || export_junit "$repeats" "$sections"
    [[ $format == json && ${#paths[@]} == 1 ]] || return 1
    export_json "${paths[0]}" <<<"$sections" || status=1
    return $((status != 4))
  fi
  ((status == 0)) || status=1
  # Options that do not fit the format with a single table.
  [[ $format != csv && -z $repeats ]] || compare_differences 'compare: differs: ' <<<"$sections" >&2
  case $format in
    csv) if [[ -n $repeats ]]; then compare_section repeats csv <<<"$sections"; else compare_section rows csv <<<"$sections"; fi ;;
    json) compare_json "$repeats" "$sections" ;;
    junit) export_junit "$repeats" "$sections" ;;
    text)
      mapfile -t runs < <(compare_page_runs <<<"$sections" | cut -f 1)
      compare_prose verdict '' <<<"$sections" | copy_text "$(stored_plain <<<"${words[*]%/}")" "$sections" "${runs[@]}"
      ;;
    html) compare_page_print "$sections" "${paths[@]}" || status=1 ;;
    *) compare_people "$format" "$repeats" "$sections" ;;
  esac
  if grep -q $'^failed\t' <<<"$sections"; then
    compare_prose failed 'compare: --fail-if: ' <<<"$sections" >&2
    status=1
  fi
  return "$status"
}

# Take one option with its value into the variables of cmd_compare.
_compare_option() {
  case $1 in
    --metric)
      compare_known metric "$2" || die_usage "command line: --metric=$2: unknown metric; accepted: $(compare_known list)"
      METRICS+=${METRICS:+$'\n'}$2
      ;;
    --limit)
      if [[ $2 == *%* ]] || ! compare_known condition "$2"; then die_usage "command line: --limit=$2: invalid; accepted: FIGURE<=TIME, such as p99<=1ms"; fi
      RULES+=${RULES:+$'\n'}$2
      ;;
    --fail-if)
      compare_known condition "$2" || die_usage "command line: --fail-if=$2: invalid; accepted: tx<95% or p99>2ms"
      FAIL_IFS+=${FAIL_IFS:+$'\n'}$2
      ;;
    --price) price_take "$2" ;;
    --format)
      [[ $2 =~ ^(table|csv|markdown|text|json|html|openmetrics|openmetrics-series|junit|benchmark-action)$ ]] ||
        die_usage "command line: --format=$2: unknown format; accepted: table csv markdown text json html openmetrics openmetrics-series junit benchmark-action"
      format=$2
      ;;
  esac
}

# Print which repeats of the runs are missing because they did not finish.
_compare_unfinished() {
  local path
  for path; do
    [[ ! -d $path ]] || result_unfinished "$path" | stored_plain | sed 's/^/compare: incomplete, excluded: /' >&2
    ! ledger_is "$path" || ledger_left "$path" | stored_plain | sed 's/^/compare: /' >&2
  done
}
