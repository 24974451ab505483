# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The plots of a run: bars, scaling, throughput against p99, latency by percentile, by thread and by load, and over time; shards of a cluster.

_PLOT=$LIB/results/plot
# The names of plot files, as a regular expression.
# shellcheck disable=SC2034 # report.sh asks
PLOT_FILE='^(bars|tail|scaling|tradeoff|percentile|heat|time|far|hits|search|limits|sizes|shards)-[0-9-]+\.(svg|png)$'

# Draw all plots into DIR, as SVG and PNG, and print one line each: NAME, TITLE, DESCRIPTION.
# Usage: plot_all DIR
# DIR/data holds `rows` and `totals`, as result.sh prints them, and `searched`, paths of steps.tsv, search.tsv and size.tsv files; the data of the
# plots is written there too
# Globals: PLOT_DETAIL, the number of points drawn in detail (default: 4; all), PLOT_CORNER, the text in the corner
# Returns: 1 if a plot could not be drawn or a histogram could not be read completely
plot_all() {
  local folder=$1 status=0 script name title first second third words
  _plot_data "$folder/data" >"$folder/data/jobs" || status=1
  while IFS=$'\t' read -r script name title first second third words; do
    if _plot_one "$folder" "$script" "$name" "$title" "$first" "$second" "$third"; then
      printf '%s\t%s\t%s\n' "$name" "$title" "$words"
    else
      log_warn "cannot draw the plot $name"
      status=1
    fi
  done <"$folder/data/jobs"
  return "$status"
}

# Write the data of all plots into DIR and print which plots to draw.
_plot_data() {
  OUT=$1 figures_run interval schedule bound -- -f "$_PLOT/common.awk" -f "$_PLOT/data.awk" "$1/totals" &&
    OUT=$1 DETAIL=${PLOT_DETAIL:-4} RESULT_PROGRAM=${RESULT_PROGRAM:-report} figures_run histogram -- \
      -f "$_PLOT/common.awk" -f "$_PLOT/events.awk" -f "$_PLOT/time.awk" -f "$_PLOT/shards.awk" -f "$_PLOT/detail.awk" "$1/rows" &&
    _plot_searched "$1"
}

# The same for the steps of searches; nothing if DIR/searched, the list of their files in the run, is empty or missing.
_plot_searched() {
  local -a files=()
  [[ ! -r $1/searched ]] || mapfile -t files <"$1/searched"
  ((${#files[@]} == 0)) || OUT=$1 figures_run interval metric -- -f "$_PLOT/common.awk" -f "$_PLOT/search.awk" "$1/totals" "${files[@]}"
}

# Draw one plot. Everything is passed as an argument or as data, so that no name is ever read as a command.
_plot_one() {
  local folder=$1 script=$2 name=$3 title=$4 PLOT_CORNER=${PLOT_CORNER-}
  # The C locale has no degree sign, and gnuplot warns of that once per plot.
  LC_ALL=C.UTF-8 run_limited 120 gnuplot -c "$_PLOT/$script.gp" "$folder/data/$name.dat" "$folder/$name" "$title" "${PLOT_CORNER//[[:cntrl:]]/?}" "$5" "$6" \
    "$_PLOT/style.gp" "$7" </dev/null
}
