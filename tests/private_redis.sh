#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Private Redis servers for tests and benchmarks of the load generator: sourced; everything is gone again when the script ends.

redis_work=$(mktemp -d)
redis_pids=()

# Ends what redis_start started and removes the folder.
redis_end() {
  local pid
  for pid in "${redis_pids[@]}"; do kill -CONT "$pid" 2>/dev/null && kill "$pid" 2>/dev/null; done
  rm -rf -- "$redis_work"
}
trap redis_end EXIT

# Starts a server on the first free port from 21100 up and waits until it answers.
# Usage: redis_start [CPU [REDIS_OPTION...]]     CPU - pins to none; sets redis_port and redis_pid
redis_start() {
  local cpu=${1:--} pin=() try tries
  shift || :
  [[ $cpu == - ]] || pin=(taskset -c "$cpu")
  for ((redis_port = ${redis_port:-21099} + 1; redis_port < 21400; redis_port++)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$redis_port") 2>/dev/null && continue
    "${pin[@]}" redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --appendonly no --dir "$redis_work" \
      --pidfile "$redis_work/$redis_port.pid" --daemonize yes "$@" >/dev/null || continue
    for ((tries = 100; tries > 0; tries--)); do
      try=$(redis-cli -p "$redis_port" ping 2>/dev/null) || :
      if [[ $try == PONG && -s $redis_work/$redis_port.pid ]]; then
        redis_pid=$(<"$redis_work/$redis_port.pid")
        redis_pids+=("$redis_pid")
        return 0
      fi
      sleep 0.05
    done
  done
  echo "no redis-server would start" >&2
  return 1
}
