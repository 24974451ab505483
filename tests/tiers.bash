# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Machines with tiers of memory, described in tests/fixtures/tiers, and the host scripts of tiers on them.

# Make a machine of tests/fixtures/tiers below $SCRATCH/tree; the lines of its file are `PATH = TEXT`, `PATH + TEXT` to append
# a line, `PATH -> TARGET` for a link, and `PATH ! COMMANDS` for a program.
# Usage: machine NAME
machine() {
  local path how text
  export TIERBENCH_ROOT=$SCRATCH/tree
  rm -rf -- "$TIERBENCH_ROOT"
  while read -r path how text; do
    [[ $path != \#* && -n $path ]] || continue
    [[ -d $TIERBENCH_ROOT/${path%/*} ]] || mkdir -p -- "$TIERBENCH_ROOT/${path%/*}"
    case $how in
      =) printf '%s\n' "$text" >"$TIERBENCH_ROOT/$path" ;;
      +) printf '%s\n' "$text" >>"$TIERBENCH_ROOT/$path" ;;
      '->') ln -s -- "$text" "$TIERBENCH_ROOT/$path" ;;
      !)
        program_make "$TIERBENCH_ROOT/$path" '#!/bin/sh\n# vsmpversion\n%s\n' "$text"
        ;;
    esac
  done <"$REPO/tests/fixtures/tiers/$1.tree"
}

# Run a host script on the machine, such as tiers detect. Settings are NAME=VALUE; HOST_CODE is sourced after all functions.
# Usage: on_host [NAME=VALUE]... VERB [WORD]...
on_host() {
  local -a settings=(RUN_ID=test "RUN_OWNER=$(printf '%q' $'test\tnobody\tnowhere\t0\t0\t-\t-\t1970-01-01T00:00:00Z\t10')" TIER=native TIER_IS= TIER_VERIFY= TIER_PRICE= TIER_MEMORY= TIER_WEIGHTS=keep TIER_SWAP=auto ZRAM_ALGORITHM=auto
  TIER_LIMIT=0 TIER_SPACE=0 TIER_DATA=0 TIER_FAR= TIER_NEAR= TIER_RESERVE=0 TIER_SWAPPINESS=keep TIER_GROUPS=)
  local tier=native
  while [[ $1 == *=* ]]; do
    [[ $1 != TIER=* ]] || tier=${1#*=}
    settings+=("$1")
    shift
  done
  {
    printf '%s\n' 'set -Eeuo pipefail' "REMOTE_DIR=$SCRATCH/host" "${settings[@]}"
    sed -nE "s/^# (Is|Verify|Price): (.*)/TIER_\U\1\E='\2'/p" "$REPO/lib/tier/$tier.sh"
    cat "$REPO"/lib/shared/*.sh "$REPO"/lib/host/{vsmp,tier,tier_undo,tier_cgroup,tier_swap,allowed,tier_detect,tier_ready,tier_check}.sh "$REPO"/lib/tier/*.sh "$REPO"/lib/host/tiers.sh
    printf '%s\nmain %s </dev/null\n' "${HOST_CODE-}" "${*@Q}"
  } | bash
}
