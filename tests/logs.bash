# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Make load generator logs, histograms and runs with known figures, for tests of code that reads results.

# Begin a test of what is drawn of a run.
# Usage: drawn_setup   Sets: RUN, the run's directory   Returns: 0
drawn_setup() {
  scratch_setup
  need_command gnuplot
  RUN=20250101T100000Z-x
}

# One block of a gnuplot file, numbered from 0, without empty lines: block FILE NUMBER
block() {
  awk -v want="$2" '/^$/ { empty++; next } { if (empty >= 2) n++; empty = 0 } n == want { print }' "$1"
}

# Put a stand-in for gnuplot in front of the PATH, which draws nothing: a test of the page's text needs no plots, and they take most of a report's time.
# Usage: drawn_blank   Exports: PATH   Returns: 0
drawn_blank() {
  mkdir "$SCRATCH/blank"
  cat >"$SCRATCH/blank/gnuplot" <<'GNUPLOT'
#!/bin/sh
# Called as -c DIR/data/commands.
cd -- "${2%/data/commands}" || exit
cut -f 2 data/jobs | while read -r name; do
  : >"$name.png"
  echo "<svg><title>t</title><desc>d</desc></svg>" >"$name.svg"
  echo "$name"
done
GNUPLOT
  chmod 755 "$SCRATCH/blank/gnuplot"
  PATH=$SCRATCH/blank:$PATH
}

