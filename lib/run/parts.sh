# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The parts at the points of a repeat: at each point, every server gets one call with the scripts of all parts (docs/parts.md).
#
# NAME_at_POINT is called for each server in HOST, in a subshell: it asks with parts_ask, and keeps nothing. When all servers have answered,
# NAME_got_POINT is called once, or NAME_lost_POINT if a server failed. Without NAME_lost_POINT the repeat then fails.

# Seconds for the scripts of a point, unless a part has a row `limit`; the scripts have their own limits, which are shorter.
readonly _PARTS_LIMIT=600

declare -A PART_SAID=()    # by server: what the part's script printed at this point
PARTS_PHASE=               # the phase that has begun last
PARTS_DO=                  # what the clients do in a phase that a part owns: step, take, keep or skip, set by NAME_turn
PARTS_DUE=                 # yes: a part looks at the load as soon as it has started
PARTS_WHY=                 # the labels of the parts that failed at the last points
declare -A _PARTS_ON=()    # by part and point, stop or done: yes if the part has something to end there
declare -A _PARTS_READY=() # by part: yes after NAME_ready
declare -A _PARTS_BEGUN=() # by part: yes if it has begun in this repeat
_PARTS_LOADED=             # yes after the first measured phase has begun
_PARTS_OWNER=              # the only part that acts, if the load is its own and no phase is measured; what is there before the instances begins too

# Begin a repeat.
# Usage: parts_begin DIR [OWNER]
#   DIR is empty if an OWNER needs no files
parts_begin() {
  local part
  _PARTS_OWNER=${2-} _PARTS_LOADED='' PARTS_PHASE='' _PARTS_ON=() _PARTS_READY=() _PARTS_BEGUN=()
  for part in "${PARTS[@]}"; do ! parts_has "$part" fresh || "${part}_fresh" "$1"; done
}

# Call a hook of all parts that act and have it.
# Usage: parts_each HOOK [ARG]...
# Returns: the last status that is not 0; all have their turn
parts_each() {
  local part status=0
  for part in "${PARTS[@]}"; do
    if ! parts_has "$part" "$1" || ! _parts_acts "$part"; then continue; fi
    "${part}_$1" "${@:2}" || status=$?
  done
  return "$status"
}

# The first part for which a hook succeeds.
# Usage: parts_first HOOK [ARG]...
# Returns: sets REPLY; 1 without one
parts_first() {
  local part
  for part in "${PARTS[@]}"; do
    if ! parts_has "$part" "$1" || ! _parts_acts "$part" || ! "${part}_$1" "${@:2}"; then continue; fi
    REPLY=$part
    return
  done
  return 1
}

# Whether a part acts in this repeat. Usage: _parts_acts PART
_parts_acts() {
  [[ -z $_PARTS_OWNER || $_PARTS_OWNER == "$1" ]] && "${1}_wanted"
}

# Let a part ask the server in HOST: run its script there.
# Usage: parts_ask VERB [ARG]...
# Globals: PART calls and askers of _parts_ask
parts_ask() {
  local IFS=$'\t'
  calls+=("$PART"$'\t'"$*")
  askers+=("$PART $POINT")
}

# Points between two phases: what the last phase had ends (stop), what all measured phases have begins (load), counters are read (mark), and what this
# phase has begins (start).
# Usage: parts_phase POINTS PHASE
#   `load` is left out but before the first measured phase
# Returns: as parts_at
parts_phase() {
  local points=" $1 "
  if common_is_fill "$2" || [[ -n $_PARTS_LOADED ]]; then points=${points/ load / }; fi
  [[ $points != *' load '* ]] || _PARTS_LOADED=yes
  if [[ -n $_PARTS_OWNER ]]; then
    [[ $points == *' mark '* ]] || return 0
    points=mark
  fi
  parts_at "$points" "$2" || return
  [[ $points != *' start '* ]] || _parts_started "$2"
}

# A phase has begun. A part that does nothing there can still ask when it has ended.
# Usage: _parts_started PHASE
_parts_started() {
  local part
  PARTS_PHASE=$1
  for part in "${PARTS[@]}"; do parts_has "$part" at_start || _PARTS_ON["$part stop"]=yes; done
}

