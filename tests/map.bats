#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Latency over time as a heat map: what it counts, where it has no data, its marks and its scales.

load helper
load logs

setup() {
  drawn_setup
  mkdir -p "$RUN"
  cp -r "$REPO"/results/sample/{native,swap,plan.tsv,run.conf,settings.tsv} "$RUN"
  FOLDER=$RUN/swap/1000B-2i/rep-1
}

@test "a map counts each request of a phase, at its time and latency; between phases it has no data; all variants share the scales" {
  succeeds run_split "$REPO/do_it.sh" report "$RUN"
  assert_equal "$STDERR" ''
  assert_exists "$RUN"/plots/map-1-{1,2}.{svg,png}
  refute_exists "$RUN"/plots/map-1-2-1.svg
  # As rows of a comparison, which name the base.
  succeeds run modules 'mkdir data; result_rows "$1" >data/rows; result_add_up <data/rows >data/totals
    sed -i "1s/\$/\tbase/; 2,\$s/\$/\tnative/" data/rows data/totals
    _plot_data data' "$RUN"
  output_of_plots=$output
  assert_match $'\nmap\tmap-1-2-1\tLatency over time, swap minus native at 1000B-2i, first repeat\t'
  # The difference of each cell; without data where a side has none.
  prints '0 1 1 1' run awk -F '\t' '
    FNR == 1 { file++ }
    NF < 3 { nextfile }
    { cell[file, FNR] = $3; if (FNR > n) n = FNR }
    END {
      for (i = 1; i <= n; i++) {
        is_known = cell[1, i] != "-" && cell[2, i] != "-"
        away = cell[3, i] - (cell[2, i] - cell[1, i])
        if (is_known == (cell[3, i] == "-") || is_known && (away > 1 || away < -1)) wrong++
        less += cell[3, i] < 0; more += cell[3, i] > 0; none += !is_known
      }
      print wrong + 0, (less > 0), (more > 0), (none > 0)
    }' data/map-1-{1,2,2-1}.dat
  assert_equal "$(grep -P '^map\tmap-1-[12]\t' <<<"$output_of_plots" | cut -f 4,5,6 | sed 's/\(\S* \S* \S*\) .*/\1/' | sort -u | wc -l)" 1
  # The phase get is the last one: its requests, and the max of its latency, to a slot.
  prints '1 1 1' run awk -F '\t' '
    FNR == 1 { file++ }
    file == 1 && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    file == 1 && $1 == "get" { ops = $at["ops"]; most = log($at["max_us"]) / log(10) }
    file == 1 && $1 == "populate" { zero = $at["start_us"] }
    file == 1 && $1 == "get" { from = ($at["start_us"] - zero) / 1e6 }
    file == 2 && NF == 0 { exit }
    file == 2 && $3 == "-" { gap[$1] = 1 }
    file == 2 && $1 != last { if (last != "") width = $1 - last; last = $1 }
    file == 2 && $1 > from && $3 > 0 { sum += $3; if ($2 > top) top = $2 }
    END {
      for (i in gap) gaps++
      print (gaps > 0 && gaps < 30), (sum * width / ops > 0.98 && sum * width / ops < 1.02), (top - most < 0.03 && most - top < 0.03)
    }' "$FOLDER/127.0.0.1/result.tsv" data/map-1-2.dat
}

@test "an event of a variant is a mark on its map alone; a log that is damaged is named, and all else is drawn" {
  start=$(awk -F '\t' '$1 == "get" { print $3 }' "$FOLDER/starts.tsv")
  printf '%s\n' $'time_us\tnode\tevent\tdetail' $((start + 2000000))$'\t1\tnode down\tkill' >"$FOLDER/server/events.tsv"
  sed -i '7s/HISTFAAA/HISTFXXX/' "$RUN/native/1000B-2i/rep-1/127.0.0.1/set.hlog"
  fails 1 run_split "$REPO/do_it.sh" report "$RUN"
  assert_match "^report: $RUN/native/1000B-2i/rep-1/127.0.0.1/set.hlog: line 7: its histogram is damaged, or of another program$" "$STDERR"
  assert_exists "$RUN"/plots/map-1-{1,2}.svg "$RUN"/plots/time-1.svg
  assert_equal "$(grep -c '<text>node down' "$RUN"/plots/map-1-{1,2}.svg)" "$RUN/plots/map-1-1.svg:0"$'\n'"$RUN/plots/map-1-2.svg:1"
}

@test "the axis of bars of p99 is in µs, ms or s, without powers of ten" {
  need_command gnuplot
  printf '1\tnative\n' >x.dat.names
  while read -r p99 unit; do
    printf '1\t%s\t%s\t%s\t\n\n\n1\tpoint\n' "$p99" "$p99" "$p99" >x.dat
    gnuplot -c "$REPO/lib/results/plot/bars.gp" x.dat "$PWD/tail-1" title corner 1 1 "$REPO/lib/results/plot/style.gp" 1
    assert_contains "p99 latency ($unit)" "$(<tail-1.svg)"
    refute_contains 'e+0' "$(grep -o '<text>[^<]*' tail-1.svg)"
  done <<<$'90 µs\n15000 ms\n6060769 s'
}