# Print a log of the guide's format: every thread takes SECONDS, but the middle one takes 731204 us more.
# Usage: log_make LEN KEYS THREADS PHASE:SECONDS...   Returns: 0
log_make() {
  local len=$1 keys=$2 threads=$3 phase op us thread
  shift 3
  printf '====> SERVER system -\nRunning NATIVE\n\nthreads = %d start_port = 6379 value_len = %d key_count = %d\n' "$threads" "$len" "$keys"
  printf 'Tue May  1 10:00:00 2018 : value(s) allocated, connecting\n'
  for phase; do
    op=${phase%%:*}
    printf 'Tue May  1 10:00:01 2018 : %d threads started - %s\n' "$threads" "$op"
    for ((thread = 0; thread < threads; thread++)); do
      us=$((${phase#*:} * 1000000 + (thread == threads / 2 ? 731204 : -5000 + thread)))
      printf 'Thread %3d: port %d %s %d keys - elapse %d usecs , max time %d , average 257 , max average 301\n' \
        "$thread" $((6379 + thread)) "$op" "$keys" "$us" $((40000 + thread))
    done
    printf 'Tue May  1 10:10:00 2018 : %d threads finished - %s\n' "$threads" "$op"
    printf 'Histogram saved to file histogram-%s-a1B2c3\n' "$op"
  done
  printf 'Tue May  1 10:20:00 2018 : Complete.\n'
}

# Print the result.tsv that matches such a log, with the given P50 and P99; other values are arbitrary.
# Usage: tsv_make LEN KEYS THREADS P50 P99 PHASE:SECONDS...   Returns: 0
tsv_make() {
  local len=$1 keys=$2 threads=$3 p50=$4 p99=$5 phase us ops
  shift 5
  printf 'operation\thost\tport\tinstances\tthreads\tconnections\tpipeline\trate\tlen\tkeys\tstart_us\telapsed_us\tmax_time_us\tops\tops_per_sec\tbytes'
  printf '\tavg_us\tp50_us\tp90_us\tp99_us\tp99_9_us\tp99_99_us\tmax_us\terrors\tmisses\tclient_limited\tclient_cpu_us\tversion\n'
  for phase; do
    us=$((${phase#*:} * 1000000 + 731204)) ops=$((threads * keys))
    printf '%s\t127.0.0.1\t6379\t%d\t%d\t1\t1\t0\t%d\t%d\t1700000000000000\t%d\t%d\t%d\t%d\t%d' \
      "${phase%%:*}" "$threads" "$threads" "$len" "$keys" "$us" "$us" "$ops" $((ops * 1000000 / us)) $((ops * len))
    printf '\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t0\t0\t0\t%d\t1.0\n' "$p50" "$p50" $((p50 + 1)) "$p99" $((p99 + 10)) $((p99 + 20)) $((p99 + 30)) $((ops * 20))
  done
}

# Print a histogram table of one thread.
# Usage: histogram_make US:COUNT...   Returns: 0
histogram_make() {
  printf 'us 0 total\n'
  printf '%s\n' "$@" | awk -F: '{ us[NR] = $1; n[NR] = $2; all += $2 }
    END { for (i = 1; i <= NR; i++) { sum += n[i]; printf "%d %d %d %.3f\n", us[i], n[i], n[i], 100 * sum / all } }'
}

# Make one client's directory of a repeat, with log and result.tsv.
# Usage: repeat_make RUN VARIANT POINT REPEAT CLIENT LEN KEYS THREADS P50 P99 PHASE:SECONDS...   Returns: 0
repeat_make() {
  local folder=$1/$2/$3/rep-$4/$5 name=redis.log.$5.20250101-100000.$4
  shift 5
  mkdir -p "$folder"
  log_make "$1" "$2" "$3" "${@:6}" >"$folder/$name"
  tsv_make "$@" >"$folder/result.tsv"
}

# Make settings.tsv of a run from its run.conf and its VARIANT/variant.conf, as if the command line had set those of OVER.
# Usage: settings_make RUN [LINE]...   LINE: of a new run.conf   Returns: 0
settings_make() {
  local file
  local -a files=()
  (($# == 1)) || printf '%s\n' "${@:2}" >"$1/run.conf"
  for file in "$1"/run.conf "$1"/*/variant.conf; do [[ ! -e $file ]] || files+=("$file"); done
  awk -v OFS='\t' '
    BEGIN { print "variant", "point", "name", "value", "from" }
    /^[A-Z]/ {
      name = value = $0
      sub(/=.*/, "", name)
      sub(/^[^=]*=/, "", value)
      gsub(/^[\042(]|[\042)]$/, "", value)
      n = split(FILENAME, part, "/")
      if (name == "OVER") over = " " value " "
      else print part[n] == "run.conf" ? "-" : part[n - 1], "-", name, value, index(over, " " name " ") ? "command line" : "x.conf"
    }' "${files[@]}" >"$1/settings.tsv"
}

# Print the rows of counters.tsv that say what a tier is.
# Usage: tier_rows PHASE TIER
tier_rows() {
  printf '%s\ttier\ttier\t-\t%s\n' "$@"
  sed -nE "s/^# (Is|Verify|Price): (.*)/$1\ttier\t\L\1\E\t-\t\2/p" "$REPO/lib/tier/$2.sh"
}

# Make the server's directory of a repeat: counters of the phases set and get, in the form of the monitors, and INFO of one instance.
# Usage: server_make REPEAT_DIR TIER PLACEMENT SWAPPED_BYTES WAITS   Returns: 0
#   each phase has 2,000,000 calls and WAITS waits for a page from swap; the instance has 1,000 keys in 100 MiB
server_make() {
  local phase
  mkdir -p "$1/server"
  {
    printf 'phase\tscope\tcounter\tbefore\tafter\n'
    for phase in set get; do
      printf "$phase"'\t%s\n' $'6379\tmajflt\t1000\t'$((1000 + $5)) $'6379\tcalls\t0\t2000000' $'6379\tused_memory\t0\t104857600' $'6379\trss\t0\t115343360' \
        $'6379\tswap\t0\t'"$4" $'tier\tdata_bytes\t0\t104857600' $'tier\tfar_bytes\t0\t'"$4" $'tier\tplacement\t-\t'"$3"
      tier_rows "$phase" "$2"
    done
  } >"$1/server/counters.tsv"
  printf '### instance 6379\r\nused_memory:104857600\r\nused_memory_rss:115343360\r\ndb0:keys=1000,expires=0,avg_ttl=0\r\n' >"$1/server/info.after"
}

# Run a command with another awk than that of this machine.
# Usage: with_awk AWK COMMAND...   Returns: that of the command
with_awk() {
  mkdir -p "$SCRATCH/with-$1"
  ln -sf "$(command -v "$1")" "$SCRATCH/with-$1/awk"
  PATH=$SCRATCH/with-$1:$PATH "${@:2}"
}
