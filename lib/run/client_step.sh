# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a search reads of a client: the figures of its last step, and the CPU time there.

# Print the CPU time on a client when its generator last waited, see lib/host/probe.sh.
# Usage: client_probe CLIENT
client_probe() {
  printf '%s\n' "${_CLIENT_PROBE[$1]-}"
}

# Print the figures and the histogram of the last step on a client, see lib/host/client.sh.
# Usage: client_step CLIENT
client_step() {
  _client_run "$1" step
}

# Run a verb of lib/host/client.sh on a client. Usage: _client_run CLIENT VERB [ARG]...
_client_run() {
  local CLIENT=$1
  shift
  call_run "${CLIENT%@*}" client "$@"
}
