# SPDX-License-Identifier: MIT
# Write the files of runs whose noise is known, for directories DIR/run-R/native/1000B-2i/rep-S/127.0.0.1 that exist.
#
# Usage: awk -f random.awk -f noise.awk -v dir=DIR -v seed=N -v runs=2 -v starts=8 -v phases=3 -v seconds=30 [-v slower=0.1] -v model='RUN START PHASE SECOND ALIKE UNIT OTHER'
#   model: standard deviations of logarithms by run, start, phase and second, the correlation of neighbouring seconds, and the standard deviations of an
#   instance: the same in every start, and other ones in every start
#   slower: in every third start other programs take a whole CPU, and all figures are worse by this part

function word_of(phase) {
  return phase == 1 ? "get" : "get-" phase
}

# Write a phase; sets the lines of log and result.tsv. LEVEL[figure] is what its figures have in common with others.
function phase_make(out, phase, level,    t, i, f, file, x, ops, rate, sum, line, us, tail, share, all) {
  file = out "/" phase ".series.tsv"
  print "time_s\tops\terrors\tmisses\tbytes\tp50_us\tp99_us\tp99_9_us\tmax_us" >file
  us = seconds * 1000000
  rate = 100000 * exp(level["ops"])
  for (f = 1; f <= 3; f++) neighbour[f] = gauss()
  for (t = 1; t <= seconds; t++) {
    for (f = 1; f <= 3; f++) {
      if (t > 1) neighbour[f] = part[5] * neighbour[f] + sqrt(1 - part[5] * part[5]) * gauss()
      x[f] = part[4] * neighbour[f]
    }
    ops = int(rate * (1 + x[1]))
    all += ops
    sum += x[2] / seconds
    tail += x[3] / seconds
    print t ".000", ops, 0, 0, 0, 30 * exp(level["p50"] + x[2]), 200 * exp(level["p99"] + x[3]), 300, 400 >file
  }
  close(file)
  file = out "/" phase ".instances.tsv"
  print "ports\tthreads\telapsed_us\tops\tsets\tmisses\terrors\tbytes\twire_bytes\tavg_us\tp50_us\tp99_us\tp99_9_us\tmax_us" >file
  for (i = 0; i < 2; i++) print 6379 + i, 1, us, int(all / 2 * exp(unit[i] + other[i])), 0, 0, 0, 0, 0, 30, 30, 200, 300, 400 >file
  close(file)
  line = phase "\t127.0.0.1\t6379\t2\t1\t1\t1\t0\t1000\t" int(all) "\t1700000000000000\t" us "\t" us "\t" all "\t" all / seconds "\t" all * 1000
  tsv = tsv line "\t30\t" 30 * exp(level["p50"] + sum) "\t50\t" 200 * exp(level["p99"] + tail) "\t300\t400\t500\t0\t0\t0\t1000000\t1.0\n"
  text = text "x : 1 threads started - " phase "\n" sprintf("Thread   0: port 6379 %s %d keys - elapse %d usecs , max time 400 , average 30 , max average 30\n", phase, all, us) \
    "x : 1 threads finished - " phase "\n"
}

BEGIN {
  # Numbers that begin alike soon differ.
  for (i = 1; i <= 10; i++) uniform()
  OFS = "\t"
  OFMT = CONVFMT = "%.17g"
  split(model, part, " ")
  n = split("ops p50 p99", figure, " ")
  for (r = 1; r <= runs; r++) {
    for (f = 1; f <= n; f++) of_run[figure[f]] = part[1] * gauss()
    if (r == 1) for (i = 0; i < 2; i++) unit[i] = part[6] * gauss()
    for (s = 1; s <= starts; s++) {
      out = dir "/run-" r "/native/1000B-2i/rep-" s "/127.0.0.1"
      busy = slower > 0 && s % 3 == 2
      for (f = 1; f <= n; f++) of_start[figure[f]] = of_run[figure[f]] + part[2] * gauss() + busy * (f == 1 ? -slower : slower)
      for (i = 0; i < 2; i++) other[i] = part[7] * gauss()
      text = "====> SERVER system -\nRunning NATIVE\n\nthreads = 1 start_port = 6379 value_len = 1000 key_count = 1\nx : value(s) allocated, connecting\n"
      tsv = "operation\thost\tport\tinstances\tthreads\tconnections\tpipeline\trate\tlen\tkeys\tstart_us\telapsed_us\tmax_time_us\tops\tops_per_sec\tbytes\tavg_us\tp50_us\tp90_us" \
        "\tp99_us\tp99_9_us\tp99_99_us\tmax_us\terrors\tmisses\tclient_limited\tclient_cpu_us\tversion\n"
      for (p = 1; p <= phases; p++) {
        for (f = 1; f <= n; f++) level[figure[f]] = of_start[figure[f]] + part[3] * gauss()
        phase_make(out, word_of(p), level)
      }
      file = out "/../foreign.tsv"
      print "phase\thost\tcpus\tseconds\tused_us\tall_us\tours_us\tsteal_us\tforeign_cpu_percent\tsteal_percent\tlimit_percent\tover\tthrottled_us\tthrottled_periods" >file
      for (p = 1; p <= phases; p++) print word_of(p), "127.0.0.1", "1700000000000000" >(out "/../starts.tsv")
      close(out "/../starts.tsv")
      for (p = 1; p <= phases; p++) print word_of(p), "127.0.0.1", 2, seconds, 0, 0, 0, 0, 100 * busy + int(60 * uniform()) / 10, int(30 * uniform()) / 10, 100, 0, 0, 0 >file
      close(file)
      printf "%s", tsv >(out "/result.tsv")
      printf "%sx : Complete.\n", text >(out "/redis.log.127.0.0.1.20250101-100000." s)
      close(out "/result.tsv")
      close(out "/redis.log.127.0.0.1.20250101-100000." s)
    }
  }
}
