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
  _doctor_skip
  plan_check
  _doctor_vain
  _doctor_needs
  _doctor_row "$(_doctor_master)" ok ssh "$(remote_version)" "in PATH" -
  _doctor_server
  for host in $CLIENT_IP; do _doctor_client "$host"; done
  _doctor_fill
  _doctor_memory
  _doctor_tiers
  _doctor_launch
  _doctor_trace
  _doctor_warnings
  while read -r host; do
    _doctor_clock "$host"
    _doctor_tune "$host"
  done < <(doctor_hosts)
}

# Print rows as tables for people, one a host.
# Usage: doctor_show <ROWS
doctor_show() {
  local rows host
  rows=$(cat)
  while read -r host; do
    printf '%s\n' "$host"
    awk -F '\t' -v OFS='\t' -v host="$host" '
      NR == 1 { print "  state", "check", "found", "wanted", "how to mend" }
      # A host that is server and client has some checks twice.
      $1 == host && !seen[$0]++ { print "  " $2, $3, $4, $5, $6 }' <<<"$rows" | table_print
    echo
  done < <(awk -F '\t' '!seen[$1]++ { print $1 }' <<<"$rows")
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

# What is asked for in vain.
_doctor_vain() {
  local found wanted mend
  while IFS=$'\t' read -r found wanted mend; do
    _doctor_row "$SERVER" warn settings "$found" "$wanted" "$mend"
  done < <(plan_vain)
}

# What the plan asks of links, ports and open files.
# Returns: sets what lib/remote/doctor.sh is sent.
_doctor_needs() {
  local size most=0
  for size in $VALUE_SIZES; do
    size=$(conf_bytes "$size")
    most=$((size > most ? size : most))
  done
  NEED_OPS=${RATE%.*}
  ((NEED_OPS > 0)) || NEED_OPS=$PLAN_OPS
  NEED_BITS=$((most * 8 * NEED_OPS))
  _doctor_connections
  NEED_NUMACTL=$SERVER_NUMACTL$CLIENT_NUMACTL
  [[ $PLACEMENT != numa && $PLACEMENT != split ]] || NEED_NUMACTL+=$PLACEMENT
  FIRST_PORT=$REDISBASE
  LAST_PORT=$((REDISBASE + $(plan_most) - 1))
}

# What the connections of one client ask of it: most of all at the largest point, and to one instance at the smallest.
_doctor_connections() {
  local instances count threads groups
  NEED_PORTS=0 NEED_FILES=0
  for instances in "${INSTANCES%% *}" "$(plan_most)"; do
    while read -r _ _ count; do
      threads=$(plan_threads "$count")
      groups=$(((threads + count - 1) / count))
      ((CONNECTIONS * groups <= NEED_PORTS)) || NEED_PORTS=$((CONNECTIONS * groups))
      # ./test has them all in one process, others have one for each instance.
      [[ $GENERATOR != test ]] || groups=$((threads > count ? threads : count))
      # The rest is what ./test counts with: two for each thread, and some.
      groups=$((CONNECTIONS * groups + 2 * threads + 64))
      ((groups <= NEED_FILES)) || NEED_FILES=$groups
    done < <(plan_clients "$instances")
  done
}

# Usage: _doctor_run HOST ROLE
_doctor_run() {
  local ADDRESS NEED_MBIT clients
  read -r -a clients <<<"$CLIENT_IP"
  ADDRESS=$(host_data "$SERVER")
  # A client carries its share.
  NEED_MBIT=$((NEED_BITS / 1000000 + 1))
  [[ $2 == server ]] || NEED_MBIT=$((NEED_BITS / ${#clients[@]} / 1000000 + 1))
  remote_run -e LEASE -e ADDRESS -e NEED_MBIT -e NEED_PORTS -e NEED_FILES -e NEED_NUMACTL -e FIRST_PORT -e LAST_PORT "$1" doctor "$2"
}

# The name of this host among those of the run.
_doctor_master() {
  local host
  while read -r host; do
    if remote_is_local "$host"; then
      echo "$host"
      return
    fi
  done < <(doctor_hosts)
  echo master
}

# How far a host's clock is from ours. A run starts phases by it, and corrects it by what it measures.
_doctor_clock() {
  local host=$1 before after theirs off
  if remote_is_local "$host"; then
    _doctor_row "$host" ok clock "ours" "within 1 s" -
    return
  fi
  before=${EPOCHREALTIME/./}
  theirs=$(remote_run "$host" doctor clock)
  after=${EPOCHREALTIME/./}
  off=$(awk -v us=$((${theirs/./} - (before + after) / 2)) -v trip=$((after - before)) \
    'BEGIN { printf "%+.3f s off, give or take %.3f s", us / 1e6, trip / 2e6 }')
  if [[ $off =~ ^[+-]0\. ]]; then
    _doctor_row "$host" ok clock "$off" "within 1 s" -
  else
    _doctor_row "$host" warn clock "$off" "within 1 s" "chronyc makestep, or ntpd -gq, there"
  fi
}

# What tuning would do, and what it cannot: a warning, and with TUNE_STRICT=1 a failure.
_doctor_tune() {
  local host=$1 rows state=warn name why mode mend
  ((!TUNE_STRICT)) || state=fail
  rows=$(tune_check "$host")
  _doctor_row "$host" ok tuning \
    "$(awk -F '\t' '$2 == "would" && !seen[$1]++ { printf "%s%s", sep, $1; sep = ", " } END { if (!sep) printf "nothing to change" }' <<<"$rows")" \
    "set for the run, then put back" -
  while IFS=$'\t' read -r name why; do
    mode=TUNE_$name
    mend="TUNE_$name=off, if it is to stay as it is"
    [[ $why != "needs root" ]] || mend="run as root, or TUNE_$name=off"
    _doctor_row "$host" "$state" "TUNE_$name" "$why" "${!mode}" "$mend"
  done < <(awk -F '\t' -v OFS='\t' '$2 == "cannot" && !seen[$1]++ { print $1, $6 }' <<<"$rows")
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
  local row taken why=$_REMOTE_TMP/why
  while IFS= read -r row; do _doctor_row "$SERVER" "$row"; done < <(_doctor_run "$SERVER" server)
  if server_find_redis 2>"$why"; then
    _doctor_row "$SERVER" ok redis-server "$REDIS_BINARY" "$REDIS_FROM" -
  else
    _doctor_row "$SERVER" fail redis-server "$(tail -n 1 "$why")" "REDIS_FROM=$REDIS_FROM" "REDIS_FROM=package, or lib/deps.sh run redis-server there"
  fi
  _doctor_row "$SERVER" ok "isolated CPUs" "$(place_isolated | grep . || echo none)" "one an instance, if any" -
  taken=$(server_ports "$(plan_most)")
  if [[ -n $taken ]]; then
    _doctor_row "$SERVER" fail ports "${taken//$'\n'/, }" "free from $REDISBASE on" \
      "set REDISBASE, or ./do_it.sh stop if it is of a broken run"
  else
    _doctor_row "$SERVER" ok ports "free" "$(plan_most) from $REDISBASE on" -
  fi
}

# What keys cost, of Redis itself, when the fill hangs on it.
_doctor_fill() {
  local why=$_REMOTE_TMP/why
  [[ -n ${REDIS_BINARY-} ]] || return 0
  if fill_calibrate 2>"$why"; then return; fi
  _doctor_row "$SERVER" fail "cost of a key" "$(tr '\n' ';' <"$why")" "a scratch instance on port $REDISBASE, with samples set from here" "set KEYS"
}

# The fill of every point against what the server has, less what must stay free: for each variant, what it takes of DRAM.
_doctor_memory() {
  local variant name size instances ratio keys need wanted most=-1 keep gap
  keep=$(fill_reserve "$SERVER_BYTES")
  for variant in $VARIANTS; do
    # All of its points again, after the last one of the variant before.
    plan_at "$variant" - -
    while read -r name size instances ratio _; do
      plan_at "$variant" "$ratio" -
      keys=$(fill_keys "$size" "$instances")
      gap=$(fill_gap "$size" "$instances" "$keys")
      [[ -z $gap || $variant != "${VARIANTS%% *}" ]] || _doctor_row "$SERVER" warn fill "$gap for $name" "within 1 % of $FILL" \
        "another FILL: no number of keys comes nearer (docs/tiers.md)"
      need=$(tier_dram "$(fill_bytes "$size" "$instances" "$keys")" "$instances")
      ((need > most)) || continue
      most=$need
      wanted="$(_doctor_mib "$need") for $name ($instances x $keys keys of $size B; 1.5 x (size + 32) x keys says"
      wanted+=" $(_doctor_mib "$(fill_rule "$size" "$instances" "$keys")")) and $(_doctor_mib "$keep") kept free"
      if ((need + keep > SERVER_FREE)); then
        _doctor_row "$SERVER" fail memory "$(_doctor_mib "$SERVER_FREE") available" "$wanted" "set FILL or KEYS, or RESERVE"
        plan_at "${VARIANTS%% *}" - -
        return
      fi
    done < <(plan_points)
  done
  plan_at "${VARIANTS%% *}" - -
  _doctor_row "$SERVER" ok memory "$(_doctor_mib "$SERVER_FREE") available" "$wanted" -
}

# Which kinds of memory the server has, and whether each variant's tier can be had with the largest fill.
_doctor_tiers() {
  local variant name size instances bytes most many kind where detail state found wanted mend
  while IFS=$'\t' read -r kind where detail; do
    _doctor_row "$SERVER" ok "memory: $kind" "$detail" "${where/host/-}" -
  done < <(tier_detect "$SERVER")
  for variant in $VARIANTS; do
    plan_at "$variant" - -
    most=0 many=1
    while read -r name size instances _; do
      bytes=$(fill_bytes "$size" "$instances" "$(fill_keys "$size" "$instances")")
      ((bytes <= most)) || most=$bytes many=$instances
    done < <(plan_points)
    # With several ratios, the least DRAM needs the most of everything else.
    DRAM_RATIO=$(tier_least)
    while IFS=$'\t' read -r state found wanted mend; do
      _doctor_row "$SERVER" "$state" "variant $variant" "$found" "$wanted" "$mend"
    done < <(tier_check "$most" "$many")
    while IFS=$'\t' read -r found wanted mend; do
      _doctor_row "$SERVER" fail "variant $variant" "$found" "$wanted" "$mend"
    done < <(tune_lacks "$variant")
  done
  plan_at "${VARIANTS%% *}" - -
}

# What Redis said of the server when the newest run on it started it.
_doctor_warnings() {
  local state found wanted mend
  while IFS=$'\t' read -r state found wanted mend; do
    _doctor_row "$SERVER" "$state" "Redis warnings" "$found" "$wanted" "$mend"
  done < <(warnings_check)
}

# Variants that are left out, because what they measure with is not there.
_doctor_skip() {
  local variant host found
  generator_skip >"$_REMOTE_TMP/skipped"
  while IFS=$'\t' read -r variant host found; do
    log_warn "$host: $found: the variant $variant is left out"
    _doctor_row "$host" warn "variant $variant" "$found" "a load generator, with GENERATOR_MISSING=skip" "install it there; left out until then"
  done <"$_REMOTE_TMP/skipped"
}

# Whether the words in front of the programs work, for every variant.
_doctor_launch() {
  local variant host state found wanted mend
  for variant in $VARIANTS; do
    plan_at "$variant" - -
    while IFS=$'\t' read -r host state found wanted mend; do
      _doctor_row "$host" "$state" "variant $variant" "$found" "$wanted" "$mend"
    done < <(launch_try && generator_try)
  done
  plan_at "${VARIANTS%% *}" - -
}

# Whether the program that traces is there.
_doctor_trace() {
  local host state found wanted mend
  while IFS=$'\t' read -r host state found wanted mend; do
    _doctor_row "$host" "$state" trace "$found" "$wanted" "$mend"
  done < <(trace_try)
}

_doctor_client() {
  local client=$1 row why=$_REMOTE_TMP/why
  while IFS= read -r row; do _doctor_row "$client" "$row"; done < <(_doctor_run "$client" client)
  if client_prepare "$client" 2>"$why"; then
    _doctor_row "$client" ok "load generator" "runs" "./test" -
  else
    _doctor_row "$client" fail "load generator" "$(tail -n 1 "$why")" "./test or the means to build it" "lib/deps.sh run, there"
  fi
}

_doctor_mib() {
  printf '%d MiB' $(($1 >> 20))
}
