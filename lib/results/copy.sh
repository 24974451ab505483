# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What people copy from a result: a text of 72 columns for a mail, with the commands that repeat its runs and their checksums.

# Print the text.
# Usage: copy_text TITLE SECTIONS RUN... <ANSWER   SECTIONS as compare_sections prints them
copy_text() {
  local run sum
  { printf '%s\n\n' "$1" && cat; } | fold -s -w 72 | sed 's/ *$//'
  [[ -z $2 ]] || figures_run copy <<<"$2"
  for run in "${@:3}"; do
    # Relative, because the directories of a reader differ.
    run=${run#"$PWD/"}
    [[ -r $run/run.conf ]] || continue
    printf '\nTo run it again:\n  %s\n' "$(copy_again "$run")"
    sum=$(sha256sum -- "$run/SHA256SUMS" 2>/dev/null) || continue
    printf 'SHA-256 of its SHA256SUMS:\n  %s\n' "${sum%% *}"
  done
}

# Print the command that repeats a run.
# Usage: copy_again RUN
copy_again() {
  printf './do_it.sh run '
  [[ ! -e $1/hosts ]] || printf -- '-H %q ' "$1/hosts"
  printf -- '-s %q\n' "$1/run.conf"
}
