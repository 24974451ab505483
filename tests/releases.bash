# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Packages of any Debian release, from the mirror that apt on this machine uses; they are unpacked into a directory and not installed.

# Print the mirror of Debian in this machine's apt configuration.
# Returns: 1 if apt knows no mirror
release_mirror() {
  apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk '$1 == "Debian" && $2 == "main" { print $3; found = 1; exit } END { exit !found }'
}

# Print a line of sources.list for a release.
# Usage: release_source SUITE
# Returns: 1 if apt on this machine knows no mirror of Debian
release_source() {
  local mirror key=/usr/share/keyrings/debian-archive-keyring.gpg signed=''
  mirror=$(release_mirror) || return
  [[ ! -e $key ]] || signed="[signed-by=$key] "
  printf 'deb %s%s %s main\n' "$signed" "$mirror" "$1"
}

# Run a tool of apt with the package lists in a directory (release_lists).
# Usage: release_apt DIR COMMAND...
release_apt() {
  local apt=$1
  "$2" -q -o "Dir::Etc::SourceList=$apt/sources.list" -o "Dir::Etc::SourceParts=$apt/parts" -o "Dir::State::Lists=$apt/lists" \
    -o "Dir::Cache=$apt/cache" -o "Dir::State::status=$apt/status" -o APT::Sandbox::User=root -o Acquire::Languages=none \
    -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "${@:3}"
}

# Fetch the package lists of releases into a directory.
# Usage: release_lists DIR SUITE...
# Returns: 1 if apt on this machine knows no mirror of Debian, or cannot fetch them
release_lists() {
  local apt=$1 suite
  mkdir -p -- "$apt"/{parts,lists/partial,cache/archives/partial}
  for suite in "${@:2}"; do release_source "$suite" || return; done >"$apt/sources.list"
  : >"$apt/status"
  # A machine without network fails soon, and a mirror that does not answer is an error.
  release_apt "$apt" apt-get -o APT::Update::Error-Mode=any -o Acquire::Retries=0 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 update >&2
}

# Fetch packages of a release and unpack them into a directory, once. An empty linux-image package stands for the kernel that it depends on.
# Usage: release_unpack DIR SUITE [--depends] PACKAGE...
#   --depends: with all packages that they depend on
# Returns: 1 if that fails; DIR then does not exist
release_unpack() {
  local folder=$1 new=$1.new suite=$2 package
  local -a packages=()
  [[ ! -d $folder ]] || return 0
  rm -rf -- "$new"
  release_lists "$new/apt" "$suite" || return
  shift 2
  if [[ $1 == --depends ]]; then
    shift
    release_apt "$new/apt" apt-get install -y --download-only --no-install-recommends "$@" >&2 || return
  else
    for package; do
      [[ $package != linux-image-* ]] ||
        package=$(release_apt "$new/apt" apt-cache depends "$package" | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p' | sed -n 1p)
      packages+=("$package")
    done
    (cd "$new/apt/cache/archives" && release_apt "$new/apt" apt-get download "${packages[@]}") >&2 || return
  fi
  for package in "$new"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$new" || return; done
  rm -rf -- "$new/apt"
  mv -- "$new" "$folder"
}

# Find a server that tools/releases.sh has unpacked, for REDIS, or a shell; skip the test with the cause if it could not be fetched.
# Usage: release_server NAME   NAME: redis-trixie, valkey-trixie, valkey-sid or bash-bullseye
# Returns: sets REPLY to its path
release_server() {
  local cause='run tools/releases.sh'
  for REPLY in "$REPO/build/releases/$1"/{*-server,bash}; do
    [[ -x $REPLY ]] || continue
    # An instance of root runs as another user, who has to read these libraries.
    ((EUID != 0)) || setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$REPLY" ||
      skip "$REPLY: no other user can read it; give the directories above it mode 711"
    return 0
  done
  [[ ! -r $REPO/build/releases/$1.cause ]] || cause=$(<"$REPO/build/releases/$1.cause")
  skip "$1 is not installed: $cause"
}
