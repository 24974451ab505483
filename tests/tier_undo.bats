#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the undo of a tier leaves to other programs.

load helper

setup() {
  scratch_setup
}

teardown() {
  scratch_teardown
}

# Print what is written to the root cgroup when FILE of a child of another program has VALUE.
# Usage: written FILE VALUE
written() {
  rm -rf root
  mkdir -p root/{mine,other}
  : >root/cgroup.subtree_control
  printf '0\n' | tee root/mine/memory.{min,low} >root/other/memory.min
  printf 'max\n' | tee root/{mine,other}/memory.{high,max} >root/other/memory.swap.max
  printf '%s\n' "$2" >"root/other/$1"
  bash -c 'set -Eeuo pipefail; . "$REPO/lib/host/tier_undo.sh" && _host_tier_undo_control root'
  cat root/cgroup.subtree_control
}

@test "the memory controller of cgroup v2 is disabled again, unless another program has limited a cgroup meanwhile" {
  assert_equal "$(written memory.max max)" -memory
  assert_equal "$(written memory.low 0)" -memory
  assert_equal "$(written memory.max 1073741824)" ''
  assert_equal "$(written memory.swap.max 0)" ''
  assert_equal "$(written memory.min 4096)" ''
}
