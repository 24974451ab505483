# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The suites that a change can affect, by name: suites whose name contains the first part of a file's name, and suites that name the file.

# Print the files that differ from the commit where this branch left main, or from the last commit, and untracked files.
# Usage: changed_files   Globals: ROOT   Returns: 0, or git's status where this is no checkout
changed_files() {
  local base
  base=$(git -C "$ROOT" merge-base HEAD main 2>/dev/null) || base=HEAD
  git -C "$ROOT" diff --name-only "$base" && git -C "$ROOT" ls-files --others --exclude-standard
}

# Print the suites for changed files, one per line; all suites if a file that every suite uses was changed.
# Usage: changed_suites FILE...   Globals: ROOT   Returns: 0
changed_suites() {
  local file name suite
  local -A suites=([lint]=1)
  for file; do
    name=${file##*/}
    case $file in *.[ch] | .clang-* | tools/lint.sh) suites[tidy]=1 ;; esac
    case $file in
      tests/helper.bash | tests/run.sh | lib/modules.sh | lib/shared/common.sh | lib/core/conf.sh | lib/core/remote.sh | lib/*/channel.sh | conf/defaults.conf)
        printf '%s\n' build tidy fuzz lint unit "$ROOT"/tests/*.bats
        return
        ;;
      tests/*.bats) [[ ! -e $ROOT/$file ]] || suites["$ROOT/$file"]=1 ;;
      lib/loadgen/* | test.c | tests/unit/*)
        suites[build]=1 suites[unit]=1 suites[fuzz]=1
        for suite in "$ROOT"/tests/loadgen*.bats; do suites["$suite"]=1; done
        ;;
      *.md) suites["$ROOT/tests/docs.bats"]=1 ;;
    esac
    [[ $file == lib/* || $file == conf/* ]] || continue
    name=${name%.*}
    for suite in "$ROOT/tests/${name%%_*}"*.bats; do [[ ! -e $suite ]] || suites["$suite"]=1; done
    while read -r suite; do suites["$suite"]=1; done < <(grep -lwF -- "$name" "$ROOT"/tests/*.bats)
  done
  # The build first: the others use it.
  [[ ! -v 'suites[build]' ]] || printf 'build\n'
  unset -v 'suites[build]'
  printf '%s\n' "${!suites[@]}" | sort
}
