# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The shell that stays on a host for a run, see lib/core/channel.sh: it runs each script that it gets in a subshell. Its names begin with _channel,
# because the scripts see them. Argument: the line that it prints first.

exec 2>/dev/null
export LC_ALL=C
unset -v _channel_pad
# Scripts need not ask again.
owner_place
# Messages are kept in a file without a name, which no script has open as another descriptor than its stderr. A disk may be full.
{ { _channel_said=$(mktemp -p /dev/shm) || _channel_said=$(mktemp); } && exec 8>>"$_channel_said" 2>&8 && rm -f -- "$_channel_said"; } || exit
printf '\n%s\n' "$1"
while IFS=' ' read -r _channel_size _channel_token && [[ $_channel_size =~ ^[0-9]{1,9}$ ]] && IFS= read -r -d '' -N "$_channel_size" _channel_text; do
  workdir_once
  _channel_out=$(eval "$_channel_text" </dev/null 2>&8 8>&-)
  _channel_status=$?
  # The master takes no more.
  IFS= read -r -d '' -n 262144 _channel_err </proc/self/fd/8
  [[ -z $_channel_err ]] || : >/proc/self/fd/8
  printf '%s %d %d %d\n%s%s' "$_channel_token" "$_channel_status" "${#_channel_out}" "${#_channel_err}" "$_channel_out" "$_channel_err"
done
