# SPDX-License-Identifier: MIT
# The DRAM of the instances, with what compression takes of it. Part of result.awk. All its names begin with compressed_.

# Take a row of counters.tsv about zram or zswap in the phase of the cell.
function compressed_take(f) {
  if (text_is_count(f[5])) compressed[f[3]] += f[5]
}

# Fill the columns of the cell from the bytes that are resident, swapped out, and far: those are in swap, or on a slow node.
function compressed_fill(rss, swap, far,    i) {
  if ("memory" in compressed) cell["compressed_bytes"] = text_number(compressed["memory"], 0)
  if ("data" in compressed) cell["uncompressed_bytes"] = text_number(compressed["data"], 0)
  for (i in compressed) delete compressed[i]
  if (rss == "" || swap == "" || !text_is_count(far) || rss + swap < far + 0) return
  cell["dram_bytes"] = text_number(rss + swap - far + cell["compressed_bytes"], 0)
}
