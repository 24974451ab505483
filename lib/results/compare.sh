# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Compare runs and variants: resolve the arguments, compare them, and print the result in the requested format.

# What a run in the quick form prints with its tables and its answer.
readonly COMPARE_QUICK='Quick form (-q): a first answer, not a result.'

# Print the directory or file of an argument: a path, an archive, a run in results/, or a variant of the newest run.
# Usage: compare_resolve WORD
# Globals: RESULTS_DIR, the directory of runs; default: results/ of this project
# Returns: 1 if it does not exist; exits 2 if it is an archive that cannot be read
compare_resolve() {
  local word=$1 newest folder=${RESULTS_DIR:-$ROOT/results}
  # In the current directory, the short name reads better.
  [[ -n ${RESULTS_DIR-} || $folder != "$PWD/results" ]] || folder=results
  if [[ -z $word ]]; then
    return 1
  elif [[ -f $word && $word == *.tar.gz ]]; then
    bundle_open "$word"
  elif [[ -e $word ]]; then
    printf '%s\n' "$word"
  elif [[ $word == *:* && -d ${word%:*}/${word##*:} ]]; then
    # Tables name a variant of a run RUN:VARIANT.
    printf '%s\n' "${word%:*}/${word##*:}"
  elif [[ -d $folder/${word/:/\/} ]]; then
    printf '%s\n' "$folder/${word/:/\/}"
  elif newest=$(result_newest) && [[ -d $newest/$word ]]; then
    printf '%s\n' "$newest/$word"
  else
    return 1
  fi
}

# Print the directory of the run that an argument names, or of the newest run if it is empty.
# Usage: compare_run WORD
# Globals: RESULTS_DIR
# Returns: exits 2 if there is no such run, 1 if there are no runs.
compare_run() {
  if [[ -n $1 ]]; then
    compare_resolve "$1" || die_usage "command line: $1: no such run; ./do_it.sh list names runs"
  else
    result_newest || die "RESULTS_DIR=$RESULTS_DIR: no run; name a run, or ./do_it.sh makes one"
  fi
}

# Print the directory of results that an argument names: a run, and not a variant or a file.
# Usage: compare_directory WORD
# Returns: as compare_run; exits 2 for anything else
compare_directory() {
  local path
  path=$(compare_run "$1") || exit
  [[ -d $path && ! -e $path/variant.conf ]] || die_usage "command line: $1: not a directory of results; ./do_it.sh list names runs"
  printf '%s\n' "$path"
}

# Whether WORD is a condition such as p99<=1ms, or the name of a metric; with list, print these names; with alike, whether more is better of all
# metrics in WORD, one per line, or less of all.
# Usage: compare_known condition|metric|alike WORD
#        compare_known list
# Returns: 0 yes, 1 no
compare_known() {
  KIND=$1 WORD=${2-} figures_run metric known
}

# Compare and print sections, in the form that compare.awk describes, with those of environment.awk.
# Usage: compare_sections RUN_OR_DIR...
# Globals: METRICS RULES FAIL_IFS, one word per line; FORMS (all: every form of a ratio); SMALLEST (default: 2%); COMPARE_TOTALS, a file with the
# totals of a single argument, if they have been read
# Returns: 1 if a result could not be read completely, 3 or 4 if there is nothing to compare (compare.awk)
compare_sections() {
  local found status=0
  found=$(
    _compare_input "$@" |
      METRICS=${METRICS-} RULES=${RULES-} FAIL_IFS=${FAIL_IFS-} FORMS=${FORMS-} SMALLEST=${SMALLEST:-2%} \
        figures_run metric interval robust decide schedule pair judge bound format verdict compare
  ) || status=$?
  [[ -z $found ]] || printf '%s\n' "$found"
  _compare_files <<<"$found" | compare_environment
  return "$status"
}

# Print the differences of descriptions of hosts and of settings, as sections: environment.awk describes both.
# Usage: compare_environment <LINES
# Globals: ROOT
compare_environment() {
  ALIASES=$ROOT/conf/aliases.tsv figures_run environment
}

# Print the totals of every argument after its number and name, and its warnings.
_compare_input() {
  local number=0 status=0 escaped argument file totals
  for argument; do
    number=$((number + 1))
    _result_escape "${argument##*/}"
    printf 'A\t%d\t%s\n' "$number" "$escaped"
    for file in "$argument"/*/variant.conf; do
      [[ -e $file ]] || continue
      file=${file%/*}
      _result_escape "${file##*/}"
      printf 'V\t%d\t%s\n' "$number" "$escaped"
    done
    if [[ -n ${COMPARE_TOTALS-} ]]; then
      totals=$(<"$COMPARE_TOTALS")
    else
      totals=$(result_totals "$argument") || status=1
    fi
    [[ -n $totals ]] || continue
    printf '%s\n' "$totals" | sed "s/^/T\t$number\t/"
    figures_run bound report <<<"$totals" | sed -n "s/^warning\t/W\t$number\t/p"
  done
  return "$status"
}

# For each pair on stdin, print the files that describe the two sides: BASE OTHER WHERE FILE FILE.
_compare_files() {
  local section base base_folder base_variant other other_folder other_variant
  # read treats tabs as blanks, and would drop empty fields; another separator does not.
  while IFS=$'\001' read -r section base base_folder base_variant other other_folder other_variant; do
    [[ $section == pairs ]] || continue
    # Plain logs in a directory have no description of their source.
    if [[ -z $base_folder || -z $other_folder ]]; then
      printf '%s\t%s\tsettings and hosts\t%s\t%s\n' "$base" "$other" "${base_folder:+$base_folder/run.conf}" "${other_folder:+$other_folder/run.conf}"
      continue
    fi
    printf '%s\t%s\tsetting\t%s\t%s\n' "$base" "$other" "$(_compare_settings "$base_folder" "$base_variant")" \
      "$(_compare_settings "$other_folder" "$other_variant")"
    if ledger_is "$base_folder" && [[ $base_folder == "$other_folder" ]]; then
      base_folder=$(ledger_run "$base_folder" "$base_variant") other_folder=$(ledger_run "$other_folder" "$other_variant")
    fi
    [[ $base_folder != "$other_folder" ]] || continue
    _compare_hosts "$base" "$base_folder" "$other" "$other_folder"
  done < <(grep $'^pairs\t' | tr '\t' '\001')
}

# Print the file with the settings of a variant: its own, else the run's.
_compare_settings() {
  if [[ -r $1/$2/variant.conf ]]; then
    printf '%s\n' "$1/$2/variant.conf"
  else
    printf '%s\n' "$1/run.conf"
  fi
}

# Print the descriptions of hosts with the same part in two runs: the server, and the clients in their order.
_compare_hosts() {
  local base=$1 base_folder=$2 other=$3 other_folder=$4 index where
  local -a base_hosts other_hosts
  mapfile -t base_hosts < <(_compare_host_names "$base_folder/run.conf")
  mapfile -t other_hosts < <(_compare_host_names "$other_folder/run.conf")
  if [[ -z ${base_hosts[0]-} || -z ${other_hosts[0]-} ]]; then
    printf '%s\t%s\tserver\t%s\t%s\n' "$base" "$other" "$(_compare_host_file "$base_folder" "${base_hosts[0]-}")" \
      "$(_compare_host_file "$other_folder" "${other_hosts[0]-}")"
    return
  fi
  for index in "${!base_hosts[@]}"; do
    where=server
    ((index == 0)) || where="client $index"
    # A machine that is both server and client is described once.
    ((index == 0)) || [[ ${base_hosts[index]} != "${base_hosts[0]}" || ${other_hosts[index]-} != "${other_hosts[0]-}" ]] || continue
    [[ -n ${other_hosts[index]-} ]] || continue
    printf '%s\t%s\t%s\t%s\t%s\n' "$base" "$other" "$where" "$(_compare_host_file "$base_folder" "${base_hosts[index]}")" \
      "$(_compare_host_file "$other_folder" "${other_hosts[index]}")"
  done
}

# Print the hosts of a run, the server first.
_compare_host_names() {
  [[ -r $1 ]] || return 0
  # The first of several.
  sed -n 's/^SERVER=//p' "$1" | tr -d "\"'" | sed -n '1{s/ .*//;p;}'
  sed -n 's/^CLIENT_IP=//p' "$1" | tr -d "\"'()" | sed -n 1p | tr -s ' ' '\n'
}

# Print the path of the description of a host in a run: env.tsv if the run has it, else setup.log.
# Usage: _compare_host_file RUN HOST
_compare_host_file() {
  local REPLY
  hosts_folder "$1/env" "$2"
  if [[ -r $REPLY/env.tsv ]]; then
    printf '%s\n' "$REPLY/env.tsv"
  else
    printf '%s\n' "$REPLY/setup.log"
  fi
}

# Print one section of the output of compare_sections, in FORMAT.
# Usage: compare_section NAME FORMAT <SECTIONS
compare_section() {
  SECTION=$1 FORMAT=$2 figures_run section render
}

# The table of a comparison that people see, and its title: a short one if one or two repeats allow no verdict.
# Usage: compare_shown SECTIONS
# Returns: sets REPLY to the name of the section, and TITLE
compare_shown() {
  REPLY=rows TITLE='Median of repeats, with their min and max, the ratio of the medians, and the interval of the ratio of geometric means'
  [[ $1 != *$'\nshort\t'* ]] || REPLY=short TITLE='One or two repeats: medians without a verdict'
  [[ $1 != *$'\nquick\t'* ]] || TITLE="$COMPARE_QUICK $TITLE"
}

# Print the lines of a prose section, each after PREFIX.
# Usage: compare_prose NAME PREFIX [FORMAT] <SECTIONS
compare_prose() {
  SECTION=$1 PREFIX=$2 FORMAT=${3:-table} figures_run section prose
}

# Print a line for each difference, for formats without a table of differences.
# Usage: compare_differences PREFIX <SECTIONS
compare_differences() {
  sed -n $'s/^differs\t//p' | awk -F '\t' 'NR > 3 { print $3 ", " $4 ": " $5 " (" $1 "), " $6 " (" $2 ")" }' | figures_prose "$1"
}

# Print a comparison as text: differences, figures, each repeat, limits and the verdict.
# Usage: compare_people FORMAT REPEATS_ONLY SECTIONS
compare_people() {
  local format=$1 repeats_only=$2 sections=$3 bold='' REPLY TITLE
  [[ $format != markdown ]] || bold='**'
  if [[ -n $repeats_only ]]; then
    compare_section repeats "$format" <<<"$sections"
    return
  fi
  if (($(grep -c $'^differs\t' <<<"$sections") > 3)); then
    printf '%sDifferences%s\n\n' "$bold" "$bold"
    compare_section differs "$format" <<<"$sections"
    printf '\n'
  fi
  compare_shown "$sections"
  printf '%s%s%s\n\n' "$bold" "$TITLE" "$bold"
  compare_section "$REPLY" "$format" <<<"$sections"
  printf '\n%sEach repeat%s\n\n' "$bold" "$bold"
  compare_section repeats "$format" <<<"$sections"
  if grep -q $'^limits\t' <<<"$sections"; then
    printf '\n%sMax operations per second within the limit%s\n\n' "$bold" "$bold"
    compare_section limits "$format" <<<"$sections"
  fi
  printf '\n'
  compare_prose verdict '' "$format" <<<"$sections"
}

# Print a comparison as one JSON object: tables, and prose as lists of strings.
# Usage: compare_json REPEATS_ONLY SECTIONS
compare_json() {
  local name first=yes sections=$2
  local -a names=(differs rows repeats limits verdict notes failed)
  [[ -z $1 ]] || names=(repeats)
  printf '{'
  for name in "${names[@]}"; do
    [[ -n $first ]] || printf ', '
    first=''
    printf '"%s": ' "$name"
    if [[ $name == @(verdict|notes|failed) ]]; then
      compare_prose "$name" '' json <<<"$sections"
    elif grep -q "^$name"$'\t' <<<"$sections"; then
      compare_section "$name" json <<<"$sections"
    else
      printf '[]\n'
    fi
  done
  printf '}\n'
}
