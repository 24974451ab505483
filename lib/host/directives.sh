# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Directives that redis-server accepts and ignores, or changes: each is read back after the start. Globals: ACL_MAJOR FOLDER INSTANCE_PLAN
# SERVER_ADDRESS.

# Print a row `ignored NAME WHY` for each directive of the first instance that CONFIG GET does not know, or that has another value. Other servers with
# the protocol of Redis print only a part of their settings there, and before version 6 CONFIG has another name.
# Usage: host_directives_check
host_directives_check() {
  local port name value was rest
  local -a names=()
  local -A asked=() got=()
  [[ -n $ACL_MAJOR ]] && host_acl_users || return 0
  read -r port _ <<<"$INSTANCE_PLAN"
  # What follows this line is the run's own.
  while read -r name value && [[ $name != daemonize ]]; do
    name=${name,,}
    case $name in '' | '#'* | user | loadmodule | notify-keyspace-events) continue ;; esac
    [[ -n ${asked[$name]+set} ]] || names+=("$name")
    # The last one counts.
    asked[$name]=$value
  done <"$FOLDER/$port.conf"
  if ((ACL_MAJOR >= 7)); then
    # Since version 7, one call can name all. The first use of a command takes some 20 KiB for its statistics, so every instance gets this one: FILL
    # expects the same memory of each.
    while read -r port _; do _host_directives_get "${names[*]}"; done <<<"$INSTANCE_PLAN"
  else
    for name in "${names[@]}"; do _host_directives_get "$name"; done
  fi
  for name in "${names[@]}"; do
    if [[ -z ${got[$name]+set} ]]; then
      printf 'ignored\t%s\tthis server does not know it\n' "$name"
      continue
    fi
    _host_directives_plain "${asked[$name]}"
    was=$REPLY
    _host_directives_plain "${got[$name]}"
    rest=" $REPLY "
    # These two have several values, each with its own line.
    case $name in
      save | client-output-buffer-limit) [[ $rest != *" $was "* ]] || continue ;;
      *) [[ $REPLY != "$was" ]] || continue ;;
    esac
    printf 'ignored\t%s\tit is %s\n' "$name" "$(tr -cd ' -~' <<<"${got[$name]:0:100}")"
  done
}

# Read the values of directives.
# Usage: _host_directives_get NAMES
# Returns: sets got[NAME]
_host_directives_get() {
  local name value
  protocol_ask "$SERVER_ADDRESS" "$port" "CONFIG GET $1" || return 0
  while IFS= read -r name && [[ -n $name ]]; do
    IFS= read -r value || value=
    got[${name,,}]=$value
  done <<<"$REDIS_REPLY"
}

# Write a value in one form: without quotes, sizes in bytes, and words for the same.
# Usage: _host_directives_plain VALUE
# Returns: sets REPLY
_host_directives_plain() {
  local word
  local -a words
  REPLY=${1//[\"\']/}
  read -r -a words <<<"${REPLY,,}"
  REPLY=
  for word in "${words[@]}"; do
    if [[ $word =~ ^([0-9]{1,12})([kmg]?)(b?)$ ]]; then
      # Without b, these are powers of 1000.
      case ${BASH_REMATCH[2]}${BASH_REMATCH[3]} in
        k) word=${BASH_REMATCH[1]}000 ;;
        m) word=${BASH_REMATCH[1]}000000 ;;
        g) word=${BASH_REMATCH[1]}000000000 ;;
        kb) word=$((10#${BASH_REMATCH[1]} << 10)) ;;
        mb) word=$((10#${BASH_REMATCH[1]} << 20)) ;;
        gb) word=$((10#${BASH_REMATCH[1]} << 30)) ;;
        *) word=${BASH_REMATCH[1]} ;;
      esac
    fi
    case $word in
      replica) word=slave ;;
      relative) word=yes ;; # of oom-score-adj
    esac
    REPLY+=${REPLY:+ }$word
  done
}
