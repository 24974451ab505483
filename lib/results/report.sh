# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One self-contained page about a run: the question, the verdict, warnings, figures, plots, settings. All text from files of the run goes
# through text_html, html_text or html_line; the page allows no script and no other source.

# Make RUN/report.html and RUN/plots/ and print the path of the page. Files of an earlier report are replaced after the new report is complete; other
# files in plots/ are kept, because a directory of results may have its own.
# Usage: report_make RUN [DATA]   DATA is the output directory of report_read, whose problems have been printed; without it, RUN is read
# Globals: PLOT_DETAIL, as plot_all
# Returns: 1 if there is nothing to report, or a part could not be read or drawn; the page then has the other parts
report_make() {
  local run=${1%/} read=${2-} status=0 new data name RESULT_PROGRAM=${RESULT_PROGRAM:-report}
  export RESULT_PROGRAM
  name=$(cd -- "$run" && pwd -P) || return 1
  name=${name##*/}
  stored_check "$run" || return 1
  new=$run/.report.new
  data=$new/data
  rm -rf -- "$new"
  mkdir -p -- "$data" || return 1
  if [[ -n $read ]]; then
    cp -- "$read"/{rows,totals,problems,sections,tables} "$data/" || return 1
  else
    report_read "$run" "$data" || status=1
    cat -- "$data/problems" >&2
  fi
  _report_draw "$run" "$name" "$data" || status=1
  if (($(wc -l <"$data/rows") < 2)); then
    log_warn "$run: nothing to report"
    rm -rf -- "$new"
    return 1
  fi
  _report_page "$run" "$name" "$data" >"$new/report.html" || return 1
  _report_swap "$run" "$new" || return 1
  rm -rf -- "$new"
  printf '%s\n' "$run/report.html"
  return "$status"
}

# Replace the page and the plots of an earlier report in RUN by those in NEW.
_report_swap() {
  local run=$1 new=$2 file
  mkdir -p -- "$run/plots" || return 1
  for file in "$run"/plots/*; do
    [[ ! ${file##*/} =~ $PLOT_FILE ]] || rm -f -- "$file" || return 1
  done
  for file in "$new"/*.svg "$new"/*.png; do
    [[ ! -e $file ]] || mv -- "$file" "$run/plots/" || return 1
  done
  mv -- "$new/report.html" "$run/report.html"
}

# Read a run once, for its tables and its page, into DATA: the files of result_read, sections, as compare_sections prints them, and tables, in the
# form of figures_tables.
# Usage: report_read RUN DATA
# Returns: as result_read
report_read() {
  local status=0
  result_read "$2" "$1" || status=1
  # A run of one variant has no comparison.
  COMPARE_TOTALS=$2/totals METRICS='' RULES='' FAIL_IFS='' compare_sections "$1" >"$2/sections" 2>/dev/null || :
  FORMAT=lines _report_tables "$1" "$2/totals" >"$2/tables" || status=1
  return "$status"
}

# Print the tables that only some runs have.
# Usage: _report_tables RUN TOTALS
# Globals: FORMAT, as figures_tables
# Returns: 1 if a table could not be made
_report_tables() {
  local status=0
  scaling_tables <"$2" || status=1
  ratio_tables <"$2" || status=1
  policies_tables <"$2" || status=1
  working_tables <"$2" || status=1
  demand_tables "$1" || status=1
  expected_tables "$1" <"$2" || status=1
  kinds_tables "$1" <"$2" || status=1
  searched_tables "$1" <"$2" || status=1
  hits_tables "$1" <"$2" || status=1
  price_tables "$1" <"$2" || status=1
  return "$status"
}

# Draw the plots; add to DATA the files pictures (output of plot_all) and fill (output of fill.awk), and to its problems those of the plots.
_report_draw() {
  local run=$1 name=$2 data=$3 status=0
  _report_repeats_held "$data/totals" | figures_run fill >"$data/fill" || status=1
  { searched_files "$run" steps.tsv && searched_files "$run" search.tsv && searched_files "$run" size.tsv; } >"$data/searched" || status=1
  PLOT_CORNER=$name plot_all "${data%/*}" >"$data/pictures" 2>"$data/drawn" || status=1
  # If the figures lacked the histogram too, it was reported already.
  awk -F ': the histogram is missing' 'FILENAME == ARGV[1] { seen[$1] = 1; next } !seen[$1]++' "$data/problems" "$data/drawn" >"$data/news"
  cat -- "$data/news" >&2
  cat -- "$data/news" >>"$data/problems"
  return "$status"
}

# Print the command that repeats a run.
# Usage: report_again RUN
report_again() {
  printf './do_it.sh run '
  [[ ! -e $1/hosts ]] || printf -- '-H %q ' "$1/hosts"
  printf -- '-s %q\n' "$1/run.conf"
}

# Escape one line of text for the page, as html_text does.
# Usage: html_line TEXT
# Returns: sets REPLY
html_line() {
  local amp='&amp;' lt='&lt;' gt='&gt;' quot='&quot;' apos='&#39;' LC_ALL=C
  # In quotes, because a bare & in the replacement stands for the match.
  REPLY=${1//&/"$amp"}
  REPLY=${REPLY//</"$lt"}
  REPLY=${REPLY//>/"$gt"}
  REPLY=${REPLY//\"/"$quot"}
  REPLY=${REPLY//\'/"$apos"}
  REPLY=${REPLY//[$'\001'-$'\010'$'\013'-$'\037'$'\177']/}
}

# Print stdin as escaped text of the page.
html_text() {
  LC_ALL=C sed -e 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g' -e "s/'/\\&#39;/g" | LC_ALL=C tr -d '\000-\010\013-\037\177'
}

_report_page() {
  local run=$1 name title data=$3 REPLY
  html_line "$2"
  name=$REPLY
  report_settings "$run"
  report_title
  html_line "$REPLY"
  title=$REPLY
  {
    _report_verdict "$data"
    _report_warnings "$run" "$data"
    _report_figures "$data"
    _report_pictures "$data"
    _report_every "$data"
    _report_environment "$run" "$data"
    _report_settings "$run"
  } >"$data/body"
  printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
  printf '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
  printf '<meta http-equiv="Content-Security-Policy" content="default-src %s; style-src %s; img-src data:">\n' "'none'" "'unsafe-inline'"
  printf '<title>%s – %s</title>\n<style>\n' "$name" "$title"
  cat -- "$LIB/results/report.css"
  printf '</style>\n</head>\n<body>\n<main>\n<header>\n<h1>%s</h1>\n<p class="run">Run %s</p>\n' "$title" "$name"
  report_facts "$run"
  printf '</header>\n'
  report_contents <"$data/body"
  cat -- "$data/body"
  printf '<footer><p>The figures on this page are computed from the rows that summary2csv.sh prints for this run.</p></footer>\n'
  printf '</main>\n</body>\n</html>\n'
}

_report_verdict() {
  printf '<section id="verdict">\n<h2>Verdict</h2>\n'
  if grep -q $'^verdict\t' "$1/sections"; then
    compare_prose verdict '' <"$1/sections"
  else
    _report_said "$1/totals" | compare_prose summary ''
  fi | html_text | sed 's/.*/<p class="verdict">&<\/p>/'
  printf '</section>\n'
}

