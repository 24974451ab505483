#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Text from files and hosts is no code, also under the oldest bash: no subscript is evaluated twice, and readers of results work with bash 5.1.
# slow
# shellcheck disable=SC2030,SC2031 # text as it stands there; what run and run_split set

load helper
load releases

# Print the lines of the files on stdin in which bash evaluates text as a subscript.
# Usage: FILES | subscripts   Returns: 0
subscripts() { xargs awk -f "$REPO/tests/subscripts.awk" --; }

@test "no subscript is evaluated twice" {
  (
    cd "$REPO"
    find do_it.sh summary2csv.sh lib tools conf tests .ci -type f \( -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -path .ci/run \) \
      ! -path tests/subscripts.bats | subscripts
  ) >found
  [[ ! -s found ]] || fail 'write ${array[$name]+set}, ${array[$name]} in arithmetic, and unset in single quotes:'$'\n'"$(<found)"
  # Each form is found, and the safe ones are not.
  cat >forms <<'END'
[[ -v "a[$x]" ]]
if [[ -n $y && ! -v a[$x] ]]; then
test -v 'a[$x]'
[ -v "a[${b[1]}]" ]
unset "a[$x]"
unset -v b "a[${x%/*}]"
unset a[$x]
((a[$x] > 1))
y=$((1 + a["$x $i"]))
while ((i < 2 && (a[`x`])))
printf -v "a[$x]" '%s' 1
read -r y "a[$x]" <file
IFS=$'\t' read -r _ a["$x"] _ <<<"$row"
mapfile -t "a[$x]"
declare -g "a[$x]=1"
local "a[${x}]=1"
export a[$x]
let "a[$x]++"
wait -n -p "a[$x]"
y=${!a[$x]}
END
  run subscripts <<<forms
  ((${#lines[@]} == $(wc -l <forms))) || fail "$output"
  cat >forms <<'END'
[[ -n ${a[$x]+set} && -z ${a["$x $y"]+set} ]]
unset 'a[$x]' 'a[last]' -v
((${a[$x]-0} > 1 && b[i] == 2)) && c[$y]=3
a[$x]=$((${a[$x]-0} + 1))
local -A a=([k]=1 [$x]=2) y=${a[$x]}
read -r x <<<"${a[$x]}"
# [[ -v "a[$x]" ]]
for x in "${!a[@]}" "${!b}"; do :; done
END
  prints '' run subscripts <<<forms
}

# Run a command with the bash of this machine, and with BASH_OLD, and compare what they print.
# Usage: both COMMAND...   Returns: 0
both() {
  local now
  run_split "$@"
  now=$status:$output:$STDERR
  run_split env PATH="$BASH_OLD:$PATH" "$@"
  assert_equal "$status:$output:$STDERR" "$now"
  refute_exists pwned
}

@test "bash 5.1: names and settings of a run run nothing, and every reader prints what it prints with the bash of this machine" {
  folder=all/20260101T000000Z-x bad='x$(>pwned)'
  release_server bash-bullseye
  BASH_OLD=${REPLY%/*}
  run env PATH="$BASH_OLD:$PATH" bash -c 'echo $BASH_VERSION'
  assert_match '^5\.1'
  export TIERBENCH_RESULTS_DIR=$PWD/all
  mkdir all
  cp -r "$REPO/results/sample" "$folder"
  rm -r "$folder/native/1000B-2i/"rep-[23] "$folder/swap/1000B-2i/"rep-[23]
  cp -r "$folder" all/whole
  rm "$folder/SIZES"
  mv "$folder/native/1000B-2i/rep-1/127.0.0.1" "$folder/native/1000B-2i/rep-1/$bad"
  mv "$folder/swap/1000B-2i" "$folder/swap/$bad"
  mv "$folder/swap" "$folder/$bad"
  mv "$folder/env/127.0.0.1" "$folder/env/$bad"
  mkdir "$folder/native/1000B-2i/rep-2.failed-$bad"
  printf '%s="%s"\n' VARIANTS "native $bad" SERVER "$bad" CLIENT_IP "$bad" "$bad" x OVER "$bad" >>"$folder/run.conf"
  for command in "verify all/whole" "verify $folder" "kpi $folder" "compare $folder" "compare --format json all/whole $folder" \
    "compare --format openmetrics-series $folder" "compare --format text all/whole" list; do
    # shellcheck disable=SC2086 # the command and its options
    both "$REPO/do_it.sh" $command
  done
  both "$REPO/summary2csv.sh" "$folder"
  both "$REPO/summary2csv.sh" --excel "$folder"
  both "$REPO/summary2csv.sh" --total --json "$folder" "$folder/native"
  if command -v gnuplot >/dev/null; then
    both "$REPO/do_it.sh" report "$folder"
    assert_contains report.html
    assert_contains 'x$(&gt;pwned)' "$(<"$folder/report.html")"
  fi
  for setting in "SWEEP=\"COMMANDS=$bad,y\"" "SWEEP=\"$bad=1,2\"" "SWEEP=\"RATE=$bad,2\"" "COMMANDS=\"$bad\"" "COMMANDS=\"get,$bad-2:3\"" "VARIANTS=$bad" \
    "$bad=1" "KEY_PATTERN=\"$bad $bad\"" "VALUE_DISTRIBUTION=\"$bad=3\""; do
    printf '%s\n' "$setting" >one.conf
    both "$REPO/do_it.sh" plan -s ./one.conf PHASES=mixed SERVER=203.0.113.1 CLIENT_IP=203.0.113.2 SERVER_CORES=4 SERVER_MEM=4
  done
}

@test "bash 5.1: the suites of key figures and of the table pass" {
  release_server bash-bullseye
  succeeds run env -i PATH="${REPLY%/*}:${PATH#"$BATS_LIBEXEC:"}" HOME="$HOME" TMPDIR="$SCRATCH" bats "$REPO"/tests/{kpi,table}.bats
}

# Print the lines of the files on stdin in which an unquoted expansion is split into words, and its patterns expanded, unless its kind excludes patterns.
# Usage: FILES | patterns   Returns: 0
patterns() {
  xargs awk '
    function check(text,   name) {
      gsub(/"([^"\\]|\\.)*"|\047[^\047]*\047/, "", text)
      gsub(/\$\([^()]*\)|\$\{#[^}]*\}|\[\$[^]]*\]/, "", text)
      while (match(text, /\$\{?[A-Za-z_0-9@*]+/)) {
        name = substr(text, RSTART, RLENGTH)
        gsub(/[${]/, "", name)
        text = substr(text, RSTART + RLENGTH)
        if (name !~ /^(HOST|SERVER|CLIENT_IP|VARIANTS|PHASES|INSTANCES|VALUE_SIZES|KEY_PATTERN|LIMITS|DRAM_RATIO|TIER_WEIGHTS|FAR_EVENTS|HIT_COUNTERS|BUILD_NEEDS|BUILD_TARGETS|BASH_REMATCH)$/)
          print FILENAME ":" FNR ":" $0
      }
    }
    FNR == 1 { open = 0 }
    open { check($0); open = 0 }
    /shellcheck disable=[^#]*SC(2086|2206|2046|2068|2048|2207)/ { open = 1; next }
    /^[ \t]*#/ { next }
    match($0, /(^|[^A-Za-z_])for [A-Za-z_]+ in [^;]*;/) { check(substr($0, RSTART, RLENGTH)) }'
}

@test "what a host or a file said is not split into words unquoted; no pattern is replaced in it, or removed from its end: bash takes quadratic time" {
  # REPLY of hosts_shared and common_phases are hosts and phases, `words` those of INSTANCES, `users` and `HOSTS` are ours.
  (cd "$REPO" && find do_it.sh summary2csv.sh lib/{core,cmd,plan,run,part,results} -name '*.sh' ! -name 'host*.sh' | patterns) |
    grep -vE '^lib/(part/wss/master\.sh:[0-9]+:.*in \$1;|run/(doctor|generator/peer)\.sh:[0-9]+:.*in \$REPLY|plan/plan\.sh:.*in \$\{words//|results/tables\.sh:.*in "\$run"/\$2;|run/generator/peer\.sh:.*\$\{HOSTS)' >found || :
  [[ ! -s found ]] || fail "read it into an array, and quote that:"$'\n'"$(<found)"
  cat >forms <<'END'
for x in $value; do
  for x in a ${_AXES_VALUES[$setting]} "$b"; do y=1; done
# shellcheck disable=SC2086 # names
call_run "$1" deps $2
END
  run patterns <<<forms
  ((${#lines[@]} == 3)) || fail "$output"
  cd "$REPO"
  fails 1 run grep -rnE '\$\{(PARALLEL_OUT\[[^]]*\]|REMOTE_REPLY|CHANNEL_(OUT|ERR)|said)(%|##|/)' lib/core lib/cmd lib/plan lib/run
  assert_output ''
}

@test "doctor --fix sends a host names of tools/deps.sh alone, and expands none" {
  touch redis-server-of-ours
  printf '%s\tfail\tx\tmissing\tx\tinstall: %s\n' there 'redis-s* /etc/host* $(id) gcc:stdio.h redis-server gcc;x' other 'linux-perf (Debian), redis-s*' >rows
  # shellcheck disable=SC2317 # called by doctor_fix
  fixed() (
    ROOT=$REPO LIB=$REPO/lib
    . "$REPO/lib/core/log.sh"
    exec {LOG_FD}>/dev/null
    . "$REPO/lib/run/doctor_show.sh"
    call_run() { printf '<%s>' "$@"; }
    doctor_fix rows yes 2>/dev/null
  )
  prints '<there><deps><gcc:stdio.h><redis-server>' run fixed
}
