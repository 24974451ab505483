#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Commands, links and settings of the documentation are valid.
# slow

load helper

docs() {
  find "$REPO" -maxdepth 1 -name '*.md'
  find "$REPO/docs" "$REPO/results" -name '*.md' ! -path '*/sample/*'
}

# Print the lines of the fenced blocks of a file that begin with a command, comments cut off, and continued lines joined. In tables, a command is a text in
# backticks.
# Usage: commands FILE COMMAND
commands() {
  awk -v command="$2" '
    /^ *```/ { inside = !inside; next }
    !inside && /^\|/ { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) if (index(part[i], command " ") == 1 && part[i] !~ /\.\.\.|RUN/) print part[i]; next }
    !inside { next }
    { sub(/^ +/, ""); sub(/ +#.*/, ""); $0 = begun $0; begun = "" }
    sub(/ *\\$/, " ") { begun = $0; next }
    index($0, command) == 1 && !/\.\.\./' "$1"
}

@test "every link within the project leads somewhere" {
  local file link missing='' count=0
  while read -r file; do
    while read -r link; do
      [[ $link != *://* && $link != '#'* ]] || continue
      [[ -e ${file%/*}/${link%%#*} ]] || missing+="${file#"$REPO/"}: $link"$'\n'
      count=$((count + 1))
    done < <(grep -oE '\]\([^)]+\)' "$file" | sed 's/^](//; s/)$//')
  done < <(docs)
  ((count > 100)) || fail "$count links"
  [[ -z $missing ]] || fail "$missing"
}

@test "every row of docs/security.md names a test that is there" {
  local row test file title bad='' count=0
  while IFS= read -r row; do
    test=${row%" |"}
    test=${test##*"| "}
    file=${test%%: *} title=${test#*: }
    count=$((count + 1))
    [[ $row == *" | tests/"* ]] && grep -qxF "@test \"$title\" {" "$REPO/$file" || bad+="$row"$'\n'
  done < <(grep -E '^\| can' "$REPO/docs/security.md")
  ((count > 15))
  [[ -z $bad ]] || fail "$bad"
}

@test "every do_it.sh command of the documentation is one that do_it.sh takes" {
  local file line helped=' ' count=0
  local -a words
  printf '%s,0,0\n' 0,0 1,1 2,2 3,3 4,4 5,5 6,6 7,7 >topology
  sed 's# ~/.ssh/id_ed25519# - #' "$REPO/hosts.example" >hosts.example
  while read -r file; do
    while read -r line; do
      # Quotes keep words together, as in a shell.
      mapfile -t words < <(xargs printf '%s\n' <<<"${line%% >*}")
      words=("${words[@]:1}")
      # Commands that would start a run, or need its results, are only parsed: as a plan with the same arguments.
      case ${words[0]-} in
        ab | collect | compare | report | stop | list | doctor | kpi | verify | new | noise | bundle | watch)
          [[ $helped == *" ${words[0]} "* ]] || run_split "$REPO/do_it.sh" "${words[0]}" --help
          helped+="${words[0]} "
          ;;
        *)
          # For a plan's arguments, its rows are enough.
          case ${words[0]-} in
            plan) words=("${words[@]:1}") ;;
            run) words=(--rows "${words[@]:1}") ;;
            *) words=(--rows "${words[@]}") ;;
          esac
          [[ " ${words[*]-} " != *" --resume "* ]] || continue
          # Placeholders for the reader's own names.
          words=("${words[@]/my-hosts/$REPO/hosts.example}")
          [[ " ${words[*]-} " != *" SCENARIO "* && " ${words[*]-} " != *[\ @]results/* ]] || continue
          words=("${words[@]/"$REPO/hosts.example"/hosts.example}")
          # No facts can be read from a server that does not exist. On a machine with fewer CPUs, the plan starts no Redis.
          [[ " ${words[*]-}" == *" SERVER_CORES="* ]] || words+=(SERVER_MEM=754 FACTS=topology)
          run_plan "${words[@]}" SRV_OVERRIDE=8 KEYS=100
          ;;
      esac
      ((status == 0)) || fail "${file#"$REPO/"}: $line"
      count=$((count + 1))
    done < <(commands "$file" ./do_it.sh)
  done < <(docs)
  ((count >= 4)) || fail "only $count commands were found: is the documentation read?"
}

@test "what is shown of the sample run's comparison is what compare prints" {
  local line count=0
  cd "$REPO"
  succeeds run_split ./do_it.sh compare --metric ops --metric p99 --metric far results/sample
  while IFS= read -r line; do
    assert_line "$line"
    count=$((count + 1))
  done < <(awk '/^```/ { inside = !inside; next } inside && /^(Point|1000B-2i|swap|swap\047s) /' docs/devices.md)
  ((count == 7)) || fail "$count lines are shown"
}

