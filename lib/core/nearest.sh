# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The known name that is nearest to an unknown name: the hint of every message about a setting, scenario, variant, workload, command or option.

# The hint for a name: the nearest known name, and where all are.
# Usage: nearest_hint NAME ALL KNOWN...
#   ALL says what prints all names, such as `./do_it.sh list names variants`
# Returns: sets REPLY to `the nearest is KNOWN (ALL)`, or to ALL if no name is near
nearest_hint() {
  local name=${1:0:64} all=$2
  REPLY=$(printf '%s\n' "${@:3}" | NAME=$name LC_ALL=C exec awk '
    function least(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) }
    # The number of letters to change, insert, remove or swap with their neighbour.
    function distance(s, t,   i, j, row) {
      for (i = 0; i <= length(s); i++) row[i, 0] = i
      for (j = 0; j <= length(t); j++) row[0, j] = j
      for (i = 1; i <= length(s); i++) {
        for (j = 1; j <= length(t); j++) {
          row[i, j] = least(row[i - 1, j] + 1, row[i, j - 1] + 1, row[i - 1, j - 1] + (substr(s, i, 1) != substr(t, j, 1)))
          if (i > 1 && j > 1 && substr(s, i, 1) == substr(t, j - 1, 1) && substr(s, i - 1, 1) == substr(t, j, 1))
            row[i, j] = least(row[i, j], row[i - 2, j - 2] + 1, row[i, j])
        }
      }
      return row[length(s), length(t)]
    }
    BEGIN { name = toupper(ENVIRON["NAME"]); best = length(name) < 3 ? 1 : int(length(name) / 4) + 1.5 }
    $0 != "" {
      # The start of a name is nearer than a name with another letter.
      d = length(name) > 1 && index(toupper($0), name) == 1 ? 0.5 : distance(name, toupper($0))
      if (d < best) { best = d; nearest = $0 }
    }
    END { print nearest }')
  REPLY=${REPLY:+the nearest is $REPLY ($all)}
  REPLY=${REPLY:-$all}
}

# The hint for the name of a scenario, variant, workload or setting.
# Usage: nearest_conf NAME KIND
#   KIND as of named_find, or settings
# Returns: sets REPLY
nearest_conf() {
  local -a NAMED_FILES known
  if [[ $2 == settings ]]; then
    parts_settings
    mapfile -t known <<<"$REPLY"
    mapfile -t known < <(sed -nE 's/^([A-Z][A-Za-z0-9_.-]*)=.*  #: .*/\1/p' "${known[@]}")
    nearest_hint "$1" './do_it.sh plan --settings lists all' "${known[@]}"
    return
  fi
  named_files "$2"
  NAMED_FILES=("${NAMED_FILES[@]##*/}")
  nearest_hint "$1" "./do_it.sh list names $2" "${NAMED_FILES[@]%.conf}"
}
