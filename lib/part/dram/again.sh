# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# After the OOM killer stopped a repeat that searched its share of DRAM: the repeat runs again, without smaller shares.

# How often the OOM killer may stop a repeat before the search gives up.
readonly _DRAM_LOSSES=6

# After a failed repeat: whether the OOM killer stopped it during a search, so that the repeat can run again without that share.
# Usage: dram_again DIR
#   DIR of the repeat; its steps are kept, except for takes
# Returns: 1 if it did not, or did so too often
dram_again() {
  local steps=$1/steps.tsv share=$_DRAM_SHARE lost
  dram_wanted && [[ -n $share && -e $steps && $MONITOR_ALARM == *"the OOM killer"* ]] || return
  lost=$(($(grep -c $'\toom$' "$steps") + 1))
  ((lost <= _DRAM_LOSSES)) || {
    log_warn "the OOM killer stopped this repeat $lost times: giving up"
    return 1
  }
  log_warn "the OOM killer stopped an instance at $share % of DRAM: the repeat is run again without smaller shares"
  search_lost "$1" "$share" oom || return
  # The next try may fail before its search begins: not by this share.
  _DRAM_SHARE=
  find "$1" -mindepth 1 -maxdepth 1 ! -name steps.tsv -exec rm -rf -- {} +
}
