# SPDX-License-Identifier: MIT
# The next step of the search for a hit ratio: a pure function of its looks so far, hit.tsv.
# Environment:
#   POINT  the point whose rows are read
#   ASKED  the requested hit ratio in percent
#   KIND   gaussian, zipf or hotspot
#   HOT    for hotspot, the percentage of hot keys
#   COUNT  the number of keys that the requests of one instance use
#   SHARE  the fraction of the memory of these keys that fits into DRAM
#
# Prints one line, fields separated by tabs:
#   look ROUND LOOK PARAMETER           measure keys with this parameter: the SD, the exponent, or the percentage of requests to the hot keys
#   round ROUND PARAMETER HIT LOOKS     before one of the other lines, when a round has ended: its result
#   found PARAMETER HIT ROUNDS          a pattern within one percentage point of the requested hit ratio
#   closest PARAMETER HIT ROUNDS        the round nearest to the requested hit ratio, after rounds_most rounds
#   never alike|narrow PARAMETER HIT    the ratio is out of range: uniform keys already hit more (alike), or the most skewed keys hit less (narrow)
#
# The model is Che's approximation of an LRU cache (Che, Tung and Wang 2002): a key of popularity p is in the cache with the probability
# 1 - exp(-p T). T is such that the expected number of cached keys equals the capacity. The model gives the first parameter. After each round,
# the model gives the share of DRAM that would have caused the measured hit ratio, and the next parameter is for this share. So the search
# accounts for the kernel's other memory and for pages with several keys.

# Sets cells of equally popular keys: cell i has cell_keys[i] keys, and each key is requested with probability cell_chance[i].
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

# Returns the fraction of the keys that must be in DRAM for a hit ratio, with the search parameter u.
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

# Returns the parameter at which a share of DRAM has the wanted hit ratio. The required share falls as the parameter grows.
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

# Converts a search parameter to the text of a setting; read_back converts it back. For gaussian, u is -log(SD).
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

# Whether the last round has settled: its last two looks differ by less than half a percentage point, or by less than two standard errors.
function settled(    h, limit) {
  if (looks >= looks_most) return 1
  if (looks < 2) return 0
  h = (look_hit[looks] + look_hit[looks - 1]) / 2
  limit = 2 * sqrt(2 * within(h * (1 - h), 0.0001, 1) / (look_ops[looks] + 1))
  if (limit < 0.005) limit = 0.005
  return look_hit[looks] - look_hit[looks - 1] < limit && look_hit[looks - 1] - look_hit[looks] < limit
}

# Sets the hit ratio of the last round: the mean of its last two looks, weighted by requests.
function end_round(    all) {
  all = look_ops[looks] + (looks > 1 ? look_ops[looks - 1] : 0)
  round_hit[rounds] = (look_hit[looks] * look_ops[looks] + (looks > 1 ? look_hit[looks - 1] * look_ops[looks - 1] : 0)) / (all > 0 ? all : 1)
  round_looks[rounds] = looks
}

# Returns the parameter of the next round: from the share of DRAM that fits the last round; once rounds are on both sides of the requested
# ratio, by interpolation between them.
function next_parameter(    r, u, below, above) {
  if (!rounds) return model_solve(share, asked)
  u = model_solve(model_share(round_u[rounds], within(round_hit[rounds], 0.002, 0.998)), asked)
  for (r = 1; r <= rounds; r++) {
    if (round_hit[r] < asked && (!below || round_u[r] > round_u[below])) below = r
    if (round_hit[r] > asked && (!above || round_u[r] < round_u[above])) above = r
  }
  # Rounds contradict each other if memory had not settled in the earlier ones: use the last round.
  if (!below || !above || round_u[below] >= round_u[above]) return u
  return round_u[below] + (round_u[above] - round_u[below]) * (odds(asked) - odds(round_hit[below])) / (odds(round_hit[above]) - odds(round_hit[below]))
}

# Returns the log odds of a hit ratio, which are nearly linear in the parameter.
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
  keys = ENVIRON["COUNT"] + 0
  share = within(ENVIRON["SHARE"] + 0, 0.0001, 1)
  near_enough = 0.01
  rounds_most = 8
  looks_most = 8
  # The hit ratio grows with the parameter. At u_min, the keys are nearly uniform.
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
