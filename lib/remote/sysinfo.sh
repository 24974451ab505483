# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What this host is: the lines of the guide's setup.log.

# Usage: main
main() {
  uname -a
  echo
  free -g 2>/dev/null || cat /proc/meminfo
  echo
  uptime 2>/dev/null || cat /proc/loadavg
  echo
  grep . /sys/kernel/mm/transparent_hugepage/enabled /dev/null || echo 'transparent huge pages: none'
  echo
  lscpu
  echo
  vsmp
  echo
}

# The version and state of vSMP (Intel Memory Drive Technology), whose tools carry a prefix of four letters.
vsmp() {
  local file prefix
  for file in /usr/local/bin/????version; do
    if [[ -x $file ]] && grep -qi vsmpversion "$file"; then
      prefix=${file%version}
      "$file" -vvv
      "${prefix}ctl" --status
      return
    fi
  done
  echo 'Running NATIVE'
}
