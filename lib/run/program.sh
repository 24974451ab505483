# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Install a program of this project on a host: copy it if the copy starts there, else build it there from source.

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
  local host=$1 name=$2 file=$3 target=$4 key=$5 answer what path why work called='the load generator'
  [[ $name == test ]] || called=$name
  answer=$(program_copy "$host" "$name" "$file" "$key") || return
  if [[ $answer == no* ]]; then
    log_info "$host: building $called there: our copy does not start: ${answer#*$'\t'}"
    work=$(call_work "$host") || return
    _program_sources "$_REMOTE_TMP/$key.$BASHPID.tar"
    call_put "$host" "$_REMOTE_TMP/$key.$BASHPID.tar" "$work/cache/$key.tar" || return
    answer=$(call_run "$host" program build "$name" "$key" "$target" "${file#"$ROOT/"}") || return
    IFS=$'\t' read -r what path why <<<"$answer"
    [[ $what == yes ]] || {
      printf '%s: %s does not start there: %s\n' "$host" "$called" "$why"
      return 1
    }
  fi
  printf '%s\n' "${answer#*$'\t'}"
}

# Copy a program to another host of the same machine, unless it is there, and try it: only its start shows whether it runs with the libc there.
# Usage: program_copy HOST NAME FILE KEY
# Returns: prints `yes PATH`, or `no WHY` if it does not start there
program_copy() {
  local host=$1 ours answer what path why work
  ours=$(uname -m)
  answer=$(call_run "$host" program have "$2" "$4") || return
  IFS=$'\t' read -r what path why <<<"$answer"
  if [[ $what == no && $path != "$ours" ]]; then
    why="it is for $ours, the host has $path"
  elif [[ $what == no ]]; then
    work=$(call_work "$host") || return
    call_put "$host" "$3" "$work/cache/$2-$4" || return
    answer=$(call_run "$host" program have "$2" "$4") || return
    IFS=$'\t' read -r what path why <<<"$answer"
  fi
  if [[ $what == yes ]]; then printf 'yes\t%s\n' "$path"; else printf 'no\t%s\n' "$why"; fi
}

# Print the key of a program's file.
# Usage: program_key FILE
program_key() {
  sha256sum "$1" | cut -c 1-16
}

# Pack the sources of the programs, for a host where a copy does not start.
_program_sources() {
  tar -C "$ROOT" -cf "$1" Makefile test.c lib/loadgen lib/membench
}
