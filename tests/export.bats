#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Figures for other programs: OpenMetrics text by the format's grammar, JSON of one variant, and the formats for CI.

load helper
load logs

# Print violations of the grammar of OpenMetrics 1.0.0 in the text on stdin: order of lines, names by type and unit, labels, numbers, times.
grammar() {
  LC_ALL=C awk '
    function bad(why) { print NR ": " why ": " $0 }
    ended { bad("behind the end") }
    /^# EOF$/ { ended = 1; next }
    /^# TYPE / {
      name = $3; type = $4; unit = ""
      if (name in families) bad("a family comes twice")
      families[name] = 1
      if (NF != 4 || name !~ /^[a-zA-Z_:][a-zA-Z0-9_:]*$/ || type !~ /^(gauge|counter|summary|info)$/) bad("type")
      if (type == "counter" && name ~ /_total$/) bad("a family of counters has no _total")
      next
    }
    /^# UNIT / { unit = $4; if ($3 != name || substr(name, length(name) - length(unit)) != "_" unit) bad("the unit does not end the name"); next }
    /^# HELP / { if ($3 != name) bad("help of another family"); next }
    {
      if (!match($0, /^[a-zA-Z_:][a-zA-Z0-9_:]*\{([a-z_]+="([^"\\]|\\[\\"n])*",?)*\} /)) { bad("no sample"); next }
      key = substr($0, 1, RLENGTH - 1)
      rest = substr($0, RLENGTH + 1)
      if (rest !~ /^-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)? [0-9]+(\.[0-9]+)?$/) bad("value or time")
      sample = key
      sub(/\{.*/, "", sample)
      suffix = substr(sample, length(name) + 1)
      if (substr(sample, 1, length(name)) != name) bad("sample of another family")
      if (type == "counter" ? suffix != "_total" : type == "summary" ? suffix !~ /^(_count|_sum|)$/ : suffix != "") bad("suffix")
      if (type == "summary" && (suffix == "") != (key ~ /,quantile="0\.[0-9]+"/)) bad("quantile")
      split(rest, part, " ")
      if (key in last && part[2] + 0 <= last[key] + 0) bad("time does not go on")
      last[key] = part[2]
      samples++
    }
    END {
      if (!ended) print "no end"
      if (!samples) print "no samples"
    }'
}

# A run with a name that needs quoting: run_make NAME VARIANT...
run_make() {
  local variant repeat name=$1
  for variant in "${@:2}"; do
    for repeat in 1 2 3; do
      repeat_make "$name" "$variant" 1000B-4i "$repeat" c 1000 500000 4 30 90 set:10 get:6
      printf 'time_s\tops\terrors\tmisses\tbytes\tp50_us\tp99_us\tp99_9_us\tmax_us\n1.000\t1000\t0\t0\t100\t30\t90\t100\t200\n1.500\t600\t0\t0\t100\t31\t91\t101\t201\n2.5' \
        >"$name/$variant/1000B-4i/rep-$repeat/c/get.series.tsv"
    done
  done
  printf 'SCENARIO=imdt\nVARIANTS="%s"\n' "${*:2}" >"$name/run.conf"
  settings_make "$name"
}

@test "totals as OpenMetrics are of the grammar, whose reader notices, with the figures of the table, in base units; of logs without a start they have no time" {
  run_make '20250101T100000Z-a"b\c' native swap
  succeeds run_split "$REPO/do_it.sh" compare --format openmetrics 20250101T100000Z-a*
  assert_equal "$STDERR" ''
  assert_equal "$(grammar <<<"$output")" ''
  assert_equal "$(tail -n 1 <<<"$output")" '# EOF'
  # 2,000,000 operations in 6.731204 s; 90 us.
  local labels='{run="20250101T100000Z-a\"b\\c",scenario="imdt",variant="native",point="1000B-4i",repeat="1",operation="get"'
  assert_contains "tierbench_operations_per_second$labels} 297123 1700000006.731204" "$output"
  assert_contains "tierbench_latency_seconds$labels,quantile=\"0.99\"} 9e-05 " "$output"
  assert_contains "tierbench_latency_seconds_count$labels} 2000000 " "$output"
  assert_contains "tierbench_errors_total$labels} 0 " "$output"
  mkdir logs
  log_make 1000 50 4 set:3 >logs/redis.log.a.20180501-100000.1
  matches $'\ntierbench_operations_per_second[^\n]* 53\.602\n' run_split "$REPO/do_it.sh" compare --format openmetrics logs
  assert_equal "$(sed '/^#/d; s/{.*} / /' <<<"$output" | awk 'NF != 2')" ''
  assert_match 'no end' "$(printf '# TYPE a gauge\na{b="c"} 1 2\n' | grammar)"
  assert_match 'suffix' "$(printf '# TYPE a counter\na{b="c"} 1 2\n# EOF\n' | grammar)"
  assert_match 'unit' "$(printf '# TYPE a gauge\n# UNIT a seconds\na{b="c"} 1 2\n# EOF\n' | grammar)"
  assert_match 'time does not' "$(printf '# TYPE a gauge\na{b="c"} 1 2\na{b="c"} 1 2\n# EOF\n' | grammar)"
  assert_match 'no sample' "$(printf '# TYPE a gauge\na{b="c"d"} 1 2\n# EOF\n' | grammar)"
}

