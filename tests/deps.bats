#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The set-up installs what is missing and nothing else, and restores the policy for services.
# slow

load helper
load releases

prepare() {
  # Stand-ins for the package manager: they record their calls, and install nothing.
  mkdir bin sbin
  export POLICY_FILE=$SCRATCH/sbin/policy-rc.d CALLS=$SCRATCH/calls TMPDIR=$SCRATCH
  : >"$CALLS"
}

# Put a stand-in for a command first in the PATH of `deps`. It records its arguments, then runs TEXT.
# Usage: stand_in NAME TEXT
stand_in() { program_make "bin/$1" '#!/bin/bash\nprintf "%%s\\n" "%s $*" >>"$CALLS"\n%s\n' "$1" "$2"; }

# Link every command of this machine into bin/, except screen, which is the missing one.
without_screen() {
  commands_link screen sudo apt-cache
  # The real one, which first.bats calls, takes most of a second of CPU time. No test looks at its calls, so they are not recorded.
  program_make bin/apt-cache '#!/bin/sh\necho "  Candidate: 1.0"\n'
  # Installing it makes it appear. The policy is asked as by a package's script.
  stand_in apt-get '
    [[ " $* " == *" install "* ]] || exit 0
    for service in valkey-server valkey-server.service cron; do
      status=0
      "$POLICY_FILE" "$service" start || status=$?
      printf "policy %s %s\n" "$service" "$status" >>"$CALLS"
    done
    : >installing
    [[ ! -e hold ]] || sleep 60
    [[ ! -e break ]] || { echo "E: no such luck"; exit 100; }
    printf "#!/bin/sh\n" >bin/screen
    chmod 755 bin/screen'
}

# Run the set-up with bin/ as the only directory of PATH.
deps() { PATH=$SCRATCH/bin "$REPO/tools/deps.sh" "$@"; }

@test "nothing missing: nothing is called, nothing is said; bad usage is refused" {
  for name in redis-trixie valkey-trixie valkey-sid; do release_server "$name"; done
  stand_in apt-get 'exit 1'
  prints '' run env PATH="$SCRATCH/bin:$PATH" "$REPO/tools/deps.sh" check
  assert_equal "$(<"$CALLS")" ''
  for args in '' nonsense 'run --nonsense' 'run --dry-run more'; do
    # shellcheck disable=SC2086 # words
    refuses 2 Usage run_split "$REPO/tools/deps.sh" $args
  done
}

@test "a dry run reports what is missing and installs nothing; what make check-qemu, check-lab and check-packages need are sets of their own" {
  without_screen
  fails 1 run deps run --dry-run
  assert_output $'deps: missing: screen\ndeps: would install: screen'
  assert_equal "$(<"$CALLS")" ''
  refute_exists "$POLICY_FILE"
  rm -f bin/busybox bin/qemu-system-x86_64 bin/xz bin/bats
  fails 1 run deps qemu --dry-run
  assert_line 'deps: missing: screen qemu-system-x86_64 busybox xz'
  assert_line 'deps: would install: busybox-static qemu-system-x86 screen xz-utils'
  # A Python without the module that makes environments lacks a package.
  stand_in python3 '[[ $2 != "import ensurepip" ]]'
  fails 1 run deps check --dry-run
  assert_line 'deps: missing: screen bats ensurepip' 'deps: would install: bats python3-venv screen'
  rm -f bin/mmdebstrap
  run deps lab --dry-run
  assert_line 'deps: missing: screen mmdebstrap'
  fails 1 run deps packages --dry-run mmdebstrap redis-server
  assert_output $'deps: missing: mmdebstrap\ndeps: would install: mmdebstrap'
}

@test "only what is missing is installed, and it is said; new services may not start during that, others may; afterwards there is no policy, as before" {
  need_root
  without_screen
  succeeds run deps run
  assert_line 'deps: installing screen'
  assert_match 'apt-get .*--no-install-recommends.* install screen'$'\n' "$(<"$CALLS")"$'\n'
  assert_contains $'policy valkey-server 101\npolicy valkey-server.service 101\npolicy cron 0' "$(<"$CALLS")"
  assert_equal "$(ls -A sbin)" ''
  # The second run has nothing to do.
  : >"$CALLS"
  prints '' run deps run
  assert_equal "$(<"$CALLS")" ''
}

