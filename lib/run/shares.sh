# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which client loads which instances, with how many threads and requests.

# Divide the instances over the clients: contiguous ranges, the remainder one each to the first clients.
# Usage: shares_divide INSTANCES
# Globals: CLIENT_IP REDISBASE
# Returns: sets SHARE_CLIENT SHARE_PORT (the first) SHARE_COUNT, with one element per client
shares_divide() {
  local i count port=$REDISBASE
  read -r -a SHARE_CLIENT <<<"$CLIENT_IP"
  SHARE_PORT=() SHARE_COUNT=()
  for i in "${!SHARE_CLIENT[@]}"; do
    count=$(($1 / ${#SHARE_CLIENT[@]} + (i < $1 % ${#SHARE_CLIENT[@]} ? 1 : 0)))
    SHARE_PORT+=("$port") SHARE_COUNT+=("$count")
    port=$((port + count))
  done
}

# Divide the loads of the current row over the clients: with TENANTS each has its own range of instances, else they are one load.
# Usage: shares_loads INSTANCES SIZE KEYS
# Globals: ROW CLIENT_IP REDISBASE
# Returns: sets LOAD_NAME, CLIENT or CLIENT@TENANT, and for each the tenant and its number, first port, instances, all instances of the load, size and keys:
#   LOAD_TENANT LOAD_NUMBER LOAD_PORT LOAD_COUNT LOAD_ALL LOAD_SIZE LOAD_KEYS
shares_loads() {
  local text=${ROW[tenants]-} tenant number=0 i first count keys size
  local -a SHARE_CLIENT SHARE_PORT SHARE_COUNT tenants
  LOAD_NAME=() LOAD_TENANT=() LOAD_NUMBER=() LOAD_PORT=() LOAD_COUNT=() LOAD_ALL=() LOAD_SIZE=() LOAD_KEYS=()
  read -r -a tenants <<<"${text:-/0/$1/$3/$2/}"
  for text in "${tenants[@]}"; do
    IFS=/ read -r tenant first count keys size _ <<<"$text"
    number=$((number + 1))
    ((keys > 0)) || continue
    shares_divide "$count"
    for i in "${!SHARE_CLIENT[@]}"; do
      [[ -z $tenant ]] || ((SHARE_COUNT[i] > 0)) || continue
      LOAD_NAME+=("${SHARE_CLIENT[i]}${tenant:+@$tenant}") LOAD_TENANT+=("$tenant") LOAD_NUMBER+=($((number - 1)))
      LOAD_PORT+=($((SHARE_PORT[i] + first))) LOAD_COUNT+=("${SHARE_COUNT[i]}") LOAD_ALL+=("$count") LOAD_SIZE+=("$size") LOAD_KEYS+=("$keys")
    done
  done
}

# As shares_divide, printed: CLIENT FIRST_PORT COUNT.
# Usage: shares_clients INSTANCES
shares_clients() {
  local i
  local -a SHARE_CLIENT SHARE_PORT SHARE_COUNT
  shares_divide "$1"
  for i in "${!SHARE_CLIENT[@]}"; do printf '%s\t%s\t%s\n' "${SHARE_CLIENT[i]}" "${SHARE_PORT[i]}" "${SHARE_COUNT[i]}"; done
}

# The connections that each thread of the load generator opens to each of its instances.
# Usage: shares_connections
# Globals: CONNECTIONS THREADS
# Returns: sets REPLY; the most that a search may use, if it searches for their number
shares_connections() {
  local most=1024
  shares_threads_each
  # An instance accepts 10,000 clients by default; some of them are reserved for the harness.
  ((most * REPLY <= 9000)) || most=$((9000 / REPLY))
  REPLY=$CONNECTIONS
  [[ $CONNECTIONS != search ]] || REPLY=$most
}

# The threads of the load generator of a client with INSTANCES instances.
# Usage: shares_threads_of INSTANCES
# Globals: THREADS
# Returns: sets REPLY
shares_threads_of() {
  if [[ $THREADS != auto && $THREADS != */instance ]]; then
    REPLY=$THREADS
  else
    shares_threads_each
    REPLY=$((REPLY * $1))
  fi
}

# The threads of each instance; 1 where THREADS is the number of a client.
# Usage: shares_threads_each
# Globals: THREADS
# Returns: sets REPLY
shares_threads_each() {
  REPLY=1
  [[ $THREADS != */instance ]] || REPLY=${THREADS%/*}
}

# The requests of a phase on a client with INSTANCES instances; 0: limited by TIME, or one per key.
# Usage: shares_requests_of INSTANCES
# Globals: TIME REQUESTS CONNECTIONS, and as shares_threads_of
# Returns: sets REPLY
shares_requests_of() {
  REPLY=0
  [[ $TIME == 0 ]] || return 0
  case $REQUESTS in
    */instance) REPLY=$((${REQUESTS%/*} * $1)) ;;
    */connection)
      shares_threads_of "$1"
      # A thread opens its connections to each of its instances; it has several when there are fewer threads than instances.
      REPLY=$((${REQUESTS%/*} * CONNECTIONS * (REPLY > $1 ? REPLY : $1)))
      ;;
    *) REPLY=$REQUESTS ;;
  esac
}

# Print a client's part of a rate, or of rates over time: proportional to its number of instances.
# Usage: shares_rate CLIENT RATE
shares_rate() {
  local client count
  while IFS=$'\t' read -r client _ count; do
    [[ $client != "$1" ]] || shares_part "$2" "$count" "$POINT_INSTANCES"
  done < <(shares_clients "$POINT_INSTANCES")
}

# Print the part of a rate, or of rates over time, for COUNT of ALL instances.
# Usage: shares_part RATE COUNT ALL
shares_part() {
  awk -v rate="$1" -v count="$2" -v all="$3" '
    function part(value) { return sprintf("%.9f", value * count / all) }
    BEGIN {
      n = split(rate, word, " ")
      is_sine = word[1] == "sine"
      for (i = 1; i <= n; i++) {
        if (!is_sine) sub(/^[0-9.]+/, part(word[i] + 0), word[i])
        else if (i == 2) word[i] = part(word[i] + 0) ".." part(substr(word[i], index(word[i], "..") + 2))
        printf "%s%s", (i > 1 ? " " : ""), word[i]
      }
    }'
}

# The highest of a rate over time, or one rate, without a fraction.
# Usage: shares_peak RATE
# Returns: sets REPLY
shares_peak() {
  local word rates=$1
  local -a rate
  [[ $1 != sine* ]] || { rates=${1#sine } && rates=${rates%% *} && rates=${rates#*..}; }
  REPLY=0
  read -r -a rate <<<"$rates"
  for word in "${rate[@]}"; do
    word=${word%@*} word=${word%.*}
    ((word <= REPLY)) || REPLY=$word
  done
}
