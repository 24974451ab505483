# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The version of tierbench: that of the load generator, and the commit if this is a checkout.

VERSION_TEXT= # the text of version_read

# The version, the commit and whether the checkout has changes that are not committed, when this is first asked.
# Usage: version_read
# Returns: sets VERSION_TEXT
version_read() {
  local version commit
  [[ -z $VERSION_TEXT ]] || return 0
  version=$(sed -n 's/^#define LOADGEN_VERSION *"\(.*\)"$/\1/p' "$LIB/loadgen/options.h")
  # Not the commit of an enclosing checkout.
  if [[ -e $ROOT/.git ]] && ! command -v git >/dev/null; then
    commit=$(_version_head) && commit+='; changes not known: git is missing' || commit=
  fi
  if [[ -z ${commit-} && -e $ROOT/.git ]] && commit=$(exec git -c safe.directory='*' -C "$ROOT" rev-parse --short=12 HEAD 2>/dev/null); then
    [[ -z $(exec git -c safe.directory='*' -C "$ROOT" status --porcelain --untracked-files=no 2>/dev/null) ]] || commit+='; changed'
  fi
  # What git wrote into an archive, or make install into an installed tree.
  if [[ ! -e $ROOT/.git ]]; then
    read -r commit <"$LIB/commit" || :
    # shellcheck disable=SC2016 # as it stands in a checkout
    [[ $commit != '$Format'* ]] || commit=
    [[ ! $commit =~ ^[0-9a-f]{40}$ ]] || commit=${commit:0:12}
  fi
  VERSION_TEXT="tierbench $version (${commit:-unknown commit})"
}

# Print the version that made a run, as its run.conf says it; nothing if it is not known.
# Usage: version_made RUN
version_made() {
  sed -n 's/^# .*Made by \(.*\)\.$/\1/p' "$1/run.conf" 2>/dev/null | sed -n 1p
}

# Print the commit of a checkout when git is not installed.
_version_head() {
  local head
  read -r head <"$ROOT/.git/HEAD" || return
  if [[ $head == 'ref: '* ]]; then
    head=${head#ref: }
    [[ $head =~ ^refs/[A-Za-z0-9._/-]+$ && $head != *..* ]] || return
    if [[ -r $ROOT/.git/$head ]]; then
      read -r head <"$ROOT/.git/$head" || return
    else
      head=$(sed -n "s#^\([0-9a-f]*\) $head\$#\1#p" "$ROOT/.git/packed-refs") || return
    fi
  fi
  [[ $head =~ ^[0-9a-f]{40,64}$ ]] && printf '%s\n' "${head:0:12}"
} 2>/dev/null
