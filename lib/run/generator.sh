# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The program that makes the load: ./test, or an adapter in lib/run/generator that runs another program and writes the same files.

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
    plan_enter "$variant" ''
    missing=
    [[ $GENERATOR_MISSING == refuse ]] || missing=$(generator_try | awk -F '\t' -v OFS='\t' -v variant="$variant" '$2 == "fail" { print variant, $1, $3 }')
    if [[ -n $missing ]]; then printf '%s\n' "$missing"; else kept+=" $variant"; fi
  done
  # When no variant remains, print the first reason.
  [[ -z $kept ]] || conf_word argument "VARIANTS=$kept" "GENERATOR_MISSING=$GENERATOR_MISSING"
  plan_settle
}
