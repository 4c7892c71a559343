#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast the command is: command.py [--lines COUNT] [--rounds COUNT] [--directory DIR] BUILD

Times `bloomfilter` of the folder BUILD beside `wc -l` of the same lines and beside the library of
that folder alone, called from here with the same keys and filters. All take turns, round by round.
Prints Markdown tables.
"""

import argparse
import ctypes
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

HELD = 1000000  # keys in the filter, which fits the caches
KEY_SIZE = 13  # of "user:00000000"
LIBRARY_BATCH = 2048  # keys per call, as the command does it
GOAL_RATE = 10e6
GOAL_RATIO = 2


def key(number):
    return f"user:{number:08}\n"


def write_keys(directory, lines):
    """Of the lines to ask for, half are in the filter, in no order that a processor could learn."""
    keys = [key(number) for number in range(2 * HELD)]
    (directory / "held").write_text("".join(keys[:HELD]))
    generator = random.Random(1)
    with open(directory / "keys", "w", encoding="ascii") as file:
        for start in range(0, lines, 100000):
            file.writelines(generator.choices(keys, k=min(100000, lines - start)))


def seconds(directory, command, pipe=None):
    """Wall time of a command, whose output goes to /dev/null, or through a pipe to another."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE if pipe else subprocess.DEVNULL)
    if pipe:
        subprocess.run(pipe, stdin=process.stdout, stdout=subprocess.DEVNULL, check=True)
        process.stdout.close()
    if process.wait() != 0:
        sys.exit(f"{command} failed")
    return time.perf_counter() - start


class Library:
    """The library in this process: batches of the same keys, with all that is not the library's
    work left out of the time."""

    def __init__(self, build, directory):
        self.calls = ctypes.CDLL(str(build / "libbloomfilter.so"))
        self.lines = (directory / "keys").read_bytes()
        self.directory = directory

    def load(self, name):
        filter_ = ctypes.c_void_p()
        path = str(self.directory / name).encode()
        if self.calls.bloomfilter_load(ctypes.byref(filter_), path, None) != 0:
            sys.exit(f"{name} cannot be loaded")
        return filter_

    def seconds(self, function, name, asks):
        """What a function takes for all keys, one batch after the other, each of which was just
        read; and how many answers were 1."""
        call, filter_ = getattr(self.calls, function), self.load(name)
        size = LIBRARY_BATCH * (KEY_SIZE + 1)
        block = ctypes.create_string_buffer(size)
        first = ctypes.addressof(block)
        keys = (ctypes.c_void_p * LIBRARY_BATCH)(*range(first, first + size, KEY_SIZE + 1))
        sizes = (ctypes.c_size_t * LIBRARY_BATCH)(*[KEY_SIZE] * LIBRARY_BATCH)
        answers = (ctypes.c_uint8 * LIBRARY_BATCH)()
        taken = found = 0
        for start in range(0, len(self.lines), size):
            read = self.lines[start:start + size]
            ctypes.memmove(block, read, len(read))
            count = len(read) // (KEY_SIZE + 1)
            begun = time.perf_counter()
            code = call(filter_, ctypes.c_size_t(count), keys, sizes, answers if asks else None)
            taken += time.perf_counter() - begun
            assert code == 0
            found += bytes(answers)[:count].count(1)
        self.calls.bloomfilter_free(filter_)
        return taken, found


def measure(build, directory, lines, rounds):
    """The times of all, by name."""
    command = str(build / "bloomfilter")
    write_keys(directory, lines)
    library = Library(build, directory)
    subprocess.run([command, "build", "-p", "1%", "one.bloom", "held"], cwd=directory, check=True)
    query, make = [command, "query"], [command, "build", "--force", "-p", "1%"]
    commands = {
        "`wc -l`": (["wc", "-l", "keys"],),
        "`query -c`": ([*query, "-c", "one.bloom", "keys"],),
        "`query`": ([*query, "one.bloom", "keys"],),
        "`query -v`": ([*query, "-v", "one.bloom", "keys"],),
        "`query`, through a pipe to `cat`": ([*query, "one.bloom", "keys"], ["cat"]),
        "`build -n`": ([*make, "-n", str(lines), "all.bloom", "keys"],),
        "`build`, which reads twice": ([*make, "all.bloom", "keys"],),
    }
    times = {name: [] for name in ["the library, queries", "the library, adds", *commands]}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds} ...", file=sys.stderr)
        for name, arguments in commands.items():
            times[name].append(seconds(directory, *arguments))
        taken, found = library.seconds("bloomfilter_contains_many", "one.bloom", True)
        times["the library, queries"].append(taken)
        taken, _ = library.seconds("bloomfilter_add_many", "all.bloom", False)
        times["the library, adds"].append(taken)
    counted = subprocess.run([*query, "-c", "one.bloom", "keys"], cwd=directory, check=True,
                             stdout=subprocess.PIPE)
    assert int(counted.stdout) == found > lines // 4, (counted, found)  # the same questions
    return times


def print_rows(times, lines):
    """Prints the table of all; returns lines per second and the ratio to what cannot be saved, of
    the slowest query."""
    median = {name: statistics.median(taken) for name, taken in times.items()}
    least = {"query": median["`wc -l`"] + median["the library, queries"],
             "build": median["`wc -l`"] + median["the library, adds"]}
    rates, ratios = [], []
    print("| | seconds: median (minimum) | million lines per second | ns per line | × `wc -l` "
          "| × (`wc -l` + library) |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, taken in times.items():
        kind = next((kind for kind in least if f"`{kind}" in name), None)
        ratio = median[name] / least[kind] if kind else None
        if kind == "query":
            rates.append(lines / median[name])
            ratios.append(ratio)
        cells = [name, f"{median[name]:.3f} ({min(taken):.3f})",
                 f"{lines / median[name] / 1e6:.1f}", f"{median[name] / lines * 1e9:.1f}",
                 f"{median[name] / median['`wc -l`']:.1f}", f"{ratio:.2f}" if ratio else "–"]
        print(f"| {' | '.join(cells)} |")
    return min(rates), max(ratios)


def print_goals(rate, ratio):
    def verdict(good):
        return "reached" if good else "missed"
    print("\nThe slowest of the queries:\n\n| goal | reached | |\n| --- | --- | --- |")
    print(f"| ≥ {GOAL_RATE / 1e6:.0f} million lines per second | {rate / 1e6:.1f} million "
          f"| {verdict(rate >= GOAL_RATE)} |")
    print(f"| ≤ {GOAL_RATIO} × (`wc -l` + library) | {ratio:.2f} × "
          f"| {verdict(ratio <= GOAL_RATIO)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--lines", type=int, default=10000000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--directory", help="for files of 150 MB; better in memory")
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        times = measure(options.build.resolve(), pathlib.Path(directory), options.lines,
                        options.rounds)
    print(f"<!-- made by bench/command.py {' '.join(sys.argv[1:])} -->\n")
    print(f"{options.lines} lines of {KEY_SIZE} bytes, half of them in a filter of {HELD} keys, "
          f"scheme 1, p = 0.01; {options.rounds} rounds.\n")
    print_goals(*print_rows(times, options.lines))
    print("\n<!-- end -->")


if __name__ == "__main__":
    main()
