# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Print this host's clock. The script is short, because its way to the host and back is measured.

main() {
  printf '%s\n' "${EPOCHREALTIME/,/.}"
}
