#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Plots of throughput and memory against p99: which points a line joins, and limits.

load helper

# Make the data of the plots from totals on stdin, in columns between blanks: variant, rank, point, instances, sweep (with _ for a blank), dram_ratio,
# ops_per_sec, p99_us, dram_bytes in MiB, cost_per_kops and limit; - is an empty cell. Print the plots to draw.
frontier_make() {
  rm -rf data
  mkdir data
  awk -v OFS='\t' '
    BEGIN { print "variant", "variant_rank", "point", "servers", "sweep", "dram_ratio", "ops_per_sec", "p99_us", "dram_bytes", "cost_per_kops", "limit", "operation", "len", "repeat", \
      "run", "run_folder", "discarded", "search", "search_holds", "capacity_ops_per_sec", "client_limited", "rate", "window_ops_per_sec", "unanswered", "at_least_us" }
    {
      for (i = 1; i <= NF; i++) if ($i == "-") $i = ""
      gsub(/_/, " ", $5)
      if ($9 != "") $9 *= 1048576
      print $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "get", 1000, 1, "", "", "", "", "", "", "", "", "", "", ""
    }' >data/totals
  head -n 1 data/totals >data/rows
  modules '_plot_data data' | tee data/jobs | cut -f 2,3,8
}

@test "DRAM against p99: a line per variant and order of keys, with dashed limits; without a share that varies there is none" {
  frontier_make >shown <<'END'
native 1 a 2 1:1,_uniform 1:1 90000 100 200 - -
native 1 b 2 1:4,_uniform 1:4 91000 101 201 - -
swap 2 a 2 1:1,_uniform 1:1 80000 110 200 - -
swap 2 b 2 1:4,_uniform 1:4 30000 900 50 - -
swap 2 c 2 1:1,_zipf 1:1 80000 110 200 - -
swap 2 d 2 1:4,_zipf 1:4 60000 300 60 - p99<=2ms
END
  assert_equal "$(grep -E '^(tradeoff|frontier)' shown | cut -f 1,2)" $'tradeoff-1\tThroughput against p99 latency, get\nfrontier-1\tDRAM against p99 latency, get'
  assert_equal "$(cut -f 1-2 data/frontier-1.dat)" $'200\t100\n201\t101\n\n\n200\t110\n50\t900\n\n200\t110\n60\t300\n\n\n2000'
  assert_equal "$(sed -n '/frontier-1/p' data/jobs | cut -f 4-6)" $'2\t100\t20 1 dram'
  assert_equal "$(cut -f 3-4 data/frontier-1.dat | sed -n 1,2p)" $'a\t-\n-\t-'
  # Each point has its mark; lines of throughput join no shares.
  assert_equal "$(cut -f 1-2 data/tradeoff-1.dat | sed -n 1,3p)" $'90000\t100\n\n91000\t101'
  frontier_make >shown <<'END'
native 1 a 1 - - 90000 100 100 - -
native 1 b 2 - - 91000 101 200 - -
swap 2 a 1 - - 80000 110 50 - -
END
  assert_equal "$(grep -cE '^frontier' shown)" 0
  # With prices, the cost; a limit of the command line counts once.
  RULES=$'p99<=2ms\navg<=1ms' frontier_make >shown <<'END'
swap 1 a 2 1:1 1:1 80000 110 200 3.5 p99<=2ms
swap 1 b 2 1:4 1:4 30000 900 50 1.25 p99<=2ms
END
  assert_equal "$(cut -f 1-2 data/frontier-1.dat)" $'3.5\t110\n1.25\t900\n\n\n2000'
  assert_contains $'\nfrontier-1\tCost of memory against p99 latency, get' "$(<shown)"
}

@test "rates are joined by a line for each number of instances, and gnuplot draws both plots without a word" {
  need_command gnuplot
  frontier_make >shown <<'END'
native 1 a 1 rate_1000 - 1000 100 10 - -
native 1 b 1 rate_2000 - 2000 110 10 - -
native 1 c 2 rate_1000 - 1000 90 20 - -
native 1 d 2 rate_2000 - 2000 95 40 - p99<=50us
END
  assert_equal "$(cut -f 1-2 data/tradeoff-1.dat)" $'1000\t100\n2000\t110\n\n1000\t90\n2000\t95\n\n\n50'
  frontier_make >/dev/null <<'END'
swap 1 a 2 1:1 1:1 80000 110 200 - -
swap 1 b 2 1:4 1:4 30000 900 50 - p99<=2ms
END
  succeeds run_split modules 'plot_all "$PWD"'
  assert_equal "$STDERR" ''
  assert_contains '>limit<' "$(<frontier-1.svg)"
  assert_contains '>DRAM of the instances (MiB)<' "$(<frontier-1.svg)"
  assert_exists frontier-1.png tradeoff-1.png
}
