# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Load the modules of the master's side, each once; modules do not load each other.
# Globals: LIB, this directory; ROOT, the project's; MODULES: `results` for what only reads results, which leaves out those that plan and run; `plan` for
#   what neither runs anything nor reads results, which leaves out those that do, and those of parts.

# Older versions lack EPOCHREALTIME, among others.
if ((BASH_VERSINFO[0] < 5)); then
  printf '%s: bash 5 or newer is required, this host has %s\n' "${0##*/}" "$BASH_VERSION" >&2
  exit 3
fi
# Settings of a login must not change what tools and bash do (POSIXLY_CORRECT, SHELLOPTS), and a job may be started without HOME.
set +o posix +o noglob
unset -v POSIXLY_CORRECT
export -n SHELLOPTS
[[ -v HOME ]] || export HOME=~
# Other users must not write to the files of a run, also with an open umask of the login.
umask go-w

# shellcheck source=lib/core/log.sh
for module in "$LIB"/{core,shared,plan,run,results}/*.sh; do
  case ${MODULES-}:${module#"$LIB"/} in results:plan/* | results:run/* | plan:run/* | plan:results/*) continue ;; esac
  # shellcheck disable=SC1090 # each file of the directories named above
  . "$module"
done
named_dirs
parts_read
tiers_read
for part in "${PARTS[@]}"; do
  for module in "${PART_DIR[$part]}"/*.sh; do
    case ${MODULES-}:${module##*/} in
      plan:* | *:'*.sh' | *:host*.sh) continue ;; # without files, or on hosts
      results:results.sh) ;;
      results:*) continue ;;
    esac
    # shellcheck disable=SC1090 # each file of a part
    . "$module"
  done
  parts_check "$part"
done
unset -v module part
