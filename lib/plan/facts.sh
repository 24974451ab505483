# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Facts of a server, as lines NAME VALUE, tab-separated. They are read once from each server, stored with a run, and used
# by a plan without hosts (FACTS).
#
#   cpus N                    logical CPUs that processes may use
#   mem_gib N                 GiB of memory that processes may use, as free -g prints it
#   mem_bytes N, mem_available_bytes N
#   limit WHAT VALUE WHERE    what makes this less than the machine has: memory BYTES, quota PERCENT of a CPU, cpus LIST, swap BYTES for a tier, or memsw
#                             BYTES of memory and swap together; WHERE is a cgroup or its file
#   topology LINE             of lscpu -p=CPU,CORE,SOCKET,NODE, and of lib/host/facts.sh
#   redis SERVER VERSION QUANTUM   the row of conf/keycost.tsv for its redis-server
#   keycost FORM WORD...      the memory of a key of this form, which that table lacks: a row for lib/plan/keycost.awk

# By host: its facts.
declare -A _FACTS=()

# Use the facts of the servers that were read.
# Usage: facts_use
# Globals: HOST
# Returns: sets SERVER_BYTES SERVER_FREE SERVER_LIMITS, and what settings that say auto get; of several servers, those of the smallest one; 1 when there
#   are none.
facts_use() {
  servers_each _facts_use || return
  ! servers_at_once || _facts_join
}

# What is planned for several servers alike: the least memory of one, and the most CPUs. A server with fewer CPUs uses all that it has.
_facts_join() {
  local host name
  _SERVER_CPUS=0 SERVER_BYTES='' SERVER_FREE='' _SERVER_GIB=''
  for host in "${SERVERS[@]}"; do
    for name in SERVER_BYTES SERVER_FREE _SERVER_GIB; do
      servers_value "$host" "$name"
      [[ -n ${!name} ]] && ((${!name} <= REPLY)) || printf -v "$name" '%s' "$REPLY"
    done
    servers_value "$host" _SERVER_CPUS
    ((REPLY <= _SERVER_CPUS)) || _SERVER_CPUS=$REPLY
  done
}

# What limits the processes on the server in HOST, below what the machine has.
# Usage: facts_limit memory|swap|memsw|quota|cpus
# Globals: SERVER_LIMITS
# Returns: sets REPLY, the value, and FACTS_WHERE, its cgroup; 1 without such a limit
facts_limit() {
  local what
  while IFS=$'\t' read -r what REPLY FACTS_WHERE; do
    [[ $what != "$1" ]] || return 0
  done <<<"${SERVER_LIMITS-}"
  REPLY='' FACTS_WHERE=''
  return 1
}

# A text about a limit of memory for messages, with a blank before it; empty without one.
# Usage: facts_limit_text
# Returns: sets REPLY
facts_limit_text() {
  ! facts_limit memory || REPLY=" (the memory limit in $FACTS_WHERE is $((REPLY >> 20)) MiB)"
}

# Whether the facts of the server in HOST were read.
# Usage: facts_known
facts_known() {
  [[ -n ${_FACTS[$HOST]-} ]]
}

# Use the facts of the server in HOST.
# Usage: _facts_use
# Globals: HOST
# Returns: sets SERVER_BYTES SERVER_FREE SERVER_LIMITS _SERVER_CPUS _SERVER_GIB and the topology; 1 if no facts were read.
_facts_use() {
  local name value topology='' costs='' REPLY
  facts_known || return
  SERVER_LIMITS=
  while IFS=$'\t' read -r name value; do
    case $name in
      cpus) _SERVER_CPUS=$value ;;
      mem_gib) _SERVER_GIB=$value ;;
      mem_bytes) SERVER_BYTES=$value ;;
      mem_available_bytes) SERVER_FREE=$value ;;
      limit) SERVER_LIMITS+=$value$'\n' ;;
      topology) topology+=$value$'\n' ;;
      # The same on every server: learnt once.
      redis) [[ $HOST != "${SERVERS[0]}" ]] || fill_use "$value" ;;
      keycost) [[ $HOST != "${SERVERS[0]}" ]] || costs+=$value$'\n' ;;
    esac
  done <<<"${_FACTS[$HOST]}"
  place_learn "${topology%$'\n'}"
  [[ -z $costs ]] || fill_learn <<<"${costs%$'\n'}"
}

# Use the facts of the servers from files, without connecting to them.
# Usage: facts_load
# Globals: SERVER_MEM; FACTS: such a file, or what lscpu -p printed; or a directory with HOST.tsv, HOST/facts.tsv or env/HOST/facts.tsv in it, as a run has
# Returns: as facts_use; exits 2 if there is no such file, or it is invalid.
facts_load() {
  servers_each _facts_load
  facts_use
}

