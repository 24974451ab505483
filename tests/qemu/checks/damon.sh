# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# DAMON: pages that it migrates, and the memory that it sees in use on a slow node, where the used keys are known.

damon_prepare() {
  # shellcheck source=tests/qemu/checks/policies.sh
  . tests/qemu/checks/policies.sh
  policies_prepare
  cat >conf/scenarios/damon.conf <<'END'
# One key, a fifth and all of the keys get all requests. With large values Redis' own memory is a small part.
LIKE=guest
SERVER_CPUS=0
SIDECAR=/var/tmp/switch
VALUE_SIZES=256000
KEYS=250
FILL=guide
PHASES="populate get get get get get get get get get get"
POPULATE_PATTERN=shuffle
KEY_PATTERN="hotspot:0.4:100 hotspot:20:100 uniform"
DAMON=monitor
TIME=6
END
  cat >/var/tmp/switch <<'END'
#!/bin/bash
# Switch to another address space on the CPU of Redis 50 times per second. The emulated CPU keeps translations until then, and an access by a kept
# translation sets no accessed bit; a real CPU evicts them.
trap 'exit 0' INT
exec 3<> <(:)
taskset -p 1 $$
while :; do read -r -t 0.02 -u 3 || :; done
END
  chmod 755 /var/tmp/switch
}

# Print the averages of DAMON in the measured phases, lines POINT BYTES GETS SECONDS LOADED SAMPLE: bytes in use, GETs, seconds between the marks of
# the phase, seconds of load, and seconds per sample.
damon_averages() {
  local folder
  for folder in /var/tmp/monitor/*/bind/*/rep-1/server; do
    awk -F '\t' -v point="${folder%/rep-1/server}" -v loaded=6 '
      BEGIN { sub(/.*\//, "", point) }
      $1 !~ /^get/ { next }
      !($1 in seen) { seen[$1] = 1; phase[++n] = $1 }
      $2 == "damon" && $3 ~ /^access[0-9]+$/ { i = substr($3, 7) + 0; if (i > most) most = i; all[$1] += $5 - $4; used[$1] += ($5 - $4) * i }
      $2 == "damon" && $3 == "far_bytes" { far = $5 }
      $2 ~ /^[0-9]+$/ && $3 == "calls" { calls[$1] = $5 - $4 }
      $2 == "host" && $3 == "time_us" { time[$1] = ($5 - $4) / 1e6; total += time[$1] }
      END {
        for (i = 1; i <= n; i++) samples += all[phase[i]] / far * most
        for (i = 1; i <= n; i++) print point, used[phase[i]] / most / all[phase[i]] * far, calls[phase[i]], time[phase[i]], loaded, total / samples
      }' "$folder/counters.tsv"
  done
}

# Print each average of DAMON beside the bytes of the requested keys, then RATIO of their sums. A key that gets R requests per second is in use in a
# sample of S seconds with the probability 1 - exp(-R S). What DAMON sees with one key is the memory of Redis itself and that key.
# Usage: damon_compare KEYS BYTES <AVERAGES
#   BYTES is the size of the pages of a key
damon_compare() {
  awk -v keys="$1" -v bytes="$2" '
    function planted(h) { return $5 / $4 * h * bytes * (1 - exp(-$3 / $5 / h * $6)) }
    $1 ~ /hotspot0.4/ { own += $2 - planted(1); owns++; next }
    { h = $1 ~ /hotspot20/ ? keys / 5 : keys; sum += want = planted(h); got = $2 - own / owns; found += got; count++
      printf "# %s: %.2f MB in use of %.2f MB planted, %.0f GETs, sample %.0f ms\n", $1, got / 1e6, want / 1e6, $3, $6 * 1000 }
    END { printf "averages=%d ratio=%.3f own=%.2f MB\n", count, found / sum, own / owns / 1e6 }'
}

damon_checks() {
  damon_prepare
  # DAMON demotes the cold memory while it is filled; the slow node has room for it and for Redis.
  run_variants policies -v moved COLD_MEMORY=128M
  check 'damon: hot pages of Redis that were on the slow node are in DRAM at the end, and moves are counted' '^0\.[0-8][0-9]* [1-9]' \
    "$(figure moved far_share moved_per_op)"
  check 'damon: bytes in both directions are counted' '^[1-9][0-9]* [1-9][0-9]*$' "$(growth moved get damon promoted demoted)"
  check 'damon: the memory in use on the slow node is a figure' '^[1-9][0-9]*$' "$(figure moved far_wss_bytes)"
  check 'damon: it is stopped' ' kdamonds=0 ' "$(settings)"
  GROUP=monitor run_variants damon -v bind
  damon_averages | tee /var/tmp/averages | damon_compare 250 258048 >/var/tmp/compared
  sed 's/^[^#]/# &/' /var/tmp/compared
  check 'DAMON=monitor: 20 averages are within 10 % of the bytes of the requested keys' '^averages=20 ratio=(0\.9|1\.0)' "$(tail -n 1 /var/tmp/compared)"
}
