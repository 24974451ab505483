# SPDX-License-Identifier: MIT
# The figures of a failover, rows NAME VALUE: from windows.tsv, events.tsv, the gaps of all clients and their track.tsv.
# Variables: start, when the phase began (us since the epoch); phase, its name.

function show(name, value) { print name "\t" value }

FNR == 1 {
  split("", at)
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

"window" in at && "p99_us" in at {
  if ($at["window"] == "whole run") { kept = $at["of_before_percent"]; errors = $at["errors"] }
  next
}

"event" in at {
  t = ($at["time_us"] - start) / 1e6
  if ($at["event"] == "node down") down = t
  if ($at["event"] == "taken over") { if (first == "") first = t; last = t }
  if ($at["event"] == "node up") up = t
  if ($at["event"] == "resync ends") { synced = t; bytes = $at["detail"]; sub(/^bytes=/, "", bytes) }
  next
}

"from_s" in at {
  gap = $at["to_s"] - $at["from_s"]
  # The affected shards are silent from the fault on; other shards are silent only by chance.
  if (down != "" && $at["from_s"] > down - 0.5 && $at["from_s"] < (last != "" ? last : down + 60)) { if (gap > hit) hit = gap }
  else if (synced != "" && $at["from_s"] > synced && gap > back) back = gap
  else if (gap > other) other = gap
  next
}

"acked" in at {
  tracked = 1
  if ($at["lost"] == "-") unread = 1
  acked += $at["acked"]; lost += $at["lost"]
}

END {
  print "figure\tvalue"
  show("phase", phase)
  show("takeover_first_s", first == "" ? "-" : sprintf("%.2f", first - down))
  show("takeover_s", last == "" ? "-" : sprintf("%.2f", last - down))
  show("gap_s", sprintf("%.2f", hit))
  show("gap_others_s", sprintf("%.2f", other))
  show("failed_requests", errors == "" ? "-" : errors)
  show("kept_percent", kept == "" ? "-" : kept)
  show("acked_writes", tracked && !unread ? acked : "-")
  show("acked_writes_lost", tracked && !unread ? lost : "-")
  show("resync_s", synced == "" ? "-" : sprintf("%.2f", synced - up))
  show("resync_mb", synced == "" ? "-" : sprintf("%.1f", bytes / 1e6))
  show("resync_mb_per_s", synced == "" || synced <= up ? "-" : sprintf("%.1f", bytes / 1e6 / (synced - up)))
  show("failback_gap_s", sprintf("%.2f", back))
}
