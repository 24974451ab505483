# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The hosts file: roles, addresses and how to log in. hosts.example shows the format.

# By address: login data for ssh (missing: `-`), and the address that carries the load.
declare -A HOST_USER=() HOST_PORT=() HOST_KEY=() HOST_DATA=()

# Read a hosts file; its servers and clients become the settings SERVER and CLIENT_IP.
# Usage: hosts_read FILE [LAYER]
#   LAYER is that of the settings (hosts)
# Returns: exits 2 with file:line at the first invalid line.
hosts_read() {
  local file=$1 layer=${2-hosts} number=0 line role address user port key data more named='' has_server='' has_client='' REPLY
  local -a lines
  file_read "$file" || die_usage "command line: -H=$file: $REPLY; name a hosts file such as hosts.example"
  mapfile -t lines <<<"$REPLY"
  for line in "${lines[@]}"; do
    number=$((number + 1))
    ((${#line} <= 4096)) || die_usage "$file:$number: line: too long; accepted: at most 4096 characters"
    file_line "$line" $number
    read -r role address user port key data more <<<"${REPLY%%#*}"
    [[ -n $role ]] || continue
    [[ -z $more ]] || die_usage "$file:$number: $more: too many columns; accepted: ROLE ADDRESS USER PORT KEY DATA"
    [[ -n $address ]] || die_usage "$file:$number: $role: the address is missing; add it after the role"
    [[ $address != *,* ]] || die_usage "$file:$number: $address: several addresses; write a line for each"
    case $role in
      server)
        has_server=yes
        conf_say host "$file:$number" "$layer" SERVER "$address"
        ;;
      client)
        has_client=yes
        conf_say host "$file:$number" "$layer" CLIENT_IP "$address"
        ;;
      *) die_usage "$file:$number: $role: unknown role; accepted: server, client" ;;
    esac
    [[ ${user:--} == - || $user =~ ^[A-Za-z0-9_][A-Za-z0-9._@+\\-]*$ ]] ||
      die_usage "$file:$number: $user: invalid user; accepted: a login name, or - for the default"
    [[ ${port:--} == - || ($port =~ ^[1-9][0-9]{0,4}$ && $port -le 65535) ]] ||
      die_usage "$file:$number: $port: invalid port; accepted: 1 to 65535, or - for the default"
    key=${key/#\~/"$HOME"}
    [[ ${key:--} == - || (-f $key && -r $key) ]] || die_usage "$file:$number: $key: cannot open the ssh key; name a file that you can read, or - for the default"
    [[ ${data:--} == - ]] || conf_say address "$file:$number" "$data"
    [[ ${user:--}${key:--} == -- ]] || named+="$role $address $user ${port:--} $key"$'\n'
    _hosts_take HOST_USER "$address" "$user" "$file:$number"
    _hosts_take HOST_PORT "$address" "$port" "$file:$number"
    _hosts_take HOST_KEY "$address" "$key" "$file:$number"
    _hosts_take HOST_DATA "$address" "$data" "$file:$number"
  done
  trust_hosts "$file" "$named"
  [[ -n $has_server ]] || die_usage "command line: -H=$file: no server line; add a line: server ADDRESS"
  [[ -n $has_client ]] || die_usage "command line: -H=$file: no client line; add a line: client ADDRESS"
}

# Take a column of a hosts file, unless it is empty or `-`.
# Usage: _hosts_take ARRAY ADDRESS VALUE WHERE
# Returns: exits 2 if the column has no effect, or another line of the same address has another value.
_hosts_take() {
  local -n _hosts_column=$1
  [[ ${3:--} != - ]] || return 0
  [[ $1 == HOST_DATA ]] || ! remote_is_loopback "$2" ||
    die_usage "$4: $3: has no effect: $2 is this machine, without ssh; write - for user, port and key, or a host of ssh_config in place of $2"
  [[ ${_hosts_column[$2]-$3} == "$3" ]] || die_usage "$4: $3: conflicts with ${_hosts_column[$2]} of $2 in another line; write the same, or -"
  _hosts_column[$2]=$3
}

# Warn of the users of a hosts file that are not used, because their hosts are this machine by another name or address.
# Usage: hosts_warn
hosts_warn() {
  local host user
  ((${#HOST_USER[@]} > 0)) || return 0
  user=$(exec id -un 2>/dev/null) || user=$EUID
  for host in "${!HOST_USER[@]}"; do
    [[ ${HOST_USER[$host]} == "$user" ]] || ! remote_is_local "$host" ||
      log_warn "$host: is this machine, without ssh: its commands run as $user, not as ${HOST_USER[$host]}"
  done
}

# Print the address on which a host carries the load: its data address, else its ssh address.
# Usage: hosts_data ADDRESS
# Returns: sets REPLY
hosts_data() {
  REPLY=${HOST_DATA[$1]-$1}
}

# The directory of a host in a directory of a run. Other systems do not unpack names with a colon, so IPv6 addresses have + there, which no name of a
# host has (text_host).
# Usage: hosts_folder DIR HOST
# Returns: sets REPLY
hosts_folder() {
  REPLY=$1/${2//:/+}
}

# The clients that run on a server's machine, separated by blanks; empty if CLIENTS asks for that.
# Usage: hosts_shared
# Globals: SERVERS CLIENT_IP CLIENTS
# Returns: sets REPLY
hosts_shared() {
  local client server shared=''
  REPLY=
  [[ $CLIENTS != server ]] || return 0
  for client in $CLIENT_IP; do
    for server in "${SERVERS[@]}"; do
      ! hosts_same "$client" "$server" || shared+="${shared:+ }$client"
    done
  done
  REPLY=$shared
}

# Whether two hosts are one machine, as far as their names say.
# Usage: hosts_same HOST OTHER
hosts_same() {
  [[ $1 == "$2" ]] || { remote_is_local "$1" && remote_is_local "$2"; }
}

# All hosts, each once.
# Usage: hosts_all
# Returns: sets hosts of the caller
hosts_all() {
  local host seen=' '
  hosts=()
  for host in "${SERVERS[@]}" $CLIENT_IP; do
    [[ $seen == *" $host "* ]] || hosts+=("$host")
    seen+="$host "
  done
}
