# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The policies that the group `placement` leaves out, and a Redis that uses other memory than its variant requests.

nodes_checks() {
  printf '# Where memory is.\nLIKE=guest\nKERNEL.numa_balancing=keep\n' >conf/scenarios/nodes.conf
  # Two of the three nodes: Linux numbers nodes with CPUs first, so the slow node is node 2.
  echo 'TIER_NODES=0,2' >>conf/variants/interleave.conf
  echo SERVER_PREFIX=/var/tmp/witness >>conf/variants/numab.conf
  { cat conf/variants/bind.conf && echo 'SERVER_PREFIX="numactl --membind=0"'; } >conf/variants/astray.conf
  run_variants nodes -v preferred -v interleave -v numab -v astray
  check 'preferred: all is on the slow node, which has room' '^(0\.9|1).* ok$' "$(figure preferred far_share placement)"
  check 'interleave: half is on each of two nodes' '^0\.(4[5-9][0-9]*|5([0-5][0-9]*)?) ok$' "$(figure interleave far_share placement)"
  check 'numab: balancing is on when Redis starts, and demotion is off' 'balancing=2 demotion=false' "$(</var/tmp/nodes.seen)"
  check 'numab: all is in DRAM, so the policy moves nothing, and nobody judges where a page is' '^0(\.000[0-9]*)? 0(\.0*)? -$' "$(figure numab far_share moved_per_op placement)"
  check 'a placement that is not what was asked for is marked' '^0 off$' "$(figure astray far_share placement)"
}
