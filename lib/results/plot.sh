# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The plots of a run: bars, scaling, throughput and memory against p99, latency by percentile, by thread and by load, and over time; shards of a cluster.

_PLOT=$LIB/results/plot

# Draw all plots into DIR, as SVG and PNG, and print one line each: NAME, TITLE, DESCRIPTION.
# Usage: plot_all DIR
# DIR/data holds `rows` and `totals`, as result.sh prints them, and `searched`, paths of steps.tsv, search.tsv and size.tsv files; the data of the
# plots is written there too
# Globals: PLOT_DETAIL, the number of points drawn in detail (default: 4; all), PLOT_CORNER, the text in the corner
# Returns: 1 if a plot could not be drawn or a histogram could not be read completely
plot_all() {
  local folder=$1 status=0 at=0 ended drawn name
  local -a jobs=() names=()
  _plot_data "$folder/data" >"$folder/data/jobs" || status=1
  mapfile -t jobs <"$folder/data/jobs"
  while ((at < ${#jobs[@]})); do
    ended=0
    printf '%s\n' "${jobs[@]:at}" | _plot_some "$folder" >"$folder/data/progress" || ended=1
    mapfile -t names <"$folder/data/progress"
    drawn=${#names[@]}
    # -s: printf prints an empty line for no plots.
    printf '%s\n' "${jobs[@]:at:drawn}" | cut -s -f 2,3,7
    at=$((at + drawn))
    # gnuplot ends at its first error: another one draws the plots after it.
    if ((at < ${#jobs[@]} && (ended > 0 || drawn == 0))); then
      IFS=$'\t' read -r _ name _ <<<"${jobs[at]}"
      log_warn "cannot draw the plot $name"
      status=1
      at=$((at + 1))
    fi
  done
  return "$status"
}

# Write the data of all plots into DIR and print which plots to draw.
# Globals: RULES, limits of compare, one per line
_plot_data() {
  local status=0
  result_usable <"$1/totals" | OUT=$1 RULES=${RULES-} figures_run interval schedule bound metric -- -f "$_PLOT/common.awk" -f "$_PLOT/data.awk" &&
    { result_usable <"$1/rows" | _plot_intervals "$1" >"$1/intervals" || status=1; } &&
    result_usable <"$1/rows" | OUT=$1 DETAIL=${PLOT_DETAIL:-4} RESULT_PROGRAM=${RESULT_PROGRAM:-report} figures_run histogram interval overlap -- \
      -f "$_PLOT/common.awk" -f <(parts_awk plot.awk plot) -f "$_PLOT/events.awk" -f "$_PLOT/time.awk" -f "$_PLOT/map.awk" -f "$_PLOT/shards.awk" -f "$_PLOT/detail.awk" &&
    _plot_searched "$1" && return "$status"
}

# Decode the interval logs of the first repeat of each cell, of all its clients together, into files in DIR, for map.awk. Print a line for each:
# FOLDER/PHASE of the first client, escaped, and the name of the file.
# Usage: _plot_intervals DIR <ROWS
# Returns: 1 if a log could not be read
_plot_intervals() {
  local log number=0 status=0
  local -a paths logs
  while IFS=$'\t' read -r -a paths; do
    logs=()
    for log in "${paths[@]}"; do
      printf -v log '%b' "$log"
      [[ ! -r $log.hlog ]] || logs+=("$log.hlog")
    done
    ((${#logs[@]} > 0)) || continue
    if [[ ! -x $ROOT/test ]]; then
      log_warn "latency over time is not drawn, because the load generator decodes its logs; run: make test"
      break
    fi
    number=$((number + 1))
    if "$ROOT/test" --windows each "${logs[@]}" 2>&1 >"$1/each-$number" | stored_plain | sed "s/^test: /${RESULT_PROGRAM:-report}: /" >&2; then
      printf '%s\t%s\n' "${paths[0]}" "each-$number"
    else
      status=1
    fi
  done < <(LC_ALL=C awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
      cell = $at["run"] FS $at["variant"] FS $at["point"] FS $at["operation"]
      if (!(cell in repeat)) {
        order[++cells] = cell
        repeat[cell] = $at["repeat"]
      }
      if ($at["repeat"] == repeat[cell]) logs[cell] = logs[cell] (logs[cell] == "" ? "" : FS) $at["folder"] "/" $at["operation"]
    }
    END { for (i = 1; i <= cells; i++) print logs[order[i]] }')
  return "$status"
}

# The same for the steps of searches; nothing if DIR/searched, the list of their files in the run, is empty or missing.
_plot_searched() {
  local -a files=()
  [[ ! -r $1/searched ]] || mapfile -t files <"$1/searched"
  ((${#files[@]} == 0)) || OUT=$1 figures_run interval metric -- -f "$_PLOT/common.awk" -f "$_PLOT/search.awk" "$1/totals" "${files[@]}"
}

# Draw plots in turn with one gnuplot, because each start costs some 20 ms, and print the name of each plot that is complete. gnuplot ends early at
# an error, and after the first plot that ends a minute or more after its start, so that each plot has two minutes.
# Usage: _plot_some DIR <JOBS
# Returns: not 0 at an error, or if a plot took too long
_plot_some() {
  local commands=$1/data/commands now
  printf -v now '%(%s)T' -1
  _plot_commands "$1" $((now + 60)) >"$commands" || return 1
  # The C locale has no degree sign, and gnuplot warns of that once per plot.
  LC_ALL=C.UTF-8 run_limited 180 gnuplot -c "$commands" </dev/null
}

# Print gnuplot's commands that draw plots until END, in seconds since the epoch. All characters of texts but letters are octal codes, so that no
# text is ever read as a command: gnuplot 5.4 takes two quotes at the start of a quoted text for its end, and a digit for a part of the code before.
# Usage: _plot_commands DIR END <JOBS
_plot_commands() {
  local PLOT_CORNER=${PLOT_CORNER-}
  FOLDER=$1 END=$2 SCRIPTS=$_PLOT CORNER=${PLOT_CORNER//[[:cntrl:]]/?} LC_ALL=C awk -F '\t' '
    function quoted(text,    i, c, out) {
      for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        out = out (c in code ? code[c] : c)
      }
      return "\"" out "\""
    }
    BEGIN {
      for (i = 1; i < 256; i++)
        if (sprintf("%c", i) !~ /[A-Za-z]/) code[sprintf("%c", i)] = sprintf("\\%03o", i)
      folder = ENVIRON["FOLDER"]
      scripts = ENVIRON["SCRIPTS"]
    }
    {
      # Each script expects the settings of a new gnuplot.
      print "reset session"
      print "call " quoted(scripts "/" $1 ".gp"), quoted(folder "/data/" $2 ".dat"), quoted(folder "/" $2), quoted($3), quoted(ENVIRON["CORNER"]), quoted($4), \
        quoted($5), quoted(scripts "/style.gp"), quoted($6)
      print "set print \"-\""
      print "print " quoted($2)
      print "if (time(0) >= " ENVIRON["END"] ") exit"
    }'
}
