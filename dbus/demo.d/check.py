"""Judges what other programs of the demo wrote; prints figures as shell assignments, and fails where something is wrong.

Usage: check.py pushes FILE               no gap and nothing twice in the numbers of pushes; how much they told
       check.py writers FILE... -- FILE   acknowledged saves of writers (first), against what the store has (last)
"""
import csv
import json
import sys


def fail(text):
    sys.exit(f"check.py: {text}")


def pushes(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    numbers = [line["number"] for line in lines]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        fail(f"{path}: the numbers have gaps or repeat: {numbers}")
    print(f"pushed={len(lines)}")
    print(f"pushed_inserts={sum(line['inserted'] for line in lines)}")
    print(f"pushed_merged={sum(len(line.get('held', [])) for line in lines)}")
    print(f"pushed_asked={sum(line.get('roundTrips', 0) for line in lines)}")


def writers(logs, stored):
    with open(stored, encoding="utf-8") as file:
        rows = [(row["writer"], int(row["number"])) for row in csv.DictReader(file)]
    if len(rows) != len(set(rows)):
        fail("a save was applied twice")
    found = set(rows)
    acknowledged = 0
    for log in logs:
        name = log.rsplit("/", 1)[-1].split(".")[0]
        with open(log, encoding="utf-8") as file:
            last = max((json.loads(line)["rows"] for line in file), default=0)
        lost = [number for number in range(1, last + 1) if (name, number) not in found]
        if lost:
            fail(f"{name}: acknowledged and lost: {lost}")
        acknowledged += last
    print(f"acknowledged={acknowledged}")
    print(f"stored={len(rows)}")


if sys.argv[1] == "pushes":
    pushes(sys.argv[2])
else:
    middle = sys.argv.index("--")
    writers(sys.argv[2:middle], sys.argv[middle + 1])
