# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# DRAM_RATIO=search: the min share of DRAM at which a load keeps LIMITS. master.sh does the search; its loads are shares in percent.
# A cgroup limits DRAM, or the pages are divided between near and far nodes.

_DRAM_BASE=  # bytes of the instances and their cgroup with all data in DRAM: 100 %; of all servers
_DRAM_MINE=  # the same of one server
_DRAM_SHARE= # the current share
_DRAM_WHOLE= # yes while all servers have it; empty after a share that could not be set on all of them
# Bytes per instance in addition to the share.
readonly _DRAM_SLACK=$((1 << 20))

# Whether the current variant searches its share of DRAM.
# Usage: dram_wanted
# Globals: DRAM_RATIO
dram_wanted() {
  [[ $DRAM_RATIO == search ]] && { tier_is limited || tier_is divided; }
}

# Begin the search of a repeat, or of another try.
# Usage: dram_start
dram_start() {
  _DRAM_BASE='' _DRAM_SHARE='' _DRAM_WHOLE=''
}

# Set the share of DRAM on each server; the first call of a repeat takes the memory in use there now as 100 %.
# Usage: dram_set SHARE
# Returns: 1 with a line on stderr; 2 if the kernel cannot free enough memory
dram_set() {
  local host
  [[ -n $_DRAM_BASE ]] || _dram_measure || return
  [[ $_DRAM_SHARE != "$1" || -z $_DRAM_WHOLE ]] || return 0
  _DRAM_WHOLE=
  ! tier_is divided || servers_each memory_prepare || return
  # The host has its own limit, by its steps.
  servers_parallel 86400 _dram_set "$1" || {
    # A host without a valid reply says nothing about its memory.
    for host in $HOST; do
      ((${PARALLEL_STATUS[$host]} > 1)) || continue
      log_warn "$host: cannot set the share of DRAM"
      return 1
    done
    return 2
  }
  _DRAM_SHARE=$1 _DRAM_WHOLE=yes
}

# Set the share of DRAM on the server in HOST: move pages, or change the limit.
# Usage: _dram_set SHARE
_dram_set() {
  local bytes REPLY
  if tier_is divided; then
    tier_divide "$1"
  else
    bytes=$(_dram_bytes "$1")
    spread_count_of "$POINT_INSTANCES"
    # Memory that the kernel charges to processes in advance must fit at 100 %.
    tier_set_limit $((bytes + REPLY * _DRAM_SLACK))
  fi
}

# Print the bytes of a share on the server in HOST.
# Usage: _dram_bytes SHARE
_dram_bytes() {
  LC_ALL=C awk -v base="$_DRAM_MINE" -v share="$1" 'BEGIN { printf "%.0f\n", base * share / 100 }'
}

# Take the memory that the instances have at the last mark as 100 %, of each server and of all.
# Usage: _dram_measure
# Returns: sets _DRAM_BASE and _DRAM_MINE; 1 with a line on stderr
_dram_measure() {
  local sum=0
  servers_each _dram_measure_one || return
  _DRAM_BASE=$sum
  log_info "100 % of DRAM is $((_DRAM_BASE >> 20)) MiB: the memory of the instances with all data in DRAM"
}

# Take the memory of the instances on the server in HOST as its 100 %, and add it to the sum.
# Usage: _dram_measure_one
# Globals: sum of _dram_measure
_dram_measure_one() {
  local scope=cgroup
  ! tier_is divided || scope=tier
  _DRAM_MINE=$(awk -F '\t' -v scope="$scope" '$1 == scope && $2 ~ (scope == "tier" ? "^data_bytes$" : "^(usage|swap)$") { sum += $3 } END { printf "%.0f\n", sum }' <<<"${MONITOR_ROWS_OF[$HOST]-}")
  [[ $_DRAM_MINE =~ ^[1-9][0-9]*$ ]] || {
    log_warn "$HOST: cannot read the memory of the instances, so cannot set its share"
    return 1
  }
  sum=$((sum + _DRAM_MINE))
}

# With a search for RATE: the part of the first variant's rate. Else RATE.
# Usage: dram_given
# Globals: RATE
# Returns: sets REPLY
dram_given() {
  REPLY=${RATE#search:}
  [[ $RATE != search ]] || REPLY=80%
}

# The load of a phase: RATE, or a part of the lowest rate that the first variant's search of the same repeat found for a limit.
# Usage: dram_rate PHASE
# Globals: RATE RUN VARIANTS ROW
# Returns: sets REPLY; 1 with a line on stderr
dram_rate() {
  local file=$RUN/${VARIANTS%% *}/${ROW[point]}/rep-${ROW[repeat]}/search.tsv
  dram_given
  [[ $RATE == search* ]] || return 0
  REPLY=$(LC_ALL=C awk -F '\t' -v phase="$1" -v part="${REPLY%\%}" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { name = $at["phase"]; sub(/-[0-9]+$/, "", name) }
    name != phase { next }
    $at["search"] == "none" { none = 1 }
    least == "" || $at["load"] + 0 < least { least = $at["load"] + 0 }
    END { if (!none && least > 0) printf "%.4f\n", least * part / 100 }' "$file" 2>/dev/null) || :
  [[ -n $REPLY ]] && return
  log_warn "$1: no load to keep: in repeat ${ROW[repeat]} of ${VARIANTS%% *}, the search found no rate for each of LIMITS"
  return 1
}
