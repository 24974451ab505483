# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The load that the settings describe: refuse contradictions, print it, and print the options of ./test for it.

# Refuse settings of the load that contradict each other.
# Usage: load_check
# Globals: KEY_PATTERN SHIFT SCRAMBLE PHASES
# Returns: exits 2.
load_check() {
  local pattern
  mix_check
  replay_check
  for pattern in $KEY_PATTERN; do
    case $pattern in
      gaussian* | zipf* | hotspot*) ;;
      *)
        [[ $SHIFT == off ]] || conf_refuse SHIFT "KEY_PATTERN=$pattern has no popular keys to move; gaussian, zipf and hotspot have"
        [[ $SCRAMBLE == off ]] || conf_refuse SCRAMBLE "KEY_PATTERN=$pattern has no popular keys to spread; gaussian, zipf and hotspot have"
        ;;
    esac
    if [[ $pattern == latest* ]]; then
      [[ $PHASES != set* ]] || conf_refuse PHASES "KEY_PATTERN=$pattern adds keys after the last one; start PHASES with populate"
    fi
  done
}

# Print settings that have no effect, or an unexpected effect, as rows FOUND WANTED FIX.
# Usage: load_ignored
# Globals: KEY_PATTERN PHASES TIME RATE SHIFT
load_ignored() {
  mix_ignored
  if [[ " $PHASES" == *" get"* && " ${PHASES%%get*}" != *" "@(populate|set|mixed)* ]]; then
    printf 'PHASES=%s\tpopulate first\tset PHASES="populate %s": no phase sets keys before get, so no GET finds one\n' "$PHASES" "$PHASES"
  fi
  if [[ " $KEY_PATTERN" == *" latest"* && " $PHASES " == *" mixed "* && $TIME != 0 && $RATE == 0 ]]; then
    printf 'KEY_PATTERN=%s\tRATE or REQUESTS\tset RATE or REQUESTS: how many keys a closed loop adds in TIME=%s and their memory cannot be planned\n' \
      "$KEY_PATTERN" "$TIME"
  fi
  if [[ $SHIFT != off && $TIME != 0 ]] && awk -v every="${SHIFT%:*}" -v time="$TIME" 'BEGIN { exit every < time }'; then
    printf 'SHIFT=%s\tTIME above %s\tset TIME: a phase of %s s ends before the first shift\n' "$SHIFT" "${SHIFT%:*}" "$TIME"
  fi
}

# Whether a phase only sets the keys: populate, also repeated (populate-2) or offered again at the gate (populate.1).
# Usage: load_is_fill PHASE
load_is_fill() {
  [[ $1 =~ ^populate(-[0-9]+)?(\.[0-9]+)?$ ]]
}

# Print the pattern of keys and the settings that modify it; or the trace.
# Usage: load_text
# Globals: KEY_PATTERN SCRAMBLE SHIFT KEY_MIN KEY_MAX KEY_PREFIX VALUE_DISTRIBUTION EXPIRE COMMANDS
load_text() {
  if replay_on; then replay_text; else printf '%s' "$KEY_PATTERN"; fi
  [[ $SCRAMBLE == off ]] || printf ', scrambled'
  [[ $SHIFT == off ]] || printf ', moving by %s %% every %s s' "${SHIFT#*:}" "${SHIFT%:*}"
  ! fill_apart || printf ', of %d..%d' "$KEY_MIN" "$KEY_MAX"
  [[ $KEY_PREFIX == off ]] || printf ', named %sN' "$KEY_PREFIX"
  [[ $COMMANDS == off ]] || printf '; mixed %s' "$COMMANDS"
  [[ $VALUE_DISTRIBUTION == off ]] || printf '; values %s' "$VALUE_DISTRIBUTION"
  [[ $EXPIRE == off ]] || printf '; keys live %s s' "$EXPIRE"
}

# Print the server's commands that the load sends in addition to GET and SET, each as +COMMAND.
# Usage: load_commands
# Globals: COMMANDS TRACE_FILE
load_commands() {
  mix_allowed
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
# Globals: SCRAMBLE SHIFT KEY_PREFIX VALUE_DISTRIBUTION EXPIRE COMMANDS
load_options() {
  [[ $SCRAMBLE == off ]] || echo --scramble
  [[ $SHIFT == off ]] || printf '%s\n' --shift "$SHIFT"
  [[ $KEY_PREFIX == off ]] || printf '%s\n' --key-prefix "$KEY_PREFIX"
  [[ $VALUE_DISTRIBUTION == off ]] || printf '%s\n' --sizes "$VALUE_DISTRIBUTION"
  [[ $EXPIRE == off ]] || printf '%s\n' --expire "$EXPIRE"
  [[ $COMMANDS == off ]] || printf '%s\n' --commands "$COMMANDS"
}
