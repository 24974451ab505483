# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A run's logs under the names that the Redis-Memtier workload gives to its own, for scripts that look for these.

# Link a repeat's logs by instance number, in its own folder, and in the run's folder if that links to no other repeat.
# Usage: links_make REPEAT_FOLDER
# Globals: RUN LOG_LINKS, and of the point: POINT_INSTANCES REDISBASE
links_make() {
  local folder=$1 inside=${1#"$RUN/"} name file free=1
  [[ $LOG_LINKS == on ]] || return 0
  # All of the run's links lead to one repeat, or they would mix points. If that repeat was removed, they lead nowhere; if it was
  # removed and this is it again, some lead to it already.
  for name in "$RUN"/redis-*.log "$RUN"/memtier-*.log; do
    [[ -L $name ]] || continue
    if [[ -e $name && $(readlink -- "$name") != "$inside"/* ]]; then free=0; else rm -- "$name" || return; fi
  done
  _links_rows "$folder" | while IFS=$'\t' read -r name file; do
    ln -s -- "$file" "$folder/$name" || return
    ((!free)) || ln -s -- "$inside/$file" "$RUN/$name" || return
  done
}

# Print the name of each link and where it leads, seen from the repeat's folder.
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
