# SPDX-License-Identifier: MIT
# The only reader of results: finds the logs of runs, and converts them to rows, CSV and the result table.
# shellcheck shell=bash

# Set the variable `escaped` of the caller to TEXT with tab, line break and backslash escaped.
# Usage: _result_escape TEXT
_result_escape() {
  escaped=$1
  [[ $escaped == *[$'\\\t\n\r']* ]] || return 0
  escaped=${escaped//\\/\\\\}
  escaped=${escaped//$'\t'/\\t}
  escaped=${escaped//$'\n'/\\n}
  escaped=${escaped//$'\r'/\\r}
}

# Print the newest run directory: the one with the latest time in its name.
# Usage: result_newest
# Globals: RESULTS_DIR; default: results/ of this project
# Returns: 1 if there is no run
result_newest() {
  local folder=${RESULTS_DIR:-$ROOT/results} run newest='' LC_ALL=C
  folder=${folder%/}
  # In the current directory, the short name reads better in the rows.
  [[ $folder != "$PWD/results" ]] || folder=results
  # Names begin with the time of the start, so the last in order is the newest; the committed sample has no time.
  for run in "$folder"/[0-9]*/; do
    [[ -d $run && $run > $newest ]] && newest=$run
  done
  [[ -n $newest ]] || return 1
  printf '%s\n' "${newest%/}"
}

# Print an E line of result.awk: something is wrong with PATH.
# Usage: _result_problem PATH MESSAGE
_result_problem() {
  local escaped
  _result_escape "$1"
  printf 'E\t%s\t%s\n' "$escaped" "$2"
}

# Add the logs in DIR, escaped, to the list `found` of the caller.
# Usage: _result_find_logs DIR
_result_find_logs() {
  local file escaped
  for file in "$1"/redis.log.*; do
    [[ -e $file ]] || continue
    # Some awks exit if an argument is a directory.
    if [[ ! -f $file ]]; then
      _result_problem "$file" 'is not a file'
      continue
    fi
    _result_escape "$file"
    found+=("$escaped")
  done
}

# Print the logs of one directory for result.awk: a run, a part of a run, or a directory with logs in it, as the guide writes them.
# Usage: _result_list_folder DIR
_result_list_folder() {
  local folder=${1%/} escaped real client before found=() problems=() kind path why
  local -A left=()
  [[ -n $folder ]] || folder=/
  if ! real=$(cd -- "$folder" 2>/dev/null && pwd -P); then
    _result_problem "$folder" 'is a folder that cannot be opened'
    return 0
  fi
  while IFS=$'\t' read -r kind path why; do
    _result_problem "$folder/$path" "$why$([[ $kind == odd ]] || [[ $path != *rep-* ]] || echo '; the repeat is excluded')"
    if [[ $kind == odd ]]; then
      _result_problem "$folder" 'is not read: it may hold regular files alone'
      return 0
    fi
    [[ ! /$path =~ ^(.*/rep-[0-9]+)/ ]] || left[$folder${BASH_REMATCH[1]}]=1
  done < <(stored_look "$folder")
  for client in "$folder"/*/*/rep-*/*/ "$folder"/*/rep-*/*/ "$folder"/rep-*/*/; do
    client=${client%/}
    # An interrupted repeat has another suffix, and the directory of the server's files is not a client.
    [[ ${client%/*} =~ /rep-[0-9]+$ && -d $client && ${client##*/} != server ]] || continue
    [[ -z ${left[${client%/*}]+set} ]] || continue
    before=${#found[@]}
    _result_find_logs "$client"
    ((${#found[@]} > before)) || problems+=("$client")
  done
  _result_find_logs "$folder"
  for client in "${problems[@]}"; do _result_problem "$client" 'has no redis.log of its client'; done
  if ((${#found[@]} == 0)); then
    _result_problem "$folder" 'holds no complete result'
    return 0
  fi
  _result_escape "$folder"
  printf 'D\t%s\t' "$escaped"
  _result_escape "$real"
  printf '%s\n' "$escaped"
  printf 'F\t%s\n' "${found[@]}" | LC_ALL=C sort -V
}

# Print the line of result.awk for a single log.
# Usage: _result_list_file FILE
_result_list_file() {
  local folder=. escaped kind path why
  [[ $1 != */* ]] || folder=${1%/*}
  while IFS=$'\t' read -r kind path why; do
    [[ $kind == odd ]] || continue
    _result_problem "$folder/$path" "$why; the log is not read"
    return 0
  done < <(stored_look "$folder" "${1##*/}")
  _result_escape "$1"
  printf 'F\t%s\t1\n' "$escaped"
}

# Print the input of result.awk for the given runs and files.
# Usage: _result_list RUN_OR_FILE...
_result_list() {
  local path
  for path in "$@"; do
    if [[ -d $path ]]; then
      _result_list_folder "$path"
    elif [[ ! -e $path ]]; then
      _result_problem "$path" 'does not exist'
    elif [[ ! -f $path || ! -r $path ]]; then
      _result_problem "$path" 'cannot be read'
    else
      _result_list_file "$path"
    fi
  done
}

# Print when a phase of a repeat began on its first client, in us.
# Usage: result_began DIR PHASE
result_began() {
  awk -F '\t' -v phase="$2" '$1 == phase && (!n++ || $3 < least) { least = $3 } END { print least }' "$1/starts.tsv"
}

# Print one row per (run, variant, point, repeat, client, phase), tab-separated with a header; problems go to stderr.
# Usage: result_rows RUN_OR_FILE...
#   a ledger of `ab` is read as a run of its sides
# Globals: RESULT_PROGRAM, the prefix of messages (default: summary2csv.sh)
# Returns: 1 if a file could not be read completely; all complete rows are printed
result_rows() {
  local REPLY
  local -a LEDGER_PATHS
  ledger_expand "$@"
  if [[ -n $REPLY ]]; then
    _result_rows "${LEDGER_PATHS[@]}" | figures_run trials -- <(printf '%s' "$REPLY") -
  else
    _result_rows "${LEDGER_PATHS[@]}"
  fi
}

# Print the same of runs and files that are no ledger.
# Usage: _result_rows RUN_OR_FILE...
_result_rows() {
  # awk cannot determine PWD itself.
  _result_list "$@" | RESULT_PROGRAM=${RESULT_PROGRAM:-summary2csv.sh} PWD=$PWD figures_run \
    loadlog interval margin prices settle repeat tier machine foreign discard numbers axes result -- -f <(parts_awk figures.awk phase figures)
}

# Print the columns of rows, or of totals, that the schema marks for csv or total.
# Usage: result_columns csv|total FORMAT <ROWS   FORMAT is csv (RFC 4180), excel, json or html
result_columns() {
  WHERE=$1 figures_run rows | figures_table "$2"
}

# Add up the rows of result_rows over clients.
# Usage: result_add_up <ROWS
# Returns: as result_rows
result_add_up() {
  RESULT_PROGRAM=${RESULT_PROGRAM:-summary2csv.sh} figures_run histogram interval margin overlap window total |
    LC_ALL=C sort -s -t $'\t' -k 1,1 | cut -f 2- | figures_run metric pool
}

# Print rows or totals without those that are discarded. Every figure that compares is computed from its output.
# Usage: result_usable <ROWS
# Globals: RESULT_TOLD: yes: name each of them on stderr; RESULT_PROGRAM, the prefix of messages
# Returns: as result_rows
result_usable() {
  RESULT_PROGRAM=${RESULT_PROGRAM:-summary2csv.sh} RESULT_TOLD=${RESULT_TOLD-} figures_run usable
}

# Print rows added up over clients: one line per (run, variant, point, repeat, operation), tab-separated with a header.
# Usage: result_totals RUN_OR_FILE...
# Returns: as result_rows
result_totals() {
  result_rows "$@" | result_add_up
}

# Read results once, for all outputs: DATA/rows, DATA/totals, and DATA/problems, the files that could not be read completely.
# Usage: result_read DATA RUN_OR_FILE...
# Returns: as result_rows
result_read() {
  local data=$1 status=0
  mkdir -p -- "$data" || return 1
  result_rows "${@:2}" >"$data/rows" 2>"$data/problems" || status=1
  result_add_up <"$data/rows" >"$data/totals" 2>>"$data/problems" || status=1
  return "$status"
}

# Print the result table at the end of a run: one row per variant, point, repeat and phase.
# Usage: result_table <TOTALS
# Globals: FORMAT of figures_table (default: table)
result_table() {
  figures_run bound table | figures_table "${FORMAT:-table}"
}

# Print the unfinished repeats of a run, one path per line.
# Usage: result_unfinished RUN
result_unfinished() {
  local folder whole
  for folder in "$1"/*/*/rep-*.*/ "$1"/*/rep-*.*/; do
    folder=${folder%/}
    whole=${folder%/*}/${folder##*/}
    whole=${whole%/rep-*}/rep-${whole##*/rep-}
    whole=${whole%%.partial*}
    whole=${whole%.cut-*}
    whole=${whole%.failed-*}
    whole=${whole%.disturbed-*}
    [[ ! -d $folder || -d $whole ]] || printf '%s\n' "$folder"
  done
}
