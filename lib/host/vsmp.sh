# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The tools of vSMP (Intel Memory Drive Technology), whose names begin with four specific letters.

# Print the path of the tools up to their prefix: with it, PREFIXversion and PREFIXctl.
# Usage: host_vsmp_prefix
# Returns: 1 if this machine does not run on vSMP.
host_vsmp_prefix() {
  local file
  for file in "${TIERBENCH_ROOT-}"/usr/local/bin/????version; do
    if [[ -x $file ]] && grep -qi vsmpversion "$file"; then
      printf '%s\n' "${file%version}"
      return
    fi
  done
  return 1
}
