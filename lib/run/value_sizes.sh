# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# VALUE_DISTRIBUTION: the sizes of values, for all phases or for one kind of phase.

# Whether a phase has its own sizes.
# Usage: value_sizes_own
# Globals: VALUE_DISTRIBUTION
value_sizes_own() { [[ $VALUE_DISTRIBUTION == *=* ]]; }

# The sizes that the SETs of a phase have in VALUE_DISTRIBUTION; empty: VALUE_SIZES.
# Usage: value_sizes_of PHASE
# Globals: VALUE_DISTRIBUTION
# Returns: sets REPLY
value_sizes_of() {
  local word
  local -a words
  REPLY=''
  [[ $VALUE_DISTRIBUTION != off ]] || return 0
  read -r -a words <<<"$VALUE_DISTRIBUTION"
  for word in "${words[@]}"; do
    case $word in
      "$1"=*)
        REPLY=${word#*=}
        return
        ;;
      *=*) ;;
      *) REPLY=$word ;;
    esac
  done
}

# As value_sizes_of, for the first phase that sets: FILL is about its keys.
# Usage: value_sizes_first
# Globals: VALUE_DISTRIBUTION PHASES
# Returns: sets REPLY
value_sizes_first() {
  local phase
  for phase in $PHASES; do
    [[ $phase == get ]] || break
  done
  value_sizes_of "$phase"
}

# Print the sizes for a sample of keys: those of the first phase that sets are the sizes of populate.
# Usage: value_sizes_sample
# Globals: VALUE_DISTRIBUTION PHASES
value_sizes_sample() {
  local word
  local -a words sample=()
  read -r -a words <<<"$VALUE_DISTRIBUTION"
  for word in "${words[@]}"; do [[ $word == populate=* ]] || sample+=("$word"); done
  value_sizes_first
  ! value_sizes_own || [[ -z $REPLY ]] || sample+=("populate=$REPLY")
  printf '%s\n' "${sample[*]}"
}
