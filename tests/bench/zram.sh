#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The cost of values in the kernel's zram: ratio and time to read a page, compared with source code of the same ratio.
# Usage: zram.sh [RATIO...]     PAGES=2000 pages of each; SIZE=10000 of values; SOURCE=/usr/include; ROUNDS=15 reads of each, in turn; as root
# Prints one row per algorithm and ratio: ratios of both, us per page read (medians), and the quotient of the times.
set -Eeuo pipefail
# shellcheck source=/dev/null # followed from here, shellcheck takes three times as long
. "$(dirname "${BASH_SOURCE[0]}")/../helper.bash"
count=${PAGES:-2000} rounds=${ROUNDS:-15} size=${SIZE:-10000}
devices=()

# Removes our devices.
bench_down() {
  local device
  for device in "${devices[@]}"; do
    echo 1 >"/sys/block/$device/reset"
    echo "${device#zram}" >/sys/class/zram-control/hot_remove
  done
  scratch_teardown
}

# Writes a file to a device and prints the ratio. Usage: bench_load DEVICE ALGORITHM FILE
bench_load() {
  local stored compressed
  echo 1 >"/sys/block/$1/reset"
  echo "$2" >"/sys/block/$1/comp_algorithm"
  stat -c %s "$3" >"/sys/block/$1/disksize"
  dd if="$3" of="/dev/$1" bs=128K oflag=direct status=none
  read -r stored compressed _ <"/sys/block/$1/mm_stat"
  awk -v s="$stored" -v p="$compressed" 'BEGIN { printf "%.3f\n", s / p }'
}

# Reads a device. Usage: bench_read DEVICE   prints microseconds per page
bench_read() {
  LC_ALL=C dd if="/dev/$1" of=/dev/null bs=128K iflag=direct 2>&1 | awk '/copied/ { print $(NF - 3) / $1 * 4096 * 1e6 }'
}

# Compares two files. Usage: bench_pair ALGORITHM NAME FILE OTHER   prints the row
bench_pair() {
  local a b i
  a=$(bench_load "${devices[0]}" "$1" "$3")
  b=$(bench_load "${devices[1]}" "$1" "$4")
  for ((i = 0; i < rounds; i++)); do
    echo "$(bench_read "${devices[0]}") $(bench_read "${devices[1]}")"
  done >"times"
  awk '{ print $1 }' times | sort -n >first
  awk '{ print $2 }' times | sort -n >second
  awk '{ print $2 / $1 }' times | sort -n | paste first second - |
    awk -v a="$1" -v n="$2" -v ra="$a" -v rb="$b" -v m="$((rounds / 2 + 1))" \
      'NR == m { printf "%-8s %-6s ratio %.3f %.3f   us/page %.2f %.2f   time %.2f\n", a, n, ra, rb, $1, $2, $3 }'
}

trap bench_down EXIT
scratch_setup
[[ -w /sys/class/zram-control/hot_remove ]] || { echo 'zram.sh: requires root and the module zram' >&2 && exit 1; }
for _ in 1 2; do devices+=("zram$(</sys/class/zram-control/hot_add)"); done
loadgen=$REPO/lib/loadgen
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -I"$loadgen" -o pages "$REPO/tests/bench/pages.c" "$loadgen"/{values,sizes,compressible,number}.c -lm
find "${SOURCE:-/usr/include}" -type f -name '*.h' -print0 | sort -z | xargs -0 cat >corpus
echo 'values beside source code of the same ratio'
for ratio in "${@:-2}"; do
  ./pages like "$ratio" "$count" <corpus >like.pages
  [[ -s like.pages ]] || { echo "zram.sh: ${SOURCE:-/usr/include} has no page of ratio $ratio" >&2 && continue; }
  ./pages values "compressible:$ratio" "$size" "$count" >values.pages
  for algorithm in lz4 lzo-rle; do
    grep -qw -e "$algorithm" "/sys/block/${devices[0]}/comp_algorithm" || continue
    bench_pair "$algorithm" "$ratio" like.pages values.pages
  done
done
