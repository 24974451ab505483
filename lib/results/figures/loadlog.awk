# SPDX-License-Identifier: MIT
# Read one log of a load generator, ours or the guide's, into phase[1..phases, ...]; `problem` names what is incomplete.

# Start over for the next log.
function log_start() {
  split("", phase)
  split("", section)
  phases = sections = completes = 0
  current = ""
}

# Read `Thread N: port P set K keys - elapse U usecs , max time M , average A , max average B`, whose ` keys - ` is at AT. There are millions of
# lines. So text at a known position is cut out, and a line is split only if the operation and key count before ` keys` differ from those of the
# previous line.
function take_thread(line, at,    f, mean) {
  if (substr(line, at - length(shape), length(shape)) != shape) {
    if (split(line, f, " ") < 22 || f[5] != current || !text_is_count(f[6])) return
    shape = " " f[5] " " f[6]
    if (keys_each != "") uneven = 1
    keys_each = f[6]
  }
  line = substr(line, at + 15)
  threads_seen++
  keys_sum += keys_each
  if (line + 0 > longest) longest = line + 0
  if (!shortest || line + 0 < shortest) shortest = line + 0
  if (line + 0 > 0) own_rates += keys_each / line
  at = index(line, "max time ")
  line = substr(line, at + 9)
  if (line + 0 > slowest) slowest = line + 0
  time_sum += substr(line, index(line, "average ") + 8) * keys_each
}

# `... : N threads started - OP` opens a phase.
function phase_open(line) {
  if (current != "") problem = problem "; phase " current " has no 'threads finished' line"
  current = substr(line, index(line, " threads started - ") + 19)
  sub(/[ \r]+$/, "", current)
  threads_seen = keys_sum = longest = shortest = slowest = time_sum = reply_errors = uneven = own_rates = 0
  keys_each = ""
  shape = "\n" # matches no line
}

# `... : N threads finished - OP` closes it; only a phase with one line per thread is a result.
function phase_close(line,    operation, count, words, n) {
  operation = substr(line, index(line, " threads finished - ") + 20)
  sub(/[ \r]+$/, "", operation)
  n = split(substr(line, 1, index(line, " threads finished - ") - 1), words, " ")
  count = words[n]
  if (operation != current) {
    problem = problem "; phase " operation " is finished but was never started"
  } else if (threads_seen != count) {
    problem = problem "; phase " operation " has results of " threads_seen " of " count " threads"
  } else if (!sections) {
    problem = problem "; phase " operation " comes before any line with threads and key_count"
  } else {
    phases++
    phase[phases, "operation"] = operation
    phase[phases, "len"] = section["len"]
    phase[phases, "servers"] = section["servers"]
    phase[phases, "threads"] = count
    phase[phases, "keys"] = uneven ? int(keys_sum / count) : keys_each
    phase[phases, "keys_sum"] = keys_sum
    phase[phases, "longest"] = longest
    phase[phases, "shortest"] = shortest
    phase[phases, "slowest"] = slowest
    phase[phases, "own_rates"] = own_rates
    phase[phases, "mean"] = keys_sum > 0 ? time_sum / keys_sum : ""
    phase[phases, "errors"] = reply_errors
    phase[phases, "histogram"] = ""
  }
  current = ""
}

# Read one log line by line. Lines are recognised by their first letters: there can be hundreds per thread.
function read_log(file,    line, status, f, at) {
  log_start()
  problem = ""
  while ((status = (getline line < file)) > 0) {
    if (substr(line, 1, 7) == "Thread ") {
      if (at = index(line, " keys - elapse ")) take_thread(line, at)
      else if (index(line, " reply error!") || index(line, " reply is NULL!")) reply_errors++
      # Most other lines are histograms: one test skips them. It has the texts of all branches below.
    } else if (line !~ / threads (started|finished) - |key_count| : Complete\.|^Histogram saved/) continue
    else if (index(line, " threads started - ")) phase_open(line)
    else if (index(line, " threads finished - ")) phase_close(line)
    else if (index(line, "key_count")) {
      sections++
      split(line, f, " ")
      section["servers"] = f[3]
      section["len"] = f[9]
      if (!text_is_count(f[3]) || !text_is_count(f[9])) problem = problem "; the line with key_count is truncated"
    } else if (index(line, " : Complete.")) completes++
    else if (substr(line, 1, 24) == "Histogram saved to file " && phases && current == "") {
      line = substr(line, 25)
      sub(/[ \r]+$/, "", line)
      sub(/.*\//, "", line)
      # Only files with such names were checked (lib/core/stored.sh).
      if (line ~ /^histogram|\.hgrm$/) phase[phases, "histogram"] = line
    }
  }
  close(file)
  if (status < 0) {
    problem = "; cannot be read"
    return
  }
  if (!sections) problem = "; not a log of a load generator: no line with threads and key_count"
  else if (current != "") problem = problem "; phase " current " has no 'threads finished' line: the log is truncated"
  else if (!phases && problem == "") problem = "; has no finished phase"
  else if (completes < sections && problem == "") problem = "; has no 'Complete.' line: the log is truncated"
}
