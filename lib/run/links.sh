# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A run's logs under the names that the Redis-Memtier workload gives to its own, for scripts that look for these.

# Link a repeat's logs by instance number, in its own directory, and in the run's directory if no other repeat is linked there.
# Usage: links_make REPEAT_DIR
# Globals: RUN LOG_LINKS, and of the point: POINT_INSTANCES REDISBASE
links_make() {
  local folder=$1 inside=${1#"$RUN/"} name file free=1
  [[ $LOG_LINKS == on ]] || return 0
  # All links of the run lead to one repeat, or they would mix points. If that repeat was removed, they are dangling; if it was removed and
  # runs again now, some are valid already.
  for name in "$RUN"/redis-*.log "$RUN"/memtier-*.log; do
    [[ -L $name ]] || continue
    if [[ -e $name && $(readlink -- "$name") != "$inside"/* ]]; then free=0; else rm -- "$name" || return; fi
  done
  _links_rows "$folder" | while IFS=$'\t' read -r name file; do
    ln -s -- "$file" "$folder/$name" || return
    ((!free)) || ln -s -- "$inside/$file" "$RUN/$name" || return
  done
}

# Print the name of each link and where it leads, seen from the repeat's directory.
_links_rows() {
  local folder=$1 client port count i log number
  while IFS=$'\t' read -r client port count; do
    for ((i = 0; i < count; i++)); do
      number=$((port + i - REDISBASE))
      printf 'redis-%d.log\tserver/redis-%d.log\n' "$number" $((port + i))
      for log in "$folder/$client"/redis.log.*; do
        log=${log#"$folder/"}
        [[ " $PHASES " != *" populate "* ]] || printf 'memtier-populate%d.log\t%s\n' "$number" "$log"
        printf 'memtier-bench%d.log\t%s\n' "$number" "$log"
      done
    done
  done < <(plan_clients "$POINT_INSTANCES")
}