# Print the figures of a run of one variant as text, from totals on stdin.
# Usage: report_summary <TOTALS
report_summary() {
  figures_run report | compare_prose summary ''
}

# Print the output of report.awk for totals.
_report_said() {
  figures_run report -- "$1"
}

_report_warnings() {
  local run=$1 data=$2 warnings REPLY
  warnings=$(
    _report_said "$data/totals" | compare_prose warning ''
    compare_prose warning '' <"$data/fill"
    warnings_run "$run"
    _report_unfinished "$run"
    _report_disturbed "$run"
    sed "s/^${RESULT_PROGRAM//\//.}: //" "$data/problems"
  )
  printf '<section id="warnings">\n<h2>Warnings</h2>\n'
  if [[ -n $warnings ]]; then
    printf '<ul class="warnings">\n'
    html_text <<<"$warnings" | sed 's/.*/<li>&<\/li>/'
    printf '</ul>\n'
  else
    html_line "$(_report_clear "$run" "$data")"
    printf '<p>%s</p>\n' "$REPLY"
  fi
  printf '</section>\n'
}

# Print that there are no warnings, limited to those that the results can show: the guide's logs have no misses, and only a run's directory has
# repeats.
_report_clear() {
  local run=$1 data=$2 state what told='' untold=''
  while IFS=$'\t' read -r state what; do
    if [[ $state == told ]]; then told+=", no $what"; else untold+=", $what"; fi
  done < <(
    _report_said "$data/totals" | grep $'told\t'
    for what in "warning from Redis/server/redis-*.log" "repeat that is missing/"; do
      compgen -G "$run/*/*/rep-*/${what#*/}" >/dev/null || printf un
      printf 'told\t%s\n' "${what%%/*}"
    done
  )
  printf 'Nothing%s.%s\n' "${told/#,/:}" "${untold:+ Not known: ${untold#, }.}"
}

