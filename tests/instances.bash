# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For the master side, which tests run in a separate process: instances alone, without memory that is set up for them, and without monitors.

# Start the instances of the current row on all servers, and wait until each answers PING.
# Usage: server_start INSTANCES [DIR]   Globals: ROW   Returns: 1 if some do not start; sets what server_got_instances takes
server_start() {
  local -a PARTS=(server)
  POINT_INSTANCES=$1
  parts_begin ''
  server_point "$@"
  parts_at instances
}