@test "series as OpenMetrics are of the grammar: rates of each interval at its time, by the master's clock if a repeat has it; a line that was cut is left out" {
  run_make 20250101T100000Z-x native
  succeeds run_split "$REPO/do_it.sh" compare --format openmetrics-series 20250101T100000Z-x
  assert_equal "$(grammar <<<"$output")" ''
  local labels='{run="20250101T100000Z-x",scenario="imdt",variant="native",point="1000B-4i",repeat="1",operation="get",client="c"}'
  assert_contains "tierbench_interval_operations_per_second$labels 1000 1700000001.000000" "$output"
  assert_contains "tierbench_interval_operations_per_second$labels 1200 1700000001.500000" "$output"
  assert_contains "tierbench_interval_p999_seconds$labels 0.000101 1700000001.500000" "$output"
  assert_equal "$(grep -c '^tierbench_interval_max_seconds{' <<<"$output")" 6
  # The clock of the client is 100 s ahead; another one began 2 s earlier.
  printf 'phase\tclient\tstart_us\n%s\t%s\t%s\n' get c 1699999900000000 get d 1699999898000000 >20250101T100000Z-x/native/1000B-4i/rep-1/starts.tsv
  run_split "$REPO/do_it.sh" compare --format openmetrics-series 20250101T100000Z-x
  assert_match 'tierbench_interval_operations_per_second[^ ]*repeat="1",operation="get",client="c"} 1200 1699999901.500000' "$output"
  assert_match 'tierbench_interval_operations_per_second[^ ]*repeat="2",operation="get",client="c"} 1200 1700000001.500000' "$output"
  run_split "$REPO/do_it.sh" compare --format openmetrics 20250101T100000Z-x
  assert_match 'tierbench_operations_per_second[^ ]*repeat="1",operation="get"} 297123 1699999904.731204' "$output"
}

# Check the XML on stdin: its elements and attributes by the schema of Apache Ant, and the counts. Prints each case and the lines of its failure.
junit() {
  python3 -c '
import re, sys, xml.etree.ElementTree as tree
suites = tree.fromstring(sys.stdin.buffer.read())
suite, = suites
assert suites.tag == "testsuites" and not suites.attrib and suite.tag == "testsuite"
assert set(suite.attrib) == set("name package id timestamp hostname tests failures errors time".split())
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
assert re.fullmatch("properties( testcase)+ system-out system-err", " ".join(e.tag for e in suite)), [e.tag for e in suite]
cases = suite.findall("testcase")
assert int(suite.get("tests")) == len(cases) and int(suite.get("failures")) == len(suite.findall("testcase/failure"))
for case in cases:
    assert set(case.attrib) == set("name classname time".split())
    print(case.get("name"))
    for failure in case:
        assert failure.tag == "failure" and set(failure.attrib) == {"message", "type"} and failure.text.startswith(failure.get("message"))
        print(failure.text, end="")
print(len(suite.find("system-out").text or ""))'
}

@test "JUnit has a test case for each rule, with the failures of compare, and is XML whatever the names are" {
  # Markup, a control character, a byte that is not UTF-8, and a character that XML lacks.
  local name=$'<a&"]]>\e\xff\xef\xbf\xbe\xc3\xa4'
  run_make 20250101T100000Z-x native "$name"
  fails 1 run_split "$REPO/do_it.sh" compare --format junit --fail-if 'p99>1ms' --fail-if 'tx<200%' --fail-if 'ops<200%' 20250101T100000Z-x
  succeeds run junit <<<"$output"
  assert_equal "${lines[0]} ${lines[1]} ${lines[4]}" 'p99>1ms tx<200% ops<200%'
  assert_equal "${lines[2]}" $'<a&"]]>?\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4, set at 1000B-4i: Tx combined is 100.0 % of native (tx<200%)'
  assert_equal "${#lines[@]}" 8
  ((lines[7] > 1000))
  # A variant alone has nothing to compare: each rule fails.
  fails 1 run_split "$REPO/do_it.sh" compare --format junit --fail-if 'p99>1ms' --fail-if 'tx<1%' 20250101T100000Z-x/native
  run junit <<<"$output"
  assert_output $'p99>1ms\nnative is the only variant: nothing to compare\ntx<1%\nnative is the only variant: nothing to compare\n0'
}

