#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A page of verified runs: who enters, who is refused and why, and what other people's names do on the page.

load helper
load logs

prepare() {
  export TIERBENCH_RESULTS_DIR=$SCRATCH/received
  REP=native/1000B-2i/rep-1
  # One repeat of the sample is enough.
  mkdir base
  cp -r "$REPO"/results/sample/{run.conf,settings.tsv,plan.tsv,setup.log,SHA256SUMS,SIZES,env} base
  mkdir -p "base/${REP%/*}"
  cp -r "$REPO/results/sample/$REP" "base/$REP"
  cp "$REPO/results/sample/native/variant.conf" base/native
  seal base
}

# Compute the lists of checksums and lengths of a run again, for the files that it has: as the author of a forged figure does.
seal() {
  local list file
  find "$1" -name SIZES -delete
  while IFS= read -r list; do
    (
      cd "${list%/*}" || exit
      while IFS= read -r file; do [[ ! -f ${file:66} ]] || printf '%s\0' "${file:66}"; done <SHA256SUMS | xargs -0r sha256sum >new
      mv new SHA256SUMS
    )
  done < <(find "$1" -name SHA256SUMS -printf '%d %p\n' | sort -rn | cut -d ' ' -f 2-)
}

# Change a column of a phase's row in a table of the current directory: forge FILE PHASE COLUMN VALUE
forge() { cells_set "$1" "operation=$2" "$3=$4"; }

# Change what the counters say of the tier: tier NAME VALUE
tier() { sed -i "s/^\([a-z]*\ttier\t$1\t\).*/\1-\t$2/" "$REP/server/counters.tsv"; }

@test "a run that is forged, cut or unplaced is refused with the reason; the others enter" {
  local name change why kinds=0 client=$REP/127.0.0.1 sealed reasons=''
  "$REPO/do_it.sh" bundle base
  mkdir runs
  # NAME, whether the checksums are computed again, the change, the reason.
  while IFS='|' read -r name sealed change why; do
    cp -r base "runs/$name"
    (cd "runs/$name" && . /dev/stdin <<<"$change")
    [[ $sealed == - ]] || seal "runs/$name"
    reasons+="collect: runs/$name: refused: $why"$'\n'
    kinds=$((kinds + 1))
  done <<'END'
added|-|echo >$REP/server/more|added native/1000B-2i/rep-1/server/more
changed|-|echo >>$REP/server/counters.tsv|changed native/1000B-2i/rep-1/server/counters.tsv
missing|-|rm $client/get.hgrm|missing native/1000B-2i/rep-1/127.0.0.1/get.hgrm
repeat|-|rm -r $REP|missing native/1000B-2i/rep-1/SHA256SUMS
aborted|-|mkdir ${REP%1}2.partial|unchanged, not complete
stopped|-|rm SHA256SUMS|unchanged; not known if whole
conf|-|rm run.conf|run.conf is missing: not a run
tab|-|: >$'a\tb'|*a name with a tab or a line break in it*
link|-|ln -s /etc/passwd plots|*plots: a link*
fifo|-|rm run.conf; mkfifo run.conf|*run.conf: a FIFO*
nameless|yes|sed -i '/Made by/d' run.conf|the version of the tool is not known: run.conf does not name it
dirty|yes|sed -i '/Made by/s/)/; changed)/' run.conf; sed -i '/^made_by/s/)/; changed)/' $REP/server/plan.tsv|the version of the tool is not known: *changed)
commitless|yes|sed -i '/ by/s/(.*)/(unknown commit)/' run.conf; sed -i '/^made_by/s/(.*)/(unknown commit)/' $REP/server/plan.tsv|the version of the tool is not known: *unknown commit?
renamed|yes|sed -i '/Made by/s/1\.0\.0/9.0.0/' run.conf|whole and unchanged; made by several versions of the tool
unmade|yes|sed -i '/^made_by/d' $REP/server/plan.tsv|native, populate at 1000B-2i, repeat 1: made by an unknown version, and the run by tierbench *
off|yes|tier placement off|native, *: less than 90 % of the data was on the requested memory
unplaced|yes|tier placement -|native, *: placement is not proven: tier native does not say where the data is
nearly|yes|tier placed_percent 40.0|native, *: placement is ok, but 40 % of the data was on the requested memory
other|yes|tier tier zram|native, *: server/counters.tsv is of tier zram, and the settings of tier native
faster|yes|forge $client/result.tsv get ops_per_sec 999999|native, get at 1000B-2i, repeat 1: result.tsv has 999999 requests per second, and *
sooner|yes|forge $client/result.tsv get p99_us 2|native, get at 1000B-2i, repeat 1: result.tsv has p99_us 2, and the histogram *
more|yes|forge $client/result.tsv get ops 9999999|*result.tsv: disagrees with the log about phase get: operations 9999999 against *
quick|yes|forge $client/result.tsv get max_time_us 1000|*disagrees with the log about phase get: longest thread 1000 us *
logless|yes|rm $client/result.tsv|native, *: made by an unknown version*
torn|yes|for f in $client/get.{hgrm,histogram.tsv} $client/histogram-get*; do if [[ -e $f ]]; then sed -i '$d' $f; fi; done|*: the histogram*; percentiles are left empty
empty|yes|rm -r $REP|*holds no complete result
END
  ln -s ../base runs/a-link
  head -c 9000 base.tar.gz >runs/cut.tar.gz
  mkdir x && cp -r base x/y && ln -s /etc/passwd x/y/plots && tar -C x -czf runs/linked.tar.gz y
  reasons+=$'collect: runs/a-link: refused: a link\ncollect: runs/cut.tar.gz: refused: cut, or has *\ncollect: runs/linked.tar.gz: refused: cut, or has *\n'
  reasons+='collect: base.tar.gz: refused: the same run as base'
  fails 1 run_split "$REPO/do_it.sh" collect base runs base.tar.gz
  assert_output collection.html
  assert_equal "$(grep -c '<tr><td' collection.html)" 1
  assert_equal "$(wc -l <<<"$STDERR")" $((kinds + 4))
  while IFS= read -r why; do
    # shellcheck disable=SC2053 # a pattern
    while IFS= read -r name; do [[ $name != $why ]] || continue 2; done <<<"$STDERR"
    fail "not refused: $why
