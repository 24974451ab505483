# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One self-contained page about a run: the question, the verdict, what to mind, the figures, the pictures, the settings.
# Whatever a file of the run holds goes through text_html or html_text; the page allows no script and no other source.

_REPORT_LIB=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/result.sh
[[ $(type -t result_rows) == function ]] || . "$_REPORT_LIB/result.sh"
# shellcheck source=lib/compare.sh
. "$_REPORT_LIB/compare.sh"
# shellcheck source=lib/plot.sh
. "$_REPORT_LIB/plot.sh"

# Make RUN/report.html and RUN/plots/ and print the path of the page.
# Usage: report_make RUN
# Globals: PLOT_DETAIL, as plot_all
# Returns: 1 when there is nothing to report, or something could not be read or drawn; what could is in the page
report_make() {
  local run=${1%/} status=0 sections totals rows pictures name
  name=$(cd -- "$run" && pwd -P) || return 1
  name=${name##*/}
  rows=$(result_rows "$run") || status=1
  if (($(wc -l <<<"$rows") < 2)); then
    log_warn "$run: nothing to report"
    return 1
  fi
  totals=$(result_totals "$run" 2>/dev/null) || status=1
  sections=$(RESULT_PROGRAM=report compare_sections "$run" 2>/dev/null) || :
  rm -rf -- "$run/plots"
  pictures=$(PLOT_CORNER=$name plot_all "$run/plots" "$run") || status=1
  _report_page "$run" "$name" "$rows" "$totals" "$sections" "$pictures" >"$run/report.html.new" || return 1
  mv -- "$run/report.html.new" "$run/report.html"
  printf '%s\n' "$run/report.html"
  return "$status"
}

# Print standard input as text of the page.
html_text() {
  LC_ALL=C sed -e 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g' -e "s/'/\\&#39;/g" | LC_ALL=C tr -d '\000-\010\013-\037\177'
}

_report_page() {
  local run=$1 name=$2 rows=$3 totals=$4 sections=$5 pictures=$6 title question
  question=$(_report_question "$run")
  title=$(printf '%s' "$question" | html_text)
  name=$(printf '%s' "$name" | html_text)
  printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
  printf '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
  printf '<meta http-equiv="Content-Security-Policy" content="default-src %s; style-src %s; img-src data:">\n' "'none'" "'unsafe-inline'"
  printf '<title>%s – %s</title>\n<style>\n' "$name" "$title"
  cat -- "$_REPORT_LIB/report.css"
  printf '</style>\n</head>\n<body>\n<main>\n<header>\n<h1>%s</h1>\n<p class="run">Run %s</p>\n</header>\n' "$title" "$name"
  _report_verdict "$totals" "$sections"
  _report_warnings "$run" "$totals" "$rows"
  _report_figures "$totals" "$sections"
  _report_pictures "$run" "$pictures"
  _report_repeats "$totals" "$sections" "$rows"
  _report_environment "$run" "$sections" "$totals"
  _report_settings "$run"
  printf '<footer><p>Every figure on this page is computed from the rows that summary2csv.sh prints for this run.</p></footer>\n'
  printf '</main>\n</body>\n</html>\n'
}

# Print the question that the run answers: what its scenario's file says of itself.
_report_question() {
  local scenario file question=''
  scenario=$(sed -n 's/^SCENARIO=//p' "$1/run.conf" 2>/dev/null | tr -d "\"'" | head -n 1)
  file=$_REPORT_LIB/../conf/scenarios/${scenario##*/}.conf
  [[ -z $scenario || ! -r $file ]] || question=$(sed -n '2s/^# //p' "$file")
  printf '%s\n' "${question:-${scenario:-What did the load measure?}}"
}

_report_verdict() {
  printf '<section id="verdict">\n<h2>Verdict</h2>\n'
  if grep -q $'^verdict\t' <<<"$2"; then
    compare_prose verdict '' <<<"$2" | html_text | sed 's/.*/<p class="verdict">&<\/p>/'
  else
    _report_lines summary <<<"$1" | sed 's/.*/<p class="verdict">&<\/p>/'
  fi
  printf '</section>\n'
}

# Print the lines of report.awk of one kind, as text of the page.
_report_lines() {
  LC_ALL=C awk -f "$_REPORT_LIB/text.awk" -f "$_REPORT_LIB/report.awk" | sed -n "s/^$1\t//p" |
    PREFIX='' LC_ALL=C awk -f "$_REPORT_LIB/text.awk" -f "$_REPORT_LIB/prose.awk" | html_text
}

_report_warnings() {
  local warnings
  warnings=$(
    _report_lines warning <<<"$2"
    result_unfinished "$1" | sed 's/^/not complete, left out: /' | html_text
    # Whatever a later step wrote about a repeat that must be minded.
    cat -- "$1"/*/*/rep-*/server/warnings.txt 2>/dev/null | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 (\1 times)/' | html_text
    result_rows "$1" 2>&1 >/dev/null | html_text
  )
  printf '<section id="warnings">\n<h2>To be minded</h2>\n'
  if [[ -n $warnings ]]; then
    printf '<ul class="warnings">\n'
    sed 's/.*/<li>&<\/li>/' <<<"$warnings"
    printf '</ul>\n'
  else
    printf '<p>No errors, no misses, no client that was the bottleneck, no repeat that is missing.</p>\n'
  fi
  printf '</section>\n'
}

_report_figures() {
  local totals=$1 sections=$2
  printf '<section id="figures">\n<h2>Figures</h2>\n'
  if grep -q $'^rows\t' <<<"$sections"; then
    printf '<p>Median of repeats; beside it the least and the most of them. An interval that holds 100&nbsp;%% shows no difference.</p>\n<div class="wide" id="comparison">\n'
    compare_section rows html <<<"$sections" | sed 's/<td>\(worse\|better\)<\/td>/<td class="\1">\1<\/td>/g'
    printf '</div>\n'
  else
    _report_totals "$totals"
  fi
  printf '</section>\n'
}

_report_totals() {
  printf '<h3>All clients together</h3>\n<div class="wide" id="totals">\n'
  LC_ALL=C awk -f "$_REPORT_LIB/table.awk" <<<"$1" | FORMAT=html LC_ALL=C awk -f "$_REPORT_LIB/text.awk" -f "$_REPORT_LIB/render.awk"
  printf '</div>\n'
}

_report_repeats() {
  local totals=$1 sections=$2 rows=$3
  printf '<section id="every">\n<h2>Every repeat</h2>\n'
  if grep -q $'^rows\t' <<<"$sections"; then
    printf '<h3>Side by side</h3>\n<div class="wide" id="repeats">\n'
    compare_section repeats html <<<"$sections"
    printf '</div>\n'
    _report_totals "$totals"
  fi
  printf '<details>\n<summary>Every row, as summary2csv.sh prints it</summary>\n<div class="wide" id="rows">\n'
  LC_ALL=C awk -f "$_REPORT_LIB/rows.awk" <<<"$rows" | FORMAT=html LC_ALL=C awk -f "$_REPORT_LIB/text.awk" -f "$_REPORT_LIB/render.awk"
  printf '</div>\n</details>\n</section>\n'
}

_report_pictures() {
  local run=$1 name title words class
  [[ -n $2 ]] || return 0
  printf '<section id="pictures">\n<h2>Pictures</h2>\n'
  if [[ ${PLOT_DETAIL:-4} != all ]]; then
    printf '<p>Percentiles, threads and time are drawn for at most %d points; --detail all draws every one. Each is in plots/ as SVG and PNG.</p>\n' "${PLOT_DETAIL:-4}"
  fi
  printf '<div class="pictures">\n'
  while IFS=$'\t' read -r name title words; do
    title=$(printf '%s' "$title" | html_text)
    words=$(printf '%s' "$words" | html_text)
    class=''
    ! grep -q -m 1 'viewBox="0 0 1280 ' "$run/plots/$name.svg" || class=' class="broad"'
    printf '<figure%s>\n<div class="wide">' "$class"
    _report_svg "$run/plots/$name.svg" "$name" "$title" "$words"
    printf '</div>\n<figcaption>%s</figcaption>\n</figure>\n' "$words"
  done <<<"$2"
  printf '</div>\n</section>\n'
}

# Print a picture as a part of the page, with names that no other picture has, a title and a description.
_report_svg() {
  TITLE=$3 WORDS=$4 LC_ALL=C awk -v name="$2" '
    /<\?xml|<!DOCTYPE|svg11.dtd/ { next }
    # gnuplot names itself where a reader needs to hear what the picture shows.
    /<title>/ && !titled {
      titled = 1
      print "<title id=\"" name "-title\">" ENVIRON["TITLE"] "</title>"
      next
    }
    /<desc>/ && !described {
      described = 1
      print "<desc id=\"" name "-words\">" ENVIRON["WORDS"] "</desc>"
      next
    }
    {
      gsub(/ id="/, "&" name "-")
      gsub(/ id=\047/, "&" name "-")
      gsub(/xlink:href=\047#/, "&" name "-")
      gsub(/xlink:href="#/, "&" name "-")
      gsub(/url\(#/, "&" name "-")
      if (!opened && sub(/<svg/, "<svg role=\"img\" aria-labelledby=\"" name "-title " name "-words\"")) opened = 1
      print
    }' "$1"
}

_report_environment() {
  local run=$1 sections=$2 totals=$3 folder host fill
  printf '<section id="environment">\n<h2>Environment</h2>\n'
  if (($(grep -c $'^differs\t' <<<"$sections") > 3)); then
    printf '<h3>What differs between the variants</h3>\n<div class="wide">\n'
    compare_section differs html <<<"$sections"
    printf '</div>\n'
  fi
  fill=$(_report_fill "$run" <<<"$totals" | LC_ALL=C awk -f "$_REPORT_LIB/text.awk" -f "$_REPORT_LIB/fill.awk")
  if (($(wc -l <<<"$fill") > 3)); then
    printf '<h3>What the instances held at the end of the first repeat</h3>\n<div class="wide" id="fill">\n'
    FORMAT=html LC_ALL=C awk -f "$_REPORT_LIB/text.awk" -f "$_REPORT_LIB/render.awk" <<<"$fill"
    printf '</div>\n'
  fi
  for folder in "$run"/env/*/; do
    [[ -d $folder ]] || continue
    folder=${folder%/}
    host=$(printf '%s' "${folder##*/}" | html_text)
    printf '<h3>Host %s</h3>\n' "$host"
    if [[ -r $folder/env.tsv ]]; then
      printf '<details>\n<summary>What it is</summary>\n<div class="wide"><table>\n<tbody>\n'
      html_text <"$folder/env.tsv" | sed $'s/^\\([^\t]*\\)\t\\(.*\\)$/<tr><th scope="row">\\1<\\/th><td class="long">\\2<\\/td><\\/tr>/'
      printf '</tbody></table></div>\n</details>\n'
    fi
    if [[ -r $folder/setup.log ]]; then
      printf '<details>\n<summary>setup.log</summary>\n<pre>'
      html_text <"$folder/setup.log"
      printf '</pre>\n</details>\n'
    fi
  done
  printf '</section>\n'
}

# Print, for each variant and point of the first repeat, its keys and the file that tells what was held.
_report_fill() {
  LC_ALL=C awk -F '\t' -v OFS='\t' '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    !(($at["variant"], $at["point"]) in seen) && $at["point"] != "" {
      seen[$at["variant"], $at["point"]] = 1
      folder = $at["folder"]
      print $at["variant"], $at["point"], $at["servers"] * $at["keys"], folder "/../server/info.after"
    }'
}

_report_settings() {
  local run=$1 file
  printf '<section id="settings">\n<h2>Settings</h2>\n'
  if [[ -r $run/run.conf ]]; then
    printf '<p>To run it again:</p>\n<pre>./do_it.sh run -s %s</pre>\n' "$(printf '%q' "$run/run.conf" | html_text)"
  fi
  for file in "$run/run.conf" "$run"/*/variant.conf; do
    [[ -r $file ]] || continue
    printf '<details>\n<summary>%s</summary>\n<pre>' "$(printf '%s' "${file#"$run"/}" | html_text)"
    html_text <"$file"
    printf '</pre>\n</details>\n'
  done
  printf '</section>\n'
}
