# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The trials of a ledger (lib/results/ledger.sh): what they ran on, how far they are, and the verdict.

# Print a setting of a side.
# Usage: trials_setting LEDGER SIDE NAME
trials_setting() {
  sed -n "s/^$3=\"\\(.*\\)\"\$/\\1/p" "$1/$2/variant.conf"
}

# Print what a trial ran on, from the description of its first server: kernel, boot and Redis, separated by tabs.
# Usage: trials_facts RUN SERVER
trials_facts() {
  local REPLY
  hosts_folder "$1/env" "${2%% *}"
  LC_ALL=C awk -F '\t' '
    { is[$1] = $2 }
    function known(name) { return is[name] == "" || is[name] == "-" ? "unknown" : is[name] }
    END { print known("kernel.release") FS known("kernel.boot") FS known("redis.version") " " known("redis.build") }' "$REPLY/env.tsv" 2>/dev/null ||
    printf 'unknown\tunknown\tunknown\n'
}

# Print how the command line of the kernel of a run differs from that of an earlier one, in any order of its words; nothing if one is not known.
# Usage: trials_booted RUN RUN SERVER
#   the earlier one is the second
trials_booted() {
  local folder REPLY
  local -a files=()
  for folder in "$1" "$2"; do
    hosts_folder "$folder/env" "${3%% *}"
    files+=("$REPLY/env.tsv")
  done
  { cat -- "${files[@]}" 2>/dev/null || :; } | LC_ALL=C awk -F '\t' '
    # The words of one text that another one does not have.
    function only(text, other,    n, word, i, found) {
      n = split(text, word, " ")
      for (i = 1; i <= n; i++) if (!index(" " other " ", " " word[i] " ")) found = found (found == "" ? "" : " ") word[i]
      return found
    }
    $1 == "kernel.cmdline" && $2 != "-" { text[++known] = $2 }
    END {
      is = only(text[1], text[2])
      was = only(text[2], text[1])
      if (known == 2 && is was != "") print "its kernel was started with \"" is "\", and had \"" was "\""
    }'
}

# Whether two runs differ in no setting but LABEL, and not in kernel, programs and hardware of their hosts: swap of others, for example, comes and goes.
# Usage: trials_alike RUN RUN
trials_alike() {
  local folder where
  local -a lines=()
  for folder in "$1"/env/*/; do
    folder=${folder%/} where=${folder##*/}
    lines+=("one"$'\t'"two"$'\t'"$where"$'\t'"$folder/env.tsv"$'\t'"$2/env/$where/env.tsv")
  done
  lines+=("one"$'\t'"two"$'\t'"setting"$'\t'"$1/run.conf"$'\t'"$2/run.conf")
  # What a run does not describe may differ.
  ! printf '%s\n' "${lines[@]}" | compare_environment | awk -F '\t' '
    $1 == "differs" && ++n <= 3 || $4 == "setting" && $5 ~ /^(LABEL|SCENARIO|OVER)$/ { next }
    $1 == "differs" && $4 != "setting" && $5 !~ /^(cpu|kernel|machine|memory|nic|os|redis|thp|vulnerability)[.]/ { next }
    { found = 1 }
    END { exit !found }'
}

# Print the state of the ledger that was read.
# Usage: trials_state LEDGER
trials_state() {
  printf 'ledger   %s\nsides    %s (base) and %s\ntrials   %d of %d; pairs in random order, seed %s\n\n' "$1" "${LEDGER_SIDES[@]}" "$LEDGER_DONE" "${#LEDGER_ROWS[@]}" "$LEDGER_SEED"
  {
    printf 'trial\tpair\tside\trun\tkernel\tRedis\n'
    printf '%s\n' "${LEDGER_ROWS[@]}" | cut -f 1-5,7
  } | table_print | stored_plain
}

# Print the verdict on the ledger that was read, as a text of 72 columns.
# Usage: trials_verdict LEDGER
# Returns: 1 if a trial is missing or changed, or a result could not be read completely
trials_verdict() {
  local ledger=$1 row trial side run sections status=0 SMALLEST
  for row in "${LEDGER_ROWS[@]}"; do
    IFS=$'\t' read -r trial _ side run _ <<<"$row"
    verify_show "$ledger/runs/$run" >/dev/null 2>&1 ||
      die "trial $trial of $side: $ledger/runs/$run: missing or changed since it was counted; restore it: ./do_it.sh verify prints what changed"
  done
  SMALLEST=$(trials_setting "$ledger" "${LEDGER_SIDES[0]}" SMALLEST)
  sections=$(compare_sections "$ledger") || status=1
  compare_prose notes 'ab: ' <<<"$sections" >&2
  # SCENARIO differs in any case: it is the name of the file of each side.
  compare_differences 'ab: differs: ' <<<"$sections" | grep -v ' setting, SCENARIO: ' >&2 || :
  {
    for side in "${LEDGER_SIDES[@]}"; do _trials_side "$side"; done
    printf '\n'
    compare_prose verdict '' <<<"$sections"
  } | stored_plain | copy_text "${LEDGER_SIDES[1]} against ${LEDGER_SIDES[0]}: $((${#LEDGER_ROWS[@]} / 2)) pairs of trials in random order (seed $LEDGER_SEED)" "$sections"
  return "$status"
}

# Print what a side ran on.
# Usage: _trials_side SIDE
_trials_side() {
  printf '%s\n' "${LEDGER_ROWS[@]}" | awk -F '\t' -v side="$1" '
    $3 "" == side "" { kernel = $5; redis = $7; if (!($6 in seen)) { seen[$6] = 1; boots++ } }
    END { print side ": Redis " redis ", Linux " kernel ", " boots (boots == 1 ? " boot" : " boots") }'
}
