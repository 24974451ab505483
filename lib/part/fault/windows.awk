# SPDX-License-Identifier: MIT
# The windows between the steps of a fault: NAME FROM-TO OPS_PER_SEC PERCENT_OF_BEFORE ERRORS, from events.tsv and the series of all clients.
# Variables: start, when the phase began (us since the epoch).

function window(name, from, to) {
  if (to - from < 0.05) return
  names[++windows] = name; begin[windows] = from; finish[windows] = to
}

FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; files++; last = 0; next }

files == 1 {
  t = ($at["time_us"] - start) / 1e6
  if ($at["event"] == "failed back" || $at["event"] == "taken over" || !($at["event"] in when)) when[$at["event"]] = t
  next
}

{
  t = $at["time_s"]
  rows++; middle[rows] = (t + last) / 2; length_s[rows] = t - last; last = t; client[rows] = files
  ops[rows] = $at["ops"]; errors[rows] = $at["errors"]
  if (t > end) end = t
}

END {
  if (!("node down" in when)) exit
  down = when["node down"]
  if (down < 0.5) exit
  first = down > 2 ? 1 : 0
  for (i = 1; i <= rows; i++) if (middle[i] >= first && middle[i] < down - 0.1) {
    base += ops[i]; base_s += length_s[i]
    base_of[client[i]] += ops[i]; base_s_of[client[i]] += length_s[i]
  }
  rate = base_s > 0 ? base / base_s : 0
  up = "node up" in when ? when["node up"] : end
  # A shard that no replica takes over has no master until the node is up.
  taken = ("taken over" in when) && !("not taken over" in when) ? when["taken over"] : up
  # The queued requests are sent at once: the drain lasts while intervals are above the same client's throughput before the fault.
  drain = taken
  for (i = 1; i <= rows; i++) if (middle[i] > taken && middle[i] - drain < 0.5 && base_of[client[i]] > 0 && ops[i] / length_s[i] > 1.1 * base_of[client[i]] / base_s_of[client[i]] && \
    middle[i] + length_s[i] / 2 > drain)
    drain = middle[i] + length_s[i] / 2
  if (drain > up) drain = up
  window("before", first, down)
  window("no master", down, taken)
  window("drain", taken, drain)
  window("node down", drain, up)
  after = up
  if ("resync ends" in when) {
    window("resync", up, when["resync ends"])
    after = when["resync ends"]
    if ("failed back" in when) {
      window("synced", after, after + 2)
      window("failback", after + 2, when["failed back"] + 0.3)
      after = when["failed back"] + 0.3
    }
    window("after", after, end)
  }
  window("whole run", first, end)
  for (w = 1; w <= windows; w++) {
    done = bad = seconds = 0
    split("", seen)
    for (i = 1; i <= rows; i++) if (middle[i] >= begin[w] && middle[i] < finish[w]) { done += ops[i]; bad += errors[i]; seconds += length_s[i] }
    seconds /= files - 1
    per_s = seconds > 0 ? done / seconds : 0
    percent = rate > 0 ? 100 * per_s / rate / (files - 1) : 0
    printf "%s\t%.3f-%.3f\t%.0f\t%.1f\t%d\n", names[w], begin[w], finish[w], per_s, percent, bad
  }
}
