# SPDX-License-Identifier: MIT
# Refusals of settings of the load that contradict each other: patterns, traces, generators and searches.

# Whether a number in a value may have a separator of thousands in place of a decimal point: 100.000, 1.500. Returns both ways to write it without doubt.
function grouped(text,    number) {
  if (!match(" " text, /[ :\/-][1-9][0-9]?[0-9]?[.][0-9][0-9]0([^0-9.]|$)/)) return ""
  number = substr(" " text, RSTART + 1, RLENGTH - 1)
  sub(/[^0-9.]$/, "", number)
  text = number
  sub(/[.]/, "", text)
  return text " or " number "0"
}

function check_load(    i, n, pattern) {
  mix_check()
  check_trace()
  n = words("KEY_PATTERN", pattern)
  for (i = 1; i <= n; i++) {
    if (pattern[i] !~ /^(gaussian|zipf|hotspot)/) {
      if (V["KEY_PATTERN.shift"] != "off") refuse("KEY_PATTERN.shift", "KEY_PATTERN=" pattern[i] " has no popular keys to move; gaussian, zipf and hotspot have")
      if (V["KEY_PATTERN.scramble"] != "off") refuse("KEY_PATTERN.scramble", "KEY_PATTERN=" pattern[i] " has no popular keys to spread; gaussian, zipf and hotspot have")
    }
    if (pattern[i] ~ /^latest/ && V["PHASES"] ~ /^set/)
      refuse("PHASES", "KEY_PATTERN=" pattern[i] " adds keys after the last one; start PHASES with populate")
  }
  check_rates()
}

# Refuse settings that conflict with a trace.
function check_trace(    i, n, word, part, file) {
  file = V["REPLAY"]
  if (file == "off") {
    if (has_phase("replay")) refuse("PHASES", "replay requires a trace; set REPLAY, or leave replay out")
    if (is_on("REPLAY.fill")) refuse("REPLAY.fill", "requires a trace; set REPLAY to its path, or REPLAY.fill=off")
    return
  }
  if (V["PHASES"] != "replay") refuse("REPLAY", "requires PHASES=replay, as a trace is the whole load; set it")
  if (V["KEYS"] == "auto") refuse("REPLAY", "the number of its keys is unknown; set KEYS and VALUE_SIZES, from which the memory is planned")
  n = split("GENERATOR=test RATE=0 WARMUP=0 REQUESTS=0 KEY_PATTERN=sequential KEY_MIN=0 KEY_PREFIX=off " \
    "VALUE_DISTRIBUTION=off EXPIRE=off COMMANDS=off KEY_PATTERN.shift=off KEY_PATTERN.scramble=off", word, " ")
  for (i = 1; i <= n; i++) {
    split(word[i], part, "=")
    trace_needs(part[1], part[2])
  }
  if (V["CONNECTIONS"] == "search") refuse("CONNECTIONS", "conflicts with REPLAY=" file "; set a number")
  if (V["REPLAY.speed"] == "max" && V["TIME"] != 0) refuse("TIME", "conflicts with REPLAY.speed=max; set TIME=0, or a number as REPLAY.speed")
}

# Refuse a setting that a trace does not support with another value than WANTED.
function trace_needs(name, wanted) {
  if (V["REPLAY"] != "off" && V[name] != wanted) refuse(name, "conflicts with REPLAY=" V["REPLAY"] "; set " name "=" wanted)
}

# Refuse a setting that the generator does not support with another value than WANTED.
function generator_needs(name, wanted, text) {
  if (V[name] != wanted) refuse(name, V["GENERATOR"] " " text "; set " name "=" wanted)
}

# Refuse settings that the generator does not support.
function check_generator(    generator) {
  generator = V["GENERATOR"]
  if (is_on("TLS") && generator != "test") refuse("TLS", "not supported with GENERATOR=" generator "; set GENERATOR=test or TLS=off")
  if (generator == "test") return
  generator_needs("WARMUP", 0, "does not support a warm-up")
  if (V["POPULATE_PATTERN"] == "shuffle") refuse("POPULATE_PATTERN", generator " does not support it; set POPULATE_PATTERN=sequential")
  generator_needs("KEY_PATTERN.shift", "off", "does not support hot sets that move")
  generator_needs("VALUE_DISTRIBUTION", "off", "supports one size of values")
  generator_needs("COMMANDS", "off", "sends GET and SET only")
  generator_needs("EXPIRE", "off", "does not support expiry")
  generator_needs("KEY_PATTERN.scramble", "off", "does not support it")
  if (keys_apart()) refuse("KEY_MAX", generator " supports only the keys that are populated; set KEY_MAX=auto")
  generator_needs("KEY_MIN", 0, "supports keys from 0 on only")
  if (generator == "redis-benchmark") check_redis_benchmark(generator)
  if (generator == "memtier_benchmark") check_memtier(generator)
}

