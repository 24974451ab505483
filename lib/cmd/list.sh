# SPDX-License-Identifier: MIT
# List scenarios, variants, workloads and past runs, one per line.
#
# Usage: ./do_it.sh list
# shellcheck shell=bash

# Print scenarios, variants, workloads and past runs; the header of this file is the help.
# Usage: cmd_list [ARGUMENT]...
cmd_list() {
  local file
  options_read "${BASH_SOURCE[0]}" "$@"
  {
    for file in "$ROOT"/conf/scenarios/*.conf; do _list_conf scenario "$file"; done
    for file in "$ROOT"/conf/variants/*.conf; do _list_conf variant "$file"; done
    for file in "$ROOT"/conf/workloads/*.conf; do _list_conf workload "$file"; done
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
  printf '%s\t%s\t%s\n' "$1" "${name%.conf}" "$REPLY"
}

# Print one line per run, without a process per run: there may be thousands of runs.
_list_runs() {
  local file run count
  local -a files=() old=() plans=()
  local -A whole=() all=() large=()
  # A FIFO would block this forever.
  for file in "$RESULTS_DIR"/*/run.conf; do
    [[ -f $file && ! -L $file ]] || continue
    files+=("$file")
  done
  ((${#files[@]} > 0)) || return 0
  while IFS= read -r -d '' file; do large[${file%/*}]=${file##*/}; done < <(printf '%s\0' "${files[@]}" "${files[@]/%run.conf/plan.tsv}" | _list_large)
  for file in "${files[@]}"; do
    run=${file%/*}
    if [[ -n ${large[$run]-} ]]; then
      continue
    elif [[ -f $run/plan.tsv && ! -L $run/plan.tsv ]]; then
      plans+=("$run/plan.tsv")
    else
      old+=("$file")
    fi
  done
  while IFS= read -r run; do whole[${run%/}]=$((${whole[${run%/}]-0} + 1)); done < <(printf '%s\0' "${files[@]%run.conf}" | _list_repeats)
  while IFS=$'\t' read -r file count; do all[$file]=$count; done < <(
    ((${#plans[@]} == 0)) || printf '%s\0' "${plans[@]}" | _list_plans
    ((${#old[@]} == 0)) || printf '%s\0' "${old[@]}" | _list_cells
  )
  for file in "${files[@]}"; do
    run=${file%/run.conf} count=${all[$file]-}
    # A broken run does not hide the runs after it.
    if [[ -n ${large[$run]-} ]]; then
      printf '%s\t%s\t%s\n' run "$run" "cannot be read: ${large[$run]} is too large"
    elif [[ -n $count ]] || count=$(_list_cells_of "$file" 2>&1); then
      printf '%s\t%s\t%s of %s repeats\n' run "$run" "${whole[$run]-0}" "$count"
    else
      printf '%s\t%s\t%s\n' run "$run" "cannot be read: ${count##*$'\n'}"
    fi
  done
}

# Print the files that are larger than a reader takes (lib/core/file.sh), each terminated by NUL.
# Usage: _list_large <FILES, each terminated by NUL
_list_large() {
  # shellcheck disable=SC2016 # of sh
  LIMITS="$FILE_SETTINGS $FILE_PLAN" xargs -0 sh -c '
    exec find "$@" -maxdepth 0 \( -name run.conf -size +"${LIMITS% *}c" -o -name plan.tsv -size +"${LIMITS#* }c" \) -print0 2>/dev/null' sh || :
}

# Print RUN/ for each complete repeat of runs. The slash makes find enter a run, or a directory of runs, that is a symbolic link.
# Usage: _list_repeats <RUNS, each RUN/ terminated by NUL
_list_repeats() {
  # shellcheck disable=SC2016 # of sh
  xargs -0 sh -c 'exec find "$@" -mindepth 3 -maxdepth 3 -type d -name "rep-*" ! -name "*.*" -printf "%H\n"' sh
}

# Print RUN/run.conf and the number of repeats of its plan.
# Usage: _list_plans <FILES, each terminated by NUL
_list_plans() {
  # shellcheck disable=SC2016 # of awk
  LC_ALL=C xargs -0 awk -F '\t' '
    function finish() { # of one file
      if (file == "") return
      sub(/plan.tsv$/, "run.conf", file)
      print file "\t" most rows + 0
    }
    FNR == 1 { finish(); file = FILENAME; rows = 0; most = ""; next }
    { rows++ }
    $5 == "maybe" { most = "at most " }
    END { finish() }'
}

# The same for an old run without a plan.tsv, if its settings need no resolution.
# Usage: _list_cells <FILES, each terminated by NUL
_list_cells() {
  # shellcheck disable=SC2016 # of awk
  NAMES="${_CONF_NAMES[*]}" LC_ALL=C xargs -0 awk '
    function finish() { # of one file
      if (file != "" && good && runs && points["VARIANTS"] && points["INSTANCES"] && points["VALUE_SIZES"] && points["DRAM_RATIO"] && points["KEY_PATTERN"])
        print file "\t" runs * points["VARIANTS"] * points["INSTANCES"] * points["VALUE_SIZES"] * points["DRAM_RATIO"] * points["KEY_PATTERN"]
      split("", points)
      runs = 0; good = 1; file = FILENAME
    }
    BEGIN { n = split(ENVIRON["NAMES"], name, " "); for (i = 1; i <= n; i++) known[name[i]] = 1 }
    FNR == 1 { finish() }
    /^#/ || /^$/ { next }
    {
      at = index($0, "=")
      key = substr($0, 1, at - 1); value = substr($0, at + 1)
      if (key == "OVER") next
      if (!(key in known) || value !~ /^"[^"]*"$/) { good = 0; next }
      value = substr(value, 2, length(value) - 2)
      if (key == "REDISRUNS") runs = value ~ /^[1-9][0-9]*$/ ? value : 0
      else if (key == "INSTANCES" && value !~ /^[0-9 ]+$/) good = 0
      else if (key == "VALUE_SIZES" && value !~ /^[0-9KMG ]+$/) good = 0
      if (key ~ /^(VARIANTS|INSTANCES|VALUE_SIZES|DRAM_RATIO|KEY_PATTERN)$/) points[key] = split(value, word, " ")
    }
    END { finish() }'
}

# The same for one file whose settings must be resolved first.
_list_cells_of() (
  variants=()
  conf_file scenario "$1"
  conf_resolve
  [[ $REDISRUNS != auto ]] || printf 'at most '
  axes_settle
  axes_points
  read -r -a variants <<<"$VARIANTS"
  rounds_count max
  echo $((${#POINT_NAMES[@]} * ${#variants[@]} * REPLY))
)
