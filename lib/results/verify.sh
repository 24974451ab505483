# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Check that a run's directory is unchanged: compare every file with the lists SHA256SUMS of clients, repeats and the run.

# Compare the files of a run with its lists. Prints rows KIND PATH: missing, changed, added (in a directory whose list does not have it),
# unlisted (no list applies to it), same.
# Usage: verify_files RUN
# Returns: 1 with one line on stderr if a file in it may not be read
verify_files() {
  local run=${1%/} kind path why
  while IFS=$'\t' read -r kind path why; do
    [[ $kind == odd ]] || continue
    stored_say "$run" "$kind" "$path" "$why" >&2
    return 1
  done < <(stored_look "$run")
  (
    cd -- "$run" || exit
    # shellcheck disable=SC2016 # of awk
    # Lists first. Plots of a report, other files in the directory, and incomplete repeats are not part of them: nor are the lists of their clients.
    find . -name SHA256SUMS -type f ! -regex '\./\([^/]+/\)?[^/]+/rep-[^/]*\.[^/]*/.*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 -r awk '
      FNR == 1 { folder = FILENAME; sub(/SHA256SUMS$/, "", folder); print "L\t" folder }
      # Ignore names outside the directory.
      /^[0-9a-f]+ [ *]/ && length($1) == 64 && substr($0, 67) !~ /^\/|(^|\/)\.\.(\/|$)/ { print "W\t" folder "\t" $1 "\t" substr($0, 67) }' || exit
    find . -type f ! -name 'SIZES*' ! -path './plots/*' ! -path './report*' ! -path ./run.log ! -path ./debug.log ! -path ./run.lock ! -path ./run.now ! -path ./README.md \
      ! -path './SHA256SUMS*' ! -path './exports/*' ! -regex '\./\([^/]+/\)?[^/]+/rep-[^/]*\..*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 -r sha256sum -- | awk '{ print "H\t" $1 "\t" substr($0, 67) }'
  ) | LC_ALL=C awk -F '\t' -v OFS='\t' '
    $1 == "L" { listed[$2] = 1; next }
    $1 == "W" { name = $2 $4; if (!(name in want)) order[++names] = name; want[name] = want[name] " " $3; next }
    { have[$3] = $2; file[++files] = $3 }
    END {
      for (i = 1; i <= names; i++) {
        name = order[i]
        if (!(name in have)) { print "missing", name; continue }
        # A file may be in several lists; all must agree.
        n = split(want[name], sum, " ")
        bad = 0
        for (k = 1; k <= n; k++) bad += sum[k] != have[name]
        print bad ? "changed" : "same", name
      }
      for (i = 1; i <= files; i++) {
        name = file[i]
        if (name in want) continue
        print covered(name) ? "added" : "unlisted", name
      }
    }
    # Whether a list is about the place of a file: that of its directory or of one above, but of the run'"'"'s only where that has its kind.
    function covered(name,   at) {
      if (name ~ /(^|\/)SHA256SUMS$/) return (name ~ /^[^\/]+\/[^\/]+\/rep-[0-9]+\/SHA256SUMS$/) && ("" in listed)
      at = name
      while (sub(/\/[^\/]*$/, "", at)) if ((at "/") in listed) return 1
      # The list of the run has every complete repeat.
      return ("" in listed)
    }'
}

# Print as text whether a run is complete and unchanged; the last line is the result.
# Usage: verify_show RUN
# Returns: 1 if it is not
verify_show() {
  local run=${1%/} rows made mixed kind open problems=0
  local -A count=([missing]=0 [changed]=0 [added]=0 [unlisted]=0 [same]=0)
  rows=$(verify_files "$run") || return
  made=$(version_made "$run") || :
  mixed=$(_verify_versions "$run" "$made")
  printf 'made by   %s\n' "${made:-not known}"
  version_read
  [[ $made == "$VERSION_TEXT" ]] || printf 'read by   %s\n' "$VERSION_TEXT"
  [[ $made$mixed != *changed* ]] || printf 'warning   the tool had changes that no commit has\n'
  [[ -z $mixed ]] || printf 'warning   made by several versions of the tool; repeats by %s\n' "$mixed"
  while IFS=$'\t' read -r kind _; do [[ -z $kind ]] || count[$kind]=$((${count[$kind]-0} + 1)); done <<<"$rows"
  printf 'files     %d checked, %d in no list\n' $((count[same] + count[changed] + count[missing])) "${count[unlisted]}"
  [[ -e $run/SHA256SUMS ]] || printf 'warning   the run has no list: it did not end\n'
  open=$(result_unfinished "$run" | sed 's/^/warning   not complete: /')
  [[ -z $open ]] || printf '%s\n' "$open"
  grep -E '^(missing|changed|added)'$'\t' <<<"$rows" | sed $'s/\t/   /; s/^added /added   /' || :
  problems=$((count[missing] + count[changed] + count[added]))
  if ((count[same] + problems == 0)); then
    printf 'nothing to check: no file of the run is in a list SHA256SUMS\n'
    return 1
  elif ((problems > 0)); then
    printf '%d problem%s\n' "$problems" "$( ((problems == 1)) || echo s)"
    return 1
  elif [[ -n $open ]]; then
    printf 'unchanged, not complete\n'
    return 1
  elif [[ ! -e $run/SHA256SUMS ]]; then
    # Repeats that were never begun leave no trace.
    printf 'unchanged; not known if whole\n'
    return 1
  fi
  printf 'whole and unchanged%s\n' "${mixed:+; made by several versions of the tool}"
}

# Print the versions of a run's repeats, and the number of repeats of each: VERSION (REPEATS); VERSION (REPEATS). Prints nothing if all are of the
# version that began the run.
# Usage: _verify_versions RUN MADE
_verify_versions() {
  local file
  for file in "$1"/*/*/rep-*/server/plan.tsv; do
    [[ ! $file =~ /rep-[0-9]+/server/plan.tsv$ ]] || printf '%s\n' "$file"
  done | MADE=$2 LC_ALL=C awk '
    {
      version = ""
      while ((getline line < $0) > 0) if (line ~ /^made_by\t/) version = substr(line, 9)
      close($0)
      if (version != "" && !count[version]++) order[++versions] = version
    }
    END {
      if (versions < 2 && (!versions || ENVIRON["MADE"] == "" || order[1] == ENVIRON["MADE"])) exit
      for (i = 1; i <= versions; i++) printf "%s%s (%d)", (i > 1 ? "; " : ""), order[i], count[order[i]]
    }'
}
