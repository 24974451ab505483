# SPDX-License-Identifier: MIT
# The load that the settings describe: phases, COMMANDS of the mixed phase, and VALUE_DISTRIBUTION, the sizes of values.

# Whether a phase only sets the keys.
function is_fill(phase) {
  return phase == "populate"
}

function has_phase(phase) {
  return index(" " V["PHASES"] " ", " " phase " ") > 0
}

# Whether the first phase sets the keys.
function is_filled_first() {
  return (" " V["PHASES"] " ") ~ /^ populate /
}

# The number of phases that are measured.
function phases_measured(    n, i, phase, sum) {
  n = words("PHASES", phase)
  for (i = 1; i <= n; i++) sum += !is_fill(phase[i])
  return sum + 0
}

# Refuse a phase that is repeated.
function phases_once(text,    n, i, phase, seen) {
  n = words("PHASES", phase)
  for (i = 1; i <= n; i++) {
    if (is_fill(phase[i])) continue
    if (phase[i] in seen) refuse("PHASES", phase[i] " is repeated; " text)
    seen[phase[i]] = 1
  }
}

# By name of a command: the kind of its key (s string, i counter, h hash, l list, z sorted set, x stream), and whether it takes -N.
function mix_table(    n, i, word) {
  n = split("get s set s mget s mset s del s rmw s incr i hset h hget h hgetall h lpush l lpop l lrange l zadd z zrange z xadd x", word, " ")
  for (i = 1; i < n; i += 2) MIX_KIND[word[i]] = word[i + 1]
  n = split("mget mset hset hget hgetall lrange zadd zrange xadd", word, " ")
  for (i = 1; i <= n; i++) MIX_MANY[word[i]] = 1
  # Commands that are not supported as load.
  MIX_NEVER = " acl client cluster config debug failover flushall flushdb migrate module monitor multi psubscribe replicaof reset script shutdown"
  MIX_NEVER = MIX_NEVER " slaveof ssubscribe subscribe swapdb watch "
}

# Read COMMANDS: the items, MIX_NAME and MIX_TYPE (`own` for the user's words); MIX_SETS and MIX_OTHERS, the weights of SETs and of all other
# commands; MIX_KEYS and MIX_VALUES, what populate makes for each key number; MIX_STRINGS, whether populate sets strings.
function mix_read(    n, i, item, name, type, times, weight, most) {
  if (MIX_READ == V["COMMANDS"]) return
  MIX_READ = V["COMMANDS"]
  MIX_KEYS = MIX_VALUES = MIX_STRINGS = 1
  MIX_SETS = MIX_OTHERS = MIX_COUNT = 0
  if (MIX_READ == "off") return
  n = split(MIX_READ, item, ",")
  for (i = 1; i <= n; i++) {
    weight = mix_weight(item[i])
    name = weight == "" ? item[i] : substr(item[i], 1, length(item[i]) - length(weight) - 1)
    if (weight == "") weight = 1
    times = 1
    if (name ~ / / || name ~ /__key__/) {
      type = "own"
      mix_own(name)
      mix_fits(item[i], name)
    } else {
      times = mix_times(name)
      type = MIX_KIND[mix_command(name)]
    }
    MIX_NAME[++MIX_COUNT] = name
    MIX_TYPE[MIX_COUNT] = type
    if (name == "set" || name == "rmw" || name ~ /^mset/) MIX_SETS += weight
    else MIX_OTHERS += weight
    if (type == "own") type = "s"
    if (times + 0 > most[type] + 0) most[type] = times
  }
  MIX_STRINGS = "s" in most
  MIX_KEYS = MIX_VALUES = 0
  for (type in most) {
    MIX_KEYS++
    MIX_VALUES += type == "s" || type == "x" ? 1 : type == "i" ? 0 : most[type]
  }
}

