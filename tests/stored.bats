#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A results directory from an untrusted source, or a damaged one: every reader terminates and names the bad file.

load helper
load logs

prepare() {
  cp -r "$(dirname "$(find "$REPO/results" -name run.conf | sed -n 1p)")" run
  REP=$(find run -type d -name 'rep-1' | sort | sed -n 1p)
}

# Resume the run, which is refused before any host is contacted.
resume() { timeout 200 "$REPO/do_it.sh" --resume "$PWD/run"; }

@test "a FIFO, a device, a link or a socket in a run: no reader waits or follows, one line names it" {
  drawn_blank
  echo secret >outside
  for file in run/run.conf "$REP/server/counters.tsv" "$REP/server/redis-6379.log" "$REP"/*/set.hgrm; do
    mv "$file" kept
    mkfifo "$file"
    refuses 1 "$file: a FIFO" run_split timeout 200 "$REPO/summary2csv.sh" run
    refuses any "$file: a FIFO" run_split timeout 200 "$REPO/do_it.sh" report run
    rm "$file"
    ln -s "$PWD/outside" "$file"
    refuses 1 "$file: a link" run_split timeout 200 "$REPO/summary2csv.sh" run
    rm "$file"
    mv kept "$file"
  done
  succeeds run_split timeout 200 "$REPO/summary2csv.sh" run
  rm run/run.conf
  mkfifo run/run.conf
  succeeds run_split timeout 200 "$REPO/do_it.sh" list RESULTS_DIR="$PWD"
  refuses 2 "run.conf: a FIFO" run_split resume
}

@test "a reader of a part of a run, or of one log, checks what it opens outside of it" {
  log=$(printf '%s\n' "$REP"/127*/redis.log.* | sed -n 1p)
  mv run/run.conf kept
  mkfifo run/run.conf
  for path in "${REP%%/1000*}" "$REP" "${log%/*}" "$log"; do
    refuses 1 'run.conf: a FIFO' run_split timeout 200 "$REPO/summary2csv.sh" "$path"
  done
  refuses 1 'run/native/../run.conf: a FIFO' run_split timeout 200 "$REPO/do_it.sh" compare run/native run/swap
  rm run/run.conf
  mv kept run/run.conf
  mkdir logs server
  cp "${log%/*}"/* logs
  succeeds run "$REPO/summary2csv.sh" logs
  mkfifo starts.tsv
  refuses 1 'logs/../starts.tsv: a FIFO' run_split timeout 200 "$REPO/summary2csv.sh" --total logs
  rm starts.tsv logs/result.tsv
  mkfifo logs/result.tsv logs/other
  refuses 1 'logs/result.tsv: a FIFO; the log is not read' run_split timeout 200 "$REPO/summary2csv.sh" "logs/${log##*/}"
  # Its histogram has a name that was checked.
  rm logs/result.tsv
  sed -i 's/^Histogram saved to file .*/Histogram saved to file other/' "logs/${log##*/}"
  succeeds run_split timeout 200 "$REPO/summary2csv.sh" --total "logs/${log##*/}"
}

