# SPDX-License-Identifier: MIT
# What a plan refuses of a probe of the working set; in the planner (lib/plan).

function wss_check() {
  if (!is_on("PROBE_WSS")) return
  trace_needs("PROBE_WSS", "off")
  if (V["GENERATOR"] != "test") refuse("PROBE_WSS", V["GENERATOR"] " does not support it; set GENERATOR=test")
  if (is_search_wanted()) refuse("PROBE_WSS", "conflicts with a search; set RATE and CONNECTIONS to numbers")
  if (V["FAULT"] != "none") refuse("PROBE_WSS", "conflicts with FAULT=" V["FAULT"] "; set FAULT=none, or PROBE_WSS=off")
  if (rate_varies()) refuse("PROBE_WSS", "conflicts with a rate over time, as it continues one load; set RATE to one number, or PROBE_WSS=off")
  phases_once("with PROBE_WSS=on, give each phase once")
  if (has_word("KEY_PATTERN", "latest") && (has_phase("set") || has_phase("mixed")))
    refuse("KEY_PATTERN", "PROBE_WSS=on does not support latest with set or mixed, as its load would add keys; set another KEY_PATTERN, or" \
      " PROBE_WSS=off")
}
