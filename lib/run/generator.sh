# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The program that makes the load: ./test, or an adapter in lib/run/generator that runs another program and writes the same files.

# Refuse settings that the generator does not support.
# Usage: generator_check
# Globals: GENERATOR and the load
# Returns: exits 2.
generator_check() {
  tls_check
  [[ $GENERATOR == test ]] || _generator_check_peer
}

# Refuse settings that a generator other than ./test does not support.
# Usage: _generator_check_peer
# Globals: GENERATOR and the load
# Returns: exits 2.
_generator_check_peer() {
  local keys
  fill_named
  keys=$REPLY
  [[ $WARMUP == 0 ]] || conf_refuse WARMUP "$GENERATOR does not support a warm-up; set WARMUP=0"
  [[ $POPULATE_PATTERN != shuffle ]] || conf_refuse POPULATE_PATTERN "$GENERATOR does not support it; set POPULATE_PATTERN=sequential"
  [[ $SHIFT == off ]] || conf_refuse SHIFT "$GENERATOR does not support hot sets that move; set SHIFT=off"
  [[ $VALUE_DISTRIBUTION == off ]] || conf_refuse VALUE_DISTRIBUTION "$GENERATOR supports one size of values; set VALUE_DISTRIBUTION=off"
  [[ $COMMANDS == off ]] || conf_refuse COMMANDS "$GENERATOR sends GET and SET only; set COMMANDS=off"
  [[ $EXPIRE == off ]] || conf_refuse EXPIRE "$GENERATOR does not support expiry; set EXPIRE=off"
  [[ $SCRAMBLE == off ]] || conf_refuse SCRAMBLE "$GENERATOR does not support it; set SCRAMBLE=off"
  ! fill_apart || conf_refuse KEY_MAX "$GENERATOR supports only the keys that are populated; set KEY_MAX=auto"
  [[ $KEY_MIN == 0 ]] || conf_refuse KEY_MIN "$GENERATOR supports keys from 0 on only; set KEY_MIN=0"
  case $GENERATOR in
    redis-benchmark)
      [[ $KEY_PREFIX == off ]] || conf_refuse KEY_PREFIX "$GENERATOR has its own names of keys; set KEY_PREFIX=off"
      [[ $TIME == 0 ]] || conf_refuse TIME "$GENERATOR does not support a duration; set TIME=0 and REQUESTS"
      [[ $RATE == 0 ]] || conf_refuse RATE "$GENERATOR does not support a rate; set RATE=0"
      [[ " $PHASES " != *" mixed "* ]] || conf_refuse PHASES "$GENERATOR does not support mixed; accepted: populate set get"
      [[ $KEY_PATTERN == uniform ]] || conf_refuse KEY_PATTERN "$GENERATOR supports random keys only; set KEY_PATTERN=uniform"
      [[ $DATA == pattern ]] || conf_refuse DATA "$GENERATOR fills all values with one letter; set DATA=pattern"
      [[ $THREADS == auto || $THREADS == 1/instance ]] || conf_refuse THREADS "$GENERATOR supports one thread per instance; set THREADS=auto"
      ;;
    memtier_benchmark)
      [[ $TIME != *.*[!0]* ]] || conf_refuse TIME "$GENERATOR supports whole seconds only; set TIME to a whole number"
      [[ " $KEY_PATTERN" != *" latest"* && " $KEY_PATTERN" != *" hotspot"* ]] || conf_refuse KEY_PATTERN "$GENERATOR does not support latest and hotspot; accepted: sequential uniform gaussian zipf"
      [[ " $KEY_PATTERN " != *" shuffle"* ]] || conf_refuse KEY_PATTERN "$GENERATOR does not support shuffle; accepted: sequential uniform gaussian zipf"
      [[ $DATA != compressible* ]] || conf_refuse DATA "$GENERATOR does not support compressible values; accepted: pattern, random"
      [[ $keys == auto ]] || ((keys >= 3)) || conf_refuse "$(_generator_keys_from)" "$GENERATOR requires 3 keys per instance; set at least that many"
      _generator_check_shares "$keys"
      ;;
  esac
}

# The setting that determines the number of keys.
_generator_keys_from() {
  if [[ $KEY_MAX == auto ]]; then echo KEYS; else echo KEY_MAX; fi
}

# Refuse numbers that cannot be divided evenly over the instances' processes, their threads and connections.
# Usage: _generator_check_shares KEYS
_generator_check_shares() {
  local keys=$1 instances client count threads connections part
  for instances in $INSTANCES; do
    while IFS=$'\t' read -r client _ count; do
      plan_threads_each
      threads=$REPLY
      if [[ $THREADS =~ ^[0-9]+$ ]] && ((count > 0)); then
        threads=$((THREADS / count))
        ((threads * count == THREADS)) || conf_refuse THREADS "$GENERATOR runs one process per instance, and $client has $count of $instances instances; set a multiple of $count, or THREADS=auto"
      fi
      connections=$((CONNECTIONS * threads))
      [[ $RATE == 0 ]] || awk -v rate="$RATE" -v parts=$((instances * connections)) 'BEGIN { exit rate < parts || rate % parts > 0 }' ||
        conf_refuse RATE "$GENERATOR limits each connection to a whole number; with $instances instances set a multiple of $((instances * connections))"
      if [[ $keys != auto && " $KEY_PATTERN " == *" sequential "* ]]; then
        # All parts but the last have the same length, and must end before the keys do.
        part=$(((keys + connections - 1) / connections))
        ((part * (connections - 1) < keys)) || conf_refuse "$(_generator_keys_from)" "$GENERATOR cannot divide so few keys over $connections connections; set more keys, or fewer CONNECTIONS"
      fi
    done < <(plan_clients "$instances")
  done
}

# Copy the adapter to a client, and print the arguments that start it, separated by tabs.
# Usage: generator_words CLIENT
# Globals: GENERATOR
generator_words() {
  printf 'bash\t'
  launch_words "$1" "{lib/run/generator/peer.sh} {lib/shared/common.sh} {lib/run/generator/$GENERATOR.sh}"
}

# Whether the generator is installed on every client, as rows HOST STATE FOUND WANTED FIX.
# Usage: generator_try
# Globals: GENERATOR CLIENT_IP
generator_try() {
  local client program=$GENERATOR
  [[ $GENERATOR != test ]] || return 0
  [[ $GENERATOR != redis-benchmark ]] || program+='|valkey-benchmark'
  for client in $CLIENT_IP; do launch_has "$client" "$program" GENERATOR "install it there, or leave the variant out"; done
}

# With GENERATOR_MISSING=skip, remove variants from the run whose generator a client does not have, and name them.
# Usage: generator_skip
# Globals: VARIANTS GENERATOR_MISSING GENERATOR CLIENT_IP
# Returns: prints a row VARIANT HOST FOUND for each; the settings in force are those of the first remaining variant.
generator_skip() {
  local variant missing kept=''
  for variant in $VARIANTS; do
    variant_use "$variant"
    missing=
    [[ $GENERATOR_MISSING == refuse ]] || missing=$(generator_try | awk -F '\t' -v OFS='\t' -v variant="$variant" '$2 == "fail" { print variant, $1, $3 }')
    if [[ -n $missing ]]; then printf '%s\n' "$missing"; else kept+=" $variant"; fi
  done
  # When no variant remains, print the first reason.
  [[ -z $kept ]] || conf_word argument "VARIANTS=$kept" "GENERATOR_MISSING=$GENERATOR_MISSING"
  conf_resolve
  variant_use "${VARIANTS%% *}"
  server_auto
}
