# SPDX-License-Identifier: MIT
# Compare runs or variants: what each reaches of the first, and whether the difference is more than chance.
#
# Usage: ./do_it.sh compare [OPTION]... BASE [OTHER]...
#
#   BASE, OTHER       a run (its folder, or its name under results/), RUN:VARIANT, a variant of the newest run, or a folder
#                     of redis.log.* files of the guide's format. One run alone: its variants against its first variant.
#                     Two runs of several variants: each variant against itself.
#   --metric NAME     only this figure; more than once for more: tx ops avg p50 p90 p99 p99.9 p99.99 max far cpu errors misses
#   --limit 'RULE'    also the most operations a second at a point that keeps the rule, such as 'p99<=1ms'
#   --fail-if 'RULE'  exit 1 when a figure is so: 'tx<95%' is of the base, 'p99>2ms' is the figure itself
#   --repeats         only the table with a row a repeat, as in the guide's Table 1; not with --limit
#   --format FORMAT   table (default), markdown, csv (one table; not with --limit) or json (all of them, verdict and notes)
#
# A 95 % interval that holds 100 % is 'no difference shown'; with fewer than three repeats there is no interval.
# Exit status: 0 done, 1 a rule of --fail-if is met or a result could not be read whole, 2 bad usage.
# shellcheck shell=bash

# shellcheck source=lib/compare.sh
. "$LIB/compare.sh"

cmd_compare() {
  local METRICS='' LIMITS='' FAIL_IFS='' format=table repeats='' status=0 sections word path
  local -a words=() paths=()
  ! options_asked_help "${BASH_SOURCE[0]}" "$@" || return 0
  conf_environment
  conf_resolve
  while (($# > 0)); do
    case $1 in
      --metric | --limit | --fail-if | --format)
        (($# > 1)) || die_usage "$1 needs a value"
        _compare_option "$1" "$2"
        shift
        ;;
      --metric=* | --limit=* | --fail-if=* | --format=*) _compare_option "${1%%=*}" "${1#*=}" ;;
      --repeats) repeats=yes ;;
      --)
        shift
        words+=("$@")
        break
        ;;
      -*) die_usage "unknown option $1 (see ./do_it.sh compare --help)" ;;
      *) words+=("$1") ;;
    esac
    shift
  done
  if [[ -n $LIMITS && ($format == csv || -n $repeats) ]]; then
    die_usage "--limit has a table of its own, for which --repeats and --format csv have no place: leave them out (json has every table)"
  fi
  ((${#words[@]} > 0)) || die_usage "nothing to compare: name a run (./do_it.sh list names them)"
  for word in "${words[@]}"; do
    path=$(compare_resolve "$word") || die_usage "there is no run, variant or folder $word (./do_it.sh list names runs)"
    paths+=("$path")
  done
  export RESULT_PROGRAM=compare
  sections=$(compare_sections "${paths[@]}") || status=1
  _compare_unfinished "${paths[@]}"
  compare_prose notes 'compare: ' <<<"$sections" >&2
  grep -q $'^rows\t' <<<"$sections" || return 1
  # What has no place in the one table that is asked for.
  [[ $format != csv && -z $repeats ]] || compare_differences 'compare: differs: ' <<<"$sections" >&2
  case $format in
    csv) if [[ -n $repeats ]]; then compare_section repeats csv <<<"$sections"; else compare_section rows csv <<<"$sections"; fi ;;
    json) compare_json "$repeats" "$sections" ;;
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
      compare_known metric "$2" || die_usage "--metric: there is no figure $2 (tx ops avg p50 p90 p99 p99.9 p99.99 max far cpu errors misses)"
      METRICS+=${METRICS:+$'\n'}$2
      ;;
    --limit)
      if [[ $2 == *%* ]] || ! compare_known condition "$2"; then die_usage "--limit: '$2' is not of the form p99<=1ms"; fi
      LIMITS+=${LIMITS:+$'\n'}$2
      ;;
    --fail-if)
      compare_known condition "$2" || die_usage "--fail-if: '$2' is not of the form tx<95% or p99>2ms"
      FAIL_IFS+=${FAIL_IFS:+$'\n'}$2
      ;;
    --format)
      [[ $2 =~ ^(table|csv|markdown|json)$ ]] || die_usage "--format: $2 is none of table, csv, markdown, json"
      format=$2
      ;;
  esac
}

# Say which repeats of the runs are not there because they did not finish.
_compare_unfinished() {
  local path
  for path; do
    [[ ! -d $path ]] || result_unfinished "$path" | sed 's/^/compare: not complete, left out: /' >&2
  done
}
