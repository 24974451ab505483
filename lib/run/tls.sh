# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# TLS connections between load generators and instances (TLS=on): the master's side.
#
# Instances then accept TLS connections only, with a certificate that the server makes for each start; its key stays on the server. Commands that the
# server's scripts send (PING, INFO) use a unix socket.

# Whether a variant of this run has TLS=on: then the build with TLS loads all variants, so that they are compared with the same program.
# Usage: tls_wanted
# Globals: TLS VARIANTS
tls_wanted() {
  local variant
  [[ $TLS == off && $SWEEP != *TLS=* ]] || return 0
  for variant in $VARIANTS; do
    ! (plan_enter "$variant" '' && [[ $TLS == on ]]) || return 0
  done
  return 1
}

# The path of the load generator here.
# Usage: tls_program
# Returns: sets REPLY
tls_program() {
  REPLY=$ROOT/test
  ! tls_wanted || REPLY=$ROOT/build/tls/test
}

# Print the options of ./test for the running instances.
# Usage: tls_options FILE
#   FILE is the certificate on the host of ./test
# Globals: SERVER_CERTIFICATE
tls_options() {
  [[ -z $SERVER_CERTIFICATE ]] || printf '%s\n' --tls --cacert "$1"
}

# Print whether server and this machine have what TLS=on requires, as rows HOST STATE FOUND WANTED FIX.
# Usage: tls_try
# Globals: TLS HOST REDIS_BINARY
tls_try() {
  local said state found fix
  [[ $TLS == on ]] || return 0
  if [[ ! -x $ROOT/build/tls/test ]]; then
    # In a checkout, a run builds it, like ./test.
    if build_installed || ! run_limited 10 pkg-config --exists openssl 2>/dev/null; then
      printf '%s\tfail\tthe load generator is built without TLS\tTLS=on\t%s\n' "$HOST" 'make tls, after tools/deps.sh run pkg-config openssl'
    fi
  fi
  # A Redis that is not installed yet is checked after its installation.
  [[ -n $REDIS_BINARY ]] || return 0
  said=$(call_run "$HOST" redis tls) || return
  while IFS=$'\t' read -r state found; do
    fix=-
    [[ $state == ok ]] || fix=REDIS=package
    [[ $found != *' is missing' ]] || fix='install: openssl redis-cli'
    printf '%s\t%s\t%s\tTLS=on\t%s\n' "$HOST" "$state" "$found" "$fix"
  done <<<"$said"
}