# Load the facts of the server in HOST from its file.
# Usage: _facts_load
# Globals: as facts_load
# Returns: exits 2 if there is no such file, or it is invalid.
_facts_load() {
  local file=$FACTS try line number=0 name text='' REPLY
  local -a lines
  # A file of this name, a directory env/, or a run.
  [[ ! -d $FACTS ]] || for try in "$FACTS/${HOST//:/+}.tsv" "$FACTS/$HOST.tsv" "$FACTS" "$FACTS/env"; do
    file=$try
    [[ ! -f $file ]] || break
    hosts_folder "$try" "$HOST"
    file=$REPLY/facts.tsv
    [[ ! -f $file ]] || break
  done
  file_read "$file" || conf_refuse FACTS "no facts of $HOST found ($file: $REPLY); a run has them in env/$HOST/facts.tsv"
  mapfile -t lines <<<"${REPLY%$'\n'}"
  for line in "${lines[@]}"; do
    number=$((number + 1))
    _facts_line "$line" || conf_refuse FACTS "$file:$number is neither a fact (lib/plan/facts.sh) nor of lscpu -p; name the facts.tsv of a run," \
      "or a file that lscpu -p=CPU,CORE,SOCKET,NODE printed"
    text+=$REPLY
  done
  # The last line of a name counts.
  [[ $SERVER_MEM == auto ]] || text+=$(printf '%s\t%s\n' mem_gib "$SERVER_MEM" mem_bytes $((SERVER_MEM << 30)) mem_available_bytes $((SERVER_MEM << 30)))$'\n'
  for name in topology mem_gib mem_bytes mem_available_bytes; do
    [[ $'\n'$text == *$'\n'"$name"$'\t'[0-9]* ]] || conf_refuse FACTS "$file has no line $name; copy the whole facts.tsv of a run, or set SERVER_MEM for that" \
      "of lscpu -p"
  done
  [[ $'\n'$text == *$'\ncpus\t'* ]] || text+=cpus$'\t'$(grep -c $'^topology\t[0-9]' <<<"$text")
  _FACTS[$HOST]=${text%$'\n'}
}

# The fact of a line of a file, which has facts, or is what lscpu -p printed.
# Usage: _facts_line LINE
# Returns: sets REPLY, with its line break; empty for a comment, and for a CPU that is offline, which lscpu --all prints without a core; 1 for another line
_facts_line() {
  REPLY=$1
  if [[ $1 =~ ^([0-9]+,[0-9]+,[0-9]*,[0-9]*)(,[0-9,:]*)?$ ]]; then
    REPLY=topology$'\t'${BASH_REMATCH[1]}
  elif [[ $1 == '# '@(isolated|node)' '* ]]; then
    REPLY=topology$'\t'$1
  elif [[ $1 =~ ^(#|[0-9]+,,) ]]; then
    REPLY=
    return
  fi
  _facts_is "$REPLY" && REPLY+=$'\n'
}

# Whether a line is a valid fact: another person may have written the file. Lengths are checked apart: bash compiles a pattern with large counts anew
# for each use, which takes 0.1 s.
_facts_is() {
  local count='(0|[1-9][0-9]{0,17})' decimal='[0-9]{1,15}(\.[0-9]{1,9})?'
  ((${#1} <= 8192)) || return 1
  # No machine has as many CPUs or nodes, and what counts to them would not end.
  [[ $1 != [ct]* && $1 != limit$'\t'cpus* ]] || [[ ! $1 =~ [0-9]{6} ]] || return 1
  [[ $1 =~ ^(cpus|mem_gib|mem_bytes|mem_available_bytes)$'\t'$count$ ||
    $1 =~ ^limit$'\t'((memory|swap|memsw)$'\t'$count|quota$'\t'$count|cpus$'\t'[0-9,-]+)$'\t'[[:print:]]+$ ||
    $1 =~ ^topology$'\t'([0-9]{1,5},[0-9]{1,5},[0-9]{0,5},[0-9]{0,5}|#\ ?[A-Za-z0-9\ ,:-]*)$ ||
    $1 =~ ^redis$'\t'(redis|valkey)$'\t'[0-9]{1,3}\.[0-9]{1,3}$'\t'(8|16)p?$ ||
    $1 =~ ^keycost$'\t'$count(\+ttl)?(\+cluster)?$'\t'((backlog|base|ring|slot|table)$'\t'|cost$'\t'[0-9]{1,2}$'\t')-?$decimal$ ]]
}

# Write the facts of every server into a run's directory.
# Usage: facts_write RUN
facts_write() {
  local host REPLY
  for host in "${!_FACTS[@]}"; do
    hosts_folder "$1/env" "$host"
    mkdir -p -- "$REPLY" 2>/dev/null || write_failed "$REPLY" || return
    write_file "$REPLY/facts.tsv" _facts_print "$host" || return
  done
}

# Print the facts of a server.
# Usage: _facts_print HOST
_facts_print() {
  grep -vE '^(redis|keycost)' <<<"${_FACTS[$1]}"
  # Of several servers, the first has measured it.
  [[ $1 == "${SERVERS[0]}" ]] || return 0
  [[ -z $FILL_REDIS ]] || printf 'redis\t%s\n' "${FILL_REDIS// /$'\t'}"
  fill_models keycost
}
