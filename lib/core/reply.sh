# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The only reader of hosts' replies: a reply is used only when every field of it is of its kind (lib/core/replies.tsv).
#
# A host's reply is untrusted text. In $(( )), (( )) and ${!name} bash evaluates text, such as PATH[$(command)]. So before any code uses it,
# a number is checked to be a number, and a name to be a known name.

# The status of call_run when a reply does not have its form; also the exit status for a host that is not fit.
# shellcheck disable=SC2034 # for those that call call_run
readonly REPLY_BAD=3

# Print the reply in REMOTE_REPLY if it has the form of its call.
# Usage: reply_print HOST SCRIPT VERB
# Globals: REMOTE_REPLY REMOTE_MARK REMOTE_LIMIT
# Returns: REPLY_BAD with one line on stderr that names host and field.
reply_print() {
  local host=$1 script=$2 verb=$3 why
  # Most calls print nothing.
  [[ $REMOTE_REPLY != $'\n'"$REMOTE_MARK"$'\n\n'"$REMOTE_MARK.end"$'\n' ]] || return 0
  {
    why=$(REPLY_TABLE=$LIB/core/replies.tsv REPLY_TUNING=$ROOT/conf/tuning.tsv REPLY_CALL=$script$'\t'$verb REPLY_MARK=$REMOTE_MARK \
      LC_ALL=C exec awk -f "$LIB/core/reply.awk" <<<"$REMOTE_REPLY" 2>&1 >&3)
  } 3>&1 && return 0
  ! call_longer "$host" "$script" || return "$REPLY_BAD"
  printf "%s: invalid reply to '%s': %s\n" "$host" "$script $verb" "$why" >&2
  return "$REPLY_BAD"
}
