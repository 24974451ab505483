# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# FAR.bytes by resctrl: a monitoring group of the instances, in which the CPU counts the bytes that they read from memory. TIERBENCH_ROOT, if set, is
# a prefix of the kernel's paths, so that a test can simulate another machine.

# Bits of mbm_total_bytes_config: reads from slow memory (CXL) of the own and of another NUMA domain (AMD, admin-guide/resctrl).
FAR_SLOW=0x30
# The file that has these bits of each domain.
FAR_CONFIG=/sys/fs/resctrl/info/L3_MON/mbm_total_bytes_config
TUNE_PARTS+=(far)

# The target of a row: resctrl is mounted, only reads of slow memory are counted, or there is a group of the run.
# Usage: host_far_targets TARGET VALUE
# Returns: as host_tune_targets
host_far_targets() {
  local root=${TIERBENCH_ROOT-}/sys/fs/resctrl
  TARGET=("$1")
  case $1 in
    /sys/fs/resctrl)
      WANTED=(mounted)
      [[ ! -d $root/info ]] || return 0
      WHY="the kernel or the CPU has no resctrl"
      grep -qw resctrl "${TIERBENCH_ROOT-}/proc/filesystems" 2>/dev/null
      ;;
    "$FAR_CONFIG")
      STATE=same WHY="this CPU cannot count slow memory separately"
      host_tune_read file "$1" && [[ $VALUE =~ ^[0-9]+=0x[0-9a-f]+(\;[0-9]+=0x[0-9a-f]+)*\;?$ ]] || return 1
      # The kernel would reset the counters of all groups.
      STATE=cannot WHY="another program has a group in /sys/fs/resctrl, whose counters would change"
      ! _host_far_others || return 1
      # shellcheck disable=SC2001 # a pattern of bash cannot repeat
      WANTED=("$(sed "s/=0x[0-9a-f]*/=$FAR_SLOW/g" <<<"$VALUE")")
      ;;
    *)
      TARGET=("$1/tierbench-$RUN_ID") WANTED=(present)
      WHY="resctrl is not mounted"
      if [[ -d $root/info ]]; then
        WHY="this CPU does not count bytes of memory (mbm_total_bytes)"
        grep -qsx mbm_total_bytes "$root/info/L3_MON/mon_features" || return 1
        # `check` does not change it.
        ! host_tune_would "$FAR_CONFIG" || return 0
        WHY="this CPU does not count bytes of far memory separately"
        _host_far_of
      else
        # Known only after mounting; `check` does not mount it.
        host_tune_would /sys/fs/resctrl
      fi
      ;;
  esac
}

# Read the value of a target: mounted or unmounted, what is counted, present or absent.
# Usage: host_far_read TARGET
# Returns: sets VALUE; 1 with WHY if it cannot be read
host_far_read() {
  case $1 in
    /sys/fs/resctrl)
      VALUE=unmounted
      [[ ! -d ${TIERBENCH_ROOT-}$1/info ]] || VALUE=mounted
      ;;
    "$FAR_CONFIG") host_tune_read file "$1" ;;
    *)
      VALUE=absent
      [[ ! -d ${TIERBENCH_ROOT-}$1 ]] || VALUE=present
      ;;
  esac
}

# Change a target.
# Usage: host_far_write TARGET VALUE
# Returns: 1 with WHY
host_far_write() {
  case $2 in
    mounted) WHY=$(mount -t resctrl resctrl "${TIERBENCH_ROOT-}$1" 2>&1) ;;
    unmounted)
      WHY="another program has a group there"
      ! _host_far_others || return 1
      WHY=$(umount "${TIERBENCH_ROOT-}$1" 2>&1)
      ;;
    present) WHY=$(mkdir -- "${TIERBENCH_ROOT-}$1" 2>&1) ;;
    # Its files belong to the kernel, and disappear with it.
    absent) WHY=$(rmdir -- "${TIERBENCH_ROOT-}$1" 2>&1) ;;
    *)
      host_tune_write file "$1" "$2"
      return
      ;;
  esac && return
  WHY=${WHY##*$'\n'}
  WHY=${WHY##*: }
  return 1
}

# Whether there is a group that does not belong to this run.
_host_far_others() {
  local group
  for group in "${TIERBENCH_ROOT-}"/sys/fs/resctrl/{,mon_groups/}*/; do
    case ${group%/} in
      */info | */mon_data | */mon_groups | "*" | */"tierbench-$RUN_ID") ;;
      *) [[ ! -e ${group}tasks ]] || return 0 ;;
    esac
  done
  return 1
}

# The group of a run on this host, if there is one.
# Usage: host_far_group
# Globals: RUN_ID   Returns: 0 and sets REPLY, or 1 without a group
host_far_group() {
  REPLY=${TIERBENCH_ROOT-}/sys/fs/resctrl/mon_groups/tierbench-$RUN_ID
  [[ -d $REPLY ]]
}

# The far memory whose bytes are counted: `slow memory` if the total has nothing else, or `another socket`, total minus local bytes. On AMD the total
# has evicted lines of all memory too, and the local bytes have not: their difference is then not from far memory.
# Usage: _host_far_of
# Returns: sets REPLY; 1 if far memory is not counted separately
_host_far_of() {
  local config=''
  local -a cpu=()
  { read -r config <"${TIERBENCH_ROOT-}$FAR_CONFIG"; } 2>/dev/null || :
  REPLY="slow memory"
  [[ ! $config =~ ^[0-9]+=$FAR_SLOW(\;[0-9]+=$FAR_SLOW)*\;?$ ]] || return 0
  REPLY="another socket"
  { mapfile -t -n 2 cpu <"${TIERBENCH_ROOT-}/proc/cpuinfo"; } 2>/dev/null || :
  [[ ${cpu[1]-} != vendor_id*@(AuthenticAMD|HygonGenuine) ]]
}

# Print the bytes that the instances have read from far memory so far, rows `resctrl COUNTER VALUE`; nothing without a group, or if the CPU has no
# value for a counter or does not count far memory separately.
# Usage: host_far_counts
host_far_counts() {
  local group domain total own sum=0 REPLY
  host_far_group || return 0
  group=$REPLY
  _host_far_of || return 0
  for domain in "$group"/mon_data/mon_L3_*; do
    total='' own=0
    { read -r total <"$domain/mbm_total_bytes"; } 2>/dev/null || :
    [[ $REPLY == "slow memory" ]] || { read -r own <"$domain/mbm_local_bytes"; } 2>/dev/null || own=
    [[ $total =~ ^[0-9]{1,18}$ && $own =~ ^[0-9]{1,18}$ ]] || return 0
    sum=$((sum + total - own))
  done
  printf 'resctrl\tfar_bytes\t%s\nresctrl\tof\t%s\n' "$sum" "$REPLY"
}
