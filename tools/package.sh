#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes an archive or a package of this checkout in build/packages, and prints its path.
#
# Usage: tools/package.sh dist|deb|rpm|image
# Environment:
#   PACKAGE_RELEASE   the number behind the version of a package (default 1)
#   IMAGE_RELEASE     the release of Debian in an image (default: that of this machine, whose libraries it was built with)
#   MAINTAINER        `NAME <ADDRESS>` (default: the author of the last commit)
# Exit status: 0 made, 1 not, 2 bad usage.
set -Eeuo pipefail

# Ends with a message.
# Usage: _package_die TEXT...   Returns: does not
_package_die() {
  printf 'package: %s\n' "$*" >&2
  exit 1
}

# Prints the tracked tree of the last commit as a tar archive. lib/commit in it has the commit (.gitattributes).
# Usage: package_tree   Globals: NAME   Returns: 0
package_tree() {
  git -c safe.directory='*' archive --format=tar --prefix="$NAME/" HEAD
}

# Makes the archive: the same bytes from the same commit.
# Usage: package_dist DIR   Globals: NAME   Returns: sets MADE, a file of DIR
package_dist() {
  MADE=$NAME.tar.gz
  package_tree | gzip -9n >"$1/$MADE"
  (cd -- "$1" && sha256sum "$MADE" >"../$MADE.sha256")
}

# Prints the packages that a run needs, in the words of a package manager, one a line: programs only, because an installed tree builds nothing.
# Usage: package_needs apt|dnf   Returns: 0
package_needs() {
  local set kind name apt dnf
  while read -r set kind name apt dnf; do
    [[ $set == run && $kind == command && ! $name =~ ^(gcc|make|pkg-config)$ ]] || continue
    if [[ $1 == apt ]]; then printf '%s\n' "${apt//|/ | }"; else printf '%s\n' "$dnf"; fi
  done <<<"$DEPENDENCIES" | sort -u
}

# Builds the last commit, and installs it below DIR/root.
# Usage: package_stage DIR   Globals: NAME EPOCH   Returns: 0
package_stage() {
  package_tree | tar -xf - -C "$1"
  # Without symbols, which would have the path of this build.
  make -s -C "$1/$NAME" install CFLAGS=-g0 PREFIX=/usr DESTDIR="$1/root" >/dev/null
  strip -- "$1/root/usr/lib/tierbench/test" "$1/root/usr/lib/tierbench/lib/membench/membench"
  gzip -9n -- "$1/root/usr/share/man/man1/tierbench.1"
  # For the same bytes from the same commit and compiler.
  find "$1/root" -exec touch --no-dereference --date="@$EPOCH" -- {} +
}

# Prints the dependencies of a Debian package.
# Usage: _package_deb_needs DIR   Returns: 0
_package_deb_needs() {
  local line
  mkdir -p -- "$1/debian"
  : >"$1/debian/control"
  {
    # Packages that every system has are not named.
    while read -r line; do
      [[ $(dpkg-query -W -f '${Essential}' "${line%% *}" 2>/dev/null) == yes ]] || printf '%s\n' "$line"
    done < <(package_needs apt | sed 's/^redis-server$/redis-server | valkey-server/; s/^redis-tools$/redis-tools | valkey-tools/')
    (cd -- "$1" && dpkg-shlibdeps -O -e root/usr/lib/tierbench/test -e root/usr/lib/tierbench/lib/membench/membench 2>/dev/null) |
      sed -n 's/^shlibs:Depends=//p' | sed 's/, /\n/g'
  } | paste -sd , | sed 's/,/, /g'
}

# Makes a package for Debian and its kin.
# Usage: package_deb DIR   Globals: VERSION MAINTAINER EPOCH   Returns: sets MADE, a file of DIR
package_deb() {
  local stage=$1/root doc=$1/root/usr/share/doc/tierbench architecture
  architecture=$(dpkg --print-architecture)
  package_stage "$1"
  mkdir -p -- "$doc" "$stage/DEBIAN"
  {
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nCopyright: %s\nLicense: Expat\n' \
      "$(sed -n 's/^Copyright (c) //p' LICENSE)"
    sed '1,/^Copyright/d; /./!s/^/./; s/^/ /' LICENSE | sed 1d
  } >"$doc/copyright"
  printf 'tierbench (%s) unstable; urgency=medium\n\n  * /usr/lib/tierbench/CHANGELOG.md says what changed.\n\n -- %s  %s\n' \
    "$VERSION" "$MAINTAINER" "$(date -u -R -d "@$EPOCH")" | gzip -9n >"$doc/changelog.Debian.gz"
  cat >"$stage/DEBIAN/control" <<END
Package: tierbench
Version: $VERSION
Architecture: $architecture
Maintainer: $MAINTAINER
Section: utils
Priority: optional
Depends: $(_package_deb_needs "$1")
Recommends: python3
Installed-Size: $(du -sk "$stage/usr" | cut -f 1)
Description: benchmark of memory tiers under Redis
 Fills Redis or Valkey to a share of a server's memory, reads it back, and
 compares kinds of memory: DRAM, CXL and NUMA nodes, zram, zswap and swap.
END
  (cd -- "$stage" && find usr -type f -exec md5sum -- {} + | LC_ALL=C sort -k 2) >"$stage/DEBIAN/md5sums"
  find "$stage" -exec touch --no-dereference --date="@$EPOCH" -- {} +
  MADE=tierbench_${VERSION}_$architecture.deb
  SOURCE_DATE_EPOCH=$EPOCH dpkg-deb --root-owner-group -Zxz --build "$stage" "$1/$MADE" >/dev/null
}