# The weight at the end of an item; empty without one.
function mix_weight(item,    weight) {
  weight = item
  if (item ~ /:[1-9][0-9]*$/) {
    sub(/.*:/, "", weight)
    if (weight + 0 <= 1000000 && length(weight) < 8) return weight
  }
  if (item ~ /:/ && item !~ / /) refuse("COMMANDS", "'" item "': invalid weight; accepted: a whole number from 1 to 1000000")
  return ""
}

# Refuse words of the user that cannot be sent.
function mix_own(name,    command, rest) {
  command = rest = name
  sub(/ .*/, "", command)
  sub(/^[^ ]* */, "", rest)
  if (command !~ /^[A-Za-z][A-Za-z0-9.]*$/ || length(command) > 26 || name !~ / / || rest !~ /__key__/)
    refuse("COMMANDS", "'" name "': __key__ is missing; accepted: COMMAND __key__ and more words")
  if (index(MIX_NEVER, " " tolower(command) " "))
    refuse("COMMANDS", "'" name "': " command " is not supported; accepted: commands that read or write a key")
}

# Refuse words of the user that ./test cannot keep (lib/loadgen/mix.h): the item, and its words without the weight.
function mix_fits(item, name,    n, i, word, most) {
  n = split(name, word, " ")
  for (i = 1; i <= n; i++) {
    # A part is a placeholder, or the text between two of them: one character each.
    gsub(/__(data|key)__/, "\001", word[i])
    gsub(/[^\001]+/, "x", word[i])
    if (length(word[i]) > most) most = length(word[i])
  }
  if (length(item) > 511 || n > 32 || most > 4)
    refuse("COMMANDS", "'" substr(item, 1, 60) "...': too long; accepted: at most 511 bytes and 32 words, each with at most 4 parts")
}

# The command of an item, without -N.
function mix_command(name) {
  sub(/-.*/, "", name)
  return name
}

# The N of an item.
function mix_times(name,    command, times) {
  command = mix_command(name)
  if (!(command in MIX_KIND))
    refuse("COMMANDS", "'" name "': unknown; accepted: get set mget mset del rmw incr hset hget hgetall lpush lpop lrange zadd zrange xadd," \
      " or words with __key__")
  if (name == command) return command in MIX_MANY ? 10 : 1
  times = substr(name, length(command) + 2)
  if (!(command in MIX_MANY)) refuse("COMMANDS", "'" name "': " command " takes no number; accepted: " command)
  if (times !~ /^[1-9][0-9]*$/ || times + 0 > 256) refuse("COMMANDS", "'" name "': invalid; accepted: " command "-N with N from 1 to 256")
  return times
}

# The mean of a distribution of sizes, in whole bytes; empty when it is invalid. The limits of ./test are not taken into account.
function value_sizes_mean(text,    kind_word, n, i, part, mean) {
  kind_word = text
  sub(/:.*/, "", kind_word)
  if (text == "etc") text = "gpareto:0:214.476:0.348238"
  else if (kind_word == "etc") return ""
  n = split(text, part, ":")
  if (kind_word ~ /^(etc|lognormal|pareto|gpareto)$/) {
    if (n != (part[1] == "gpareto" ? 4 : 3)) return ""
    for (i = 2; i <= n; i++) if (part[i] !~ /^[0-9]+([.][0-9]+)?$/) return ""
    if (part[1] == "lognormal" && part[3] > 0) mean = part[2]
    if (part[1] == "pareto" && part[3] > 1) mean = part[2] * part[3] / (part[3] - 1)
    if (part[1] == "gpareto" && part[4] < 1 && part[3] > 0) mean = part[2] + part[3] / (1 - part[4])
  } else mean = value_sizes_mean_choice(text)
  return mean >= 0.5 && mean < 536870912 ? int(mean + 0.5) : ""
}

