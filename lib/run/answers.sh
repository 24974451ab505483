# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Features that a server other than Redis lacks: a scratch instance is queried before the run.

# Fields of INFO and the columns that need them, as `FIELD COLUMNS`; cmdstat_ means the fields of all commands.
readonly _ANSWERS_FIELDS='used_memory used_memory
used_cpu_user server_cpu_us_per_op
cmdstat_ far_per_op, hit_ratio, server_cpu_us_per_op'

# The settings of a scratch instance that is only asked something.
# shellcheck disable=SC2034 # lib/run/doctor.sh
readonly ANSWERS_SETTINGS=(CLUSTER=off PERSISTENCE=off)

# Whether the current variant has a server that must be queried: its name is not redis-server, or it counts hits itself.
# Usage: answers_wanted
# Globals: REDIS_BINARY HIT_COUNTERS
answers_wanted() {
  [[ $HIT_COUNTERS != majflt || ${REDIS_BINARY##*/} != redis-server ]]
}

# Start a scratch instance of the current variant and query it. Print rows STATE CHECK FOUND WANTED FIX.
# Usage: answers_check
# Globals: REDISBASE HIT_COUNTERS
# Returns: 1 if it cannot be started, with the reason on stderr
answers_check() {
  local status=0
  lock_during _answers_check || status=$?
  ((status == LOCK_TAKEN)) || return "$status"
  printf 'warn\tserver program\t%s\ta scratch instance on port %s\twait for that run\n' "$LOCK_WHY" "$REDISBASE"
}

# Query a scratch instance on the server in HOST, and print the rows.
# Usage: _answers_check
# Returns: 1 with the reason on stderr
_answers_check() {
  local status=0 info said
  cleanup_push server_stop
  server_scratch || status=1
  ((status != 0)) || said=$(call_run "$HOST" server answers) || status=1
  ((status != 0)) || info=$(server_info) || status=1
  cleanup_pop || status=1
  ((status == 0)) || return
  _answers_program "$said"
  _answers_fields "$info"
}

# Start a scratch instance with the current settings on the server in HOST, and print the directives that it ignores, NAME: WHY.
# Usage: answers_ignored
# Returns: 1 with the reason on stderr; nothing is printed while another run uses the server
answers_ignored() {
  local status=0
  lock_during _answers_ignored || status=$?
  ((status == LOCK_TAKEN)) || return "$status"
}

# As answers_ignored, with the lock.
_answers_ignored() {
  local status=0
  cleanup_push server_stop
  server_scratch || status=1
  cleanup_pop || status=1
  ((status == 0)) || return
  [[ -z $SERVER_IGNORED ]] || printf '%s\n' "${SERVER_IGNORED//; /$'\n'}"
}

# Print the rows about the program itself.
# Usage: _answers_program ROWS
#   ROWS as lib/host/server.sh prints them
_answers_program() {
  local name value program='does not print a version' config=refused
  while IFS=$'\t' read -r name value; do
    case $name in
      program) program=$value ;;
      config) config=$value ;;
    esac
  done <<<"$1"
  printf 'ok\tserver program\t%s\t-\t-\n' "$program"
  if [[ $config == answered ]]; then
    printf 'ok\tCONFIG\tanswered\t-\t-\n'
  else
    printf 'warn\tCONFIG\trefused\tfor PERSISTENCE, which is turned off before an instance is stopped\tset PERSISTENCE=off\n'
  fi
}

# Print the rows about INFO.
# Usage: _answers_fields INFO
_answers_fields() {
  local field columns fields=
  while read -r field columns; do
    if grep -q "^$field" <<<"$1"; then
      printf 'ok\tINFO\t%s\t-\t-\n' "${field%_}"
    else
      printf 'warn\tINFO\tno %s\tfor the columns %s\tthese columns stay empty\n' "${field%_}" "$columns"
    fi
  done <<<"$_ANSWERS_FIELDS"
  [[ $HIT_COUNTERS != majflt ]] || return 0
  for field in ${HIT_COUNTERS//\// }; do grep -qE "^$field:[0-9]+$" <<<"$1" || fields+=" $field"; done
  if [[ -z $fields ]]; then
    printf 'ok\tHIT_COUNTERS\t%s\t-\t-\n' "$HIT_COUNTERS"
  else
    printf 'fail\tHIT_COUNTERS\tno%s in INFO\tHIT_COUNTERS=%s\tset HIT_COUNTERS to fields of INFO that count\n' "$fields" "$HIT_COUNTERS"
  fi
}
