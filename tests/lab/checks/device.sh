# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A swap device with a limit of reads per second: the figures follow the limit.

# Run the variant swap with N reads per second, and print operations per second and far accesses per operation.
# Usage: device_at N
device_at() {
  lab_ssh server 'printf "#!/bin/sh\necho \"$(cat /sys/block/vda/dev) riops='"$1"'\" >/sys/fs/cgroup\$(sed -n s/^0:://p /proc/self/cgroup)/io.max\nexec \"\$@\"\n" >/usr/local/bin/limited
    chmod 755 /usr/local/bin/limited
    echo +io >/sys/fs/cgroup/cgroup.subtree_control' >&2
  lab_run run -v swap TIER_SWAP=/dev/vda DRAM_RATIO=1:4 SRV_OVERRIDE=1 CLIENTS=1 KEYS=4000 VALUE_SIZES=4000 DATA=random RATE=0 TIME=20 KEY_PATTERN=uniform \
    SERVER_PREFIX=/usr/local/bin/limited >&2
  "$REPO/summary2csv.sh" --total "$(lab_newest)" | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["operation"] == "get" { print $at["ops_per_sec"], $at["far_per_op"] }'
}

device_checks() {
  local fast slow
  lab_three || return
  fast=$(device_at 200)
  slow=$(device_at 100)
  check 'half of the reads per second give about half of the operations; about as many are far' '^half' "$(awk -v fast="$fast" -v slow="$slow" 'BEGIN {
    split(fast, f, " "); split(slow, s, " ")
    ratio = f[1] > 0 ? s[1] / f[1] : 0
    print (ratio > 0.35 && ratio < 0.65 && s[2] > 0.2 && s[2] < 1.2 ? "half:" : "not half:"), slow, "of", fast
  }')"
  lab_ssh server 'echo -io >/sys/fs/cgroup/cgroup.subtree_control; rm /usr/local/bin/limited'
}
