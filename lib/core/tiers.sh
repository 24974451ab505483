# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The kinds of memory, values of TIER: each is a file tier/NAME.sh in lib/ or of TIERBENCH_PATH. Its header tells the planner and the master what it is, and its functions run on
# hosts (docs/architecture.md). Lines of a header are `# FIELD: WORD...`:
#   Is        limited: a cgroup limits DRAM, by DRAM_RATIO; disk: what exceeds the limit takes no memory; compressed: it takes compressed memory
#             bound: data is on the nodes of the tier, which count as far; spills: and on others when these are full; divided: between nodes by weights, which a search may change
#             direct: the CPU loads far data, without faults; free: the kernel places data; moves: and moves them; hidden: it does not see where they are
#   Nodes     the nodes for TIER_NODES=auto: far, or all
#   Policy    the option of numactl, with % for the nodes; Policies: with several nodes, if that differs
#   Uses      the settings that only such tiers use
#   Verify    what must hold for 90 % of the data. memory: it is not in swap; nodes: it is on the nodes of the tier; shares: each node has its share;
#             limit: what exceeds the limit is in the tier's swap
#   Price     the kind of the far memory in --price
# On a host, main of lib/host/tiers.sh and others call these functions of a tier, if it has them:
#   host_tier_NAME_check    prints a row: whether the host supports the tier; without it, the flags say what is checked
#   host_tier_NAME_up       makes what the tier requires, and returns 1 with WHY; the cgroup of a limited tier is made after it
#   host_tier_NAME_state DIR   prints rows SCOPE COUNTER VALUE for counters.tsv; of compressed memory, data and memory, in bytes
#   host_tier_NAME_detect   prints rows KIND WHERE DETAIL for doctor
#   host_tier_NAME_lost     prints what is left of runs whose directory was removed (_host_tier_lost_row)
#   _host_tier_undo_KIND TARGET   undoes a change that `host_tier_note KIND TARGET` recorded before it was made

TIERS=()                   # their names
declare -A _TIERS_FIELD=() # by name and field: the words
# The words of each field; *: any.
declare -rA _TIERS_WORDS=(
  [Is]='limited disk compressed bound spills divided direct free moves hidden' [Nodes]='far all' [Policy]='*' [Policies]='*' [Uses]='*'
  [Verify]='memory nodes shares limit' [Price]='*'
)
TIERS_TEXT= # all of them, as lines `tier NAME FIELD WORDS`, separated by tabs

# Read all headers, as the modules are loaded.
# Usage: tiers_read
# Returns: sets TIERS and TIERS_TEXT
tiers_read() {
  local dir file name line
  local -a lines
  for dir in "$LIB" "${NAMED_DIRS[@]}"; do
    for file in "$dir"/tier/*.sh; do
      name=${file##*/} name=${name%.sh}
      [[ $name != '*' ]] || continue
      [[ $dir == "$LIB" ]] || named_code "$file" "$name" "${TIERS[*]}"
      TIERS+=("$name")
      mapfile -t -n 20 lines <"$file"
      for line in "${lines[@]}"; do
        [[ $line == '#'* ]] || break
        [[ $line =~ ^'# '([A-Z][a-z]+)': '(.+)$ ]] || continue
        _tiers_check "$file" "${BASH_REMATCH[@]:1}"
        _TIERS_FIELD["$name ${BASH_REMATCH[1]}"]=${BASH_REMATCH[2]}
        TIERS_TEXT+=tier$'\t'$name$'\t'${BASH_REMATCH[1]}$'\t'${BASH_REMATCH[2]}$'\n'
      done
      [[ -n ${_TIERS_FIELD["$name Is"]-} ]] || die_usage "environment: TIERBENCH_PATH=$file: the line '# Is: WORD...' is missing at its beginning; add it"
    done
  done
}

# Refuse a line of a header whose field or word has no meaning: what it asks for, such as a proof of the placement, would be left out.
# Usage: _tiers_check FILE FIELD WORDS
# Returns: exits 2
_tiers_check() {
  local word known=${_TIERS_WORDS[$2]-}
  local -a words
  [[ -n $known ]] || die_usage "environment: TIERBENCH_PATH=$1: # $2: unknown field; accepted: Is Nodes Policy Policies Uses Verify Price"
  read -r -a words <<<"$3"
  for word in "${words[@]}"; do
    [[ $known == '*' || " $known " == *" $word "* ]] || die_usage "environment: TIERBENCH_PATH=$1: # $2: $word: unknown word; accepted: $known"
  done
}

# The words of a field of a tier; empty without one.
# Usage: tiers_field NAME FIELD
# Returns: sets REPLY
tiers_field() {
  REPLY=${_TIERS_FIELD["$1 $2"]-}
}

# Whether a field of a tier has a word.
# Usage: tiers_has NAME FIELD WORD
tiers_has() {
  local REPLY
  tiers_field "$1" "$2"
  [[ " $REPLY " == *" $3 "* ]]
}

# The kinds of memory with a price, separated by blanks.
# Usage: tiers_prices
# Returns: sets REPLY
tiers_prices() {
  local name kinds=' '
  for name in "${TIERS[@]}"; do
    tiers_field "$name" Price
    [[ -z $REPLY || $kinds == *" $REPLY "* ]] || kinds+="$REPLY "
  done
  kinds=${kinds# }
  REPLY=${kinds% }
}
