# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether this host has what its role needs, as rows: STATE CHECK FOUND WANTED MEND.

# Usage: main server|client
main() {
  work_open
  row ok "our folder" "$WORK" "ours alone" -
  local tool
  for tool in tar sha256sum flock awk; do need "$tool"; done
  case $1 in
    server)
      for tool in setsid taskset lscpu; do need "$tool"; done
      limit 10032 "what redis-server asks for with its default maxclients"
      ;;
    client)
      need screen
      limit 1024 "the load generator's connections"
      ;;
  esac
}

need() {
  if command -v "$1" >/dev/null; then
    row ok "$1" "$(command -v "$1")" "in PATH" -
  else
    row fail "$1" missing "in PATH" "lib/deps.sh run, here"
  fi
}

limit() {
  local most
  most=$(ulimit -Hn)
  if [[ $most == unlimited ]] || ((most >= $1)); then
    row ok "open files" "$most" "$1" -
  else
    row warn "open files" "$most" "$1: $2" "raise nofile in /etc/security/limits.conf"
  fi
}

row() {
  local IFS=$'\t'
  printf '%s\n' "$*"
}
