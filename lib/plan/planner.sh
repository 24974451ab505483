# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The front of the planner (lib/plan/plan.awk): layers of settings and facts of the servers go in, plan.tsv and settings.tsv come out.

# Run the planner.
# Usage: planner_run
# Globals: RESUME, the layers of settings, the facts of the servers, and the measured cost of keys
# Returns: sets the groups of lines of lib/core/conf.sh; exits 2 on invalid settings
planner_run() {
  local input REPLY
  input=$(_planner_input)
  conf_awk "$input" <(printf '%s' "$CPUS_AWK") "$LIB"/settings/layers.awk "$LIB"/plan/{settings,axes,place,server,tier,load,rates,fill,tenants,tenants_data,check,check_load,ignored,plan,keycost}.awk <(parts_awk check.awk check checked space)
  conf_take "$REPLY"
}

# Print all input of the planner.
# Usage: _planner_input
_planner_input() {
  local host name REPLY
  printf '%s' "$TIERS_TEXT"
  printf '%s\n' "$CONF_LAYER"
  printf 'steps\t%s\n' "${SEARCH_QUICK#* }"
  _planner_files "$CONF_LAYER"
  for host in "${SERVERS[@]}" $CLIENT_IP; do
    hosts_data "$host"
    name=remote
    ! remote_is_local "$host" || name=local
    printf 'host\t%s\t%s\t%s\n' "$host" "$name" "$REPLY"
  done
  servers_each _planner_facts
  if fill_row; then printf 'redis\t%s\tknown\n' "$REPLY"; else printf 'redis\t%s\tassumed\n' "$REPLY"; fi
  fill_models cost
}

# Print the files of this project that a text names as {FILE}.
# Usage: _planner_files TEXT
_planner_files() {
  local text=$1
  while [[ $text =~ \{([^{}]+)\} ]]; do
    text=${text#*"${BASH_REMATCH[0]}"}
    ! file_ours "${BASH_REMATCH[1]}" || printf 'file\t%s\n' "${BASH_REMATCH[1]}"
  done
}

# Print the facts of the server in HOST, and its topology.
_planner_facts() {
  local line limit
  printf 'fact\t%s\tmem_bytes\t%s\n' "$HOST" "${SERVER_BYTES:-$((SERVER_MEM << 30))}"
  printf 'fact\t%s\tmem_gib\t%s\n' "$HOST" "${_SERVER_GIB:-$SERVER_MEM}"
  [[ -z ${_SERVER_CPUS-} ]] || printf 'fact\t%s\tcpus\t%s\n' "$HOST" "$_SERVER_CPUS"
  while IFS= read -r line; do [[ -z $line ]] || printf 'fact\t%s\ttopology\t%s\n' "$HOST" "$line"; done <<<"$_PLACE_TOPOLOGY"
  while IFS= read -r limit; do [[ -z $limit ]] || printf 'fact\t%s\tlimit\t%s\n' "$HOST" "$limit"; done <<<"${SERVER_LIMITS-}"
}
