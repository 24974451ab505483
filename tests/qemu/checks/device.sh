# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A swap device with an I/O limit of cgroup version 2, set as docs/scenarios/flash.md describes.

# Write the program of SERVER_PREFIX that limits the instances to N reads per second.
# Usage: device_limit N
device_limit() {
  cat >/var/tmp/limited <<END
#!/bin/bash
echo "$(</sys/block/nvme0n1/dev) riops=$1" >"/sys/fs/cgroup\$(sed -n 's/^0:://p' /proc/self/cgroup)/io.max"
exec "\$@"
END
  chmod 755 /var/tmp/limited
}

device_checks() {
  local full half
  cat >conf/scenarios/device.conf <<'END'
# Nearly every request waits for the device.
LIKE=guest
KEYS=600
FILL=guide
PHASES="populate get"
KEY_PATTERN=uniform
POPULATE_PATTERN=sequential
DRAM_RATIO=1:8
CONNECTIONS=4
WARMUP=2
TIME=20
SERVER_PREFIX=/var/tmp/limited
END
  echo +io >/sys/fs/cgroup/cgroup.subtree_control
  device_limit 80
  run_variants device -v swap
  full=$(figure swap ops_per_sec)
  device_limit 40
  run_variants device -v swap
  half=$(figure swap ops_per_sec)
  echo -io >/sys/fs/cgroup/cgroup.subtree_control
  check 'half of the reads per second give about half of the operations per second' '^about half' \
    "$(awk -v full="$full" -v half="$half" 'BEGIN { ratio = full > 0 ? half / full : 0; print (ratio > 0.4 && ratio < 0.62 ? "about half:" : "not half:"), half, "of", full, "ops/s" }')"
}
