# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The instances' certificate, made here for each start; the key never leaves this host. Globals: TLS, SERVER_ADDRESS.

# Make tls.key and tls.crt in this directory. The certificate is self-signed: clients trust only this certificate.
# Usage: host_tls_make
# Globals: SERVER_ADDRESS
host_tls_make() {
  local kind=DNS
  [[ $TLS == on ]] || return 0
  [[ ! $SERVER_ADDRESS =~ ^[0-9.]+$|: ]] || kind=IP
  command -v openssl >/dev/null || fail "TLS=on requires openssl, which is missing"
  run_limited 20 openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=tierbench \
    -addext "subjectAltName=$kind:$SERVER_ADDRESS" -keyout tls.key -out tls.crt 2>tls.log ||
    fail "openssl cannot make a certificate: $(said_why <tls.log)"
  host_user_give tls.key tls.crt
}

# Print the directives of an instance. Its paths are relative to its own directory.
# Usage: host_tls_conf PORT
host_tls_conf() {
  if [[ $TLS == on ]]; then
    printf 'port 0\ntls-port %s\ntls-cert-file ../tls.crt\ntls-key-file ../tls.key\ntls-ca-cert-file ../tls.crt\ntls-auth-clients no\n' "$1"
    # For commands from this host.
    printf 'unixsocket redis.sock\nunixsocketperm 700\n'
  else
    printf 'port %s\n' "$1"
  fi
}