# The mean of SIZE:WEIGHT,LOW-HIGH:WEIGHT,...; 0 when it is invalid.
function value_sizes_mean_choice(text,    n, i, choice, part, edge, weight, sum, weights) {
  n = split(text, choice, ",")
  for (i = 1; i <= n; i++) {
    if (choice[i] !~ /^[1-9][0-9]*(-[1-9][0-9]*)?(:[1-9][0-9]*)?$/ || choice[i] ~ /[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]/) return 0
    weight = split(choice[i], part, ":") > 1 ? part[2] : 1
    if (split(part[1], edge, "-") < 2) edge[2] = edge[1]
    if (edge[2] + 0 < edge[1] + 0) return 0
    sum += (edge[1] + edge[2]) / 2 * weight
    weights += weight
  }
  return weights ? sum / weights : 0
}

# The sizes that the SETs of a phase have in VALUE_DISTRIBUTION; empty: VALUE_SIZES.
function value_sizes_of(phase,    n, i, word, out) {
  if (V["VALUE_DISTRIBUTION"] == "off") return ""
  n = words("VALUE_DISTRIBUTION", word)
  for (i = 1; i <= n; i++) {
    if (index(word[i], phase "=") == 1) return substr(word[i], length(phase) + 2)
    if (word[i] !~ /=/) out = word[i]
  }
  return out
}

# The same of the first phase that sets.
function value_sizes_first(    n, i, phase) {
  n = words("PHASES", phase)
  for (i = 1; i < n && phase[i] == "get"; i++) ;
  return value_sizes_of(phase[i])
}

# Refuse an invalid VALUE_DISTRIBUTION; set VALUE_SIZES to the mean size of the first phase that sets: FILL is about its keys.
function value_sizes_settle(    n, i, phase, text) {
  if (V["VALUE_DISTRIBUTION"] == "off") return
  value_sizes_check()
  text = value_sizes_first()
  if (text == "") return
  n = words("PHASES", phase)
  V["VALUE_SIZES"] = value_sizes_mean(text)
  for (i = 1; i <= n; i++)
    if (phase[i] != "get" && value_sizes_of(phase[i]) == "")
      refuse("VALUE_DISTRIBUTION", "no sizes for " phase[i] " of PHASES=" V["PHASES"] "; add " phase[i] "=SIZES, or sizes for all phases")
}

# Refuse an invalid VALUE_DISTRIBUTION.
function value_sizes_check(    n, i, word, phase, seen, text) {
  n = words("VALUE_DISTRIBUTION", word)
  for (i = 1; i <= n; i++) {
    phase = "all"
    text = word[i]
    if (text ~ /=/) {
      sub(/=.*/, "", text)
      phase = text
      text = substr(word[i], length(phase) + 2)
      if (phase !~ /^(populate|set|mixed)$/) refuse("VALUE_DISTRIBUTION", "'" word[i] "': invalid phase; accepted: populate, set, mixed")
      if (!has_phase(phase))
        refuse("VALUE_DISTRIBUTION", "'" word[i] "': no such phase in PHASES=" V["PHASES"] "; add it there, or leave it out here")
    }
    if (phase in seen) refuse("VALUE_DISTRIBUTION", "'" word[i] "': repeated; name sizes once for each phase, and once for all others")
    seen[phase] = 1
    if (value_sizes_mean(text) != "") continue
    text = "invalid; accepted: off, LOW-HIGH, SIZE:WEIGHT,SIZE:WEIGHT,..., lognormal:MEAN:SD, pareto:MIN:ALPHA (ALPHA above 1),"
    refuse("VALUE_DISTRIBUTION", text " gpareto:LOCATION:SCALE:SHAPE (SHAPE below 1) or etc, each also as PHASE=SIZES")
  }
}

# The largest mean size of any phase, for one value of VALUE_SIZES.
function value_sizes_largest(size,    n, i, phase, mean) {
  if (V["VALUE_DISTRIBUTION"] !~ /=/) return size
  n = words("PHASES", phase)
  for (i = 1; i <= n; i++) {
    if (phase[i] == "get" || value_sizes_of(phase[i]) == "") continue
    mean = value_sizes_mean(value_sizes_of(phase[i]))
    if (mean + 0 > size + 0) size = mean
  }
  return size
}
