# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Whether every host is fit for what is planned, as rows: HOST STATE CHECK FOUND WANTED MEND.
# STATE is ok, warn (it runs, but judge the figures with it in mind) or fail.

# Reach every host, then check each.
# Usage: doctor_rows
# Globals: SERVER CLIENT_IP and the plan; the server's facts are read on the way
doctor_rows() {
  local host reached=1
  while read -r host; do
    _doctor_reach "$host" || reached=0
  done < <(doctor_hosts)
  ((reached)) || return 0
  server_facts
  plan_check
  _doctor_server
  for host in $CLIENT_IP; do _doctor_client "$host"; done
}

# Print every host once.
# Usage: doctor_hosts
doctor_hosts() {
  printf '%s\n' "$SERVER" "${CLIENT_IP// /$'\n'}" | awk '!seen[$0]++'
}

# Print one row for each failure among ROWS on stdin, as a line for people.
# Usage: doctor_failures <ROWS
doctor_failures() {
  awk -F '\t' '$2 == "fail" { printf "%s: %s: %s; wanted: %s; to mend: %s\n", $1, $3, $4, $5, $6 }'
}

_doctor_row() {
  local IFS=$'\t'
  printf '%s\n' "$*"
}

_doctor_reach() {
  local host=$1 why
  if why=$(remote_open "$host" 2>&1); then
    # remote_open ran in a subshell; the connection is shared, the note of it is not.
    remote_open "$host"
    _doctor_row "$host" ok reachable "$(remote_is_local "$host" && echo "this machine" || echo ssh)" "a shell" -
  else
    _doctor_row "$host" fail reachable "${why#"$host: "}" "ssh with a key, without a prompt" "ssh $host true"
    return 1
  fi
}

_doctor_server() {
  local row taken why
  while IFS= read -r row; do _doctor_row "$SERVER" "$row"; done < <(remote_run "$SERVER" doctor server)
  if why=$( (server_find_redis) 2>&1); then
    server_find_redis
    _doctor_row "$SERVER" ok redis-server "$REDIS_BINARY" "$REDIS_FROM" -
  else
    _doctor_row "$SERVER" fail redis-server "${why//$'\n'/; }" "REDIS_FROM=$REDIS_FROM" "REDIS_FROM=package, or lib/deps.sh run redis-server there"
  fi
  taken=$(server_ports "$(plan_most)")
  if [[ -n $taken ]]; then
    _doctor_row "$SERVER" fail ports "${taken//$'\n'/, }" "free from $REDISBASE on" \
      "set REDISBASE, or ./do_it.sh stop if it is of a broken run"
  else
    _doctor_row "$SERVER" ok ports "free" "$(plan_most) from $REDISBASE on" -
  fi
  _doctor_memory
}

# The fill of every point against what the server has, less what must stay free.
_doctor_memory() {
  local name size instances keys need most=0 keep
  keep=$(fill_reserve "$SERVER_BYTES")
  while read -r name size instances; do
    keys=$(fill_keys "$size" "$instances")
    need=$(fill_bytes "$size" "$instances" "$keys")
    if ((need + keep > SERVER_FREE)); then
      _doctor_row "$SERVER" fail memory "$(_doctor_mib "$SERVER_FREE") available" \
        "$(_doctor_mib "$need") for $name ($instances x $keys keys of $size B) and $(_doctor_mib "$keep") kept free" \
        "set KEYS, or RESERVE"
      return
    fi
    most=$((need > most ? need : most))
  done < <(plan_points)
  _doctor_row "$SERVER" ok memory "$(_doctor_mib "$SERVER_FREE") available" \
    "$(_doctor_mib "$most") and $(_doctor_mib "$keep") kept free" -
}

_doctor_client() {
  local client=$1 row why=$_REMOTE_TMP/why
  while IFS= read -r row; do _doctor_row "$client" "$row"; done < <(remote_run "$client" doctor client)
  if client_prepare "$client" 2>"$why"; then
    cat "$why" >&2
    _doctor_row "$client" ok "load generator" "runs" "./test" -
  else
    _doctor_row "$client" fail "load generator" "$(tail -n 1 "$why")" "./test or the means to build it" "lib/deps.sh run, there"
  fi
}

_doctor_mib() {
  printf '%d MiB' $(($1 >> 20))
}
