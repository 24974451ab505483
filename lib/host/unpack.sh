# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How a host gets lib/shared and lib/host: an archive on stdin, kept in our directory under its checksum. It is sent as text (remote_push).

# Print the line MARK DIRECTORY.
# Usage: main MARK NAME <ARCHIVE
main() {
  local folder said
  workdir_open
  folder=$WORK/cache/$2
  if [[ ! -d $folder ]]; then
    # Files of other versions are kept for a week: a run may use them.
    find "$WORK/cache" -maxdepth 1 -name 'lib-*' -mtime +7 -exec rm -rf -- {} + 2>/dev/null || :
    said=$(mkdir -p -- "$folder.$$" 2>&1 && tar -x -o -C "$folder.$$" -f - 2>&1) || {
      rm -rf -- "$folder.$$"
      fail "REMOTE_DIR=$WORK: our files cannot be written there: ${said##*: }"
    }
    # Another master may be first.
    mv -T -- "$folder.$$" "$folder" 2>/dev/null || rm -rf -- "$folder.$$"
  fi
  printf '\n%s %s\n' "$1" "$folder"
}
