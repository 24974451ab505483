# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which TCP ports of this host are taken.

# Print a line for every port that a process listens on, of those that are given.
# Usage: host_ports_taken PORT...
host_ports_taken() {
  local -A taken=()
  local port who
  while read -r port; do taken[$port]=1; done < <(host_ports_listening)
  for port; do
    [[ -n ${taken[$port]+set} ]] || continue
    # Without ss the port is still known to be in use.
    who=$(run_limited 10 ss -Hltnp "sport = :$port" 2>/dev/null | sed -n 's/.*users:((\(.*\)))$/\1/p' | sed -n 1p) || who=
    printf 'port %s is taken%s\n' "$port" "${who:+ by $who}"
  done
}

# Print every listening TCP port, by the kernel's own table.
# Usage: host_ports_listening
host_ports_listening() {
  local at state
  # A busy server has thousands of other lines, which take a shell longer than a process. A kernel without IPv6 has no tcp6.
  while read -r _ at _ state _; do
    [[ $state != 0A ]] || echo $((16#${at##*:}))
  done < <(grep -hs ' 0A ' /proc/net/tcp /proc/net/tcp6)
}
