#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rules of the house that no lint tool knows.

load helper

setup() {
  cd "$REPO" || return 1
}

# Print the project's own files below the given paths: no fixtures, nothing that was built, no results.
# Usage: house_files PATH... -- FIND_EXPRESSION...
house_files() {
  local -a paths=()
  while [[ $1 != -- ]]; do
    [[ ! -e $1 ]] || paths+=("$1")
    shift
  done
  shift
  find "${paths[@]}" -type d \( -path ./.git -o -path ./build -o -path ./results -o -name fixtures \) -prune -o -type f "$@" -print
}

# Print every shell file but the ones that name what is forbidden in order to look for it.
house_shell() {
  house_files do_it.sh summary2csv.sh lib conf .ci tests -- \
    \( -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -path .ci/run \) ! -path tests/house.bats
}

# Print FILE:LINE:TEXT of the code, not the comments, that matches.
# Usage: FILES | house_grep REGEX
house_grep() {
  xargs grep -nHE -e "$1" -- | grep -vE '^[^:]*:[0-9]+:[[:space:]]*#' || :
}

# A word where the shell expects a command.
house_command='(^|[;&|({!`]|\b(then|do|else|if|elif|while|until|exec|run|timeout [0-9.]+|sudo)\b)[[:space:]]*'

# Fail if a list of findings is not empty.
house_none() {
  [[ -z $1 ]] || fail "$2"$'\n'"$1"
}

@test "every file opens with its licence and a sentence of its purpose" {
  local file bad='' head
  while read -r file; do
    # The lines of the interpreter and for shellcheck may stand between.
    head=$(head -n 5 "$file" | grep -vE '^#!|^# shellcheck ' | head -n 2)
    [[ ${head%%$'\n'*} == *'SPDX-License-Identifier: MIT'* && ${head#*$'\n'} =~ [[:alpha:]]+\ +[^\ ]+\ +[^\ ]+ ]] || bad+="$file: $head"$'\n'
  done < <(house_files . -- \( -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -name '*.awk' -o -name '*.gp' -o -name '*.[ch]' \
    -o -name '*.conf' -o -name '*.mk' -o -name '*.py' -o -name Makefile -o -path ./.ci/run \))
  house_none "$bad" 'no licence line, or no sentence under it:'
}

@test "no file is longer than 500 lines" {
  local file bad=''
  while read -r file; do
    (($(wc -l <"$file") <= 500)) || bad+="$file"$'\n'
  done < <(house_files . -- ! -name LICENSE ! -name test ! -name '*.svg')
  house_none "$bad" 'split these by concern:'
}

@test "no host key goes unchecked" {
  house_none "$(house_shell | house_grep 'StrictHostKeyChecking[= ]+(no|off|accept-new)')" 'an unknown host is to be refused:'
}

@test "no process is ended by its name" {
  house_none "$(house_shell | house_grep '\b(killall|pkill|fuser -k)\b')" 'end processes by recorded pid:'
}

@test "there is no eval and no function keyword" {
  # A brace at the end of the line: a short function of awk in a script is none of the shell's.
  house_none "$(house_shell | house_grep "${house_command}eval\\b|^[[:space:]]*function[[:space:]]+[[:alnum:]_]+[[:space:]]*(\\(\\))?[[:space:]]*\\{[[:space:]]*\$")" 'find another way:'
}

@test "entry scripts stop at the first error" {
  local file bad=''
  while read -r file; do
    [[ -x $file && $file != *.bats ]] || continue
    grep -q '^set -Eeuo pipefail$' "$file" || bad+="$file"$'\n'
  done < <(house_shell)
  house_none "$bad" 'these do not set -Eeuo pipefail:'
}

@test "only lib/remote.sh calls ssh and scp" {
  house_none "$(house_shell | grep -vE '^(lib/remote\.sh|tests/)' | house_grep "${house_command}(ssh|scp|sftp|rsync) ")" 'go through lib/remote.sh:'
}

@test "only the tier modules place memory" {
  house_none "$(house_shell | grep -vE '^(lib/(remote/)?tier[^/]*\.sh|tests/)' |
    house_grep "${house_command}(numactl|swapon|swapoff|mkswap) |/sys/fs/cgroup")" 'go through lib/tier.sh:'
}

@test "only the tune modules write to /proc and /sys" {
  house_none "$(house_shell | grep -vE '^(lib/(remote/)?(tune|tier)[^/]*\.sh|tests/)' |
    house_grep '>>?[[:space:]]*"?/(proc|sys)/|\btee\b.*[[:space:]]"?/(proc|sys)/|\bsysctl[[:space:]]+(-q[[:space:]]+)?(-w|-p)')" 'go through lib/tune.sh:'
}

@test "what changes the machine, or uses what it has once, is in the lane of the host" {
  local file bad=''
  for file in tests/*.bats; do
    [[ $file != tests/house.bats ]] && ! grep -qx '# lane: host' "$file" || continue
    # A run tunes its hosts, unless it is told not to.
    # shellcheck disable=SC2016 # the words as they stand there
    bad+=$(grep -nHE '\bnetns_up\b|do_it\.sh"? run |/sys/fs/cgroup|\b(mount|swapon) ' "$file" | grep -vF 'run "${untuned[@]}"' || :)
  done
  house_none "$bad" 'these want a line # lane: host, or words_untuned:'
}

@test "nothing names a place that only the author has" {
  house_none "$(house_files . -- ! -name LICENSE ! -name test ! -path ./tests/house.bats | xargs grep -nHIE '(^|[[:space:]=:(])/(root|home/[a-z]+|work)/' -- || :)" 'a path of one machine:'
}
