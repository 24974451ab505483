# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# COMMANDS of the mixed phase: check them, and derive the keys that populate makes and the commands that instances must allow.

# By name of a command: the kind of its key (s string, i counter, h hash, l list, z sorted set, x stream), whether it takes -N, and the
# server's commands that it and populate need.
declare -rA _MIX_KNOWN=(
  [get]='s 0 get' [set]='s 0 set' [mget]='s 1 mget' [mset]='s 1 mset' [del]='s 0 del' [rmw]='s 0 get set' [incr]='i 0 incr'
  [hset]='h 1 hset' [hget]='h 1 hget hset' [hgetall]='h 1 hgetall hset' [lpush]='l 0 lpush rpush' [lpop]='l 0 lpop rpush'
  [lrange]='l 1 lrange rpush' [zadd]='z 1 zadd' [zrange]='z 1 zrange zadd' [xadd]='x 1 xadd'
)
# Commands that are not supported as load.
readonly _MIX_NEVER=' acl client cluster config debug failover flushall flushdb migrate module monitor multi psubscribe replicaof reset script shutdown slaveof ssubscribe subscribe swapdb watch '

# Print the items of COMMANDS, one per line: KIND N WEIGHT NAME, or `own 1 WEIGHT WORDS`; NAME is as written by the user, with -N.
# Usage: _mix_items
# Globals: COMMANDS
# Returns: exits 2 at an invalid item.
_mix_items() {
  local item weight name times
  local -a items known
  IFS=, read -r -a items <<<"$COMMANDS"
  for item in "${items[@]}"; do
    weight=1
    if [[ $item =~ ^(.*):([1-9][0-9]{0,5}|1000000)$ ]]; then
      item=${BASH_REMATCH[1]} weight=${BASH_REMATCH[2]}
    elif [[ $item == *:* && $item != *' '* ]]; then
      conf_refuse COMMANDS "'$item': invalid weight; accepted: a whole number from 1 to 1000000"
    fi
    if [[ $item == *' '* || $item == *__key__* ]]; then
      [[ $item =~ ^([A-Za-z][A-Za-z0-9.]{0,25})\ +(.*)$ && ${BASH_REMATCH[2]} == *__key__* ]] ||
        conf_refuse COMMANDS "'$item': __key__ is missing; accepted: COMMAND __key__ and more words"
      [[ $_MIX_NEVER != *" ${BASH_REMATCH[1],,} "* ]] || conf_refuse COMMANDS "'$item': ${BASH_REMATCH[1]} is not supported; accepted: commands that read or write a key"
      printf 'own 1 %s %s\n' "$weight" "$item"
      continue
    fi
    name=${item%%-*} times=10
    [[ -n $name && -n ${_MIX_KNOWN[$name]+set} ]] ||
      conf_refuse COMMANDS "'$item': unknown; accepted: get set mget mset del rmw incr hset hget hgetall lpush lpop lrange zadd zrange xadd, or words with __key__"
    read -r -a known <<<"${_MIX_KNOWN[$name]}"
    if [[ $item != "$name" ]]; then
      times=${item#*-}
      [[ ${known[1]} == 1 ]] || conf_refuse COMMANDS "'$item': $name takes no number; accepted: $name"
      [[ $times =~ ^([1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-6])$ ]] || conf_refuse COMMANDS "'$item': invalid; accepted: $name-N with N from 1 to 256"
    fi
    ((known[1] == 1)) || times=1
    printf '%s %s %s %s\n' "${known[0]}" "$times" "$weight" "$item"
  done
}

# Refuse COMMANDS that cannot be sent.
# Usage: mix_check
# Globals: COMMANDS PHASES KEY_PATTERN
# Returns: exits 2.
mix_check() {
  local items kind name seen=' ' pattern
  [[ $COMMANDS != off ]] || return 0
  items=$(_mix_items) || exit
  [[ " $PHASES " == *" mixed "* ]] || conf_refuse COMMANDS "no mixed phase to send them in (PHASES=$PHASES); add mixed to PHASES"
  (($(wc -l <<<"$items") <= 16)) || conf_refuse COMMANDS "too many; accepted: at most 16 commands"
  while read -r kind _ _ name; do
    [[ $kind == own || $seen != *" $name "* ]] || conf_refuse COMMANDS "'$name' is repeated; name it once, with the sum of its weights"
    seen+="$name "
    if [[ $kind != own && $kind != s ]]; then
      for pattern in $KEY_PATTERN; do
        [[ $pattern != latest* ]] || conf_refuse COMMANDS "'$name': KEY_PATTERN=$pattern adds only strings; accepted: get set mget mset del rmw"
      done
    fi
    if [[ $name == mget* || $name == mset* ]] && cluster_on; then
      conf_refuse COMMANDS "'$name': CLUSTER=on does not support commands of several keys; leave it out"
    fi
  done <<<"$items"
}

# The keys that populate makes for each key number: the number of kinds, and the number of values in all of them.
# Usage: mix_fills
# Globals: COMMANDS
# Returns: sets REPLY to KEYS VALUES
mix_fills() {
  REPLY='1 1'
  [[ $COMMANDS == off ]] || REPLY=$(_mix_items | awk '
    { kind = $1 == "own" ? "s" : $1; if (!(kind in most)) kinds++; if ($2 > most[kind]) most[kind] = $2 }
    END {
      for (kind in most) values += kind == "s" || kind == "x" ? 1 : kind == "i" ? 0 : most[kind]
      print kinds, values
    }')
}

# Whether populate sets strings: only a SET gives a key a time to live.
# Usage: mix_expires
# Globals: COMMANDS
mix_expires() {
  [[ $COMMANDS == off || $'\n'$(_mix_items) == *$'\n'@(s|own)' '* ]]
}

# The weights of SETs and of all other commands.
# Usage: mix_weights
# Globals: COMMANDS
# Returns: sets REPLY to SETS OTHERS
mix_weights() {
  REPLY=$(_mix_items | awk '$4 == "set" || $4 == "rmw" || $4 ~ /^mset/ { sets += $3; next } { others += $3 } END { print sets + 0, others + 0 }')
}

# Print the commands that the load generators' user needs in addition to the default ones, each as +COMMAND.
# Usage: mix_allowed
# Globals: COMMANDS
mix_allowed() {
  local kind name
  local -a needs
  [[ $COMMANDS != off ]] || return 0
  while read -r kind _ _ name; do
    if [[ $kind == own ]]; then
      needs=("${name%% *}")
    else
      read -r _ _ name <<<"${_MIX_KNOWN[${name%%-*}]}"
      read -r -a needs <<<"$name"
    fi
    printf ' +%s' "${needs[@],,}"
  done < <(_mix_items)
}

# Print settings that have no effect, or an unexpected effect, as rows FOUND WANTED FIX.
# Usage: mix_ignored
# Globals: COMMANDS PHASES
mix_ignored() {
  [[ $COMMANDS != off ]] || return 0
  mix_fills
  if [[ ${REPLY% *} != 1 && " $PHASES " != *" populate "* ]]; then
    printf 'COMMANDS=%s\tpopulate in PHASES\tset PHASES: without it, only the mix itself makes hashes, lists and sorted sets\n' "$COMMANDS"
  fi
  if [[ ,$COMMANDS == *,lpush* && $COMMANDS != *lpop* ]]; then
    printf 'COMMANDS=%s\tlpop with lpush\tadd lpop: lists that are only pushed to grow, and their memory cannot be planned\n' "$COMMANDS"
  fi
}
