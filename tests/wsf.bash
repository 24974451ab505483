# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Setup of the suites of the Redis-Memtier workload: two instances on this machine, without tuning, and few keys.

# Make a scratch directory and the arguments of a run in it.
# Usage: setup   Sets: BASE untuned WORDS   Returns: 0
setup() {
  scratch_setup
  BASE=$(ports_pick 2)
  untuned=(TUNE=off KERNEL=keep)
  WORDS=(REMOTE_DIR="$SCRATCH/host" RESULTS_DIR="$SCRATCH/results" REDISBASE="$BASE" CPU_USED=2 MEMTIER_DATA_SIZE=100 MEMTIER_KEY_MAXIMUM=999)
}
