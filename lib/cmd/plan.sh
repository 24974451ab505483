# SPDX-License-Identifier: MIT
# Show what a run would do: instances, CPUs, keys, memory, time. Nothing is done on another host.
#
# Usage: ./do_it.sh plan [--rows | --settings] [--noise RUN] [--trust] [-q] [-s SCENARIO] [-v VARIANT]... [-H HOSTS_FILE] [NAME=VALUE]...
#
#   -q             the quick form, as for a run
#   --trust        as for a run: accept the programs, files and users that a file of another person names
#   --rows         the plan itself, as a run stores it in plan.tsv: one row per repeat, with every derived value (docs/plan.md)
#   --settings     the settings of the run, of its variants and points, and where each comes from, as a run stores them in settings.tsv
#   --noise RUN    the run whose noise says what the repeats can find; default: the newest of this scenario and server
#
# With SMALLEST=2% or --noise, plan prints the chance that the planned repeats find that difference, and how many repeats find it in 80 of 100 runs
# (docs/noise.md).
# A run reads facts such as CPUs and memory from a remote server; plan needs them as settings. Set FACTS to a run on that server
# (results/RUN) or to its file (env/HOST/facts.tsv); or to a file that lscpu -p=CPU,CORE,SOCKET,NODE printed there, with SERVER_MEM; or
# set SERVER_CORES and SERVER_MEM. The bytes per key are those of conf/keycost.tsv.
# For this machine, plan measures what that table lacks with a temporary Redis on 127.0.0.1. For a remote or larger server, plan estimates these bytes.
# `headroom` is the server's memory that remains with the largest variant; of swap and zswap, only a tier's DRAM counts.
# `rule` is the fill by the Redis-Memtier workload's rule of thumb, 1.5 x (value + 32) x keys; `expected` is the fill by Redis.
# plan knows the memory of the server, not of each node: doctor checks what bind, interleave and weighted need of a node.
# The time is an estimate: TIME and WARMUP of each phase, else RATE, or PLAN_OPS operations per second of all clients together
# without a rate; plus one second per phase. With REDISRUNS=auto it is a range. Set PLAN_OPS to what a first run has measured.
# shellcheck shell=bash

# Print what a run would do, without a connection to another host; the header of this file is the help.
# Usage: cmd_plan [ARGUMENT]...
cmd_plan() {
  local rows='' noise='' memory
  local -a words=()
  while (($# > 0)); do
    case $1 in
      --rows) rows=plan_print ;;
      --settings) rows=plan_settings_print ;;
      --noise=?*) noise=${1#*=} ;;
      --noise | --noise=)
        [[ $1 == --noise && -n ${2-} ]] || die_usage "command line: ${1%=}: the value is missing; ./do_it.sh plan --help shows the options"
        noise=$2
        shift
        ;;
      *) words+=("$1") ;;
    esac
    shift
  done
  [[ -z $noise || -z $rows ]] || die_usage "command line: --noise=$noise: conflicts with --rows and --settings, which print something else; leave one out"
  options_read "${BASH_SOURCE[0]}" "${words[@]}"
  plan_settle
  memory=$SERVER_MEM
  if [[ -n $FACTS ]]; then
    facts_load
    plan_make
  elif ! servers_several && remote_is_local "$SERVER" && ! _plan_larger; then
    remote_init
    server_facts
    # A memory that was set replaces that of this machine, as with FACTS and for other servers.
    [[ $memory == auto ]] || SERVER_BYTES=$((memory << 30))
    plan_make
    lock_name plan
    # Estimates are used if this machine has no redis-server, or another program has the port.
    ! server_look_redis 2>/dev/null || keycost_measure || log_warn "${LOCK_WHY:+$LOCK_WHY: }keys and bytes are estimates; a run measures them with Redis"
  elif [[ " $SERVER_CORES $SERVER_MEM " == *" auto "* ]]; then
    conf_refuse SERVER "plan does not connect to other hosts; set SERVER_CORES and SERVER_MEM, as in SERVER_CORES=72 SERVER_MEM=754, or FACTS=RUN"
  else
    place_assume
    SERVER_BYTES=$((SERVER_MEM << 30))
    plan_make
  fi
  plan_warn
  _plan_fill
  _plan_room
  servers_each _plan_swap
  if [[ -n $rows ]]; then
    "$rows"
    return
  fi
  _plan_head
  _plan_points | table_print
  _plan_pace
  echo
  _plan_widest
  _plan_clients | table_print
  servers_each _plan_place
  ! cluster_on || cluster_show "${ROW[instances]}" | table_print
  _plan_power "$noise"
}

# Print what the repeats can find, if a run is given, or SMALLEST is set and there is an earlier run.
# Usage: _plan_power RUN
#   RUN as given, or empty
_plan_power() {
  local run
  if [[ -n $1 ]]; then
    run=$(compare_run "$1") || exit
    [[ -d $run ]] || die_usage "command line: $1: not a directory of results; ./do_it.sh list names runs"
  else
    [[ ! $(plan_settings_print) =~ $'\n-\t-\tSMALLEST\t'[^$'\t']*$'\tconf/defaults.conf:' ]] || return 0
    run=$(noise_earlier) || {
      printf '\npower    unknown: no run of this scenario and server with three starts; --noise RUN names another one\n'
      return
    }
  fi
  RESULT_PROGRAM=plan noise_power "$run"
}