# Let all parts ask at points, with one call for each server, and take what they get.
# Usage: parts_at POINTS [ARG]...
#   POINTS are up, instances, load, mark, start, stop or done, separated by blanks; ARG is for all hooks
# Globals: HOST
# Returns: 1 if a part that failed makes the repeat fail; sets PARTS_WHY
parts_at() {
  local point pair host limit=$_PARTS_LIMIT status=0 run=call_several
  local -a points _PARTS_ASKED=()
  local -A _PARTS_DID=() _PARTS_LOST=() _PARTS_SAID=()
  PARTS_WHY=
  # What follows must not begin without the memory that `up` prepares, and the instances.
  [[ $1 != @(up|instances)* ]] || run=call_chain
  read -r -a points <<<"$1"
  for point in "${points[@]}"; do _parts_of "$point"; done
  # Instances start when the memory is ready, and a cluster waits for its nodes.
  [[ $1 != *instances ]] || limit=$((limit + 2 * COMMON_READY + 180))
  ((${#_PARTS_ASKED[@]} > 0)) || return 0
  for pair in "${_PARTS_ASKED[@]}"; do _parts_ready "${pair% *}" || return; done
  servers_parallel $((REMOTE_RETRY + limit)) _parts_ask "${@:2}" || :
  for host in $HOST; do _parts_take "$host"; done
  for pair in "${_PARTS_ASKED[@]}"; do
    _parts_got "$pair" "${@:2}" || status=1
    [[ $status == 0 || $run == call_several ]] || break
  done
  return "$status"
}

# Add the parts that ask at a point, in their order there.
# Usage: _parts_of POINT
# Returns: adds to _PARTS_ASKED, PART POINT with a blank between them, and raises limit, both of parts_at
_parts_of() {
  local part REPLY
  local -a found=()
  for part in "${PARTS[@]}"; do
    if ! parts_has "$part" "at_$1" || ! "${part}_wanted"; then continue; fi
    case $1 in
      # What began last ends first, and only what has begun.
      stop | "done") [[ -z ${_PARTS_ON["$part $1"]-} ]] || found=("$part $1" "${found[@]}") ;;
      *) found+=("$part $1") ;;
    esac
    ! parts_row "$part" limit || ((REPLY <= limit)) || limit=$REPLY
  done
  _PARTS_ASKED+=("${found[@]}")
}

# Whether a part has a hook.
# Usage: parts_has PART HOOK
parts_has() {
  declare -F "${1}_$2" >/dev/null
}

# Once in a repeat: what a part needs of each server before it asks.
# Usage: _parts_ready PART
# Returns: 1 with the reason on stderr, and in PARTS_WHY
_parts_ready() {
  [[ -z ${_PARTS_READY[$1]-} ]] || return 0
  ! parts_has "$1" ready || servers_each "${1}_ready" || {
    _parts_failed "$1"
    return 1
  }
  _PARTS_READY[$1]=yes
}

# Add a part to PARTS_WHY. Usage: _parts_failed PART
_parts_failed() {
  local REPLY
  parts_row "$1" label || REPLY=$1
  PARTS_WHY+=${PARTS_WHY:+, }$REPLY
}

# Ask the server in HOST, and print for each part a line MARK PART POINT, a tab and a status, and what its script printed. No reply has MARK, a control
# character.
# Usage: _parts_ask [ARG]...
# Globals: _PARTS_ASKED and run of parts_at
_parts_ask() {
  local PART POINT pair i whole=0
  local -a calls=() askers=() CALL_OUT=() CALL_STATUS=()
  for pair in "${_PARTS_ASKED[@]}"; do
    PART=${pair% *} POINT=${pair#* }
    "${PART}_at_$POINT" "$@" || printf '\001%s\t1\n' "$pair"
  done
  ((${#calls[@]} > 0)) || return 0
  "$run" "$HOST" "${calls[@]}" || whole=$?
  for i in "${!calls[@]}"; do
    ((whole)) || [[ -n ${CALL_STATUS[i]-} ]] || continue
    printf '\001%s\t%d\n%s' "${askers[i]}" "${CALL_STATUS[i]-$whole}" "${CALL_OUT[i]+"${CALL_OUT[i]}"$'\n'}"
  done
}

# Take what a server answered.
# Usage: _parts_take HOST
# Returns: sets _PARTS_DID, _PARTS_LOST and _PARTS_SAID of parts_at, by PART POINT
_parts_take() {
  local text pair status
  local -a texts
  mapfile -d $'\001' -s 1 -t texts <<<"${PARALLEL_OUT[$1]}"
  for text in "${texts[@]}"; do
    IFS=$'\t' read -r pair status <<<"${text%%$'\n'*}"
    _PARTS_DID[$pair]=yes
    ((status == 0)) || _PARTS_LOST[$pair]+=${_PARTS_LOST[$pair]:+, }$1
    text=${text#*$'\n'}
    _PARTS_SAID["$pair $1"]=${text%$'\n'}
  done
  ((${PARALLEL_STATUS[$1]} == 0)) || for pair in "${_PARTS_ASKED[@]}"; do
    _PARTS_DID[$pair]=yes _PARTS_LOST[$pair]+=${_PARTS_LOST[$pair]:+, }$1
  done
}

# Let a part take what it got at a point.
# Usage: _parts_got PAIR [ARG]...
# Returns: 1 if it failed, and the repeat with it
_parts_got() {
  local part=${1% *} point=${1#* } lost=${_PARTS_LOST[$1]-} host
  local -A PART_SAID=()
  [[ -n ${_PARTS_DID[$1]-} ]] || return 0
  for host in $HOST; do PART_SAID[$host]=${_PARTS_SAID["$1 $host"]-}; done
  shift
  case $point in
    stop | "done") unset -v '_PARTS_ON[$part $point]' ;;
    mark) ;;
    *)
      if [[ -z $lost ]] || parts_has "$part" "lost_$point"; then _PARTS_ON["$part done"]=yes _PARTS_BEGUN[$part]=yes; fi
      [[ $point != start ]] || _PARTS_ON["$part stop"]=yes
      ;;
  esac
  if [[ -z $lost ]]; then
    ! parts_has "$part" "got_$point" || "${part}_got_$point" "$@" || return
  elif parts_has "$part" "lost_$point"; then
    "${part}_lost_$point" "$lost" "$@" || return
  else
    _parts_failed "$part"
    return 1
  fi
}

# The scripts that send the files of all parts that have begun, and where these files belong.
# Usage: parts_fetch_scripts DIR
# Returns: adds to asked of the caller, a directory in DIR and a script each
parts_fetch_scripts() {
  local part inside REPLY
  for part in "${PARTS[@]}"; do
    if [[ -z ${_PARTS_BEGUN[$part]-} ]] || ! parts_row "$part" files; then continue; fi
    IFS=$'\t' read -r _ _ _ inside <<<"$REPLY"
    asked+=("$1${inside:+/$inside}" $'parts\tfetch\t'"$part")
  done
}

# The name of the last phase of the load.
# Usage: parts_last_phase
# Globals: PHASES
# Returns: sets REPLY
parts_last_phase() {
  # shellcheck disable=SC2086 # split into phases on purpose
  common_phases $PHASES
  REPLY=${REPLY##* }
}

# How many more copies of the data parts write to the disk of a server, at the current point.
# Usage: parts_copies KEPT
#   KEPT has the files that instances write without them: rdb, aof, or both
# Returns: sets REPLY
parts_copies() {
  local part sum=0
  for part in "${PARTS[@]}"; do
    if ! parts_has "$part" copies || ! "${part}_wanted"; then continue; fi
    "${part}_copies" "$1"
    sum=$((sum + REPLY))
  done
  REPLY=$sum
}

# What parts need beside the data of the instances, at the current point.
# Usage: parts_bytes
# Returns: sets REPLY, in bytes, and PARTS_BYTES, a text about it
parts_bytes() {
  local part sum=0
  PARTS_BYTES=
  for part in "${PARTS[@]}"; do
    if ! parts_has "$part" bytes || ! "${part}_wanted"; then continue; fi
    "${part}_bytes"
    sum=$((sum + REPLY))
    PARTS_BYTES+=", with $((REPLY >> 20)) MiB of "
    parts_row "$part" setting
    PARTS_BYTES+=$REPLY
  done
  REPLY=$sum
}

# Whether the run needs membench, at any point.
# Usage: parts_programs
parts_programs() {
  local part REPLY
  for part in "${PARTS[@]}"; do
    parts_row "$part" program || continue
    parts_row "$part" setting
    [[ $SWEEP != *"$REPLY="* ]] && ! "${part}_wanted" || return 0
  done
  return 1
}

# Print the lines of all parts in a plan.
# Usage: parts_say
parts_say() {
  local part
  for part in "${PARTS[@]}"; do ! parts_has "$part" say || "${part}_say"; done
}
