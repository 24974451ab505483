# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The hosts file: roles, addresses and how to log in. hosts.example shows the format.

# By address: login data for ssh (`-` was left out), and the address that carries the load.
declare -A HOST_USER=() HOST_PORT=() HOST_KEY=() HOST_DATA=()

# Read a hosts file; its server and clients become the settings SERVER and CLIENT_IP.
# Usage: hosts_read FILE
# Returns: exits 2 with file:line at the first bad line.
hosts_read() {
  local file=$1 number=0 line role address user port key data more server=
  local -a clients=()
  [[ -r $file && ! -d $file ]] || die_usage "$file: cannot be read"
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    line=${line%%#*}
    read -r role address user port key data more <<<"$line"
    [[ -n $role ]] || continue
    [[ -z $more ]] || die_usage "$file:$number: more than six words: $more"
    [[ -n $address ]] || die_usage "$file:$number: no address after '$role'"
    case $role in
      server)
        [[ -z $server ]] || die_usage "$file:$number: a second server; there can be one"
        server=$address
        conf_word hosts "SERVER=$address" "$file:$number"
        ;;
      client)
        clients+=("$address")
        conf_word hosts "CLIENT_IP=${clients[*]}" "$file:$number"
        ;;
      *) die_usage "$file:$number: the role is server or client, not '$role'" ;;
    esac
    [[ ${port:--} == - || ($port =~ ^[1-9][0-9]{0,4}$ && $port -le 65535) ]] ||
      die_usage "$file:$number: '$port' is not a port"
    key=${key/#\~/$HOME}
    [[ ${key:--} == - || -r $key ]] || die_usage "$file:$number: the key $key cannot be read"
    [[ ${user:--} == - ]] || HOST_USER[$address]=$user
    [[ ${port:--} == - ]] || HOST_PORT[$address]=$port
    [[ ${key:--} == - ]] || HOST_KEY[$address]=$key
    [[ ${data:--} == - ]] || HOST_DATA[$address]=$data
  done <"$file"
  [[ -n $server ]] || die_usage "$file: no server line"
  ((${#clients[@]} > 0)) || die_usage "$file: no client line"
}

# Bring CLIENT_IP down to the clients that make load, when settings were resolved.
# Usage: hosts_clients
# Globals: SERVER CLIENT_IP CLIENT_COUNT SINGLE_NODE
# Returns: exits 2 when there are fewer than that.
hosts_clients() {
  local -a clients
  [[ $SINGLE_NODE == off ]] || CLIENT_IP=$SERVER
  [[ $CLIENT_COUNT != auto ]] || return 0
  read -r -a clients <<<"$CLIENT_IP"
  [[ $SINGLE_NODE == off ]] || ((CLIENT_COUNT == 1)) || conf_refuse CLIENT_COUNT "with SINGLE_NODE=on the server alone makes the load"
  ((CLIENT_COUNT <= ${#clients[@]})) || conf_refuse CLIENT_COUNT "there are ${#clients[@]} clients: $CLIENT_IP"
  CLIENT_IP=${clients[*]:0:CLIENT_COUNT}
}

# Print the address on which a host carries the load: its data address, else the address it is reached at.
# Usage: host_data ADDRESS
host_data() {
  echo "${HOST_DATA[$1]-$1}"
}
