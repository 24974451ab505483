#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read .hlog and .hgrm files with the hdrhistogram package and compare them with result.tsv.

Usage: hlog_crosscheck.py OUT_FOLDER
Prints `ok` or `not ok` for each phase; exit 1 when anything differs.
"""
import csv
import math
import pathlib
import sys
from fractions import Fraction

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader


def read_log(path):
    """All intervals of a log in one histogram, and how many there were."""
    total = HdrHistogram(1, 3600000000000, 3)
    reader = HistogramLogReader(str(path), total)
    intervals = 0
    while True:
        histogram = reader.get_next_interval_histogram()
        if histogram is None:
            return total, intervals
        total.add(histogram)
        intervals += 1


def in_ns(text):
    """A latency of a table, in us with its fraction, as whole ns."""
    return round(float(text) * 1000)


def value_at(log, percent):
    """The value at a percentile, by the rank that is rounded up. The package rounds it to the nearest, which can be the slot before."""
    rank = math.ceil(Fraction(str(percent)) * log.get_total_count() / 100)
    for item in log.get_recorded_iterator():
        if item.total_count_to_this_value >= rank:
            return log.get_highest_equivalent_value(item.value_iterated_to)
    return 0


def read_percentiles(path):
    """Rows (value, fraction, count) of a percentile file, and its total count."""
    rows, total = [], None
    for line in path.read_text().splitlines():
        if line.startswith("#[Max"):
            total = int(line.split("=")[2].strip(" ]"))
        elif line.strip() and line.split()[0][0].isdigit():
            fields = line.split()
            rows.append((float(fields[0]), float(fields[1]), int(fields[2])))
    return rows, total


def check(folder, phase, row):
    """Differences of one phase, as text."""
    log, _ = read_log(folder / f"{phase}.hlog")
    rows, total = read_percentiles(folder / f"{phase}.hgrm")
    slot_max = log.get_highest_equivalent_value(in_ns(row["max_us"]))
    wrong = []
    samples = int(row["ops"]) + int(row["late"]) + int(row["unanswered"])
    if not log.get_total_count() == samples == total:
        wrong.append(f"counts: hlog {log.get_total_count()}, result {samples}, hgrm {total}")
    for name, percent in (("p50_us", 50), ("p90_us", 90), ("p99_us", 99), ("p99_9_us", 99.9), ("p99_99_us", 99.99)):
        theirs, ours = value_at(log, percent), in_ns(row[name])
        if theirs != ours and not (ours == in_ns(row["max_us"]) and theirs == slot_max):
            wrong.append(f"{name}: {theirs} by the reader, {ours} in result.tsv")
    for value, fraction, count in rows[:-1]:
        if log.get_count_at_value(in_ns(value)) == 0:
            wrong.append(f"hgrm has {value} at {fraction}, where the log has no sample")
    if log.get_max_value() != slot_max:
        wrong.append(f"max: {log.get_max_value()} by the reader, {row['max_us']} in result.tsv")
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1])
    failed = 0
    with open(folder / "result.tsv", newline="") as file:
        for number, row in enumerate(csv.DictReader(file, delimiter="\t"), 1):
            phase = row["operation"]
            wrong = check(folder, phase, row)
            failed |= bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} - the hdrhistogram package reads {phase}: {row['ops']} samples")
            for line in wrong:
                print(f"# {line}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
