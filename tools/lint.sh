#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks every shell, awk and C file, or formats shell and C files in the house style.
set -Eeuo pipefail

cd "${BASH_SOURCE[0]%/*}/.."

# The compiler warnings of the house style.
WARNINGS=(-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror)

# Prints every shell file of the project.
# Usage: lint_shell_files   Returns: 0
lint_shell_files() {
  find do_it.sh summary2csv.sh .ci/run lib tools tests -type f \
    \( -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -path .ci/run \) ! -path 'tests/fixtures/*' 2>/dev/null | sort
}

# Prints every C file of the project; headers too with `all`.
# Usage: lint_c_files [all]   Returns: 0
lint_c_files() {
  find test.c lib/loadgen lib/membench tests/unit -type f \( -name '*.c' ${1:+-o -name '*.h'} \) 2>/dev/null | sort
}

# Runs one tool and reports as a line of TAP whether it passed.
# Usage: lint_tool NAME COMMAND...   Returns: 0 passed, 1 failed
lint_tool() {
  local name=$1 text status=0
  shift
  count=$((count + 1))
  text=$("$@" 2>&1) || status=1
  if ((status == 0)); then
    printf 'ok %d %s\n' "$count" "$name"
    return
  fi
  printf 'not ok %d %s\n%s\n' "$count" "$name" "$text"
  return 1
}

# Compiles each C file with every warning as an error, and discards the output: assembler text without debug information, which takes the least time.
# Usage: lint_compile FILE...   Returns: 0 clean, 1 not
lint_compile() {
  local file status=0
  for file; do
    # shellcheck disable=SC2086 # flags are words
    gcc $c_flags "${WARNINGS[@]}" -g0 -S -o /dev/null "$file" || status=1
  done
  return "$status"
}

# Runs clang-tidy over each C file. Its analyzer follows the paths of a function up to this number of states, a tenth of its default: of six planted
# faults (leaks, uses after free, null pointers) it finds the same four with 10,000 and with 50,000 states, in half of the time.
# Usage: lint_tidy FILE...   Returns: 0 clean, 1 not
lint_tidy() {
  # shellcheck disable=SC2086 # flags are words
  clang-tidy --quiet --warnings-as-errors='*' "$@" -- $c_flags -Xclang -analyzer-config -Xclang max-nodes=20000
}

# Parses each awk file as POSIX awk and discards the output: the tests run them with mawk, and mawk accepts code that gawk rejects.
# Usage: lint_awk FILE...   Returns: 0 read, 1 not
lint_awk() {
  local file status=0
  for file; do
    # Bytes, as in a run.
    LC_ALL=C gawk --posix --pretty-print=/dev/null -f "$file" </dev/null || status=1
  done
  return "$status"
}

# Checks every shell and awk file with every tool.
# Usage: lint_scripts   Returns: 0 clean, 1 not
lint_scripts() {
  local status=0
  lint_tool shellcheck shellcheck -x "${shell_files[@]}" || status=1
  lint_tool shfmt shfmt -i 2 -ci -d "${shell_files[@]}" || status=1
  lint_tool gawk lint_awk "${awk_files[@]}" || status=1
  return "$status"
}

# Checks every C file with every tool. With `built`, only the unit tests are compiled: the build has shown the warnings of the other files.
# Usage: lint_c [built]   Returns: 0 clean, 1 not
lint_c() {
  local status=0
  local -a compiled=("${c_files[@]}")
  ((${#c_files[@]} > 0)) || return 0
  [[ -z ${1-} ]] || compiled=(tests/unit/*.c)
  lint_tool clang-format clang-format --dry-run -Werror "${c_all[@]}" || status=1
  lint_tool 'compiler warnings' lint_compile "${compiled[@]}" || status=1
  lint_tool clang-tidy lint_tidy "${c_files[@]}" || status=1
  return "$status"
}

# Checks every file with every tool.
# Usage: lint_check   Returns: 0 clean, 1 not
lint_check() {
  local status=0
  lint_scripts || status=1
  lint_c || status=1
  return "$status"
}

# Formats every file in the house style.
# Usage: lint_format   Returns: 0
lint_format() {
  shfmt -i 2 -ci -w "${shell_files[@]}"
  ((${#c_all[@]} == 0)) || clang-format -i "${c_all[@]}"
}

# Runs the given command.
# Usage: main check|scripts|c|tidy|format   Returns: 0, 1 not clean, 2 bad usage
main() {
  local c_flags count=0
  local -a shell_files awk_files c_files c_all
  mapfile -t shell_files < <(lint_shell_files)
  mapfile -t awk_files < <(find lib -type f -name '*.awk' | sort)
  mapfile -t c_files < <(lint_c_files)
  mapfile -t c_all < <(lint_c_files all)
  c_flags=$(make -s --no-print-directory lint-flags)
  case ${1:-} in
    check) lint_check ;;
    scripts) lint_scripts ;;
    c) lint_c ;;
    tidy) lint_c built ;;
    format) lint_format ;;
    *)
      echo 'Usage: tools/lint.sh check|scripts|c|tidy|format' >&2
      return 2
      ;;
  esac
}

main "$@"
