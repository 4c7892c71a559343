#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The benchmark measures what it should: benchmark.py BLOOMFILTER-BENCH BLOOMFILTER.H

Nothing here looks at how fast anything was. Every scheme and layout of the header is measured, in
every call and operation; the baseline over libb2 answers every question as the library does; all
parts and goals are there; and the tables have the cells that their heads promise.
"""

import json
import re
import subprocess
import sys

CALLS = {"single", "batch"}
OPERATIONS = {"add", "positive", "negative"}
SIZE = 10000
GOALS = 10
WHOLE_FILTERS = {"union", "intersect", "get_info", "clear", "copy", "save", "load",
                 "load from the disk", "verify a map", "open a map", "open a map, caches cold"}


def run(program, *options):
    return subprocess.run([program, "--quick", "--sizes", "1e4", *options], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout


def ids_of_header(path, prefix):
    with open(path, encoding="utf-8") as header:
        values = re.findall(rf"^    {prefix}_\w+ = (\d+)", header.read(), re.M)
    return {int(value) for value in values}


def check_keys(rows, header):
    own = [row for row in rows if row["kind"] == "library"]
    pairs = {(row["hash_id"], row["layout_id"]) for row in own}
    assert {scheme for scheme, _ in pairs} == ids_of_header(header, "BLOOMFILTER_HASH"), pairs
    assert {layout for _, layout in pairs} == ids_of_header(header, "BLOOMFILTER_LAYOUT"), pairs
    cells = {(row["hash_id"], row["layout_id"], row["call"], row["operation"]) for row in own}
    assert len(cells) == len(own) == len(pairs) * len(CALLS) * len(OPERATIONS), cells
    assert {row["scheme"] for row in rows if row["kind"] == "floor"} == {
        "one random cache line", "seven random cache lines"}
    for row in rows:
        assert row["size"] == SIZE and row["call"] in CALLS and row["operation"] in OPERATIONS, row
        assert 0 < row["minimum_ns"] <= row["median_ns"] and row["measurements"] >= 5, row
        assert 0.005 < row.get("false_positive_rate", 0.01) < 0.02, row


def check_baseline(rows):
    """The baseline is scheme 1: the same bits, so the same false positives, to the last one."""
    def rate(**wanted):
        return {row["false_positive_rate"] for row in rows if row["operation"] == "negative"
                and all(row.get(name) == value for name, value in wanted.items())}
    assert len(rate(kind="libb2")) == 1
    assert rate(kind="libb2") == rate(kind="library", hash_id=1, layout_id=1)


def is_good(figure):
    if "at_most" in figure:
        return figure["value"] <= figure["at_most"]
    return figure["value"] >= figure["at_least"]


def check_verdict(goal):
    figures = [figure for figure in goal["reached"] if figure["value"] is not None]
    if not all(is_good(figure) for figure in figures):
        assert goal["verdict"] == "missed", goal
    elif len(figures) < len(goal["reached"]):
        assert goal["verdict"] == "not measured", goal
    else:
        assert goal["verdict"] == "reached", goal


def check_goals(report):
    """The goals of n = 1e6 that are about the baseline follow from the rows of the same run."""
    medians = {(row["kind"], row["call"], row["operation"]): row["median_ns"]
               for row in report["keys"] if row["layout"] == "flat"}
    found = []
    for goal in report["goals"]:
        check_verdict(goal)
        if not goal["what"].startswith("scheme 1, ") or not goal["what"].endswith("n=1e6"):
            continue
        call = "batch" if "batch" in goal["what"] else "single"
        found.append(call)
        for figure in goal["reached"]:
            cell = (call, figure["label"])
            gain = medians["libb2", *cell] / medians["library", *cell]
            assert abs(figure["value"] / gain - 1) < 1e-4, (figure, gain)
    assert len(report["goals"]) == GOALS and sorted(found) == ["batch", "single"], report["goals"]


def check_hash_count(rows):
    """One position per key, ten bits: one in ten of them is set. No blocks, which have 8."""
    assert {(row["hash_id"], row["layout"]) for row in rows} == {(1, "flat"), (3, "flat")}, rows
    for row in rows:
        assert 0.08 < row.get("false_positive_rate", 0.1) < 0.12, row


def check_tables(text):
    width = None
    tables = 0
    for line in text.splitlines():
        cells = re.split(r"(?<!\\)\|", line)[1:-1] if line.startswith("|") else None
        if cells is None:
            width = None
        elif width is None:
            width = len(cells)
            tables += 1
        else:
            assert len(cells) == width, line
    assert tables == 4, text
    assert text.startswith("<!-- made by: bloomfilter-bench --quick --sizes 1e4 --"), text
    assert not re.search(r"\b(nan|inf)\b", text), text


def main():
    program, header = sys.argv[1:]
    report = json.loads(run(program, "--json"))
    check_keys(report["keys"], header)
    check_baseline(report["keys"])
    assert WHOLE_FILTERS <= {row["operation"] for row in report["whole_filters"]}
    assert {row["layout"] for row in report["whole_filters"]} == {
        row["layout"] for row in report["keys"] if row["kind"] == "library"}
    assert all(row["median_seconds"] > 0 for row in report["whole_filters"])
    assert {row["threads"] for row in report["threads"]} <= {1, 2}
    check_goals(json.loads(run(program, "--json", "--sizes", "1e6", "--schemes", "1,libb2",
                               "--only", "keys")))
    check_hash_count(json.loads(run(program, "--json", "--schemes", "1,3", "--hash-count", "1",
                                    "--only", "keys"))["keys"])
    check_tables(run(program, "--table", "--schemes", "1,floor,libb2,libbloom"))
    assert json.loads(run(program, "--json", "--only", "bulk"))["keys"] == []


if __name__ == "__main__":
    main()
