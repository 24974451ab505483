# SPDX-License-Identifier: MIT
# What the machine did in a phase, for all programs: its memory, clock, temperature, cores and interrupts, by the server's counters. Part of result.awk.

function machine_figures(    in_pages, out_pages, us, change) {
  if (counter_known("host", "huge")) cell["host_huge_bytes"] = counter_text("host", "huge")
  in_pages = counter_change("host", "pswpin")
  out_pages = counter_change("host", "pswpout")
  if (in_pages != "" && out_pages != "") cell["host_swapped_pages"] = text_number(in_pages + out_pages, 0)
  us = counter_change("host", "time_us")
  change = counter_change("host", "pressure_some_us")
  if (change != "" && us > 0) cell["memory_stall_percent"] = text_number(100 * change / us, 2)
  cell["cpu_mhz"] = machine_mean("clock_khz", "clock_samples")
  cell["cpu_temperature_c"] = machine_mean("heat_mdeg", "heat_samples")
  cell["instance_cores"] = machine_mean("milli_cores", "core_samples")
  us = counter_change("cpus", "time_us")
  change = counter_change("cpus", "interrupts")
  if (change != "" && us > 0) cell["interrupts_per_sec"] = text_number(change * 1e6 / us, 0)
}

# The mean of samples in thousands, by the counters of their sum and number; empty without a sample in the phase.
function machine_mean(sum, samples,    n, total) {
  n = counter_change("cpus", samples)
  total = counter_change("cpus", sum)
  return n > 0 && total != "" ? text_number(total / n / 1000, 2) : ""
}
