#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs, through apt-get or dnf, the missing dependencies of a run or of the tests.
set -Eeuo pipefail

# The file that a Debian system runs to decide whether a package may start its service (see invoke-rc.d(8)).
POLICY_FILE=${POLICY_FILE:-/usr/sbin/policy-rc.d}

# Services that our packages install; a new service is neither left running nor enabled.
SERVICES='redis-server redis redis-sentinel valkey valkey-server valkey-sentinel ssh ssh.socket sshd sshd.socket'

# The repositories that may have a package that is not in the repositories of a plain installation.
declare -A EXTRA_REPOSITORIES=(
  [apt]=' (on Ubuntu: add-apt-repository universe)'
  [dnf]=' (on RHEL and its kin: dnf install epel-release; dnf config-manager --set-enabled crb)'
)

# The requirements, and how each is detected: by the thing itself, never by the name of a package.
# set: run, or beyond that check (the tests), qemu (make check-qemu), lab (make check-lab) or packages (make deb, rpm, image and check-packages). kind: command,
# module (pkg-config), header (COMPILER:NAME is found), file,
# python (a module of python3), sanitizer (COMPILER:NAME links).
# Names joined by | are alternatives; the first that the repositories have is used.
# A string, not a here-document for cat: on a machine without cat, the result must not be that nothing is missing.
DEPENDENCIES='
run    command  redis-server   redis-server                           redis|valkey-compat-redis
run    command  redis-cli      redis-tools                            redis|valkey-compat-redis
run    command  gcc            gcc                                    gcc
run    header   gcc:stdio.h    libc6-dev                              glibc-devel
run    header   gcc:omp.h      gcc                                    libgomp
run    command  make           make                                   make
run    command  pkg-config     pkg-config                             pkgconf-pkg-config
run    module   hiredis        libhiredis-dev                         hiredis-devel
run    module   zlib           zlib1g-dev                             zlib-devel
run    module   openssl        libssl-dev                             openssl-devel
run    command  openssl        openssl                                openssl
run    command  screen         screen                                 screen
run    command  ssh            openssh-client                         openssh-clients
run    command  scp            openssh-client                         openssh-clients
run    command  gnuplot        gnuplot-nox|gnuplot                    gnuplot-minimal|gnuplot
run    command  numactl        numactl                                numactl
run    command  ip             iproute2                               iproute
run    command  ss             iproute2                               iproute
run    command  ethtool        ethtool                                ethtool
run    command  taskset        util-linux                             util-linux-core|util-linux
run    command  setsid         util-linux                             util-linux-core|util-linux
run    command  setpriv        util-linux                             util-linux
run    command  mkswap         util-linux                             util-linux-core|util-linux
run    command  sha256sum      coreutils                              coreutils
run    command  flock          util-linux                             util-linux-core|util-linux
run    command  lscpu          util-linux                             util-linux
run    command  free           procps                                 procps-ng
run    command  vmstat         procps                                 procps-ng
run    command  uptime         procps                                 procps-ng|coreutils
run    command  awk            mawk                                   gawk
run    command  find           findutils                              findutils
run    command  tar            tar                                    tar
run    command  gzip           gzip                                   gzip
run    command  cmp            diffutils                              diffutils
run    command  hostname       hostname                               hostname
check  command  git            git                                    git-core
check  command  sshd           openssh-server                         openssh-server
check  command  bats           bats                                   bats
check  command  shellcheck     shellcheck                             ShellCheck
check  command  shfmt          shfmt                                  shfmt
check  command  clang          clang                                  clang
check  command  clang-format   clang-format                           clang-tools-extra
check  command  clang-tidy     clang-tidy                             clang-tools-extra
check  header   clang:omp.h    libomp-dev                             libomp-devel
check  sanitizer clang:fuzzer  libclang-rt-dev|libclang-common-dev    compiler-rt
check  sanitizer gcc:address   gcc                                    libasan
check  sanitizer gcc:undefined gcc                                    libubsan
check  command  python3        python3                                python3
check  python   ensurepip      python3-venv                           python3-libs
check  command  chromium       chromium|chromium-browser              chromium
check  command  redis-benchmark redis-tools                           redis|valkey-compat-redis
check  file     /usr/share/i18n/locales/de_DE locales                  glibc-locale-source
check  command  mawk           mawk                                   mawk
check  command  gawk           gawk                                   gawk
check  command  nsenter        util-linux                             util-linux-core|util-linux
check  command  unshare        util-linux                             util-linux-core|util-linux
qemu   command  qemu-system-x86_64 qemu-system-x86                    qemu-system-x86-core
qemu   command  busybox        busybox-static                         busybox
qemu   command  xz             xz-utils                               xz
lab    command  mmdebstrap     mmdebstrap                             mmdebstrap
packages command mmdebstrap    mmdebstrap                             mmdebstrap
packages command dpkg-shlibdeps dpkg-dev                              dpkg-dev
packages command lintian       lintian                                lintian
packages command rpmbuild      rpm                                    rpm-build
packages command umoci         umoci                                  umoci
packages command podman        podman                                 podman
packages command runc          runc                                   runc
'

