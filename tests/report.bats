#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The report of a run: in a browser, in print, and with hostile names in it.
# slow

load helper
load logs

prepare() {
  need_command gnuplot
}

# Make a run of two variants and two points, with histograms and time series: run_make NAME [VARIANT]
run_make() {
  local repeat variant len folder other=${2:-swap} latency
  for len in 1000 2000; do
    for repeat in 1 2 3; do
      for variant in native "$other"; do
        latency=30
        [[ $variant == native ]] || latency=90
        repeat_make "$1" "$variant" "${len}B-4i" "$repeat" c "$len" 500000 4 $((latency + repeat)) $((latency * 4)) "set:$((latency / 3))" "get:$((latency / 5))"
        folder=$1/$variant/${len}B-4i/rep-$repeat/c
        for phase in set get; do
          printf 'us 0 1 2 total\n%d 50 20 20 90 90.000\n%d 0 5 5 10 100.000\n' "$latency" $((latency * 4)) >"$folder/histogram-$phase-a1B2c3"
          printf 'time_s\tops\terrors\tmisses\tbytes\tp50_us\tp99_us\tp99_9_us\tmax_us\n' >"$folder/$phase.series.tsv"
          printf '%d.000\t1000\t0\t0\t100\t30\t90\t100\t200\n' 1 2 3 4 >>"$folder/$phase.series.tsv"
        done
      done
    done
  done
  settings_make "$1" SCENARIO=imdt 'VARIANTS="native swap"' SERVER=s CLIENT_IP=c KEYS=500000
  mkdir -p "$1/env/s"
  printf 'kernel\t6.1.0\n' >"$1/env/s/env.tsv"
}

report() { "$REPO/do_it.sh" report "$@"; }

# Open a page in headless Chromium inside another page that measures it; print the measurements as `name=value` words.
browse() {
  local page=$1 width=$2
  cat >"$SCRATCH/outer.html" <<END
<!DOCTYPE html><title>waiting</title><iframe id="f" src="file://$page" style="width:${width}px;height:900px;border:0"></iframe>
<script>
onload = function () {
  var d = document.getElementById("f").contentDocument, drawn = 0, named = 0;
  var pictures = d.querySelectorAll("figure svg");
  pictures.forEach(function (s) {
    var box = s.getBoundingClientRect();
    if (box.width > 100 && box.height > 100 && s.querySelectorAll("path, polygon, text").length > 5) drawn++;
    if (s.getAttribute("role") === "img" && s.querySelector("title").textContent && s.querySelector("desc").textContent) named++;
  });
  var ids = {}, twice = 0;
  d.querySelectorAll("[id]").forEach(function (e) { if (ids[e.id]) twice++; ids[e.id] = 1; });
  var rows = Array.from(d.querySelectorAll("#rows tr")).map(function (r) {
    return Array.from(r.children).map(function (c) { return c.textContent; }).join("|");
  });
  var cut = 0;
  d.querySelectorAll("figure:not(.broad) .wide").forEach(function (w) { if (w.scrollWidth > w.clientWidth) cut++; });
  var root = d.documentElement, w = d.defaultView, time = d.querySelector('[aria-labelledby^="time-1-title"]'), reading = "";
  if (time && time.closest("figure").querySelector(".reading")) {
    var box = time.getBoundingClientRect();
    time.dispatchEvent(new w.PointerEvent("pointermove", { clientX: box.left + box.width * 0.4, clientY: box.top + box.height * 0.4, bubbles: true }));
    reading = time.closest("figure").querySelector(".reading").textContent;
  }
  document.body.innerHTML = "<pre id=found></pre>";
  document.getElementById("found").textContent = ["pictures=" + pictures.length, "drawn=" + drawn, "named=" + named, "cut=" + cut, "twice=" + twice,
    "scripts=" + d.querySelectorAll("script").length, "foreign=" + d.querySelectorAll("img, b, iframe, object, link").length,
    "headings=" + d.querySelectorAll("h1, h2").length, "overflow=" + (root.scrollWidth > root.clientWidth), "title=" + d.title,
    "reading=" + reading, "cursors=" + d.querySelectorAll(".cursor[visibility=visible]").length, "columns=" + d.querySelectorAll(".columns input").length].join("\n") +
    "\n" + rows.map(function (r) { return "row=" + r; }).join("\n");
};
</script>
END
  # A separate profile, and no connection to another machine.
  timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --user-data-dir="$SCRATCH/profile" --allow-file-access-from-files --disable-web-security \
    --enable-logging=stderr --virtual-time-budget=10000 --dump-dom "file://$SCRATCH/outer.html" 2>"$SCRATCH/browser.log" |
    sed -n '/<pre id="found">/,/<\/pre>/p' | sed 's/.*<pre id="found">//; s/<\/pre>.*//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
  grep CONSOLE "$SCRATCH/browser.log" | sed 's/^/console=/' || :
}

