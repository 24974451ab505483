# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The top of a report: scenario, time and hosts.

# By name: the settings of a run, and where each comes from.
declare -A _REPORT_SETTING=() _REPORT_SOURCE=()

# Read the settings of a run from its settings.tsv.
# Usage: report_settings RUN
report_settings() {
  local REPLY name value from
  _REPORT_SETTING=() _REPORT_SOURCE=()
  file_read "$1/settings.tsv" "$FILE_PLAN" || return 0
  # read takes several tabs for one.
  while IFS=$'\037' read -r name value from; do
    [[ ! $name =~ ^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z0-9_-]+)?$ ]] || _REPORT_SETTING[$name]=$value _REPORT_SOURCE[$name]=$from
  done < <(LC_ALL=C awk -F '\t' -v OFS='\037' '$1 == "-" && $2 == "-" { print $3, $4, $5 }' <<<"$REPLY")
}

# A setting of the run whose settings were read.
# Usage: report_setting NAME
# Returns: sets REPLY; empty when the run does not have it
report_setting() {
  REPLY=${_REPORT_SETTING[$1]-}
}

# The title of a report: the scenario, and the compared variants.
# Usage: report_title
# Returns: sets REPLY
report_title() {
  local scenario variants others
  report_setting SCENARIO
  scenario=${REPLY##*/}
  report_setting VARIANTS
  variants=$REPLY others=${REPLY#* }
  [[ $variants == *' '* ]] || others=
  REPLY=${scenario%.conf}${variants:+: ${others:+${others// /, } against }}${variants%% *}
  REPLY=${REPLY#: }
  REPLY=${REPLY:-What did the load measure?}
}

# Print scenario, time and hosts of a run as a list of the page.
# Usage: report_facts RUN
report_facts() {
  local label text
  while IFS=$'\t' read -r label text; do
    [[ -z $text ]] || template_print fact name="$label" text="$text"
  done < <(report_known "$1")
}

# Print what is known of the run whose settings were read: a line LABEL TEXT for each fact.
# Usage: report_known RUN
report_known() {
  local run=$1 server others REPLY
  report_setting SERVER
  read -r server others <<<"$REPLY"
  # A component of a path below.
  [[ $server =~ ^[A-Za-z0-9][A-Za-z0-9._:-]*$ ]] || server=-
  _report_date "$run"
  printf 'Question\t%s\n' "$(report_question)"
  _report_host "$run" "$server"
  printf 'Other servers\t%s\n' "$others"
  report_setting CLIENT_IP
  printf 'Clients\t%s\n' "$REPLY"
  _report_load "$run"
  _report_changed
  printf 'Made by\t%s\n' "$(version_made "$run")"
}

# Print the question of the run: the first sentence of its scenario's file.
# Usage: report_question
report_question() {
  local file
  report_setting SCENARIO
  file=$ROOT/conf/scenarios/${REPLY##*/}.conf
  [[ -z $REPLY || ! -r $file ]] || sed -n '2s/^# //p' "$file"
}

# The begin and end of the run: from its log, else its name.
_report_date() {
  local first last name
  first=$(grep -aoE '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[+-][0-9]{4}' "$1/run.log" 2>/dev/null | sed -n '1p;$p' | paste -sd ' ') || :
  read -r first last <<<"$first"
  if [[ -n $first ]]; then
    printf 'Date\t%s\n' "${first/T/ }${last:+ to ${last/T/ }}"
  else
    name=$(cd -- "$1" && pwd -P)
    name=${name##*/}
    [[ ! $name =~ ^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z ]] ||
      printf 'Date\t%s-%s-%s %s:%s:%s UTC\n' "${BASH_REMATCH[@]:1:6}"
  fi
}

# The server in one line, and its Redis.
_report_host() {
  local REPLY
  printf 'Server\t%s' "$2"
  hosts_folder "$1/env" "$2"
  [[ ! -r $REPLY/env.tsv ]] || LC_ALL=C awk -F '\t' '
    { is[$1] = $2 }
    function known(name) { return name in is && is[name] != "" && is[name] != "-" }
    END {
      if (known("cpu.model")) printf ": %s", is["cpu.model"]
      if (known("cpu.count")) printf ", %d logical CPUs", is["cpu.count"]
      if (known("cpu.nodes") && is["cpu.nodes"] > 1) printf " on %d nodes", is["cpu.nodes"]
      if (known("memory.kib")) printf ", %.1f GiB", is["memory.kib"] / 1048576
      if (known("swap.kib") && is["swap.kib"] > 0) printf ", swap %.1f GiB", is["swap.kib"] / 1048576
      if (known("os.name")) printf ", %s", is["os.name"]
      if (known("kernel.release")) printf ", Linux %s", is["kernel.release"]
      if (known("machine.hypervisor")) printf ", a guest of %s", is["machine.hypervisor"]
      if (known("redis.version")) printf "\nRedis\t%s%s", is["redis.version"], known("redis.malloc") ? ", " is["redis.malloc"] : ""
    }' "$REPLY/env.tsv"
  printf '\n'
}

# The fill, the load and the repeats, with the names of the settings.
_report_load() {
  local name value text=''
  for name in FILL KEYS; do
    report_setting "$name"
    [[ -z $REPLY || $REPLY == auto ]] || text+="${text:+, }$name=$REPLY"
  done
  printf 'Fill\t%s\n' "$text"
  text=
  for name in PHASES VALUE_SIZES INSTANCES CONNECTIONS PIPELINE KEY_PATTERN RATE TIME DRAM_RATIO; do
    report_setting "$name"
    value=$REPLY
    [[ -z $value || $value == 0 || ($value == 1 && $name != INSTANCES) || ($name == DRAM_RATIO && $value != *' '* && $value != search) ]] || text+="${text:+, }$name=$value"
  done
  printf 'Load\t%s\n' "$text"
  report_setting REDISRUNS
  printf 'Repeats\t%s\n' "${REPLY:+REDISRUNS=$REPLY, }$(find "$1" -mindepth 3 -maxdepth 3 -type d -name 'rep-*' ! -name '*.*' | wc -l) complete"
}

# Settings of the command line and the environment, except for paths and settings that leave the host unchanged.
_report_changed() {
  local name text='' REPLY
  for name in "${!_REPORT_SOURCE[@]}"; do
    [[ ${_REPORT_SOURCE[$name]} == @(command\ line|environment)* ]] || continue
    [[ ! $name =~ ^(SCENARIO|VARIANTS|RESULTS_DIR|REMOTE_DIR|LOCK_DIR|REDISBASE|SSH_CONFIG|SERVER|CLIENT_IP)$ ]] || continue
    report_setting "$name"
    [[ $REPLY != keep && ($name != TUNE.* || $REPLY != off) ]] || continue
    text+=$name=$REPLY$'\n'
  done
  [[ -z $text ]] || printf 'Differs from the scenario\t%s\n' "$(sort <<<"${text%$'\n'}" | paste -sd ',' | sed 's/,/, /g')"
}
