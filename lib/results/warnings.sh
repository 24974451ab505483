# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Warnings of Redis from the logs of instances: about its host at start, of which a tuned host causes none, and about files that it cannot write.

# Print each different warning once, with the number of its instances, the number of their directories, and the first directory: COUNT TEXT FOLDERS
# DIR.
# Usage: warnings_read DIR...
#   DIR contains logs of instances, redis-PORT.log
warnings_read() {
  local folder file files=''
  for folder in "$@"; do
    for file in "$folder"/redis-*.log; do [[ ! -r $file ]] || files+=$folder$'\t'$file$'\n'; done
  done
  # As input: the names of a large run's logs exceed the length of a command line.
  LC_ALL=C awk -F '\t' -v OFS='\t' '
    NF {
      file = $2 ~ /^\// ? $2 : "./" $2
      while ((getline line < file) > 0)
        if ((about = match(line, /# (WARNING|Warning)[: ] */)) || match(line, /# .*(No space left|Short write|[Ww]rite error|Error writing|saving error)/)) {
          # Of a failed write, without the figures, which differ each time.
          text = substr(line, RSTART + (about ? RLENGTH : 2))
          if (!about) sub(/:? *[(]nwritten.*/, "", text)
          gsub(/[\001-\037\177]|\302[\200-\237]/, " ", text)
          if (!(text in count)) {
            order[++texts] = text
            first[text] = $1
          }
          # A restarted instance warns again in the same log.
          if (!counted[text, file]++) count[text]++
          if (!((text, $1) in seen)) folders[text]++
          seen[text, $1] = 1
        }
      close(file)
    }
    END { for (i = 1; i <= texts; i++) print count[order[i]], order[i], folders[order[i]], first[order[i]] }' <<<"$files"
}

# Print the warnings of the instances of a repeat.
# Usage: warnings_tell DIR
warnings_tell() {
  local count text
  while IFS=$'\t' read -r count text _; do
    log_warn "Redis warns ($count of the instances): $text"
  done < <(warnings_read "$1")
}

# Print the same for a whole run, one line each: TEXT.
# Usage: warnings_run RUN [short]   short: only the first sentence of each
warnings_run() {
  local run=$1 count text folders first
  while IFS=$'\t' read -r count text folders first; do
    first=${first%/server}
    [[ ${2-} != short ]] || text=${text%%[.!] *}
    [[ $count == 1 ]] && count+=' instance' || count+=' instances'
    [[ $folders == 1 ]] && folders+=' repeat' || folders+=' repeats'
    printf 'Redis warns (%s in %s, the first in %s): %s\n' "$count" "$folders" "${first#"$run"/}" "$text"
  done < <(warnings_read "$run"/*/*/rep-*/server)
}

# Print the warnings of the instances of the newest run on this server, as rows STATE FOUND WANTED FIX.
# Usage: warnings_check
# Globals: RESULTS_DIR SERVERS
warnings_check() {
  local run='' file rows index LC_ALL=C
  local -a files=("$RESULTS_DIR"/*/run.conf)
  # Names begin with the time of the start, so only the last run is opened.
  for ((index = ${#files[@]} - 1; index >= 0; index--)); do
    file=${files[index]}
    [[ ${file#"$RESULTS_DIR/"} == [0-9]* ]] || continue
    [[ -f $file && ! -L $file ]] || continue
    grep -sqxF "SERVER=\"${SERVERS[*]:-$SERVER}\"" "$file" || continue
    compgen -G "${file%/run.conf}/*/*/rep-*/server/redis-*.log" >/dev/null || continue
    run=${file%/run.conf}
    break
  done
  [[ -n $run ]] || return 0
  rows=$(warnings_read "$run"/*/*/rep-*/server)
  if [[ -z $rows ]]; then
    printf 'ok\tnone\tnone in the logs of %s\t-\n' "${run##*/}"
  else
    awk -F '\t' -v OFS='\t' -v run="${run##*/}" '{ print "warn", $2, "none in the logs of " run, "what it says, or the setting for it (docs/tuning.md)" }' <<<"$rows"
  fi
}
