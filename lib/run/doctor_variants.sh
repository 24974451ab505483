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

# Print rows: whether the server supports the tier of a variant, and the settings of its file.
# Usage: _doctor_tier VARIANT
_doctor_tier() {
  local variant=$1 state found wanted fix
  ! _doctor_ask "$HOST" "variant $variant" tier_check "${ROW[data_bytes]}" "${ROW[instances]}" ||
    while IFS=$'\t' read -r state found wanted fix; do
      _doctor_row "$HOST" "$state" "variant $variant" "$found" "$wanted" "$fix"
    done <<<"$_DOCTOR_SAID"
  ! _doctor_ask "$HOST" "variant $variant" tune_lacks "$variant" ||
    while IFS=$'\t' read -r found wanted fix; do
      _doctor_row "$HOST" fail "variant $variant" "$found" "$wanted" "$fix"
    done <<<"$_DOCTOR_SAID"
}

# Run a check for every variant, with each combination of values of settings that hosts are asked about, at the point with the most data.
# Usage: _doctor_each FUNCTION [ARG]...
#   FUNCTION is called with ARG and VARIANT, in a separate process, with the settings of the row in force
_doctor_each() {
  local row part REPLY
  local -a asked=("${_DOCTOR_ASKED[@]}")
  for part in "${PARTS[@]}"; do ! parts_row "$part" setting || asked+=("$REPLY"); done
  plan_groups "${asked[@]}"
  for row in "${PLAN_GROUPS[@]}"; do
    (
      plan_row "$row"
      "$@" "${ROW[variant]}"
    )
  done
}

# Refuse a sweep over a directive that the server ignores: its points would be of the same server. Each value is tried on a scratch instance.
_doctor_swept() {
  local row name directive why REPLY
  local -a names=()
  [[ -n ${REDIS_BINARY-} && -z $RESUME ]] && build_ready || return 0
  for name in IO_THREADS "${CONF_PART[@]}"; do
    conf_variable "${name#*.}"
    [[ " ${PLAN_COLUMNS[*]} " == *" ${REPLY,,} "* ]] || continue
    conf_variable "$name"
    names+=("$REPLY")
  done
  ((${#names[@]} > 0)) || return 0
  plan_groups "${names[@]}"
  for row in "${PLAN_GROUPS[@]}"; do
    plan_row "$row" "${ANSWERS_SETTINGS[@]}"
    ! _doctor_ask "$HOST" "variant ${ROW[variant]}" answers_ignored || while IFS=: read -r directive why; do
      name=REDIS_CONF.$directive
      [[ $directive != io-threads ]] || name=IO_THREADS
      conf_variable "$name"
      [[ " ${names[*]} " != *" $REPLY "* ]] || _doctor_row "$HOST" fail "variant ${ROW[variant]}" "$directive has no effect:$why" "SWEEP over $name" \
        "leave $name out of SWEEP"
    done <<<"$_DOCTOR_SAID"
  done
  plan_enter "${VARIANTS%% *}" ''
}

# Leave out each variant NAME? that a host does not support, unless none would remain; the reasons are warnings.
_doctor_skip() {
  local rows host check found wanted fix variant lacks=' ' kept=''
  ((${#CONF_OPTIONAL[@]} > 0)) || return 0
  rows=$(_doctor_each _doctor_optional | awk -F '\t' '$2 == "fail"')
  while IFS=$'\t' read -r _ _ check _; do lacks+="${check#variant } "; done <<<"$rows"
  for variant in $VARIANTS; do [[ $lacks == *" $variant "* ]] || kept+=" $variant"; done
  [[ -n $rows && -n $kept ]] || return 0
  while IFS=$'\t' read -r host _ check found wanted fix; do
    log_warn "$host: $found: the $check is skipped"
    _doctor_row "$host" warn "$check" "$found: skipped" "$wanted" "$fix"
  done <<<"$rows"
  conf_keep VARIANTS "${kept# }"
  plan_make
}

# Print rows: what a variant that may be left out requires of the hosts.
# Usage: _doctor_optional VARIANT
_doctor_optional() {
  [[ " ${CONF_OPTIONAL[*]} " == *" $1 "* ]] || return 0
  servers_each _doctor_tier "$1"
  _doctor_prefix "$1"
}

# Whether the prefix commands work, for every variant.
_doctor_launch() {
  _doctor_each _doctor_prefix
}

# Print rows: whether the prefix commands and the generator of a variant work on its hosts.
# Usage: _doctor_prefix VARIANT
_doctor_prefix() {
  local host state found wanted fix
  while IFS=$'\t' read -r host state found wanted fix; do
    _doctor_row "$host" "$state" "variant $1" "$found" "$wanted" "$fix"
  done < <(launch_try && generator_try)
}

# Print rows: what the parts of the run require of each server, for each variant if a setting of theirs may differ.
# Usage: doctor_parts all|built
#   built: those of parts whose program has been built since
doctor_parts() {
  local part label first REPLY
  for part in "${PARTS[@]}"; do
    parts_has "$part" doctor || continue
    parts_row "$part" label
    label=$REPLY first=
    ! parts_row "$part" program || IFS=$'\t' read -r REPLY first <<<"$REPLY"
    if [[ -n $first ]]; then
      [[ " $BUILD_TARGETS " != *" $REPLY "* ]] || continue
    elif [[ $1 == built ]]; then
      continue
    fi
    if parts_row "$part" setting; then
      _doctor_each _doctor_part "$label" "$part"
    else
      servers_each _doctor_said "$label" "${part}_doctor"
    fi
  done
}

# Usage: _doctor_part LABEL PART VARIANT
# Globals: DOCTOR_ALL, with which a part may also say what is possible without it
_doctor_part() {
  if [[ -z ${DOCTOR_ALL-} ]] && ! "${2}_wanted"; then return; fi
  servers_each _doctor_said "$1" "${2}_doctor"
}
