#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what a load generator printed with the truth: the log of server.c.

Usage: compare.py FORMAT FILE LOG           a closed loop: a latency lasts from the arrival of the request until its reply was sent
       compare.py FORMAT FILE LOG RATE      an open loop: it lasts from the time at which a schedule of RATE requests per second has the request
FORMAT: test (FILE is result.tsv), redis (the text of redis-benchmark or valkey-benchmark) or memtier (its JSON; each
of its connections has a separate schedule)
Prints, by tabs: the true p50, p99 and p99.9 in ms, then the errors of these, of the rate and of the count in %. Count and rate are always the log's.
"""
import json
import math
import re
import sys

SHARES = (50, 99, 99.9)


def percentiles(values):
    values = sorted(values)
    return [values[math.ceil(share / 100 * len(values) - 1e-9) - 1] for share in SHARES]


def schedule(lines, rate):
    """The latencies in us of requests that were due at exact times, in the order of their arrival. No request arrives before it is due."""
    lines = sorted(lines)
    start = min(arrived - i * 1e9 / rate for i, (arrived, _, _) in enumerate(lines))
    return [(sent - start - i * 1e9 / rate) / 1000 for i, (_, sent, _) in enumerate(lines)]


def schedule_each(lines, rate):
    """The same, where each connection has a schedule of its own and an equal part of the rate."""
    own = {}
    for line in lines:
        own.setdefault(line[2], []).append(line)
    return [us for each in own.values() for us in schedule(each, rate / len(own))]


def read_test(path):
    with open(path, encoding="ascii") as file:
        names, values = [line.rstrip("\n").split("\t") for line in file][:2]
    row = dict(zip(names, values))
    return [float(row[name]) for name in ("p50_us", "p99_us", "p99_9_us", "ops_per_sec")] + [int(row["ops"]) + int(row["late"])]


def read_redis(path):
    """The median and p99 are of the summary, p99.9 of the first line of the distribution that reaches it."""
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("\r", "\n")
    count = re.search(r"(\d+) requests completed", text).group(1)
    rate = re.search(r"throughput summary: ([\d.]+)", text).group(1)
    summary = re.search(r"latency summary.*\n.*\s+([\d. ]+)", text).group(1).split()
    tail = [float(ms) for share, ms in re.findall(r"([\d.]+)% <= ([\d.]+) milliseconds \(cumulative", text) if float(share) >= 99.9]
    return [float(summary[2]) * 1000, float(summary[4]) * 1000, tail[0] * 1000, float(rate), int(count)]


def read_memtier(path):
    with open(path, encoding="utf-8") as file:
        row = json.load(file)["ALL STATS"]["Totals"]
    return [row["Percentile Latencies"][name] * 1000 for name in ("p50.00", "p99.00", "p99.90")] + [row["Ops/sec"], row["Count"]]


def main():
    form, path, log = sys.argv[1:4]
    with open(log, encoding="ascii") as file:
        lines = [[int(each) for each in line.split()] for line in file]
    true = [(sent - arrived) / 1000 for arrived, sent, _ in lines]
    if len(sys.argv) > 4:
        true = (schedule_each if form == "memtier" else schedule)(lines, float(sys.argv[4]))
    took = max(line[1] for line in lines) - min(line[0] for line in lines)
    truth = percentiles(true) + [len(lines) / took * 1e9, len(lines)]
    said = {"test": read_test, "redis": read_redis, "memtier": read_memtier}[form](path)
    print("\t".join(["%.4g" % (us / 1000) for us in truth[:3]] + ["%+.1f" % (round(100 * (a / b - 1), 1) + 0.0) for a, b in zip(said, truth)]))


if __name__ == "__main__":
    main()