found() { sed -n "s/^$1=//p" <<<"$output"; }

@test "one file with everything in it, every plot as SVG and PNG, and the rows of summary2csv.sh; a browser draws it, on a desk and on a phone" {
  run_make 20250101T100000Z-x
  prints 20250101T100000Z-x/report.html run_split report 20250101T100000Z-x
  assert_equal "$STDERR" ''
  assert_equal "$(grep -cE '(src|href)="?(https?:)?//|@import|<script ' 20250101T100000Z-x/report.html)" 0
  # The policy allows one script, by its checksum.
  assert_equal "$(grep -c '<script>' 20250101T100000Z-x/report.html)" 1
  sed -n '/<script>/,/<.script>/p' 20250101T100000Z-x/report.html | sed '1s/.*<script>//; $s/<.script>//' | head -c -1 >script
  (($(wc -c <script) > 1000 && $(wc -c <script) < 20480)) || fail "$(wc -c script)"
  assert_contains "script-src 'sha256-$(openssl dgst -sha256 -binary script | base64)'\">" "$(<20250101T100000Z-x/report.html)"
  for name in bars-1 bars-2 tradeoff-1 percentile-1-1 percentile-2-2 time-1 heat-1-1-1 heat-2-2-2; do
    assert_exists 20250101T100000Z-x/plots/$name.svg 20250101T100000Z-x/plots/$name.png
  done
  refute_exists 20250101T100000Z-x/.report.new
  assert_contains $'<summary>Copy as Markdown</summary>\n<pre>| Variant | Repeat |' "$(<20250101T100000Z-x/report.html)"
  assert_contains $'<summary>Copy as text for a mail</summary>\n<pre>imdt: swap against native\n\n' "$(<20250101T100000Z-x/report.html)"
  need_command chromium python3
  "$REPO/summary2csv.sh" 20250101T100000Z-x >rows.csv
  for width in 1280 360; do
    run browse "$SCRATCH/20250101T100000Z-x/report.html" $width
    assert_equal "$(found console)" ''
    assert_equal "$(found drawn)" "$(found pictures)"
    assert_equal "$(found named)" "$(found pictures)"
    (($(found pictures) >= 14)) || fail "too few pictures"
    assert_equal "$(found twice)" 0
    assert_equal "$(found cut)" 0
    assert_equal "$(found overflow)" false
    (($(found headings) >= 7)) || fail "too few headings"
    assert_match '^Seconds since the start of the first phase: [0-9.]+; Thousand ops/s: native 1, swap 1$' "$(found reading)"
    (($(found cursors) >= 1 && $(found columns) >= 20)) || fail "no cursor, or no list of columns"
  done
  found row >page
  assert_equal "$(sed -n 1p page | tr '|' ',')" "$(sed -n 1p rows.csv)"
  succeeds run python3 - <<'END'
import csv
page = [line.rstrip("\n").split("|") for line in open("page")]
rows = list(csv.DictReader(open("rows.csv")))
head, page = page[0], page[1:]
assert len(page) == len(rows) == 24, (len(page), len(rows))
for shown, row in zip(page, rows):
    for name, value in zip(head, shown):
        assert value == (row[name] or "-") or value == row[name], (name, value, row[name])
END
}

@test "a folder keeps what is its own: a report takes the place of an earlier report, and of nothing else" {
  mkdir -p proj/plots
  echo precious | tee proj/plots/figure1.csv proj/plots/photo-2025.png proj/plots/bars-9.svg >/dev/null
  fails 1 run report proj
  assert_equal "$(cat proj/plots/*)" $'precious\nprecious\nprecious'
  echo '<title id="bars-9-title">earlier</title>' >proj/report.html
  for repeat in 1 2; do log_make 1000 50000 4 set:9 >proj/redis.log.c.20250101-100000.$repeat; done
  succeeds run report proj
  assert_equal "$(cat proj/plots/figure1.csv proj/plots/photo-2025.png)" $'precious\nprecious'
  assert_exists proj/report.html proj/plots/bars-1.svg
  # The earlier report names it.
  refute_exists proj/plots/bars-9.svg proj/.report.new
}