# Print the repeats that did not finish, each with the reason if its files have one.
_report_unfinished() {
  local folder why
  while IFS= read -r folder; do
    why=$(cat -- "$folder/server/alarm" "$folder"/*/stderr 2>/dev/null | sed -n 1p)
    printf 'incomplete, excluded: %s%s\n' "$folder" "${why:+ ($why)}"
  done < <(result_unfinished "$1")
}

# Print the repeats that were disturbed and run again.
_report_disturbed() {
  local folder
  for folder in "$1"/*/*/rep-*.disturbed-*/; do
    [[ ! -d $folder ]] || printf 'disturbed by other programs, excluded and repeated: %s\n' "${folder%/}"
  done
}

_report_figures() {
  local data=$1
  printf '<section id="figures">\n<h2>Figures</h2>\n'
  if grep -q $'^rows\t' "$data/sections"; then
    printf '<p>Median of repeats, with their min and max. The ratio to the base is that of geometric means, with its 95&nbsp;%% interval.</p>\n<div class="wide" id="comparison">\n'
    compare_section rows html <"$data/sections" | sed 's/<td>\(worse\|better\)\([;<]\)/<td class="\1">\1\2/g' |
      report_narrow "min max" "95 % interval" Gain Factor
    printf '</div>\n<p class="narrow">A wider page shows the spread and the interval too.</p>\n'
  else
    _report_totals "$data"
  fi
  FORMAT=html figures_tables <"$data/tables"
  printf '</section>\n'
}

_report_totals() {
  printf '<h3>All clients together</h3>\n<div class="wide" id="totals">\n'
  figures_run table -- "$1/totals" | figures_table html
  printf '</div>\n'
}

_report_every() {
  local data=$1
  printf '<section id="every">\n<h2>Every repeat</h2>\n'
  if grep -q $'^rows\t' "$data/sections"; then
    printf '<h3>Side by side</h3>\n<div class="wide" id="repeats">\n'
    compare_section repeats html <"$data/sections"
    printf '</div>\n'
    _report_totals "$data"
  fi
  printf '<details>\n<summary>Every row, as summary2csv.sh prints it</summary>\n<div class="wide" id="rows">\n'
  result_columns csv html <"$data/rows"
  printf '</div>\n</details>\n</section>\n'
}

_report_pictures() {
  local data=$1 name title words class plots=${1%/*} REPLY
  [[ -s $data/pictures ]] || return 0
  printf '<section id="pictures">\n<h2>Plots</h2>\n'
  if [[ ${PLOT_DETAIL:-4} != all ]]; then
    printf '<p>Percentiles, threads and time are drawn for at most %d points; --detail all draws every one. Each is in plots/ as SVG and PNG.</p>\n' "${PLOT_DETAIL:-4}"
  fi
  printf '<div class="pictures">\n'
  while IFS=$'\t' read -r name title words; do
    html_line "$title"
    title=$REPLY
    html_line "$words"
    words=$REPLY
    class=''
    ! grep -q -m 1 'viewBox="0 0 1280 ' "$plots/$name.svg" || class=' class="broad"'
    printf '<figure%s>\n<div class="wide">' "$class"
    _report_svg "$plots/$name.svg" "$name" "$title" "$words"
    printf '</div>\n<figcaption>%s</figcaption>\n</figure>\n' "$words"
  done < <(_report_order <"$data/pictures")
  printf '</div>\n</section>\n'
}

# Measured phases come first; the speed of populating does not.
_report_order() {
  awk -F '\t' '$2 ~ /populate/ { later[++n] = $0; next } { print } END { for (i = 1; i <= n; i++) print later[i] }'
}

# Print a plot as a part of the page, with ids that no other plot has, a title and a description.
_report_svg() {
  TITLE=$3 WORDS=$4 LC_ALL=C awk -v name="$2" '
    /<\?xml|<!DOCTYPE|svg11.dtd/ { next }
    # Screen readers would read the title of gnuplot instead of this one.
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
  local run=$1 data=$2 folder REPLY
  printf '<section id="environment">\n<h2>Environment</h2>\n'
  if (($(grep -c $'^differs\t' "$data/sections") > 3)); then
    printf '<h3>Differences between the variants</h3>\n<div class="wide">\n'
    compare_section differs html <"$data/sections"
    printf '</div>\n'
  fi
  if (($(grep -c $'^table\t' "$data/fill") > 3)); then
    printf '<h3>The fill and its placement</h3>\n'
    printf '<p>At the end of the repeat that is furthest from FILL or, if FILL is not a size, from the plan.</p>\n<div class="wide" id="fill">\n'
    compare_section table html <"$data/fill"
    printf '</div>\n'
  fi
  for folder in "$run"/env/*/; do
    [[ -d $folder ]] || continue
    folder=${folder%/}
    html_line "${folder##*/}"
    printf '<h3>Host %s</h3>\n' "$REPLY"
    if [[ -r $folder/env.tsv ]]; then
      printf '<details>\n<summary>Description</summary>\n<div class="wide"><table>\n<tbody>\n'
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

# Print the input of fill.awk, for each repeat after its last phase.
_report_repeats_held() {
  LC_ALL=C awk -F '\t' -v OFS='\t' '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["point"] != "" {
      key = $at["variant"] SUBSEP $at["point"] SUBSEP $at["repeat"]
      if (!(key in last)) {
        order[++keys] = key
        set[key] = sprintf("%.0f", $at["servers"] * $at["keys"])
      }
      last[key] = $at["variant"] OFS $at["point"] OFS $at["repeat"] OFS set[key] OFS $at["folder"] "/../server" OFS $at["placement"] OFS $at["far_share"]
    }
    END { for (i = 1; i <= keys; i++) print last[order[i]] }' "$1"
}

_report_settings() {
  local run=$1 file REPLY
  printf '<section id="settings">\n<h2>Settings</h2>\n'
  if [[ -r $run/run.conf ]]; then
    html_line "$(report_again "$run")"
    printf '<p>To run it again:</p>\n<pre>%s</pre>\n' "$REPLY"
  fi
  for file in "$run/run.conf" "$run"/*/variant.conf; do
    [[ -r $file ]] || continue
    html_line "${file#"$run"/}"
    printf '<details>\n<summary>%s</summary>\n<pre>' "$REPLY"
    html_text <"$file"
    printf '</pre>\n</details>\n'
  done
  printf '</section>\n'
}
