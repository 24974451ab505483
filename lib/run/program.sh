# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Install a program of this project on a host: copy it if the host has the same machine and libc, else build it there from source.

# Print the path of a program on a host, or the reason why it cannot be installed. On this machine the path is FILE.
# Usage: program_prepare HOST NAME FILE TARGET KEY
#   FILE is the result of make TARGET here, and KEY the first digits of its checksum (program_key)
# Returns: 1 if it cannot be installed, with the reason printed
program_prepare() {
  local said status=0
  if remote_is_local "$1"; then
    printf '%s\n' "$3"
    return 0
  fi
  said=$(_program_prepare "$@" 2>&1) || status=$?
  # A host may write more to stderr, also when all is well.
  ((status != 0)) || said=$(tail -n 1 <<<"$said")
  printf '%s\n' "$said"
  return "$status"
}

# Copy a program to another host, or build it there, and print its path.
# Usage: as program_prepare, for another host
_program_prepare() {
  local host=$1 name=$2 file=$3 target=$4 key=$5 answer what path why work called='the load generator' ours
  [[ $name == test ]] || called=$name
  ours=$(program_machine)
  answer=$(remote_run "$host" program have "$name" "$key") || return
  IFS=$'\t' read -r what path why <<<"$answer"
  if [[ $what != yes ]]; then
    work=$(remote_work "$host") || return
    if [[ $path != "$ours" ]]; then
      why="it is for $ours, the host has $path"
    else
      remote_put "$host" "$file" "$work/cache/$name-$key" || return
      answer=$(remote_run "$host" program have "$name" "$key") || return
      IFS=$'\t' read -r what path why <<<"$answer"
    fi
    if [[ $answer == no* ]]; then
      log_info "$host: building $called there: our copy does not start: $why"
      _program_sources "$_REMOTE_TMP/$key.$BASHPID.tar"
      remote_put "$host" "$_REMOTE_TMP/$key.$BASHPID.tar" "$work/cache/$key.tar" || return
      answer=$(remote_run "$host" program build "$name" "$key" "$target" "${file#"$ROOT/"}") || return
    fi
    IFS=$'\t' read -r what path why <<<"$answer"
    [[ $what == yes ]] || {
      printf '%s: %s does not start there: %s\n' "$host" "$called" "$why"
      return 1
    }
  fi
  printf '%s\n' "$path"
}

# Print the key of a program's file.
# Usage: program_key FILE
program_key() {
  sha256sum "$1" | cut -c 1-16
}

# Print machine and libc of the master, which a copy of a program must match.
program_machine() {
  printf '%s %s\n' "$(uname -m)" "$(getconf GNU_LIBC_VERSION)"
}

# Pack the sources of the programs, for a host with another machine or libc.
_program_sources() {
  tar -C "$ROOT" -cf "$1" Makefile test.c lib/loadgen lib/membench
}
