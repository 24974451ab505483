# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Links to a run's logs with the names of the Redis-Memtier workload, for scripts that use these names.

# Link a repeat's logs by instance number, in its directory, and in the run's directory if no other repeat is linked there.
# Usage: links_make REPEAT_DIR INSTANCES
# Globals: RUN LOG_LINKS REDISBASE
links_make() {
  local folder=$1 inside=${1#"$RUN/"} name file free=1
  [[ $LOG_LINKS == on ]] || return 0
  # All links of the run point to one repeat, because they must not mix points. If that repeat was removed, they are dangling; if it is running again,
  # some are already valid.
  for name in "$RUN"/redis-*.log "$RUN"/memtier-*.log; do
    [[ -L $name ]] || continue
    if [[ -e $name && $(readlink -- "$name") != "$inside"/* ]]; then free=0; else rm -- "$name" || return; fi
  done
  _links_rows "$@" | while IFS=$'\t' read -r name file; do
    ln -s -- "$file" "$folder/$name" || return
    ((!free)) || ln -s -- "$inside/$file" "$RUN/$name" || return
  done
}

# Print the name and the target of each link, relative to the repeat's directory.
# Usage: _links_rows REPEAT_DIR INSTANCES
_links_rows() {
  local folder=$1 client port count i log number REPLY
  while IFS=$'\t' read -r client port count; do
    hosts_folder "$folder" "$client"
    for ((i = 0; i < count; i++)); do
      number=$((port + i - REDISBASE))
      printf 'redis-%d.log\tserver/redis-%d.log\n' "$number" $((port + i))
      for log in "$REPLY"/redis.log.*; do
        log=${log#"$folder/"}
        [[ " $PHASES " != *" populate "* ]] || printf 'memtier-populate%d.log\t%s\n' "$number" "$log"
        printf 'memtier-bench%d.log\t%s\n' "$number" "$log"
      done
    done
  done < <(shares_clients "$2")
}
