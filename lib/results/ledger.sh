# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The ledger of an A/B comparison (lib/cmd/ab.sh): the settings of two sides, the order of their trials, and the trials, which are runs.
# Readers of results take a ledger for a run whose variants are the sides. A pair of trials is a repeat.
#   ledger.tsv         the order, a row for each trial; the run of a trial is `-` until it counts
#   SIDE/variant.conf  every setting of a side
#   hosts              the hosts file, if there is one
#   runs/              runs, also those that do not count

readonly LEDGER_COLUMNS=$'trial\tpair\tside\trun\tkernel\tboot\tredis'

LEDGER_SEED=    # of the order
LEDGER_SIDES=() # names of the sides, the base first
LEDGER_ROWS=()  # rows of the trials
LEDGER_DONE=0   # how many trials count; the others follow them
LEDGER_PATHS=() # of ledger_expand

# Whether a path is a ledger.
# Usage: ledger_is PATH
ledger_is() {
  [[ -f $1/ledger.tsv && ! -L $1/ledger.tsv ]]
}

# Read a ledger. Sides may be named like versions: 6.1 and 6.10 are the same number.
# Usage: ledger_read LEDGER
# Returns: sets LEDGER_SEED, LEDGER_SIDES, LEDGER_ROWS and LEDGER_DONE; exits 2 if its file is truncated or changed
ledger_read() {
  local file=$1/ledger.tsv bad one two REPLY
  file_read "$file" || die_usage "$file: $REPLY; restore the file, or start a new comparison"
  bad=$(COLUMNS_ARE=$LEDGER_COLUMNS LC_ALL=C awk -F '\t' '
    function bad(    k) {
      if (NR == 1) return !/^# seed [0-9]+, [0-9]+ trials of [A-Za-z0-9][A-Za-z0-9._-]* and [A-Za-z0-9][A-Za-z0-9._-]*$/
      if (NR == 2) return $0 != ENVIRON["COLUMNS_ARE"]
      if (NF != 7 || $1 != NR - 2 || $2 != int((NR - 1) / 2) || $3 "" != side[1] "" && $3 "" != side[2] "") return 1
      # The second of a pair is of the other side.
      if ($1 % 2 == 0 && $3 "" == before "") return 1
      for (k = 4; k <= 7; k++) if ($k == "" || k == 4 && $k !~ /^(-|[0-9][A-Za-z0-9._+-]*)$/) return 1
      return $4 != "-" && open
    }
    bad() { found = NR; exit }
    NR == 1 { split($0, word, " "); trials = word[4]; side[1] = word[7]; side[2] = word[9] }
    { before = $3; open = $4 == "-" }
    END { print found ? found : NR != trials + 2 || trials < 2 || trials % 2 ? NR : "" }' <<<"${REPLY%$'\n'}")
  [[ -z $bad && $REPLY == *$'\n' ]] || die_usage "$file:${bad:-end}: truncated or changed; restore the file, or start a new comparison"
  mapfile -t LEDGER_ROWS <<<"${REPLY%$'\n'}"
  read -r _ _ LEDGER_SEED _ _ _ one _ two <<<"${LEDGER_ROWS[0]}"
  LEDGER_SEED=${LEDGER_SEED%,} LEDGER_SIDES=("$one" "$two")
  LEDGER_ROWS=("${LEDGER_ROWS[@]:2}")
  for ((LEDGER_DONE = 0; LEDGER_DONE < ${#LEDGER_ROWS[@]}; LEDGER_DONE++)); do
    IFS=$'\t' read -r _ _ _ REPLY _ <<<"${LEDGER_ROWS[LEDGER_DONE]}"
    [[ $REPLY != - ]] || break
  done
}

# Print the file of a ledger.
# Usage: ledger_print SEED SIDE SIDE ROW...
ledger_print() {
  printf '# seed %s, %d trials of %s and %s\n%s\n' "$1" $(($# - 3)) "$2" "$3" "$LEDGER_COLUMNS"
  printf '%s\n' "${@:4}"
}

# Print the rows of trials in a balanced random order: of a pair the first side is random, and of two pairs each side is first in one, so that a steady
# drift cancels.
# Usage: ledger_order SEED PAIRS SIDE SIDE
ledger_order() {
  LC_ALL=C awk -v seed="$1" -v pairs="$2" -v one="$3" -v two="$4" '
    # The generator of Park and Miller, whose products are exact in every awk. Seeds that are near each other begin alike.
    function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    function trial(side) { print ++trials, pair, side, "-", "-", "-", "-" }
    BEGIN {
      OFS = "\t"
      for (pair = 1; pair <= 10; pair++) random()
      for (pair = 1; pair <= pairs; pair++) {
        first = pair % 2 ? random() < 0.5 : !first
        trial(first ? one : two)
        trial(first ? two : one)
      }
    }'
}

# Print the run of the first trial of a side that counts.
# Usage: ledger_run LEDGER SIDE
ledger_run() {
  RUNS=$1/runs SIDE=$2 awk -F '\t' '$3 "" == ENVIRON["SIDE"] "" && $4 != "-" { print ENVIRON["RUNS"] "/" $4; exit }' <"$1/ledger.tsv"
}

# Replace each ledger by the runs of its trials that count.
# Usage: ledger_expand PATH...
# Returns: sets LEDGER_PATHS, and REPLY to a line for each trial: its run, the ledger (both as real paths), side, rank of the side, pair
ledger_expand() {
  local path row real pair side run lines=''
  LEDGER_PATHS=()
  for path; do
    if ! ledger_is "$path"; then
      LEDGER_PATHS+=("$path")
      continue
    fi
    ledger_read "$path"
    real=$(cd -- "$path" && pwd -P) || real=$path
    for row in "${LEDGER_ROWS[@]:0:LEDGER_DONE}"; do
      IFS=$'\t' read -r _ pair side run _ <<<"$row"
      LEDGER_PATHS+=("${path%/}/runs/$run")
      lines+="$real/runs/$run"$'\t'"$real"$'\t'"$side"$'\t'$([[ $side == "${LEDGER_SIDES[0]}" ]] && echo 1 || echo 2)$'\t'"$pair"$'\n'
    done
  done
  REPLY=$lines
}

# Print how many trials of a ledger are left; nothing after the last one.
# Usage: ledger_left LEDGER
ledger_left() {
  ledger_read "$1"
  ((LEDGER_DONE == ${#LEDGER_ROWS[@]})) ||
    printf '%s: %d of %d trials: a look before the last one finds differences that do not exist\n' "$1" "$LEDGER_DONE" "${#LEDGER_ROWS[@]}"
}