$STDERR"
  done <<<"$reasons"
}

@test "names of others are text on the page and in messages, and their reports are linked only if they can run no script of their own" {
  local evil='<script>alert(1)"<b>' name=$'r\e[31m:<i>&é'
  mv base/native "base/$evil"
  sed -i "s#^native\t#$evil\t#; s#^\(-\t-\tSCENARIO\t\)[^\t]*#\1$evil#" base/settings.tsv
  printf '%s\t-\t%s\t%s\tx\n' - LABEL "$evil" >>base/settings.tsv
  printf 'cpu.model\t%s\e\n' "$evil" >>base/env/127.0.0.1/env.tsv
  sed -i "s#  native/#  $evil/#" base/SHA256SUMS
  seal base
  mv base "$name"
  drawn_blank
  "$REPO/do_it.sh" report "$name"
  mkdir out
  prints out/page.html run_split "$REPO/do_it.sh" collect --out out/page.html "$name"
  assert_equal "$(grep -c '<script' out/page.html)" 1
  assert_equal "$(grep -cE '<b>|<i>|alert\(1\)"' out/page.html)" 0
  # Label, model, scenario and variant.
  assert_equal "$(grep -o '&lt;script&gt;alert(1)&quot;&lt;b&gt;' out/page.html | wc -l)" 4
  assert_equal "$(LC_ALL=C grep -c $'[\001-\010\013-\037]' out/page.html)" 0
  assert_contains '<a href="./../r%1B%5B31m%3A%3Ci%3E%26%C3%A9/report.html">' "$(<out/page.html)"
  # The script of the page is the one that its policy names.
  python3 - <<'END'
import base64, hashlib, re
page = open("out/page.html", "rb").read()
script = re.search(rb"<script>(.*?)</script>", page, re.S)[1]
policy = re.search(rb'content="default-src \'none\'; style-src \'unsafe-inline\'; script-src \'sha256-([^\']*)\'"', page)[1]
assert base64.b64encode(hashlib.sha256(script).digest()) == policy, policy
END
  # Another head: a script would run before the policy. An own page is replaced, and nothing else is.
  sed -i '1s/^/<!-- -->/' "$name/report.html"
  "$REPO/do_it.sh" collect --out out/page.html "$name"
  assert_equal "$(grep -c 'href="./' out/page.html)" 0
  echo >>"$name/plan.tsv"
  fails 1 run_split "$REPO/do_it.sh" collect --out=out/page.html "$name"
  assert_equal "$STDERR" $'collect: r?[31m:<i>&é: refused: changed plan.tsv\ndo_it.sh: no run enters the page; the lines above say why'
  assert_equal "$(ls out)" page.html
  ln -s page.html out/link.html
  for file in out "$name/plan.tsv" out/link.html; do
    refuses 2 'exists, and is not a page of collect' run_split "$REPO/do_it.sh" collect --out "$file" "$name"
  done
}

@test "the page filters by machine, scenario and tier in a browser, has all rows without a script, and fits a phone" {
  need_command chromium
  cp -r base other
  echo $'cpu.model\tOther' >>other/env/127.0.0.1/env.tsv
  seal other
  succeeds run_split "$REPO/do_it.sh" collect base other "$REPO/results/sample"
  cat >outer.html <<'END'
<iframe src="collection.html" style="width:1280px;height:900px"></iframe><iframe src="collection.html" style="width:420px;height:900px"></iframe><pre id="found"></pre><script>
onload = () => document.querySelectorAll("iframe").forEach(frame => {
  const d = frame.contentDocument, picks = [...d.querySelectorAll("select")], root = d.documentElement, counts = [];
  const count = () => counts.push([...d.querySelectorAll("tbody tr")].filter(row => row.offsetHeight > 0).length);
  const pick = (i, value) => { picks[i].value = value; picks[i].onchange(); count(); };
  count();
  pick(2, "swap");
  pick(0, [...picks[0].options].find(option => option.text.startsWith("Other")).value);
  pick(2, "");
  document.getElementById("found").textContent += [picks.length, ...counts, root.scrollWidth > root.clientWidth, ""].join(" ");
});
</script>
END
  run timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update \
    --disable-sync --user-data-dir="$SCRATCH/profile" --allow-file-access-from-files --disable-web-security --virtual-time-budget=5000 --dump-dom "file://$SCRATCH/outer.html"
  assert_contains '<pre id="found">3 4 1 0 1 false 3 4 1 0 1 false </pre>'
}
