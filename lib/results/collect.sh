# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One static page of verified runs of many machines. Runs come from other people: proof.awk says what must hold, and all their text is escaped.

# The lines at the top of a page by which a later call knows its own page.
readonly _COLLECT_HEAD=$'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="tierbench collect">'

# By checksum of their SHA256SUMS: the runs that entered.
declare -A _COLLECT_KNOWN=()

# Write the page of all runs that prove their figures, and print its path. One line on stderr says why a run is refused.
# Usage: collect_make FILE PATH...   PATH is a run, an archive of one, or a directory with such
# Returns: 1 if a run is refused, or the page cannot be written; exits 1 if none enters, 2 if FILE is not a page of an earlier call
collect_make() {
  local file=$1 data path run why lines='' status=0
  local -a paths=()
  _collect_own "$file" || die_usage "command line: --out=$file: exists, and is not a page of collect; move it, or choose another name"
  data=$(mktemp -d "${TMPDIR:-/tmp}/tierbench-$$.XXXXXX" 2>/dev/null) || die "${TMPDIR:-/tmp}: cannot be written; set TMPDIR to another directory"
  cleanup_push rm -rf -- "$data"
  _collect_find "${@:2}"
  for path in "${paths[@]}"; do
    run='' why=''
    if _collect_open "$path" && _collect_judge "$run" "$data"; then
      lines+=$(_collect_rows "$run" "$data" "$file")$'\n'
    else
      printf 'collect: %s: refused: %s\n' "$path" "$why" | stored_plain >&2
      status=1
    fi
  done
  [[ -n $lines ]] || die "no run enters the page; the lines above say why"
  write_file "$file" _collect_page "$lines" || return 1
  printf '%s\n' "$file"
  return "$status"
}

# Whether FILE does not exist, or is a page of collect.
_collect_own() {
  local -a lines
  [[ -e $1 || -L $1 ]] || return 0
  [[ -f $1 && ! -L $1 ]] && mapfile -t -n 5 lines <"$1" && [[ $(printf '%s\n' "${lines[@]}") == "$_COLLECT_HEAD" ]]
}

# Add the runs and archives of PATH... to `paths` of the caller.
_collect_find() {
  local path entry before
  for path; do
    path=${path%/} before=${#paths[@]}
    if [[ -f $path || -e $path/run.conf || -e $path/SHA256SUMS ]]; then
      paths+=("$path")
      continue
    fi
    for entry in "$path"/*; do
      # bundle_open has what it unpacked there.
      [[ ${entry##*/} == received || ! -d $entry && $entry != *.tar.gz ]] || paths+=("$entry")
    done
    # Without any in it, the directory itself is named as not a run.
    ((${#paths[@]} > before)) || paths+=("$path")
  done
}

# Set `run` of the caller to the directory of a run or an archive.
# Usage: _collect_open PATH
# Returns: 1 with `why` of the caller
_collect_open() {
  run=$1
  if [[ -f $run ]]; then
    run=$(bundle_open "$1" 2>&1) || why=${run#*"$1: "}
  elif [[ -L $run ]]; then
    why='a link'
  elif [[ ! -e $run/run.conf ]]; then
    why='run.conf is missing: not a run'
  fi
  [[ -z $why ]]
}

# Whether a run is whole, unchanged, of a known version and new, and its results prove themselves; they are read into DATA.
# Usage: _collect_judge RUN DATA
# Returns: 1 with `why` of the caller
_collect_judge() {
  local text made sum
  if ! text=$(verify_show "$1" 2>&1); then
    why=$(awk '/^(missing|changed|added) / { sub(/ +/, " "); line = $0; exit } { line = $0 } END { print line }' <<<"$text")
    return 1
  fi
  why=${text##*$'\n'}
  [[ $why == 'whole and unchanged' ]] || return 1
  made=$(version_made "$1")
  why="the version of the tool is not known: ${made:-run.conf does not name it}"
  [[ $made =~ ^tierbench\ [0-9]+(\.[0-9]+)*\ \([0-9a-f]{12,64}\)$ ]] || return 1
  sum=$(sha256sum <"$1/SHA256SUMS") || return 1
  why="the same run as ${_COLLECT_KNOWN[$sum]-}"
  [[ -z ${_COLLECT_KNOWN[$sum]-} ]] || return 1
  if ! result_read "$2" "$1"; then
    why=$(sed -n '1s/^collect: //p' "$2/problems")
    return 1
  fi
  # Percentiles of one client are those of its result.tsv; without them, they are those of its histogram.
  figures_run bare <"$2/rows" | result_add_up >"$2/proved" 2>"$2/problems" || why=$(sed -n '1s/^collect: //p' "$2/problems")
  [[ ! -s $2/problems ]] || return 1
  why=$(MADE=$made figures_run proof -- "$2/rows" "$2/totals" "$2/proved")
  [[ -z $why ]] || return 1
  _COLLECT_KNOWN[$sum]=$1
}

# Print the rows of a run whose results are in DATA, for the block `row` of the page.
# Usage: _collect_rows RUN DATA FILE
_collect_rows() {
  local made link line began date
  made=$(version_made "$1") link=$(_collect_link "$1" "$3")
  result_usable <"$2/totals" | figures_run bound interval totals collect | while IFS= read -r line; do
    began=${line##*$'\t'} date=
    [[ ! $began =~ ^[0-9]{1,11}$ ]] || TZ=UTC0 printf -v date '%(%F)T' "$began"
    printf '%s\t%s\t%s\t%s\n' "${line%$'\t'*}" "$date" "${made#tierbench }" "$link"
  done
}

# Print the address of the report of a run, relative to the page FILE; nothing if it has none. The checksums of a run do not cover its report, so only
# one whose policy allows no script but that of our reports is linked.
_collect_link() {
  local head path i LC_ALL=C
  head=$(sed -n '/^<!-- block page -->$/,/Content-Security-Policy/ { /^<!-- /d; p; }' "$LIB/results/report.html")
  head=${head/'{{hash}}'/"$(template_hash "$(<"$LIB/results/report.js")")"}
  [[ -f $1/report.html && $(head -c "${#head}" -- "$1/report.html" | tr -d '\0') == "$head" ]] || return 0
  path=$(realpath --relative-to="$(dirname -- "$2")" -- "$1/report.html") || return 0
  printf './'
  for ((i = 0; i < ${#path}; i++)); do
    case ${path:i:1} in
      [A-Za-z0-9./_-]) printf '%s' "${path:i:1}" ;;
      *) printf '%%%02X' "'${path:i:1}" ;;
    esac
  done
}

# Print the page.
# Usage: _collect_page LINES
_collect_page() {
  local style script REPLY
  template_read "$LIB/results/collect.html"
  style=$(<"$LIB/results/report.css") || return 1
  template_fill script
  script=$REPLY
  template_print page head="$_COLLECT_HEAD" style="$style" hash="$(template_hash "$script")" script="$script" count="$(grep -c . <<<"$1")" \
    -- _collect_table "$1"
}

# Print the rows of the table, sorted by machine, scenario and tier, the newest first.
_collect_table() {
  template_each row machine system scenario tier variant phase point ops part late far repeats date version link \
    < <(sed '/^$/d' <<<"$1" | LC_ALL=C sort -t $'\t' -f -k 1,1 -k 3,4 -k 13,13r)
}
