# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The accepted values of each kind of setting, in words for messages (lib/core/conf.sh explains the kinds and checks values).

# Print what a kind accepts.
# Usage: kind_text KIND
kind_text() {
  local kind=$1 text='' part last=
  local -a parts
  if [[ $kind == *list:* ]]; then
    last="a list, separated by blanks, of: "
    kind=${kind/list:/}
  fi
  IFS='|' read -r -a parts <<<"$kind"
  for part in "${parts[@]}"; do text+="${text:+, }$(_kind_part "$part")"; done
  printf '%s%s\n' "$last" "$text"
}

# Print what one part of a kind accepts.
# Usage: _kind_part PART
_kind_part() {
  local min=${1#*:} max=${1#*..}
  min=${min%%..*}
  case $1 in
    int:*) printf 'a whole number from %s to %s' "$min" "$max" ;;
    number:*) printf 'a number from %s to %s' "$min" "$max" ;;
    span:*) printf 'N, A..B or A..B..STEP from %s to %s (all and clients are numbers too)' "$min" "$max" ;;
    size:*) printf 'a size from %s to %s' "$min" "$max" ;;
    percent) printf '1%% to 100%%' ;;
    percent:*) printf '%s%% to %s%%' "$min" "$max" ;;
    pair:*) _kind_pair "${1#pair:}" ;;
    *:pair:*) printf '%s:' "${1%%:*}" && _kind_pair "${1#*:pair:}" ;;
    *:number:*)
      min=${min#number:}
      printf '%s:N with N from %s to %s' "${1%%:*}" "$min" "$max"
      ;;
    ratio) printf 'A:B, two whole numbers that are not both 0' ;;
    host) printf 'a host name or address' ;;
    word) printf 'a name of letters, digits and . _ : -' ;;
    cpus) printf 'a list of numbers such as 0-3,8' ;;
    fields) printf 'a field of INFO, or HITS/MISSES, two fields of INFO' ;;
    *) printf '%s' "$1" ;;
  esac
}

# Usage: _kind_pair MIN..MAX:MIN..MAX
_kind_pair() {
  local a=${1%%:*} b=${1#*:}
  printf 'A:B with A from %s to %s and B from %s to %s' "${a%%..*}" "${a#*..}" "${b%%..*}" "${b#*..}"
}
