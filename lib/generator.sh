# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which program makes the load: ./test, or an adapter in lib/generator that runs another and writes the same files.

# Refuse settings that the chosen generator has no counterpart for.
# Usage: generator_check
# Globals: GENERATOR TIME RATE PHASES KEY_PATTERN WARMUP
# Returns: exits 2.
generator_check() {
  [[ $GENERATOR != test ]] || return 0
  [[ $TIME == 0 ]] || conf_refuse TIME "$GENERATOR counts requests; set REQUESTS or INSTANCE_REQUESTS"
  [[ $RATE == 0 ]] || conf_refuse RATE "$GENERATOR has no rate"
  [[ $WARMUP == 0 ]] || conf_refuse WARMUP "$GENERATOR has no warm-up"
  [[ " $PHASES " != *" mixed "* ]] || conf_refuse PHASES "$GENERATOR has no mixed load"
  [[ $KEY_PATTERN == uniform ]] || conf_refuse KEY_PATTERN "$GENERATOR takes keys at random: uniform"
}

# Print the words that start the adapter on a client, separated by tabs, after putting it there.
# Usage: generator_words CLIENT
# Globals: GENERATOR
generator_words() {
  local file=lib/generator/$GENERATOR.sh
  printf 'bash\t'
  launch_words "$1" "{$file}"
}

# Whether the generator is on every client, as rows HOST STATE FOUND WANTED MEND.
# Usage: generator_try
# Globals: GENERATOR CLIENT_IP
generator_try() {
  local client why=$_REMOTE_TMP/why
  [[ $GENERATOR != test ]] || return 0
  for client in $CLIENT_IP; do
    if remote_run "$client" launch "$GENERATOR" --version 2>"$why"; then
      printf '%s\tok\t%s\tGENERATOR=%s\t-\n' "$client" "$GENERATOR" "$GENERATOR"
    else
      printf '%s\tfail\t%s\tGENERATOR=%s\tinstall it there, or leave the variant out\n' "$client" "$(tr '\n\t' '  ' <"$why")" "$GENERATOR"
    fi
  done
}
