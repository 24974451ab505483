# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The front of the planner (lib/plan/plan.awk): layers of settings and facts of the servers go in, plan.tsv and settings.tsv come out.

# The programs of the planner.
readonly _PLANNER_FILES=(settings axes place server tier load fill check check_load ignored plan keycost)

# Run the planner.
# Usage: planner_run DO
#   DO as in lib/plan/plan.awk
# Globals: RESUME, the layers of settings, the facts of the servers, and the measured cost of keys
# Returns: sets REPLY, the lines that it prints; exits 2 on invalid settings
planner_run() {
  local name sweeps='' status=0
  local -a programs=()
  for name in "${_PLANNER_FILES[@]}"; do programs+=(-f "$LIB/plan/$name.awk"); done
  _planner_sweep
  REPLY=$(_planner_input "$1" | DO=$1 LIB=$LIB ROOT=$ROOT RESUME=${RESUME-} LC_ALL=C exec awk -f <(printf '%s' "$CPUS_AWK") "${programs[@]}") || status=$?
  [[ $REPLY != *refuse$'\t'* || $status != 2 ]] || die_usage "${REPLY##*refuse$'\t'}"
  ((status == 0)) || die "the planner failed: ${REPLY##*$'\n'}"
}

# Print all input of the planner.
# Usage: _planner_input DO
# Globals: sweeps of planner_run
_planner_input() {
  local layer name host REPLY
  printf '%s' "$sweeps"
  for name in "${_CONF_NAMES[@]:_CONF_LISTED}"; do printf 'part\t%s\t%s\t%s\n' "$name" "${_CONF_WHERE["default $name"]}" "${_CONF_VALUE["default $name"]}"; done
  printf 'layer\t%s\n' "${CONF_LAYERS[@]}"
  tiers_read
  printf '%s' "$TIERS_TEXT"
  for layer in "${!_CONF_SET[@]}"; do
    for name in ${_CONF_SET[$layer]}; do
      printf 'setting\t%s\t%s\t%s\t%s\n' "$layer" "$name" "${_CONF_WHERE["$layer $name"]//[$'\t\n']/ }" "${_CONF_VALUE["$layer $name"]}"
      [[ $name != *_PREFIX ]] || _planner_files "${_CONF_VALUE["$layer $name"]}"
    done
  done
  [[ -z $1 ]] || return 0
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

# Read the words of SWEEP: the settings that they name, and their values as they are stored.
# Returns: adds to sweeps of planner_run; exits 2 at an invalid word
_planner_sweep() {
  local word value where name values line REPLY
  local -a words list
  read -r -a words <<<"$SWEEP"
  conf_source SWEEP
  where="$REPLY: SWEEP"
  for word in "${words[@]}"; do
    [[ $word =~ ^$CONF_NAMED=[^,]+(,[^,]+)*$ ]] || die_usage "$where: $word: invalid; accepted: NAME=VALUE,VALUE..., such as RATE=10000,50000"
    IFS=, read -r -a list <<<"${word#*=}"
    values=
    for value in "${list[@]}"; do
      conf_check "${word%%=*}" "$value" "$where"
      values+=" $CONF_TEXT" name=$CONF_NAME
    done
    printf -v line 'sweep\t%s\t%s\t%s\n' "$word" "$name" "${values# }"
    sweeps+=$line
    [[ $name != *_PREFIX ]] || sweeps+=$(_planner_files "$values")$'\n'
  done
}

# Print the files of this project that prefixes name as {FILE}.
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
