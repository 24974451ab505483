# SPDX-License-Identifier: MIT
# What the search for a hit ratio does next: a pure function of its looks so far, hit.tsv.
# Environment: POINT, whose rows count; ASKED, the hit ratio in percent; KIND (gaussian, zipf or hotspot); HOT, for hotspot the percent of keys that are
# hot; KEYS, how many keys an instance has requests for; SHARE, the part of their memory that DRAM holds.
#
# Prints one line, fields separated by tabs:
#   look ROUND LOOK PARAMETER           look at keys with that parameter: the SD, the exponent, or the percent of requests to the hot keys
#   round ROUND PARAMETER HIT LOOKS     in front of the next look of another round, or of what follows: what the round has found
#   found PARAMETER HIT ROUNDS          within a point of what is asked for
#   closest PARAMETER HIT ROUNDS        the nearest of all rounds, after ROUNDS_MOST
#   never alike|narrow PARAMETER HIT    keys that are all alike hit more already; or the most unequal ones hit less
#
# The model is Che's approximation of a cache that replaces what was not used for longest (Che, Tung and Wang 2002): a key of popularity p is there
# with the probability 1 - exp(-p T), T being such that as many keys are there as fit. It starts the search; then each round tells which share of DRAM
# would have given what was seen, and the next one is for that share. What the kernel keeps beside keys, and pages of several keys, are in it so.

# Cells of equally popular keys: cell_keys[i] of them, cell_chance[i] each.
function model_keys(u,    i, x, high, width, sum, sd, low) {
  if (kind == "hotspot") {
    cells = 2
    cell_keys[1] = keys * hot / 100
    cell_keys[2] = keys - cell_keys[1]
    cell_chance[1] = u / 100 / cell_keys[1]
    cell_chance[2] = (1 - u / 100) / cell_keys[2]
    return
  }
  cells = 200
  if (kind == "gaussian") {
    sd = exp(-u)
    high = keys / 2 < 8 * sd ? keys / 2 : 8 * sd
    for (i = 1; i <= cells; i++) {
      x = high * (i - 0.5) / cells / sd
      cell_keys[i] = 2 * high / cells
      cell_chance[i] = exp(-x * x / 2)
    }
  } else {
    width = log(keys + 0.5) - log(0.5)
    low = 0.5
    for (i = 1; i <= cells; i++) {
      high = 0.5 * exp(width * i / cells)
      cell_keys[i] = high - low
      cell_chance[i] = exp(-u * log((low + high) / 2))
      low = high
    }
  }
  for (i = 1; i <= cells; i++) sum += cell_keys[i] * cell_chance[i]
  for (i = 1; i <= cells; i++) cell_chance[i] /= sum
}

# The part of the keys that must be in DRAM for a hit ratio, with a parameter u as the search has it.
function model_share(u, wanted,    low, high, t, n, i, x, hits, there) {
  model_keys(u)
  low = -5
  high = 40 + log(keys)
  for (n = 1; n <= 50; n++) {
    t = exp((low + high) / 2)
    hits = there = 0
    for (i = 1; i <= cells; i++) {
      x = cell_chance[i] * t
      x = x > 50 ? 1 : 1 - exp(-x)
      hits += cell_keys[i] * cell_chance[i] * x
      there += cell_keys[i] * x
    }
    if (hits < wanted) low = (low + high) / 2
    else high = (low + high) / 2
  }
  return there / keys
}

# The parameter at which a share of DRAM has the wanted hit ratio: the greater it is, the smaller a share will do.
function model_solve(share, wanted,    low, high, n) {
  low = u_min
  high = u_max
  if (model_share(low, wanted) <= share) return low
  if (model_share(high, wanted) > share) return high
  for (n = 1; n <= 40 && high - low > 1e-6 * (u_max - u_min); n++)
    if (model_share((low + high) / 2, wanted) <= share) high = (low + high) / 2
    else low = (low + high) / 2
  return high
}

# A parameter as settings have it, and the other way round.
function written(u) {
  if (kind == "gaussian") return sprintf(exp(-u) >= 100 ? "%.0f" : "%.4f", exp(-u))
  return sprintf("%.5f", u)
}

function read_back(text) {
  return kind == "gaussian" ? -log(text) : text + 0
}

function within(x, low, high) {
  return x < low ? low : x > high ? high : x
}

