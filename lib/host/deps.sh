# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Install packages on this host by the table of tools/deps.sh, with the host's own package manager.
# Reads: DEPS_SCRIPT
#   DEPS_SCRIPT is the text of tools/deps.sh

# Usage: main NAME...
main() {
  # shellcheck disable=SC2016 # expanded by the script
  local -a words=(bash -c "$DEPS_SCRIPT"$'\n''main "$@"' deps.sh run "$@")
  if (($(id -u) != 0)); then
    # A password prompt would block, because no user can answer it.
    run_limited 10 sudo -n true 2>/dev/null ||
      fail "requires root, or sudo without a password, to install: $*"
    words=(sudo -n "${words[@]}")
  fi
  run_limited 1800 "${words[@]}" >&2 || fail "not everything was installed: $*"
}
