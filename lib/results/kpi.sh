# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The key figures of a run in the form of the Redis-Memtier workload's listing.

# Print the listing of every repeat and phase.
# Usage: kpi_show RUN POPULATE
#   POPULATE not empty: the phase populate is listed too
# Globals: RESULT_PROGRAM
# Returns: 1 if a result could not be read completely, or has no figures of single instances.
kpi_show() {
  local rows status=0 count=0 variant point repeat operation avg p99 misses errors clients servers ops commands folder
  rows=$(result_totals "$1" | RESULT_TOLD=yes result_usable) || status=1
  # read treats tabs as blanks, and would drop empty fields; another separator does not.
  while IFS=$'\001' read -r variant point repeat operation avg p99 misses errors clients servers ops commands folder; do
    [[ -n $2 ]] || ! common_is_fill "$operation" || continue
    count=$((count + 1))
    ((count == 1)) || echo
    [[ -z $variant ]] || printf '# %s, %s, repeat %s, %s\n' "$variant" "$point" "$repeat" "$operation"
    _kpi_listing "$(_kpi_folder "$folder")" "$operation" "$avg" "$p99" "$misses" "$errors" "$clients" "$servers" "$ops" "$commands" || status=1
  done < <(_kpi_columns "variant point repeat operation avg_us p99_us misses errors clients servers ops commands folder" <<<"$rows")
  if ((count == 0)); then
    # Else the reason was printed.
    ((status != 0)) || printf '%s: %s: has no usable result of a measured phase\n' "$RESULT_PROGRAM" "$1" | stored_plain >&2
    return 1
  fi
  return "$status"
}

# Print the listing of one phase of one repeat: its directory and name, then its figures in the form of lib/results/figures/kpi.awk.
_kpi_listing() {
  local folder=$1 operation=$2 file first
  local -a files=()
  for file in "$folder"/*/"$operation".instances.tsv; do [[ ! -e $file ]] || files+=("$file"); done
  ((${#files[@]} > 0)) || {
    printf '%s: %s: has no %s.instances.tsv, which has the figures of each instance\n' "$RESULT_PROGRAM" "$folder" "$operation" | stored_plain >&2
    return 1
  }
  first=$(sed -n 's/^REDISBASE="\([0-9]*\)"$/\1/p' "$folder/../../variant.conf" 2>/dev/null) || first=
  FOLDER=$folder OPERATION=$operation AVG_US=$3 P99_US=$4 MISSES=$5 ERRORS=$6 CLIENTS=$7 SERVERS=$8 OPS=$9 COMMANDS=${10} FIRST=$first \
    figures_run kpi -- "${files[@]}"
}

# The repeat's directory is the parent of a client's. Names in rows are escaped as for printf (lib/results/figures/text.awk).
_kpi_folder() {
  local folder
  printf -v folder '%b' "$1"
  printf '%s\n' "${folder%/*}"
}

# Print columns of a table by their names, separated by \001.
_kpi_columns() {
  LC_ALL=C awk -F '\t' -v names="$1" '
    BEGIN { n = split(names, name, " ") }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
      for (i = 1; i <= n; i++) {
        # The directory, the last column, is needed unchanged.
        if (name[i] != "folder") gsub(/\001/, "?", $at[name[i]])
        printf "%s%s", $at[name[i]], (i < n ? "\001" : "\n")
      }
    }'
}
