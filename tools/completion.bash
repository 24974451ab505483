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

# Print the names of scenarios or variants: those in TIERBENCH_PATH too.
# Usage: _tierbench_confs ROOT KIND
_tierbench_confs() {
  local dir
  local -a dirs
  IFS=: read -r -a dirs <<<"${TIERBENCH_PATH-}"
  for dir in "${dirs[@]}" "$1/conf"; do _tierbench_names "$dir/$2" .conf; done | LC_ALL=C sort -u
}

# Print the options that the help of a command lists.
# Usage: _tierbench_options ROOT COMMAND
_tierbench_options() {
  [[ ! -f $1/lib/cmd/$2.sh ]] || sed '/^[^#]/q' "$1/lib/cmd/$2.sh" 2>/dev/null | grep -oE '(^#   |\[)--?[A-Za-z-]+' | sed -E 's/^(#   |\[)//' | sort -u
  printf '%s\n' --help
}

# Print NAME= of the settings and of their parts, those in TIERBENCH_PATH too, also where parts are all that a setting has.
# Usage: _tierbench_settings ROOT
_tierbench_settings() {
  local dir
  local -a dirs
  IFS=: read -r -a dirs <<<"${TIERBENCH_PATH-}"
  {
    cat "$1/conf/defaults.conf"
    for dir in "$1/lib" "${dirs[@]}"; do cat "$dir"/part/*/settings.conf; done
  } 2>/dev/null | sed -nE 's/^(([A-Z][A-Z0-9_]*)(\.[a-z0-9_-]+)?)=.*#:.*/\2=\n\1=/p' | awk '!seen[$0]++'
}

# Print the directories that contain a run.
_tierbench_runs() {
  local file
  for file in "${TIERBENCH_RESULTS_DIR:-${RESULTS_DIR:-results}}"/*/run.conf; do
    file=${file%/run.conf}
    # The lines of a name with a line break would be words that do not exist.
    [[ ! -e $file/run.conf || $file == *$'\n'* ]] || printf '%s\n' "$file"
  done
}

# Offer the lines on stdin that begin with the current word. A name may come from another person: compgen -W would run the commands in it, and so would
# the command line, so each is quoted. One with a control character, which a terminal obeys, is not offered.
# Usage: _tierbench_offer CURRENT <LINES
_tierbench_offer() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    [[ -n $line && $line != *[[:cntrl:]]* && $line != *$'\302'[$'\200'-$'\237']* ]] || continue
    word=$line
    # The = of a setting needs no quotes.
    [[ $line != *[!A-Za-z0-9_./:=-]* ]] || printf -v word %q "$line"
    [[ $line != "$1"* && $word != "$1"* ]] || COMPREPLY+=("$word")
  done
}

# Print the words that may follow, one per line.
# Usage: _tierbench_words ROOT COMMAND PREVIOUS
# Globals: COMP_CWORD
_tierbench_words() {
  case $3 in
    -s) _tierbench_confs "$1" scenarios ;;
    -v) _tierbench_confs "$1" variants ;;
    --resume) _tierbench_runs ;;
    --format) printf '%s\n' table markdown text csv json html openmetrics openmetrics-series junit benchmark-action ;;
    -H | =) ;;
    new) printf '%s\n' scenario variant tier part ;;
    *)
      ((COMP_CWORD > 1)) || { _tierbench_names "$1/lib/cmd" .sh && printf '%s\n' help --version; }
      _tierbench_options "$1" "$2"
      case $2 in
        report | kpi | verify | compare | noise | collect) _tierbench_runs ;;
        run | plan | doctor | stop) _tierbench_settings "$1" ;;
      esac
      ;;
  esac
}

# Complete a command line.
_tierbench() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} root command=run word
  root=$(_tierbench_root "${COMP_WORDS[0]}")
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ ! $word =~ ^[a-z]+$ || ! -f $root/lib/cmd/$word.sh ]] || command=$word
    break
  done
  # Without any word to offer, complete files.
  _tierbench_offer "$current" < <(_tierbench_words "$root" "$command" "$previous")
  # The value follows without a space.
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null || :
}

complete -o default -F _tierbench do_it.sh ./do_it.sh tierbench
