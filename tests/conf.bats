#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Settings: what is refused, with which message, and which layer overrides.
# slow

load helper

prepare() {
  cp -r "$REPO/do_it.sh" "$REPO/conf" "$REPO/lib" .
  REPO=$SCRATCH
}

WHOLE='one value for the whole run, not for a variant; set it on the command line or in a scenario'

# A plan needs no server and prints what it resolved.
plan() { run_plan SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=4 SERVER_MEM=64 "$@"; }

# Plan with one error and expect this one line, nothing on stdout, and exit status 2.
# Usage: refused LINE ARGUMENT...
refused() {
  fails 2 plan "${@:2}"
  assert_output ''
  assert_equal "$STDERR" "do_it.sh: $1"
}

@test "bounds are kept: value sizes, repeats, ports, rates, lists, shares, orders of keys, contents of values" {
  for word in VALUE_SIZES=0 VALUE_SIZES=513M VALUE_SIZES=-1 VALUE_SIZES='100 x' VALUE_SIZES= REDISRUNS=0 REDISRUNS=1001 \
    REDISRUNS=1e3 REDISBASE=0 REDISBASE=65536 RATE=-1 RATE=1.5.2 VERIFY=maybe SERVER= CLIENT_IP= 'SERVER=a b;c' KEYS=0 \
    KEYS=99999999999999999999 INSTANCES=0 PHASES='set put' SEED=x SERVER_CPUS=5-2 TIER_NODES=0,3-1 \
    RATIO=4 RATIO=0:0 KEY_PATTERN='uniform foo' KEY_PATTERN=zipf:3.1 KEY_PATTERN=uniform:1 DATA=foo DATA=compressible:1; do
    fails 2 run_plan "$word"
    assert_match "^do_it.sh: command line: ${word%%=*}=.*$" "$STDERR" || fail "$word was taken"
    [[ $STDERR != *$'\n'* ]] || fail "more than a line for $word"
  done
  printf -v word 'KEYS=%065537d' 1
  run_plan "${word/0/1}"
  assert_equal "$STDERR" "do_it.sh: command line: KEYS=1${word:6:39}...: too long; accepted: at most 65000 characters"
  # Three decimals that may be thousands, in values of each kind with fractions; others are not in doubt.
  for word in RATE=100.000 FILL=1.000G TIME=1.500s SMALLEST=2.500% KEY_PATTERN='uniform zipf:1.250' KEY_PATTERN.shift=60:5.000 NEIGHBOUR='0 1.500' SWEEP=RATE=2,1.000; do
    run_plan "$word"
    assert_match ': ambiguous, a fraction or thousands; write [1-9][0-9]{3,5} or [0-9]+\.[0-9]{4}$' "$STDERR"
  done
  succeeds run_plan RATE=100.0 TIME=0.500 WARMUP=1.125 FILL=1.5000G SRV_OVERRIDE=1
  # Hosts: no ports, no networks, no addresses that cannot be.
  for word in name:2222 10.0.0.1:22 10.0.0.1/24 256.0.0.1 10.0.1 1 a..b '[::1]' ::1:: 1:2:3 1:2:3:4:5:6:7:8:9 fe80::12345 :: 0.0.0.0 user@host; do
    refuses 2 ": SERVER=$word: invalid; " run_plan SERVER="$word"
  done
  for word in 10.0.0.1 h host_1.example.org 2001:db8::10:1 fe80::1 1:2:3:4:5:6:7:8 ::ffff:10.0.0.1; do
    succeeds run_plan SERVER="$word" CLIENT_IP=203.0.113.2 SERVER_CORES=8 SERVER_MEM=64
  done
}

