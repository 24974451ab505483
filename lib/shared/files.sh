# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How a host sends files to the master (lib/core/receive.sh), and which names they may have.

# Whether a name of a file is plain. A pattern with the count {0,199} would take 70 times as long.
# Usage: files_plain NAME
files_plain() {
  [[ $1 == [A-Za-z0-9]* && $1 != *[!A-Za-z0-9._@+-]* ]] && ((${#1} <= 200))
}

# Print files of the current directory in the form that lib/core/receive.sh reads. Files that are not regular, or whose name is not plain,
# are left out with a line on stderr.
# Usage: files_send -- FILE...
files_send() {
  local name index
  local -a plain=() sizes sums
  shift
  for name; do
    if [[ -f $name && ! -L $name ]] && files_plain "$name"; then
      plain+=("$name")
    elif [[ -e $name || -L $name ]]; then
      printf '%s: not sent: it is not a regular file with a plain name\n' "$name" >&2
    fi
  done
  if ((${#plain[@]} > 0)); then
    mapfile -t sizes < <(stat -c %s -- "${plain[@]}")
    mapfile -t sums < <(sha256sum -- "${plain[@]}")
    for index in "${!plain[@]}"; do printf '%s\t%s\t%s\n' "${sizes[index]}" "${sums[index]%% *}" "${plain[index]}"; done
  fi
  echo
  ((${#plain[@]} == 0)) || cat -- "${plain[@]}"
}
