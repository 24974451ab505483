# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Settings of the user that have no effect in combination with others.

# Print settings that have no effect in combination with the settings of a variant, or an unexpected effect, as rows FOUND WANTED FIX.
# Usage: plan_ignored
plan_ignored() {
  local variant sweep limited='' maxmemory='' used=' '
  {
    for variant in $VARIANTS; do
      for sweep in "${POINT_SWEEPS[@]}"; do
        plan_enter "$variant" "$sweep"
        _plan_ignored_eviction
        _plan_ignored_fill
        _plan_ignored_ratio
        _plan_ignored_requests
        _plan_ignored_affinity
        _plan_isolated
        load_ignored
        if tier_limited || size_wanted; then limited=yes; fi
        if [[ $MAXMEMORY != off ]]; then maxmemory=yes; fi
        used+="$TIER "
        if [[ $REDIS_FROM == source ]]; then used+='VER '; fi
        if [[ $NEIGHBOUR != 0 ]]; then used+='NEIGHBOUR_NODE '; fi
        if [[ $HIT_RATIO != off ]]; then used+='HIT_VARIANT '; fi
        if search_wanted; then
          used+='LIMITS '
          ! size_wanted || used+='SEARCH_LOAD '
        fi
      done
    done
    [[ -n $limited ]] || _plan_ignored_dram
    [[ -z $maxmemory ]] || _plan_ignored_full
    _plan_ignored_unused "$used"
  } | awk '!seen[$0]++'
}

# Print the same as warnings.
# Usage: plan_warn
plan_warn() {
  local found fix
  while IFS=$'\t' read -r found _ fix; do log_warn "$found: $fix"; done < <(plan_ignored)
}

# Print a row if EVICTION has no effect: without MAXMEMORY, or with a policy for expiring keys if keys do not expire.
# Usage: _plan_ignored_eviction
_plan_ignored_eviction() {
  [[ $EVICTION != off ]] || return 0
  if [[ $MAXMEMORY == off && $REDIS_CONF != *"maxmemory "* ]]; then
    printf 'EVICTION=%s\tMAXMEMORY\tset MAXMEMORY: without it, no key is evicted\n' "$EVICTION"
  elif [[ $EVICTION == volatile-* && $EXPIRE == off ]]; then
    printf 'EVICTION=%s\tnoeviction or allkeys-\tthe keys of the load do not expire, so this policy acts as noeviction\n' "$EVICTION"
  fi
}

# Print a row if the number of keys is set beside FILL.
# Usage: _plan_ignored_fill
_plan_ignored_fill() {
  _plan_explicit FILL || return 0
  fill_named
  [[ $REPLY == auto ]] || printf 'FILL=%s\tKEYS=auto\tset KEYS=auto: FILL has no effect, because the number of keys is set\n' "$FILL"
}

# Print a row if no phase has the ratio of SET to GET.
# Usage: _plan_ignored_ratio
_plan_ignored_ratio() {
  _plan_explicit RATIO || return 0
  if [[ " $PHASES " != *" mixed "* ]]; then
    printf 'RATIO=%s\tmixed in PHASES\tset PHASES: only the phase mixed has this ratio\n' "$RATIO"
  elif [[ $COMMANDS != off ]]; then
    printf 'RATIO=%s\tCOMMANDS=off\tset COMMANDS: its weights replace RATIO\n' "$RATIO"
  fi
}

# Print a row for ratios that no variant has: each of several would be measured again.
# Usage: _plan_ignored_dram
_plan_ignored_dram() {
  if [[ $DRAM_RATIO != *' '* ]] && ! _plan_explicit DRAM_RATIO; then return 0; fi
  printf 'DRAM_RATIO=%s\tswap, zram or zswap\tadd a variant with a limit of DRAM: without one, the ratio has no effect\n' "$DRAM_RATIO"
}

