# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The processors of servers, as their kernels describe them: the topology that `lscpu -p` prints, and /proc/cpuinfo.

# Print the topology of a server. The second threads of its cores have the highest numbers.
# Usage: topology_of 2x12|2x24ht|cpuless|nps4   Returns: 0, 1 for an unknown server
topology_of() {
  local recording=$REPO/tests/fixtures/cpus/2x12.lscpu cores per_socket per_node
  case $1 in
    2x12)
      cat "$recording"
      return
      ;;
    2x24ht) cores=48 per_socket=24 per_node=24 ;;
    cpuless) cores=16 per_socket=8 per_node=8 ;;
    nps4) cores=64 per_socket=32 per_node=8 ;;
    *) return 1 ;;
  esac
  grep '^#' "$recording"
  awk -v cores="$cores" -v per_socket="$per_socket" -v per_node="$per_node" 'BEGIN {
    for (cpu = 0; cpu < 2 * cores; cpu++) {
      core = cpu % cores
      printf "%d,%d,%d,%d\n", cpu, core, core / per_socket, core / per_node
    }
  }'
  [[ $1 != cpuless ]] || echo '# node 2 has memory and no CPU'
}

# Print /proc/cpuinfo of a server with two CPUs.
# Usage: cpuinfo_of NAME   Returns: 0, 1 for an unknown CPU
cpuinfo_of() {
  local x86='vendor_id\t: %s\ncpu family\t: %s\nmodel\t\t: %s\nmodel name\t: %s\nstepping\t: %s\nmicrocode\t: 0x1\nflags\t\t: fpu vme de pse\n'
  local arm='BogoMIPS\t: 2000.00\nFeatures\t: fp asimd evtstrm\nCPU implementer\t: %s\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: %s\nCPU revision\t: 0\n'
  local -a fields
  case $1 in
    emerald-rapids) fields=("$x86" GenuineIntel 6 207 'INTEL(R) XEON(R) PLATINUM 8592+' 2) ;;
    granite-rapids) fields=("$x86" GenuineIntel 6 173 'Intel(R) Xeon(R) 6972P' 1) ;;
    sapphire-rapids) fields=("$x86" GenuineIntel 6 143 'Intel(R) Xeon(R) Platinum 8480+' 8) ;;
    turin) fields=("$x86" AuthenticAMD 26 2 'AMD EPYC 9755 128-Core Processor' 1) ;;
    neoverse-n2) fields=("$arm" 0x41 0xd49) ;;
    *) return 1 ;;
  esac
  # shellcheck disable=SC2059 # the first field is a format
  printf "processor\t: 0\n${fields[0]}\nprocessor\t: 1\n${fields[0]}\n" "${fields[@]:1}" "${fields[@]:1}"
}
