#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes logs with ./test and has the hdrhistogram package of PyPI read them.
# Usage: hlog_crosscheck.sh PYTHON     a Python that has hdrhistogram
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/private_redis.sh
loadgen=$PWD/test
redis_start -
OMP_NUM_THREADS=2 "$loadgen" --instances 1 --phases populate,get,mixed --keys uniform --time 2 --interval 0.3 -c 5 --rate 20000 --arrival poisson \
  --out "$redis_work/out" 127.0.0.1 "$redis_port" 100 20000 >"$redis_work/log"
"$1" tests/hlog_crosscheck.py "$redis_work/out"