@test "a variant cannot change a setting of the whole run, other than to the value that the run has; a tier that overrides that of a variant is refused" {
  unset -v {TIERBENCH_,}{REMOTE_DIR,LOCK_DIR}
  for setting in REMOTE_DIR=/other LOCK_DIR=/other CLIENTS=1 REMOTE_RETRY=7 RESULTS_DIR=other REDISRUNS=9; do
    printf '# mine\n%s\n' "$setting" >conf/variants/mine.conf
    refused "$PWD/conf/variants/mine.conf:2: $setting: $WHOLE" "CLIENT_IP=203.0.113.2 203.0.113.3" -v native -v mine
  done
  printf 'REMOTE_DIR=/other\nTRACE=top\n' >conf/variants/mine.conf
  succeeds plan -v native -v mine REMOTE_DIR=/third
  printf 'REMOTE_DIR=/other\n' >mine
  succeeds plan --trust -s ./mine -v native -v mine
  refused "$PWD/conf/variants/mine.conf:1: REMOTE_DIR=/other: $WHOLE" -v mine
  # Values are words, and no numbers.
  printf 'KEY_PREFIX=1\n' >mine
  printf 'KEY_PREFIX=01\n' >conf/variants/mine.conf
  refused "$PWD/conf/variants/mine.conf:1: KEY_PREFIX=01: $WHOLE" -s ./mine -v native -v mine
  refused "command line: TIER=swap: conflicts with TIER=native of the variant native; leave it out, and name a variant with this tier (-v)" TIER=swap
  succeeds plan -v swap TIER=swap
  # A variant that sets no tier takes it from anywhere.
  printf '# mine\nKERNEL.thp=never\n' >conf/variants/mine.conf
  succeeds plan -v mine TIER=swap
}

# Print how the settings of a variant's file are refused, one line for each; `ok` if they are not. The settings before `:` are those of the command line.
# Usage: variant_refused <<<'SETTING...: SETTING'
variant_refused() {
  modules 'while IFS=: read -r words setting; do
      printf "%s\n" "# mine" "${setting# }" >conf/variants/mine.conf
      (
        for word in $words; do conf_word argument "$word" "command line"; done
        conf_word argument VARIANTS=mine "command line"
        plan_settle
        echo ok
      ) 2>&1 || :
    done'
}

@test "what all variants share is refused in a variant's file: settings of the whole run, settings of the sweep, lists" {
  local points="its values are points that all variants have; set it on the command line or in a scenario"
  local sweep="in SWEEP, whose values all variants have; leave out one of them"
  run variant_refused <<'END'
: WORKLOAD=ycsb-a
: VALUE_DISTRIBUTION=10-100
: REPORT=off
: VALUE_SIZES=500
: MEMTIER_DATA_SIZE=500
: INSTANCES=2
: HIT_RATIO=80%
: KEY_PATTERN="uniform zipf"
SWEEP=PIPELINE=1,2: PIPELINE=7
SWEEP=MEMTIER_PIPELINE=1,2: LIKE=tiering
SWEEP=KERNEL.numa_balancing=0,1: LIKE=tiering
: COLD_MEMORY=1G
: KEY_PATTERN=zipf
: VALUE_SIZES=1000
VALUE_SIZES=10,20: VALUE_SIZES=500
KEY_PATTERN=uniform,zipf: KEY_PATTERN=gaussian
SWEEP=PIPELINE=1,2 PIPELINE=3: PIPELINE=7
END
  local file="bash: $PWD/conf/variants/mine.conf:2"
  assert_output "$file: WORKLOAD=ycsb-a: $WHOLE
$file: VALUE_DISTRIBUTION=10-100: $WHOLE
$file: REPORT=off: $WHOLE
$file: VALUE_SIZES=500: $points
$file: MEMTIER_DATA_SIZE: VALUE_SIZES=500: $points
$file: INSTANCES=2: $points
$file: HIT_RATIO=80%: $points
$file: KEY_PATTERN=uniform zipf: $points
$file: PIPELINE=7: conflicts with PIPELINE=1,2 $sweep
ok
bash: $PWD/conf/variants/tiering.conf:5: KERNEL.numa_balancing=2: conflicts with KERNEL.numa_balancing=0,1 $sweep
ok
ok
ok
ok
ok
ok"
}

