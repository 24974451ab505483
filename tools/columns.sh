#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Keeps the table of columns in docs/results.md consistent with lib/results/schema.tsv.
#
# Usage: tools/columns.sh check|write
# Exit status: 0 consistent, 1 different (check prints the difference), 2 bad usage.
set -Eeuo pipefail

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
LIB=$ROOT/lib MODULES=results
unset -v TIERBENCH_PATH
# shellcheck source=lib/modules.sh
. "$LIB/modules.sh"

# Print FILE with the table of the schema between its two markers.
# Usage: columns_filled FILE   Returns: 0
columns_filled() {
  figures_run document | awk '
    FNR == NR { table = table $0 "\n"; next }
    /^<!-- columns: / { print; printf "\n%s\n", table; inside = 1 }
    /^<!-- end of columns -->$/ { inside = 0 }
    !inside && !/^<!-- columns: /' - "$1"
}

# Usage: main check|write   Returns: as the head of this file says
main() {
  local file=$ROOT/docs/results.md filled
  filled=$(columns_filled "$file")
  case ${1-} in
    check) diff -u --label docs/results.md --label lib/results/schema.tsv "$file" - <<<"$filled" ;;
    write) printf '%s\n' "$filled" >"$file" ;;
    *)
      printf 'Usage: tools/columns.sh check|write\n' >&2
      return 2
      ;;
  esac
}

main "$@"
