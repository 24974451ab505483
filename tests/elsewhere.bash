# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A master with a host named `elsewhere`, for which a test puts its own ssh into the PATH.

# Print a script: the master's modules and settings, a connection to the host, and CODE.
# Usage: elsewhere_master CODE   Returns: 0
elsewhere_master() {
  cat <<END
set -Eeuo pipefail
ROOT=$REPO LIB=$REPO/lib RESUME=
. "\$LIB/modules.sh"
cleanup_init
conf_defaults "\$ROOT/conf/defaults.conf"
for word in REMOTE_DIR=$SCRATCH/host REMOTE_RETRY=0 SERVER=elsewhere; do conf_word argument "\$word" test; done
conf_resolve
remote_init
lock_name test
remote_open elsewhere
CLIENT=elsewhere
$1
END
}
