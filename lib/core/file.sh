# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The only reader of settings, hosts, plans and facts: regular files of limited size, which may come from another person.

# The max bytes of a file of settings, and of a plan, which has the places of all instances in each row.
readonly FILE_SETTINGS=$((1 << 20)) FILE_PLAN=$((64 << 20))

# Read a file. A FIFO would block its reader forever, and a device or a sparse file would fill its memory. A link is followed, because users name
# their own files by links; in a directory of results no link is read (lib/core/stored.sh).
# Usage: file_read FILE [LIMIT]
#   LIMIT in bytes (FILE_SETTINGS)
# Returns: sets REPLY to the text; 1 if it cannot be read, or has a byte of 0, which no value of the shell can have; REPLY is then the reason
file_read() {
  local LC_ALL=C limit=${2:-$FILE_SETTINGS} blocks bytes
  REPLY='not a regular file'
  [[ ! -e $1 || -f $1 || -d $1 ]] || return 1
  REPLY='cannot open'
  [[ -f $1 && -r $1 ]] || return 1
  # The type may have changed since: dd does not wait for the writer of a FIFO. Its three lines are after the text; a full block is more than the limit.
  { REPLY=$(LC_ALL=C exec dd if="$1" iflag=nonblock,fullblock bs=$((limit + 1)) count=1 2>&1); } 2>/dev/null || {
    REPLY='cannot open'
    return 1
  }
  bytes=$REPLY
  ((${#REPLY} < 120)) || bytes=${REPLY: -120}
  bytes=${bytes##*$'\n'}
  REPLY=${REPLY:0:${#REPLY}-${#bytes}-1}
  blocks=${REPLY: -30}
  REPLY=${REPLY:0:${#REPLY}-30}
  [[ $blocks == 0* ]] || {
    REPLY="larger than $((limit >> 20)) MiB"
    return 1
  }
  [[ ${bytes%% *} == "${#REPLY}" ]] || {
    REPLY="has a byte of 0 in line $(($(head -z -n 1 -- "$1" | wc -l) + 1))"
    return 1
  }
}

# A line of a file without what editors of other systems add: a carriage return at its end, the mark of UTF-8 in front of the first line.
# Usage: file_line LINE NUMBER
# Returns: sets REPLY
file_line() {
  REPLY=${1%$'\r'}
  (($2 > 1)) || REPLY=${REPLY#$'\xef\xbb\xbf'}
}

# Whether a path names a readable file of this project, below ROOT.
# Usage: file_ours PATH
file_ours() {
  [[ $1 != *..* && $1 != /* && -f $ROOT/$1 && -r $ROOT/$1 ]]
}
