# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What doctor asks of the hosts for each variant of the plan: its memory, programs and tuning.

# The kinds of memory of the server, and whether each variant's tier is possible with the largest fill.
_doctor_tiers() {
  local kind where detail state
  ! _doctor_ask "$HOST" memory tier_detect "$HOST" ||
    while IFS=$'\t' read -r kind where detail; do
      state=ok
      [[ $kind != failing ]] || state=warn
      _doctor_row "$HOST" "$state" "memory: $kind" "$detail" "${where/host/-}" -
    done <<<"$_DOCTOR_SAID"
  _doctor_each _doctor_tier
}

# The most that a variant's instances have at the points with a combination of the values in SWEEP; leaves the settings of both in force.
# Usage: _doctor_largest VARIANT SWEEP
# Returns: sets DOCTOR_BYTES, DOCTOR_MANY (instances) and DOCTOR_PLACES
_doctor_largest() {
  local row data
  DOCTOR_BYTES=0 DOCTOR_MANY=1 DOCTOR_PLACES=
  for row in "${PLAN_ROWS[@]}"; do
    [[ $row == *$'\t'"$1"$'\t'* ]] || continue
    plan_row "$row"
    [[ ${ROW[repeat]} == 1 && ${ROW[variant]} == "$1" ]] || continue
    plan_within "$2" || continue
    data=${ROW[data_bytes]}
    ((data <= DOCTOR_BYTES)) || DOCTOR_BYTES=$data DOCTOR_MANY=${ROW[instances]} DOCTOR_PLACES=${ROW[places]}
  done
  plan_enter "$1" "$2"
}

# Print rows: whether the server supports the tier of a variant, and the settings of its file.
# Usage: _doctor_tier VARIANT SWEEP
#   the settings of both must be in force
_doctor_tier() {
  local variant=$1 state found wanted fix DOCTOR_BYTES DOCTOR_MANY DOCTOR_PLACES
  _doctor_largest "$@"
  # With several ratios, the smallest DRAM share needs the most of everything else.
  plan_enter "$@" DRAM_RATIO="$(tier_least)"
  ! _doctor_ask "$HOST" "variant $variant" tier_check "$DOCTOR_BYTES" "$DOCTOR_MANY" ||
    while IFS=$'\t' read -r state found wanted fix; do
      _doctor_row "$HOST" "$state" "variant $variant" "$found" "$wanted" "$fix"
    done <<<"$_DOCTOR_SAID"
  ! _doctor_ask "$HOST" "variant $variant" tune_lacks "$variant" ||
    while IFS=$'\t' read -r found wanted fix; do
      _doctor_row "$HOST" fail "variant $variant" "$found" "$wanted" "$fix"
    done <<<"$_DOCTOR_SAID"
}

# Run a check for every variant, with each combination of the values in SWEEP of settings that hosts are asked about. A row may come twice.
# Usage: _doctor_each FUNCTION
#   FUNCTION is called with VARIANT and SWEEP, in a separate process
_doctor_each() {
  local variant sweep key name
  local -A seen=()
  for variant in $VARIANTS; do
    for sweep in "${POINT_SWEEPS[@]}"; do
      plan_enter "$variant" "$sweep"
      key=$variant
      for name in "${AXES[@]}"; do [[ " $_DOCTOR_ASKED " != *" $name "* ]] || key+=" ${!name}"; done
      [[ -z ${seen[$key]+set} ]] || continue
      seen[$key]=1
      ("$1" "$variant" "$sweep")
    done
  done
  plan_enter "${VARIANTS%% *}" ''
}

# Settings that a version of redis-server may ignore, although it accepts the directive of that name.
readonly _DOCTOR_DIRECTIVES='IO_THREADS IO_THREADS_DO_READS'

# Refuse a sweep over a directive that the server ignores: its points would be of the same server. Each value is tried on a scratch instance.
_doctor_swept() {
  local variant sweep key name names directive why
  local -A seen=()
  [[ -n ${REDIS_BINARY-} && -z $RESUME ]] && build_ready || return 0
  for variant in $VARIANTS; do
    for sweep in "${POINT_SWEEPS[@]}"; do
      plan_enter "$variant" "$sweep"
      names='' key=$variant
      for name in "${AXES[@]}"; do [[ " $_DOCTOR_DIRECTIVES " != *" $name "* ]] || names+=" $name" key+=" ${!name}"; done
      [[ -n $names && -z ${seen[$key]+set} ]] || continue
      seen[$key]=1
      plan_enter "$variant" "$sweep" "${ANSWERS_SETTINGS[@]}"
      ! _doctor_ask "$HOST" "variant $variant" answers_ignored || while IFS=: read -r directive why; do
        name=${directive^^} name=${name//-/_}
        [[ "$names " != *" $name "* ]] || _doctor_row "$HOST" fail "variant $variant" "$directive has no effect:$why" "SWEEP over $name" \
          "leave $name out of SWEEP"
      done <<<"$_DOCTOR_SAID"
    done
  done
  plan_enter "${VARIANTS%% *}" ''
}

# Variants that are skipped because their load generator is not installed.
_doctor_skip() {
  local variant host found
  generator_skip >"$_REMOTE_TMP/skipped"
  while IFS=$'\t' read -r variant host found; do
    log_warn "$host: $found: the variant $variant is skipped"
    _doctor_row "$host" warn "variant $variant" "$found" "a load generator, with GENERATOR_MISSING=skip" "install it there; skipped until then"
  done <"$_REMOTE_TMP/skipped"
}

# Whether the prefix commands work, for every variant.
_doctor_launch() {
  _doctor_each _doctor_prefix
}

# Print rows: whether the prefix commands and the generator of a variant work on its hosts.
# Usage: _doctor_prefix VARIANT SWEEP
_doctor_prefix() {
  local host state found wanted fix
  while IFS=$'\t' read -r host state found wanted fix; do
    _doctor_row "$host" "$state" "variant $1" "$found" "$wanted" "$fix"
  done < <(launch_try && generator_try)
}

# Print rows: whether each server can run the load of NEIGHBOUR; nothing until membench is built.
# Usage: _doctor_antagonist VARIANT SWEEP
_doctor_antagonist() {
  [[ " $BUILD_TARGETS " != *" membench "* ]] || return 0
  servers_each _doctor_said neighbour antagonist_try
}

# Print rows: whether each server has room for COLD_MEMORY in front of the largest data of a variant.
# Usage: _doctor_cold VARIANT SWEEP
_doctor_cold() {
  local DOCTOR_BYTES DOCTOR_MANY DOCTOR_PLACES
  cold_wanted || return 0
  _doctor_largest "$@"
  servers_each _doctor_said "cold memory" cold_try "$DOCTOR_BYTES" "$DOCTOR_MANY" "$DOCTOR_PLACES"
}
