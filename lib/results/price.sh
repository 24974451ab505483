# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# PRICE: the cost of each variant's memory for its throughput within a limit, from the answers of searches.

# Print the tables of a run; nothing without prices or without a search.
# Usage: price_tables RUN <TOTALS
# Globals: FORMAT, as figures_tables
price_tables() {
  local price
  price=$(exec sed -n 's/^PRICE="\(.*\)"$/\1/p' "$1/run.conf" 2>/dev/null) || :
  [[ -z $price ]] || PRICE=$price figures_run interval metric prices bound price | figures_tables
}
