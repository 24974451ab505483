# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether a prefix command can start programs on this host: it is tested with a program that does nothing.
# Needs: user
# Reads: LAUNCH_USER
#   LAUNCH_USER is keep unless the program then becomes another user

# Usage: main WORD... | PROGRAM[|PROGRAM]... --version | FILE --readable
#   with --version, one of the programs only needs to exist; with --readable, the file
main() {
  local said name record mark status=0
  local -a USER_WORDS=() names
  if [[ ${2-} == --readable ]]; then
    [[ -f $1 && -r $1 ]] || fail "'$1' is missing, or not readable"
    return 0
  fi
  if [[ ${2-} == --version ]]; then
    # A fork of a program has another name.
    IFS='|' read -r -a names <<<"$1"
    for name in "${names[@]}"; do ! command -v -- "$name" >/dev/null || return 0; done
    printf -v said "'%s' or " "${names[@]}"
    fail "${said% or } is missing"
  fi
  command -v -- "$1" >/dev/null || fail "'$1' is missing"
  host_user_find "$LAUNCH_USER" || return 0 # doctor has a separate row for this
  # A file, because a process that the prefix leaves behind would keep a pipe open.
  record=$(mktemp) || fail "no file can be made in the directory for temporary files (is its disk full?)"
  mark=LAUNCH_OF_TIERBENCH=$record
  # A command that does not return would block the run. It may write without an end, also after that. A limit that is lower already stays.
  { (
    ulimit -f 1024 || :
    run_limited 10 env "$mark" "$@" "${USER_WORDS[@]}" true </dev/null >"$record.said" 2>&1
  ) || status=$?; } 2>/dev/null
  said=$(<"$record.said")
  proc_marked "$record" "$mark"
  host_launch_writers "$record.said" >>"$record"
  proc_end 5 "$record" || status=125
  rm -f -- "$record" "$record.said"
  ((status != 125)) || fail "'$*' leaves a process behind that does not end"
  # 128 and SIGXFSZ.
  ((status != 153)) || fail "'$*' writes more than 1 MiB when it starts a program that does nothing"
  ((status != 124)) || fail "'$*' does not return: a program that does nothing takes more than 10 s"
  ((status == 0)) || fail "'$*' does not start a program: $(said_why <<<"$said")"
  # The loader continues without a library that it cannot preload, and the run would not use it.
  [[ $said != *'cannot be preloaded'* ]] || fail "$said"
}

# Print records of the processes that write to a file: the prefix may have emptied their environment.
# Usage: host_launch_writers FILE
host_launch_writers() {
  local link pid
  for link in /proc/[0-9]*/fd/[12]; do
    [[ $link -ef $1 ]] || continue
    pid=${link#/proc/}
    proc_record /dev/stdout "${pid%%/*}" writer || : # it has ended in the meantime
  done
}