@test "what is too large to be settings or a table, or is sparse, is named and not read" {
  for file in run/plan.tsv run/run.conf "$REP"/127*/result.tsv "$REP/server/instances.tsv"; do
    mv "$file" kept
    truncate -s 3G "$file"
    fails 1 run_split timeout 200 "$REPO/summary2csv.sh" run
    assert_match "$file: (larger than 64 MiB|a sparse file)" "$STDERR"
    if [[ ${file%/*} == run ]]; then
      succeeds run_split timeout 200 "$REPO/do_it.sh" list RESULTS_DIR="$PWD"
      assert_match "run +$PWD/run +cannot be read: ${file##*/} is too large"
    fi
    rm "$file"
    mv kept "$file"
  done
}

@test "settings, hosts and facts are read from regular files of limited size" {
  mkdir lost
  printf 'native\n' >lost/plain.conf
  mkfifo lost/fifo.conf
  ln -s /dev/zero lost/zero.conf
  truncate -s 60G lost/sparse.conf
  while read -r file why; do
    printf 'LIKE=%s\n' "$file" >lost/run.conf
    for words in "-s lost/$file.conf" "-s lost/run.conf" "-H lost/$file.conf" "FACTS=lost/$file.conf SERVER=203.0.113.1"; do
      # shellcheck disable=SC2086 # words
      fails 2 run_plan $words
      assert_contains "lost/$file.conf: $why" "${STDERR/-H=/}"
    done
  done <<'END'
fifo not a regular file
zero not a regular file
sparse larger than 1 MiB
END
  printf 'LIKE=../lost/plain\n' >lost/run.conf
  run_plan -s lost/run.conf
  assert_contains 'LIKE=../lost/plain: lost/../lost/plain.conf: not found' "$STDERR"
  # A link of the user is followed, and the text is the file's.
  printf 'KEYS=7\n\nREDISRUNS=1' >lost/plain.conf
  ln -s plain.conf lost/link.conf
  succeeds run_plan --rows -s lost/link.conf SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=4 SERVER_MEM=4 VARIANTS=native
  assert_equal "${#lines[@]}" 2
}

@test "a truncated file is named in one line; its repeat is left out, and a run with truncated settings is not resumed" {
  # The format that a run writes.
  bash -c '. "$REPO/lib/core/stored.sh"; for folder in run "$@"; do stored_note "$folder"; done' bash "$(dirname "$REP")"/rep-*
  whole=$("$REPO/summary2csv.sh" run | wc -l)
  for file in "$REP"/*/set.hgrm "$REP"/*/get.hlog "$REP/server/counters.tsv" "$REP/starts.tsv"; do
    cp "$file" kept
    truncate -s -1 "$file"
    fails 1 run_split "$REPO/summary2csv.sh" run
    assert_match "^summary2csv.sh: $file: has [0-9]+ bytes of [0-9]+; the repeat is excluded\$" "$STDERR"
    ((${#lines[@]} < whole))
    refute_contains "$REP/" "$output"
    cp kept "$file"
  done
  truncate -s -100 run/run.conf
  fails 2 run_split resume
  assert_match 'run/run.conf: has [0-9]+ bytes of [0-9]+: it was truncated or changed' "$STDERR"
  fails 1 run_split "$REPO/summary2csv.sh" run
  assert_match '^summary2csv.sh: run/run.conf: has [0-9]+ bytes of [0-9]+$' "$STDERR"
  assert_equal "${#lines[@]}" "$whole"
}

@test "names in results are not formulas in a CSV and not codes for a terminal" {
  rm run/SIZES
  mv run/native "run/=HYPERLINK(x)" 2>/dev/null || mv "$(dirname "$(dirname "$REP")")" "run/=HYPERLINK(x)"
  succeeds run_split "$REPO/summary2csv.sh" run
  assert_contains ",'=HYPERLINK(x),"
  [[ ! $output =~ ,[=@] ]] || fail 'a cell begins as a formula does'
  mv "run/=HYPERLINK(x)" $'run/a\e[31mb'
  run_split "$REPO/do_it.sh" kpi run
  refute_contains $'\e'
  assert_contains 'a?[31mb'
  refute_contains $'\e' "$STDERR"
  while IFS='|' read -r text wanted; do
    prints "$wanted" run awk -v "s=$text" -f "$REPO/lib/results/figures/text.awk" -f <(echo 'BEGIN { print text_csv(s, ",") }')
  done <<'END'
=1+1|'=1+1
+cmd|'+cmd
@x|'@x
-x|'-x
-5.1|-5.1
+5.3 %|+5.3 %
-|-
x=1|x=1
END
}

@test "control characters become question marks in text, with mawk and gawk, in C and UTF-8; other characters and line breaks stay" {
  need_command mawk gawk
  # A C1 control has two bytes in UTF-8; the letters after it have one of its bytes.
  from=$'\e[31m\1\r\x7f \xc2\x9b7m\xc2\x85 \xc2\xa0\xc3\x9b\xc3\xa9\xe2\x82\xac' to=$'?[31m??? ?7m? \xc2\xa0\xc3\x9b\xc3\xa9\xe2\x82\xac'
  for locale in C C.UTF-8; do
    for awk in mawk gawk; do
      succeeds run_split env LC_ALL=$locale RESULT_PROGRAM=x TEXT="$from"$'\n\t' $awk -f "$REPO/lib/results/figures/text.awk" \
        -f <(echo 'BEGIN { s = ENVIRON["TEXT"]; print text_plain(s); print text_csv(s); text_complain(s, "odd") }')
      assert_output "$to??"$'\n'"\"$to"$'\n\t"'
      assert_equal "$STDERR" "x: $to??: odd"
    done
    run env LC_ALL=$locale bash -c '. "$REPO/lib/core/stored.sh" && stored_plain' <<<"$from"$'\n\t'
    assert_output "$to"$'\n\t'
  done
}

@test "no command prints control characters of a run's names, settings and reasons" {
  name=$'x\e[1m\xc2\x9b7m' shown='x?[1m?7m'
  folder=$PWD/all/20260101T000000Z-$name
  mkdir all
  rm run/SIZES
  mv run "$folder"
  mv "$folder/native" "$folder/$name"
  sed -i "s/native/$name/" "$folder/run.conf"
  printf '# Made by %s.\n' "$name" >>"$folder/run.conf"
  awk -F '\t' -v OFS='\t' -v name="$name" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "places") at = i } { $at = (NR == 1 ? name : 1) OFS $at } 1' \
    "$folder/plan.tsv" >plan.new
  mv plan.new "$folder/plan.tsv"
  mkdir "$folder/$name/1000B-2i/rep-9.failed-$name"
  for command in list "compare --format table" "compare --format csv" kpi verify; do
    # shellcheck disable=SC2086 # the command and its options
    if [[ $command == list ]]; then set -- list RESULTS_DIR="$PWD/all"; else set -- $command "$folder"; fi
    run "$REPO/do_it.sh" "$@"
    assert_contains "$shown"
    refute_contains $'\e'
    refute_contains $'\xc2\x9b'
  done
  succeeds run "$REPO/summary2csv.sh" "$folder"
  assert_match "^filename,.*,$shown"$'(,[^\n]*)?\n'
  refute_contains $'\e'
  refute_contains $'\xc2\x9b'
  # JSON can have them without printing them.
  run "$REPO/summary2csv.sh" --json "$folder"
  assert_contains '"variant": "x\u001b[1m\u009b7m"'
  refute_contains $'\xc2\x9b'
  truncate -s 0 "$folder/$name"/*/rep-*/*/{get.hgrm,result.tsv}
  for command in set get; do rm -f "$folder/$name"/*/rep-1/*/$command.instances.tsv; done
  mkfifo "$folder/env/$name"
  for command in "$REPO/summary2csv.sh" "$REPO/do_it.sh kpi" "$REPO/do_it.sh verify"; do
    # shellcheck disable=SC2086 # the program and its command
    refuses 1 "$shown: a FIFO" run_split $command "$folder"
    refute_contains $'\e' "$STDERR"
    refute_contains $'\xc2\x9b' "$STDERR"
  done
  rm "$folder/env/$name"
  for command in "$REPO/summary2csv.sh" "$REPO/do_it.sh kpi"; do
    # shellcheck disable=SC2086 # the program and its command
    refuses 1 "$shown" run_split $command "$folder"
    refute_contains $'\e' "$STDERR"
    refute_contains $'\xc2\x9b' "$STDERR"
  done
}

@test "a line of 3 MB in a hosts file, a byte of 0 in settings, and a thousand million CPUs: one clear line at once" {
  head -c 3000000 /dev/zero | tr '\0' x >hosts
  fails 2 run_plan -H hosts
  assert_equal "$STDERR" "do_it.sh: command line: -H=hosts: larger than 1 MiB; name a hosts file such as hosts.example"
  # A value of the shell cannot have a byte of 0: KEYS=10 would be KEYS=100.
  printf 'server 127.0.0.1\nclient 127.0.0.1\0\n' >hosts
  fails 2 run_plan -H hosts
  assert_equal "$STDERR" "do_it.sh: command line: -H=hosts: has a byte of 0 in line 2; name a hosts file such as hosts.example"
  printf '\n\nKEYS=10\0000' >scenario.conf
  fails 2 run_plan -s ./scenario.conf
  assert_equal "$STDERR" "do_it.sh: ./scenario.conf: has a byte of 0 in line 3; name a file of settings that you can read"
  refuses 2 "SERVER_CPUS=0-999999999: invalid" run_plan SERVER_CPUS=0-999999999
}
