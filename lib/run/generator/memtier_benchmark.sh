# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What lib/run/generator/peer.sh needs to know about memtier_benchmark: options for the same keys as ./test, and how to read its JSON.
#
# memtier_benchmark counts latency in slots of 8 us and more, and prints misses as a rate with two decimals. It keeps a rate in up to 50
# bursts a second, and does not catch up after a stall of the server. Its own time and rate are not used. It averages the end times of its
# connections, whole seconds and fractions separately, so it is off by up to a second when they end in different seconds.

# Print the name and version of memtier_benchmark.
# Usage: adapter_version
adapter_version() {
  run_limited 10 memtier_benchmark --version | awk 'NR == 1 { sub(/^v=/, "", $2); print $1, $2 }'
}

# Each connection makes the same number of requests.
adapter_each() {
  local connections=$((CONNECTIONS * THREADS))
  echo $((($1 + connections - 1) / connections * connections))
}

# Become the load of a phase on the instance of a port.
# Usage: adapter_load PHASE PORT STEM
#   STEM is the beginning of the names of its files: STEM.json, STEM.out and STEM.err
# Globals: those that lib/run/generator/peer.sh lists
adapter_load() {
  local phase=$1 port=$2 stem=$3 connections=$CONNECTIONS threads=$THREADS ratio=1:0 pipeline=$PIPELINE pattern=$PATTERN letter given part
  local -a words=(--hide-histogram --json-out-file "$stem.json" --server "$HOST" --port "$port" --authenticate peer:none --data-size "$SIZE")
  # Keys are the numbers from 0 on after KEY_PREFIX, as ./test names them. Without --distinct-client-seed every connection would request the
  # same keys at the same time.
  words+=(--key-prefix "$PREFIX" --key-maximum $((KEYS - 1)) --distinct-client-seed)
  [[ $DATA != random ]] || words+=(--random-data)
  [[ $phase != populate ]] || pattern=sequential
  case $pattern in
    uniform) letter=R ;;
    gaussian*)
      letter=G given=${pattern#gaussian}
      given=${given#:}
      words+=(--key-stddev "${given:-$(awk -v keys="$KEYS" 'BEGIN { printf "%.3f", keys / 6 }')}")
      ;;
    zipf*)
      letter=Z given=${pattern#zipf}
      given=${given#:}
      words+=(--key-zipf-exp "${given:-0.99}")
      ;;
    # Each connection has a part of the keys.
    *) letter=P ;;
  esac
  case $phase in
    get) ratio=0:1 ;;
    mixed) ratio=$RATIO ;;
    populate)
      # As in ./test, populate sets each key once, with any options. The parts are equal only if their number divides the keys.
      threads=1
      while ((KEYS % connections)); do connections=$((connections - 1)); done
      ((pipeline >= 32)) || pipeline=32
      words+=(--requests $((KEYS / connections)))
      ;;
  esac
  if [[ $phase != populate ]]; then
    if [[ $TIME == 0 ]]; then words+=(--requests $((EACH / connections / threads))); else words+=(--test-time "${TIME%.*}"); fi
    [[ $RATE == 0 ]] || words+=(--rate-limiting "$(awk -v rate="$RATE" -v parts=$((INSTANCES * connections * threads)) 'BEGIN { printf "%.0f", rate / parts }')")
  fi
  # All parts but the last have the same length. If they ended after the last key, they would set keys that are not ours.
  part=$(((KEYS + connections * threads - 1) / connections / threads))
  [[ $letter != P ]] || ((part * (connections * threads - 1) < KEYS)) || {
    printf 'error: cannot divide %d keys over %d connections\n' "$KEYS" $((connections * threads)) >"$stem.err"
    exit 1
  }
  words+=(--ratio "$ratio" --key-pattern "$letter:$letter" --threads "$threads" --clients "$connections" --pipeline "$pipeline")
  exec memtier_benchmark "${words[@]}" >"$stem.out" 2> >(memtier_said "$stem")
}

