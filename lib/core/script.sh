# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The text of a script that runs on a host. Every remote call makes one, so nothing here starts a process.

_SCRIPT_SHARED=           # what script_shared has read
_SCRIPT_MODULES=          # what script_modules has read
declare -A _SCRIPT_HAS=() # by name: its modules

# Make the text of lib/host/SCRIPT.sh for a new shell.
# Usage: script_make SCRIPT [ARG]...
# Globals: as script_own; REMOTE_MARK: the output has this line before it, and REMOTE_MARK.end after it, if it is not empty
# Returns: sets REPLY
script_make() {
  local text
  script_own "$@"
  text=$REPLY
  script_shared
  # A login may have a variable CHANNEL, which says that a script runs in a channel.
  text='CHANNEL='$'\n'$REPLY$text
  # As lib/modules.sh.
  # shellcheck disable=SC2016 # expanded on the host
  REPLY='if ((BASH_VERSINFO[0] < 5)); then echo "bash 5 or newer is required, this host has $BASH_VERSION" >&2; exit 1; fi'$'\n'$text
  # The marks are on separate lines.
  [[ -z ${REMOTE_MARK-} ]] || printf -v REPLY 'printf "\\n%s\\n"; printf "\\n%s\\n" >&2\n%sprintf "\\n%s.end\\n"\n' \
    "$REMOTE_MARK" "$REMOTE_MARK" "$REPLY" "$REMOTE_MARK"
}

# The modules that every script has.
# Usage: script_shared
# Returns: sets REPLY
script_shared() {
  local name
  local -a part
  if [[ -z $_SCRIPT_SHARED ]]; then
    for name in common said proc files workdir owner; do
      # mapfile reads a file in large blocks, and takes a quarter of the time of read -d.
      mapfile -d '' part <"$LIB/shared/$name.sh"
      _SCRIPT_SHARED+=${part[0]}
    done
  fi
  REPLY=$_SCRIPT_SHARED
}

# The modules that scripts need in addition: those files of lib/host that are no scripts, and two of lib/shared.
# Usage: script_modules
# Returns: sets REPLY
script_modules() {
  local file
  local -a part
  [[ -n $_SCRIPT_MODULES ]] || for file in "$LIB"/{shared/{cpus,protocol},host/*}.sh; do
    mapfile -d '' part <"$file"
    [[ ${part[0]} != *$'\nmain() {'* && $file != */host/channel.sh ]] || continue
    _SCRIPT_MODULES+=${part[0]}
    file=${file##*/}
    _SCRIPT_HAS[${file%.sh}]=yes
  done
  REPLY=$_SCRIPT_MODULES
}

# Make the text of a script for a shell that has the modules of script_shared: the variables that it reads, the modules in its line
# `# Needs: NAME...` (from lib/shared or lib/host), the script, and the call of its main.
# The variables are those of the lines `# Reads: NAME...` and, for the verb in the first argument, `# Reads VERB...: NAME...`; every script reads
# the run's. They must be set, also if they are empty.
# Usage: script_own SCRIPT [ARG]...
# Globals: has_modules: not empty for a shell that has the modules of script_modules, too
# Returns: sets REPLY
script_own() {
  local script=$1 verb=${2-} name room line
  local -a needs=() reads=(REMOTE_DIR LOCK_DIR RUN_ID RUN_OWNER RUN_OPEN) own part
  mapfile -d '' own <"$LIB/host/$script.sh"
  while IFS= read -r line && [[ -n $line ]]; do
    if [[ $line == '# Needs: '* ]]; then
      read -r -a needs <<<"${line#'# Needs: '}"
    elif [[ $line =~ ^'# Reads'(:|([a-z\ ]+):)\ (.*)$ ]] && [[ ${BASH_REMATCH[1]} == : || "${BASH_REMATCH[2]} " == *" $verb "* ]]; then
      read -r -a part <<<"${BASH_REMATCH[3]}"
      reads+=("${part[@]}")
    fi
  done <"$LIB/host/$script.sh"
  # The login may set POSIXLY_CORRECT, with which tools and bash itself behave differently.
  REPLY=$'set -Eeuo pipefail; set +o posix; unset -v POSIXLY_CORRECT\n'
  # Numbers have a decimal point, and a plain user's PATH may lack ethtool.
  # shellcheck disable=SC2016 # expanded on the host
  REPLY+='export LC_ALL=C PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin'$'\n'
  for name in "${reads[@]}"; do
    [[ -v $name ]] || die "lib/host/$script.sh${verb:+ $verb}: reads $name, which is not set"
    printf -v line '%s=%q\n' "$name" "${!name}"
    REPLY+=$line
  done
  for name in "${needs[@]}"; do
    [[ -z ${has_modules-} || -z ${_SCRIPT_HAS[$name]+set} ]] || continue
    for room in shared host; do
      [[ -e $LIB/$room/$name.sh ]] || continue
      mapfile -d '' part <"$LIB/$room/$name.sh"
      REPLY+=${part[0]}
    done
  done
  # shellcheck disable=SC2016 # expanded on the host
  REPLY+=${own[0]}$'\nmain "$@" </dev/null\n'
}
