# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The entry of every call of a host (lib/core/call.sh): reads the settings, loads what a script needs, and runs its main.
# Usage: bash --norc -c '. "$0"' CALL MARK SCRIPT [ARG]..., or CALL MARK (MARK SCRIPT [ARG]...)...; with MARK.chain as the second of these, a script
# that fails is the last one.
#   CALL   this file
#   stdin  a line MARK BYTES, and as many bytes of settings as assignments. What follows them is for a verb that reads it.
# Output is between the lines MARK and MARK.end, messages follow the line MARK: start-up files of the login shell may print. Of several scripts, each
# runs in a subshell, between MARK.1 and MARK.1.end and so on; a line with a control character, which no reply has, and MARK.1.status STATUS
# follows.

if ((BASH_VERSINFO[0] < 5)); then
  echo "bash 5 or newer is required, this host has $BASH_VERSION" >&2
  exit 1
fi
# The login may set POSIXLY_CORRECT, with which tools and bash itself behave differently.
set +o posix
unset -v POSIXLY_CORRECT
# Numbers have a decimal point, and a plain user's PATH may lack ethtool.
export LC_ALL=C PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
# A program that a script leaves running must keep none of the master's pipes open.
for _call_fd in /proc/self/fd/*; do
  _call_fd=${_call_fd##*/}
  ((_call_fd < 3)) || exec {_call_fd}>&-
done

# Load the modules that a script declares (`# Needs: NAME...`, from lib/shared or lib/host; `tier/*` for all of lib/tier), and run it. It has
# stdin with a verb that it declares (`# Input: VERB`). The script is lib/host/SCRIPT.sh, or that of a part, lib/part/SCRIPT/host.sh.
# Usage: _host_call_run MARK SCRIPT [ARG]...
_host_call_run() {
  local _call_mark=$1 _call_file=$_call_lib/host/$2.sh _call_line _call_name _call_input=
  local -a _call_needs=()
  [[ -e $_call_file ]] || _call_file=$_call_lib/part/$2/host.sh
  shift 2
  while IFS= read -r _call_line && [[ -n $_call_line ]]; do
    case $_call_line in
      '# Needs: '*) read -r -a _call_needs <<<"${_call_line#'# Needs: '}" ;;
      "# Input: ${1-}") _call_input=yes ;;
    esac
  done <"$_call_file"
  set -Eeuo pipefail
  for _call_name in "${_call_needs[@]}"; do
    if [[ -e $_call_lib/shared/$_call_name.sh ]]; then _call_name=shared/$_call_name; elif [[ $_call_name != */* ]]; then _call_name=host/$_call_name; fi
    for _call_line in "$_call_lib"/$_call_name.sh; do
      # shellcheck source=/dev/null # the modules of this directory
      . "$_call_line"
    done
  done
  # shellcheck source=/dev/null # the script
  . "$_call_file"
  printf '\n%s\n' "$_call_mark" >&2
  printf '\n%s\n' "$_call_mark"
  if [[ -n $_call_input ]]; then main "$@"; else main "$@" </dev/null; fi
  printf '\n%s.end\n' "$_call_mark"
}

_call_lib=${0%/host/call.sh}
if ! { IFS=' ' read -r _call_line _call_size && [[ $_call_line == "$1" && $_call_size =~ ^[0-9]{1,9}$ ]]; }; then
  printf '\n%s\n%s\n' "$1" 'start-up files of the login shell (~/.bashrc) read the input of commands; let them do so in interactive shells only' >&2
  exit 1
fi
IFS= read -r -d '' -N "$_call_size" _call_text || exit
eval "$_call_text"
for _call_name in common said proc files workdir owner; do
  # shellcheck source=/dev/null # the modules that every script has
  . "$_call_lib/shared/$_call_name.sh"
done
if [[ ${2-} != "$1" && ${2-} != "$1.chain" ]]; then
  _host_call_run "$@"
  exit
fi
_call_words=() _call_number=0
for _call_line in "${@:3}" "$1"; do
  if [[ $_call_line != "$1" ]]; then
    _call_words+=("$_call_line")
    continue
  fi
  _call_number=$((_call_number + 1))
  (_host_call_run "$1.$_call_number" "${_call_words[@]}")
  _call_status=$?
  printf '\001%s.status %d\n' "$1.$_call_number" "$_call_status"
  ((_call_status == 0)) || [[ $2 == "$1" ]] || break
  _call_words=()
done