# Warn of points whose used_memory may be more than 1 % off FILL.
_plan_fill() {
  local doubt found fix fill
  for doubt in "${PLAN_DOUBTS[@]}"; do
    IFS=$'\t' read -r found fix fill <<<"$doubt"
    log_warn "FILL=$fill: $found; set $fix"
  done
}

# Warn of the point that needs most DRAM, if the server has less: a run would refuse it.
_plan_room() {
  local variant point need keep
  fill_reserve_of "$SERVER_BYTES"
  keep=$REPLY
  IFS=$'\t' read -r variant point need < <(plan_print | awk -F '\t' -v OFS='\t' '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["dram_bytes"] + 0 > most { most = $at["dram_bytes"] + 0; named = $at["variant"] OFS $at["point"] }
    END { printf "%s\t%.0f\n", most ? named : "-" OFS "-", most }')
  ((need + keep > SERVER_BYTES)) || return 0
  facts_limit_text
  log_warn "$variant, $point: needs $((need >> 20)) MiB of DRAM and $((keep >> 20)) MiB of RESERVE, and the server has $((SERVER_BYTES >> 20)) MiB$REPLY; set FILL or KEYS"
}

# Warn of the point whose tier needs most swap, if a limit on the server in HOST allows less.
_plan_swap() {
  local row kind limit need most point REPLY FACTS_WHERE
  for kind in swap memsw; do
    facts_limit "$kind" || continue
    limit=$REPLY most=0
    for row in "${PLAN_ROWS[@]}"; do
      plan_values "$row"
      [[ ${ROW[repeat]} == 1 && ${ROW[limit_bytes]} != - ]] || continue
      tier_bytes_of swap_bytes
      need=$REPLY
      tier_bytes_of limit_bytes
      [[ $kind == swap ]] || need=$((need + REPLY))
      ((need <= most)) || most=$need point="${ROW[variant]}, ${ROW[point]}"
    done
    ((most <= limit)) || log_warn "$point: needs up to $((most >> 20)) MiB of ${kind/memsw/memory and swap}, and $FACTS_WHERE of $HOST allows" \
      "$((limit >> 20)) MiB; set FILL or KEYS, or raise that limit"
  done
}

# The placement on one server.
_plan_place() {
  local where=''
  ! servers_several || where=", on $HOST"
  printf '\nplacement %s\n' "$PLACEMENT${SERVER_NUMACTL:+, overridden by SERVER_NUMACTL}$where"
  spread_show | table_print
}

# Whether the settings describe a machine with more CPUs than this one.
_plan_larger() {
  [[ " $SERVER_CORES $SERVER_MEM " != *" auto "* ]] && ((SERVER_CORES > $(nproc)))
}

# Print the first lines of a plan: scenario, server, clients, phases, cold memory and searches, and an empty line.
# Usage: _plan_head
_plan_head() {
  local repeats=${REDISRUNS#auto:} servers='server ' each='' memory="$SERVER_MEM GiB"
  ! servers_several || servers=servers each=' each'
  ((SERVER_MEM > 0)) || memory="$((SERVER_BYTES >> 20)) MiB"
  printf 'scenario %s, variants %s, %s repeat(s)\n' "$SCENARIO" "$VARIANTS" "${repeats/../-}"
  [[ $QUICK == off ]] || printf '%s\n' "$COMPARE_QUICK"
  printf '%s  %s (%s logical CPUs, %s%s), Redis %s\n' "$servers" "$SERVER" "$SERVER_CORES" "$memory" "$each" "$REDIS"
  servers_each _plan_limits
  printf 'clients  %s\n' "$CLIENT_IP"
  printf 'phases   %s' "$PHASES"
  # Each tenant has its own load.
  plan_values "${PLAN_ROWS[0]}"
  [[ -n ${ROW[tenants]-} ]] || load_say
  echo
  _plan_cost
  parts_say
  _plan_disk "$each"
  echo
}

# Print the row of conf/keycost.tsv that the plan uses, unless all costs were measured.
_plan_cost() {
  local REPLY server version assumed=
  fill_row || assumed=', assumed: a run asks its server'
  [[ "${PLAN_ROWS[*]}" == *$'\t'@(table|estimated)$'\t'* ]] || return 0
  read -r server version _ <<<"$REPLY"
  printf 'cost     of keys as in %s %s%s\n' "$server" "$version" "$assumed"
}

# Print the space that the files of persistence may take on the disk of a server; nothing without them.
# Usage: _plan_disk EACH
#   EACH is a word after it
_plan_disk() {
  local row name where='' most=0 REPLY
  for row in "${PLAN_ROWS[@]}"; do
    plan_row "$row"
    [[ ${ROW[repeat]} == 1 ]] || continue
    disk_persistence_of
    ((REPLY > 0)) || continue
    ((REPLY <= most)) || most=$REPLY
    name=PERSISTENCE.dir
    [[ $PERSISTENCE_DIR != auto ]] || name=REMOTE_DIR
    [[ " $where " == *" $name "* ]] || where+=${where:+ or }$name
  done
  plan_enter "${VARIANTS%% *}" ''
  ((most == 0)) || printf 'disk     up to %d MiB in %s for the files of persistence%s\n' $((most >> 20)) "$where" "$1"
}

# Print a line about limits of processes on a server; nothing without one.
_plan_limits() {
  local text='' REPLY
  ! facts_limit cpus || text+=", CPUs $REPLY"
  ! facts_limit memory || text+=", $((REPLY >> 20)) MiB of memory by $FACTS_WHERE"
  ! facts_limit swap || text+=", $((REPLY >> 20)) MiB of swap by $FACTS_WHERE"
  ! facts_limit memsw || text+=", $((REPLY >> 20)) MiB of memory and swap by $FACTS_WHERE"
  ! facts_limit quota || text+=", $REPLY % of a CPU by $FACTS_WHERE"
  [[ -z $text ]] || printf 'limits   of processes on %s: %s\n' "$HOST" "${text#, }"
}

# One row per point: the baseline's figures, and the part of the server's memory that the largest variant leaves.
_plan_points() {
  cluster_processes_of 1
  plan_print | BYTES=$SERVER_BYTES COPIES=$REPLY awk -F '\t' -v OFS='\t' '
    function duration(s) { return s < 7200 ? sprintf("%d.%d min", s / 60, s % 60 / 6) : sprintf("%d.%d h", s / 3600, s % 3600 / 360) }
    function range(a, b, between) { return a == b ? a : a between b }
    NR == 1 {
      for (i = 1; i <= NF; i++) at[$i] = i
      print "point", "value B", "instances", "keys each", "keys", "B/key", "expected MiB", "how known", "rule MiB", "headroom MiB", "repeats", "time"
      next
    }
    {
      p = $at["point"]
      if (!(p in most)) point[++points] = p
      most[p]++
      all_most += $at["seconds"]
      seconds_most[p] += $at["seconds"]
      if ($at["need"] == "yes") { least[p]++; seconds_least[p] += $at["seconds"]; all_least += $at["seconds"] }
      if ($at["dram_bytes"] > dram[p]) dram[p] = $at["dram_bytes"] + 0
      if (p in line) next
      keys = $at["keys"] * $at["instances"]
      # The bytes are of all processes, and a replica has the keys again.
      held = $at["set_keys"] * $at["instances"] * ENVIRON["COPIES"]
      line[p] = p OFS $at["value_size"] OFS $at["instances"] OFS $at["keys"] OFS sprintf("%.0f", keys) OFS \
        sprintf("%d", held > 0 ? $at["data_bytes"] / held : 0) OFS sprintf("%.0f", int($at["data_bytes"] / 1048576)) OFS $at["known"] OFS \
        sprintf("%.0f", int($at["rule_bytes"] / 1048576))
    }
    function floor(x) { return int(x) > x ? int(x) - 1 : int(x) }
    END {
      for (i = 1; i <= points; i++) {
        p = point[i]
        print line[p], sprintf("%.0f", floor((ENVIRON["BYTES"] - dram[p]) / 1048576)), range(least[p], most[p], "-"), \
          range(duration(seconds_least[p]), duration(seconds_most[p]), " to ")
      }
      print "all\t\t\t\t\t\t\t\t\t\t", range(duration(all_least), duration(all_most), " to ")
    }'
}

# Print the throughput that the times assume, if a phase has neither a time nor a rate.
_plan_pace() {
  local phase
  for phase in $PHASES; do
    if common_is_fill "$phase" || [[ $TIME == 0 && ($RATE == 0 || $RATE == search*) ]]; then
      printf 'times assume PLAN_OPS=%s operations per second of all clients together\n' "$PLAN_OPS"
      return
    fi
  done
}

# Put the first row of the first variant with the most instances in force.
_plan_widest() {
  local row widest='' most=0
  for row in "${PLAN_ROWS[@]}"; do
    plan_values "$row"
    if [[ ${ROW[variant]} != "${VARIANTS%% *}" ]] || ((ROW[instances] <= most)); then continue; fi
    most=${ROW[instances]} widest=$row
  done
  plan_row "$widest"
}

# Which client loads which instances at the current row.
_plan_clients() {
  local client port count REPLY
  printf 'client\tports\tinstances\tpolicy\n'
  while IFS=$'\t' read -r client port count; do
    place_client "$client"
    printf '%s\t%d-%d\t%d\t%s\n' "$client" "$port" $((port + count - 1)) "$count" "${REPLY:-${CLIENT_PREFIX:--}}"
  done < <(shares_clients "${ROW[instances]}")
}
