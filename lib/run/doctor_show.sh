# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Print doctor's rows, and install missing packages (doctor --fix).

# Print rows as text: problems and warnings, grouped; the last line is `fit` or `N problems`.
# Usage: doctor_show [all] <ROWS
#   all  every check, one table per host
# Globals: COMMAND_WORDS
doctor_show() {
  local TABLE_WIDTH
  table_width
  _doctor_text "${1:-problems}" "$TABLE_WIDTH"
}

# Print one line per problem.
# Usage: doctor_failures <ROWS
doctor_failures() {
  _doctor_text lines 0
}

# Print rows as text with lib/run/doctor.awk: problems, all, or lines.
# Usage: _doctor_text AS WIDTH <ROWS
_doctor_text() {
  local host here='' deps=$ROOT/tools/deps.sh
  local -a hosts
  hosts_all
  for host in "${hosts[@]}"; do ! remote_is_local "$host" || here+=" $host"; done
  [[ $PWD != "$ROOT" ]] || deps=tools/deps.sh
  DOCTOR_AS=$1 DOCTOR_WIDTH=$2 DOCTOR_LOCAL="$here " DOCTOR_DEPS=$deps DOCTOR_FIX=$(_doctor_again) LC_ALL=C awk -f "$LIB/run/doctor.awk"
}

# Print the command that installs missing packages, with the arguments of this command.
_doctor_again() {
  local word
  printf '%s doctor --fix' "$0"
  for word in "${COMMAND_WORDS[@]}"; do [[ $word == --all || $word == --fix || $word == --yes ]] || printf ' %q' "$word"; done
}

# Install the packages that rows report as missing, host by host, after asking for each host. A row may come from a host: only names of tools/deps.sh
# are sent back to it.
# Usage: doctor_fix ROWS_FILE [yes]
#   yes  do not ask
# Returns: 1 if a package could not be installed, or the user declined; 2 if there is nothing to install
doctor_fix() {
  local host names known status=2
  known=$(exec sed -nE 's/^(run|check|qemu) +[a-z]+ +([^ ]+) .*/\2/p' "$ROOT/tools/deps.sh")
  while IFS=$'\t' read -r -u 8 host names; do
    [[ $status == 1 ]] || status=0
    if [[ -z ${2-} ]] && ! _doctor_asked "$host" "$names"; then
      status=1
    elif _doctor_install "$host" "$names"; then
      log_info "$host: installed: $names"
    else
      log_warn "$host: could not install all of: $names"
      status=1
    fi
  done 8< <(KNOWN=$known LC_ALL=C awk -F '\t' -v OFS='\t' '
    BEGIN {
      n = split(ENVIRON["KNOWN"], word, " ")
      for (i = 1; i <= n; i++) known[word[i]] = 1
    }
    $2 != "ok" && sub(/^install: /, "", $6) {
      n = split($6, word, " ")
      for (i = 1; i <= n; i++) if (word[i] in known && !(($1, word[i]) in seen)) {
        if (!($1 in names)) order[++hosts] = $1
        seen[$1, word[i]] = 1
        names[$1] = names[$1] (names[$1] == "" ? "" : " ") word[i]
      }
    }
    END { for (h = 1; h <= hosts; h++) print order[h], names[order[h]] }' "$1")
  return "$status"
}

# Ask the user whether to install what a host lacks.
# Usage: _doctor_asked HOST NAMES
# Returns: 0 yes, 1 no
_doctor_asked() {
  local answer=
  [[ -t 0 ]] || {
    log_warn "$1: no terminal to ask whether to install $2; doctor --fix --yes installs without asking"
    return 1
  }
  read -r -p "$1: install what brings $2? [y/N] " answer || :
  [[ $answer == [yY] || $answer == [yY]es ]]
}

# Install packages on a host, by names of tools/deps.sh.
# Usage: _doctor_install HOST NAMES
_doctor_install() {
  local DEPS_SCRIPT
  local -a names
  [[ $1 != master ]] || set -- 127.0.0.1 "$2"
  DEPS_SCRIPT=$(<"$ROOT/tools/deps.sh")
  read -r -a names <<<"$2"
  call_run "$1" deps "${names[@]}"
}
