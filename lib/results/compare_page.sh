# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One self-contained page about a comparison: the verdict, warnings, figures, plots of all sides on shared scales. Its blocks are those of a report.

# Print the page of a comparison.
# Usage: compare_page_print SECTIONS RUN_OR_DIR...
#   SECTIONS as compare_sections prints them
# Globals: PLOT_DETAIL, as plot_all
# Returns: 1 if a part could not be read or drawn; the page then has the other parts
compare_page_print() {
  local folder data file title status=0
  folder=$(mktemp -d "${TMPDIR:-/tmp}/tierbench-$$.XXXXXX" 2>/dev/null) || die "${TMPDIR:-/tmp}: cannot be written; set TMPDIR to another directory"
  cleanup_push rm -rf -- "$folder"
  data=$folder/data
  result_read "$folder/read" "${@:2}" || status=1
  mkdir -- "$data" && printf '%s\n' "$1" >"$data/sections" || return 1
  title="$(_compare_page_names 5 <"$data/sections") against $(_compare_page_names 2 <"$data/sections")"
  for file in rows totals; do figures_run sides -- "$data/sections" "$folder/read/$file" >"$data/$file" || return 1; done
  mv -- "$folder/read/problems" "$data/" && report_draw "$title" "$data" || status=1
  _compare_page_body "$data" "$title" || status=1
  return "$status"
}

# Print the page of the data in DATA.
# Usage: _compare_page_body DATA TITLE
# Returns: 1 if a part of the page could not be read; exits 1 if the template does not fit
_compare_page_body() {
  local data=$1 facts runs
  template_read "$LIB/results/report.html"
  runs=$(compare_page_runs <"$data/sections" | awk -F '\t' '{ sub(/.*\//, "", $1); print $1 }' | paste -sd , | sed 's/,/, /g')
  facts=$(_compare_page_facts "$data") || return 1
  {
    report_section "$data" warnings Warnings _compare_page_warnings "$data"
    report_section "$data" verdict Answer _compare_page_answer "$data"
    report_section "$data" figures Figures _compare_page_figures "$data" "$2"
    [[ ! -s $data/pictures ]] || report_section "$data" pictures Plots report_pictures "$data" ''
    report_section "$data" every 'Every repeat' _compare_page_every "$data"
    report_section "$data" environment Environment _compare_page_environment "$data"
  } >"$data/body"
  report_print run="$runs" title="$2" facts="$facts" links="$(<"$data/links")" -- cat -- "$data/body"
}

# Print the names of sides, each once, as text.
# Usage: _compare_page_names FIELD <SECTIONS   FIELD is 2 for bases, 5 for others
_compare_page_names() {
  awk -F '\t' -v field="$1" '$1 == "pairs" && !seen[$field]++ { print $field }' | figures_prose '' | paste -sd , | sed 's/,/, /g'
}

# Print the runs of a comparison: the directory, a tab, and the names of its sides.
# Usage: compare_page_runs <SECTIONS
compare_page_runs() {
  awk -F '\t' -v OFS='\t' '
    function add(folder, name) {
      if (folder == "" || (folder, name) in seen) return
      seen[folder, name] = 1
      if (!(folder in names)) order[++runs] = folder
      names[folder] = names[folder] (names[folder] == "" ? "" : ", ") name
    }
    $1 == "pairs" { add($3, $2); add($6, $5) }
    END { for (i = 1; i <= runs; i++) print order[i], names[order[i]] }'
}

# Print what each run of a comparison is, as a list of the page.
# Usage: _compare_page_facts DATA
_compare_page_facts() {
  local run names side
  while IFS=$'\t' read -r run names; do
    if ledger_is "$run"; then
      # The first trial of each side.
      ledger_read "$run"
      for side in "${LEDGER_SIDES[@]}"; do _compare_page_fact "$(ledger_run "$run" "$side")" "$side"; done
    else
      _compare_page_fact "$run" "$names"
    fi
  done < <(compare_page_runs <"$1/sections")
}

# Print what a run is, as an entry of the list.
# Usage: _compare_page_fact RUN NAMES
_compare_page_fact() {
  report_settings "$1"
  template_print fact name="$(figures_prose '' <<<"$2")" text="$(report_known "$1" | awk -F '\t' '$2 != "" && $1 !~ /^(Question|Differs)/ { printf "%s%s: %s", (n++ ? "; " : ""), $1, $2 }')"
}

# Print the notes of a comparison, and what could not be drawn, as a list.
# Usage: _compare_page_warnings DATA
_compare_page_warnings() {
  local warnings
  warnings=$(sed "s/^${RESULT_PROGRAM//\//.}: //" "$1/problems" && compare_prose notes '' <"$1/sections")
  if [[ -n $warnings ]]; then template_print warnings -- template_each warning text <<<"$warnings"; else template_print note text='Nothing.'; fi
}

# Print the verdict, and why a reader can trust it.
# Usage: _compare_page_answer DATA
_compare_page_answer() {
  {
    ! grep -q $'^quick\t' "$1/sections" || printf '%s\n' "$COMPARE_QUICK"
    compare_prose verdict '' <"$1/sections"
  } | template_each verdict text
  report_trust "$1"
}

# Print the tables of a comparison.
# Usage: _compare_page_figures DATA TITLE
_compare_page_figures() {
  local -a runs
  mapfile -t runs < <(compare_page_runs <"$1/sections" | cut -f 1)
  report_comparison "$1"
  ! grep -q $'^limits\t' "$1/sections" ||
    template_print titled-table title='Max operations per second within the limit' id=limits -- compare_section limits html <"$1/sections"
  report_copies "$1" "$2" "${runs[@]}" < <(compare_prose verdict '' <"$1/sections")
}

# Print the table of all repeats.
# Usage: _compare_page_every DATA
_compare_page_every() {
  template_print titled-table title='Side by side' id=repeats -- compare_section repeats html <"$1/sections"
}

# Print what differs between the sides, and the commands that repeat the runs.
# Usage: _compare_page_environment DATA
_compare_page_environment() {
  local run
  report_differences "$1"
  while IFS=$'\t' read -r run _; do
    [[ ! -r $run/run.conf ]] || template_print again command="$(copy_again "$run")"
  done < <(compare_page_runs <"$1/sections")
}
