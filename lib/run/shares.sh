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

# Print a client's part of a rate: proportional to its number of instances.
# Usage: shares_rate CLIENT RATE
shares_rate() {
  shares_clients "$POINT_INSTANCES" | awk -v client="$1" -v rate="$2" -v all="$POINT_INSTANCES" \
    '$1 == client { printf "%.6f", rate * $3 / all }'
}
