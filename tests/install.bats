#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Further files of make install: a manual page generated from the help texts, and completion for bash.

# shellcheck disable=SC2016 # what stands in quotes is expanded by the inner shell
load helper

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

@test "the manual page has every command and every setting, and no line that roff would take for its own" {
  local name
  "$REPO/tools/man.sh" >page
  for name in "$REPO"/lib/cmd/*.sh; do
    name=${name##*/}
    grep -qxF ".SS ${name%.sh}" page || fail "no command ${name%.sh}"
  done
  while read -r name; do
    grep -qE "^\.B $name=" page || fail "no setting $name"
  done < <(sed -nE 's/^([A-Z][A-Z0-9_]*)=.*#:.*/\1/p' "$REPO/conf/defaults.conf")
  grep -qF 'Usage: tierbench verify [RUN]' page
  assert_equal "$(grep -E "^[.']" page | grep -vE '^\.(\\"|TH|SH|SS|TP|B|br|nf|fi)( |$)' || :)" ''
}

@test "groff reports nothing about the page" {
  need_command groff
  "$REPO/tools/man.sh" >page
  run groff -man -Tascii -ww -z page
  assert_success
  assert_output ''
}

@test "make install puts page and completion in place, and uninstall takes them away" {
  run make -C "$REPO" install PREFIX="$SCRATCH/here"
  assert_success
  assert_exists here/share/man/man1/tierbench.1 here/share/bash-completion/completions/tierbench
  # The installed completion knows where the tool is.
  run bash -c '. here/share/bash-completion/completions/tierbench; COMP_WORDS=(tierbench ver) COMP_CWORD=1; _tierbench; printf "%s\n" "${COMPREPLY[@]}"'
  assert_output verify
  run make -C "$REPO" uninstall PREFIX="$SCRATCH/here"
  assert_success
  assert_equal "$(find here -type f)" ''
}

# Complete the last of some words, as bash would; prints what is offered.
# Usage: complete_words WORD...
complete_words() {
  run bash -c '. "$REPO/tools/completion.bash"; COMP_WORDS=("$REPO/do_it.sh" "$@") COMP_CWORD=$#; _tierbench; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

@test "completion: commands, scenarios, variants, settings, options and runs" {
  complete_words doc
  assert_output doctor
  complete_words plan -s imd
  assert_output $'imdt\nimdt-random'
  complete_words -v zs
  assert_output zswap
  complete_words run KEY_M
  assert_output $'KEY_MIN=\nKEY_MAX='
  complete_words doctor --f
  assert_output --fix
  complete_words compare --format openm
  assert_output $'openmetrics\nopenmetrics-series'
  mkdir -p results/20250101T100000Z-x
  touch results/20250101T100000Z-x/run.conf
  complete_words verify res
  assert_output results/20250101T100000Z-x
}