@test "names and settings that look like HTML, a script or a command are shown as text" {
  need_command chromium
  run='20250101T100000Z-<img src=x onerror=alert(1)>' variant='sw"ap`touch pwned`<b>'"'"';system("touch pwned")'
  run_make "$run" "$variant"
  printf 'SIDECAR="</pre><script>document.title=1</script>"\n' >>"$run/run.conf"
  settings_make "$run"
  mkdir -p "$run/env/<b>host"
  printf 'kernel\t<script>document.title=2</script>\n' >"$run/env/<b>host/env.tsv"
  printf '</pre><script>document.title=3</script>\n' >"$run/env/<b>host/setup.log"
  succeeds run report "$run"
  refute_exists pwned "$REPO/pwned"
  cp "$run/report.html" page.html
  grep -qF '<meta http-equiv="Content-Security-Policy" content="default-src '"'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" page.html ||
    fail "the page has no policy"
  run browse "$SCRATCH/page.html" 1280
  assert_equal "$(found console)" ''
  assert_equal "$(found scripts)" 1
  assert_equal "$(found foreign)" 0
  assert_equal "$(found drawn)" "$(found pictures)"
  assert_contains "title=$run"
}

@test "a template that does not fit ends the report with one line, and the last page stays" {
  drawn_blank
  repeat_make 20250101T100000Z-x native 1000B-4i 1 c 1000 500000 4 30 90 set:9
  histogram_make 30:100 >20250101T100000Z-x/native/1000B-4i/rep-1/c/histogram-set-a1B2c3
  echo last >20250101T100000Z-x/report.html
  mkdir tree
  cp -r "$REPO"/{do_it.sh,lib,conf} tree
  for block in fact verdict plot; do
    sed "s/^<!-- block $block -->$/<!-- block other -->/" "$REPO/lib/results/report.html" >tree/lib/results/report.html
    fails 1 run_split tree/do_it.sh report 20250101T100000Z-x
    assert_output ''
    assert_equal "$STDERR" "do_it.sh: report.html: block $block: not found"
    assert_equal "$(<20250101T100000Z-x/report.html)" last
  done
}

@test "the tables of a sweep that the run ends with are in the page: instances with the knee, DRAM to data" {
  run=20250101T100000Z-x
  drawn_blank
  for n in 1 2; do
    repeat_make $run native 1000B-${n}i 1 c 1000 500000 $n 30 90 get:20
    repeat_make $run 'a<b' 1000B-${n}i 1 c 1000 500000 $n 30 90 get:20
    repeat_make $run native 1000B-4i-1to$n-zipf 1 c 1000 500000 4 30 90 get:20
  done
  for folder in "$run"/*/*/rep-1/c; do histogram_make 30:100 >"$folder/histogram-get-a1B2c3"; done
  settings_make "$run" 'VARIANTS="native a<b"'
  printf 'variant\tpoint\tsweep\tdram_ratio\nnative\t1000B-4i-1to%d-zipf\t1:%d, zipf\t1:%d\n' 1 1 1 >$run/plan.tsv
  printf 'native\t1000B-4i-1to2-zipf\t1:2, zipf\t1:2\n' >>$run/plan.tsv
  succeeds run_split report $run
  page=$(sed -n '/<section id="figures">/,/<.section>/p' $run/report.html)
  assert_contains '<h3>GET, values of 1,000 B: operations per second while all load generators were running</h3>' "$page"
  assert_contains '<p>a&lt;b, get: no knee up to 2 instances. There: an instance uses an unknown part' "$page"
  assert_contains '<h3>GET of 1,000 B on 4 instances, by DRAM:data</h3>' "$page"
  refute_contains 'a<b' "$page"
}

