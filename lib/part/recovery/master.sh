# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# START=far: before the first measured phase, the pages of the instances leave DRAM. The figures are how soon the phase reaches its final rate.

_RECOVERY_FOLDER= # recovery.tsv of the repeat

# Whether START asks for it, of a variant that has memory to push data to.
# Usage: recovery_wanted
# Globals: START
recovery_wanted() {
  [[ $START == far ]] && { tier_is limited || tier_is divided || tier_is moves; }
}

# Usage: recovery_say
recovery_say() {
  [[ $START != far ]] || echo 'start    from far memory: pages leave DRAM before the first measured phase'
}

# Whether the server in HOST can swap out the pages of a cgroup.
# Usage: recovery_doctor
recovery_doctor() {
  ! { recovery_wanted && tier_is limited; } || call_run "$HOST" recovery check
}

# Usage: recovery_fresh DIR
recovery_fresh() {
  _RECOVERY_FOLDER=$1
}

# Push the pages away while no client sends.
recovery_at_load() {
  if tier_is limited; then
    parts_ask swap
  else
    tier_divide 0 keep || return
    parts_ask look "$(place_memory_nodes far)"
  fi
}

# Keep what has left DRAM, and report it.
# Usage: recovery_got_load PHASE
recovery_got_load() {
  local host
  for host in $HOST; do
    # shellcheck disable=SC2016 # the program of awk
    write_more "$_RECOVERY_FOLDER/recovery.tsv" $'phase\thost\tport\tout_bytes\tdata_bytes' \
      awk -F '\t' -v OFS='\t' -v phase="$1" -v host="$host" '{ print phase, host, $2, $3, $4 }' <<<"${PART_SAID[$host]}" || return
    log_info "$host: $(awk -F '\t' '{ out += $3; all += $4 } END { printf "%.1f", all ? 100 * out / all : 0 }' <<<"${PART_SAID[$host]}") % of the data left DRAM before $1"
  done
}
