# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How many keys fill the memory that is asked for, and whether they fit.

# Keys an instance by the formula of the 2018 guide: 8 GB kept back, 90 % of the rest, a key taken as 110 % of its value,
# rounded down to 10,000 keys, divided by the instances. All integer arithmetic, in this order.
# Usage: fill_guide MEM_GIB VALUE_BYTES INSTANCES
fill_guide() {
  local mem=$1 size=$2 instances=$3 keys
  keys=$(((mem - 8) * (1 << 30) * 90 / 110 / size))
  keys=$((keys / 10000 * 10000))
  echo $((keys / instances))
}

# Print the keys an instance for a point.
# Usage: fill_keys VALUE_BYTES INSTANCES
# Globals: KEYS FILL SERVER_MEM
# Returns: exits 2 when the formula leaves no key.
fill_keys() {
  local size=$1 instances=$2 keys=$KEYS
  if [[ $KEYS == auto ]]; then
    keys=$(fill_guide "$SERVER_MEM" "$size" "$instances")
    ((keys > 0)) ||
      conf_refuse FILL "the guide's formula leaves no key of $size B for $instances instances in $SERVER_MEM GiB; set KEYS"
  fi
  echo "$keys"
}

# Print the bytes that a fill is expected to take on the server. Until Redis is asked, the guide's 110 % of the value
# and 100 B for the key, its entry and its share of the table are taken.
# Usage: fill_bytes VALUE_BYTES INSTANCES KEYS
fill_bytes() {
  echo $(($2 * $3 * ($1 * 110 / 100 + 100)))
}

# Print the bytes that must stay free on a server of TOTAL bytes.
# Usage: fill_reserve TOTAL
# Globals: RESERVE
fill_reserve() {
  local tenth=$(($1 / 10)) most=$((8 << 30))
  if [[ $RESERVE != auto ]]; then
    conf_bytes "$RESERVE"
  else
    echo $((tenth < most ? tenth : most))
  fi
}
