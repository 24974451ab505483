# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The lock of a server. Settings sent in front: RUN_ID, RUN_OWNER (one line of tab-separated words, see lib/lock.sh), LEASE.

# Usage: main take|renew|release
main() {
  work_open
  LOCK=$WORK/lock
  case $1 in
    take) lock_take ;;
    renew)
      ! lock_mine || touch "$LOCK"
      run_renew
      ;;
    release) ! lock_mine || rm -f "$LOCK" ;;
  esac
}

lock_take() {
  local mine=$LOCK.$$
  printf '%s\n' "$RUN_OWNER" >"$mine"
  # link(2) fails when the name exists: of two who come at once, one gets it.
  until ln "$mine" "$LOCK" 2>/dev/null; do
    ! lock_mine || break
    if lock_owner_lives "$LOCK" "$LEASE"; then
      rm -f "$mine"
      fail "$(lock_say "$LOCK")"
    fi
    printf '%s, and is gone: its lock is broken\n' "$(lock_say "$LOCK")" >&2
    mv -f "$LOCK" "$LOCK.broken"
  done
  rm -f "$mine"
}

lock_mine() {
  [[ -e $LOCK && $(<"$LOCK") == "$RUN_OWNER" ]]
}
