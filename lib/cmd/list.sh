# SPDX-License-Identifier: MIT
# List scenarios, variants, workloads, tenants and past runs, one per line.
#
# Usage: ./do_it.sh list
#
# The line of a file of TIERBENCH_PATH ends with its directory. A file that another one of its name hides is left out.
# shellcheck shell=bash

# Print scenarios, variants, workloads, tenants and past runs; the header of this file is the help.
# Usage: cmd_list [ARGUMENT]...
cmd_list() {
  local kind file
  local -a NAMED_FILES
  options_read "${BASH_SOURCE[0]}" "$@"
  conf_read
  {
    for kind in scenario variant workload tenant; do
      named_files "${kind}s"
      for file in "${NAMED_FILES[@]}"; do _list_conf "$kind" "$file"; done
    done
    _list_runs
  } | stored_plain | _list_align
}

# Align rows KIND NAME TEXT; on a narrow terminal, the text continues on the next line, indented.
_list_align() {
  local TABLE_WIDTH
  table_width
  LIST_WIDTH=$TABLE_WIDTH LC_ALL=C awk -F '\t' '
    { kind[NR] = $1; name[NR] = $2; text[NR] = $3; if (length($2) > widest) widest = length($2) }
    END {
      room = ENVIRON["LIST_WIDTH"] - 13 - widest
      for (i = 1; i <= NR; i++) {
        line = sprintf("%-9s  %-" widest "s  ", kind[i], name[i])
        n = split(text[i], word, " ")
        for (w = used = 0; w++ < n; ) {
          if (used && room >= 20 && used + 1 + length(word[w]) > room) {
            print line
            line = sprintf("%" (13 + widest) "s", "")
            used = 0
          }
          line = line (used ? " " : "") word[w]
          used += length(word[w]) + (used > 0)
        }
        print line
      }
    }'
}

# Print the row of a file that describes itself.
# Usage: _list_conf KIND FILE
_list_conf() {
  local name=${2##*/} REPLY
  options_headline "$2"
  [[ $2 == "$ROOT"/conf/* ]] || REPLY+=" (in ${2%/*})"
  printf '%s\t%s\t%s\n' "$1" "${name%.conf}" "$REPLY"
}

# Print one line per run, without a process per run: there may be thousands of runs.
_list_runs() {
  local file run path count key whole repeats=''
  local -a files=() plans=()
  local -A found=() all=() large=()
  # A FIFO would block this forever.
  for file in "$RESULTS_DIR"/*/run.conf; do
    [[ -f $file && ! -L $file ]] || continue
    files+=("$file")
  done
  ((${#files[@]} > 0)) || return 0
  while IFS= read -r -d '' run && IFS= read -r -d '' path; do
    _list_key "${run%/}"
    case $path in
      *$'\n'*) ;;
      */*/rep-*) repeats+=R$'\t'$key$'\t'$path$'\n' ;;
      run.conf | plan.tsv) large[$key]=$path ;;
    esac
  done < <(printf '%s\0' "${files[@]%run.conf}" | _list_find)
  for file in "${files[@]}"; do
    run=${file%/*}
    _list_key "$run"
    [[ -n ${large[$key]-} || ! -f $run/plan.tsv || -L $run/plan.tsv ]] || plans+=("$run/plan.tsv")
  done
  while IFS=$'\t' read -r key whole count; do
    found[$key]=$whole
    [[ -z $count ]] || all[$key]=$count
  done < <(_list_count)
  for file in "${files[@]}"; do
    _list_key "${file%/run.conf}"
    count=${all[$key]-} whole=${found[$key]-0}
    # A broken run does not hide the runs after it.
    if [[ -n ${large[$key]-} ]]; then
      printf '%s\t%s\t%s\n' run "$key" "cannot be read: ${large[$key]} is too large"
    elif [[ -n $count ]]; then
      printf '%s\t%s\t%s of %s repeats\n' run "$key" "$whole" "$count"
    else
      printf '%s\t%s\t%s\n' run "$key" "cannot be read: plan.tsv is missing"
    fi
  done
}

# Set the variable `key` of the caller to the name of a run in one line of columns: a line break or a tab is another control character.
# Usage: _list_key RUN
_list_key() {
  key=${1//$'\n'/$'\001'}
  key=${key//$'\t'/$'\002'}
}

# Print RUN/ and a path in it, each terminated by NUL, for each complete repeat, and for each file that is larger than a reader takes
# (lib/core/file.sh). The slash makes find enter a run, or a directory of runs, that is a symbolic link.
# Usage: _list_find <RUNS, each RUN/ terminated by NUL
_list_find() {
  # shellcheck disable=SC2016 # of sh
  SIZES="$FILE_SETTINGS $FILE_PLAN" xargs -0 sh -c '
    exec find "$@" -mindepth 1 -maxdepth 3 \( -type d -name "rep-*" ! -name "*.*" -o -type f -name run.conf -size +"${SIZES% *}c" -o \
      -type f -name plan.tsv -size +"${SIZES#* }c" \) -printf "%H\0%P\0" 2>/dev/null' sh || :
}

# Print the key of each run with a plan, the number of its complete repeats, and that of its plan: only repeats of the plan are counted.
# Globals: plans and repeats of _list_runs
_list_count() {
  {
    ((${#plans[@]} == 0)) || printf '%s\0' "${plans[@]}" | _list_plans
    printf '%s' "$repeats"
  } | LC_ALL=C awk -F '\t' -v OFS='\t' '
    $1 == "N" { all[$2] = 0 }
    $1 == "P" { all[$2]++; planned[$2, $3]; if ($4 == "maybe") most[$2] = "at most " }
    $1 == "R" && ($2, $3) in planned { whole[$2]++ }
    END { for (run in all) print run, whole[run] + 0, most[run] all[run] }'
}

# Print P, the key of the run, and directory and need of the repeat, for each row of plans; N and the key for each plan.
# Usage: _list_plans <FILES, each terminated by NUL
_list_plans() {
  # shellcheck disable=SC2016 # of awk
  LC_ALL=C xargs -0 awk -F '\t' -v OFS='\t' '
    FNR == 1 { run = FILENAME; sub(/\/plan.tsv$/, "", run); gsub(/\n/, "\001", run); gsub(/\t/, "\002", run); print "N", run; next }
    { print "P", run, $2 "/" $3 "/rep-" $4, $5 }'
}
