# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The load that the settings describe: its text in the plan, and the options of ./test for it.

# Whether populate sets other keys than KEY_MIN to KEY_MAX, which the measured phases use.
# Usage: load_apart
# Globals: KEYS KEY_MAX FILL PHASES
load_apart() {
  [[ $KEY_MAX != auto && " $PHASES " == *" populate "* ]] && [[ $KEYS != auto || $FILL != guide ]]
}

# Print the pattern of keys and the settings that modify it; or the trace.
# Usage: load_text
# Globals: KEY_PATTERN KEY_PATTERN_SCRAMBLE KEY_PATTERN_SHIFT KEY_MIN KEY_MAX KEY_PREFIX VALUE_DISTRIBUTION EXPIRE COMMANDS
load_text() {
  if replay_on; then replay_text; else printf '%s' "$KEY_PATTERN"; fi
  [[ $KEY_PATTERN_SCRAMBLE == off ]] || printf ', scrambled'
  [[ $KEY_PATTERN_SHIFT == off ]] || printf ', moving by %s %% every %s s' "${KEY_PATTERN_SHIFT#*:}" "${KEY_PATTERN_SHIFT%:*}"
  ! load_apart || printf ', of %d..%d' "$KEY_MIN" "$KEY_MAX"
  [[ $KEY_PREFIX == off ]] || printf ', named %sN' "$KEY_PREFIX"
  [[ $COMMANDS == off ]] || printf '; mixed %s' "$COMMANDS"
  [[ $VALUE_DISTRIBUTION == off ]] || printf '; values %s' "$VALUE_DISTRIBUTION"
  [[ $EXPIRE == off ]] || printf '; keys live %s s' "$EXPIRE"
}

# Print the load in a line of the plan.
# Usage: load_say
# Globals: CONNECTIONS PIPELINE RATE SWEEP, and as load_text
load_say() {
  local rate=$RATE
  [[ $rate != 0 ]] || rate='0 (full speed)'
  [[ " $SWEEP" != *' RATE='* ]] || rate=swept
  printf '; %s connection(s) per thread, pipeline %s, RATE=%s, keys ' "$CONNECTIONS" "$PIPELINE" "$rate"
  load_text
}

# Print the server's commands that the load, or any tenant's, sends in addition to GET and SET, each as +COMMAND.
# Usage: load_commands
# Globals: COMMANDS REPLAY ROW
load_commands() {
  local tenant
  local -a tenants
  read -r -a tenants <<<"${ROW[tenants]-}"
  for tenant in "${tenants[@]}"; do (
    plan_tenant "${tenant%%/*}"
    mix_allowed
  ); done
  [[ -n ${ROW[tenants]-} ]] || mix_allowed
  replay_allowed
}

# The bytes of KEY_PREFIX.
# Usage: load_prefix_of   Returns: sets REPLY
load_prefix_of() {
  REPLY=0
  [[ $KEY_PREFIX == off ]] || REPLY=${#KEY_PREFIX}
}

# Print the options of ./test, one per line.
# Usage: load_options
# Globals: KEY_PATTERN_SCRAMBLE KEY_PATTERN_SHIFT KEY_PREFIX VALUE_DISTRIBUTION EXPIRE COMMANDS
load_options() {
  [[ $KEY_PATTERN_SCRAMBLE == off ]] || echo --scramble
  [[ $KEY_PATTERN_SHIFT == off ]] || printf '%s\n' --shift "$KEY_PATTERN_SHIFT"
  [[ $KEY_PREFIX == off ]] || printf '%s\n' --key-prefix "$KEY_PREFIX"
  [[ $VALUE_DISTRIBUTION == off ]] || printf '%s\n' --sizes "$VALUE_DISTRIBUTION"
  [[ $EXPIRE == off ]] || printf '%s\n' --expire "$EXPIRE"
  [[ $COMMANDS == off ]] || printf '%s\n' --commands "$COMMANDS"
}
