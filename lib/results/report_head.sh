# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The top of a report: scenario, time, hosts, and links to the sections of the page.

# Print the title of a report: the scenario, and the compared variants.
# Usage: report_title RUN
report_title() {
  local scenario variants others
  scenario=$(report_setting "$1" SCENARIO)
  scenario=${scenario##*/}
  variants=$(report_setting "$1" VARIANTS)
  others=${variants#* }
  [[ $variants == *' '* ]] || others=
  printf '%s%s%s\n' "${scenario%.conf}" "${variants:+: ${others:+${others// /, } against }}" "${variants%% *}" | sed 's/^: //; s/^$/What did the load measure?/'
}

# Print a setting of a run from its run.conf.
# Usage: report_setting RUN NAME
report_setting() {
  sed -n "s/^$2=//p" "$1/run.conf" 2>/dev/null | tr -d "\"'()" | sed -n 1p || :
}

# Print scenario, time and hosts of a run as a list of the page.
# Usage: report_facts RUN
report_facts() {
  local run=$1 server others label text
  read -r server others < <(report_setting "$run" SERVER) || :
  # A component of a path below.
  [[ $server =~ ^[A-Za-z0-9][A-Za-z0-9._:-]*$ ]] || server=-
  printf '<dl class="facts">\n'
  {
    _report_date "$run"
    printf 'Question\t%s\n' "$(report_question "$run")"
    _report_host "$run" "$server"
    printf 'Other servers\t%s\n' "$others"
    printf 'Clients\t%s\n' "$(report_setting "$run" CLIENT_IP)"
    _report_load "$run"
    _report_changed "$run"
    printf 'Made by\t%s\n' "$(sed -n 's/^# .*Made by \(.*\)\.$/\1/p' "$run/run.conf" 2>/dev/null | sed -n 1p)"
  } | while IFS=$'\t' read -r label text; do
    [[ -z $text ]] || printf '<dt>%s</dt><dd>%s</dd>\n' "$label" "$(printf '%s' "$text" | html_text)"
  done
  printf '</dl>\n'
}

# Print the question of the run: the first sentence of its scenario's file.
# Usage: report_question RUN
report_question() {
  local scenario file
  scenario=$(report_setting "$1" SCENARIO)
  file=$ROOT/conf/scenarios/${scenario##*/}.conf
  [[ -z $scenario || ! -r $file ]] || sed -n '2s/^# //p' "$file"
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
  printf 'Server\t%s' "$2"
  [[ ! -r $1/env/$2/env.tsv ]] || LC_ALL=C awk -F '\t' '
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
    }' "$1/env/$2/env.tsv"
  printf '\n'
}

# The fill, the load and the repeats, with the names of the settings.
_report_load() {
  local name value text=''
  for name in FILL KEYS; do
    value=$(report_setting "$1" "$name")
    [[ -z $value || $value == auto ]] || text+="${text:+, }$name=$value"
  done
  printf 'Fill\t%s\n' "$text"
  text=
  for name in PHASES VALUE_SIZES INSTANCES CONNECTIONS PIPELINE KEY_PATTERN RATE TIME DRAM_RATIO; do
    value=$(report_setting "$1" "$name")
    [[ -z $value || $value == 0 || ($value == 1 && $name != INSTANCES) || ($name == DRAM_RATIO && $value != *' '* && $value != search) ]] || text+="${text:+, }$name=$value"
  done
  printf 'Load\t%s\n' "$text"
  value=$(report_setting "$1" REDISRUNS)
  printf 'Repeats\t%s\n' "${value:+REDISRUNS=$value, }$(find "$1" -mindepth 3 -maxdepth 3 -type d -name 'rep-*' ! -name '*.*' | wc -l) complete"
}

# Settings in addition to the scenario's, except for paths and settings that leave the host unchanged.
_report_changed() {
  local name value text=''
  for name in $(report_setting "$1" OVER); do
    [[ $name =~ ^[A-Z][A-Z0-9_]*$ && ! $name =~ ^(SCENARIO|VARIANTS|RESULTS_DIR|REMOTE_DIR|LOCK_DIR|REDISBASE|SSH_CONFIG|SERVER|CLIENT_IP)$ ]] || continue
    value=$(report_setting "$1" "$name")
    [[ $value != keep && ($name != TUNE_* || $value != off) ]] || continue
    text+="${text:+, }$name=$value"
  done
  printf 'Differs from the scenario\t%s\n' "$text"
}

# Print links to the sections that a page has, read from it.
# Usage: report_contents <PAGE
report_contents() {
  printf '<nav>\n<ul>\n'
  sed -n '/^<section id="/{N;s/^<section id="\([a-z]*\)">\n<h2>\(.*\)<\/h2>$/<li><a href="#\1">\2<\/a><\/li>/p;}'
  printf '</ul>\n</nav>\n'
}

# Give cells of less important columns a class, so that a narrow page can leave them out.
# Usage: report_narrow HEADING... <TABLE
report_narrow() {
  local IFS='|'
  OPTIONAL="$*" LC_ALL=C awk '
    BEGIN { n = split(ENVIRON["OPTIONAL"], name, "|"); for (i = 1; i <= n; i++) optional[name[i]] = 1 }
    /<th |<td/ {
      head = /<th /
      tag = head ? "<th" : "<td"
      # A heading of a column has its scope; <thead> does not match.
      cells = split($0, cell, head ? "<th " : "<td")
      out = cell[1]
      for (i = 2; i <= cells; i++) {
        if (head) cell[i] = " " cell[i]
        if (head) {
          text = cell[i]
          sub(/^[^>]*>/, "", text)
          sub(/<.*/, "", text)
          if (text in optional) hide[i] = 1
        }
        if (i in hide && !sub(/class="/, "class=\"opt ", cell[i])) sub(/^/, " class=\"opt\"", cell[i])
        out = out tag cell[i]
      }
      print out
      next
    }
    { print }'
}