# Makes a package for Fedora and its kin. rpm finds the shared libraries itself.
# Usage: package_rpm DIR   Globals: VERSION EPOCH   Returns: sets MADE, a file of DIR
package_rpm() {
  package_stage "$1"
  cat >"$1/tierbench.spec" <<END
Name: tierbench
Version: ${VERSION%-*}
Release: ${VERSION##*-}
Summary: Benchmark of memory tiers under Redis
License: MIT
$(package_needs dnf | sed 's/|/ or /g; s/^.* or .*$/(&)/; s/^(\?redis or .*$/(redis or valkey)/; s/^/Requires: /' | sort -u)
%description
Fills Redis or Valkey to a share of a server's memory, reads it back, and compares kinds of memory.
%files
$(cd -- "$1/root" && find usr -type f -printf '"/%p"\n' -o -path '*/tierbench*' -type d -printf '%%dir "/%p"\n')
END
  SOURCE_DATE_EPOCH=$EPOCH rpmbuild -bb --quiet --buildroot "$1/root" -D "_rpmdir $1/made" -D '__brp_mangle_shebangs %nil' -D '_build_id_links none' \
    -D 'use_source_date_epoch_as_buildtime 1' -D 'clamp_mtime_to_source_date_epoch 1' -D '_buildhost tierbench' \
    -D '__spec_install_pre %nil' -D '__os_install_post %nil' "$1/tierbench.spec" >&2
  MADE=$(cd -- "$1/made" && printf '%s\n' ./*/*.rpm)
  mv -f -- "$1/made/$MADE" "$1"
  MADE=${MADE##*/}
}

# Makes an image for containers, with the package of Debian in it, in the layout of the Open Container Initiative. No daemon is needed, but root.
# Usage: package_image DIR   Globals: VERSION EPOCH   Returns: sets MADE, a file of DIR
package_image() {
  local needs date
  package_deb "$1"
  needs=$(dpkg-deb -f "$1/$MADE" Depends | sed 's/ | [^,]*//g; s/ ([^)]*)//g; s/, /,/g')
  date=$(date -u -d "@$EPOCH" +%Y-%m-%dT%H:%M:%SZ)
  SOURCE_DATE_EPOCH=$EPOCH unshare --mount mmdebstrap --quiet --mode=root --variant=essential --include="$needs" \
    --customize-hook="copy-in $1/$MADE /mnt" --customize-hook="chroot \"\$1\" sh -c 'dpkg -i /mnt/*.deb && rm /mnt/*.deb'" \
    --dpkgopt='path-exclude=/usr/share/locale/*' "$IMAGE_RELEASE" "$1/root.tar" >&2
  umoci init --layout "$1/image"
  umoci new --image "$1/image:$VERSION"
  umoci raw add-layer --image "$1/image:$VERSION" --history.created "$date" "$1/root.tar" >&2
  umoci config --image "$1/image:$VERSION" --no-history --created "$date" --config.entrypoint /usr/bin/tierbench --config.workingdir /results
  umoci gc --layout "$1/image" >&2
  # umoci knows a tag, and podman and docker the name of an image.
  sed -i "s|\"org.opencontainers.image.ref.name\":\"[^\"]*\"|&,\"io.containerd.image.name\":\"localhost/tierbench:$VERSION\"|" "$1/image/index.json"
  MADE=tierbench-$VERSION.oci.tar
  tar -cf "$1/$MADE" --sort=name --mtime="@$EPOCH" --owner=0 --group=0 --numeric-owner -C "$1/image" .
}

# Usage: main dist|deb|rpm|image   Returns: see above
main() {
  [[ $# == 1 && ${1-} =~ ^(dist|deb|rpm|image)$ ]] || {
    sed -n 's/^# Usage: \(tools.*\)/Usage: \1/p' "${BASH_SOURCE[0]}" >&2
    return 2
  }
  cd -- "${BASH_SOURCE[0]%/*}/.."
  umask 022
  # shellcheck source=tools/deps.sh
  . tools/deps.sh
  [[ -e .git ]] || _package_die 'no checkout of git: archives and packages are made from a commit'
  EPOCH=$(git -c safe.directory='*' log -1 --format=%ct)
  VERSION=$(sed -n 's/^#define LOADGEN_VERSION *"\(.*\)"$/\1/p' lib/loadgen/options.h)
  IMAGE_RELEASE=${IMAGE_RELEASE:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
  NAME=tierbench-$VERSION VERSION+=-${PACKAGE_RELEASE:-1}
  MAINTAINER=${MAINTAINER:-$(git -c safe.directory='*' log -1 --format='%an <%ae>')}
  [[ $VERSION =~ ^[0-9][0-9A-Za-z.+~]*-[0-9][0-9A-Za-z.+~]*$ ]] || _package_die "PACKAGE_RELEASE=$PACKAGE_RELEASE: invalid; accepted: digits, letters and dots"
  [[ -z $(git -c safe.directory='*' status --porcelain --untracked-files=no) ]] || printf 'package: changes that are not committed are left out\n' >&2
  mkdir -p -- build/packages
  scratch=$(mktemp -d "$PWD/build/packages/.make.XXXXXX")
  trap 'rm -rf -- "$scratch"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  "package_$1" "$scratch"
  mv -f -- "$scratch/$MADE" build/packages
  printf 'build/packages/%s\n' "$MADE"
}

main "$@"