@test "warnings: misses, a limited client, a missing repeat, a truncated log; logs that cannot tell of misses do not say that there were none; an empty run has no report" {
  drawn_blank
  run_make 20250101T100000Z-x
  client=20250101T100000Z-x/swap/1000B-4i/rep-1/c
  cells_set $client/result.tsv '' misses=7 client_limited=1
  mv 20250101T100000Z-x/swap/2000B-4i/rep-3 20250101T100000Z-x/swap/2000B-4i/rep-3.cut-20250101-100000
  sed -i '/Complete/d' 20250101T100000Z-x/native/1000B-4i/rep-2/c/redis.log.*
  fails 1 run report 20250101T100000Z-x
  page=$(<20250101T100000Z-x/report.html)
  assert_contains 'GETs found no key in 2 of' "$page"
  assert_contains 'the client was the bottleneck, so the figures describe the client, not the server, in 2 of' "$page"
  assert_contains 'incomplete, excluded: 20250101T100000Z-x/swap/2000B-4i/rep-3.cut-20250101-100000' "$page"
  assert_contains 'has no &#39;Complete.&#39; line' "$page"
  # Why to trust the answer: what is wrong, fine, and not recorded, each with its word.
  page=$(sed -n '/<ul class="trust">/,/<.ul>/p' <<<"$page")
  assert_contains ' % of its threads; the client was the limit in 2 of 22 results</li>' "$page"
  assert_contains '<li class="wrong"><strong>wrong</strong> repeats: n = 2; an interval requires 3</li>' "$page"
  assert_contains '<li class="unknown"><strong>unknown</strong> placement proven: not recorded</li>' "$page"
  mkdir guide
  log_make 1000 50000 4 set:9 >guide/redis.log.c.20250101-100000.1
  succeeds run report guide
  assert_contains '<p>Nothing: no errors. Not known: misses, client that was the bottleneck, data outside the requested memory, CPU time used by other programs, phase that was disturbed or not settled, warning from Redis, repeat that is missing.<' "$(<guide/report.html)"
  mkdir 20250101T100000Z-empty
  fails 1 run report 20250101T100000Z-empty
  refute_exists 20250101T100000Z-empty/report.html
}

@test "on top are date, hosts, Redis, fill, load, repeats and what differs from the scenario, and links to what the page has" {
  drawn_blank
  run_make 20250101T100000Z-x
  printf 'SCENARIO="imdt"\nVARIANTS="native swap"\nOVER="KEYS VALUE_SIZES TUNE.ksm RESULTS_DIR"\nSERVER="s"\nCLIENT_IP="c d"\nKEYS="500000"\nVALUE_SIZES="1000 2000"\nREDISRUNS="3"\nTUNE.ksm="off"\n' >20250101T100000Z-x/run.conf
  settings_make "20250101T100000Z-x"
  printf '%s\t%s\n' cpu.model 'A <CPU>' cpu.count 72 memory.kib 790626304 kernel.release 6.1.0 redis.version 7.0.15 os.name - >20250101T100000Z-x/env/s/env.tsv
  succeeds run_split report 20250101T100000Z-x
  page=$(<20250101T100000Z-x/report.html)
  assert_contains '<h1>imdt: swap against native</h1>' "$page"
  assert_contains '<dt>Date</dt><dd>2025-01-01 10:00:00 UTC</dd>' "$page"
  assert_contains '<dt>Server</dt><dd>s: A &lt;CPU&gt;, 72 logical CPUs, 754.0 GiB, Linux 6.1.0</dd>' "$page"
  assert_contains '<dt>Redis</dt><dd>7.0.15</dd>' "$page"
  assert_contains '<dt>Clients</dt><dd>c d</dd>' "$page"
  assert_contains '<dt>Fill</dt><dd>KEYS=500000</dd>' "$page"
  assert_contains '<dt>Repeats</dt><dd>REDISRUNS=3, 12 complete</dd>' "$page"
  assert_contains '<dt>Differs from the scenario</dt><dd>KEYS=500000, VALUE_SIZES=1000 2000</dd>' "$page"
  assert_equal "$(grep -oE '<a href="#[a-z]+' <<<"$page" | sed 's/.*#//')" "$(grep -oE '^<section id="[a-z]+' <<<"$page" | sed 's/.*"//')"
  sed -i 's#SERVER=.*#SERVER="../../etc"#' 20250101T100000Z-x/run.conf
  settings_make "20250101T100000Z-x"
  run_split report 20250101T100000Z-x
  assert_contains '<dt>Server</dt><dd>-</dd>' "$(<20250101T100000Z-x/report.html)"
}

