#!/usr/bin/env python3
"""against.py FOLDER: compares two programs by their results, FOLDER/old_N.csv and FOLDER/new_N.csv of paired runs N.

Prints for each case the medians of both over all runs and the median of the ratios new/old of the pairs with the
smallest and the largest. A case is slower if the new program's fastest run took more time than the old one's slowest,
and faster in the opposite case; any other difference is within the spread. Exit status 1 if a case is slower.
"""
import csv
import pathlib
import statistics
import sys


def read_times(path):
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row["name"]: float(row["median_us"]) for row in rows}


def read_runs(folder, who):
    runs = {}
    for path in folder.glob(f"{who}_*.csv"):
        runs[path.stem.removeprefix(f"{who}_")] = read_times(path)
    return runs


def verdict(old, new):
    if min(new) > max(old):
        return "slower"
    return "faster" if max(new) < min(old) else ""


def compare(folder):
    old, new = read_runs(folder, "old"), read_runs(folder, "new")
    if not new or old.keys() != new.keys():
        sys.exit(f"against: {folder} has no pairs of runs")
    names = dict.fromkeys(name for run in new.values() for name in run)  # in the order of the first run
    rows = []
    for name in names:
        measured = [n for n in new if name in new[n]]  # a run measures one engine
        if all(name in old[n] for n in measured):
            pairs = [(old[n][name], new[n][name]) for n in measured]
            rows.append((name, [before for before, _ in pairs], [after for _, after in pairs]))
    return rows, [name for name in names if all(name not in run for run in old.values())]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows, only_new = compare(pathlib.Path(sys.argv[1]))
    width = max([len(row[0]) for row in rows], default=0)
    slower = 0
    for name, old, new in rows:
        ratios = sorted(after / before for before, after in zip(old, new))
        word = verdict(old, new)
        slower += word == "slower"
        print(
            f"{name:{width}} {statistics.median(old):11.2f} -> {statistics.median(new):11.2f} us  "
            f"x {statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}) {word}".rstrip()
        )
    for name in only_new:
        print(f"{name:{width}} only in the new program")
    print(f"{len(rows)} cases, {slower} slower beyond the spread")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
