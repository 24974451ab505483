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

# Read the memory of a phase from the repeat's counters.tsv (opened by text_opened): sets prices_near, prices_far and prices_held, in GiB, and
# prices_kind, the kind of the far memory; 0 if unknown.
function prices_read(file, phase,    line, f, is, packed, gib) {
  gib = 1073741824
  prices_near = prices_far = prices_held = is = ""
  prices_kind = "cxl"
  packed["memory"] = packed["data"] = 0
  while ((getline line < file) > 0) {
    split(line, f, "\t")
    if (f[1] != phase || f[5] == "-") continue
    if (f[2] == "tier" && f[3] == "data_bytes") prices_held = f[5] / gib
    if (f[2] == "tier" && f[3] == "far_bytes") prices_far = f[5] / gib
    if (f[2] == "tier" && f[3] == "is") is = f[5]
    if (f[2] == "tier" && f[3] == "price") prices_kind = f[5]
    if (f[3] == "data" || f[3] == "memory") packed[f[3]] = f[5] / gib
  }
  close(file)
  if (prices_held == "" || prices_far == "") return 0
  prices_near = prices_held - prices_far
  if (is ~ /(^| )compressed( |$)/) {
    prices_far = packed["memory"]
    return 1
  }
  # A compressed cache is in near memory, and what it has is not on the device.
  prices_near += packed["memory"]
  prices_far = packed["data"] < prices_far ? prices_far - packed["data"] : 0
  return 1
}

# The cost of near memory and of far memory of a kind; empty if it has no price.
function prices_cost(near, far, kind) {
  if (prices_of("dram") == "" || far > 0 && prices_of(kind) == "") return ""
  return near * prices_of("dram") + far * prices_of(kind)
}
