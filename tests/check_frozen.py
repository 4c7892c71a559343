#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Refuses a change of tests/data/format-1: a file edited, taken out, or there without a line.

Each line of INDEX.csv holds the SHA-256 of its file, and PINS below hold that of the list itself,
release by release. A release that has something new adds files, lines at the end of the list, and
a pin. It never changes a line, a file or a pin: users have such files.
"""

import csv
import hashlib
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "format-1")
BESIDES = {"INDEX.csv", "README.md"}

# The release, its number of lines (the first, with the names of the columns, counts), and the
# SHA-256 of the list up to there.
PINS = [
    ("1.0", 36, "30aa96bb412bb5874b3cef0468961257e1e50d40a58752a2739699e290a46210"),
    ("1.0 with schemes 4 and 5 and layout 2", 54,
     "471b6b37d518f01ff703a40ea6abc1505264ca3891264746bfccaeaa6ef7c2a6"),
]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def contents(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def wrong_pins(lines):
    for release, count, digest in PINS:
        found = sha256(b"".join(lines[:count]))
        if len(lines) < count or found != digest:
            yield "INDEX.csv: the lines of %s (the first %d) were changed: %s" % (
                release, count, found)
    if len(lines) != PINS[-1][1]:
        yield "INDEX.csv: %d lines; the pin of the last release is for %d" % (
            len(lines), PINS[-1][1])


def wrong_files(rows):
    listed = [row["file"] for row in rows]
    present = set(os.listdir(FOLDER)) - BESIDES
    for name in sorted(set(listed) - present):
        yield "%s: taken out" % name
    for name in sorted(present - set(listed)):
        yield "%s: not listed in INDEX.csv" % name
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        yield "%s: listed twice" % name
    for row in rows:
        if row["file"] in present and sha256(contents(row["file"])) != row["sha256"]:
            yield "%s: its SHA-256 is %s" % (row["file"], sha256(contents(row["file"])))


def main():
    text = contents("INDEX.csv")
    rows = list(csv.DictReader(text.decode("ascii").splitlines()))
    wrong = [*wrong_pins(text.splitlines(keepends=True)), *wrong_files(rows)]
    for line in wrong:
        print(line)
    print("%d files, %d faults" % (len(rows), len(wrong)))
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
