# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Checks in TAP, for scripts that bats does not run.

COUNT=0 FAILED=0

# Whether a text matches.
# Usage: check TITLE REGEX TEXT
check() {
  COUNT=$((COUNT + 1))
  if [[ $3 =~ $2 ]]; then
    echo "ok $COUNT $1"
  else
    FAILED=$((FAILED + 1))
    echo "not ok $COUNT $1"
    printf '# wanted: %s\n# %s\n' "$2" "${3//$'\n'/$'\n'# }"
  fi
}
