# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# --price of report and compare: the cost of each variant's memory for its throughput within a limit, from the answers of searches.

PRICES= # of --price, per GiB; empty without it

# Take the value of --price. The kinds with a price are those of the tiers.
# Usage: price_take VALUE
# Returns: sets and exports PRICES; exits 2 if a price is invalid
price_take() {
  local where="command line: --price=$1" word kind kinds REPLY
  local -a words
  tiers_prices
  kinds=$REPLY
  read -r -a words <<<"${1//[$'\n',]/ }"
  for word in "${words[@]}"; do
    [[ $word =~ ^([a-z]+)=([a-z]+|[0-9]{1,9}(\.[0-9]{1,9})?)$ ]] ||
      die_usage "$where: '$word': invalid; accepted: KIND=NUMBER, such as dram=3.5, or KIND=KIND, such as zram=dram"
    for kind in "${BASH_REMATCH[@]:1:2}"; do
      [[ $kind == [0-9]* || " $kinds " == *" $kind "* ]] || die_usage "$where: '$word': unknown kind $kind; accepted: $kinds"
    done
    [[ ! $word =~ =([1-9][0-9]{0,2})[.]([0-9]{2}0)$ ]] || die_usage "$where: '$word': ambiguous, a fraction or thousands;" \
      "write ${BASH_REMATCH[1]}${BASH_REMATCH[2]} or ${BASH_REMATCH[1]}.${BASH_REMATCH[2]}0"
  done
  [[ " ${words[*]-}" == *" dram="[0-9]* ]] || die_usage "$where: no price of dram; add it as a number, such as dram=3.5"
  export PRICES="${words[*]}"
}
