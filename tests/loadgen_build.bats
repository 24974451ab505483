#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The build of the load generator: with TLS, with the user's hiredis, and the message without a hiredis.

load helper
load loadgen

# Build a copy of the sources once: with a hiredis of the user's own if the distribution has a static library, and with TLS if OpenSSL is there.
setup_file() {
  local library headers own=$BATS_FILE_TMPDIR/own
  # The optimization takes most of the build's time, and nothing here is measured.
  export CFLAGS='-O0 -g0' BUILD_WORDS=''
  library=$(gcc -print-file-name=libhiredis.a)
  if [[ -e $library ]]; then
    mkdir -p "$own/hiredis"
    headers=$(dirname "$(printf '#include <hiredis/hiredis.h>\n' | gcc -E -x c - | sed -n 's/^# 1 "\(.*hiredis\.h\)".*/\1/p')")
    cp "$headers"/*.h "$own/hiredis/"
    cp "$library" "$own/"
    BUILD_WORDS="HIREDIS_DIR=$own"
  fi
  ! pkg-config --exists openssl || BUILD_WORDS+=' TLS=1'
  mkdir "$BATS_FILE_TMPDIR/tree"
  tar -C "$REPO" --exclude=build -cf - Makefile test.c lib/loadgen | tar -C "$BATS_FILE_TMPDIR/tree" -xf -
  cp -a "$BATS_FILE_TMPDIR/tree" "$BATS_FILE_TMPDIR/built"
  # shellcheck disable=SC2086 # words
  make -s -C "$BATS_FILE_TMPDIR/built" test $BUILD_WORDS
}

@test "no hiredis: one clear line, and nothing half built" {
  cp -a "$BATS_FILE_TMPDIR/tree/." .
  PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=/nowhere fails any run_split make -s test
  assert_contains "pkg-config finds no hiredis: install libhiredis-dev (hiredis-devel), or give HIREDIS_DIR= or REDIS_SRC=" "$STDERR"
  refute_exists test
  refuses any "no hiredis.h and libhiredis.a in /nowhere" run_split make -s test HIREDIS_DIR=/nowhere
  PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=/nowhere refuses any "pkg-config finds no" run_split make -s test TLS=1
}

@test "a hiredis of the user's own, from its own folder, linked in statically, as that of the distribution is" {
  [[ $BUILD_WORDS == HIREDIS_DIR=* ]] || skip "the distribution's hiredis has no static library"
  refute_contains libhiredis.so "$(ldd "$BATS_FILE_TMPDIR/built/test" "$REPO/test")"
  # The one of pkg-config too: its headers are of that release.
  printf '%s\n' Name:x Description:x Version:9 "Libs: -L$BATS_FILE_TMPDIR/own -lhiredis" >hiredis.pc
  PKG_CONFIG_PATH=$PWD run_split make -s -C "$BATS_FILE_TMPDIR/tree" --eval 'libraries: ; @echo $(HIREDIS_LIBS)' libraries
  assert_equal "$output" "$BATS_FILE_TMPDIR/own/libhiredis.a"
  redis_start
  OMP_NUM_THREADS=1 succeeds run_split "$BATS_FILE_TMPDIR/built/test" --out out 127.0.0.1 "$REDIS_PORT" 100 100
}

# Build ./test anew with a linker that fails: the program stays as it is.
# Usage: unlinked   Globals: BUILD_WORDS
unlinked() {
  local before
  before=$(sha256sum ./test)
  touch test.c
  # shellcheck disable=SC2086 # words
  fails any run_split make -s test LDFLAGS=-Wl,--defsym,main=undefined_here $BUILD_WORDS
  assert_equal "$(sha256sum ./test)" "$before"
  succeeds run_split ./test --version
}

@test "a program that cannot be linked again stays as it is; TLS where OpenSSL is; where it is not, the option is refused" {
  cp -a "$BATS_FILE_TMPDIR/built/." .
  unlinked
  if ! pkg-config --exists openssl; then
    refuses 2 "--tls" run_split ./test --tls 127.0.0.1 1
    return
  fi
  need_command openssl
  cat >waits.c <<'END'
#include <stdio.h>
#include <sys/epoll.h>

static int waits;

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
    waits++;
    return epoll_pwait(epoll, events, most, timeout, NULL);
}

__attribute__((destructor)) static void report(void)
{
    FILE *f = fopen("waits", "w");
    if (f) fprintf(f, "%d\n", waits);
}
END
  openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=redis.example \
    -addext subjectAltName=IP:127.0.0.1,DNS:redis.example 2>/dev/null
  local port
  port=$(ports_pick 1)
  redis_start --tls-port "$port" --tls-cert-file "$PWD/cert.pem" --tls-key-file "$PWD/key.pem" --tls-auth-clients no --tls-ca-cert-file "$PWD/cert.pem"
  OMP_NUM_THREADS=1 succeeds run_split ./test --tls --cacert cert.pem --out out 127.0.0.1 "$port" 100 1000
  # A value of many records of 16 KiB is made once, not for each of them: every wait for the socket would do that. 48 MB have 2,930 records.
  gcc -shared -fPIC -o waits.so waits.c
  LD_PRELOAD=$PWD/waits.so OMP_NUM_THREADS=1 succeeds run_split ./test --tls --cacert cert.pem --out out -c 1 -P 16 --phases set 127.0.0.1 "$port" 1000000 48
  (($(<waits) < 1000)) || fail "the socket was waited for $(<waits) times"
  OMP_NUM_THREADS=1 succeeds run_split ./test --tls --cacert cert.pem --out out --no-flush --phases get 127.0.0.1 "$port" 1000000 48
  # A certificate with another name is of another server; the name may be given separately from the address.
  OMP_NUM_THREADS=1 fails 1 run_split ./test --tls --cacert cert.pem --out out localhost "$port" 100 1000
  assert_match "cannot use localhost:$port: TLS: .*[Hh]ostname mismatch" "$STDERR"
  OMP_NUM_THREADS=1 succeeds run_split ./test --tls --cacert cert.pem --sni redis.example --out out localhost "$port" 100 1000
  # A server that accepts the connection and says nothing is given up.
  delay_server silent
  OMP_NUM_THREADS=1 fails 1 run_split timeout 300 ./test --tls --cacert cert.pem --connect-timeout 1 --out out 127.0.0.1 "$DELAY_PORT" 100 1000
  assert_contains "TLS: no handshake in 1 s" "$STDERR"
  # A certificate that is not trusted is not of our server.
  OMP_NUM_THREADS=1 fails any run_split ./test --tls --cacert /etc/hostname --out out 127.0.0.1 "$port" 100 1000
}
