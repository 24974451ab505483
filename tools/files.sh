#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the files of the project that make install installs, one per line: in a checkout those that git tracks, else the kinds of files that it has.
set -Eeuo pipefail

# In a directory of the project, a hosts file or a file of passwords is none of these.
KINDS='\.(sh|bash|awk|gp|c|h|mk|conf|opf|tsv|html|css|js|svg|yml|md)$'

# Prints the paths that git tracks.
# Usage: files_tracked   Returns: not 0 if this is not a checkout, or git is missing
files_tracked() {
  # Not those of an enclosing checkout.
  [[ -e .git ]] && git -c safe.directory='*' ls-files -- ':!tests' ':!results' ':!.*' ':!**/.*' 2>/dev/null
}

# Prints the paths of files by their kinds.
# Usage: files_known   Returns: 0
files_known() {
  printf '%s\n' do_it.sh summary2csv.sh test.c hosts.example Makefile LICENSE README.md CHANGELOG.md CONTRIBUTING.md lib/part/list lib/commit
  find conf docs lib tools -name '.*' -prune -o -type f -print | grep -E "$KINDS"
}

# Prints the files, without those that were removed or replaced by a link.
# Usage: main   Returns: 0
main() {
  local file
  local -a files
  cd -- "${BASH_SOURCE[0]%"${0##*/}"}.."
  mapfile -t files < <(files_tracked || files_known)
  for file in "${files[@]}"; do
    [[ ! -f $file || -L $file ]] || printf '%s\n' "$file"
  done
}

main "$@"
