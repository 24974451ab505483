# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Facts of a host, as lines NAME VALUE, tab-separated. They are read once from each host, stored with a run, and used by a plan without hosts (FACTS).
#
#   cpus N                    logical CPUs
#   mem_gib N                 GiB of memory, as free -g prints it
#   mem_bytes N, mem_available_bytes N
#   topology LINE             of lscpu -p=CPU,CORE,SOCKET,NODE, and of lib/host/facts.sh
#   keycost SIZE WORD...      the memory of a key with a value of SIZE bytes, as Redis reported: a line for lib/plan/keycost.awk

# By host: its facts.
declare -A _FACTS=()

# Read the facts of hosts, all at the same time.
# Usage: facts_read HOST...
# Returns: 1 if a host does not answer, with the reason on stderr.
facts_read() {
  local host status=0
  side_run $((REMOTE_RETRY + 60)) _facts_ask "$@" || status=1
  for host; do
    if ((${SIDE_STATUS[$host]} == 0)); then _FACTS[$host]=${SIDE_OUT[$host]}; else printf '%s\n' "${SIDE_OUT[$host]}" >&2; fi
  done
  return "$status"
}

_facts_ask() {
  local facts line cpus gib bytes available
  facts=$(remote_run "$1" facts all) || return
  while IFS= read -r line; do
    case $line in
      host$'\t'*)
        IFS=$'\t' read -r _ cpus gib bytes available <<<"$line"
        printf 'cpus\t%s\nmem_gib\t%s\nmem_bytes\t%s\nmem_available_bytes\t%s\n' "$cpus" "$gib" "$bytes" "$available"
        ;;
      [0-9]* | '# isolated '* | '# node '*) printf 'topology\t%s\n' "$line" ;;
    esac
  done <<<"$facts"
}

# Use the facts of the server that were read.
# Usage: facts_use
# Globals: SERVER
# Returns: sets SERVER_BYTES SERVER_FREE, and the values of settings that are auto; 1 if there are no facts.
facts_use() {
  local name value topology='' costs=''
  [[ -n ${_FACTS[$SERVER]-} ]] || return
  while IFS=$'\t' read -r name value; do
    case $name in
      cpus) _SERVER_CPUS=$value ;;
      mem_gib) _SERVER_GIB=$value ;;
      mem_bytes) SERVER_BYTES=$value ;;
      mem_available_bytes) SERVER_FREE=$value ;;
      topology) topology+=$value$'\n' ;;
      keycost) costs+=$value$'\n' ;;
    esac
  done <<<"${_FACTS[$SERVER]}"
  # A user's file overrides the topology that was read.
  if [[ $SERVER_TOPOLOGY == auto ]]; then place_learn "${topology%$'\n'}"; else place_read; fi
  [[ -z $costs ]] || fill_learn <<<"${costs%$'\n'}"
}

# Use the facts of the server from a file, without connecting to it.
# Usage: facts_load
# Globals: FACTS: such a file; or a directory with SERVER.tsv, SERVER/facts.tsv or env/SERVER/facts.tsv in it, as a run has
# Returns: as facts_use; exits 2 if there is no such file, or it is invalid.
facts_load() {
  local file=$FACTS try line number=0 names=' ' name
  [[ ! -d $FACTS ]] || for try in "$SERVER.tsv" "$SERVER/facts.tsv" "env/$SERVER/facts.tsv"; do
    file=$FACTS/$try
    [[ ! -f $file ]] || break
  done
  [[ -f $file && -r $file ]] || conf_refuse FACTS "no facts of $SERVER found; a run has them in env/$SERVER/facts.tsv"
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    _facts_is "$line" || die_usage "$(conf_where FACTS): FACTS=$FACTS: $file:$number is not a fact; lib/plan/facts.sh lists the accepted lines"
    names+="${line%%$'\t'*} "
  done <"$file"
  for name in cpus mem_gib mem_bytes mem_available_bytes topology; do
    [[ $names == *" $name "* ]] || conf_refuse FACTS "$file has no line $name; copy the whole facts.tsv of a run"
  done
  _FACTS[$SERVER]=$(<"$file")
  facts_use
}

# Whether a line is a valid fact: another person may have written the file.
_facts_is() {
  local count='(0|[1-9][0-9]{0,17})' decimal='[0-9]{1,15}(\.[0-9]{1,9})?'
  [[ $1 =~ ^(cpus|mem_gib|mem_bytes|mem_available_bytes)$'\t'$count$ ||
    $1 =~ ^topology$'\t'([0-9]{1,5},[0-9]{1,5},[0-9]{0,5},[0-9]{0,5}|#\ ?[A-Za-z0-9\ ,:-]*)$ ||
    $1 =~ ^keycost$'\t'$count$'\t'(base$'\t'|cost$'\t'[0-9]{1,2}$'\t')-?$decimal$ ]]
}

# Write the facts of every host into a run's directory.
# Usage: facts_write RUN
facts_write() {
  local host
  for host in "${!_FACTS[@]}"; do
    mkdir -p -- "$1/env/$host" || return
    {
      grep -v '^keycost' <<<"${_FACTS[$host]}"
      [[ $host != "$SERVER" ]] || fill_models | sed $'s/^/keycost\t/'
    } >"$1/env/$host/facts.tsv" || return
  done
}
