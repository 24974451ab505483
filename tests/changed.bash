# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The suites that a change can affect, by name: suites whose name begins with the first part of a file's name, and suites that name the file, a function
# of it, or the command or the set of settings that it is. If no suite does, those of the scripts of its side that name it. Also the suites that detect
# a fault in the file (mutants.tsv).

# Print the files that differ from the commit where this branch left main, or from the last commit, and untracked files.
# Usage: changed_files   Globals: ROOT   Returns: 0, or git's status where this is no checkout
changed_files() {
  local base
  base=$(git -C "$ROOT" merge-base HEAD main 2>/dev/null) || base=HEAD
  git -C "$ROOT" diff --name-only "$base" && git -C "$ROOT" ls-files --others --exclude-standard
}

# Print the name of a file without its ending; of a file of a part, the name of the part.
# Usage: changed_name FILE   Returns: 0
changed_name() {
  local name=${1##*/}
  [[ $1 != lib/part/*/* ]] || name=${1#lib/part/}
  name=${name%%/*}
  printf '%s\n' "${name%.*}"
}

# Print what names a file, as a regular expression. A plain word would find too much: many names are common words.
# Usage: changed_pattern FILE   Returns: 0
changed_pattern() {
  local name
  name=$(changed_name "$1")
  printf '\\b%s(\.(sh|awk|gp|[ch]|conf|tsv|mk|bash|py)\\b|_[a-z])' "$name"
  case $1 in
    lib/cmd/*) printf '|do_it\.sh"? %s\\b' "$name" ;;
    conf/scenarios/*) printf '|-s %s\\b' "$name" ;;
    conf/variants/*) printf '|VARIANTS?=[^ ]*\\b%s\\b' "$name" ;;
    conf/tuning.tsv) printf '|\\btune_' ;;
    tests/*) printf '|^load %s$' "$name" ;;
    lib/run/generator/*) printf '|GENERATOR=%s\\b' "$name" ;;
    conf/workloads/*) printf '|WORKLOAD=%s\\b' "$name" ;;
  esac
}

# Print the suites of a file below lib, conf or tests.
# Usage: changed_users FILE [FROM]   Returns: 0
#   FROM: what this file names; driver.bats names files only as examples
changed_users() {
  local name side=${1#*/} user
  local -a users
  name=$(changed_name "$1") side=lib/${side%%/*}
  mapfile -t users < <({
    compgen -G "$ROOT/tests/${name%%_*}*.bats" || :
    grep -lrE --include='*.bats' --exclude=driver.bats -- "$(changed_pattern "$1")" "$ROOT/tests" || :
  } | sort -u)
  if ((${#users[@]} == 0 && $# == 1)) && [[ $1 == lib/* && $1 != lib/loadgen/* && $1 != lib/membench/* ]]; then
    mapfile -t users < <(
      cd "$ROOT" && grep -rlwF --include='*.sh' -- "$name" "${side/%shared/host}" | while read -r user; do
        [[ $user == "$1" ]] || changed_users "$user" "$1"
      done | sort -u
    )
  fi
  ((${#users[@]} == 0)) || printf '%s\n' "${users[@]}"
}

# Print the suites that detect a fault in a file.
# Usage: changed_detectors FILE   Returns: 0
changed_detectors() {
  awk -F '\t' -v file="$1" -v folder="$ROOT/tests" '$2 == file { print $3 == "unit" ? $3 : folder "/" $3 ".bats" }' "$ROOT/tests/mutants.tsv"
}

# Print the suites for changed files, one per line; all suites if a file that every suite uses was changed.
# Usage: changed_suites FILE...   Globals: ROOT   Returns: 0
changed_suites() {
  local file suite
  local -A suites=([lint]=1)
  for file; do
    case $file in *.[ch] | .clang-* | tools/lint.sh) suites[tidy]=1 ;; esac
    case $file in
      tests/helper.bash | tests/outcome.bash | tests/cells.bash | tests/run.sh | lib/modules.sh | lib/shared/*.sh | lib/core/conf.sh | lib/settings/* | \
        lib/core/remote.sh | lib/*/call.sh | \
        conf/defaults.conf | lib/part/*/settings.conf)
        printf '%s\n' build tidy fuzz lint unit "$ROOT"/tests/*.bats
        return
        ;;
      tests/*.bats) [[ ! -e $ROOT/$file ]] || suites["$ROOT/$file"]=1 ;;
      lib/loadgen/* | test.c | tests/unit/*)
        suites[build]=1 suites[unit]=1 suites[fuzz]=1
        for suite in "$ROOT"/tests/loadgen*.bats; do suites["$suite"]=1; done
        ;;
      lib/membench/*) suites[build]=1 suites[unit]=1 suites["$ROOT/tests/memory.bats"]=1 ;;
      *.md) suites["$ROOT/tests/docs.bats"]=1 ;;
    esac
    case $file in
      tests/*.bats | tests/qemu/*) ;;
      lib/* | conf/* | tests/*) while read -r suite; do suites["$suite"]=1; done < <(changed_users "$file") ;;
    esac
    while read -r suite; do suites["$suite"]=1; done < <(changed_detectors "$file")
  done
  # The build first: the others use it.
  [[ -z ${suites[build]+set} ]] || printf 'build\n'
  unset -v 'suites[build]'
  printf '%s\n' "${!suites[@]}" | sort
}