function check_redis_benchmark(generator) {
  generator_needs("KEY_PREFIX", "off", "has its own names of keys")
  if (V["TIME"] != 0) refuse("TIME", generator " does not support a duration; set TIME=0 and REQUESTS")
  generator_needs("RATE", 0, "does not support a rate")
  if (has_phase("mixed")) refuse("PHASES", generator " does not support mixed; accepted: populate set get")
  generator_needs("KEY_PATTERN", "uniform", "supports random keys only")
  generator_needs("DATA", "pattern", "fills all values with one letter")
  if (V["THREADS"] != "auto" && V["THREADS"] != "1/instance") refuse("THREADS", generator " supports one thread per instance; set THREADS=auto")
}

function check_memtier(generator,    keys_given, accepted) {
  accepted = "; accepted: sequential uniform gaussian zipf"
  if (V["TIME"] != int(V["TIME"])) refuse("TIME", generator " supports whole seconds only; set TIME to a whole number")
  if (has_word("KEY_PATTERN", "latest") || has_word("KEY_PATTERN", "hotspot"))
    refuse("KEY_PATTERN", generator " does not support latest and hotspot" accepted)
  if (has_word("KEY_PATTERN", "shuffle")) refuse("KEY_PATTERN", generator " does not support shuffle" accepted)
  if (V["DATA"] ~ /^compressible/) refuse("DATA", generator " does not support compressible values; accepted: pattern, random")
  keys_given = keys_named()
  if (keys_given != "auto" && keys_given < 3)
    refuse(V["KEY_MAX"] == "auto" ? "KEYS" : "KEY_MAX", generator " requires 3 keys per instance; set at least that many")
  check_memtier_shares(generator, keys_given)
}

# Refuse numbers that cannot be divided evenly over the instances' processes, their threads and connections.
function check_memtier_shares(generator, keys_given,    i, j, n, number, threads, connections, share_keys) {
  # check_search refuses it.
  if (V["CONNECTIONS"] == "search") return
  n = words("INSTANCES", number)
  for (i = 1; i <= n; i++) {
    shares_make(number[i])
    for (j = 1; j <= clients; j++) {
      threads = threads_each()
      if (V["THREADS"] ~ /^[0-9]+$/ && SHARE[j] > 0) {
        threads = int(V["THREADS"] / SHARE[j])
        if (threads * SHARE[j] != V["THREADS"] + 0)
          refuse("THREADS", generator " runs one process per instance, and " CLIENT[j] " has " SHARE[j] " of " number[i] " instances; set a" \
            " multiple of " SHARE[j] ", or THREADS=auto")
      }
      connections = V["CONNECTIONS"] * threads
      if (V["RATE"] != 0 && !is_rate_searched() && (V["RATE"] + 0 < number[i] * connections || V["RATE"] % (number[i] * connections) > 0))
        refuse("RATE", generator " limits each connection to a whole number; with " number[i] " instances set a multiple of " number[i] * connections)
      if (keys_given == "auto" || !index(" " V["KEY_PATTERN"] " ", " sequential ")) continue
      # All parts but the last have the same length, and must end before the keys do.
      share_keys = int((keys_given + connections - 1) / connections)
      if (share_keys * (connections - 1) >= keys_given)
        refuse(V["KEY_MAX"] == "auto" ? "KEYS" : "KEY_MAX", generator " cannot divide so few keys over " connections " connections; set" \
          " more keys, or fewer CONNECTIONS")
    }
  }
}

# Whether the variant searches for a rate.
function is_rate_searched() {
  return V["RATE"] ~ /^search/
}

# Whether the variant searches.
function is_search_wanted() {
  return is_rate_searched() || V["CONNECTIONS"] == "search" || is_dram_searched()
}

