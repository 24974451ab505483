# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master's side of tuning: the settings of each host, the record of their old values, and their restoration.

# By variant and host: the last output of apply, so that the record has it once.
declare -A _TUNE_SAID=()
# By name in conf/tuning.tsv: the setting that controls it.
declare -A _TUNE_SETTING=()

# Tune every host for the current settings, and restore everything when the script ends.
# Usage: tune_start
# Globals: RUN, and the settings of tuning
# Returns: exits 3 with TUNE=+strict if a setting cannot be applied, and 1 if a host cannot be tuned.
tune_start() {
  cleanup_push tune_end
  tune_apply "${VARIANTS%% *}" || exit 1
}

# Change every host to the current settings: those of a variant. Changes that the variant does not request are reverted.
# Usage: tune_apply VARIANT
# Returns: 1 if a host cannot be tuned, with a line on stderr; exits 3 as tune_start.
tune_apply() {
  local variant=$1 host rows
  local -a hosts
  hosts_all
  lock_turn
  parallel_run $((REMOTE_RETRY + 120)) _tune_apply "${hosts[@]}" || {
    log_warn "$(parallel_failed "${hosts[@]}"): cannot be tuned"
    return 1
  }
  for host in "${hosts[@]}"; do
    rows=${PARALLEL_OUT[$host]}
    [[ ${_TUNE_SAID["$variant $host"]-} != "$rows" ]] || continue
    _TUNE_SAID["$variant $host"]=$rows
    _tune_tell "$host" "$rows"
    _tune_record "$variant" "$host" "$rows"
    if [[ $TUNE_STRICT == on ]] && awk -F '\t' '$2 == "cannot" || $2 == "stuck" { found = 1 } END { exit !found }' <<<"$rows"; then
      die_unfit "$host: TUNE.strict=on: cannot be tuned as requested; set TUNE=-strict, or the settings named above to off or keep"
    fi
  done
}

# Change one host to the current settings, and print the rows of lib/host/tune.sh.
# Usage: _tune_apply HOST
_tune_apply() {
  local REPLY
  tune_host "$1"
  _tune_run "$1" apply "$REPLY"
}

# Restore one host, and print the rows of lib/host/tune.sh.
# Usage: _tune_restore HOST
_tune_restore() {
  _tune_run "$1" restore
}

# Restore every host, and complete the record. A list of checksums that the run has already is written again, because it has the record.
# Usage: tune_end
# Globals: RUN
tune_end() {
  local host changed='' status=0
  local -a hosts
  hosts_all
  lock_turn
  parallel_run $((REMOTE_RETRY + 120)) _tune_restore "${hosts[@]}" || :
  for host in "${hosts[@]}"; do
    if ((${PARALLEL_STATUS[$host]} == 0)); then
      _tune_restored "$host" "${PARALLEL_OUT[$host]}" || status=1
      [[ -z ${PARALLEL_OUT[$host]} ]] || _tune_complete "$host" "${PARALLEL_OUT[$host]}"
      changed+=${PARALLEL_OUT[$host]}
    else
      lock_lease
      log_warn "$host: cannot restore its settings; its watchdog restores them $REPLY s after the last heartbeat, or ./do_it.sh stop does"
      status=1
    fi
  done
  [[ -z $changed || ! -e $RUN/SHA256SUMS ]] || stored_seal "$RUN" run || {
    log_warn "$RUN/SHA256SUMS: cannot be written; verify will report env/*/tuning.tsv as changed"
    status=1
  }
  return "$status"
}

# Warn about each value of a host that is not as before the run.
# Usage: _tune_restored HOST ROWS
#   ROWS as lib/host/tune.sh prints them for restore
# Returns: 1 if one cannot be restored
_tune_restored() {
  local name result target before after status=0
  while IFS=$'\t' read -r name result target before _ after; do
    [[ -n $name && $result != back && "$result $after" != "rebooted $before" ]] || continue
    if [[ $result == stuck ]]; then
      result="cannot be restored; ./do_it.sh stop tries again"
      status=1
    fi
    [[ $after != - ]] || after="not readable"
    log_warn "$1: $name: $target is $after, not $before as before the run: $result"
  done <<<"$2"
  return "$status"
}

