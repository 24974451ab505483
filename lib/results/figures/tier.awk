# SPDX-License-Identifier: MIT
# What the server's counters of a phase say of its memory and CPU time. Part of result.awk. They cover all clients together.

BEGIN {
  # Counters of instances whose change counts; else what they are after the phase.
  split("calls majflt far_hits far_misses used_cpu_us", tier_word, " ")
  for (tier_i in tier_word) tier_differs[tier_word[tier_i]] = 1
  split("rss swap used_memory", tier_word, " ")
  for (tier_i in tier_word) tier_differs[tier_word[tier_i]] = 0
}

# How a counter of instances is added up: `bytes` of memory, `change` or `value`, `lacks` of an instance that did not answer; empty if it is not.
function tier_adds(counter) {
  if (counter in tier_differs) return tier_differs[counter] ? "change" : counter ~ /^(rss|swap)$/ ? "bytes" : "value"
  return counter == "unanswered" ? "lacks" : counter ~ /^node[0-9][0-9]?[0-9]?[0-9]?$/ ? "bytes" : ""
}

# Add up the counters of the instances: tier_sum[NAME], and tier_bytes[NAME] of the memory on each node. A sum that lacks an instance is missing, because
# the sum of the others would be too small; so is a change if a process was started again, because the counts of the first one are lost.
function tier_add(    i, n, p, counter, kind, key, from, to, is_known, told, lacks, restarted, text) {
  split("", tier_sum)
  split("", tier_bytes)
  n = counter_ports[cell["operation"]]
  for (i = 1; i <= n; i++) {
    p = counter_port[cell["operation"], i]
    for (counter in counter_name) {
      key = cell["operation"] SUBSEP p SUBSEP counter
      if (!(key in counter_to)) continue
      to = counter_to[key]
      kind = counter_name[counter]
      is_known = text_is_count(to)
      if (kind == "bytes" && is_known) tier_bytes[counter] += to
      if (kind == "lacks") lacks[p] = 1
      if (!(counter in tier_differs)) continue
      from = kind == "change" ? counter_from[key] : 0
      if (!is_known || !text_is_count(from "")) {
        lacks[p] = 1
        continue
      }
      told[counter]++
      # A process that was started again counts from 0.
      if (to + 0 < from + 0) restarted = 1
      tier_sum[counter] += to - from
    }
  }
  for (i = 1; i <= n; i++) if (counter_port[cell["operation"], i] in lacks) text = text " " counter_port[cell["operation"], i]
  if (text != "" && !((repeat_folder, cell["operation"]) in tier_warned)) {
    tier_warned[repeat_folder, cell["operation"]] = 1
    text_complain(repeat_folder "server/counters.tsv", "counters of phase " cell["operation"] " are missing for port" text "; figures that require them are left empty")
  }
  tier_has_hits = told["far_hits"] > 0
  for (counter in tier_differs) if (told[counter] < n || (restarted || phase_torn) && tier_differs[counter]) delete tier_sum[counter]
}

# Fill tier, tier_is, far_per_op, used_memory, rss, swap, far_share and placement. far_per_op is how often an instance had to wait for a page from swap (its
# major faults), or what HIT_COUNTERS counts, per command of the load as Redis counts them. The host's count of such pages includes other programs. Memory
# that the CPU accesses directly causes no faults, so far_per_op is then empty. Sets phase_calls, and phase_from and phase_to in us.
function tier_fill(    requests, tier_is, away, held, rss, swap) {
  phase_calls = phase_from = phase_to = phase_moved = phase_moves = 0
  if (!(cell["operation"] in counter_has)) return
  tier_add()
  if (counter_known("host", "time_us") && counter_begin("host", "time_us") != "") {
    phase_from = counter_begin("host", "time_us")
    phase_to = counter_text("host", "time_us")
  }
  tier_is = counter_text("tier", "is")
  phase_calls = tier_sum["calls"] + 0
  if (phase_calls > 0 && ("majflt" in tier_sum) && tier_is !~ /(^| )direct( |$)/) {
    cell["far_per_op"] = text_number(tier_sum["majflt"] / phase_calls, 6)
    cell["hit_source"] = "majflt"
  }
  # The server's own counters, of HIT_COUNTERS. If a counter decreases, it is not a count.
  requests = tier_has_hits ? (("far_hits" in tier_sum) ? tier_sum["far_hits"] + tier_sum["far_misses"] : 0) : phase_calls
  if (("far_misses" in tier_sum) && tier_sum["far_misses"] >= 0 && requests > 0) {
    cell["far_per_op"] = text_number(tier_sum["far_misses"] / requests, 6)
    cell["hit_source"] = "info"
  }
  if (phase_calls > 0 && ("used_cpu_us" in tier_sum)) cell["server_cpu_us_per_op"] = text_number(tier_sum["used_cpu_us"] / phase_calls, 3)
  machine_figures()
  if (phase_from) cell["settle_s"] = settle_read(text_opened(repeat_folder "server/nodes.tsv"), phase_from, phase_to)
  if ("used_memory" in tier_sum) cell["used_memory"] = text_number(tier_sum["used_memory"], 0)
  if ("rss" in tier_sum) cell["rss"] = rss = text_number(tier_sum["rss"], 0)
  if ("swap" in tier_sum) cell["swap"] = swap = text_number(tier_sum["swap"], 0)
  held = counter_end("tier", "data_bytes")
  away = counter_known("tier", "far_bytes") ? counter_text("tier", "far_bytes") : ""
  if (away != "" && held > 0) cell["far_share"] = text_number(away / held, 4)
  tier_dram(rss, swap, away)
  discard_placed(tier_bytes, counter_text("tier", "placement"), counter_text("tier", "placed_percent"))
  cell["tier"] = text_escape(counter_text("tier", "tier"))
  cell["tier_is"] = text_escape(tier_is)
}

# Fill the DRAM of the instances from the bytes that are resident, swapped out, and far, which are in swap or on a slow node; with what compression takes.
function tier_dram(rss, swap, away) {
  if ((cell["operation"], "memory") in counter_packed) cell["compressed_bytes"] = text_number(counter_packed[cell["operation"], "memory"], 0)
  if ((cell["operation"], "data") in counter_packed) cell["uncompressed_bytes"] = text_number(counter_packed[cell["operation"], "data"], 0)
  if (rss == "" || swap == "" || away == "" || rss + swap < away + 0) return
  cell["dram_bytes"] = text_number(rss + swap - away + cell["compressed_bytes"], 0)
}

# Fill the pages that were promoted or demoted, of all processes, because no kernel counts them by process; with those that parts have added to
# phase_moved, in phase_moves counters.
function tier_moved(    counter) {
  for (counter in counter_pages) {
    if (counter !~ /^pg(promote_success|demote_[a-z]+)$/ || !((cell["operation"], "host", counter) in counter_to)) continue
    if (!counter_known("host", counter) || counter_begin("host", counter) == "") return
    phase_moved += counter_text("host", counter) - counter_begin("host", counter)
    phase_moves++
  }
  if (phase_moves && phase_calls > 0) cell["moved_per_op"] = text_number(phase_moved / phase_calls, 6)
}
