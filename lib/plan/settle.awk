# SPDX-License-Identifier: MIT
# The settings of a command that plans, before anything is known of the hosts: the end of the reader of settings (lib/settings).

END {
  if (is_stopped) exit
  if (is_asked) scenario_take()
  variants_take()
  tenants_take()
  sweeps_take()
  axes_table()
  variants = words("VARIANTS", VARIANT_NAME)
  settings_say()
  layers_say()
  said_print("set layer", "run change part over optional trust warn")
}

# Read the words of SWEEP: the settings that they name, and their values as they are stored. A part of what a run found is kept as the number that it
# is: the run may be moved, or get more repeats.
function sweeps_take(    n, i, m, j, word, value, values, at, text) {
  resolve("")
  at = where("SWEEP") ": SWEEP"
  n = words("SWEEP", word)
  for (i = 1; i <= n; i++) {
    if (word[i] !~ ("^" NAMED "=[^,]+(,[^,]+)*$")) stop(at ": " word[i] ": invalid; accepted: NAME=VALUE,VALUE..., such as RATE=10000,50000")
    m = split(substr(word[i], index(word[i], "=") + 1), value, ",")
    values = ""
    for (j = 1; j <= m; j++) {
      check(kind_before(word[i] "", "="), value[j] "", at)
      values = values (j > 1 ? " " : "") CHECKED_VALUE
    }
    if (word[i] ~ /%@/) {
      word[i] = CHECKED "=" values
      gsub(/ /, ",", word[i])
    }
    text = text (i > 1 ? " " : "") word[i]
    say("layer", "sweep" OFS word[i] OFS CHECKED OFS values)
    sweep_keep(word[i], CHECKED, values)
  }
  VALUE[layer_key(layer_of("SWEEP")), "SWEEP"] = text
  resolve("")
}

# No facts are known yet that could replace `auto`.
function auto_settle() {
  return
}

# Read the files that TENANTS names, each into its layer. A run has a copy of them next to its run.conf, for what repeats it.
function tenants_take(    n, i, name, file, layer, j, is_of_run) {
  resolve("")
  if (V["TENANTS"] == "none") return
  n = words("TENANTS", name)
  # Only a run.conf names the scenario that it came from.
  is_of_run = ("scenario", "") in GIVEN && ("scenario", "SCENARIO") in VALUE
  for (i = 1; i <= n; i++) {
    sub(/[*].*/, "", name[i])
    layer = "tenant:" name[i]
    file = is_of_run ? wanted(GIVEN["scenario", ""], "tenants-" name[i]) : ""
    if (file == "") file = named("tenants", name[i] "")
    if (file == "") stop_near("tenants", name[i], where("TENANTS") ": TENANTS=" V["TENANTS"] ": " name[i] ": not found; ")
    file_take(layer, file "")
    if (RESUME || !((layer, "WORKLOAD") in VALUE) || VALUE[layer, "WORKLOAD"] == "off") continue
    workload_copy(layer)
    # Phases are those of the run.
    for (j = 1; j <= names; j++) if (FROM[layer, NAME[j]] ~ /: WORKLOAD=/ && !(NAME[j] in TENANT_IS)) delete VALUE[layer, NAME[j]]
  }
}
