#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Rules of the house that no lint tool checks.

load helper

setup() {
  trace_less
  # A search that fails must not count as one that finds nothing.
  set -o pipefail
  cd "$REPO" || return 1
}

# Print the project's own files below the given paths: no fixtures, no build products, no results.
# Usage: house_files PATH... -- FIND_EXPRESSION...
house_files() {
  local -a paths=()
  while [[ $1 != -- ]]; do
    [[ ! -e $1 ]] || paths+=("$1")
    shift
  done
  shift
  find "${paths[@]}" -path ./.git -prune -o -type d \( -path ./build -o -path ./results -o -name fixtures \) -prune -o -type f "$@" -print
}

# Print every shell file except those that name forbidden commands in order to search for them.
house_shell() {
  house_files do_it.sh summary2csv.sh lib tools conf .ci tests -- \
    \( -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -path .ci/run \) ! -path tests/house.bats
}

# Print FILE:LINE:TEXT of the code, not the comments, that matches, and what grep reports, because it also fails when nothing matches.
# Usage: FILES | house_grep REGEX
house_grep() {
  xargs grep -nHE -e "$1" -- 2>&1 | grep -vE '^[^:]*:[0-9]+:[[:space:]]*#' || :
}

# A word where the shell expects a command.
house_command='(^|[;&|({!`]|\b(then|do|else|if|elif|while|until|exec|run|timeout [0-9.]+|sudo)\b)[[:space:]]*'

# Fail if a list of findings is not empty.
house_none() {
  [[ -z $1 ]] || fail "$2"$'\n'"$1"
}

# Print the first two of a file's first five lines that are neither the interpreter line nor directives for shellcheck.
# Usage: house_head FILE
house_head() {
  local line count=0
  local -a lines
  mapfile -t -n 5 lines <"$1"
  for line in "${lines[@]}"; do
    [[ $line != '#!'* && $line != '# shellcheck '* ]] || continue
    printf '%s\n' "$line"
    ((++count < 2)) || return 0
  done
}

