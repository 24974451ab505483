# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Swap for a tier: a file, a block device that is a swap area already, or zram. It has a higher priority than all other swap of the host.

# The highest possible priority, so that the cgroup's pages go only to this swap.
TIER_SWAP_HIGHEST=32767

# The target of swap: the directory of a file, or a block device, without symbolic links, as the kernel names it.
# Usage: host_tier_swap_place
# Globals: TIER_SWAP WORK
# Returns: sets SWAP_DEVICE or SWAP_FOLDER; 1 with WHY.
host_tier_swap_place() {
  SWAP_DEVICE='' SWAP_FOLDER=''
  if [[ $TIER_SWAP == auto ]]; then
    SWAP_FOLDER=$(readlink -f -- "$WORK")
  elif [[ -b $TIER_SWAP ]]; then
    SWAP_DEVICE=$(readlink -f -- "$TIER_SWAP")
    host_tier_swapping "$SWAP_DEVICE" || [[ $(run_limited 20 blkid -p -s TYPE -o value -- "$SWAP_DEVICE" 2>/dev/null) == swap ]] || {
      WHY="$TIER_SWAP is not a swap area; mkswap makes it one, and erases it"
      return 1
    }
    return
  elif [[ $TIER_SWAP == /dev/* && ! -e $TIER_SWAP ]]; then
    WHY="$TIER_SWAP: no such block device"
    [[ $TIER_SWAP != /dev/zram* ]] || WHY+=" (modprobe zram adds zram devices)"
    return 1
  else
    WHY="$TIER_SWAP: no such directory"
    [[ -d $TIER_SWAP ]] || return
    SWAP_FOLDER=$(readlink -f -- "$TIER_SWAP")
  fi
  # The journal has one line per change, with tabs.
  WHY="$TIER_SWAP: a path with tabs or line feeds is not supported"
  [[ $SWAP_FOLDER != *[$'\t\n']* ]] || return
  WHY="$SWAP_FOLDER: its file system ($(stat -f -c %T -- "$SWAP_FOLDER")) does not support swap files"
  case $(stat -f -c %T -- "$SWAP_FOLDER") in tmpfs | ramfs | proc | sysfs | nfs | overlayfs | squashfs | fuseblk) return 1 ;; esac
}

# Whether the kernel uses the swap of the tier before all others: the device if it is in use, else what will be enabled.
# Usage: host_tier_swap_first
# Globals: SWAP_DEVICE TIER_SWAP
# Returns: 1 with WHY, and SWAP_FIX, the commands that change it: a priority is set when swap is enabled
host_tier_swap_first() {
  IFS=$'\t' read -r WHY SWAP_FIX < <(DEVICE=$(host_tier_swap_name "$SWAP_DEVICE") NAME=$TIER_SWAP HIGHEST=$TIER_SWAP_HIGHEST awk '
    NR == 1 { next }
    $1 == ENVIRON["DEVICE"] { mine = $5; used = 1; next }
    !others++ || $5 > most { most = $5; other = $1 }
    END {
      highest = ENVIRON["HIGHEST"] + 0
      if (!others || most < (used ? mine : highest)) exit
      printf "%s", used ? ENVIRON["NAME"] " is in use with priority " mine ", and " other " with " most " is not after it" : \
        other " has the highest priority, " most ": pages of the tier would go to it, too"
      if (most < highest) print "\tswapoff " ENVIRON["NAME"] " && swapon -p " highest " " ENVIRON["NAME"]
      else print "\tswapoff " other " && swapon -p 0 " other
    }' /proc/swaps) || :
  [[ -z $WHY ]]
}

# Record the swap of the tier, and the bytes of other programs in it.
# Usage: _host_tier_swap_note DEVICE
# Returns: 1 with WHY.
_host_tier_swap_note() {
  host_tier_swap_line "$1" | awk '{ printf "%s\t%.0f\n", $1, $4 * 1024 }' 2>/dev/null >"$TIER_FOLDER/swap" && [[ -s $TIER_FOLDER/swap ]] && return
  WHY="$TIER_FOLDER/swap cannot be written (REMOTE_DIR: is its disk full?)"
  return 1
}

# The swap space in bytes.
# Usage: host_tier_swap_room
# Returns: prints them
host_tier_swap_room() {
  if [[ -n $SWAP_DEVICE ]] && host_tier_swapping "$SWAP_DEVICE"; then
    host_tier_swap_line "$SWAP_DEVICE" | awk '{ printf "%.0f\n", ($3 - $4) * 1024 }'
  elif [[ -n $SWAP_DEVICE ]]; then
    blockdev --getsize64 "$SWAP_DEVICE"
  else
    echo $(($(stat -f -c '%a * %S' -- "$SWAP_FOLDER")))
  fi
}

# Make swap of at least BYTES and enable it.
# Usage: host_tier_swap_make BYTES
# Globals: TIER_SWAP TIER_FOLDER RUN_ID
# Returns: 1 with WHY.
host_tier_swap_make() {
  local bytes=$1 file
  host_tier_swap_place && host_tier_swap_first || return
  if [[ -n $SWAP_DEVICE ]]; then
    # Already active: it is the administrator's, and is left active.
    if host_tier_swapping "$SWAP_DEVICE"; then _host_tier_swap_note "$SWAP_DEVICE"; else _host_tier_swap_on "$SWAP_DEVICE"; fi
    return
  fi
  file=$SWAP_FOLDER/tierbench-$RUN_ID.swap
  WHY="$file exists already"
  [[ ! -e $file ]] || return
  host_tier_note file "$file" || return
  WHY="$file cannot be created"
  (umask 077 && : >"$file") || return
  # On btrfs a swap file must not be copy-on-write.
  chattr +C "$file" 2>/dev/null || :
  WHY="$file: there is no space for $((bytes >> 20)) MiB"
  fallocate -l "$bytes" "$file" 2>/dev/null || head -c "$bytes" /dev/zero >"$file" || return
  WHY="$file: mkswap fails"
  mkswap -L "tb-${RUN_ID##*-}" "$file" >/dev/null 2>&1 || return
  host_tier_note swap "$file" || return
  _host_tier_swap_use "$file" && return
  # stop may have removed both in the meantime, and the next command creates a missing file.
  host_tier_note file "$file" && host_tier_note swap "$file" || return
  # Some file systems allocate space that swap cannot use until it has been written.
  head -c "$bytes" /dev/zero >"$file" && mkswap "$file" >/dev/null 2>&1 && _host_tier_swap_use "$file"
}

# Record a swap target in the journal, and enable it.
# Usage: _host_tier_swap_on TARGET
# Returns: 1 with WHY.
_host_tier_swap_on() {
  host_tier_note swap "$1" || return
  _host_tier_swap_use "$1"
}

# Enable swap on the recorded target.
_host_tier_swap_use() {
  WHY=$(swapon -p "$TIER_SWAP_HIGHEST" "$1" 2>&1) && _host_tier_swap_note "$1"
}
