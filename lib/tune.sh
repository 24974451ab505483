# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The master's side of tuning: which settings each host gets, the record of what they were, and the way back.

# Processes that tell each tuned host that the master lives.
_TUNE_RENEWERS=()
# By variant and host: what apply said last, so that the record has it once.
declare -A _TUNE_SAID=()

# Tune every host for the settings in force, and see to it that all is put back when the script ends.
# Usage: tune_start
# Globals: RUN, and the settings of tuning
# Returns: exits 3 when TUNE_STRICT=1 and something cannot be done.
tune_start() {
  local host
  cleanup_push tune_end
  while read -r host; do
    _tune_renew "$host" $$ &
    _TUNE_RENEWERS+=($!)
  done < <(doctor_hosts)
  tune_apply "${VARIANTS%% *}"
}

# Bring every host to the settings in force: those of a variant. Changes that it does not ask for are put back.
# Usage: tune_apply VARIANT
# Returns: exits 3 as tune_start.
tune_apply() {
  local variant=$1 host rows
  while read -r host; do
    rows=$(_tune_run "$host" apply) || die "$host: it could not be tuned"
    [[ ${_TUNE_SAID["$variant $host"]-} != "$rows" ]] || continue
    _TUNE_SAID["$variant $host"]=$rows
    _tune_tell "$host" "$rows"
    _tune_record "$variant" "$host" "$rows"
    if ((TUNE_STRICT)) && awk -F '\t' '$2 == "cannot" { found = 1 } END { exit !found }' <<<"$rows"; then
      die_unfit "$host: TUNE_STRICT=1, and it cannot be tuned as asked"
    fi
  done < <(doctor_hosts)
}

# Put every host back, and complete the record.
# Usage: tune_end
tune_end() {
  local pid host rows status=0
  for pid in "${_TUNE_RENEWERS[@]}"; do kill "$pid" 2>/dev/null || :; done
  while read -r host; do
    if rows=$(_tune_run "$host" restore); then
      awk -F '\t' -v host="$host" 'NF && $2 != "back" { printf "warning: %s: %s: %s is %s, not %s as before the run: %s\n", host, $1, $3, $6, $4, $2 }' <<<"$rows" >&2
      _tune_complete "$host" "$rows"
    else
      log_warn "$host: it could not be put back; it does that itself, $TUNE_LEASE s after the last sign of life, or ./do_it.sh stop does"
      status=1
    fi
  done < <(doctor_hosts)
  return "$status"
}

# Print what tuning a host would do: NAME STATE TARGET BEFORE NOW WHY.
# Usage: tune_check HOST
tune_check() {
  _tune_run "$1" check
}