# Whether the looks of the last round have settled: the last two differ by less than half a point, or than chance alone makes them differ.
function settled(    h, limit) {
  if (looks >= looks_most) return 1
  if (looks < 2) return 0
  h = (look_hit[looks] + look_hit[looks - 1]) / 2
  limit = 2 * sqrt(2 * within(h * (1 - h), 0.0001, 1) / (look_ops[looks] + 1))
  if (limit < 0.005) limit = 0.005
  return look_hit[looks] - look_hit[looks - 1] < limit && look_hit[looks - 1] - look_hit[looks] < limit
}

# Sum up the round that has ended.
function end_round(    all) {
  all = look_ops[looks] + (looks > 1 ? look_ops[looks - 1] : 0)
  round_hit[rounds] = (look_hit[looks] * look_ops[looks] + (looks > 1 ? look_hit[looks - 1] * look_ops[looks - 1] : 0)) / (all > 0 ? all : 1)
  round_looks[rounds] = looks
}

# The parameter of the next round: by the share of DRAM that the last one tells; once rounds hit too little and too much, between these.
function next_parameter(    r, u, below, above) {
  if (!rounds) return model_solve(share, asked)
  u = model_solve(model_share(round_u[rounds], within(round_hit[rounds], 0.002, 0.998)), asked)
  for (r = 1; r <= rounds; r++) {
    if (round_hit[r] < asked && (!below || round_u[r] > round_u[below])) below = r
    if (round_hit[r] > asked && (!above || round_u[r] < round_u[above])) above = r
  }
  # Rounds that contradict each other are of memory that had not settled: the last one is right.
  if (!below || !above || round_u[below] >= round_u[above]) return u
  return round_u[below] + (round_u[above] - round_u[below]) * (odds(asked) - odds(round_hit[below])) / (odds(round_hit[above]) - odds(round_hit[below]))
}

# The logarithm of the odds: nearly a line by the parameter.
function odds(hit) {
  hit = within(hit, 0.002, 0.998)
  return log(hit / (1 - hit))
}

function distance(r) {
  return round_hit[r] > asked ? round_hit[r] - asked : asked - round_hit[r]
}

BEGIN {
  FS = OFS = "\t"
  kind = ENVIRON["KIND"]
  asked = ENVIRON["ASKED"] / 100
  hot = ENVIRON["HOT"] + 0
  keys = ENVIRON["KEYS"] + 0
  share = within(ENVIRON["SHARE"] + 0, 0.0001, 1)
  near_enough = 0.01
  rounds_most = 8
  looks_most = 8
  # Parameters grow with the hit ratio; at the least all keys are as good as alike.
  if (kind == "gaussian") {
    u_min = -log(10 * keys)
    u_max = -log(share * keys / 1000)
  } else if (kind == "zipf") {
    u_min = 0.001
    u_max = 3
  } else {
    u_min = hot
    u_max = 100
  }
}

FNR == 1 {
  for (i = 1; i <= NF; i++) at[$i] = i
  next
}

$at["point"] == ENVIRON["POINT"] {
  if ($at["round"] != rounds) {
    if (rounds) end_round()
    rounds++
    looks = 0
    round_u[rounds] = read_back($at["key_sd"])
    round_text[rounds] = $at["key_sd"]
  }
  looks++
  look_hit[looks] = $at["hit"] + 0
  look_ops[looks] = $at["ops"] + 0
}

END {
  if (rounds) {
    end_round()
    if (!settled()) {
      print "look", rounds, looks + 1, round_text[rounds]
      exit
    }
    print "round", rounds, round_text[rounds], sprintf("%.4f", round_hit[rounds]), round_looks[rounds]
    if (distance(rounds) <= near_enough) {
      print "found", round_text[rounds], sprintf("%.4f", round_hit[rounds]), rounds
      exit
    }
    if (round_hit[rounds] > asked && written(round_u[rounds]) == written(u_min) || round_hit[rounds] < asked && written(round_u[rounds]) == written(u_max)) {
      print "never", (round_hit[rounds] > asked ? "alike" : "narrow"), round_text[rounds], sprintf("%.4f", round_hit[rounds])
      exit
    }
    if (rounds >= rounds_most) {
      best = 1
      for (r = 2; r <= rounds; r++) if (distance(r) <= distance(best)) best = r
      print "closest", round_text[best], sprintf("%.4f", round_hit[best]), rounds
      exit
    }
  }
  print "look", rounds + 1, 1, written(next_parameter())
}
