# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# PRICE: the cost of each variant's memory for its throughput within a limit, from the answers of searches.

# The kinds with a price: near memory; slower memory that the CPU accesses directly; memory that zram uses; a swap device, also
# behind zswap.
readonly _PRICE_KINDS='dram|cxl|zram|nvme'

# Refuse an invalid PRICE.
# Usage: price_check
# Globals: PRICE
# Returns: exits 2.
price_check() {
  local word kind
  local -a words
  read -r -a words <<<"$PRICE"
  for word in "${words[@]}"; do
    kind=${word%%:*}
    [[ $word =~ ^[a-z]+:([0-9]{1,9}(\.[0-9]{1,9})?|[a-z]+)$ ]] || conf_refuse PRICE "'$word': invalid; accepted: KIND:NUMBER, such as dram:3.5, or KIND:KIND, such as zram:dram"
    ! kind_grouped "$word" number: || conf_refuse PRICE "'$word': ambiguous, a fraction or thousands; write $REPLY"
    for kind in "$kind" "${word#*:}"; do
      [[ $kind == [0-9]* || "|$_PRICE_KINDS|" == *"|$kind|"* ]] || conf_refuse PRICE "'$word': unknown kind $kind; accepted: ${_PRICE_KINDS//|/ }"
    done
  done
  [[ -z $PRICE || " $PRICE" == *" dram:"[0-9]* ]] || conf_refuse PRICE "no price of dram; add it as a number, such as dram:3.5"
}

# Print the tables of a run; nothing without prices or without a search.
# Usage: price_tables RUN <TOTALS
# Globals: FORMAT, as figures_tables
price_tables() {
  local price
  price=$(exec sed -n 's/^PRICE="\(.*\)"$/\1/p' "$1/run.conf" 2>/dev/null) || :
  [[ -z $price ]] || PRICE=$price figures_run interval metric prices bound price | figures_tables
}