# Keep only the first error reply and the number of them: memtier_benchmark prints a line for each, and there can be millions.
# Usage: memtier_said STEM   Returns: 0; STEM.err exists once its output has ended
memtier_said() {
  # Its progress has no line breaks.
  tr '\r' '\n' | awk '
    /handle error response/ && replies++ { next }
    /^\[RUN / { next }
    { print }
    END { printf "error replies: %.0f\n", replies }' >"$1.err.new"
  mv -- "$1.err.new" "$1.err"
}

# A process is active while it has more than one thread: the first thread only waits, and ends up to a second later.
adapter_watch() {
  local i left=1 now never pause
  local -a began=() threads
  # With more processes, poll less often. Nothing is ever written to the pipe: reading from it is a pause without a process.
  printf -v pause '%d.%03d' $((INSTANCES / 1000)) $((INSTANCES % 1000))
  exec {never}<> <(:)
  while ((left)); do
    read -r -t "$pause" -u "$never" || :
    left=0
    for i in "${!PIDS[@]}"; do
      [[ -z ${TOOK[i]-} ]] || continue
      threads=(/proc/"${PIDS[i]}"/task/*)
      now=${EPOCHREALTIME/[.,]/}
      if ((${#threads[@]} > 1)); then
        began[i]=${began[i]-$now}
      elif [[ -n ${began[i]-} ]]; then
        TOOK[i]=$((now - began[i]))
        continue
      elif [[ ! -e ${threads[0]} ]]; then
        # It ended before the first poll.
        TOOK[i]=0
        continue
      fi
      left=1
    done
  done
  exec {never}<&-
}

# Print the figures of a phase on one instance, as lib/run/generator/peer.sh describes the row, and write STEM.slots and STEM.seconds.
# Usage: adapter_figures PHASE STEM US
#   US is how long the load took, in microseconds
# Returns: 1 if the figures cannot be read
adapter_figures() {
  local phase=$1 stem=$2 took=$3 kind=Sets wanted=$EACH first packed row end=$((SECONDS + 10))
  [[ $phase != get ]] || kind=Gets
  [[ $phase != mixed ]] || kind=Totals
  [[ $phase != populate ]] || wanted=$KEYS
  [[ $phase == populate || $TIME == 0 ]] || wanted=0
  # It has ended, but the last of its output may not have been read yet.
  until [[ -e $stem.err ]] || ((SECONDS > end)); do sleep 0.01; done
  first=$(grep -m 1 -E '^(server .* handle error response|[Cc]onnect|error:|Maximum|Thread|.*[Ff]ailed)' "$stem.err") || first=
  [[ -z $first ]] || printf 'memtier_benchmark: %s\n' "$first" >&2
  [[ -e $stem.json ]] || return 1
  row=$(memtier_row "$kind" "$wanted" "$took" "$(sed -n 's/^error replies: //p' "$stem.err")" "$stem" <"$stem.json") || return 1
  packed=${row##*$'\t'}
  memtier_slots <<<"$packed" >"$stem.slots"
  awk -v ops="${row%%$'\t'*}" '{ sum += $2 } END { exit sum != ops }' "$stem.slots" || {
    printf 'memtier_benchmark: its histogram does not hold what it counts\n' >&2
    return 1
  }
  printf '%s\n' "${row%$'\t'*}"
}

# Convert the JSON on stdin to the row of adapter_figures, followed by the packed histogram; the seconds go to STEM.seconds.
# Usage: memtier_row KIND REQUESTS US ERROR_REPLIES STEM
memtier_row() {
  awk -v kind="$1" -v wanted="$2" -v took="$3" -v errors="$4" -v seconds="$5.seconds" '
    function at(section, name) { return value["ALL STATS/" section "/" name] }
    {
      # Normalise the layout: one bracket or member per line. No value that is used contains a comma or a bracket.
      gsub(/[{}]/, "\n&\n")
      gsub(/,/, "\n")
      n = split($0, piece, "\n")
      for (i = 1; i <= n; i++) {
        part = piece[i]
        gsub(/^[ \t]+|[ \t]+$/, "", part)
        if (part == "{") {
          path[++depth] = name
          name = ""
        } else if (part == "}") depth--
        else if (match(part, /^"[^"]*":/)) {
          name = substr(part, 2, RLENGTH - 3)
          text = substr(part, RLENGTH + 1)
          gsub(/^[ \t]+|"/, "", text)
          full = name
          for (d = depth; d > 1; d--) full = path[d] "/" full
          value[full] = text
          if (full == "ALL STATS/" kind "/Time-Serie/" path[depth] "/Count" && text > 0) print path[depth], text > seconds
        }
      }
    }
    END {
      ops = at(kind, "Count") + 0
      rate = at(kind, "Ops/sec") + 0
      lost = at("Totals", "Connection Errors") + 0
      if (ops <= 0) exit 1
      # If the end was not observed, an inexact time is better than none.
      if (took <= 0) took = rate > 0 ? ops * 1000000 / rate : 1
      # A count below the requested one can only mean lost requests.
      if (wanted > ops && !lost) lost = wanted - ops
      mean = at(kind, "Average Latency")
      # memtier_benchmark rounds the mean of both kinds together down to 0.
      if (kind == "Totals") mean = (at("Sets", "Average Latency") * at("Sets", "Count") + at("Gets", "Average Latency") * at("Gets", "Count")) / ops
      # Both rates use the same time, so their ratio is right even where that time is not.
      misses = at("Gets", "Count") == 0 ? 0 : rate > 0 ? sprintf("%.0f", at("Totals", "Misses/sec") * ops / rate) : ""
      printf "%.0f\t%.0f\t%.1f\t%.0f\t\t\t\t\t\t%.0f\t%s\t%.0f\t%.0f\t%s\n", ops, took, mean * 1000, at(kind, "Max Latency") * 1000,
        at("Sets", "Count"), misses, errors, lost, at(kind, "Percentile Latencies/Histogram log format/Compressed Histogram")
    }'
}

# Convert a packed HdrHistogram (V2: base64 of deflated zigzag numbers) to `US COUNT`. US is the last slot of ./test within theirs, so that
# both tables are read in the same way.
memtier_slots() {
  # A packed histogram begins with a header of 8 bytes, and 2 bytes of zlib. gzip requires its own header; the missing trailer does no harm.
  { printf '\037\213\010\0\0\0\0\0\0\003' && base64 -d | tail -c +11; } | { gzip -dc 2>/dev/null || :; } | od -An -v -tu1 -w1 | awk '
    NR >= 13 && NR <= 16 { digits = digits * 256 + $1 }
    NR >= 17 && NR <= 24 { lowest = lowest * 256 + $1 }
    NR == 40 {
      for (unit = 1; unit * 2 <= lowest; ) unit *= 2
      for (half = 1; half < 10 ^ digits; ) half *= 2
    }
    NR <= 40 { next }
    {
      # Seven bits per byte, lowest first; the eighth bit says that another byte follows.
      place = place ? place * 128 : 1
      number += $1 % 128 * place
      if ($1 >= 128) next
      count = number % 2 ? -(number + 1) / 2 : number / 2
      number = place = 0
      if (count <= 0) {
        # A run of empty slots.
        slot += count ? -count : 1
        next
      }
      width = unit
      top = slot
      while (top >= 2 * half) {
        top -= half
        width *= 2
      }
      top = (top + 1) * width - 1
      for (ours = 1; top >= 2048 * ours; ) ours *= 2
      printf "%.0f %.0f\n", top + 1 - ours, count
      slot++
    }'
}