function check_search(    i, n, limit, text, seen, limits) {
  limits = words("LIMITS", limit)
  for (i = 1; i <= limits; i++) {
    text = check_limit(limit[i])
    if (text in seen) refuse("LIMITS", "'" limit[i] "' is repeated; give each limit once")
    seen[text] = 1
  }
  if (V["DRAM_RATIO"] != "search" && V["RATE"] ~ /^search:/) refuse("RATE", "requires DRAM_RATIO=search, whose load it is; set RATE=search")
  if (!is_search_wanted()) return
  text = is_dram_searched() ? "DRAM_RATIO" : is_rate_searched() ? "RATE" : "CONNECTIONS"
  if (is_rate_searched() && V["CONNECTIONS"] == "search") refuse("CONNECTIONS", "conflicts with RATE=search; set only one of them to search")
  if (V["GENERATOR"] != "test") refuse(text, V["GENERATOR"] " does not support searches; set GENERATOR=test")
  if (V["TIME"] == 0) refuse(text, "requires TIME; set the duration of the measurement")
  if (!is_rate_searched() && V["RATE"] != 0 && text != "DRAM_RATIO")
    refuse("CONNECTIONS", "conflicts with RATE=" V["RATE"] "; set RATE=0: connections are searched in a closed loop")
  phases_once("with a search, give each phase once")
  if (has_word("KEY_PATTERN", "latest") && has_phase("mixed"))
    refuse("KEY_PATTERN", "latest is not supported in a search with mixed, as each step adds keys; set another KEY_PATTERN, or PHASES without mixed")
  if (!phases_measured()) refuse("PHASES", "no phase to search; add set, get or mixed")
  # Phases that the load generator takes: a searched phase is repeated once per limit.
  n = split(V["PHASES"], limit, " ") + phases_measured() * (limits - 1)
  if (n > 16) refuse("LIMITS", "too many: " n " phases times limits; accepted: at most 16")
}

# Refuse a limit that a search does not support. Returns the limit in one form: 1ms and 1000us become equal.
function check_limit(limit,    figure, rest, ambiguous, number) {
  figure = limit
  sub(/[<>=].*/, "", figure)
  rest = substr(limit, length(figure) + 1)
  number = rest
  gsub(/[<>=]/, " ", number)
  ambiguous = grouped(number)
  if (ambiguous != "") refuse("LIMITS", "'" limit "': ambiguous, a fraction or thousands; write " ambiguous)
  if (limit !~ /[<>]/ || figure == "") refuse("LIMITS", "'" limit "': invalid; accepted: FIGURE<=TIME, such as p99<=1ms")
  if (!index(" avg p50 p90 p99 p99.9 p99.99 max far ", " " figure " "))
    refuse("LIMITS", "'" limit "': unknown figure " figure "; accepted: avg p50 p90 p99 p99.9 p99.99 max far")
  number = rest
  sub(/^<=?/, "", number)
  if (figure == "far") {
    if (V["DRAM_RATIO"] != "search" || is_rate_searched())
      refuse("LIMITS", "'" limit "': requires DRAM_RATIO=search and RATE=NUMBER; far accesses do not depend on the load")
    if (is_dram_searched() && !tier_is("limited"))
      refuse("LIMITS", "'" limit "': the far accesses of " VARIANT " cannot be counted; set a latency, such as p99<=1ms")
    if (rest !~ /^<=?[0-9]+([.][0-9]+)?$/ || int(number) > 999999999)
      refuse("LIMITS", "'" limit "': invalid limit; accepted: a number of far accesses per operation, such as far<=0.05")
  } else if (rest !~ /^<=?[0-9]+([.][0-9]+)?(us|ms|s)$/ || int(number) > 999999999)
    refuse("LIMITS", "'" limit "': invalid limit; accepted: a maximum in us, ms or s, such as " figure "<=1ms")
  number = int(number * (rest ~ /us$/ ? 1000 : rest ~ /ms$/ ? 1000000 : 1000000000) + 0.0001)
  # far<=0 asks for no access at all, and is possible.
  if (!number && !(figure == "far" && rest ~ /^<=/)) refuse("LIMITS", "'" limit "': nothing is below 0; give a limit above it")
  return figure (rest ~ /^<=/ ? "<=" : "<") whole(number)
}

# Whether the far accesses of the variant are counted: DRAM is limited, or the server itself counts reads from flash.
function is_counted() {
  return tier_is("limited") || V["HIT_COUNTERS"] != "majflt"
}

# Refuse COMMANDS that cannot be sent.
function mix_check(    i, n, j, pattern, seen, name, type) {
  if (V["COMMANDS"] == "off") return
  mix_read()
  if (!has_phase("mixed")) refuse("COMMANDS", "no mixed phase to send them in (PHASES=" V["PHASES"] "); add mixed to PHASES")
  if (MIX_COUNT > 16) refuse("COMMANDS", "too many; accepted: at most 16 commands")
  n = words("KEY_PATTERN", pattern)
  for (i = 1; i <= MIX_COUNT; i++) {
    name = MIX_NAME[i]
    type = MIX_TYPE[i]
    if (type != "own" && name in seen) refuse("COMMANDS", "'" name "' is repeated; name it once, with the sum of its weights")
    seen[name] = 1
    for (j = 1; j <= n && type != "own" && type != "s"; j++)
      if (pattern[j] ~ /^latest/) refuse("COMMANDS", "'" name "': KEY_PATTERN=" pattern[j] " adds only strings; accepted: get set mget mset del rmw")
    if (name ~ /^m[gs]et/ && is_cluster()) refuse("COMMANDS", "'" name "': CLUSTER=on does not support commands of several keys; leave it out")
  }
}