@test "every make target of the documentation is one that the Makefile has" {
  local file line target count=0
  while read -r file; do
    while read -r line; do
      for target in ${line#make }; do
        [[ $target != *=* ]] || continue
        make -C "$REPO" -n "$target" >/dev/null || fail "${file#"$REPO/"}: $line"
        count=$((count + 1))
      done
    done < <(commands "$file" 'make ')
  done < <(docs)
  ((count > 1)) || fail "$count targets"
}

@test "every setting in capitals that the documentation assigns is one, or another name of one" {
  local file name missing=''
  local -A known=()
  while read -r name; do known[$name]=yes; done < <(sed -n 's/^\([A-Za-z_.-]*\)=.*/\1/p; s/^\([A-Z_]*\)[.].*/\1/p' "$REPO"/{conf/defaults,lib/part/*/settings}.conf && cut -f 1 "$REPO/conf/aliases.tsv" | grep '^[A-Z]')
  ((${#known[@]} > 100))
  while read -r file; do
    while read -r name; do
      [[ -n ${known[$name]+set} ]] || missing+="${file#"$REPO/"}: $name"$'\n'
    done < <(grep -oE '(`|NAME |sh |^\./do_it.sh.* )[A-Z][A-Z_]+([.][a-z_-]+)?=' "$file" | grep -oE '[A-Z][A-Z_]+([.][a-z_-]+)?=$' | tr -d = | sort -u |
      grep -vxE 'PREFIX|DESTDIR|PACKAGE_RELEASE|MAINTAINER|HIREDIS_DIR|REDIS_SRC|TLS|CI|TEST_AWK|FUZZ_SECONDS|SUITE_LIMIT|NAME|LIKE|WERROR|ROUNDS|OMP_NUM_THREADS|REDISCLI_AUTH|TIERBENCH_(PATH|DEBUG)')
  done < <(docs)
  [[ -z $missing ]] || fail "$missing"
}

@test "the columns of docs/results.md are those of the schema, in its order" {
  succeeds run "$REPO/tools/columns.sh" check
}

@test "each event of a run in docs/architecture.md has a test, which exists" {
  local suite name rows=0
  while IFS='|' read -r suite name; do
    grep -qF "@test \"$name" "$REPO/tests/$suite.bats" || fail "tests/$suite.bats has no test '$name'"
    rows=$((rows + 1))
  done < <(awk -F ' *[|] *' '/^\| event / { on = 1; getline; next } !/^\|/ { on = 0 } on { sub(/: /, "|", $(NF - 1)); print $(NF - 1) }' "$REPO/docs/architecture.md")
  ((rows > 5)) || fail "only $rows rows"
}

@test "docs/architecture.md names every file of the master's and the hosts' side, by name or pattern" {
  local file name found bad=''
  local -a names=() patterns=()
  local -A plain=()
  mapfile -t names < <(grep -E '^\| ' "$REPO/docs/architecture.md" | cut -d '|' -f 2 | grep -oE '`[^`]+`' | tr -d '`')
  ((${#names[@]} > 80))
  for name in "${names[@]}"; do
    # The name of a directory stands for all of its files.
    case $name in
      lib/*/*/) patterns+=("$name*") ;;
      *[*?[]*) patterns+=("$name") ;;
      *) plain[$name]=yes ;;
    esac
  done
  while read -r file; do
    [[ -z ${plain[$file]-} ]] || continue
    found=''
    for name in "${patterns[@]}"; do
      # shellcheck disable=SC2053 # a pattern
      [[ -z $found && $file == $name ]] || continue
      found=yes
    done
    [[ $found ]] || bad+="$file"$'\n'
  done < <(cd "$REPO" && find lib/core lib/plan lib/run lib/host lib/shared lib/results -type f ! -path 'lib/results/figures/*' ! -name '*.css')
  [[ -z $bad ]] || fail "no row in docs/architecture.md for:"$'\n'"$bad"
}