# Prints one line on stderr.
# Usage: _deps_say TEXT...   Returns: 0
_deps_say() { printf 'deps: %s\n' "$*" >&2; }

# Checks whether one requirement of the table is on this machine.
# Usage: _deps_have KIND NAME   Returns: 0 there, 1 missing
_deps_have() {
  case $1 in
    command) command -v "$2" >/dev/null ;;
    module)
      # If the user passed a hiredis to make, no package is needed.
      [[ $2 != hiredis || -z ${HIREDIS_DIR:-}${REDIS_SRC:-} ]] || return 0
      pkg-config --exists "$2" 2>/dev/null
      ;;
    file) [[ -e $2 ]] ;;
    python) python3 -c "import $2" 2>/dev/null ;;
    header) printf '#include <%s>\n' "${2#*:}" | "${2%%:*}" -fopenmp -E -x c -o /dev/null - 2>/dev/null ;;
    sanitizer)
      # A program that links both with and without the main of libFuzzer.
      printf '#ifdef gcc_main\nint main(void){return 0;}\n#endif\nint LLVMFuzzerTestOneInput(void){return 0;}\n' |
        "${2%%:*}" "-D${2%%:*}_main" -fsanitize="${2#*:}" -x c -o /dev/null - 2>/dev/null
      ;;
    *) return 1 ;;
  esac
}