@test "figures for github-action-benchmark are its objects: medians of the usable repeats, and counts of the worst; JSON of one variant has its totals with the signs of bounds, its summary and its notes" {
  local object='import json, sys
for o in json.loads(sys.argv[1]):
    assert sorted(o) == ["extra", "name", "range", "unit", "value"] and all(isinstance(o[k], str) for k in o if k != "value")
    print(o["name"], o["value"], o["unit"], o["range"], o["extra"], sep="|")'
  run_make 20250101T100000Z-x native
  succeeds run_split "$REPO/do_it.sh" compare --format benchmark-action 20250101T100000Z-x
  run python3 -c "$object" "$output"
  assert_output $'native, set at 1000B-4i: throughput|186372|ops/s|± 0|3 repeats, 186,372 to 186,372 ops/s\nnative, get at 1000B-4i: throughput|297123|ops/s|± 0|3 repeats, 297,123 to 297,123 ops/s'
  # In one repeat of GET there are errors, and the load generator was the limit.
  cells_set 20250101T100000Z-x/native/1000B-4i/rep-1/c/result.tsv operation=get client_limited=1 errors=7 p99_us=60
  run_split "$REPO/do_it.sh" compare --format benchmark-action --metric p99 --metric errors 20250101T100000Z-x
  run python3 -c "$object" "$output"
  assert_line 'native, get at 1000B-4i: p99 latency|90|us|± 30|3 repeats, 60 to 90 us'
  assert_line 'native, get at 1000B-4i: errors|7|errors|± 7|3 repeats, 0 to 7 errors'
  run_split "$REPO/do_it.sh" compare --format benchmark-action 20250101T100000Z-x/native
  matches 'get at .*; a bound, >=: the load generator was the limit' run python3 -c "$object" "$output"
  # None of these results has a search.
  fails 1 run_split "$REPO/do_it.sh" compare --format benchmark-action --metric capacity 20250101T100000Z-x
  assert_equal "$output$STDERR" 'compare: --format=benchmark-action: no result has the figure'
  run_make 20250101T100000Z-x native
  succeeds run_split "$REPO/do_it.sh" compare --format json 20250101T100000Z-x
  succeeds run python3 -c 'import json, sys
d = json.loads(sys.argv[1])
print(len(d["totals"]), d["totals"][0]["ops_per_sec"], d["summary"][0], sorted(d))' "$output"
  assert_output "6 186372 native, set: 186,372 operations per second, p99 latency at most 90 us. ['notes', 'summary', 'totals', 'warnings']"
  # The load generator was the limit of GET, and SETs had no answer.
  cells_set 20250101T100000Z-x/native/1000B-4i/rep-1/c/result.tsv operation=get client_limited=1 unanswered=0 at_least_us=0
  cells_set 20250101T100000Z-x/native/1000B-4i/rep-1/c/result.tsv operation=set unanswered=3 at_least_us=40
  succeeds run_split "$REPO/do_it.sh" compare --format json 20250101T100000Z-x
  run python3 -c 'import json, sys
d = json.loads(sys.argv[1])
print({r["operation"]: sorted(k + v for k, v in r.items() if k.endswith("_bound")) for r in d["totals"][:2]}, d["notes"])' "$output"
  assert_output "{'SET': ['p99_9_us_bound>=', 'p99_us_bound>='], 'GET': ['ops_per_sec_bound>=', 'tx_bps_bound>=']} ['native is the only variant: nothing to compare']"
}

@test "the step of the action compares, keeps the files, and fails with a rule; a name in a run is no command for the runner" {
  python3 -c 'import sys, textwrap; print(textwrap.dedent(open(sys.argv[1]).read().split("run: |\n")[1]))' "$REPO/tools/action/action.yml" >step
  cp -r "$REPO/results/sample" run
  export GITHUB_ACTION_PATH=$REPO/tools/action GITHUB_OUTPUT=outputs GITHUB_STEP_SUMMARY=summary.md RUNNER_TEMP=$SCRATCH
  export ACTION_BASE=run ACTION_RUN='' ACTION_FAIL_IF=$'  tx<1%  \n\np99>1s\n' ACTION_METRIC=p99 ACTION_OUT='out dir'
  succeeds run_split bash --noprofile --norc -eo pipefail step
  assert_equal "$(<outputs)" $'junit=out dir/junit.xml\nbenchmark=out dir/benchmark.json'
  assert_equal "$(junit <'out dir/junit.xml' | sed '$d')" $'tx<1%\np99>1s'
  assert_contains '"name": "swap, get at 1000B-2i: p99 latency"' "$(<'out dir/benchmark.json')"
  assert_match '^\*\*Differences\*\*' "$(<summary.md)"
  # Nothing that the tool prints is between the commands of the step.
  assert_match '^::stop-commands::([0-9a-f]{32})$' "${lines[0]}"
  assert_equal "${lines[-1]}" "::${BASH_REMATCH[1]}::"
  ACTION_FAIL_IF='tx<95%' fails 1 run_split bash --noprofile --norc -eo pipefail step
  ACTION_FAIL_IF='tx<95%' ACTION_RUN=missing fails 2 run_split bash --noprofile --norc -eo pipefail step
}