# Print the files whose head is not a licence and a sentence.
# Usage: FILES | house_headless
house_headless() {
  local file head
  while read -r file; do
    head=$(house_head "$file")
    [[ ${head%%$'\n'*} == *'SPDX-License-Identifier: MIT'* && ${head#*$'\n'} =~ [[:alpha:]]+\ +[^\ ]+\ +[^\ ]+ ]] || printf '%s: %s\n' "$file" "$head"
  done
}

@test "every file opens with its licence and a sentence of its purpose" {
  found=$(house_files . -- \( -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -name '*.awk' -o -name '*.gp' -o -name '*.html' -o -name '*.[ch]' \
    -o -name '*.conf' -o -name '*.mk' -o -name '*.py' -o -name Makefile -o -path ./.ci/run \) | house_headless)
  house_none "$found" 'no licence line, or no sentence under it:'
}

@test "no file is longer than 500 lines" {
  found=$(house_files . -- ! -name LICENSE ! -name test ! -name mutants.tsv ! -name '*.svg' | xargs wc -l | awk '$1 > 500 && $2 != "total"')
  house_none "$found" 'split these by concern:'
}

@test "every file is a text, and none is a link" {
  found=$(
    find . -type d \( -path ./.git -o -path ./build -o -path ./results \) -prune -o -type l -print
    # grep -L fails when it prints nothing.
    house_files . -- ! -path ./test ! -empty | xargs grep -ILe '' -- || :
  )
  house_none "$found" 'these do not belong here:'
}

@test "no host key goes unchecked" {
  found=$(house_shell | house_grep 'StrictHostKeyChecking[= ]+(no|off|accept-new)')
  house_none "$found" 'an unknown host is to be refused:'
}

@test "no process is ended by its name" {
  found=$(house_shell | house_grep '\b(killall|pkill|fuser -k)\b')
  house_none "$found" 'end processes by recorded pid:'
}

@test "there is no eval and no function keyword" {
  # A brace at the end of the line: a short awk function in a script is not a shell function.
  # A host gets settings as text.
  found=$(house_shell | grep -vE '^lib/(core/remote|host/call)\.sh$' | house_grep "${house_command}eval\\b|^[[:space:]]*function[[:space:]]+[[:alnum:]_]+[[:space:]]*(\\(\\))?[[:space:]]*\\{[[:space:]]*\$")
  house_none "$found" 'find another way:'
}

@test "entry scripts stop at the first error" {
  local file bad=''
  while read -r file; do
    [[ -x $file && $file != *.bats ]] || continue
    grep -q '^set -Eeuo pipefail$' "$file" || bad+="$file"$'\n'
  done < <(house_shell)
  house_none "$bad" 'these do not set -Eeuo pipefail:'
}

# Print FILE NAME of every function of the modules, except for those of programs that a module starts.
house_functions() {
  house_files lib -- -name '*.sh' ! -path 'lib/run/generator/*' | xargs grep -oHE '^[a-z_][a-z0-9_]*\(\)' -- | sed 's/:/ /; s/()$//'
}

@test "a function has the prefix of its module or directory, and on another host always host_" {
  local file name module folder bad=''
  while read -r file name; do
    module=${file##*/} folder=${file%/*}
    module=${module%%[_.]*} folder=${folder##*/}
    case $folder/$module/$name in
      # Each script of a host has a main; these end a script, or run a program, everywhere.
      host/*/main | */host/main | core/log/die* | shared/common/fail | shared/common/run_limited) ;;
      # Functions that the host calls by the tier's name, or for a kind of change; their own may have another name.
      tier/*) [[ $name =~ ^host_tier_"$module"_(check|up|state|detect|lost)$ || $name =~ ^_host_tier_("$module"|undo_"$module")(_|$) ]] || bad+="$file: $name"$'\n' ;;
      */host/*) [[ $name =~ ^_?host_"$folder"_ ]] || bad+="$file: $name"$'\n' ;;
      host/*) [[ $name =~ ^_?host_"${module%s}"s?(_|$) ]] || bad+="$file: $name"$'\n' ;;
      *) [[ $name =~ ^_?("$module"|"$folder")_ || $name =~ ^_?"${module:0:4}"[a-z]*_ && $folder == shared ]] || bad+="$file: $name"$'\n' ;;
    esac
  done < <(house_functions)
  house_none "$bad" 'name these by their module:'
}

@test "no function of a host has the name of a function of the master" {
  found=$(house_functions | grep -v ' main$' | awk '{ side = $1 ~ /^lib\/(host|tier)\// ? "host" : "master"; if (other[$2] != "" && other[$2] != side) print $1, $2; other[$2] = side }')
  house_none "$found" 'these have one name on both sides:'
}

# Print FILE:LINE: NAME of the functions in the files on stdin that have no comment directly above; a directive of shellcheck is not a comment.
# Usage: FILES | house_bare
house_bare() {
  xargs awk '
    /^# shellcheck / { next }
    /^[a-z_][a-z0-9_]*\(\)/ && above !~ /^#/ { print FILENAME ":" FNR ": " substr($0, 1, index($0, "(") - 1) }
    { above = $0 }'
}

@test "every function has a comment above it" {
  found=$(house_files lib -- -name '*.sh' | house_bare)
  house_none "$found" 'write a sentence, # Usage: and # Returns: directly above:'
  # What the program finds.
  printf '%s\n' '# Sentence.' 'a() {' '}' '' '# shellcheck disable=SC2034' 'b() {' '}' '# Sentence.' '# shellcheck disable=SC2034' 'c() {' '}' '# Not here.' '' \
    'd() { :; }' >"$BATS_TEST_TMPDIR/text.sh"
  run house_bare <<<"$BATS_TEST_TMPDIR/text.sh"
  [[ ${#lines[@]} == 2 && ${lines[0]} == *':6: b' && ${lines[1]} == *':14: d' ]] || fail "$output"
}

# Print FILE:LINE: FUNCTION TEXT of the lines in the files on stdin that assign a setting, except for those that resolve the layers (conf_*).
# Usage: FILES | house_overridden
house_overridden() {
  xargs awk -v names="$(sed -n 's/^\([A-Z][A-Za-z0-9_.-]*\)=.*  #: .*/\U\1/p' conf/defaults.conf lib/part/*/settings.conf | tr .- _ | paste -sd '|')" '
    BEGIN {
      word = "(^|[;&|{!] |[$][(]|[^=][(]|(then|do|else) )([A-Za-z_][A-Za-z0-9_]*[+]?=[^ ]* )*(" names ")[+]?=([^*]|$)"
      declared = "(^|[ (])(local|declare -[^p]|readonly|read|mapfile|printf -v)( [^;&|<>()\042]*)? (" names ")([ =;+]|$)|(^| )for (" names ") "
    }
    { text = $0; argument = continued; continued = /\\$/ }
    /^[a-z_][a-z0-9_]*\(\)/ { name = $1 }
    /^[ \t]*#/ || name ~ /^conf_/ { next }
    {
      gsub(/^[ \t]+|\\["$]/, "", text)
      gsub(/"[^"]*"|\047[^\047]*\047/, "Q", text)
      if (argument) text = "\\ " text
      if (text ~ word || text ~ declared) print FILENAME ":" FNR ": " name " " $0
    }'
}

@test "no code overrides a setting: it is resolved once, and planned for each row" {
  # Hosts and programs of load generators have variables of their own, and what only reads results takes the settings of stored runs.
  found=$(house_files lib -- -name '*.sh' ! -path 'lib/run/generator/*' ! -path 'lib/results/*' ! -path 'lib/host/*' ! -path 'lib/part/*/host*' | house_overridden)
  house_none "$found" 'pass a parameter, or plan the row with it (plan_row):'
  # What the program finds.
  # shellcheck disable=SC1003 # text
  printf '%s\n' 'a() {' 'local x RATE=0' 'RATE=0 run_it' 'x=$(A=b RATE=0 run_it)' '[[ $x ]] || RATE=$x' 'read -r x RATE <<<"$x"' 'local RATE' 'run_it RATE=0' 'run_it \' \
    'RATE=0' 'x=(RATE=0)' 'export RATE' 'say "; RATE=0"' '}' 'conf_own() {' 'RATE=0' '}' >"$BATS_TEST_TMPDIR/text.sh"
  run house_overridden <<<"$BATS_TEST_TMPDIR/text.sh"
  assert_equal "$(cut -d : -f 2 <<<"$output" | paste -sd ' ')" '2 3 4 5 6 7'
}

# Print the files of a script for hosts: those that every script is sent, those that it needs, and its own.
# Usage: house_sent FILE
house_sent() {
  local name
  printf '%s\n' lib/shared/{common,said,proc,files,workdir,owner}.sh
  # The settings of a tier are for its check, and for what makes it.
  [[ $1 != lib/host/tiers.sh ]] || ls lib/tier/*.sh
  # shellcheck disable=SC2086 # a pattern
  while read -r name; do ls lib/{shared,host,.}/$name.sh 2>/dev/null; done < <(sed -n 's/^# Needs: //p' "$1" | tr ' ' '\n' | grep -vF 'tier/*')
  printf '%s\n' "$1"
}

@test "a script of a host declares what it reads, and reads what it declares" {
  local file bad=''
  for file in lib/host/*.sh; do
    grep -q '^main() {' "$file" || continue
    # Names in capitals that are read, and neither set nor known to every shell; text that awk gets in quotes has such names too, in square brackets.
    bad+=$(house_sent "$file" | xargs cat | awk -v file="$file" '
      BEGIN {
        split("REMOTE_DIR TMPDIR LOCK_DIR RUN_ID RUN_OWNER RUN_OPEN TIERBENCH_ROOT PATH PWD EUID PPID BASHPID RANDOM SECONDS EPOCHSECONDS EPOCHREALTIME BASH_REMATCH BASH_VERSION BASH_CMDS REPLY NF PERF_", k, " ")
        for (i in k) known[k[i]] = 1
      }
      /^# Reads/ { sub(/^# Reads[a-z ]*: /, ""); n = split($0, names, " "); for (i = 1; i <= n; i++) declared[names[i]] = 1; next }
      /^[ \t]*#/ { next }
      {
        text = $0
        while (match(text, /(^|[^A-Za-z0-9_$\{!"])[A-Z][A-Z0-9_]+(\[[^]=]*\])?\+?=/)) {
          name = substr(text, RSTART, RLENGTH)
          gsub(/^[^A-Z]|(\[[^]]*\])?\+?=$/, "", name)
          set[name] = 1
          text = substr(text, RSTART + RLENGTH)
        }
        text = $0
        # Set by read, mapfile, local, printf -v, for and exec {NAME}.
        while (match(text, /[{][A-Z][A-Z0-9_]*[}][<>]/)) {
          set[substr(text, RSTART + 1, RLENGTH - 3)] = 1
          text = substr(text, RSTART + RLENGTH)
        }
        text = $0
        if (match(text, /for [A-Z_]+ in/) || match(text, /(read|mapfile|local|printf -v|declare|readonly)[^|;&<>]*/)) {
          n = split(substr(text, RSTART, RLENGTH), names, /[^A-Za-z0-9_$]+/)
          for (i = 1; i <= n; i++) if (names[i] ~ /^[A-Z][A-Z0-9_]+$/) set[names[i]] = 1
        }
        text = $0
        while (match(text, /\$[{]?[!#]?[A-Z][A-Z0-9_]+/)) {
          name = substr(text, RSTART, RLENGTH)
          gsub(/[^A-Z0-9_]/, "", name)
          read[name] = 1
          text = substr(text, RSTART + RLENGTH)
        }
        # In arithmetic, and where a name stands for its value (declare -p).
        text = $0
        gsub(/"[^"]*"|\047[^\047]*\047/, "", text)
        n = split(text, names, /[^A-Za-z0-9_]+/)
        for (i = 1; i <= n; i++) if (names[i] in declared) read[names[i]] = 1
      }
      END {
        for (name in declared) if (!(name in read)) print file ": does not read " name
        for (name in read) if (!(name in declared) && !(name in known) && !(name in set)) print file ": reads " name
      }')
  done
  house_none "$bad" 'these lines "# Reads" are wrong:'
}

@test "no reader of a pipe stops before its end" {
  # With pipefail, a writer that has more to write ends by SIGPIPE, and a match then sometimes counts as not found.
  found=$(house_shell | house_grep '[^|]\|[[:space:]]*(grep (-[a-zA-Z]+ )*-[a-zA-Z]*[qm]|head -[n0-9]|awk [^|]*[^D] \{[^}]*\bexit\b)')
  house_none "$found" 'read to the end (grep >/dev/null, sed -n 1p):'
}

@test "only lib/core/remote.sh calls ssh and scp" {
  found=$(house_shell | grep -vE '^(lib/core/remote\.sh|tests/)' | house_grep "${house_command}(ssh|scp|sftp|rsync) ")
  house_none "$found" 'go through lib/core/remote.sh:'
}

@test "no program of others runs without a limit of time" {
  local names='gnuplot|numactl|screen|openssl|redis-server|redis-cli|redis-benchmark|memtier_benchmark|ethtool|sysctl|systemctl|lscpu|dmidecode|blkid|ip|ss|make|curl|wget'
  # A command that becomes the load with exec is watched by the process that started it.
  found=$(house_files lib -- -name '*.sh' |
    house_grep "(^|[;&|{!\`]|\\$\\(|\\b(then|do|else|if|elif|while|until)\\b|[A-Z]+=[^ ]*[[:space:]])[[:space:]]*(($names) |\"\\\$\\{?[A-Za-z_]+\\}?\" --version|\"\\\$(\\{prefix\\}|\\(host_vsmp_prefix\\)))")
  house_none "$found" 'run these with run_limited:'
}

@test "only lib/core/reply.sh and lib/core/receive.sh read what a host sent, unchecked" {
  found=$(house_shell | grep -vE '^(lib/core/(call|reply|receive)\.sh|tests/)' | house_grep '\bcall_raw\b|\bREMOTE_(FILE|OUT)\b')
  house_none "$found" 'go through call_run or receive_files:'
}

@test "every call of a script whose answer is used has its form in lib/core/replies.tsv" {
  local call bad=''
  # Calls in a command substitution, or whose output is read, with a script and a verb; a call without a row may print nothing.
  while read -r call; do
    grep -qE "^${call/ /$'\t'}"$'\t' lib/core/replies.tsv ||
      grep -qs $'^reply\t'"${call#* }"$'\t' "lib/part/${call% *}/part.tsv" || bad+="$call"$'\n'
  done < <(house_files lib -- -name '*.sh' ! -path 'lib/host/*' | xargs grep -hoE '(\$\(|< <\()(_client_run "\$client"|call_run( -e [A-Z_]+)* "\$[A-Za-z0-9]+") [a-z]+( [a-z]+)?' |
    sed -E 's/^.*_client_run "\$client"/client/; s/^.*"\$[A-Za-z0-9]+" //; s/^(work|place)$/\1 -/' | sort -u)
  house_none "$bad" 'no row in lib/core/replies.tsv for:'
}

@test "no archive of a host is unpacked on the master" {
  found=$(house_shell | grep -E '^lib/(core|cmd|plan|run|results)/' | house_grep "${house_command}(tar|cpio|unzip|pax) [^|]*(-[a-zA-Z]*x|-i|-r|--extract)")
  house_none "$found" 'go through lib/core/receive.sh:'
}

@test "only lib/shared/common.sh, lib/plan/load.awk and lib/results/figures/schema.awk know the names of a phase that only sets keys" {
  # Other generators get phases without a number, VALUE_DISTRIBUTION is by kind of phase, and the report sorts titles of plots.
  house_none "$(house_files lib -- \( -name '*.sh' -o -name '*.awk' \) ! -path 'lib/run/generator/*' ! -path lib/run/value_sizes.sh ! -path lib/shared/common.sh \
    ! -path lib/plan/load.awk ! -path lib/results/report.sh ! -path lib/results/figures/schema.awk | house_grep '(=|~) *"?/?\^?populate[^=,]')" 'these miss populate-2: use common_is_fill or schema_is_fill:'
}

@test "what a run keeps is written with lib/core/write.sh, which names a full disk" {
  # Rows of doctor are in the directory of temporary files.
  found=$(grep -nE '(^|[^0-9&<=])>>?"\$' lib/run/*.sh lib/part/*/*.sh | grep -v '/host[a-z_]*.sh:' | grep -v '2>/dev/null\|_REMOTE_TMP\|^lib/run/memory.sh:[0-9]*:.*>>"$1"') || :
  house_none "$found" 'use write_file or write_more:'
}

@test "only the tier modules place memory" {
  found=$(house_shell | grep -vE '^(lib/((run|host)/tier[^/]*|tier/[^/]*)\.sh|tests/)' |
    house_grep "${house_command}(numactl|swapon|swapoff|mkswap) |/sys/fs/cgroup")
  house_none "$found" 'go through lib/run/tier.sh:'
}

@test "only the tune modules write to /proc and /sys" {
  # clear_refs is not a setting: it clears marks of one process, and nothing has to be restored.
  found=$(house_shell | grep -vE '^(lib/((run|host)/(tune|tier)[^/]*|tier/[^/]*)\.sh|tests/)' |
    house_grep '>>?[[:space:]]*"?/(proc|sys)/|\btee\b.*[[:space:]]"?/(proc|sys)/|\bsysctl[[:space:]]+(-q[[:space:]]+)?(-w|-p)' |
    grep -vE '^lib/part/wss/host\.sh:.*/clear_refs"' || :)
  house_none "$found" 'go through lib/run/tune.sh:'
}

@test "what changes the machine, or uses what it has once, is in the lane of the host" {
  local file bad=''
  local -a files=() tuning=()
  mapfile -t files < <(grep -Lx '# lane: host' tests/*.bats | grep -vx tests/house.bats)
  bad=$(grep -nHE '/sys/fs/cgroup|\b(mount|swapon) ' "${files[@]}" | grep -v "mount -t tmpfs\|unshare -m" || :)
  # A run tunes its hosts, unless its settings forbid it.
  mapfile -t tuning < <(grep -Lx '  untune' "${files[@]}")
  bad+=$(grep -nHE 'do_it\.sh"? run ' "${tuning[@]}" | grep -vF 'run "${untuned[@]}"' || :)
  # The array has the words only if the suite, or a file that it loads, reads them.
  while read -r file; do
    { echo "$file" && sed -n 's|^load \(.*\)|tests/\1.bash|p' "$file"; } | xargs grep -F 'untuned=(TUNE=off KERNEL=keep)' >/dev/null ||
      bad+="$file: untuned is empty"$'\n'
  done < <(grep -lF '"${untuned[@]}"' "${files[@]}")
  house_none "$bad" 'these want a line # lane: host, or untune in their setup:'
}

@test "nothing names a place that only the author has" {
  found=$(house_files . -- ! -name LICENSE ! -name test ! -path ./tests/house.bats | xargs grep -nHIE '(^|[[:space:]=:(])/(root|home/[a-z]+|work)/' -- 2>&1 || :)
  house_none "$found" 'a path of one machine:'
}

# Whether one of the rows has a text; the text is a pattern.
# Usage: house_row TEXT ROW...   Returns: 0 yes, 1 no
house_row() {
  local row
  for row in "${@:2}"; do
    # shellcheck disable=SC2053 # a pattern
    [[ $row != *$1* ]] || return 0
  done
  return 1
}

@test "every message that ends a command with 2 or 3 has its row in tests/messages.tsv, and its form" {
  local file text row bad=''
  local -a rows=()
  mapfile -t rows < <(grep -v '^#' tests/messages.tsv | cut -f 4)
  # The last text of each call, with a * for each insertion.
  while IFS=$'\t' read -r file text; do
    house_row "$text" "${rows[@]}" || bad+="$file: $text"$'\n'
  done < <(house_files do_it.sh lib -- -name '*.sh' ! -path 'lib/host/*' | xargs grep -hnHE -A 2 '\b(die_usage|die_unfit|conf_refuse) ' -- | awk '
    /^[^:]*:[0-9]+:[[:space:]]*#/ || /-[0-9]+-/ && !open { next }
    {
      file = $0
      sub(/[-:][0-9]+[-:].*/, "", file)
      open = /\\$/
      gsub(/\\"/, "*")
      gsub(/\$\(\([^()]*\)\)/, "*")
      while (gsub(/\$\{[^{}]*\}/, "*") + gsub(/\$\([^()]*\)/, "*")) continue
      gsub(/\$[A-Za-z0-9_#*]+/, "*")
      if (open) next
      gsub(/[][?\\]/, "*")
      if (match($0, /"[^"]*"[^"]*$/)) {
        text = substr($0, RSTART + 1)
        sub(/".*/, "", text)
        print file "\t" text
      }
    }')
  house_none "$bad" 'no row in tests/messages.tsv for:'
  for row in "${rows[@]}"; do
    [[ $row =~ ^[a-z0-9_.]+:\ [^\ ].*:\ .+\;\ .+ || $row == *': unknown value; accepted: '* ]] || bad+="$row"$'\n'
  done
  house_none "$bad" 'not of the form WHERE: NAME=VALUE: what is wrong; how to fix it:'
}

@test "every message with which ./test refuses its command line has its row in tests/messages_test.tsv, and its form" {
  local text row bad=''
  local -a rows=()
  mapfile -t rows < <(grep -v '^#' tests/messages_test.tsv | cut -f 2)
  # The texts of each call, with a * for each insertion; a call that passes on the text of another has `bad` in it.
  while IFS= read -r text; do
    house_row "$text" "${rows[@]}" || bad+="$text"$'\n'
  done < <(awk '
    !open && /(options_refuse\(|fail\(why,) *.*/ && !/^(int|static int) / { open = 1; call = "" }
    open { call = call $0 }
    open && /;$/ {
      open = found = 0
      passes = call ~ /o->bad/
      while (match(call, /"([^"\\]|\\.)*"/)) {
        text = substr(call, RSTART + 1, RLENGTH - 2)
        call = substr(call, RSTART + RLENGTH)
        if (text !~ /; /) continue
        found = 1
        gsub(/%[.0-9*]*(s|d|zu|ju|g)/, "*", text)
        gsub(/%%/, "%", text)
        gsub(/[][?\\]/, "*", text)
        print text
      }
      if (!found && !passes) print FILENAME ":" FNR ": a call without a text of the form"
    }' lib/loadgen/options*.c lib/loadgen/mix.c)
  house_none "$bad" 'no row in tests/messages_test.tsv for:'
  for row in "${rows[@]}"; do
    [[ $row =~ ^test:\ [^\ ].*:\ .+\;\ .+ ]] || bad+="$row"$'\n'
  done
  house_none "$bad" 'not of the form test: --OPTION VALUE: what is wrong; what is accepted:'
}

# Print the lines of the files on stdin with a banned phrase; the glossary of CONTRIBUTING.md has the words to write.
# Usage: FILES | house_phrases REGEX
house_phrases() {
  xargs grep -nHE -e "$1" -- 2>&1 | grep -vE '^CONTRIBUTING.md:[0-9]+:\||[|] tests/[a-z_]*.bats: ' || :
}

@test "a command that a message proposes has no path that a shell would split" {
  house_none "$(grep -nE 'do_it\.sh [a-z]+( -[-A-Za-z]+)* \$[A-Za-z0-9{]' -r "$REPO/lib")" 'log_word quotes it:'
}

@test "banned phrases are not written" {
  # In documents; in the output and the comments of programs too.
  local docs='per cent|\b[Ff]olders?\b|\b[Ll]ikewise\b|\b[Pp]icture\b|\bmends?\b|\bby hand\b|\bbeside\b|\bnobody (is|was|has|can)\b|\bstands still\b'
  local all='[Tt]o be minded|that is a circle|wait(s|ing)? politely|is a multiple of 0|no kernel lacks|for whomever|\bof whom\b|\bin vain\b|\bsurely\b|hear of us|itself back|is no number of|stands there twice'
  # By kind: "one" and "none" for a thing; idioms for a verb; "a row a phase"; who is meant; where it is; how often.
  all+='|\b([Tt]hat|[Ww]hich|[Tt]his|[Ii]t|[Oo]ne|[Ss]ession|[Zz]ombie) (is|was) none\b|\bthere (is|was|are|were) none\b|\bputs? (it|them)? ?back\b|\bgo(es)? on\b|\bmade again\b'
  all+="|\\b($(house_things)) an? ($(house_units))\\b"
  all+='|\bsomebody\b|\bfor whom\b|\bfor people\b|\bof (ours|yours|its own|their own)\b|\bside by side\b|\bstands? (above|below|beside|apart)\b|\bin (its|their) place\b'
  all+='|\bwhatever\b|\ball the same\b|\bmeanwhile\b|\bfor ever\b|\bby itself\b|\bso many\b'
  found=$(house_files README.md CONTRIBUTING.md docs results/README.md -- -name '*.md' | house_phrases "$docs|$all")
  house_none "$found" 'write it in the words of the glossary (CONTRIBUTING.md):'
  found=$(house_files do_it.sh summary2csv.sh test.c lib conf tools -- ! -name '*.svg' | house_phrases "$all")
  house_none "$found" 'write it in the words of the glossary (CONTRIBUTING.md):'
  # In the tests, comments alone: their data may be any words. This file quotes the phrases.
  found=$(house_files tests -- -name '*.ba*' ! -name house.bats | house_phrases "^ *#.*($all)")
  house_none "$found" 'write it in the words of the glossary (CONTRIBUTING.md):'
  # Each kind is found.
  printf '%s\n' 'a zombie is none' 'the run goes on' 'one row a phase' 'if somebody has it' 'for people' 'it stands above' 'whatever it is' \
    '490 us instead of 17 us' 'one row per phase' >"$BATS_TEST_TMPDIR/text"
  run house_phrases "$all" <<<"$BATS_TEST_TMPDIR/text"
  ((${#lines[@]} == 7)) || fail "$output"
}

# What is counted, and what it is counted by, as alternatives of a regular expression: "a row a phase" is written with per.
house_things() {
  echo 'rows?|lines?|files?|columns?|threads?|bars?|marks?|groups?|tables?|process|MiB|bytes|requests|operations|accesses|waits|pages|keys|connections'
}
house_units() {
  echo 'instance|operation|phase|interval|point|variant|repeat|request|second|thread|client|limit|node'
}

@test "no sentence of the documents has more than 30 words" {
  found=$(house_files README.md CHANGELOG.md CONTRIBUTING.md docs results/README.md results/sample/README.md -- -name '*.md' |
    xargs awk -v MAX=30 -f tests/sentences.awk --)
  house_none "$found" 'one fact per sentence, at most 25 words; split these:'
  # What the program counts, on sentences whose length is known.
  printf '%s\n' 'One two three. Four (see [five](a b c d))' 'six!' '' '- seven eight nine ten' '| one two three four five |' >"$BATS_TEST_TMPDIR/text.md"
  run awk -v MAX=2 -f tests/sentences.awk "$BATS_TEST_TMPDIR/text.md"
  ((${#lines[@]} == 3)) || fail "$output"
  [[ ${lines[0]} == *':1: 3 words: One two three. ' && ${lines[1]} == *':1: 4 words:Four (see [five]) six!' && ${lines[2]} == *':4: 4 words: seven'* ]] || fail "$output"
}

@test "each fault of mutants.tsv changes its file, and its suite has a test that it names" {
  local name file suite filter expression found=''
  local -A titles=() texts=()
  while IFS=$'\t' read -r -u 5 name file suite filter expression; do
    [[ -n $name && $name != \#* ]] || continue
    [[ -f $REPO/$file ]] || found+="$name: no file $file"$'\n'
    [[ -n ${texts[$file]+set} ]] || texts[$file]=$(<"$REPO/$file")
    [[ $(sed -E -e "$expression" -- "$REPO/$file") != "${texts[$file]}" ]] || found+="$name: $file has no such line"$'\n'
    [[ $suite != unit ]] || continue
    [[ -n ${titles[$suite]+set} ]] || titles[$suite]=$(sed -n 's/^@test "\(.*\)" {$/\1/p' "$REPO/tests/$suite.bats")
    [[ ${titles[$suite]} =~ $filter ]] || found+="$name: $suite has no test $filter"$'\n'
  done 5<"$REPO/tests/mutants.tsv"
  house_none "$found" 'faults of tests/mutants.tsv that make check-mutants cannot inject:'
}
