#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A user of another language, whose PATH is short: the same run, the same figures.

load helper

# The locales of all tests: to compile one takes more than a second.
setup_file() {
  local name
  command -v localedef >/dev/null || return 0
  for name in de_DE tr_TR; do
    # localedef warns about the definitions themselves.
    localedef --no-archive -i "$name" -f UTF-8 "$BATS_FILE_TMPDIR/$name.UTF-8" 2>/dev/null || [[ -d $BATS_FILE_TMPDIR/$name.UTF-8 ]]
  done
}

prepare() {
  need_command localedef
}

# Use a locale of setup_file, with the PATH that a plain user has.
# Usage: speak NAME   Exports: LOCPATH LC_ALL LANG PATH
speak() {
  export LOCPATH=$BATS_FILE_TMPDIR LC_ALL=$1.UTF-8 LANG=$1.UTF-8
  PATH=/usr/local/bin:/usr/bin:/bin
}

@test "with a decimal comma and a short PATH a run and its figures are as with a point" {
  speak de_DE
  # The language is really spoken.
  assert_equal "$(bash -c 'printf "%.1f" 1,5')" 1,5
  untuned=(TUNE=off KERNEL=keep)
  succeeds run_split "$REPO/do_it.sh" run "${untuned[@]}" -s demo REDISBASE="$(ports_pick 2)" KEYS=500 VALUE_SIZES=100 REDISRUNS=1 RESULTS_DIR="$SCRATCH/results"
  # The log's own lines begin with the time of day; no program prints other lines.
  assert_equal "$(grep -vE '^[0-9]{2}:[0-9]{2}:[0-9]{2} ' <<<"$STDERR")" ''
  succeeds run_split "$REPO/summary2csv.sh" results/*
  assert_equal "$STDERR" ''
  assert_match 'native,100B-2i,1,127.0.0.1,[0-9]+,[0-9]+,[0-9]+,[0-9]+,[0-9]+,[0-9.]+,'
  run_split "$REPO/summary2csv.sh" --excel results/*
  assert_equal "${output:0:12}" $'\xef\xbb\xbffilename;'
  assert_match 'native;100B-2i;1;127.0.0.1;[0-9]+;[0-9]+;[0-9]+;[0-9]+;[0-9]+;[0-9]+,[0-9]+;'
  assert_equal "$("$REPO/summary2csv.sh" --excel=. results/*)" $'\xef\xbb\xbf'"$("$REPO/summary2csv.sh" results/* | sed -E 's/(\.[0-9]{3})0(,|$)/\1\2/g')"
}

@test "in a locale where i is not a small I, settings are read correctly" {
  speak tr_TR
  succeeds run_split "$REPO/do_it.sh" plan -s imdt SERVER=192.0.2.1 CLIENT_IP=192.0.2.2 SERVER_CORES=72 SERVER_MEM=754
  assert_equal "$STDERR" ''
}

@test "without LANG, and in other languages, the report and the comparison of a run are the same, and stderr is empty" {
  first=''
  need_command gnuplot
  cp -r "$REPO/results/sample" sample
  for name in '' de_DE tr_TR; do
    if [[ $name ]]; then speak "$name"; else unset -v LANG LC_ALL; fi
    succeeds run_split "$REPO/do_it.sh" report sample
    assert_equal "$STDERR" ''
    succeeds run_split "$REPO/do_it.sh" compare sample
    cat sample/report.html >>"page.$name"
    printf '%s\n' "$output" >>"page.$name"
    [[ -z $first ]] || cmp "$first" "page.$name"
    first=${first:-page.$name}
  done
}
