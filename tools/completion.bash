# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Bash completion for do_it.sh and an installed tierbench: `. tools/completion.bash`, or installed by `make install`.

# Print the directory of the tool that is being completed; for an installed tool, this is TIERBENCH_HOME.
# Usage: _tierbench_root COMMAND
_tierbench_root() {
  if [[ ${1##*/} == do_it.sh ]]; then
    printf '%s\n' "${1%do_it.sh}."
  else
    printf '%s\n' "${TIERBENCH_HOME:-/usr/local/lib/tierbench}"
  fi
}

# Print the names of files without their suffix: scenarios, variants, commands.
# Usage: _tierbench_names DIR ENDING
_tierbench_names() {
  local file
  for file in "$1"/*"$2"; do
    file=${file##*/}
    [[ $file == "*$2" ]] || printf '%s\n' "${file%"$2"}"
  done | LC_ALL=C sort
}

# Print the options that the help of a command lists.
# Usage: _tierbench_options ROOT COMMAND
_tierbench_options() {
  sed '/^[^#]/q' "$1/lib/cmd/$2.sh" 2>/dev/null | grep -oE '(^#   |\[)--?[A-Za-z-]+' | sed -E 's/^(#   |\[)//' | sort -u
  printf '%s\n' --help
}

# Print the directories that contain a run.
_tierbench_runs() {
  local file
  for file in "${TIERBENCH_RESULTS_DIR:-${RESULTS_DIR:-results}}"/*/run.conf; do [[ ! -e $file ]] || printf '%s\n' "${file%/run.conf}"; done
}

_tierbench() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} root command=run word words=''
  root=$(_tierbench_root "${COMP_WORDS[0]}")
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ ! $word =~ ^[a-z]+$ || ! -e $root/lib/cmd/$word.sh ]] || command=$word
    break
  done
  case $previous in
    -s) words=$(_tierbench_names "$root/conf/scenarios" .conf) ;;
    -v) words=$(_tierbench_names "$root/conf/variants" .conf) ;;
    --resume) words=$(_tierbench_runs) ;;
    --format) words='table markdown csv json openmetrics openmetrics-series' ;;
    -H | =) ;;
    *)
      ((COMP_CWORD > 1)) || words="$(_tierbench_names "$root/lib/cmd" .sh) help --version"
      words+=" $(_tierbench_options "$root" "$command")"
      case $command in
        report | kpi | verify | compare) words+=" $(_tierbench_runs)" ;;
        run | plan | doctor | stop) words+=" $(sed -nE 's/^([A-Z][A-Z0-9_]*)=.*#:.*/\1=/p' "$root/conf/defaults.conf")" ;;
      esac
      ;;
  esac
  # Without any argument, complete files.
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  # The value follows without a space.
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null || :
}

complete -o default -F _tierbench do_it.sh ./do_it.sh tierbench
