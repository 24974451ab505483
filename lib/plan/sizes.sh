# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# VALUE_DISTRIBUTION: the sizes of values, for all phases or for one kind of phase.

# Set VALUE_SIZES to the mean size of the first phase that sets, after settings were resolved; unchanged if VALUE_DISTRIBUTION has no sizes for it.
# Usage: sizes_settle
# Globals: VALUE_DISTRIBUTION PHASES
# Returns: sets VALUE_SIZES; exits 2 if VALUE_DISTRIBUTION is invalid.
sizes_settle() {
  local word phase seen=' '
  local -a words
  [[ $VALUE_DISTRIBUTION != off ]] || return 0
  read -r -a words <<<"$VALUE_DISTRIBUTION"
  for word in "${words[@]}"; do
    phase=''
    if [[ $word == *=* ]]; then
      phase=${word%%=*}
      [[ $phase == populate || $phase == set || $phase == mixed ]] || conf_refuse VALUE_DISTRIBUTION "'$word': invalid phase; accepted: populate, set, mixed"
      [[ " $PHASES " == *" $phase "* ]] || conf_refuse VALUE_DISTRIBUTION "'$word': no such phase in PHASES=$PHASES; add it there, or leave it out here"
    fi
    [[ $seen != *" ${phase:-all} "* ]] || conf_refuse VALUE_DISTRIBUTION "'$word': repeated; name sizes once for each phase, and once for all others"
    seen+="${phase:-all} "
    [[ -n $(sizes_mean "${word#*=}") ]] || conf_refuse VALUE_DISTRIBUTION \
      "invalid; accepted: off, LOW-HIGH, SIZE:WEIGHT,SIZE:WEIGHT,..., lognormal:MEAN:SD, pareto:MIN:ALPHA (ALPHA above 1), gpareto:LOCATION:SCALE:SHAPE (SHAPE below 1) or etc, each also as PHASE=SIZES"
  done
  sizes_first
  [[ -n $REPLY ]] || return 0
  # The mean takes the place of VALUE_SIZES, which a later phase without sizes would have.
  VALUE_SIZES=$(sizes_mean "$REPLY")
  for phase in $PHASES; do
    sizes_of "$phase"
    [[ $phase == get || -n $REPLY ]] || conf_refuse VALUE_DISTRIBUTION "no sizes for $phase of PHASES=$PHASES; add $phase=SIZES, or sizes for all phases"
  done
}

# Whether a phase has its own sizes.
# Usage: sizes_own
# Globals: VALUE_DISTRIBUTION
sizes_own() { [[ $VALUE_DISTRIBUTION == *=* ]]; }

# The sizes that the SETs of a phase have in VALUE_DISTRIBUTION; empty: VALUE_SIZES.
# Usage: sizes_of PHASE
# Globals: VALUE_DISTRIBUTION
# Returns: sets REPLY
sizes_of() {
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

# As sizes_of, for the first phase that sets: FILL is about its keys.
# Usage: sizes_first
# Globals: VALUE_DISTRIBUTION PHASES
# Returns: sets REPLY
sizes_first() {
  local phase
  for phase in $PHASES; do
    [[ $phase == get ]] || break
  done
  sizes_of "$phase"
}

# The largest mean size of any phase, in bytes, for one value of VALUE_SIZES.
# Usage: sizes_largest BYTES
# Globals: VALUE_DISTRIBUTION PHASES
# Returns: sets REPLY
sizes_largest() {
  local phase largest=$1 mean
  if sizes_own; then
    for phase in $PHASES; do
      sizes_of "$phase"
      [[ $phase != get && -n $REPLY ]] || continue
      mean=$(sizes_mean "$REPLY")
      ((mean <= largest)) || largest=$mean
    done
  fi
  REPLY=$largest
}

# Print the sizes for a sample of keys: those of the first phase that sets are the sizes of populate.
# Usage: sizes_sample
# Globals: VALUE_DISTRIBUTION PHASES
sizes_sample() {
  local word
  local -a words sample=()
  read -r -a words <<<"$VALUE_DISTRIBUTION"
  for word in "${words[@]}"; do [[ $word == populate=* ]] || sample+=("$word"); done
  sizes_first
  ! sizes_own || [[ -z $REPLY ]] || sample+=("populate=$REPLY")
  printf '%s\n' "${sample[*]}"
}

# Print the mean of a distribution of sizes, in whole bytes; nothing when it is invalid. The limits of ./test are not taken into account.
# Usage: sizes_mean DISTRIBUTION
sizes_mean() {
  local number='[0-9]+([.][0-9]+)?' choice='[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?(:[1-9][0-9]{0,8})?' kind=${1%%:*}
  case $kind in
    etc) [[ $1 == etc ]] || return 0 ;;
    lognormal | pareto) [[ $1 =~ ^$kind:$number:$number$ ]] || return 0 ;;
    gpareto) [[ $1 =~ ^$kind:$number:$number:$number$ ]] || return 0 ;;
    *) [[ $1 =~ ^$choice(,$choice)*$ ]] || return 0 ;;
  esac
  awk -v given="$1" 'BEGIN {
    if (given == "etc") given = "gpareto:0:214.476:0.348238"
    n = split(given, v, ":")
    if (v[1] == "lognormal") mean = v[3] > 0 ? v[2] : 0
    else if (v[1] == "pareto") mean = v[3] > 1 ? v[2] * v[3] / (v[3] - 1) : 0
    else if (v[1] == "gpareto") mean = v[4] < 1 && v[3] > 0 ? v[2] + v[3] / (1 - v[4]) : 0
    else {
      n = split(given, choice, ",")
      for (i = 1; i <= n; i++) {
        weight = split(choice[i], v, ":") > 1 ? v[2] : 1
        if (split(v[1], ends, "-") < 2) ends[2] = ends[1]
        if (ends[2] + 0 < ends[1] + 0) exit
        sum += (ends[1] + ends[2]) / 2 * weight
        weights += weight
      }
      mean = sum / weights
    }
    if (mean >= 0.5 && mean < 536870912) printf "%d\n", mean + 0.5
  }'
}
