# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One self-contained page about a run: the question, the verdict, warnings, figures, plots, settings. Its HTML is in report.html; render.awk prints the
# tables. Both escape all text from files of the run; the page allows no script but its own, and no other source.

# KiB of a report with plots of some points, and of its data while it is made.
readonly _REPORT_ROOM=8192

# Make RUN/report.html and RUN/plots/ and print the path of the page. Files of an earlier report are replaced after the new report is complete; other
# files in plots/ are kept, because a directory of results may have its own.
# Usage: report_make RUN [DATA]   DATA is the output directory of report_read, whose problems have been printed; without it, RUN is read
# Globals: PLOT_DETAIL, as plot_all
# Returns: 1 if there is nothing to report, or a part could not be read or drawn; the page then has the other parts
report_make() {
  local run=${1%/} read=${2-} status=0 new data name file RULES='' RESULT_PROGRAM=${RESULT_PROGRAM:-report}
  local -a files=()
  export RESULT_PROGRAM
  name=$(cd -- "$run" && pwd -P) || return 1
  name=${name##*/}
  stored_check "$run" || return 1
  _report_room "$run" || return
  new=$run/.report.new
  data=$new/data
  { rm -rf -- "$new" && mkdir -p -- "$data"; } 2>/dev/null || write_failed "$run" || return
  if [[ -n $read ]]; then
    cp -- "$read"/{rows,totals,usable,problems,sections,fill,said,tables} "$data/" || return 1
  else
    report_read "$run" "$data" || status=1
    cat -- "$data/problems" >&2
  fi
  for file in steps search size; do tables_files "$run" "*/*/rep-*/$file.tsv"; done
  { ((${#files[@]} == 0)) || printf '%s\n' "${files[@]}"; } >"$data/searched"
  report_draw "$name" "$data" || status=1
  if (($(wc -l <"$data/rows") < 2)); then
    log_warn "$run: nothing to report"
    rm -rf -- "$new"
    return 1
  fi
  _report_page "$run" "$name" "$data" >"$new/report.html" || return 1
  _report_swap "$run" "$new" 2>/dev/null || write_failed "$run/plots" || return
  rm -rf -- "$new"
  printf '%s\n' "$run/report.html"
  return "$status"
}

# Whether the disk of a run has space for its page, which is written beside an earlier one.
# Usage: _report_room RUN
# Returns: 1 with one line on stderr if it has not
_report_room() {
  local free
  free=$(stat -f -c '%a * %S / 1024' -- "$1") || return
  ((free >= _REPORT_ROOM)) && return
  log_warn "$1: $((free)) KiB are free and a report takes up to $_REPORT_ROOM KiB; free some space, or copy the run to another disk"
  return 1
}

# Replace the page and the plots of an earlier report in RUN, which its page names, by those in NEW.
_report_swap() {
  local run=$1 new=$2 name file
  mkdir -p -- "$run/plots" || return 1
  while IFS= read -r name; do
    rm -f -- "$run/plots/$name".{svg,png} || return 1
  done < <([[ ! -e $run/report.html ]] || LC_ALL=C grep -aoE '<title id="[a-z]+-[0-9-]+-title">' -- "$run/report.html" | sed 's/.*="//; s/-title">//')
  for file in "$new"/*.svg "$new"/*.png; do
    [[ ! -e $file ]] || mv -- "$file" "$run/plots/" || return 1
  done
  mv -- "$new/report.html" "$run/report.html"
}

# Read a run once, for its tables and its page, into DATA: the files of result_read, sections, as compare_sections prints them, usable, the totals that
# are compared, fill and said, the output of fill.awk and report.awk, and tables, in the form of figures_tables.
# Usage: report_read RUN DATA
# Returns: as result_read
report_read() {
  local status=0
  local -a variants=("$1"/*/variant.conf)
  result_read "$2" "$1" || status=1
  : >"$2/sections"
  # A run of one variant has no comparison.
  ((${#variants[@]} == 1)) ||
    COMPARE_TOTALS=$2/totals METRICS='' RULES='' FAIL_IFS='' compare_sections "$1" >"$2/sections" 2>/dev/null || :
  _report_repeats_held "$2/totals" | figures_run fill >"$2/fill" || status=1
  figures_run bound report -- "$2/totals" >"$2/said" || status=1
  result_usable <"$2/totals" >"$2/usable" || status=1
  FORMAT=lines tables_print "$1" <"$2/usable" >"$2/tables" || status=1
  return "$status"
}

# Draw the plots; add to DATA the file pictures (output of plot_all), and to its problems those of the plots.
# Usage: report_draw CORNER DATA
# Returns: as plot_all
report_draw() {
  local data=$2 status=0
  PLOT_CORNER=$1 plot_all "${data%/*}" >"$data/pictures" 2>"$data/drawn" || status=1
  # If the figures lacked the histogram too, it was reported already.
  awk -F ': the histogram is missing' 'FILENAME == ARGV[1] { seen[$1] = 1; next } !seen[$1]++' "$data/problems" "$data/drawn" >"$data/news"
  cat -- "$data/news" >&2
  cat -- "$data/news" >>"$data/problems"
  return "$status"
}

# Print the page of a run.
# Usage: _report_page RUN NAME DATA
# Returns: 1 if a part of the page could not be read; exits 1 if the template does not fit
_report_page() {
  local run=$1 data=$3 title facts REPLY
  template_read "$LIB/results/report.html"
  report_settings "$run"
  report_title
  title=$REPLY
  facts=$(report_facts "$run") || return 1
  {
    report_section "$data" warnings Warnings _report_warnings "$run" "$data"
    report_section "$data" verdict Answer _report_answer "$data"
    report_section "$data" figures Figures _report_figures "$run" "$data"
    [[ ! -s $data/pictures ]] || report_section "$data" pictures Plots report_pictures "$data" '--detail all draws every one. Each is in plots/ as SVG and PNG.'
    report_section "$data" every 'Every repeat' _report_every "$data"
    report_section "$data" environment Environment _report_environment "$run" "$data"
    report_section "$data" settings Settings _report_settings "$run"
  } >"$data/body"
  report_print run="$2" title="$title" facts="$facts" links="$(<"$data/links")" -- cat -- "$data/body"
}

# Print a page with its style and its script, which the content policy of the page names by its checksum: no other script runs.
# Usage: report_print NAME=TEXT... -- COMMAND...
# Returns: 1 if a file of the page could not be read; exits 1 if the template does not fit
report_print() {
  local style script
  style=$(<"$LIB/results/report.css") && script=$(<"$LIB/results/report.js") || return 1
  template_print page style="$style" script="$script" hash="$(template_hash "$script")" "$@"
}

# Print a section of the page, and add its link to DATA/links.
# Usage: report_section DATA ID TITLE COMMAND...
report_section() {
  template_print link id="$2" title="$3" >>"$1/links"
  template_print section id="$2" title="$3" -- "${@:4}"
}

# Print the answer of the run whose settings were read: the mark of the quick form, rates that it missed, and the sentences of ANSWER, the verdicts of a comparison, or the figures
# of a run of one variant.
# Usage: report_answer DATA
report_answer() {
  local missing='' REPLY
  report_setting QUICK
  [[ $REPLY != on ]] || printf '%s\n' "$COMPARE_QUICK"
  report_setting ANSWER
  ! grep -q $'^missing\t' "$1/tables" || missing=$(compare_prose missing '' <"$1/tables")
  ANSWER=$REPLY MISSING=$missing figures_run interval bound metric format totals answer <"$1/usable" | figures_prose ''
  [[ -z $missing ]] || printf '%s\n' "$missing"
  [[ $REPLY != @(each|most|least)\ * ]] || return 0
  if grep -q $'^verdict\t' "$1/sections"; then
    compare_prose verdict '' <"$1/sections"
  else
    compare_prose summary '' <"$1/said"
  fi
}

# Print the answer, and under it why a reader can trust it.
# Usage: _report_answer DATA
_report_answer() {
  template_each verdict text < <(report_answer "$1")
  report_trust "$1"
}

# Print why a reader can trust the answer.
# Usage: report_trust DATA
report_trust() {
  template_print trust -- template_each reason state name text < <(figures_run trust -- "$1/totals" "$1/sections")
}

# Print the warnings of a run, one line per kind.
# Usage: report_warnings RUN DATA warning|short
#   warning: with the results that each is about
report_warnings() {
  warnings_run "$1" "$3"
  _report_unfinished "$1"
  _report_disturbed "$1"
  ! grep -q $'^warning\t' "$2/fill" || compare_prose warning '' <"$2/fill"
  compare_prose "$3" '' <"$2/said"
}

# Print all warnings of a run as a list, or the sentence of _report_clear.
# Usage: _report_warnings RUN DATA
_report_warnings() {
  local run=$1 data=$2 warnings
  warnings=$(
    sed "s/^${RESULT_PROGRAM//\//.}: //" "$data/problems"
    report_warnings "$run" "$data" warning
  )
  if [[ -n $warnings ]]; then
    template_print warnings -- template_each warning text <<<"$warnings"
  else
    template_print note text="$(_report_clear "$run" "$data")"
  fi
}

# Print that there are no warnings, limited to those that the results can show: the guide's logs have no misses, and only a run's directory has
# repeats.
_report_clear() {
  local run=$1 data=$2 state what told='' untold=''
  while IFS=$'\t' read -r state what; do
    if [[ $state == told ]]; then told+=", no $what"; else untold+=", $what"; fi
  done < <(
    grep $'told\t' "$data/said"
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

# Print the comparison, or the totals of a run of one variant, and the tables that only some runs have.
# Usage: _report_figures RUN DATA
_report_figures() {
  if grep -q $'^rows\t' "$2/sections"; then report_comparison "$2"; else _report_totals "$2"; fi
  FORMAT=html figures_tables <"$2/tables"
  report_copies "$2" "$(report_title && printf '%s' "$REPLY")" "$1" < <(report_answer "$2")
}

# Print the figures as texts to copy: a Markdown table, and text for a mail.
# Usage: report_copies DATA TITLE RUN_OR_DIR... <ANSWER
report_copies() {
  local REPLY TITLE sections
  sections=$(<"$1/sections")
  compare_shown "$sections"
  if grep -q $'^rows\t' <<<"$sections"; then
    template_print file name='Copy as Markdown' -- compare_section "$REPLY" markdown <<<"$sections"
  else
    FORMAT=markdown template_print file name='Copy as Markdown' -- result_table <"$1/totals"
  fi
  template_print file name='Copy as text for a mail' -- copy_text "$2" "$sections" "${@:3}"
}

# Print the table of a comparison.
# Usage: report_comparison DATA
report_comparison() {
  local REPLY TITLE
  compare_shown "$(<"$1/sections")"
  OPTIONAL='min max|interval|Gain|Factor' template_print comparison title="$TITLE" -- compare_section "$REPLY" html <"$1/sections"
}

# Print the table of the totals.
# Usage: _report_totals DATA
_report_totals() {
  FORMAT=html template_print titled-table title='All clients together' id=totals -- result_table <"$1/totals"
}

# Print the tables of all repeats and rows.
# Usage: _report_every DATA
_report_every() {
  if grep -q $'^rows\t' "$1/sections"; then
    template_print titled-table title='Side by side' id=repeats -- compare_section repeats html <"$1/sections"
    _report_totals "$1"
  fi
  template_print rows -- result_columns csv html <"$1/rows"
}

# Print all plots.
# Usage: report_pictures DATA MORE
#   MORE is a sentence on where the other plots are
report_pictures() {
  [[ ${PLOT_DETAIL:-4} == all ]] || template_print detail points="${PLOT_DETAIL:-4}" more="$2"
  template_print plots -- _report_plots "${1%/*}" < <(_report_order <"$1/pictures")
}

# Print the plots in DIR that stdin names, in the form of plot_all.
# Usage: _report_plots DIR <PLOTS
_report_plots() {
  local name title words head block
  while IFS=$'\t' read -r name title words; do
    read -r -N 400 head <"$1/$name.svg" || :
    block=plot
    [[ $head != *'viewBox="0 0 1280 '* ]] || block=broad-plot
    template_print "$block" words="$words" -- _report_svg "$1/$name.svg" "$name" "$title" "$words"
  done
}

# Measured phases come first; the speed of populating does not.
_report_order() {
  awk -F '\t' '$2 ~ /populate/ { later[++n] = $0; next } { print } END { for (i = 1; i <= n; i++) print later[i] }'
}

# Print a plot as a part of the page, with ids that no other plot has, a title and a description.
# Usage: _report_svg FILE NAME TITLE DESCRIPTION
_report_svg() {
  local title REPLY
  template_fill plot-title name="$2" title="$3"
  title=$REPLY
  template_fill plot-words name="$2" words="$4"
  TITLE=$title WORDS=$REPLY LC_ALL=C awk -v name="$2" '
    /<\?xml|<!DOCTYPE|svg11.dtd/ { next }
    # Screen readers would read the title of gnuplot instead of this one.
    /<title>/ && !titled {
      titled = 1
      printf "%s", ENVIRON["TITLE"]
      next
    }
    /<desc>/ && !described {
      described = 1
      printf "%s", ENVIRON["WORDS"]
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

# Print what differs between the variants, the fill, and the description of each host.
# Usage: _report_environment RUN DATA
_report_environment() {
  local run=$1 data=$2 folder host
  report_differences "$data"
  (($(grep -c $'^table\t' "$data/fill") <= 3)) || template_print fill -- compare_section table html <"$data/fill"
  for folder in "$run"/env/*/; do
    [[ -d $folder ]] || continue
    folder=${folder%/}
    host=${folder##*/}
    template_print title text="Host ${host//+/:}"
    [[ ! -r $folder/env.tsv ]] || template_print description -- template_each description-row name value < <(_report_described "$folder/env.tsv")
    [[ ! -r $folder/setup.log ]] || template_print file name=setup.log -- cat -- "$folder/setup.log"
  done
}

# Print what differs between the sides of a comparison.
# Usage: report_differences DATA
report_differences() {
  (($(grep -c $'^differs\t' "$1/sections") > 3)) || return 0
  template_print title text='Differences between the variants'
  template_print table -- compare_section differs html <"$1/sections"
}

# Print the rows of a host's description, with a text for each value that the host did not report.
# Usage: _report_described FILE
_report_described() {
  LC_ALL=C awk -F '\t' '{ value = substr($0, length($1) + 2); print $1 "\t" (value == "" || value == "-" ? "(not said)" : value) }' "$1"
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
      last[key] = $at["variant"] OFS $at["point"] OFS $at["repeat"] OFS set[key] OFS $at["folder"] "/../server" OFS $at["placement"] OFS $at["far_share"] OFS $at["compressed_bytes"] OFS $at["dram_bytes"]
    }
    END { for (i = 1; i <= keys; i++) print last[order[i]] }' "$1"
}

# Print the command that repeats the run, and its settings.
# Usage: _report_settings RUN
_report_settings() {
  [[ ! -r $1/run.conf ]] || template_print again command="$(copy_again "$1")"
  [[ ! -r $1/settings.tsv ]] || template_print file name=settings.tsv -- cat -- "$1/settings.tsv"
}
