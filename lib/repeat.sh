# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One repeat of one point of one variant: instances up, load, results home, instances down.

# Run a repeat into RUN/VARIANT/POINT/rep-N; it has that name only once it is whole.
# Usage: repeat_run FOLDER SIZE INSTANCES KEYS REPEAT
# Globals: SERVER RUN
# Returns: 0 when done (or there already), 1 when it failed; its files then stay in rep-N.failed-TIME.
repeat_run() {
  local folder=$1 status=0 stamp
  shift
  [[ ! -e $folder ]] || return 0
  printf -v stamp '%(%Y%m%d-%H%M%S)T' -1
  # What a cut run left is kept, but it is not a result.
  [[ ! -e $folder.partial ]] || mv -- "$folder.partial" "$folder.cut-$stamp"
  mkdir -p -- "$folder.partial/server" || return
  cleanup_push _repeat_stop
  _repeat_load "$folder.partial" "$stamp" "$@" || status=1
  cleanup_pop || status=1
  if ((status == 0)); then
    mv -T -- "$folder.partial" "$folder"
    links_make "$folder" || log_warn "$folder: not all links to its logs could be made"
  else
    mv -- "$folder.partial" "$folder.failed-$stamp"
    log_warn "failed; what is there: $folder.failed-$stamp"
    return 1
  fi
}

# Each step says itself what is wrong; the logs are fetched even after a failure, because they tell why.
_repeat_load() {
  local folder=$1 stamp=$2 size=$3 instances=$4 keys=$5 repeat=$6 status=0 client port count line
  local -a clients=()
  POINT_INSTANCES=$instances
  tier_up "$(fill_bytes "$size" "$instances" "$keys")" "$instances" || return
  server_start "$instances" || return
  server_info >"$folder/server/info.before" || return
  fill_plan "$size" "$instances" "$keys" >"$folder/server/plan.tsv" || return
  monitor_start "$(fill_bytes "$size" "$instances" "$keys")" || return
  while IFS=$'\t' read -r client port count; do
    clients+=("$client")
    client_launch "$client" "$port" "$count" "$size" "$keys" || return
  done < <(plan_clients "$instances")
  client_wait "${clients[@]}" || status=1
  trace_fetch "$folder/server" || status=1
  monitor_mark end || status=1
  monitor_fetch "$folder/server" || status=1
  for client in "${clients[@]}"; do
    client_fetch "$client" "$folder/$client" "redis.log.$client.$stamp.$repeat" "$RUN/setup.log" || status=1
    [[ ! -s $folder/$client/stderr ]] || while IFS= read -r line; do log_warn "$client: $line"; done <"$folder/$client/stderr"
  done
  server_info >"$folder/server/info.after" || status=1
  server_logs "$folder/server" || status=1
  warnings_tell "$folder/server"
  ((status == 0)) || return
  _repeat_starts "$folder" "${clients[@]}" >"$folder/starts.tsv"
}

# When each client really started each phase, on the master's clock: PHASE CLIENT START_US.
_repeat_starts() {
  local folder=$1 client
  shift
  printf 'phase\tclient\tstart_us\n'
  for client in "$@"; do
    awk -F '\t' -v client="$client" -v offset="$(client_offset "$client")" '
      NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
      { printf "%s\t%s\t%.0f\n", $column["operation"], client, $column["start_us"] - offset }' "$folder/$client/result.tsv" || return
  done
}

_repeat_stop() {
  local client status=0
  log_progress_end
  for client in $CLIENT_IP; do client_stop "$client" || status=1; done
  monitor_stop || status=1
  trace_stop || status=1
  server_stop || status=1
  tier_down || status=1
  return "$status"
}