@test "layers: default, block, which is read and not run, hosts file, scenario, variant, environment, command line; a scenario like another has its settings, and its own over them; a circle and a long chain are named" {
  assert_equal "$(conf_value KEYS)" auto
  local -a words=()
  for layer in block hosts scenario variant environment argument; do
    words=("${layer/%variant/variant:}" "KEYS=${#layer}" "${words[@]}") # the order of setting must not matter
    assert_equal "$(conf_value KEYS "${words[@]}")" "${#layer}"
  done
  sed -i 's/^REDISRUNS=.*/REDISRUNS=7\nKERNEL.thp=always/' do_it.sh
  run ./do_it.sh plan --settings SERVER=h CLIENT_IP=i SERVER_CORES=2 SERVER_MEM=64
  assert_line $'-\t-\tKERNEL.thp\talways\tdo_it.sh:'"$(sed -n '/^KERNEL/=' do_it.sh)"
  refute_contains 'command not found'
  shows "7 repeat(s)" plan
  TIERBENCH_REDISRUNS=9 run_split ./do_it.sh plan SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=4 SERVER_MEM=64
  assert_contains "9 repeat(s)"
  printf 'PIPELINE=5\nCONNECTIONS=7\n' >conf/scenarios/first.conf
  printf 'LIKE=first  # and then\nPIPELINE=6\n' >conf/scenarios/second.conf
  shows '7 connection(s) per thread, pipeline 6' plan -s second
  printf 'LIKE=second\n' >conf/scenarios/first.conf
  refused "$PWD/conf/scenarios/first.conf:1: LIKE=second: circular include; remove one of the LIKE lines" -s second
  for name in {1..17}; do printf 'LIKE=next%d\n' $((name + 1)) >"conf/scenarios/next$name.conf"; done
  printf 'KEYS=5\n' >conf/scenarios/next18.conf
  refused "$PWD/conf/scenarios/next17.conf:1: LIKE=next18: too many files; accepted: 16 in a chain, 1,000 in all" -s next1
  sed -i 's/^REDISRUNS=.*/LIKE=demo/' do_it.sh
  refused "$PWD/do_it.sh:$(grep -n '^LIKE' do_it.sh | cut -d: -f1): LIKE=demo: not supported here; accepted in scenarios, variants and tenants"
}

@test "values take units: counts, times and sizes, also in lists, which have blanks or commas between their words; the unit is not stored; each default is of its kind, in that form" {
  cat >expected <<'END'
100k int:1..9 100000
1.5M search|number:0..9 1500000
0.0001k number:0..1 0.1
999999999G int:1..2 999999999000000000
08k int:1..9 8000
30s time:0..9 30
1500ms time:0..9 1.5
0.5ms time:0..9 0.0005
1.5h time:0..9 5400
5m seconds:1..9 300
15s default|ms:1..2 15000
4GB size:1..9 4G
1.5GiB guide|percent|size:1M..2G 1536M
1.5k size:1..9 1536
2T off|size:1M..9G 2048G
1000B size:1..9 1000
3K int:1..9 3K
5m number:0..9 5m
500ms seconds:1..9 500ms
0.3G size:1..9 0.3G
4IB size:1..9 4IB
search search|number:0..9 search
20k/instance int:0..9|each:instance:1..9 20000/instance
auto auto|each:instance:1..9 auto
08 time:0..9 8
008.50 search|number:0..9 8.5
00.0 number:0..9 0
00.00 time:0..9 0
010 number:0..99 10
05.0% percent:0.1..9 5%
hotspot:08:90.0 uniform|hotspot:pair:0..9:0..9 hotspot:8:90
01m:05.50 off|every:0..9:0..9 60:5.5
08 int:1..9 08
10.010.0.1 host 10.010.0.1
1m-1h off|times:1..9 60-3600
60-90 off|times:1..9 60-90
5m off|times:1..9 300
1.5m:5 off|every:0..9:0..9 90:5
90% percent 90%
END
  run settings_awk 'BEGIN { while ((getline line) > 0) { split(line, field, " "); print field[1], field[2], kind_plain(field[1] "", field[2]) } }' <expected
  assert_output "$(tr ' ' '\t' <expected)"
  assert_equal "$(conf_value RATE argument RATE=100k) $(conf_value TIME argument MEMTIER_TEST_TIME=2m) $(conf_value FILL argument FILL=4GB)" '100000 120 4G'
  assert_equal "$(conf_value VALUE_SIZES argument VALUE_SIZES=1kB,1.5K,100) $(conf_value WARMUP argument WARMUP=0ms)" '1K 1536 100 0'
  assert_equal "$(conf_value VALUE_SIZES argument 'VALUE_SIZES=100,1K, 10000')" '100 1K 10000'
  assert_equal "$(conf_value LIMITS argument 'LIMITS=p99<=1ms,avg<=2ms')" 'p99<=1ms avg<=2ms'
  assert_equal "$(conf_value INSTANCES argument INSTANCES=1..4,8)" '1..4 8'
  assert_equal "$(conf_value PHASES argument PHASES=set,get)" 'set get'
  assert_equal "$(conf_value PHASES argument PHASES=get,)" get
  refuses 2 'PHASES=set got: invalid' plan PHASES=set,got
  run settings_awk 'BEGIN {
    for (i = 1; i <= names; i++) {
      check(NAME[i], VALUE["default", NAME[i]], NAME[i])
      if (CHECKED "=" CHECKED_VALUE != NAME[i] "=" VALUE["default", NAME[i]]) print CHECKED, CHECKED_VALUE
    }
    print names
  }'
  ((output > 100))
  assert_output "$(cat "$REPO"/{conf/defaults,lib/part/*/settings}.conf | grep -c '^[A-Z][^*]*=.*  #: ')"
}