# Prints the rows of the table that this set requires and this machine lacks; only the rows of the given names, if there are names.
# Usage: deps_missing run|check|qemu|lab|packages [NAME...]   Returns: 0
deps_missing() {
  local set kind name apt dnf wanted=" ${*:2} "
  while read -r set kind name apt dnf; do
    [[ -n $set ]] || continue
    [[ $set == run || $set == "$1" ]] || continue
    (($# == 1)) || [[ $wanted == *" $name "* ]] || continue
    _deps_have "$kind" "$name" || printf '%s %s %s %s %s\n' "$set" "$kind" "$name" "$apt" "$dnf"
  done <<<"$DEPENDENCIES"
}

# Prints the names of missing things on one line.
# Usage: _deps_names < ROWS   Returns: 0
_deps_names() {
  local name names=''
  while read -r _ _ name _; do
    names+="${names:+ }$name"
  done
  printf '%s\n' "$names"
}

# Prints the package manager of this machine: apt or dnf.
# Usage: _deps_manager   Returns: 0, or 1 if there is neither
_deps_manager() {
  if command -v apt-get >/dev/null; then
    echo apt
  elif command -v dnf >/dev/null; then
    echo dnf
  else
    return 1
  fi
}

# Checks whether the repositories have a package.
# Usage: _deps_offered apt|dnf PACKAGE   Returns: 0 yes, 1 no
_deps_offered() {
  case $1 in
    # A purely virtual package has no candidate version and cannot be installed by its name.
    apt) [[ $(apt-cache policy "$2" 2>/dev/null) =~ Candidate:\ [^\(] ]] ;;
    dnf) dnf -q list "$2" >/dev/null 2>&1 ;;
  esac
}

# Prints the packages that provide the missing requirements, each once, with alternatives resolved.
# Usage: _deps_packages apt|dnf < ROWS   Returns: 0
_deps_packages() {
  local kind name apt dnf names each chosen
  while read -r _ kind name apt dnf; do
    [[ $1 == apt ]] && names=$apt || names=$dnf
    chosen=${names%%|*}
    if [[ $names == *'|'* ]]; then
      for each in ${names//|/ }; do
        if _deps_offered "$1" "$each"; then
          chosen=$each
          break
        fi
      done
    fi
    printf '%s\n' "$chosen"
  done | sort -u
}

# Checks whether a service is known. An init script does not count: it remains when a package is removed.
# Usage: _deps_service_known NAME   Returns: 0 yes, 1 no
_deps_service_known() {
  local unit=$1
  [[ $unit == *.socket ]] || unit+=.service
  [[ -e /etc/systemd/system/$unit || -e /usr/lib/systemd/system/$unit || -e /lib/systemd/system/$unit ]]
}

# Prints the names in SERVICES that the machine does not know yet.
# Usage: _deps_services_new   Returns: 0
_deps_services_new() {
  local name
  for name in $SERVICES; do
    _deps_service_known "$name" || printf '%s\n' "$name"
  done
}

# Forbids the start of new services while packages are installed; other services follow the previous policy.
# Usage: _deps_policy_set NAME...   Globals: POLICY_FILE   Returns: 0
_deps_policy_set() {
  local saved=$POLICY_FILE.before-tierbench new=$POLICY_FILE.tierbench.$$ policy_names=" $* "
  _deps_policy_restore
  {
    printf '#!/bin/sh\n# tierbench deps: temporary; the previous file is %s\n' "${saved##*/}"
    # The $1 and $@ in the text belong to the generated script.
    # shellcheck disable=SC2016
    printf 'case "%s" in *" ${1%%%%.service} "*) exit 101 ;; esac\n' "$policy_names"
    # shellcheck disable=SC2016
    printf '[ ! -x "%s" ] || exec "%s" "$@"\nexit 0\n' "$saved" "$saved"
  } >"$new"
  chmod 755 "$new"
  # mv keeps mode, owner and times, and a link stays a link, so that the original is restored exactly.
  [[ ! -e $POLICY_FILE && ! -L $POLICY_FILE ]] || mv -- "$POLICY_FILE" "$saved"
  mv -- "$new" "$POLICY_FILE"
}

# Restores the previous policy, also after an earlier run that was killed.
# Usage: _deps_policy_restore   Globals: POLICY_FILE   Returns: 0
_deps_policy_restore() {
  local saved=$POLICY_FILE.before-tierbench
  rm -f -- "$POLICY_FILE.tierbench.$$"
  if [[ -e $saved || -L $saved ]]; then
    mv -f -- "$saved" "$POLICY_FILE"
  elif [[ -f $POLICY_FILE ]] && grep -q '^# tierbench deps: temporary' "$POLICY_FILE"; then
    rm -f -- "$POLICY_FILE"
  fi
}

# Stops and disables the services that the packages installed.
# Usage: _deps_services_off NAME...   Returns: 0
_deps_services_off() {
  local name unit link
  for name; do
    _deps_service_known "$name" || continue
    unit=$name
    [[ $unit == *.socket ]] || unit+=.service
    if [[ -d /run/systemd/system ]]; then
      systemctl --quiet disable --now "$unit" 2>/dev/null || :
    elif command -v systemctl >/dev/null; then
      systemctl --quiet disable "$unit" 2>/dev/null || :
    fi
    # Debian records what was enabled, so that an upgrade does not enable it again; this works without systemd too.
    if command -v deb-systemd-helper >/dev/null; then
      deb-systemd-helper disable "$unit" >/dev/null 2>&1 || :
    fi
    # Other names of the unit, which only systemctl would have removed.
    for link in /etc/systemd/system/*; do
      if [[ -L $link && $(readlink -- "$link") == */"$unit" ]]; then rm -f -- "$link"; fi
    done
    if [[ -e /etc/init.d/$name ]] && command -v update-rc.d >/dev/null; then
      update-rc.d "$name" disable >/dev/null 2>&1 || :
    fi
  done
}

