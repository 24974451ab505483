# SPDX-License-Identifier: MIT
# Show what a run would do: instances, CPUs, keys, memory, time. No host is touched.
#
# Usage: ./do_it.sh plan [-s SCENARIO] [-v VARIANT]... [-H HOSTS_FILE] [NAME=VALUE]...
#
# What is read off a remote server when a run starts (SERVER_CORES, SERVER_MEM) must be given here to see the whole plan.
# `headroom` is what is left of the server's memory with the variant that takes most of it; a tier's DRAM is all that swap and zswap take.
# `rule` is the fill by the Redis-Memtier workload's rule of thumb, 1.5 x (value + 32) x keys; `expected` is what Redis was asked.
# The time is an estimate: what a phase lasts by TIME and WARMUP, else PLAN_OPS operations a second, all clients together; and a
# second at each phase.
# shellcheck shell=bash

cmd_plan() {
  options_read "${BASH_SOURCE[0]}" "$@"
  if remote_is_local "$SERVER"; then
    remote_init
    server_facts
    lock_name plan
    server_password
    # Estimates do where this machine has no redis-server, or something else has the port.
    ! server_find_redis 2>/dev/null || fill_calibrate || log_warn "keys and bytes are estimated; a run asks Redis"
  elif [[ " $SERVER_CORES $SERVER_MEM " == *" auto "* ]]; then
    die_usage "plan touches no host, and SERVER_CORES and SERVER_MEM are read off $SERVER: give both, as in SERVER_CORES=72 SERVER_MEM=754"
  else
    place_read
    server_auto
    SERVER_BYTES=$((SERVER_MEM << 30))
  fi
  plan_check
  plan_warn
  _plan_head
  _plan_points | table_print
  echo
  _plan_clients | table_print
  printf '\nplacement %s\n' "$PLACEMENT${SERVER_NUMACTL:+, overridden by SERVER_NUMACTL}"
  place_show "$(plan_most)" | table_print
}

_plan_head() {
  printf 'scenario %s, variants %s, %s repeat(s)\n' "$SCENARIO" "$VARIANTS" "$REDISRUNS"
  printf 'server   %s (%s logical CPUs, %s GiB), Redis %s\n' "$SERVER" "$SERVER_CORES" "$SERVER_MEM" "$REDIS_FROM"
  printf 'clients  %s\n' "$CLIENT_IP"
  printf 'phases   %s; %s connection(s) a thread, pipeline %s, keys %s\n\n' "$PHASES" "$CONNECTIONS" "$PIPELINE" "$KEY_PATTERN"
}

_plan_points() {
  local name size instances ratio keys seconds total=0 runs bytes dram held
  local -a phases variants
  read -r -a phases <<<"$PHASES"
  read -r -a variants <<<"$VARIANTS"
  runs=$((REDISRUNS * ${#variants[@]}))
  printf 'point\tvalue B\tinstances\tkeys each\tkeys\tB/key\texpected MiB\thow known\trule MiB\theadroom MiB\trepeats\tminutes\n'
  while read -r name size instances ratio _; do
    keys=$(fill_keys "$size" "$instances") || exit
    bytes=$(fill_bytes "$size" "$instances" "$keys")
    dram=$(_plan_dram "$size" "$instances" "$ratio") || exit
    held=$(fill_set "$instances" "$keys")
    seconds=$(($(_plan_seconds $((keys * instances)) "$instances") * runs))
    total=$((total + seconds))
    printf '%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%d\t%d\t%d\t%d.%d\n' "$name" "$size" "$instances" "$keys" $((keys * instances)) \
      $((held > 0 ? bytes / instances / held : 0)) $((bytes >> 20)) "$(fill_source "$size")" $(($(fill_rule "$size" "$instances" "$keys") >> 20)) $(((SERVER_BYTES - dram) >> 20)) \
      "$runs" $((seconds / 60)) $((seconds % 60 / 6))
  done < <(plan_points)
  printf 'all\t\t\t\t\t\t\t\t\t\t\t%d.%d\n' $((total / 60)) $((total % 60 / 6))
}

# Print the bytes of the server's memory that a point takes with the variant that takes most; beyond a tier's DRAM they go elsewhere.
# Usage: _plan_dram VALUE_BYTES INSTANCES RATIO
_plan_dram() {
  local variant keys bytes most=0
  for variant in $VARIANTS; do
    plan_at "$variant" "$3" -
    keys=$(fill_keys "$1" "$2") || return
    bytes=$(tier_dram "$(fill_bytes "$1" "$2" "$keys")" "$2")
    most=$((bytes > most ? bytes : most))
  done
  echo "$most"
}

# Print the seconds of all phases of a repeat, by KEYS of all instances: populate sets each once, whatever TIME says.
_plan_seconds() {
  local phase seconds=0
  for phase in $PHASES; do
    if [[ $phase == populate ]]; then
      seconds=$((seconds + $1 / PLAN_OPS + 1))
    elif [[ $TIME == 0 ]]; then
      seconds=$((seconds + ${WARMUP%.*} + $(_plan_work "$1" "$2") / PLAN_OPS + 1))
    else
      seconds=$((seconds + ${WARMUP%.*} + ${TIME%.*} + 1))
    fi
  done
  echo "$seconds"
}

# Print the requests of a phase, all clients together, by KEYS of all instances unless settings say otherwise.
_plan_work() {
  local count work=0
  while read -r _ _ count; do
    work=$((work + $(plan_requests "$count")))
  done < <(plan_clients "$2")
  echo $((work > 0 ? work : $1))
}

# Who loads which instances, for the largest number of them.
_plan_clients() {
  local client port count policy
  printf 'client\tports\tinstances\tpolicy\n'
  while IFS=$'\t' read -r client port count; do
    policy=$(place_client "$client")
    printf '%s\t%d-%d\t%d\t%s\n' "$client" "$port" $((port + count - 1)) "$count" "${policy:--}"
  done < <(plan_clients "$(plan_most)")
}