# Print a row for each setting that no variant uses.
# Usage: _plan_ignored_unused USED
#   USED: the tiers of all variants, and the settings that at least one uses, with blanks around each
_plan_ignored_unused() {
  local name users each fix
  while IFS='|' read -r name users fix; do
    # These values ask for nothing.
    if [[ ${!name} == keep || ${!name} == auto ]] || ! _plan_explicit "$name"; then continue; fi
    for each in $users; do [[ $1 != *" $each "* ]] || continue 2; done
    printf '%s=%s\t-\t%s\n' "$name" "${!name}" "$fix"
  done <<'END'
TIER_SWAP|swap zswap|add a variant with the tier swap or zswap: only these use it
TIER_NODES|bind preferred interleave weighted|add a variant with the tier bind, preferred, interleave or weighted: only these use it
TIER_WEIGHTS|weighted|add a variant with the tier weighted: only this one uses it
ZRAM_ALGORITHM|zram|add a variant with the tier zram: only this one uses it
VER|VER|set REDIS_FROM=source: only a build of Redis uses it
NEIGHBOUR_NODE|NEIGHBOUR_NODE|set NEIGHBOUR: no other program reads memory
HIT_VARIANT|HIT_VARIANT|set HIT_RATIO: without one, no keys are searched
LIMITS|LIMITS|set RATE=search: only searches keep limits; compare --limit evaluates them afterwards
SEARCH_LOAD|SEARCH_LOAD|set RATE=search and DRAM_RATIO=search: only a search for DRAM at a part of the max load uses it
END
}

# Print a row for each limit of memory above which Redis refuses writes, if an instance gets more data.
# Usage: _plan_ignored_full
_plan_ignored_full() {
  local row each
  for row in "${PLAN_ROWS[@]}"; do
    plan_row "$row"
    if [[ ${ROW[repeat]} != 1 || $MAXMEMORY == off ]] || fill_evicts; then continue; fi
    cluster_processes_of "$INSTANCES"
    each=${ROW[data_bytes]}
    each=$((each / REPLY))
    conf_size "$MAXMEMORY"
    ((each <= REPLY)) || printf 'MAXMEMORY=%s\t%d MiB per instance\tset MAXMEMORY or EVICTION: Redis refuses SETs above the limit, and a repeat with errors fails\n' \
      "$MAXMEMORY" $(((each >> 20) + 1))
  done
}

# Warn about requests that TIME overrides: set in a higher layer than TIME, or on the command line.
_plan_ignored_requests() {
  local layer
  [[ $TIME != 0 && $REQUESTS != 0 ]] || return 0
  conf_layer REQUESTS
  layer=$REPLY
  conf_layer TIME
  ((layer > REPLY)) || _plan_explicit REQUESTS || return 0
  printf 'REQUESTS=%s\tTIME=0\tset TIME=0: with TIME=%s requests are ignored\n' "$REQUESTS" "$TIME"
}

# Redis is told the instance's CPUs, which are known only when the plan names them; a single thread has nothing to pin separately.
_plan_ignored_affinity() {
  [[ $IO_THREADS_AFFINITY == on ]] || return 0
  if ((IO_THREADS == 1)); then
    ! _plan_explicit IO_THREADS_AFFINITY || printf 'IO_THREADS_AFFINITY=on\tIO_THREADS above 1\tset IO_THREADS: there are no threads to pin\n'
  elif [[ -n $SERVER_NUMACTL || $PLACEMENT == none ]]; then
    printf 'IO_THREADS_AFFINITY=on\tCPUs of the plan\tset IO_THREADS_AFFINITY=off: with %s Redis gets no list of CPUs to pin them to\n' \
      "$([[ -n $SERVER_NUMACTL ]] && echo SERVER_NUMACTL || echo PLACEMENT=none)"
  fi
}

# On the isolated CPUs alone, instances may share CPUs although other CPUs are free.
_plan_isolated() {
  local cpus most
  place_kept
  cpus=$REPLY
  plan_most
  most=$REPLY
  [[ -n $cpus ]] && ((most > $(place_usable))) || return 0
  printf '%s instances on the CPUs %s\ta CPU each\tset SERVER_CPUS or INSTANCES: instances use only the isolated CPUs (isolcpus)\n' \
    "$most" "$cpus"
}

# Whether a setting was given for this command, on the command line or in the environment.
_plan_explicit() {
  local REPLY
  conf_source "$1"
  [[ $REPLY == environment* || $REPLY == "command line"* ]]
}