# Runs a command of a package manager with its output hidden, and prints the end of the output if it fails.
# Usage: _deps_quietly LOG COMMAND...   Returns: the command's status
_deps_quietly() {
  local log=$1 status=0
  shift
  "$@" </dev/null >"$log" 2>&1 || status=$?
  ((status == 0)) || tail -n 15 "$log" >&2
  return "$status"
}

# Installs packages with apt-get.
# Usage: _deps_apt LOG PACKAGE...   Returns: apt-get's status
_deps_apt() {
  local log=$1
  shift
  # NEEDRESTART_SUSPEND: the hook of Ubuntu would restart services, or ask.
  DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 _deps_quietly "$log" \
    apt-get -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold install "$@"
}

# Installs packages with dnf.
# Usage: _deps_dnf LOG PACKAGE...   Returns: dnf's status
_deps_dnf() {
  local log=$1
  shift
  _deps_quietly "$log" dnf -y -q --setopt=install_weak_deps=False install "$@"
}

# Ends an installation, complete or aborted: disables new services and restores the policy.
# Usage: _deps_finish LOG SERVICE...   Returns: 0
_deps_finish() {
  # A signal must not end this function.
  trap '' INT TERM HUP
  rm -f -- "$1"
  _deps_services_off "${@:2}"
  _deps_policy_restore
}

# Takes a lock that is held until the script and the package manager end: two checkouts may install at the same time, or one may have been killed.
# Usage: _deps_lock [FLOCK_OPTION]   Globals: POLICY_FILE   Returns: 0 held, 1 not
_deps_lock() {
  # The lock is on the directory, so that no file is left behind.
  exec 9<"${POLICY_FILE%/*}"
  ! command -v flock >/dev/null || flock "$@" 9
}

