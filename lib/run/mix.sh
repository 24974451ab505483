# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# COMMANDS of the mixed phase: derive the keys that populate makes and the commands that instances must allow.

# By name of a command: the kind of its key (s string, i counter, h hash, l list, z sorted set, x stream), whether it takes -N, and the
# server's commands that it and populate need.
declare -rA _MIX_KNOWN=(
  [get]='s 0 get' [set]='s 0 set' [mget]='s 1 mget' [mset]='s 1 mset' [del]='s 0 del' [rmw]='s 0 get set' [incr]='i 0 incr'
  [hset]='h 1 hset' [hget]='h 1 hget hset' [hgetall]='h 1 hgetall hset' [lpush]='l 0 lpush rpush' [lpop]='l 0 lpop rpush'
  [lrange]='l 1 lrange rpush' [zadd]='z 1 zadd' [zrange]='z 1 zrange zadd' [xadd]='x 1 xadd'
)

# Print the items of COMMANDS, which the planner has checked, one per line: KIND N WEIGHT NAME, or `own 1 WEIGHT WORDS`; NAME includes -N.
# Usage: _mix_items
# Globals: COMMANDS
_mix_items() {
  local item weight name times
  local -a items known
  IFS=, read -r -a items <<<"$COMMANDS"
  for item in "${items[@]}"; do
    weight=1
    if [[ $item =~ ^(.*):([1-9][0-9]{0,5}|1000000)$ ]]; then item=${BASH_REMATCH[1]} weight=${BASH_REMATCH[2]}; fi
    if [[ $item == *' '* || $item == *__key__* ]]; then
      printf 'own 1 %s %s\n' "$weight" "$item"
      continue
    fi
    name=${item%%-*} times=10
    read -r -a known <<<"${_MIX_KNOWN[$name]}"
    [[ $item == "$name" ]] || times=${item#*-}
    ((known[1] == 1)) || times=1
    printf '%s %s %s %s\n' "${known[0]}" "$times" "$weight" "$item"
  done
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
