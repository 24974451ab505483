# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether this host can connect to the instances of a server, as its load generator will.
# Reads: ADDRESS
#   ADDRESS is that of the server which carries the load

# Usage: main try PORT...
main() {
  "host_path_$1" "${@:2}"
}

# Connect to each port, and close the connection. Print `open PORT`, or `closed PORT WHY`.
# Usage: host_path_try PORT...
host_path_try() {
  local port why status
  for port; do
    status=0
    # shellcheck disable=SC2016 # expanded by the inner shell
    why=$(LC_ALL=C run_limited 5 bash -c ': <>"/dev/tcp/$1/$2"' bash "$ADDRESS" "$port" 2>&1) || status=$?
    # The first line has the reason of the system: `bash: connect: No route to host`.
    why=${why%%$'\n'*}
    ((status != 124)) || why='timed out after 5 s'
    if ((status == 0)); then printf 'open\t%s\n' "$port"; else printf 'closed\t%s\t%s\n' "$port" "${why##*: }"; fi
  done
}
