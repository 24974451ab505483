# SPDX-License-Identifier: MIT
# The figures of a failover, rows NAME VALUE: from windows.tsv, cluster.tsv, events.tsv, the gaps of all clients and their track.tsv.
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

"role" in at {
  if ($at["role"] == "master") home[$at["shard"]] = $at["node"]
  next
}

"event" in at {
  node = $at["node"]
  t = ($at["time_us"] - start) / 1e6
  if ($at["event"] == "node down") down = t
  if ($at["event"] == "taken over") { if (first == "") first = t; last = t }
  if ($at["event"] == "not taken over") missed = 1
  if ($at["event"] == "node up") up = t
  if ($at["event"] == "resync ends") { synced = t; bytes = $at["detail"]; sub(/^bytes=/, "", bytes) }
  if ($at["event"] ~ /failed back$/) failback = 1
  next
}

"from_s" in at {
  gap = $at["to_s"] - $at["from_s"]
  if (home[$at["shard"]] != node) {
    if (gap > other) other = gap
  } else if (failback && $at["from_s"] > synced) {
    if (gap > back) back = gap
  } else if ($at["to_s"] > down && gap > hit) hit = gap # not if it ended before the fault
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
  show("takeover_s", last == "" || missed ? "-" : sprintf("%.2f", last - down))
  show("gap_s", sprintf("%.2f", hit))
  show("gap_others_s", sprintf("%.2f", other))
  show("failed_requests", errors == "" ? "-" : errors)
  show("kept_percent", kept == "" ? "-" : kept)
  show("acked_writes", tracked && !unread ? acked : "-")
  show("acked_writes_lost", tracked && !unread ? lost : "-")
  show("resync_s", synced == "" ? "-" : sprintf("%.2f", synced - up))
  show("resync_mb", synced == "" || bytes == "" ? "-" : sprintf("%.1f", bytes / 1e6))
  show("resync_mb_per_s", synced == "" || bytes == "" || synced <= up ? "-" : sprintf("%.1f", bytes / 1e6 / (synced - up)))
  show("failback_gap_s", failback ? sprintf("%.2f", back) : "-")
}
