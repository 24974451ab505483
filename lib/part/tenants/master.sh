# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# TENANTS: which load and which memory of a repeat is whose.

# Whether the instances have several tenants.
# Usage: tenants_wanted
# Globals: TENANTS
tenants_wanted() {
  [[ $TENANTS != none ]]
}

# Record the tenant of each load, its instances, and why it was lost; name those.
# Usage: tenants_tables DIR CLIENT...
tenants_tables() {
  local tenant lost
  write_file "$1/tenants.tsv" _tenants_loads "$1/server" "${@:2}" || return
  while IFS=$'\t' read -r tenant lost; do
    log_warn "TENANTS: $tenant has no rows of this repeat: $lost"
  done < <(awk -F '\t' 'NR > 1 && $6 != "" && !seen[$2]++ { print $2 "\t" $6 }' "$1/tenants.tsv")
}

# Print why a load was lost: what the guard of a server said of one of its instances.
# Usage: _tenants_lost SERVER_DIR PORT COUNT
_tenants_lost() {
  local file
  local -a files=()
  for file in "$1"/lost.tsv "$1"/*/lost.tsv; do [[ ! -e $file ]] || files+=("$file"); done
  ((${#files[@]} == 0)) || awk -F '\t' -v from="$2" -v count="$3" '$1 >= from && $1 < from + count && !n++ { print $2 }' "${files[@]}"
}

# Print the loads of the current row.
# Usage: _tenants_loads SERVER_DIR CLIENT...
#   CLIENT that has results
# Globals: ROW POINT_INSTANCES
_tenants_loads() {
  local i lost
  local -a LOAD_NAME LOAD_TENANT LOAD_NUMBER LOAD_PORT LOAD_COUNT LOAD_ALL LOAD_SIZE LOAD_KEYS
  shares_loads "$POINT_INSTANCES" "${ROW[value_size]}" "${ROW[keys]}"
  printf 'client\ttenant\tport\tinstances\tof\tlost\n'
  for i in "${!LOAD_NAME[@]}"; do
    lost=''
    [[ " ${*:2} " == *" ${LOAD_NAME[i]} "* ]] || lost=$(_tenants_lost "$1" "${LOAD_PORT[i]}" "${LOAD_COUNT[i]}")
    [[ " ${*:2} " == *" ${LOAD_NAME[i]} "* ]] || lost=${lost:-the load generator ended early}
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "${LOAD_NAME[i]}" "${LOAD_TENANT[i]}" "${LOAD_PORT[i]}" "${LOAD_COUNT[i]}" "${LOAD_ALL[i]}" "$lost"
  done
}

# Print the limits of each tenant on the server in HOST, by its part of the instances there: NAME MAX HIGH LOW PORT..., `-` without a limit; nothing if
# neither the tier nor a tenant has a limit.
# Usage: tenants_groups
# Globals: ROW REDISBASE POINT_INSTANCES
tenants_groups() {
  local text size name first count ports port last here limits='' rows='' REPLY
  local -a tenants
  ports=" $(spread_ports "${ROW[instances]}" | paste -sd ' ') "
  read -r -a tenants <<<"${ROW[tenants]}"
  for text in "${tenants[@]}"; do
    IFS=/ read -r name first count _ <<<"$text"
    here=''
    last=$((REDISBASE + first + count))
    for ((port = REDISBASE + first; port < last; port++)); do [[ $ports != *" $port "* ]] || here+=" $port"; done
    [[ -n $here ]] || continue
    text=$(
      plan_tenant "$name"
      for size in "$MEMORY_MAX" "$MEMORY_HIGH" "$MEMORY_LOW"; do _tenants_part "$size" "$(wc -w <<<"$here")" "$count"; done
    )
    limits+=$text rows+="$name$text$here"$'\n'
  done
  [[ -z ${limits//[ -]/} ]] && ! tier_is limited || printf '%s' "$rows"
}

# Print a blank and the part of a limit for COUNT of ALL instances, in bytes; `-` without a limit.
# Usage: _tenants_part SIZE COUNT ALL
_tenants_part() {
  local REPLY=-
  if [[ $1 != none ]]; then
    conf_size "$1"
    REPLY=$((REPLY * $2 / $3))
  fi
  printf ' %s' "$REPLY"
}
