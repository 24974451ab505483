# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Check whether a directory of results can be read: only regular files, of limited size, with the length that they had when they were written.
# A results directory may come from another person. A FIFO would block its reader forever, a device or a sparse file would fill its memory, and a link
# would show another file. So a directory with such an entry is not read.

# Record the length of each file of a directory in the file SIZES.
# Usage: stored_note DIR
stored_note() {
  (cd -- "$1" && find . -type f ! -name 'SIZES*' ! -name run.log ! -name debug.log ! -name run.lock ! -name run.now -printf '%s\t%P\n' | LC_ALL=C sort -k 2 >SIZES.new && mv -f -- SIZES.new SIZES) 2>/dev/null || write_failed "$1/SIZES"
}

# Write the checksums of a repeat's files to its SHA256SUMS. With `run`, write those of the files that describe the run, and of each repeat's list.
# lib/results/verify.sh checks both.
# Usage: stored_seal DIR [run]
stored_seal() {
  local -a files=(! -path './SHA256SUMS*' ! -name SIZES)
  [[ ${2-} != run ]] || files=('(' -path './*/*/rep-*/SHA256SUMS' -o -path './env/*' -o -path './*/variant.conf' -o -path './*.conf' ! -path './*/*' -o
    -name hosts -o -path './*.tsv' ! -path './*/*' -o -path ./setup.log ')' ! -path './*/*/rep-*.*/*' ! -path './*/*/rep-*/*/*')
  (
    cd -- "$1" && find . -type f "${files[@]}" -printf '%P\0' | LC_ALL=C sort -z | xargs -0 -r sha256sum -- >SHA256SUMS.new && mv -f -- SHA256SUMS.new SHA256SUMS
  ) 2>/dev/null || write_failed "$1/SHA256SUMS"
}

# Print the problems of a directory, lines KIND PATH WHY: `odd` is a file that no reader may open, `cut` a file whose length differs from
# its SIZES. Readers of a part of a run open files of the whole run, so that is checked too, and its paths begin with ../
# Usage: stored_look DIR [FILE]
#   FILE  only this file of DIR is read, with the files that belong to it
stored_look() {
  local folder=${1%/} up whole='' form='%y\t%s\t%b\t%P\t%l\n'
  for up in '' ../ ../../ ../../../ ../../../../; do
    [[ ! -e $folder/${up}run.conf && ! -L $folder/${up}run.conf && ! -e $folder/${up}plan.tsv && ! -L $folder/${up}plan.tsv ]] || whole=${up:-yes}
    [[ -z $whole ]] || break
  done
  {
    if [[ -n ${2-} && -z $whole ]]; then
      find "$folder/$2" "$folder"/{*.tsv,*.hgrm,histogram*} -maxdepth 0 -printf "${form//"%P"/%f}"
    else
      find "$folder/" -mindepth 1 -printf "$form"
    fi
    case $whole in
      yes) ;;
      '') find "$folder"/../{starts.tsv,server} -maxdepth 1 -printf "above\t${form/"%P"/../%f}" ;;
      *) find "$folder/$whole" -mindepth 1 -printf "above\t${form/"%P"/$whole%P}" ;;
    esac
  } 2>/dev/null | FOLDER=$folder LC_ALL=C awk -F '\t' -v OFS='\t' '
    function odd(why) { print "odd", $4, why; found = 1 }
    BEGIN { kind["p"] = "FIFO"; kind["s"] = "socket"; kind["b"] = kind["c"] = "device" }
    { above = sub(/^above\t/, "") }
    $1 == "d" && NF == 5 { next }
    NF != 5 || $4 == "" { odd("a name with a tab or a line break in it"); next }
    # Links with the names of another workload (lib/run/links.sh) point to files in the same directory.
    $1 == "l" && $4 ~ /(^|\/)(redis|memtier-[a-z]*)-?[0-9]+\.log$/ && $5 !~ /^\// && $5 !~ /(^|\/)\.\.(\/|$)/ { next }
    $1 == "l" { odd("a link"); next }
    $1 != "f" { odd("a " ($1 in kind ? kind[$1] : "special file")); next }
    $2 > 4294967296 { odd("larger than 4 GiB"); next }
    # These have no row per second, and a reader keeps a whole line in memory. No file system compresses text to a hundredth.
    $2 > 67108864 && $4 ~ /(^|\/)(run\.conf|variant\.conf|plan\.tsv|result\.tsv|starts\.tsv|env\.tsv|SIZES|SHA256SUMS|[^\/]*\.(hgrm|hlog|histogram\.tsv)|histogram[^\/]*)$/ { odd("larger than 64 MiB"); next }
    $2 > 67108864 && $3 * 512 < $2 / 100 { odd("a sparse file"); next }
    above { next }
    {
      size[$4] = $2
      if ($4 ~ /(^|\/)SIZES$/ && $2 < 16777216) list[++lists] = $4
    }
    END {
      if (found) exit
      for (i = 1; i <= lists; i++) {
        file = ENVIRON["FOLDER"] "/" list[i]
        beside = substr(list[i], 1, length(list[i]) - 5)
        while ((getline line < file) > 0) {
          split(line, f, "\t")
          name = beside f[2]
          if (seen[name]++) continue
          if (!(name in size)) print "cut", name, "is missing"
          else if (size[name] != f[1]) print "cut", name, "has " size[name] " bytes of " f[1]
        }
        close(file)
      }
    }'
}

# Refuse a run that cannot be read, or whose settings were truncated.
# Usage: stored_check RUN
# Returns: 1 with one line on stderr.
stored_check() {
  local kind path why
  while IFS=$'\t' read -r kind path why; do
    [[ $kind == odd || $path == run.conf || $path == */variant.conf || $path == plan.tsv ]] || continue
    stored_say "$1" "$kind" "$path" "$why" >&2
    return 1
  done < <(stored_look "$1")
}

# Print a line of stored_look as text.
# Usage: stored_say DIR KIND PATH WHY
stored_say() {
  local advice='it was truncated or changed'
  [[ $2 != odd ]] || advice='no file of this directory is read; remove it'
  printf '%s/%s: %s: %s\n' "$1" "$3" "$4" "$advice" | stored_plain
}

# Print the lines on stdin with ? for each control character except tab: a terminal obeys them, and names in results are another person's.
# lib/results/figures/text.awk does the same for tables.
# Usage: stored_plain <LINES
stored_plain() {
  LC_ALL=C sed -e $'s/[\001-\010\013-\037\177]/?/g' -e $'s/\302[\200-\237]/?/g'
}
