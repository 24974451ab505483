# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What Redis itself finds wrong with its host when it starts, from the logs of instances; a tuned host leaves it nothing to say.

# Print each different warning once, with the number of instances that gave it: COUNT TEXT.
# Usage: warnings_read FOLDER...
#   a FOLDER holds logs of instances, redis-PORT.log
warnings_read() {
  local folder
  local -a files=()
  for folder in "$@"; do files+=("$folder"/redis-*.log); done
  LC_ALL=C awk -v OFS='\t' '
    match($0, /# (WARNING|Warning)[: ] */) {
      text = substr($0, RSTART + RLENGTH)
      gsub(/[\001-\037\177]/, " ", text)
      if (!(text in count)) order[++texts] = text
      count[text]++
    }
    END { for (i = 1; i <= texts; i++) print count[order[i]], order[i] }' "${files[@]}" 2>/dev/null || :
}

# Say which warnings the instances of a repeat gave.
# Usage: warnings_tell FOLDER
warnings_tell() {
  local count text
  while IFS=$'\t' read -r count text; do
    log_warn "Redis warns ($count of the instances): $text"
  done < <(warnings_read "$1")
}

# Print what the instances of the newest run warned of, as rows STATE FOUND WANTED MEND.
# Usage: warnings_check
# Globals: RESULTS_DIR
warnings_check() {
  local run rows
  run=$(result_newest) || return 0
  rows=$(warnings_read "$run"/*/*/rep-*/server)
  if [[ -z $rows ]]; then
    printf 'ok\tnone\tnone in the logs of %s\t-\n' "${run##*/}"
  else
    awk -F '\t' -v OFS='\t' -v run="${run##*/}" '{ print "warn", $2, "none in the logs of " run, "what it says, or the TUNE_ setting for it (docs/tuning.md)" }' <<<"$rows"
  fi
}
