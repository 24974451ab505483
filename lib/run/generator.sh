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
