#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# INFO of all instances: complete, from each, with few processes, and without waiting for an instance that does not answer.

load helper

prepare() {
  mkdir -p work/run-x/server
  ports=() pids=()
  local i
  for i in 1 2 3; do
    redis_start --requirepass secret
    ports+=("$REDIS_PORT") pids+=("$REDIS_PID")
    printf '%s\t%s\t%s\n' "$REDIS_PID" "$(process_start "$REDIS_PID")" "$REDIS_PORT" >>work/run-x/server/instances.proc
    printf 'requirepass secret\n' >"work/run-x/server/$REDIS_PORT.conf"
  done
}

# Ask all instances of the record, with a limit for all of them together: LIMIT seconds (60), which is reached only if an instance does not
# answer.
# Usage: info_of_all [CODE]   CODE runs before
info_of_all() {
  {
    cat "$REPO"/lib/shared/*.sh
    sed 's/^readonly _INFO_LIMIT=.*/readonly _INFO_LIMIT='"${LIMIT:-60}"'/' "$REPO/lib/host/info.sh"
    printf 'set -Eeuo pipefail; SERVER_ADDRESS=127.0.0.1 WORK=%q RUN_ID=x\n' "$SCRATCH/work"
    printf 'protocol_prove %s\n%s\nhost_info_all "$WORK/run-x/server/instances.proc"\n' "${ports[*]}" "${1-}"
  } >script
  run_split bash script
}

@test "every instance is asked, and its answer is whole; another password is not an answer" {
  # One process for all: the instances are not asked one by one. The proof is made before.
  succeeds info_of_all 'protocol_ask() { return 1; }'
  assert_equal "$STDERR" ''
  assert_equal "$(grep '^### instance ' <<<"$output")" "$(printf '### instance %s\n' "${ports[@]}")"
  for port in "${ports[@]}"; do
    assert_contains "tcp_port:$port"$'\n'
    # All sections, the last one too.
    assert_equal "$(awk -v port="$port" '/^###/ { mine = $3 == port; next } mine && /^# /' <<<"$output")" \
      "$(redis-cli -p "$port" -a secret --no-auth-warning info all | tr -d '\r' | grep '^# ')"
  done
  refute_contains $'\r'
  sed -i 's/secret/other/' work/run-x/server/*.conf
  succeeds info_of_all
  assert_equal "$(grep -c '^# no answer$' <<<"$output")" 3
}

@test "a suspended or missing instance does not keep the others from answering" {
  kill -s STOP "${pids[1]}"
  LIMIT=3 succeeds info_of_all
  assert_equal "$STDERR" ''
  assert_contains "### instance ${ports[1]}"$'\n# no answer\n'"### instance ${ports[2]}"
  assert_equal "$(grep -c '^tcp_port:' <<<"$output")" 2
  kill -s CONT "${pids[1]}"
  redis-cli -p "${ports[0]}" -a secret --no-auth-warning shutdown nosave || :
  process_gone "${pids[0]}" 2>/dev/null || :
  shows "### instance ${ports[0]}"$'\n# no answer\n'"### instance ${ports[1]}" info_of_all
  assert_equal "$(grep -c '^tcp_port:' <<<"$output")" 2
}
