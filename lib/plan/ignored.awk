# SPDX-License-Identifier: MIT
# Settings of the user that have no effect in combination with others, or an unexpected effect.

function note(found, wanted, fix,    line) {
  # A value may have one.
  gsub(/\t/, " ", found)
  line = found "\t" wanted "\t" fix
  if (!(line in NOTED)) say("note", line)
  NOTED[line] = 1
}

# Notes about the settings of a variant, with a combination of the values in SWEEP.
function notes_variant() {
  note_eviction()
  if (explicit("FILL") && keys_named() != "auto")
    note("FILL=" V["FILL"], "KEYS=auto", "set KEYS=auto: FILL has no effect, because the number of keys is set")
  if (explicit("RATIO") && !has_phase("mixed")) note("RATIO=" V["RATIO"], "mixed in PHASES", "set PHASES: only the phase mixed has this ratio")
  else if (explicit("RATIO") && V["COMMANDS"] != "off") note("RATIO=" V["RATIO"], "COMMANDS=off", "set COMMANDS: its weights replace RATIO")
  # Set in a higher layer than TIME, or on the command line.
  if (V["TIME"] != 0 && V["REQUESTS"] != 0 && (above("REQUESTS", "TIME") || explicit("REQUESTS")))
    note("REQUESTS=" V["REQUESTS"], "TIME=0", "set TIME=0: with TIME=" V["TIME"] " requests are ignored")
  note_affinity()
  note_isolated()
  note_load()
  notes_used()
}

function note_eviction(    policy, found) {
  policy = V["REDIS_CONF.maxmemory-policy"]
  if (policy == "default") return
  found = "REDIS_CONF.maxmemory-policy=" policy
  if (!data_limit()) note(found, "maxmemory", "set REDIS_CONF.maxmemory: without it, no key is evicted")
  else if (policy ~ /^volatile-/ && V["EXPIRE"] == "off")
    note(found, "noeviction or allkeys-", "the keys of the load do not expire, so this policy acts as noeviction")
}

# Redis is told the instance's CPUs, which are known only when the plan names them; a single thread has nothing to pin separately.
function note_affinity(    culprit) {
  if (!is_on("IO_THREADS_AFFINITY")) return
  culprit = V["SERVER_NUMACTL"] != "" ? "SERVER_NUMACTL" : V["PLACEMENT"] == "none" ? "PLACEMENT=none" : ""
  if (V["IO_THREADS"] == 1) {
    if (explicit("IO_THREADS_AFFINITY")) note("IO_THREADS_AFFINITY=on", "IO_THREADS above 1", "set IO_THREADS: there are no threads to pin")
  } else if (culprit != "")
    note("IO_THREADS_AFFINITY=on", "CPUs of the plan", "set IO_THREADS_AFFINITY=off: with " culprit " Redis gets no list of CPUs to pin them to")
}

# On the isolated CPUs alone, instances may share CPUs although other CPUs are free.
function note_isolated(    i, n, number, most, list) {
  if (V["SERVER_CPUS"] != "auto" || V["PLACEMENT"] == "none" || V["SERVER_NUMACTL"] != "") return
  list = cpus_allowed(SERVER[1])
  if (list == "") return
  n = words("INSTANCES", number)
  for (i = 1; i <= n; i++) if (number[i] + 0 > most) most = number[i] + 0
  if (most > cpus_usable())
    note(most " instances on the CPUs " list, "a CPU each", "set SERVER_CPUS or INSTANCES: instances use only the isolated CPUs (isolcpus)")
}

function note_load(    list, every) {
  if (V["COMMANDS"] != "off") {
    mix_read()
    if (MIX_KEYS != 1 && !has_phase("populate"))
      note("COMMANDS=" V["COMMANDS"], "populate in PHASES", "set PHASES: without it, only the mix itself makes hashes, lists and sorted sets")
    if (("," V["COMMANDS"]) ~ /,lpush/ && V["COMMANDS"] !~ /lpop/)
      note("COMMANDS=" V["COMMANDS"], "lpop with lpush", "add lpop: lists that are only pushed to grow, and their memory cannot be planned")
  }
  list = " " V["PHASES"]
  if (index(list, " get") && substr(list, 1, index(list, "get") - 1) !~ / (populate|set|mixed)/)
    note("PHASES=" V["PHASES"], "populate first", "set PHASES=\"populate " V["PHASES"] "\": no phase sets keys before get, so no GET finds one")
  if (has_word("KEY_PATTERN", "latest") && has_phase("mixed") && V["TIME"] != 0 && V["RATE"] == 0)
    note("KEY_PATTERN=" V["KEY_PATTERN"], "RATE or REQUESTS", "set RATE or REQUESTS: how many keys a closed loop adds in TIME=" V["TIME"] "" \
      " and their memory cannot be planned")
  if (V["KEY_PATTERN.shift"] == "off" || V["TIME"] == 0) return
  every = V["KEY_PATTERN.shift"]
  sub(/:.*/, "", every)
  if (every + 0 >= V["TIME"] + 0) note("KEY_PATTERN.shift=" V["KEY_PATTERN.shift"], "TIME above " every, "set TIME: a phase of " V["TIME"] " s ends before the first shift")
}

# Remember the settings that a variant uses.
function notes_used() {
  USED[V["TIER"]] = 1
  if (tier_is("limited") || is_dram_searched()) USED["limited"] = 1
  if (is_search_wanted()) USED["LIMITS"] = 1
}

# A note about a ratio of DRAM that no variant has: each of several would be measured again.
function note_ratio() {
  if (!("limited" in USED) && (V["DRAM_RATIO"] ~ / / || explicit("DRAM_RATIO")))
    note("DRAM_RATIO=" V["DRAM_RATIO"], tiers_with("Is", "limited"), "add a variant with a limit of DRAM: without one, the ratio has no effect")
}

# Notes about settings that no variant uses.
function notes_unused(    i, users) {
  for (i = 1; i <= names; i++) {
    users = tiers_with("Uses", NAME[i])
    if (users != "")
      note_unused(NAME[i], users, "add a variant with the tier " users ": only " (users ~ / / ? "these use" : "this one uses") " it")
  }
  note_unused("LIMITS", "LIMITS", "set RATE=search: only searches keep limits; compare --limit evaluates them afterwards")
}

# A note if none of USERS, tiers and settings, is used; the values keep and auto ask for nothing.
function note_unused(name, users, fix,    i, n, user) {
  if (V[name] == "keep" || V[name] == "auto" || !explicit(name)) return
  n = split(users, user, /,? /)
  for (i = 1; i <= n; i++) if (user[i] in USED) return
  note(name "=" V[name], "-", fix)
}

# A note if an instance gets more data than maxmemory, above which Redis refuses writes.
function note_full(data,    each) {
  if (!data_limit() || is_evicting()) return
  each = int(data / processes(V["INSTANCES"]))
  if (each > data_limit())
    note("REDIS_CONF.maxmemory=" V["REDIS_CONF.maxmemory"], int(each / 1048576) + 1 " MiB per instance", "set it, or maxmemory-policy: Redis" \
      " refuses SETs above the limit, and a repeat with errors fails")
}
