# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A comparison of two states of a host by `ab`, which only a boot changes: the kernel is started with one word of its command line, or another one. The
# host is its own master, so the ledger lives through each reboot, and through a loss of power.

# Run `ab` in the guest; what it prints is in LAB_WORK/out and err, the status in STATUS.
# Usage: boots_ab ARGUMENT...
boots_ab() {
  STATUS=0
  lab_ssh boots TIERBENCH_RESULTS_DIR=/srv/results tierbench ab "$@" >"$LAB_WORK/out" 2>"$LAB_WORK/err" </dev/null || STATUS=$?
  echo "# ab $*: exit $STATUS at $SECONDS s"
  sed 's/^/#   /' "$LAB_WORK"/{err,out}
}

# Print the ledger. Usage: boots_ledger
boots_ledger() {
  lab_ssh boots cat '/srv/results/ab/*/ledger.tsv'
}

# Print a fact of the first server for each trial that counts: SIDE VALUE.
# Usage: boots_fact NAME
boots_fact() {
  local side run
  boots_ledger | awk -F '\t' 'NR > 2 { print $3, $4 }' | while read -r side run; do
    echo "$side $(lab_ssh boots sed -n "'s/^$1\\t//p'" "/srv/results/ab/*/runs/$run/env/127.0.0.1/env.tsv" </dev/null)"
  done
}

# Begin the fourth trial on the boot of the third one, which is of the other side. The host loses its power in it, and boots as before.
boots_wrong() {
  local kept end=$((SECONDS + 200))
  kept=$(boots_ledger)
  lab_ssh boots 'TIERBENCH_RESULTS_DIR=/srv/results nohup tierbench ab --next >next 2>&1 </dev/null &'
  until lab_ssh boots grep -q "'phase populate starts'" next; do
    if ((SECONDS > end)); then return 1; fi
    sleep 1 # between two polls
  done
  lab_reset boots
  lab_ready boots || return
  boots_ab --next
  check 'a loss of power in a trial, and the wrong boot: the trial runs again, does not count, and why' \
    '^1 .*trial 4, side [a-z]+: does not count: its kernel was started with "transparent_hugepage=[a-z]+", and had "transparent_hugepage=[a-z]+";' \
    "$STATUS $(tr '\n' ' ' <"$LAB_WORK/err")"
  check 'the ledger is as before' '^$' "$(diff <(echo "$kept") <(boots_ledger) || :)"
}

boots_checks() {
  local LAB_APPEND=transparent_hugepage=never trial side order ids=''
  lab_boot boots 5 trixie 768M 1
  lab_ready boots && lab_install boots && lab_libraries boots || return
  lab_ssh boots 'cat >never.conf && sed s/^LABEL=.*/LABEL=always/ never.conf >always.conf' <<'END'
SERVER=127.0.0.1
CLIENT_IP=127.0.0.1
VARIANTS=native
LABEL=never
INSTANCES=1
VALUE_SIZES=1000
KEYS=300
PHASES="populate get"
TIME=1
CONNECTIONS=1
REDISRUNS=1
RESERVE=64M
REPLY_TIMEOUT=240
REPORT=off
KERNEL.thp=keep
END
  boots_ab --seed 6 --trials 3 never.conf always.conf
  check 'sides that are states of the host: it says that each trial needs its boot' \
    'the sides differ in no setting but LABEL: before each trial, boot the host into the side that' "$(<"$LAB_WORK/err")"
  order=$(boots_ledger | cut -f 1-3)
  for trial in 1 2 3 4 5 6; do
    if ((trial == 3)); then
      # At once after the second trial, which is of the same side.
      lab_reset boots
      lab_ready boots || return
      check 'after a loss of power the ledger has the trial that had counted' '^2$' "$(boots_ledger | awk -F '\t' 'NR > 2 && $4 != "-"' | wc -l)"
      check 'and all files of its run' '^$' "$(lab_ssh boots 'cd /srv/results/ab/*/runs && for run in *; do tierbench verify $run >/dev/null || echo $run; done' 2>&1)"
    fi
    ((trial != 4)) || boots_wrong || return
    boots_ab --side
    side=$(<"$LAB_WORK/out")
    # The first trial may be of the side that is booted.
    if ((trial != 3)) && { ((trial > 1)) || [[ $side != never ]]; }; then
      lab_reboot boots "transparent_hugepage=$side" || return
    fi
    ids+="$side $(lab_ssh boots cat /proc/sys/kernel/random/boot_id)"$'\n'
    boots_ab --next
    check "trial $trial: it counts" '^0$' "$STATUS"
  done
  check 'the order of the trials is that of the new ledger' '^$' "$(diff <(echo "$order") <(boots_ledger | cut -f 1-3) || :)"
  check 'the boots of the ledger are those of the host, and all differ' '^6 $' \
    "$(cut -d ' ' -f 2 <<<"${ids%$'\n'}" | sort -u | wc -l) $(diff <(printf '%s' "$ids") <(boots_ledger | awk -F '\t' 'NR > 2 { print $3, $6 }') || :)"
  check 'each trial ran on the kernel that was booted for its side' '^3 always always 3 never never $' \
    "$(boots_fact thp.enabled | sort | uniq -c | awk '{ printf "%s %s %s ", $1, $2, $3 }')"
  check 'runs that did not count stay' '^8$' "$(lab_ssh boots ls '/srv/results/ab/*/runs' | wc -l)"
  check 'the verdict: pairs, boots and figures' 'always against never: 3 pairs .*never: Redis [^,]*, Linux [^,]*, 3 boots.*always: Redis [^,]*, Linux [^,]*, 3 boots.*always reaches ' \
    "$(tr '\n' ' ' <"$LAB_WORK/out")"
  check 'the verdict names what the boots changed' 'differs: [^:]*kernel[.]cmdline' "$(<"$LAB_WORK/err")"
  lab_off boots
}
