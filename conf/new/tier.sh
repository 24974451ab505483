# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# NAME: which memory this is, in one sentence.
#
# This file runs as it is: ./do_it.sh run -s demo -v native -v NAME. It mounts a tmpfs of 16 MiB, as an example of a change of the host.
# The lines with a colon tell the planner and the master what the tier is. lib/core/tiers.sh explains all their words, docs/tiers.md the tiers.
# No function is required: `Is: bound direct` with `Nodes`, `Policy` and `Verify: nodes` needs none (lib/tier/bind.sh), swap needs one (swap.sh there).
#
# Is: free
# Verify: memory
# Price: dram

# Print a row: whether this host supports the tier. Without this function the words of `Is` decide what is checked.
# Usage: host_tier_NAME_check
host_tier_NAME_check() {
  if ((EUID != 0)); then
    host_tier_row fail "not root" "root: a tmpfs is the administrator's" "log in as root"
  else
    host_tier_row ok "a tmpfs can be mounted" "16 MiB of it" -
  fi
}

# Make what the tier requires before the instances start. Each change is recorded before it is made: then it is undone after kill -9, too.
# Usage: host_tier_NAME_up
# Globals: TIER_FOLDER, a directory of the run on this host
# Returns: 1 with WHY.
host_tier_NAME_up() {
  local folder=$TIER_FOLDER/NAME
  host_tier_note NAME "$folder" || return
  WHY="$folder: a tmpfs of 16 MiB cannot be filled"
  mkdir -- "$folder" && mount -t tmpfs -o size=16M,mode=700 tierbench "$folder" && head -c 16M /dev/zero >"$folder/file"
}

# Print rows SCOPE COUNTER VALUE before and after each phase, for counters.tsv of the repeat.
# Usage: host_tier_NAME_state DIR
#   DIR is TIER_FOLDER
host_tier_NAME_state() {
  printf 'NAME\tbytes\t%s\n' "$(stat -c %s -- "$1/NAME/file")"
}

# Undo a change that was recorded, whether it was made or not.
# Usage: _host_tier_undo_NAME DIR
# Returns: 1 with a line on stderr if it cannot be undone
_host_tier_undo_NAME() {
  ! mountpoint -q -- "$1" || _host_tier_again 10 umount -- "$1" || host_tier_stuck "$1 cannot be unmounted"
  [[ ! -d $1 ]] || rmdir -- "$1"
}
