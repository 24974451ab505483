#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Further files of make install: a manual page generated from the help texts, and completion for bash.

load helper

@test "the manual page has every command and every setting, no line that roff would take for its own, and groff reports nothing" {
  "$REPO/tools/man.sh" >page
  for name in "$REPO"/lib/cmd/*.sh; do
    name=${name##*/}
    grep -qxF ".SS ${name%.sh}" page || fail "no command ${name%.sh}"
  done
  while read -r name; do
    grep -qF ".B ${name//-/\\-}=" page || fail "no setting $name"
  done < <(sed -nE 's/^([A-Z][A-Za-z0-9_.*-]*)=.*#:.*/\1/p' "$REPO"/{conf/defaults,lib/part/*/settings}.conf)
  grep -q '^TUNE="auto ' page || fail "no comment on several settings"
  grep -qF 'Usage: tierbench verify [RUN]' page
  assert_equal "$(grep -E "^[.']" page | grep -vE '^\.(\\"|TH|SH|SS|TP|B|br|nf|fi)( |$)' || :)" ''
  need_command groff
  prints '' run groff -man -Tascii -ww -z page
}

@test "make dist: the same bytes from the same commit, which the unpacked tree knows; another tree is refused" {
  # A commit of what is tested here.
  git -c safe.directory='*' clone -q "$REPO" tree
  cp -r -- "$REPO"/{lib,tools,.gitattributes} tree
  git -C tree -c user.name=test -c user.email=test@localhost commit -qam test --allow-empty
  echo changed >>tree/README.md
  prints $'package: changes that are not committed are left out\nbuild/packages/tierbench-1.0.0.tar.gz' run tree/tools/package.sh dist
  sum=$(sha256sum <tree/build/packages/tierbench-1.0.0.tar.gz)
  tree/tools/package.sh dist
  assert_equal "$(sha256sum <tree/build/packages/tierbench-1.0.0.tar.gz)" "$sum"
  (cd tree/build/packages && sha256sum -c --quiet tierbench-1.0.0.tar.gz.sha256 && tar -xf tierbench-1.0.0.tar.gz)
  cd tree/build/packages/tierbench-1.0.0
  assert_equal "$(./do_it.sh --version)" "tierbench 1.0.0 ($(git -C "$SCRATCH/tree" rev-parse HEAD | cut -c 1-12))"
  run tail -n 1 README.md
  [[ $output != changed ]] || fail 'a change that is not committed is in the archive'
  fails 1 run tools/package.sh dist
  assert_output 'package: no checkout of git: archives and packages are made from a commit'
  # It is installed, too.
  run tools/files.sh
  assert_line lib/commit
}

# Complete the last of some words, as bash would; prints what is offered: complete_words WORD...
complete_words() {
  run bash -c '. "$REPO/tools/completion.bash"; COMP_WORDS=("$REPO/do_it.sh" "$@") COMP_CWORD=$#; _tierbench; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

# Type a line that ends with TAB into an interactive bash, turn it into arguments of printf, and print what that prints.
# Usage: complete_typed LINE   Returns: 0
complete_typed() {
  run python3 - "$REPO" "$1" <<'END'
import os, pty, select, sys
repo, line = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.environ["PS1"] = "ready> "
    os.environ["INPUTRC"] = "/dev/null"
    os.environ["TERM"] = "dumb"
    os.execlp("bash", "bash", "--norc", "--noprofile", "-i")
seen = b""
def until(text):
    global seen
    while text not in seen:
        if not select.select([fd], [], [], 60)[0]: sys.exit("no answer: " + repr(seen))
        seen += os.read(fd, 65536)
    seen = seen[seen.index(text) + len(text):]
until(b"ready> ")
os.write(fd, b"bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; stty -echo columns 500; . \"" + repo.encode() + b"/tools/completion.bash\"; PS1=; echo be''gin\n")
until(b"begin\r\n")
# Ctrl-A: the words of the line, as the shell takes them.
os.write(fd, line.encode() + b"\t\x01printf '<%s>\\n' \x05; echo e''nd\n")
until(b"<")
text = b"<" + seen
while b"end\r\n" not in text: text += os.read(fd, 65536)
print(text.decode().replace("\r", "").split("\nend")[0])
os.close(fd)
os.waitpid(pid, 0)
END
}

@test "completion: commands, scenarios, variants, settings, options and runs, whose names are offered quoted; nothing in them runs or reaches the terminal" {
  prints doctor complete_words doc
  prints $'imdt\nimdt-random' complete_words plan -s imd
  prints zswap complete_words -v zs
  prints $'KEY_MIN=\nKEY_MAX=' complete_words run KEY_M
  prints $'FAR=\nFAR.events=\nFAR.bytes=' complete_words run FAR
  prints --fix complete_words doctor --f
  prints $'openmetrics\nopenmetrics-series' complete_words compare --format openm
  mkdir -p results/20250101T100000Z-x
  touch results/20250101T100000Z-x/run.conf
  prints results/20250101T100000Z-x complete_words verify res
  local -a names=('x$(id>ran)' 'y`id>ran`' 'b c' "q'\"\\;&|<>(){}*?[]!~" '#z' $'l\nm' $'e\e[31mx' $'c\xc2\x9bx' '-n')
  for name in "${names[@]}"; do
    mkdir "results/$name"
    touch "results/$name/run.conf"
  done
  prints 'results/x\$\(id\>ran\)' complete_words verify results/x
  # What was typed may be quoted.
  prints 'results/x\$\(id\>ran\)' complete_words verify 'results/x\$'
  prints 'results/b\ c' complete_words verify results/b
  for name in l e c; do prints '' complete_words verify "results/$name"; done
  ln -s "$REPO/do_it.sh" "$REPO/lib" "$REPO/conf" .
  # As a directory of scenarios.
  mkdir -p other/conf/scenarios
  touch 'other/conf/scenarios/s$(id>ran).conf' other/do_it.sh
  run bash -c '. "$REPO/tools/completion.bash"; COMP_WORDS=(other/do_it.sh -s s) COMP_CWORD=2; _tierbench; printf "%s\n" "${COMPREPLY[@]}"'
  assert_output 's\$\(id\>ran\)'
  if command -v python3 >/dev/null; then
    complete_typed './do_it.sh verify results/x'
    assert_output $'<./do_it.sh>\n<verify>\n<results/x$(id>ran)>'
    complete_typed './do_it.sh compare results/q'
    assert_output $'<./do_it.sh>\n<compare>\n<results/'"${names[3]}>"
    complete_typed './do_it.sh report results/y'
    assert_output $'<./do_it.sh>\n<report>\n<results/y`id>ran`>'
  fi
  refute_exists ran
  rm do_it.sh lib conf
}
