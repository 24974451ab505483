#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Draw the layers of the modules as SVG on stdout: each file calls only files below it. `make docs` keeps the drawing for docs/architecture.md.

set -Eeuo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

files=(lib/{shared,core,plan,results,run,cmd}/*.sh)
for file in lib/part/*/*.sh; do [[ $file == */host*.sh ]] || files+=("$file"); done

awk -f tools/calls.awk "${files[@]}" "${files[@]}" | FILES=${files[*]} LC_ALL=C awk '
  # The directory of a file.
  function dir(name,   part) { split(name, part, "/"); return part[4] == "results.sh" ? "results" : part[2] }
  BEGIN { n = split(ENVIRON["FILES"], file, " ") }
  dir($1) == dir($2) { from[++pairs] = $1; to[pairs] = $2 }
  END {
    # A file is one level above the highest file of its directory that it calls.
    do {
      moved = 0
      for (p = 1; p <= pairs; p++) if (level[from[p]] <= level[to[p]]) { level[from[p]] = level[to[p]] + 1; moved = 1 }
    } while (moved)
    for (i = 1; i <= n; i++) {
      d = dir(file[i])
      name = file[i]
      gsub(/.*lib\/part\/|\/(master|results)\.sh$|.*\/|\.sh$/, "", name)
      if (level[file[i]] + 0 > top[d]) top[d] = level[file[i]]
      names[d, level[file[i]] + 0] = names[d, level[file[i]] + 0] "  " name
    }
    split("cmd part run results plan core shared", order, " ")
    y = 8
    for (o = 1; o <= 7; o++) {
      d = order[o]
      text = ""
      begin = y
      for (l = top[d] + 0; l >= 0; l--) {
        m = split(names[d, l], word, " ")
        line = ""
        for (w = 1; w <= m + 1; w++) {
          if (line != "" && (w > m || length(line) + length(word[w]) > 92)) {
            text = text sprintf("<text x=\"110\" y=\"%d\">%s</text>\n", y + 19, line)
            y += 18
            line = ""
          }
          if (w <= m) line = line (line == "" ? "" : "  ") word[w]
        }
      }
      body = body sprintf("<rect x=\"8\" y=\"%d\" width=\"744\" height=\"%d\" rx=\"4\" fill=\"#f2f4f8\" stroke=\"#7a869a\"/>\n", begin, y - begin + 12)
      body = body sprintf("<text x=\"20\" y=\"%d\" font-weight=\"bold\">lib/%s</text>\n", begin + 19, d) text
      y += 20
    }
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 %d\" font-family=\"sans-serif\" font-size=\"13\" xml:space=\"preserve\">\n", y
    printf "<title>The layers of the modules: each file calls only files below it</title>\n"
    printf "<rect width=\"760\" height=\"%d\" fill=\"white\"/>\n%s</svg>\n", y, body
  }'
