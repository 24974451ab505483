# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A server with a CXL expander and persistent memory, in each state in which it may be found: what doctor says of it, and the commands that it names.

# Boot the server `cxl`: a node with CPUs, and two type 3 devices below one host bridge, of volatile and of persistent memory.
cxl_boot() {
  local LAB_OPTIONS='cxl=on,hmat=on,cxl-fmw.0.targets.0=cxl.1,cxl-fmw.0.size=4G' LAB_CPU='Nehalem,-cx16,-hypervisor'
  lab_boot cxl 4 trixie 1536M,slots=4,maxmem=16G 2 \
    -object memory-backend-ram,id=m0,size=1536M -numa node,nodeid=0,memdev=m0,cpus=0-1 -numa node,nodeid=1 \
    -object memory-backend-ram,id=volatile,share=on,size=512M -object memory-backend-ram,id=persistent,share=on,size=512M \
    -object memory-backend-ram,id=labels,share=on,size=1M -device pxb-cxl,bus_nr=12,bus=pcie.0,id=cxl.1 \
    -device cxl-rp,port=0,bus=cxl.1,id=rp0,chassis=0,slot=2 -device cxl-type3,bus=rp0,volatile-memdev=volatile,id=mem0,sn=0x1234 \
    -device cxl-rp,port=1,bus=cxl.1,id=rp1,chassis=0,slot=3 -device cxl-type3,bus=rp1,persistent-memdev=persistent,lsa=labels,id=mem1,sn=0x5678 \
    -object acpi-generic-port,id=gp0,pci-bus=cxl.1,node=1 -numa dist,src=0,dst=1,val=20 \
    -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-latency,latency=100 \
    -numa hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-bandwidth,bandwidth=20G \
    -numa hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-latency,latency=200 \
    -numa hmat-lb,initiator=0,target=1,hierarchy=memory,data-type=access-bandwidth,bandwidth=10G
}

# Print the rows of doctor about the memory of the server.
cxl_doctor() {
  lab_do doctor --all "${CXL_WORDS[@]}" -v native </dev/null 2>&1 | grep -E 'memory: |variant ' | tr -s ' '
}

# Print the command of docs/devices.md for a state, with a pattern in place of the numbers of devices: the kernel may find them in another order.
# Usage: cxl_documented STATE
cxl_documented() {
  awk -F ' *[|] *' -v state="$1" '$2 ~ state { gsub(/`/, "", $3); print $3; exit }' "$REPO/docs/devices.md" |
    sed -E 's/(mem|region|namespace|dax)[0-9.]+/\1[0-9.]+/'
}

# Check the row of a state, and type the command that it has.
# Usage: cxl_next TITLE STATE
#   STATE: a pattern for the text of doctor, and of docs/devices.md
cxl_next() {
  local said command
  said=$(cxl_doctor)
  command=$(sed -nE "s/.*memory: unused $2: (.*) [a-z0-9.]+ -$/\1/p" <<<"$said")
  check "$1: doctor has it, with the command of the documents" "^$(cxl_documented "$2")$" "${command:-$said}"
  cxl_turn "$command"
}

# Bring a device into another state. Usage: cxl_turn COMMAND...
cxl_turn() {
  lab_ssh cxl "$@" 2>&1 | sed 's/^/#   /'
}

cxl_checks() {
  local said
  CXL_WORDS=(SERVER=198.18.1.4 CLIENT_IP=198.18.1.100 FILL=16M)
  cxl_boot || return
  lab_ready cxl || return
  # The kernel of Debian brings new memory online itself; others do not.
  lab_ssh cxl 'echo offline >/sys/devices/system/memory/auto_online_blocks'
  lab_do doctor "${CXL_WORDS[@]}" -v native -v bind </dev/null >"$LAB_WORK/out" 2>&1 || :
  check 'bind without a node: a device and a command' \
    'mem[01]: CXL, 512 MiB of ram without a region.*cxl create-region -m -t (ram|pmem) -d decoder0.0 mem[01]' "$(<"$LAB_WORK/out")"
  cxl_next 'CXL, no region' 'CXL, 512 MiB of ram without a region'
  cxl_next 'CXL, blocks offline' '[0-9]+ MiB offline'
  check 'CXL is a node, and movable' 'memory: cxl [0-9]+ MiB, no CPU, .*, movable' "$(cxl_doctor)"
  cxl_turn daxctl reconfigure-device --mode=devdax --force dax0.0
  cxl_next 'CXL, devdax' 'cxl, [0-9]+ MiB in devdax mode'
  check 'CXL is a node again' 'memory: cxl [0-9]+ MiB, no CPU' "$(cxl_doctor)"
  cxl_turn 'for device in /sys/bus/cxl/devices/mem*; do grep -qx 0x0 "$device/pmem/size" || cxl disable-memdev "${device##*/}"; done'
  cxl_next 'PMem, off' 'CXL, 512 MiB of pmem in a device that is off'
  cxl_next 'PMem, no region' 'CXL, 512 MiB of pmem without a region'
  cxl_turn cxl disable-region region1
  cxl_next 'PMem, region off' 'CXL, 512 MiB in a region that is off'
  cxl_next 'PMem, no namespace' 'pmem, 512 MiB without a namespace'
  cxl_turn ndctl create-namespace -f -e namespace1.0 --mode=fsdax
  cxl_next 'PMem, for files' 'pmem, [0-9]+ MiB in fsdax mode'
  cxl_turn ndctl disable-namespace namespace1.0
  cxl_next 'PMem, namespace off' 'pmem, [0-9]+ MiB in a namespace that is off'
  cxl_next 'PMem, devdax' 'pmem, [0-9]+ MiB in devdax mode'
  said=$(cxl_doctor)
  check 'CXL and PMem on one node: both are named' 'MiB of it cxl \(dax0.0\), [0-9]+ MiB of it pmem \(dax1.0\), movable' "$said"
  check 'nothing is left to do' '^$' "$(grep unused <<<"$said")"
  # QEMU 10 emulates each access to CXL memory. It crashes when a page of code that crosses to the next one is interleaved.
  lab_run run "${CXL_WORDS[@]}" -v native -v bind FILL=8M
  check 'a run on the node' '^0$' "$STATUS"
  check 'all of the data of bind is there, and none of native' '^bind 100 native 0 $' "$("$REPO/summary2csv.sh" "$(lab_newest)" | awk -F , '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $at["operation"] == "get" { printf "%s %.0f ", $at["variant"], $at["far_share"] * 100 }')"
  lab_off cxl
}