@test "an existing policy still decides on other services, and is restored, also one that was a link, after an installation that fails" {
  need_root
  without_screen
  printf '#!/bin/sh\n# mine\n[ "$1" = cron ] && exit 104\nexit 101\n' >"$POLICY_FILE"
  chmod 751 "$POLICY_FILE"
  before=$(
    stat -c '%a %y %i' "$POLICY_FILE"
    cat "$POLICY_FILE"
  )
  succeeds run deps run
  assert_contains $'policy valkey-server 101\npolicy valkey-server.service 101\npolicy cron 104' "$(<"$CALLS")"
  assert_equal "$(
    stat -c '%a %y %i' "$POLICY_FILE"
    cat "$POLICY_FILE"
  )" "$before"
  assert_equal "$(ls -A sbin)" policy-rc.d
  rm bin/screen
  ln -sf /bin/true "$POLICY_FILE"
  : >"break"
  refuses 1 'E: no such luck' run_split deps run
  assert_equal "$(readlink "$POLICY_FILE")" /bin/true
  assert_equal "$(ls -A sbin)" policy-rc.d
}

@test "a package that no repository has is named, and the others are installed; with dnf, its own package names are used" {
  need_root
  without_screen
  rm -f bin/vmstat
  stand_in apt-cache '[[ $2 == procps ]] || echo "  Candidate: 1.0"'
  fails 1 run deps run
  assert_match 'no repository of this machine has procps'
  assert_line 'deps: installing screen' 'deps: still missing: vmstat'
  rm bin/{apt-get,screen}
  stand_in dnf '
    [[ " $* " != *" install "* ]] || { printf "#!/bin/sh\n" >bin/screen; chmod 755 bin/screen; }'
  rm -f bin/vmstat
  run deps run --dry-run
  assert_line 'deps: would install: procps-ng screen'
  ln -s "$(command -v vmstat)" bin/vmstat
  succeeds run deps run
  assert_match 'dnf .*install screen$' "$(<"$CALLS")"
  assert_equal "$(ls -A sbin)" ''
}

@test "Ctrl-C in the middle, or while the policy is restored, the first or the second, puts the policy back, and the next call puts back what a killed installation left" {
  need_root
  without_screen
  echo mine >"$POLICY_FILE"
  : >hold
  for signal in INT:130 KILL:137; do
    rm -f installing
    job_start env PATH="$SCRATCH/bin" "$REPO/tools/deps.sh" run
    wait_until 10 test -e installing
    refute_contains mine "$(<"$POLICY_FILE")"
    # A terminal sends it to the whole process group.
    kill -s "${signal%:*}" -- "-$JOB_PID"
    job_wait 10
    assert_equal "$status" "${signal#*:}"
    if [[ $signal == KILL* ]]; then
      refute_contains mine "$(<"$POLICY_FILE")"
      succeeds run "$REPO/tools/deps.sh" run
    fi
    assert_equal "$(<"$POLICY_FILE")" mine
    assert_equal "$(ls -A sbin)" policy-rc.d
  done
  # A terminal sends it to the whole process group. The cleanup removes its log first.
  stand_in apt-get '[[ " $* " != *" install "* ]] || { cp "$POLICY_FILE" during; [[ ! -e first ]] || kill -INT 0; }'
  stand_in rm '[[ " $* " != *" $TMPDIR/tmp."* ]] || kill -INT 0; exec '"$(command -v rm)"' "$@"'
  for first in 1 130; do
    echo mine >"$POLICY_FILE"
    job_start env PATH="$SCRATCH/bin" "$REPO/tools/deps.sh" run
    job_wait 20
    # Nothing was installed, which is the status if the signal is ignored.
    assert_equal "$status" "$first"
    refute_contains mine "$(<during)"
    assert_equal "$(<"$POLICY_FILE")" mine
    assert_equal "$(ls -A sbin)" policy-rc.d
    : >first
  done
}

@test "without root and without sudo, or without the right to use it, the last line is the command for root" {
  need_root
  without_screen
  # The checkout may be in a directory that no other user can read.
  cp "$REPO/tools/deps.sh" .
  chmod 755 . bin
  chmod 666 calls
  local -a nobody=(env PATH="$SCRATCH/bin" setpriv --reuid=65534 --regid=65534 --clear-groups bash)
  "${nobody[@]}" -c : || skip 'no other user can run a program here'
  fails 1 run "${nobody[@]}" deps.sh run
  assert_output $'deps: missing: screen\ndeps: root is needed; as root: apt-get install screen'
  stand_in sudo 'echo "sudo: a password is required" >&2; exit 1'
  fails 1 run "${nobody[@]}" deps.sh run
  assert_equal "${lines[-1]}" 'deps: root is needed; as root: apt-get install screen'
  # With the right, the same command runs as root.
  stand_in sudo 'while [[ $1 == -* ]]; do shift; done; [[ $2 == -c ]] || echo "root: ${*:2}"'
  prints 'root: deps.sh run' run "${nobody[@]}" deps.sh run
}
