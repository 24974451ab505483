# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A NIC with four pairs of queues on a server with irqbalance: where its interrupts are during a run, and after it.

# Print the interrupts of the newest run's server under load: receive or send queue, its number, its CPUs and the CPU that got it.
queues_seen() {
  sed -nE 's/^eth0\t[0-9]+\tvirtio[0-9]+-(input|output)\.([0-9])\t([0-9,-]+)\t([0-9,-]+)$/\1 \2 \3 \4/p' "$(lab_newest)"/env/198.18.1.1/irq.tsv
}

queues_checks() {
  local seen
  lab_three || return
  lab_ssh server 'for irq in /sys/class/net/eth0/device/../msi_irqs/*; do echo 0-3 >/proc/irq/${irq##*/}/smp_affinity_list; done'
  lab_state server >"$LAB_WORK/before"
  lab_run run -v native
  check 'a run with irqbalance on the server' '^0$' "$STATUS"
  seen=$(queues_seen)
  check 'four pairs of queues: receive queue N and send queue N on one CPU each, all four CPUs' \
    '^0 0 0,1 1 1,2 2 2,3 3 3,0 0 0,1 1 1,2 2 2,3 3 3$' "$({ grep ^input <<<"$seen" && grep ^output <<<"$seen"; } | cut -d ' ' -f 2- | paste -sd ,)"
  check 'the interrupt of the configuration is not moved' '^$' "$(grep config "$(lab_newest)"/env/198.18.1.1/tuning.tsv)"
  check 'the record has each target of the variant once' '^$' "$(cut -f 1,2,4 "$(lab_newest)"/env/198.18.1.1/tuning.tsv | grep IRQ | sort | uniq -d)"
  check 'after the run irqbalance runs, and all is as before' '^$' "$(lab_state server | diff "$LAB_WORK/before" - || :)"
  lab_run run -v native PLACEMENT=cpu
  check 'instances on two of the CPUs: no queue is on them' '^2 3$' "$(queues_seen | cut -d ' ' -f 3 | sort -u | paste -sd ' ')"
  check 'and all is as before' '^$' "$(lab_state server | diff "$LAB_WORK/before" - || :)"
}
