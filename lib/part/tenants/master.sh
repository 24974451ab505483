# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# TENANTS: which load and which memory of a repeat is whose.

# Whether the instances have several tenants.
# Usage: tenants_wanted
# Globals: TENANTS
tenants_wanted() {
  [[ $TENANTS != none ]]
}

# Print a line of the plan per tenant: its instances, its data at the first point that loads it, and its load.
# Usage: tenants_say
tenants_say() {
  local row text seen=' ' name count keys size
  local -a tenants
  tenants_wanted || return 0
  for row in "${PLAN_ROWS[@]}"; do
    plan_values "$row"
    read -r -a tenants <<<"${ROW[tenants]}"
    for text in "${tenants[@]}"; do
      IFS=/ read -r name _ count keys size _ <<<"$text"
      [[ $keys != 0 && $seen != *" $name "* ]] || continue
      seen+="$name "
      (
        plan_tenant "$name"
        printf 'tenant   %s: %d instance(s), %s keys of %s B in each' "$name" "$count" "$keys" "$size"
        load_say
        echo
      )
    done
  done
}

# Refuse tenants in a ledger of trials.
# Usage: tenants_ledger
# Returns: exits 2
tenants_ledger() {
  conf_refuse TENANTS "a ledger does not keep the files of tenants; set TENANTS=none"
}

# Record the tenant of each load, its instances, and why it was lost; name those. Record the DRAM of each tenant over time.
# Usage: tenants_tables DIR CLIENT...
tenants_tables() {
  local tenant lost
  write_file "$1/tenants.tsv" _tenants_loads "$1/server" "${@:2}" || return
  while IFS=$'\t' read -r tenant lost; do
    log_warn "TENANTS: $tenant has no rows of this repeat: $lost"
  done < <(awk -F '\t' 'NR > 1 && $6 != "" && !seen[$2]++ { print $2 "\t" $6 }' "$1/tenants.tsv")
  write_file "$1/dram.tsv" _tenants_dram "$1"
}

# Print the DRAM of each tenant, and its data on far nodes, for each second: of its cgroups, or of its instances, in which case it is what is resident.
# Instances have their turns, and several servers their own times, so a sample counts until the next one of its instance.
# Usage: _tenants_dram DIR
_tenants_dram() {
  local file=$1/server/groups.tsv
  printf 'time\ttenant\tdram_bytes\tfar_bytes\n'
  [[ -e $file ]] || file=$1/server/instances.tsv
  [[ -e $file ]] || return 0
  LC_ALL=C awk -F '\t' -v OFS='\t' -v turn="$MONITOR_TURN" -v is_node="$([[ $file != */groups.tsv ]] || echo 1)" '
    function emit(    i, name, port, dram, far, known) {
      for (i = 1; i <= names; i++) {
        name = list[i]
        dram = far = known = 0
        for (port in tenant) {
          if (tenant[port] != name || !(port in at) || now - at[port] > longest) continue
          known++
          dram += bytes[port]
          far += away[port]
        }
        if (known == ports[name]) printf "%.6f\t%s\t%.0f\t%s\n", now, name, dram, (is_node ? sprintf("%.0f", far) : "")
      }
    }
    FNR == 1 { files++; next }
    files == 1 { for (i = 0; i < $4; i++) tenant[$3 + i] = $2; if (!seen[$2]++) list[++names] = $2; next }
    !($2 in tenant) { next }
    files == 2 { if (!had[$2]++) { ports[tenant[$2]]++; all++ } longest = 2 + int(all / turn); next }
    now && int($1) > int(now) { emit() }
    { now = $1; at[$2] = $1; bytes[$2] = $3; away[$2] = $4 }
    END { if (now) emit() }' "$1/tenants.tsv" "$file" "$file" | sort -s -n -k 1,1
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
# neither the tier nor a tenant has a limit, and the tier moves no pages.
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
  # The kernel counts by cgroup which pages it moves.
  [[ -z ${limits//[ -]/} ]] && ! tier_is limited && ! tier_is moves || printf '%s' "$rows"
}

# Print a row: whether the limits of the tenants on the server in HOST can hold what each needs in DRAM, and their protection fits into that of all. What
# the planner knows without a server it has refused.
# Usage: tenants_doctor
# Globals: ROW
tenants_doctor() {
  local REPLY
  tenants_wanted || return 0
  tier_bytes_of limit_bytes
  tenants_groups | awk -v limit="$REPLY" -v OFS='\t' '
    function mib(bytes) { return int(bytes / 1048576) " MiB" }
    { groups++ }
    # What Redis itself touches all the time.
    $2 != "-" && $2 < (NF - 4) * 4194304 && tight == "" { tight = $1; held = $2; need = (NF - 4) * 4194304 }
    $4 != "-" { low += $4 }
    END {
      if (tight != "") print "fail", "MEMORY.max of " tight ": " mib(held), mib(need) ": 4 MiB for each of its instances here", "raise MEMORY.max"
      else if (limit > 0 && low > limit) print "warn", "MEMORY.low of all tenants: " mib(low), "at most the DRAM of all, " mib(limit), "lower MEMORY.low, or raise DRAM_RATIO"
      else print "ok", (groups ? groups " with a cgroup" : "without limits"), "limits, if any, that hold what each needs", "-"
    }'
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