# Installs the packages that provide the missing requirements; requires root.
# Usage: _deps_install apt|dnf < ROWS   Returns: 0, or 1 if the package manager fails
_deps_install() {
  local manager=$1 rows log each
  local -a packages=() new_services=()
  rows=$(cat)
  _deps_lock
  log=$(mktemp)
  mapfile -t new_services < <(_deps_services_new)
  # Expand the values now: they are local, and unset when the trap runs.
  # shellcheck disable=SC2064
  trap "_deps_finish '$log' ${new_services[*]}" EXIT
  # A second signal, from make or timeout, would end the EXIT trap before its first line.
  trap "trap '' INT TERM HUP; exit 130" INT
  trap "trap '' INT TERM HUP; exit 143" TERM HUP
  if [[ $manager == apt ]]; then
    _deps_quietly "$log" apt-get -q -o DPkg::Lock::Timeout=300 update || _deps_say 'apt-get update failed; going on with the lists that are here'
  fi
  # A single name that is not in the repositories would prevent the installation of all others.
  for each in $(_deps_packages "$manager" <<<"$rows"); do
    if _deps_offered "$manager" "$each"; then
      packages+=("$each")
    else
      _deps_say "no repository of this machine has $each${EXTRA_REPOSITORIES[$manager]}"
    fi
  done
  ((${#packages[@]} > 0)) || return 1
  _deps_say "installing ${packages[*]}"
  [[ $manager != apt ]] || _deps_policy_set "${new_services[@]}"
  "_deps_$manager" "$log" "${packages[@]}"
}

# Prints the usage.
# Usage: _deps_usage   Returns: 0
_deps_usage() {
  cat <<'END'
Usage: tools/deps.sh run|check|qemu|lab|packages [--dry-run] [NAME...]
  run        what a benchmark needs: Redis, a compiler, hiredis, ssh, screen, gnuplot, ...
  check      that, what the tests need, and servers of other releases of Debian in build/releases
  qemu       what a benchmark needs, and what make check-qemu needs
  lab        what a benchmark needs, and what make check-lab needs
  packages   what a benchmark needs, and what make deb, rpm and check-packages need
  NAME       only these things of the table, such as redis-server
  --dry-run  say what is missing and which packages would bring it; change nothing
Does nothing, without root or network, when nothing is missing.
END
}

# Fetches the servers of other releases that tests use; without them, those tests are skipped.
# Usage: _deps_releases SET [NAME...]   Returns: 0
_deps_releases() {
  [[ $* != check ]] || "${BASH_SOURCE[0]%/*}/releases.sh" || :
}

# Checks, reports, installs, and checks again.
# Usage: main run|check|qemu|lab|packages [--dry-run] [NAME...]   Returns: 0 all there, 1 not, 2 bad usage
main() {
  local set=${1:-} dry_run='' rows manager name names
  local -a sudo_command=(sudo)
  # Daemons and root tools may be in directories that are not in the PATH of a user.
  export PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin LC_ALL=C
  [[ $set != --help ]] || {
    _deps_usage
    return 0
  }
  if [[ ${2:-} == --dry-run ]]; then
    dry_run=1
    set -- "$set" "${@:3}"
  fi
  for name in "${@:2}"; do
    [[ $DEPENDENCIES == *" $name "* ]] || set=
  done
  if [[ ! $set =~ ^(run|check|qemu|lab|packages)$ ]]; then
    _deps_usage >&2
    return 2
  fi
  # An earlier installation may have been killed before it restored the policy; an active installation holds the lock.
  if [[ -w ${POLICY_FILE%/*} && -z $dry_run ]] && _deps_lock -n; then
    _deps_policy_restore
  fi
  rows=$(deps_missing "$@")
  [[ -n $rows ]] || {
    [[ -n $dry_run ]] || _deps_releases "$@"
    return 0
  }
  names=$(_deps_names <<<"$rows")
  if ! manager=$(_deps_manager); then
    _deps_say "neither apt-get nor dnf is here; install by hand: $names"
    return 1
  fi
  if [[ -n $dry_run ]]; then
    _deps_say "missing: $names"
    _deps_say "would install: $(_deps_packages "$manager" <<<"$rows" | paste -s -d ' ')"
    return 1
  fi
  if ((EUID != 0)); then
    # Without a terminal no password can be entered.
    [[ -t 0 ]] || sudo_command+=(-n)
    command -v sudo >/dev/null && "${sudo_command[@]}" -- "$BASH" -c : && exec "${sudo_command[@]}" -- "$BASH" "${BASH_SOURCE[0]}" "$@"
    _deps_say "missing: $names"
    _deps_say "root is needed; as root: ${manager/apt/apt-get} install $(_deps_packages "$manager" <<<"$rows" | paste -s -d ' ')"
    return 1
  fi
  _deps_say "missing: $names"
  _deps_install "$manager" <<<"$rows" || return 1
  hash -r
  rows=$(deps_missing "$@")
  [[ -z $rows ]] || {
    _deps_say "still missing: $(_deps_names <<<"$rows")"
    return 1
  }
  _deps_releases "$@"
}

# When this file is sent to another host as text, it has no file name, and the sender calls main.
[[ ${BASH_SOURCE[0]-} != "$0" ]] || main "$@"
