# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The one reader of what hosts say: a reply is used only when every field of it is of its kind (lib/core/replies.tsv).
#
# What a host sends is somebody else's text. In $(( )), (( )) and ${!name} bash evaluates text, PATH[$(command)] for one; so a number
# is a number, and a name one of ours, before any code sees it.

# What remote_run returns when a reply is not of its form; also the exit status for a host that is not fit.
# shellcheck disable=SC2034 # for those that call remote_run
readonly REPLY_BAD=3

# Print the reply in REMOTE_FILE when it is of the form of its call.
# Usage: reply_print HOST SCRIPT VERB
# Globals: REMOTE_FILE REMOTE_MARK
# Returns: REPLY_BAD with one line on stderr that names host and field.
reply_print() {
  local host=$1 script=$2 verb=$3 text='' why
  # Up to the first NUL, which no reply holds: the mark at its end is then missing.
  IFS= read -r -d '' text <"$REMOTE_FILE" || :
  # Most calls have nothing to say.
  [[ $text != $'\n'"$REMOTE_MARK"$'\n\n'"$REMOTE_MARK.end"$'\n' ]] || return 0
  {
    why=$(REPLY_TABLE=$LIB/core/replies.tsv REPLY_TUNING=$ROOT/conf/tuning.tsv REPLY_CALL=$script$'\t'$verb REPLY_MARK=$REMOTE_MARK \
      LC_ALL=C awk -f "$LIB/core/reply.awk" <<<"$text" 2>&1 >&3)
  } 3>&1 && return 0
  printf "%s: invalid reply to '%s': %s\n" "$host" "$script $verb" "$why" >&2
  return "$REPLY_BAD"
}