@test "a setting with parts: each part has its own layer and source; words apply from left to right" {
  printf 'TIER=native\nKERNEL="thp=always swappiness=10"\n' >conf/variants/mine.conf
  printf 'LIKE=demo\nTUNE="off +ksm irq=0-1"\nKERNEL.swappiness=20\nKERNEL.page_cluster=3\n' >conf/scenarios/mine.conf
  # Usage: parts [WORD]...; prints the parts that are not their defaults, with their sources
  parts() {
    ./do_it.sh plan --settings -s mine -v mine SERVER=h CLIENT_IP=i SERVER_CORES=2 SERVER_MEM=8 "$@" | awk -F '\t' -v OFS=' ' '
      $3 ~ /[.]/ && $3 !~ /^QUICK/ && ($1 == "mine" || $5 !~ /^conf\/defaults|^lib\/part/) { sub(/.*\//, "", $5); print $1, $2, $3, $4, $5 }' | sort
  }
  run parts TUNE="keep auto -cstates"
  assert_output 'do_it.sh: command line: TUNE=keep: not PART=VALUE; parts are irqbalance tuned firewall ksm governor cstates irq overcommit somaxconn vsmp strict'
  run parts DAMON=$'migrate\nhot=2'
  assert_output 'do_it.sh: command line: DAMON: a line break, another control character or a double quote in the value is not supported; remove it'
  shows 'KERNEL=never: not PART=VALUE; parts are thp' run parts KERNEL=never
  run parts TUNE="-cstates irq=1" KERNEL.page_cluster=4 SWEEP=KERNEL.thp=never,madvise
  assert_output "do_it.sh: $PWD/conf/variants/mine.conf:2: KERNEL.thp=always: conflicts with KERNEL.thp=never,madvise in SWEEP, whose values all variants have; leave out one of them"
  run parts TUNE="-cstates irq=1" KERNEL.page_cluster=4 SWEEP=KERNEL.demotion=true,false VALUE_SIZES=10 FAR="events=a:u,b bytes" DAMON="migrate hot=2"
  assert_output '- - DAMON.hot 2 command line
- - FAR.bytes on command line
- - FAR.events a:u b command line
- - KERNEL.page_cluster 4 command line
- - KERNEL.swappiness 20 mine.conf:3
- - TUNE.cstates off command line
- - TUNE.firewall off mine.conf:2
- - TUNE.governor off mine.conf:2
- - TUNE.irq 1 command line
- - TUNE.irqbalance off mine.conf:2
- - TUNE.ksm on mine.conf:2
- - TUNE.overcommit off mine.conf:2
- - TUNE.somaxconn off mine.conf:2
- - TUNE.strict off mine.conf:2
- - TUNE.tuned off mine.conf:2
- - TUNE.vsmp off mine.conf:2
mine - KERNEL.swappiness 10 mine.conf:2
mine - KERNEL.thp always mine.conf:2
mine 10B-2i-demotionfalse KERNEL.demotion false command line: SWEEP
mine 10B-2i-demotiontrue KERNEL.demotion true command line: SWEEP'
}

@test "what is printed as run.conf is read back to the same values; what a run leaves repeats it: what was set over a variant stays over it, and what a variant sets stays with that one" {
  printf 'PIPELINE=5\nCONNECTIONS=7\nKEY_MAX=50\n' >conf/variants/mine.conf
  # Usage: settings FILE VARIANT...; prints the settings of each variant, and into FILE those that repeat the run
  cat >settings.sh <<'END'
set -Eeuo pipefail
ROOT=$PWD RESUME= file=$1 scenario=${2#none}
shift 2
LIB=$ROOT/lib
. "$LIB/modules.sh"
for word in "$@"; do conf_word argument "$word" test; done
[[ -z $scenario ]] || { conf_text scenario '' "./$scenario" && conf_say scenario ''; }
plan_settle
for variant in $VARIANTS; do
  plan_enter "$variant" ''
  echo "$variant"
  conf_print
done
plan_run_settings >"$file"
END
  for first in 'mine native' 'native mine'; do
    bash settings.sh run.conf none VARIANTS="$first" PIPELINE=9 KEYS=30 INSTANCES=2 SERVER_CORES=2 SERVER_MEM=8 >before
    bash settings.sh again.conf run.conf >after
    diff before after
    cmp run.conf again.conf
    assert_equal "$(sed -n 's/^OVER=//p' run.conf | tr -d '"' | tr ' ' '\n' | sort | paste -sd ' ')" \
      'INSTANCES KEYS PIPELINE SERVER_CORES SERVER_MEM VARIANTS'
  done
  shows '1 connection(s) per thread, pipeline 9, RATE=0 (full speed)' plan -s ./run.conf
  shows '7 connection(s) per thread, pipeline 11' plan -s ./run.conf -v mine PIPELINE=11
  # Usage: printed CODE; prints the settings after it
  printed() {
    modules 'TRUST_GIVEN=yes
      '"$1"'
      conf_read
      conf_print'
  }
  printed 'conf_word argument "REDIS_CONF=maxmemory 1gb; save 60 1; hz 10 # not a comment; SAVE 300 10" test
    conf_word argument "VALUE_SIZES= 1K   2M " test
    conf_word argument "KERNEL=thp=always swappiness=7" test' >one
  printed 'conf_text scenario "" ./one
    conf_say scenario ""' >two
  succeeds run diff one two
  assert_contains $'REDIS_CONF.save="60 1; save 300 10"\nREDIS_CONF.hz="10 # not a comment"' "$(<two)"
}

@test "a hosts file gives server and clients, also as other systems write it" {
  printf '# comment\nserver 203.0.113.1 - - - 198.51.100.1\nclient 203.0.113.2 root 2222 -\nclient 203.0.113.3 # the second\n' >hosts
  shows "server   203.0.113.1" run_plan -H hosts SERVER_CORES=4 SERVER_MEM=64
  assert_contains "clients  203.0.113.2 203.0.113.3"
  TIERBENCH_SERVER=203.0.113.9 run_split ./do_it.sh plan -H hosts SERVER_CORES=4 SERVER_MEM=64
  assert_contains "server   203.0.113.1"
  # What editors of other systems add to files.
  printf '\xef\xbb\xbfserver 203.0.113.1 - - - 198.51.100.1\r\n\r\n# x\r\nclient 203.0.113.2\r\n' >hosts
  printf '\xef\xbb\xbfOVER="PIPELINE"\r\nLIKE=demo\r\nPIPELINE="7"\r\nVALUE_SIZES=(3 9)\r\n\r\n' >conf/scenarios/mine.conf
  printf '\xef\xbb\xbfPIPELINE=8\r\nKEY_PATTERN=(zipf)\r\n' >conf/variants/mine.conf
  shows 'pipeline 7, RATE=0 (full speed), keys zipf' run_plan -s mine -v mine -H hosts SERVER_CORES=4 SERVER_MEM=64
  refute_contains $'\r'
  # A user of this machine by another address.
  read -r own _ < <(hostname -I) || own=
  printf 'server 203.0.113.1\nclient %s somebody 22\n' "${own:-203.0.113.2}" >hosts
  succeeds run_plan -H hosts SERVER_CORES=4 SERVER_MEM=64
  [[ -z $own ]] || assert_match "warning: $own: is this machine, without ssh: its commands run as $(id -un), not as somebody$" "$STDERR"
  printf 'server 203.0.113.1 DOMAIN\\some.one@host\nclient 203.0.113.2 _x - - host-2.example\n' >hosts
  succeeds run_plan -H hosts SERVER_CORES=4 SERVER_MEM=64
}