# Print what keeps the server from being what a variant's file says, or weights of its own: rows FOUND WANTED MEND.
# Usage: tune_lacks VARIANT
# Globals: the settings of the variant
tune_lacks() {
  local names rows name state target before now why mode
  names=$(variant_sets "$1")
  [[ $TIER != weighted || $TIER_WEIGHTS == keep ]] || names+=$'\nTIER_WEIGHTS=\nWEIGHTS_AUTO='
  # As if all of them were on: what is so already needs no tuning.
  rows=$(tune_settings "$SERVER" | NAMES=$names awk -F '\t' -v OFS='\t' '
    BEGIN { n = split(ENVIRON["NAMES"], line, "\n"); for (i = 1; i <= n; i++) { split(line[i], part, "="); sets["=" part[1]] = part[2] } }
    NR == FNR { if ($5 in sets || sets["=TUNE_" $1] == "on") wanted[$1] = 1; next }
    $1 in wanted && $5 != "keep" { $2 = "on"; print }' "$ROOT/conf/tuning.tsv" -)
  [[ -n $rows ]] || return 0
  while IFS=$'\t' read -r name state target before now why; do
    mode=TUNE_$name
    if [[ $state == cannot ]]; then
      printf '%s\t%s\t%s\n' "$target: $why" "$name as the variant sets it" "as root, or another server"
    elif [[ $state == would && ${!mode} == off ]]; then
      printf '%s\t%s\t%s\n' "$target is $before, and $mode=off leaves it so" "$now" "$mode=auto"
    fi
  done < <(_tune_run "$SERVER" check "$rows")
}

# Print the rows of conf/tuning.tsv for a host with their settings in place: NAME MODE KIND TARGETS VALUE.
# Usage: tune_settings HOST
# Globals: SERVER and the settings of tuning
tune_settings() {
  local name role kind targets value mode NIC
  NIC=$(host_data "$SERVER")
  while IFS=$'\t' read -r name role kind targets value _; do
    [[ $name != \#* ]] || continue
    [[ $role == both || $1 == "$SERVER" ]] || continue
    mode=TUNE_$name
    mode=${!mode}
    targets=$(_tune_value "$targets") value=$(_tune_value "$value")
    # Weights that are set turn the kernel's own off, so it is noted that they were on, and they are put back.
    [[ $name != WEIGHTS_AUTO || $value != keep || $TIER_WEIGHTS == keep ]] || value=false
    [[ $value != keep ]] || mode=off
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$mode" "$kind" "$targets" "$value"
  done <"$ROOT/conf/tuning.tsv"
}

# A word of the table, or the value of the setting that it names.
_tune_value() {
  local name=${1#=}
  if [[ $1 == =* ]]; then echo "${!name}"; else echo "$1"; fi
}

# Usage: _tune_run HOST VERB [ROWS]
_tune_run() {
  local host=$1 verb=$2
  TUNE_ROWS=${3-}
  [[ -n $TUNE_ROWS || $verb != apply && $verb != check ]] || TUNE_ROWS=$(tune_settings "$host")
  remote_run -e RUN_ID -e RUN_OWNER -e TUNE_ROWS -e TUNE_LEASE "$host" tune "$verb"
}

# Tell a host every few seconds that the master lives, until it does not.
_tune_renew() {
  local host=$1 master=$2 start next=0 pace=$((TUNE_LEASE / 6)) answer last='' REMOTE_RETRY=0
  trap - EXIT INT TERM HUP
  ((pace > 0)) || pace=1
  proc_start "$master" || return 0
  start=$PROC_START
  # A look at the master every second, so that nothing outlives it for longer.
  while proc_alive "$master" "$start"; do
    if ((SECONDS >= next)); then
      answer=$(_tune_run "$host" renew 2>/dev/null) || :
      [[ $answer != lapsed || $last == lapsed ]] ||
        log_warn "$host did not hear of us for TUNE_LEASE=$TUNE_LEASE s and put itself back; the next repeat tunes it again"
      last=$answer
      next=$((SECONDS + pace))
    fi
    sleep 1
  done
}

# What a user should know of one host: on and not possible is a warning each, auto and not possible a line for all.
_tune_tell() {
  local host=$1 name state target why mode count last='' names=''
  count=$(awk -F '\t' '$2 == "set"' <<<"$2" | wc -l)
  ((count == 0)) || log_info "$host: $count value(s) set for the run"
  while IFS=$'\t' read -r name state target _ _ why; do
    case $state in
      lapsed) log_warn "$host: $why; the repeat before this was not tuned all through" ;;
      theirs | shared) log_warn "$host: $name: $target: $why" ;;
      cannot)
        mode=TUNE_$name
        [[ $name != "$last" ]] || continue
        last=$name
        if [[ ${!mode} == on ]]; then
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

# Keep what was said of a host; the last column is filled in when the host is put back.
_tune_record() {
  local variant=$1 host=$2 file=$RUN/env/$2/tuning.tsv
  mkdir -p -- "${file%/*}"
  [[ -e $file ]] || printf 'variant\tname\tstate\ttarget\tbefore\tduring\twhy\tafter\n' >"$file"
  awk -F '\t' -v OFS='\t' -v variant="$variant" 'NF { print variant, $0, "-" }' <<<"$3" >>"$file"
}

_tune_complete() {
  local file=$RUN/env/$1/tuning.tsv
  [[ -e $file ]] || return 0
  awk -F '\t' -v OFS='\t' 'NR == FNR { after[$1, $3] = $6 ($2 == "back" ? "" : " (" $2 ")"); next }
    $3 == "set" && ($2, $4) in after { $8 = after[$2, $4] } { print }' <(printf '%s\n' "$2") "$file" >"$file.new" && mv -- "$file.new" "$file"
}