@test "a property that the host did not report is named as such in its description" {
  mkdir -p run/env/s data
  printf '%s\n' $'kernel.release\t6.1.0' $'machine.hypervisor\t' $'cpu.isolated\t-' cpu.boost $'kernel.cmdline\ta\t-' >run/env/s/env.tsv
  touch data/{sections,fill}
  succeeds run modules 'template_read "$LIB/results/report.html"; _report_environment run data'
  assert_line '<tr><th scope="row">kernel.release</th><td class="long">6.1.0</td></tr>'
  assert_line '<tr><th scope="row">machine.hypervisor</th><td class="long">(not said)</td></tr>'
  assert_line '<tr><th scope="row">cpu.isolated</th><td class="long">(not said)</td></tr>'
  assert_line '<tr><th scope="row">cpu.boost</th><td class="long">(not said)</td></tr>'
  assert_line $'<tr><th scope="row">kernel.cmdline</th><td class="long">a\t-</td></tr>'
}

@test "how fast the keys are set is not judged, also of a repeated populate" {
  for repeat in 1 2; do
    repeat_make 20250101T100000Z-x native 100B-2i "$repeat" c 100 1000 2 30 90 "populate:$((repeat * 10))" get:10 "populate-2:$((repeat * 10))"
  done
  succeeds run_split modules 'result_totals 20250101T100000Z-x | figures_run bound report'
  assert_contains 'native, get: 186 operations per second'
  refute_contains 'populate-2'
  refute_contains 'repeats of the same point differ'
}

@test "repeats that are far apart are flagged, and the figures of one variant do not mix points" {
  drawn_blank
  for len in 100 1000; do
    repeat_make 20250101T100000Z-x native "${len}B-1i" 1 c "$len" 1000 1 30 90 set:10
    repeat_make 20250101T100000Z-x native "${len}B-1i" 2 c "$len" 1000 1 30 90 "set:$((len == 100 ? 16 : 10))"
  done
  settings_make 20250101T100000Z-x VARIANTS=native
  run_split report 20250101T100000Z-x
  page=$(<20250101T100000Z-x/report.html)
  assert_contains 'repeats of the same point differ by more than 10 % in throughput, in 1 of 2 cases; most in native, set at 100B-1i: ' "$page"
  assert_equal "$(grep -c '<p class="verdict">native, set at 100*B-1i: ' <<<"$page")" 2
}

@test "a narrow page leaves out the less important columns, heading and cells alike; of the words worse and better, only verdicts have a colour" {
  succeeds run modules 'OPTIONAL="min max|C" figures_table html' <<'END'
a	b	c	d
A	min max	C	Verdict
text	right	text	text
worse	2	3	worse; robust: same
1	2	3	better
END
  assert_line '<thead><tr><th scope="col">A</th><th scope="col" class="opt n">min max</th><th scope="col" class="opt">C</th><th scope="col">Verdict</th></tr></thead>'
  assert_line '<tr><td>worse</td><td class="opt n">2</td><td class="opt">3</td><td class="worse">worse; robust: same</td></tr>'
  assert_line '<tr><td>1</td><td class="opt n">2</td><td class="opt">3</td><td class="better">better</td></tr>'
}

@test "populate is drawn last, each phase has bars of its p99, and two threads have no heat map" {
  for variant in native swap; do
    for repeat in 1 2 3; do repeat_make 20250101T100000Z-x "$variant" 100B-2i "$repeat" c 100 1000 2 30 90 populate:10 get:10; done
  done
  printf 'us 0 1 total\n30 50 50 100 100.000\n' >20250101T100000Z-x/native/100B-2i/rep-1/c/histogram-get-a1B2c3
  settings_make 20250101T100000Z-x 'VARIANTS="native swap"'
  run_split report 20250101T100000Z-x
  page=$(grep -oE '<title id="[a-z]+-[0-9-]+-title">[^<]*' 20250101T100000Z-x/report.html | sed 's/.*>//')
  assert_contains $'Throughput, get\np99 latency, get\n' "$page"
  assert_equal "$(awk '/populate/ { later = 1 } later && !/populate/' <<<"$page")" ''
  assert_contains 'p99 latency, populate' "$page"
  assert_exists 20250101T100000Z-x/plots/tail-1.svg
  refute_contains 'Latency of every thread' "$page"
}
