# SPDX-License-Identifier: MIT
# The cost of memory: prices per GiB as users write them, such as "dram=3.5 cxl=1.8 zram=dram nvme=0.08", and the location of the data of a phase.
# All names begin with prices_.

# Read the prices.
function prices_begin(text,    i, n, word) {
  for (i in prices) delete prices[i]
  n = split(text, word, " ")
  for (i = 1; i <= n; i++) prices[substr(word[i], 1, index(word[i], "=") - 1)] = substr(word[i], index(word[i], "=") + 1)
}

# The price of a kind; a kind priced like another one has that kind's price.
function prices_of(kind,    steps) {
  for (steps = 0; steps < 8 && (kind in prices) && prices[kind] !~ /^[0-9]/; steps++) kind = prices[kind]
  return (kind in prices) ? prices[kind] : ""
}

# The far memory of a tier.
function prices_kind(tier) {
  if (tier == "native") return "dram"
  if (tier == "zram") return "zram"
  return tier == "swap" || tier == "zswap" ? "nvme" : "cxl"
}

# Read the memory of a phase from the repeat's counters.tsv (opened by text_opened): sets prices_near, prices_far and prices_held, in GiB; 0 if
# unknown.
function prices_read(file, phase,    line, f, zram, packed, gib) {
  gib = 1073741824
  prices_near = prices_far = prices_held = zram = ""
  packed["memory"] = packed["data"] = 0
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] != phase || f[5] == "-") continue
    if (f[2] == "tier" && f[3] == "data_bytes") prices_held = f[5] / gib
    if (f[2] == "tier" && f[3] == "far_bytes") prices_far = f[5] / gib
    if (f[2] == "zram" && f[3] == "memory") zram = f[5] / gib
    if (f[2] == "zswap") packed[f[3]] = f[5] / gib
  }
  close(file)
  if (prices_held == "" || prices_far == "") return 0
  prices_near = prices_held - prices_far
  # The content of zram is in memory too.
  if (zram != "") prices_far = zram
  # What zswap holds is compressed in near memory, and not on the device.
  prices_near += packed["memory"]
  prices_far = packed["data"] < prices_far ? prices_far - packed["data"] : 0
  return 1
}

# The cost of the near and far memory of a tier; empty if it has no price.
function prices_cost(near, far, tier) {
  if (prices_of("dram") == "" || far > 0 && prices_of(prices_kind(tier)) == "") return ""
  return near * prices_of("dram") + far * prices_of(prices_kind(tier))
}
