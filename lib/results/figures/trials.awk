# SPDX-License-Identifier: MIT
# Give rows of the trials of a ledger (lib/results/ledger.sh) its names: the ledger is the run, the side is the variant, and repeat R in the trial of
# pair P is the repeat P.R. Input: the lines of ledger_expand, then the rows. Rows of other runs stay as they are.

BEGIN { FS = OFS = "\t" }

FNR == NR {
  folder[$1] = $2
  side[$1] = $3
  rank[$1] = $4
  pair[$1] = $5
  next
}

FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }

FNR > 1 && (trial = text_unescape($at["run_folder"])) in folder {
  name = folder[trial]
  sub(/.*\//, "", name)
  $at["run"] = text_escape(name)
  $at["run_folder"] = text_escape(folder[trial])
  $at["variant"] = side[trial]
  $at["variant_rank"] = rank[trial]
  $at["repeat"] = pair[trial] "." $at["repeat"]
}

{ print }
