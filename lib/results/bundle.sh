# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A run as one archive for another machine. An archive may come from another person: only regular files below one plain name are unpacked.

readonly _BUNDLE_MAX=$((8 << 30)) # bytes that an archive may unpack to

# Pack a run that is unchanged into NAME.tar.gz in the current directory, and print its checksum and path.
# Usage: bundle_make RUN
# Returns: 1 with the reason on stderr
bundle_make() {
  local run name file rows
  run=$(cd -- "$1" && pwd -P) || return
  name=${run##*/} file=${run##*/}.tar.gz
  files_plain "$name" || die_usage "command line: RUN=$1: not a plain name; rename the directory"
  [[ -e $run/run.conf ]] || die "$1: not a run, run.conf is missing; ./do_it.sh list names runs"
  rows=$(verify_files "$run") || return
  rows=$(grep -E '^(missing|changed|added)'$'\t' <<<"$rows" | sed $'s/\t/ /') || :
  [[ -e $run/SHA256SUMS ]] || die "$1: SHA256SUMS is missing: the run did not end; ./do_it.sh run --resume $(log_word "$1") continues it"
  [[ -z $rows ]] || die "$1: ${rows%%$'\n'*}: only an unchanged run is packed; ./do_it.sh verify $(log_word "$1") names all problems"
  [[ ! -e $file && ! -L $file ]] || die "$file: exists; move it, or pack in another directory"
  # The same bytes for the same run, also with other times. Links are names of files that are there.
  (
    trap 'rm -f -- "$file.new"' EXIT
    set -o pipefail
    (cd -- "${run%/*}" && find "$name" -type f ! -name run.lock ! -name run.now -print0 | LC_ALL=C sort -z |
      tar --null -T - --format=gnu --owner=0 --group=0 --numeric-owner --mode=0644 --mtime=@0 -c) | gzip -n >"$file.new" && mv -nT -- "$file.new" "$file" && [[ ! -e $file.new ]]
  ) 2>/dev/null || write_failed "$file" || return
  sha256sum -- "$file"
}

# Print the directory of the run in an archive: RESULTS_DIR/received/SUM/NAME, made at the first call. SUM is of the archive, so two archives never
# meet.
# Usage: bundle_open FILE
# Globals: RESULTS_DIR
# Returns: exits 2 if the file is no archive of a run
bundle_open() {
  local folder=${RESULTS_DIR:-$ROOT/results} name list sum
  sum=$(sha256sum <"$1" 2>/dev/null) || _bundle_refuse "$1" "cannot be read"
  folder=${folder%/}/received/${sum:0:12}
  # A link would lead elsewhere, and a device would be made.
  if ! _bundle_plain "$1" tar -tv | LC_ALL=C awk '!/^[-d]/ { exit 1 }' || ! list=$(_bundle_plain "$1" tar -t); then
    _bundle_refuse "$1" "cut, or has other than regular files"
  fi
  name=${list%%/*}
  if ! files_plain "$name" || ! TOP=$name/ awk '
    # tar prints a byte of a name that is not printable with a backslash.
    index($0, ENVIRON["TOP"]) != 1 || /\\|\/\.\.?(\/|$)/ { exit bad = 1 }
    $0 == ENVIRON["TOP"] "SHA256SUMS" { found = 1 }
    END { exit bad || !found }' <<<"$list"; then
    _bundle_refuse "$1" "has not one run, with its SHA256SUMS"
  fi
  [[ -d $folder/$name ]] || _bundle_unpack "$1" "$folder" "$name" || die "$folder: cannot be written; set RESULTS_DIR to another directory"
  printf '%s\n' "$folder/$name"
}

# Give the content of an archive to a command, up to the limit.
# Usage: _bundle_plain FILE COMMAND...
_bundle_plain() {
  (set -o pipefail && gzip -dc -- "$1" | head -c "$_BUNDLE_MAX" | "${@:2}") 2>/dev/null
}

# Unpack an archive whose names are known to be plain. The directory has its name when it is complete.
# Usage: _bundle_unpack FILE DIR NAME
_bundle_unpack() (
  mkdir -p -- "$2" && new=$(mktemp -d "$2/.bundle.XXXXXX") || exit
  trap 'rm -rf -- "$new"' EXIT
  _bundle_plain "$1" tar -x --no-same-owner -C "$new" && chmod -R u=rwX,go=rX -- "$new/$3" && mv -T -- "$new/$3" "$2/$3"
) 2>/dev/null

# Usage: _bundle_refuse FILE WHY
_bundle_refuse() {
  die_usage "command line: $1: $2; accepted: an archive of ./do_it.sh bundle"
}
