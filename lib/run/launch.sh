# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The prefix commands of the programs that a run starts (SERVER_PREFIX, CLIENT_PREFIX), with our files copied to the host.
#
# {FILE} in a prefix is a file of this project, such as {conf/onload/redis-balanced.opf}; the host sees its own copy.

# The user that a tested program becomes.
# shellcheck disable=SC2034 # lib/host/launch.sh
LAUNCH_USER=keep

# Copy the files that a prefix names to a host, and print the prefix as used there, its arguments separated by tabs.
# Usage: launch_words HOST PREFIX
# Globals: ROOT
# Returns: 1 with a line on stderr if a file is missing or cannot be copied.
launch_words() {
  local host=$1 word file path
  local -a words
  read -r -a words <<<"$2"
  for word in "${words[@]}"; do
    while [[ $word =~ \{([^{}]+)\} ]]; do
      file=${BASH_REMATCH[1]}
      path=$(_launch_file "$host" "$file") || return
      word=${word/"{$file}"/"$path"}
    done
    printf '%s\t' "$word"
  done
}

# Test both prefixes of the resolved variant, and SERVER_NUMACTL, on the hosts that will use them, as rows HOST STATE FOUND WANTED FIX.
# Usage: launch_try
# Globals: HOST CLIENT_IP SERVER_PREFIX CLIENT_PREFIX SERVER_NUMACTL, and as tier_policy
launch_try() {
  local client
  servers_each _launch_try_server
  for client in $CLIENT_IP; do _launch_try_one "$client" CLIENT_PREFIX; done
  replay_try
}

# Test user, TLS, numactl options and prefix on the server in HOST, as rows HOST STATE FOUND WANTED FIX.
# Usage: _launch_try_server
_launch_try_server() {
  _launch_try_user
  tls_try
  _launch_try_numactl "$(tier_policy)"
  _launch_try_one "$HOST" SERVER_PREFIX
}

# Whether a host has a program that a setting names, as a row HOST STATE FOUND WANTED FIX.
# Usage: launch_has HOST PROGRAM[|PROGRAM]... SETTING FIX
launch_has() {
  local why=$_REMOTE_TMP/why
  if call_run "$1" launch "$2" --version 2>"$why"; then
    printf '%s\tok\t%s\t%s\t-\n' "$1" "${2//|/ or }" "$3=${!3}"
  else
    printf '%s\tfail\t%s\t%s\t%s\n' "$1" "$(tr '\n\t' '  ' <"$why" | sed 's/ *$//')" "$3=${!3}" "$4"
  fi
}

# Test SERVER_NUMACTL on the server in HOST, as a row HOST STATE FOUND WANTED FIX; nothing if it is empty.
# Usage: _launch_try_numactl POLICY
#   POLICY are the options of the memory tier
_launch_try_numactl() {
  local words why=$_REMOTE_TMP/why
  [[ -n $SERVER_NUMACTL ]] || return 0
  read -r -a words < <(tier_command "$SERVER_NUMACTL $1")
  if call_run "$HOST" launch "${words[@]}" 2>"$why"; then
    printf '%s\tok\t%s\t%s\t-\n' "$HOST" "${words[*]}" "SERVER_NUMACTL starts a program"
  else
    printf '%s\tfail\t%s\t%s\t%s\n' "$HOST" "$(tr '\n\t' '  ' <"$why" | sed 's/ *$//')" "SERVER_NUMACTL=$SERVER_NUMACTL" \
      "options of numactl that name what is there, such as -N 0 -m 0"
  fi
}

# Which user the instances can run as.
_launch_try_user() {
  local said state found fix=-
  said=$(call_run "$HOST" redis user) || return
  IFS=$'\t' read -r state found <<<"$said"
  [[ $state == ok ]] || fix='a user that the server has, or keep'
  printf '%s\t%s\tinstances run as %s\t%s\t%s\n' "$HOST" "$state" "$found" "REDIS_USER=$REDIS_USER" "$fix"
}

# Test whether the prefix of a setting starts a program on a host, as a row HOST STATE FOUND WANTED FIX; nothing if it is empty.
# Usage: _launch_try_one HOST SERVER_PREFIX|CLIENT_PREFIX
_launch_try_one() {
  local host=$1 name=$2 words why=$_REMOTE_TMP/why LAUNCH_USER=keep
  # After SERVER_PREFIX redis-server runs as another user, who may not have access to the same files.
  [[ $name != SERVER_PREFIX ]] || LAUNCH_USER=$REDIS_USER
  [[ -n ${!name} ]] || return 0
  if words=$(launch_words "$host" "${!name}" 2>"$why") && IFS=$'\t' read -r -a words <<<"$words" &&
    call_run "$host" launch "${words[@]}" 2>"$why"; then
    printf '%s\tok\t%s\t%s\t-\n' "$host" "${words[*]}" "$name runs a program"
  else
    printf '%s\tfail\t%s\t%s\t%s\n' "$host" "$(tr '\n\t' '  ' <"$why" | sed 's/ *$//')" "$name=${!name}" \
      "install it there, or leave the variant out"
  fi
}

# Print the path of a file of this project on a host; copy the file if the host is another machine.
_launch_file() {
  local host=$1 file=$2 path work
  file_ours "$file" || {
    printf '%s: not a file of this project\n' "$file" >&2
    return 1
  }
  if remote_is_local "$host"; then
    printf '%s\n' "$ROOT/$file"
    return
  fi
  # Named by content, so that a run with another version of the file, at the same time, keeps its own copy.
  work=$(call_work "$host") || return
  path=$work/cache/$(sha256sum "$ROOT/$file" | cut -c 1-16)-${file##*/}
  call_put "$host" "$ROOT/$file" "$path" && printf '%s\n' "$path"
}
