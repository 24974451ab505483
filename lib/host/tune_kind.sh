# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The kinds of settings in conf/tuning.tsv: find their targets on this host, read and change them. TIERBENCH_ROOT, if set, is a prefix of the kernel's
# paths, so that a test can simulate another machine.

# The parts whose name is a kind, too: their files host_tune.sh are loaded after this one (docs/parts.md).
TUNE_PARTS=()

# Whether a kind is that of a part.
# Usage: host_tune_of_part KIND
host_tune_of_part() {
  [[ " ${TUNE_PARTS[*]} " == *" $1 "* ]]
}

# Find the targets of a row of conf/tuning.tsv on this host.
# Usage: host_tune_targets KIND TARGETS VALUE
# Returns: sets TARGET and WANTED, one item per target; 1 with WHY and STATE (same: nothing to do; cannot) if there is no target.
host_tune_targets() {
  local kind=$1 words=$2 value=$3 word path
  local -a list
  TARGET=() WANTED=() STATE=cannot WHY=''
  if host_tune_of_part "$kind"; then
    "host_${kind}_targets" "$words" "$value"
    return
  fi
  case $kind in
    irq)
      _host_tune_irqs "$words" "$value"
      return
      ;;
    vsmp)
      STATE=same WHY="this machine does not run on vSMP"
      host_vsmp_prefix >/dev/null || return 1
      TARGET=("$words")
      ;;
    weights)
      # Setting the first weight turns the kernel's automatic weights off, permanently unless that was recorded before.
      path=${words%/*}/auto
      if ! host_tune_would "$path" && host_tune_read file "$path" && [[ $VALUE == true ]]; then
        WHY="${path##*/} is true, and weights would turn it off permanently"
        return 1
      fi
      WHY=
      for word in $value; do
        TARGET+=("$words${word%:*}")
        WANTED+=("${word#*:}")
      done
      return
      ;;
    service | hold) read -r -a TARGET <<<"$words" ;;
    *)
      read -r -a list <<<"$words"
      for word in "${list[@]}"; do
        if [[ $word != *[*?[]* ]]; then
          [[ ! -e ${TIERBENCH_ROOT-}$word ]] || TARGET+=("$word")
          continue
        fi
        compgen -G "${TIERBENCH_ROOT-}$word" >/dev/null || continue
        while IFS= read -r path; do
          TARGET+=("${path#"${TIERBENCH_ROOT-}"}")
        done < <(compgen -G "${TIERBENCH_ROOT-}$word" | sort -V)
      done
      if ((${#TARGET[@]} == 0)); then
        WHY="there is no $words"
        # debugfs may not be mounted.
        [[ $words != /sys/kernel/debug/* || -e ${TIERBENCH_ROOT-}/sys/kernel/debug/sched ]] || WHY+="; as root: mount -t debugfs debugfs /sys/kernel/debug"
        [[ $kind != *\? ]] || STATE=same
        return 1
      fi
      ;;
  esac
  for word in "${TARGET[@]}"; do WANTED+=("$value"); done
}

# Find the interrupts of the queues of the NICs that carry an address, and spread them over CPUs.
# Usage: _host_tune_irqs ADDRESS auto|CPUS
# Returns: as host_tune_targets
_host_tune_irqs() {
  local address=$1 cpus=$2 devices device irq list all=
  WHY="no NIC carries $address"
  devices=$(host_irq_devices "$address") || return 1
  for device in $devices; do
    list=$(host_irq_pairs "$device")
    all+=${list:+$list$'\n'}
  done
  if [[ -z $all ]]; then
    WHY="${devices//$'\n'/, } has no interrupts"
    # Loopback has no interrupts, only CPU work; on any other NIC without interrupts they are hidden.
    [[ $devices != lo ]] || STATE=same
    return 1
  fi
  while IFS=$'\t' read -r irq list; do
    TARGET+=("/proc/irq/$irq/smp_affinity_list")
    WANTED+=("$list")
  done < <(printf '%s' "$all" | host_irq_spread "$cpus")
}

# The kind under which a change of a row is recorded in the journal: interrupts and the variants of `file` are files.
# Usage: host_tune_kind KIND
# Returns: sets KIND
host_tune_kind() {
  case $1 in
    irq | file* | again* | least | weights) KIND='file' ;;
    *) KIND=$1 ;;
  esac
}

# Read the value of a target.
# Usage: host_tune_read KIND TARGET
# Returns: sets VALUE; 1 with WHY if it cannot be read.
host_tune_read() {
  VALUE='' WHY=''
  case $1 in
    file) _host_tune_read_file "${TIERBENCH_ROOT-}$2" ;;
    service) _host_tune_read_service "$2" ;;
    hold)
      [[ -e ${TIERBENCH_ROOT-}$2 ]] || WHY="there is no $2"
      [[ -n $WHY ]] || VALUE=$(od -An -td4 -N 4 "${TIERBENCH_ROOT-}$2" 2>/dev/null) || WHY="needs root"
      VALUE=${VALUE//[[:space:]]/}
      ;;
    vsmp)
      # The last word of the matching line, if it is on or off.
      VALUE=$(run_limited 20 "$(host_vsmp_prefix)ctl" --status 2>/dev/null |
        sed -nE "s/.*\\b$2\\b.*\\b(on|off|enabled|disabled)\\b.*/\\1/Ip" | tail -n 1 | tr '[:upper:]' '[:lower:]') || :
      VALUE=${VALUE/enabled/on} VALUE=${VALUE/disabled/off}
      VALUE=${VALUE:-unknown}
      ;;
    *)
      # A change of a part that is not here stays in the journal.
      if host_tune_of_part "$1"; then "host_$1_read" "$2" || :; else WHY="its part is missing here"; fi
      ;;
  esac
  [[ -z $WHY ]]
}

# Read the first line of a file; if it has choices such as `always [madvise] never`, the selected one.
# Usage: _host_tune_read_file FILE
# Returns: sets VALUE; 1 with WHY if it cannot be read.
_host_tune_read_file() {
  local line
  { IFS= read -r line <"$1"; } 2>/dev/null || [[ -n ${line-} ]] || {
    WHY="cannot be read"
    [[ -e $1 ]] || WHY="is missing"
    return 1
  }
  # Of `always [madvise] never` the value is the text in brackets.
  [[ ! $line =~ \[([^]]+)\] ]] || line=${BASH_REMATCH[1]}
  VALUE=${line//$'\t'/ }
}

# Read the state of a service: active or inactive.
# Usage: _host_tune_read_service NAME
# Returns: sets VALUE; 1 with WHY if it runs without systemd.
_host_tune_read_service() {
  local name=${1%.service}
  if [[ -d ${TIERBENCH_ROOT-}/run/systemd/system ]]; then
    VALUE=$(run_limited 20 systemctl is-active "$1" 2>/dev/null) || :
    # A service that failed, or does not exist, does not run. The value is what restoring sets, so states that pass are active.
    case $VALUE in active | activating | reloading | refreshing) VALUE=active ;; *) VALUE=inactive ;; esac
    return
  fi
  VALUE=inactive
  _host_tune_processes
  [[ $TUNE_PROCESSES =~ $'\n'"${TIERBENCH_ROOT-}"/proc/([0-9]+)/comm:"$name"$'\n' ]] || return 0
  WHY="no systemd to stop it with; it runs as process ${BASH_REMATCH[1]}"
  return 1
}

# Read the names of all processes, once for all services. A process may have ended since it was listed.
# Returns: sets TUNE_PROCESSES, lines /proc/PID/comm:NAME
_host_tune_processes() {
  [[ -n ${TUNE_PROCESSES-} ]] || TUNE_PROCESSES=$'\n'$(grep -s '' "${TIERBENCH_ROOT-}"/proc/[0-9]*/comm /dev/null)$'\n' || :
}

# Whether a value equals the wanted value.
# Usage: host_tune_fits KIND_OF_ROW VALUE WANTED
host_tune_fits() {
  [[ $2 == "$3" ]] || { [[ $1 == least && $2 =~ ^[0-9]+$ ]] && ((10#$2 >= $3)); }
}

# Whether this user may change a target.
# Usage: host_tune_may KIND TARGET
# Returns: 1 with WHY.
host_tune_may() {
  WHY="needs root"
  ((EUID != 0)) || WHY="is read-only"
  case $1 in
    file | hold) [[ -w ${TIERBENCH_ROOT-}$2 ]] ;;
    *) ((EUID == 0)) ;;
  esac
}

# Whether a value can be restored after a change of a row.
# Usage: host_tune_returns KIND_OF_ROW TARGET VALUE WANTED
# Returns: 1 with WHY.
host_tune_returns() {
  [[ $1 == again* ]] || return 0
  # Turning the kernel's automatic weights on replaces the present ones, which no row of the journal has.
  WHY="the weights were set explicitly, and auto would replace them permanently; set TIER_WEIGHTS=keep, or write true there before the run"
  [[ $4 != true ]] || return
  host_tune_write file "$2" "$3" && return
  WHY="the kernel would not take $3 back: $WHY"
  return 1
}

# Change a target.
# Usage: host_tune_write KIND TARGET VALUE
# Returns: 1 with WHY if the kernel or the tool refuses.
host_tune_write() {
  local kind=$1 target=$2 value=$3 verb=start
  case $kind in
    # Bash itself reports why a write fails.
    file) WHY=$( (LC_ALL=C && printf '%s\n' "$value" >"${TIERBENCH_ROOT-}$target") 2>&1) ;;
    service)
      [[ $value == active ]] || verb=stop
      WHY=$(run_limited 120 systemctl "$verb" "$target" 2>&1)
      ;;
    vsmp) WHY=$(run_limited 60 "$(host_vsmp_prefix)ctl" "--$target=$value" 2>&1) ;;
    *)
      host_tune_of_part "$kind" && "host_${kind}_write" "$target" "$value"
      return
      ;;
  esac && return
  WHY=${WHY##*$'\n'}
  WHY=${WHY##*: }
  return 1
}
