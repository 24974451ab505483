#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Makefile's targets: help for each, and an installed tree that runs from anywhere.

load helper

@test "make help lists every target that a user calls; the default target builds the load generator" {
  succeeds run make -s -C "$REPO" help
  for target in help deps deps-check demo check check-all check-qemu check-qemu-long check-lab lint format clean install uninstall; do
    assert_match "make $target +[a-z]"
  done
  succeeds run make -C "$REPO" -nB
  assert_match 'test\.(c|o)'
}

@test "an installed tree runs from anywhere and keeps results where it is called" {
  succeeds run make -C "$REPO" install PREFIX=/opt/bench DESTDIR="$SCRATCH/root"
  assert_exists root/opt/bench/bin/tierbench root/opt/bench/lib/tierbench/{do_it.sh,summary2csv.sh,test,conf/defaults.conf,hosts.example}
  refute_exists root/opt/bench/lib/tierbench/{.git,tests,build}
  assert_equal "$(cd root/opt/bench/lib/tierbench && find . -type f | sort)" \
    "$({ "$REPO/tools/files.sh" && printf '%s\n' test lib/membench/membench; } | sed 's#^#./#' | sort)"
  # DESTDIR is a staging directory, so this calls a copy that was installed to its final place.
  succeeds run make -C "$REPO" install PREFIX="$SCRATCH/here"
  mkdir away
  cd away
  # Manual page and completion, which knows where the tool is; results of an installed tree name the commit, too.
  assert_exists ../here/share/man/man1/tierbench.1
  run bash -c '. ../here/share/bash-completion/completions/tierbench; COMP_WORDS=(tierbench ver) COMP_CWORD=1; _tierbench; printf "%s\n" "${COMPREPLY[@]}"'
  assert_output verify
  assert_equal "$(../here/bin/tierbench --version)" "$("$REPO/do_it.sh" --version)"
  succeeds run ../here/bin/tierbench plan -s demo
  fails 2 run ../here/bin/tierbench nonsense
  succeeds run make -C "$REPO" uninstall PREFIX="$SCRATCH/here"
  assert_equal "$(find ../here -type f)" ''
}

@test "what is installed is what git tracks, and of a tree without git the same; no hosts file and no passwords beside it" {
  "$REPO/tools/files.sh" >files
  mkdir -p around/tree
  tar -cf - -C "$REPO" --files-from=files | tar -xf - -C around/tree
  touch around/tree/{hosts,secret.env,.env,dump.rdb} around/tree/{lib,conf,docs,tools}/{secret.env,.secret.sh,hosts,id_ed25519,id_ed25519.pub}
  ln -s /etc/passwd around/tree/conf/link.conf
  mkdir -p around/tree/{tests,results/mine}
  touch around/tree/tests/mine.sh around/tree/results/mine/run.conf
  git -C around init -q
  diff <(sort files) <(around/tree/tools/files.sh | sort)
  rm -rf around/.git
  cd around/tree
  git init -q .
  xargs git add -f -- <../../files
  printf 'PIPELINE=1\n' >conf/variants/mine.conf
  rm docs/trouble.md
  ln -sf /etc/passwd docs/wss.md
  diff <(sort ../../files | grep -vE '^docs/(trouble|wss)[.]') <(tools/files.sh | sort)
}