# The setting that controls a name of conf/tuning.tsv.
# Usage: tune_setting NAME
# Returns: sets REPLY
tune_setting() {
  local name setting
  ((${#_TUNE_SETTING[@]} > 0)) || while IFS=$'\t' read -r name _ setting _; do
    [[ $name == \#* ]] || _TUNE_SETTING[$name]=$setting
  done <"$ROOT/conf/tuning.tsv"
  REPLY=${_TUNE_SETTING[$1]}
}

# How a setting asks for its changes: on, auto or off. A value that is not the default was asked for, so it is on.
# Usage: tune_mode SETTING
# Returns: sets REPLY
tune_mode() {
  conf_value "$1"
  if [[ $1 == TUNE.* && $REPLY == @(on|auto|off) ]]; then
    :
  elif [[ $REPLY == keep || $REPLY == off ]]; then
    REPLY=off
  elif conf_is_default "$1"; then
    REPLY=auto
  else
    REPLY=on
  fi
}

# The value of a setting that leaves the host unchanged, as NAME=VALUE.
# Usage: tune_none SETTING
# Returns: sets REPLY
tune_none() {
  case $1 in
    KERNEL.* | TIER_WEIGHTS) REPLY=$1=keep ;;
    *) REPLY=$1=off ;;
  esac
}

# Print the settings of a variant's file, or its weights, that the server does not have: rows FOUND WANTED FIX.
# Usage: tune_lacks VARIANT
# Globals: the settings of the variant
tune_lacks() {
  local names rows said name state target before now why fix setting REPLY
  names=$(conf_sets "$1")
  ! tiers_has "$TIER" Uses TIER_WEIGHTS || [[ $TIER_WEIGHTS == keep ]] || names+=$'\nTIER_WEIGHTS='
  # Check as if all of them were on, and as the variant has them: a value that the server already has needs no tuning.
  tune_settings "$HOST"
  rows=$(NAMES=$names awk -F '\t' -v OFS='\t' '
    BEGIN {
      n = split(ENVIRON["NAMES"], line, "\n")
      for (i = 1; i <= n; i++) { at = index(line[i], "="); sets[substr(line[i], 1, at - 1)] = substr(line[i], at + 1) }
    }
    NR == FNR { setting[$1] = $3; next }
    !(setting[$1] in sets) || (setting[$1] ~ /^TUNE[.]/ && sets[setting[$1]] != "on") { next }
    $5 == "keep" && $3 ~ /^file/ { $5 = sets[setting[$1]] }
    $5 !~ /^(keep|off|)$/ { $2 = "on"; print }' "$ROOT/conf/tuning.tsv" - <<<"$REPLY")
  [[ -n $rows ]] || return 0
  said=$(_tune_run "$HOST" check "$rows") || return
  while IFS=$'\t' read -r name state target before now why; do
    tune_setting "$name"
    setting=$REPLY
    tune_mode "$setting"
    if [[ $state == cannot ]]; then
      fix="as root, or another server"
      # The host knows better in some cases.
      [[ $why != *'; '@(set |as root: )* ]] || fix=${why#*; } why=${why%%; *}
      printf '%s\t%s\t%s\n' "$target: $why" "$name as the variant sets it" "$fix"
    elif [[ $state == would && $REPLY == off ]]; then
      conf_value "$setting"
      printf '%s\t%s\t%s\n' "$target is $before, and $setting=$REPLY leaves it so" "$now" \
        "$setting=$(if [[ $setting == TUNE.* ]]; then echo auto; else echo "$now"; fi)"
    fi
  done <<<"$said"
}

# The rows of conf/tuning.tsv for a host with their settings in place: lines NAME MODE KIND TARGETS VALUE.
# Usage: tune_settings HOST
# Globals: HOST and the settings of tuning
# Returns: sets REPLY
tune_settings() {
  local name role kind targets value setting mode NIC row rows=
  # On a client, that of the first server.
  if servers_is "$1"; then hosts_data "$1"; else hosts_data "${HOST%% *}"; fi
  NIC=$REPLY
  while IFS=$'\t' read -r name role setting kind targets value _; do
    [[ $name != \#* ]] || continue
    [[ $role == both || $1 == "$HOST" ]] || servers_is "$1" || continue
    tune_mode "$setting"
    mode=$REPLY
    # A text of the table, or `=` and the setting with the value.
    [[ $targets != =* ]] || { setting=${targets#=} && targets=${!setting}; }
    [[ $value != =* ]] || { conf_value "${value#=}" && value=$REPLY; }
    if [[ $mode != off ]] && parts_has "$kind" tuning; then
      "${kind}_tuning"
      value=$REPLY
    fi
    case $name:$value in
      WEIGHTS_AUTO:auto) value=true ;;
      # Setting weights turns the kernel's automatic weights off. So the old state is recorded and restored.
      WEIGHTS_AUTO:*:*) value=false ;;
      WEIGHTS:auto) value=keep mode=off ;;
      IRQ:*)
        # A host does not read the value of a setting that is off.
        [[ $mode == off ]] || {
          _tune_irq_cpus
          value=$REPLY
        }
        ;;
    esac
    printf -v row '%s\t%s\t%s\t%s\t%s' "$name" "$mode" "$kind" "$targets" "$value"
    rows+=${rows:+$'\n'}$row
  done <"$ROOT/conf/tuning.tsv"
  REPLY=$rows
}

# The CPUs for the interrupts of the NIC of the server in HOST: those of TUNE.irq, without the CPUs that an instance of the plan is
# pinned to, if any are left. If neither TUNE.irq nor SERVER_CPUS nor the kernel's isolated CPUs ask for it, at least one CPU for every two of the
# instances must be left: fewer would limit the instances.
# Usage: _tune_irq_cpus
# Globals: TUNE_IRQ SERVER_CPUS HOST and the plan
# Returns: sets REPLY, auto or a list
_tune_irq_cpus() {
  local i row unit used='' part=2 list=''
  local -a fields units
  local -A seen=()
  for i in "${!PLAN_COLUMNS[@]}"; do [[ ${PLAN_COLUMNS[i]} != places ]] || break; done
  for row in "${PLAN_ROWS[@]}"; do
    IFS=$'\t' read -r -a fields <<<"$row"
    [[ -z ${seen[${fields[i]}]+set} ]] || continue
    seen[${fields[i]}]=1
    spread_places_of "${fields[i]}"
    IFS=';' read -r -a units <<<"$REPLY"
    for unit in "${units[@]}"; do [[ $unit == -@* ]] || used+=",${unit%%@*}"; done
  done
  [[ $TUNE_IRQ != [0-9]* ]] || list=$TUNE_IRQ
  REPLY=${list:-auto}
  [[ -n $used && -n $_PLACE_TOPOLOGY ]] || return 0
  place_isolated
  [[ $list$SERVER_CPUS$REPLY == auto ]] || part=0
  REPLY=$(exec awk -F , -v list="$list" -v used="${used#,}" -v part="$part" "$CPUS_AWK"'
    /^[0-9]/ { all = all "," $1 }
    END {
      for (i = cpus_expand(used, cpu); i > 0; i--) if (!(cpu[i] in taken)) { taken[cpu[i]] = 1; pinned++ }
      n = cpus_expand(list == "" ? substr(all, 2) : list, cpu)
      for (i = 1; i <= n; i++) if (!(cpu[i] in taken)) left[++free] = cpu[i]
      print (free && free * part >= (part ? pinned : 0)) ? cpus_compress(left, free) : list
    }' <<<"$_PLACE_TOPOLOGY")
  REPLY=${REPLY:-auto}
}

# As tune_settings, with the nodes of that server if the host is one of several.
# Usage: tune_host HOST
# Returns: sets REPLY
tune_host() {
  if servers_is "$1"; then servers_at "$1" tune_settings "$1"; else tune_settings "$1"; fi
}

# Whether a run would change a value of a host.
# Usage: tune_would HOST NAME
#   NAME in conf/tuning.tsv
tune_would() {
  local said REPLY
  tune_host "$1"
  said=$(_tune_run "$1" check "$(grep "^$2"$'\t' <<<"$REPLY")") || return
  [[ $'\n'$said == *$'\n'"$2"$'\twould\t'* ]]
}

# Run a verb of lib/host/tune.sh on a host, with the rows of TUNE_ROWS.
# Usage: _tune_run HOST VERB [ROWS]
_tune_run() {
  local TUNE_ROWS=${3-}
  call_run "$1" tune "$2"
}

# Messages about one host: a warning for each impossible setting that is on, one line for all impossible settings that are auto.
_tune_tell() {
  local host=$1 name state target why changed last='' names=''
  changed=$(exec awk -F '\t' '$2 == "set" { n++; if (!seen[$1]++) names = names (names == "" ? "" : ", ") $1 } END { if (n) print n " value(s) set for the run: " names }' <<<"$2")
  [[ -z $changed ]] || log_info "$host: $changed"
  while IFS=$'\t' read -r name state target _ _ why; do
    case $state in
      lapsed) log_warn "$host: $why; the previous repeat was not tuned throughout" ;;
      theirs | shared | stuck) log_warn "$host: $name: $target: $why" ;;
      cannot)
        [[ $name != "$last" ]] || continue
        last=$name
        tune_setting "$name"
        tune_mode "$REPLY"
        if [[ $REPLY == on ]]; then
          log_warn "$host: $name: $target: $why"
        else
          names+=" $name ($why)"
        fi
        ;;
    esac
  done <<<"$2"
  # Once, not for each variant.
  [[ -z $names || ${_TUNE_SAID["cannot $host"]-} == "$names" ]] || log_info "$host: cannot be set here:$names"
  _TUNE_SAID["cannot $host"]=$names
}

# Keep the output of a host; its last column is filled when the host is restored.
_tune_record() {
  local variant=$1 host=$2 file REPLY
  hosts_folder "$RUN/env" "$host"
  file=$REPLY/tuning.tsv
  mkdir -p -- "${file%/*}" 2>/dev/null || write_failed "$file" || return
  # shellcheck disable=SC2016 # the program of awk
  write_more "$file" $'variant\tname\tstate\ttarget\tbefore\tduring\twhy\tafter' \
    awk -F '\t' -v OFS='\t' -v variant="$variant" 'NF { print variant, $0, "-" }' <<<"$3"
}

# Fill the last column of a host's record: the value after the run, and the result unless it is `back`.
# Usage: _tune_complete HOST ROWS
#   ROWS as lib/host/tune.sh prints them for restore
# Globals: RUN
_tune_complete() {
  local file REPLY
  hosts_folder "$RUN/env" "$1"
  file=$REPLY/tuning.tsv
  [[ -e $file ]] || return 0
  # shellcheck disable=SC2016 # the program of awk
  write_file "$file" awk -F '\t' -v OFS='\t' 'NR == FNR { after[$1, $3] = $6 ($2 == "back" ? "" : " (" $2 ")"); next }
    $3 == "set" && ($2, $4) in after { $8 = after[$2, $4] } { print }' <(printf '%s\n' "$2") "$file"
}
