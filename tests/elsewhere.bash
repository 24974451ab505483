# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A master with a host named `elsewhere`, which is a shell here behind an ssh of the test.

# Put an ssh into the PATH that runs the host's command here.
# Usage: elsewhere_ssh [CODE]
#   CODE  runs before that, with the command as $*
# Returns: 0
elsewhere_ssh() {
  program_make bin/ssh <<END
#!/bin/bash
while [[ \${1-} == -* ]]; do case \$1 in -O | -G) exit 0 ;; -o | -F | -l | -p | -i) shift 2 ;; *) shift ;; esac; done
shift
# What makes the connection is no script.
[[ \$1 != true ]] || exit 0
${1-}
exec /bin/bash -c "\$*"
END
  PATH=$SCRATCH/bin:$PATH
}

# Print a script: the master's modules and settings, a connection to the host, and CODE.
# Usage: elsewhere_master CODE   Returns: 0
elsewhere_master() {
  cat <<END
set -Eeuo pipefail
ROOT=$REPO LIB=$REPO/lib RESUME=
. "\$LIB/modules.sh"
cleanup_init
for word in REMOTE_DIR=$SCRATCH/host REMOTE_RETRY=0 SERVER=elsewhere; do conf_word argument "\$word" test; done
conf_read
remote_init
lock_name test
remote_open elsewhere
CLIENT=elsewhere
$1
END
}
