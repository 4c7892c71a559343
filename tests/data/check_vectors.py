#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks every row of the CSV files of this folder against plain Python.

The hashes are those of tests/read_format.py (hashlib and whole numbers, from docs/format.md); the
sizes are computed here, in the order of operations of its section 11. No code of the library.
"""

import argparse
import csv
import decimal
import functools
import hashlib
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # leave nothing in the source tree
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "format")]

import generate  # noqa: E402 (the path has to be set before)
import read_format as rf  # noqa: E402

SCHEMES = {"pair": 1, "indexed": 2, "murmur": 3, "wide": 4, "xxh64": 5}
LAYOUTS = {"flat": 1, "split-block": 2}


def numbers(text):
    return [int(word) for word in text.split()]


def rate(text):
    """A rate: decimal, or hexadecimal as C's %a writes it, which loses no bit."""
    return float.fromhex(text) if text.startswith("0x") else float(text)


def sizing(n, p):
    """m and k for n keys and the rate p. Every step is one of binary64."""
    n = float(n)
    ln2 = math.log(2.0)
    m = math.ceil((-n * math.log(p)) / (ln2 * ln2))
    k = max(1, round(float(m) / n * ln2))  # round() takes halves to even
    return m, k


def classic_rate(m, k, n):
    """(1 - e^(-kn/m))^k: the quotient in binary64, then the base and the power rounded once each."""
    decimal.getcontext().prec = 80
    quotient = float(k) * float(n) / float(m)
    fill = float(1 - (-decimal.Decimal(quotient)).exp())
    rate = float(decimal.Decimal(fill) ** k)
    return min(max(rate, sys.float_info.min), 1 - sys.float_info.epsilon / 2)


def block_rate(mean):
    """The rate of the layout split-block with so many keys per block on average."""
    probability, total, j = math.exp(-mean), 0.0, 0
    while j < mean or probability > 1e-18 * total:
        j += 1
        probability *= mean / j
        total += probability * (1 - (31 / 32) ** j) ** 8
    return total + mean / 2 ** 32


def block_target(m, n):
    """block_rate(n / (m / 256)), rounded up to 20 binary digits, and below 1.

    Not from the sum over keys per block but from its closed form, with digits to spare:
    (1 - q^j)^8 is a sum of powers x^j, and e^(a (x - 1)) is the mean of each.
    """
    decimal.getcontext().prec = 80
    mean = decimal.Decimal(float(n) / float(m // 256))
    q = 1 - decimal.Decimal(1) / 32
    exact = mean / 2 ** 32 + sum((-1) ** i * math.comb(8, i) * (mean * (q ** i - 1)).exp()
                                 for i in range(9))
    digits = 20 - math.frexp(exact)[1]
    scale = decimal.Decimal(2) ** digits
    return min(float(math.ceil(exact * scale) / scale), 1 - sys.float_info.epsilon / 2)


@functools.lru_cache(maxsize=None)
def block_steps(p):
    """The largest L for which block_rate(L / 1024) is at most p."""
    low, high = 0, 512 * 1024
    while low < high:
        middle = (low + high + 1) // 2
        if block_rate(middle / 1024) <= p:
            low = middle
        else:
            high = middle - 1
    return low


def sizing_blocks(n, p):
    """m for n keys and the rate p in the layout split-block; None if there is none."""
    steps = block_steps(p)
    blocks = -(-1024 * n // steps) if steps else 2 ** 33
    return 256 * (2 ** 32 // (2 ** 32 // blocks)) if blocks <= 2 ** 32 else None


# ---- One function for each file: whether a row is right.

def check_pair(row):
    """Scheme 1; without the column secret_hex there is no secret."""
    key, secret = bytes.fromhex(row["key_hex"]), bytes.fromhex(row.get("secret_hex", ""))
    m, k = int(row["m"]), int(row["k"])
    return (["%016x" % h for h in rf.pair_hashes(key, secret)] == [row["h1"], row["h2"]]
            and rf.positions(1, key, m, k, secret) == numbers(row["positions"]))


def check_indexed(row):
    at = rf.positions(2, bytes.fromhex(row["key_hex"]), int(row["m"]), int(row["k"]))
    return at == numbers(row["positions"])


def check_wide(row):
    key, secret = bytes.fromhex(row["key_hex"]), bytes.fromhex(row["secret_hex"])
    at = rf.positions(4, key, int(row["m"]), int(row["k"]), secret)
    return (rf.wide_digest(key, secret).hex() == row["digest"]
            and at == numbers(row["positions"]))


def check_murmur(row):
    at = rf.positions(3, bytes.fromhex(row["key_hex"]), int(row["m"]), int(row["k"]),
                      seed=int(row["tweak"]))
    return at == numbers(row["positions"])


def check_xxh64(row):
    return "%016x" % rf.xxh64(bytes.fromhex(row["key_hex"])) == row["hash"]


def check_split_block(row):
    key, secret = bytes.fromhex(row["key_hex"]), bytes.fromhex(row["secret_hex"])
    h = rf.key_hash(SCHEMES[row["scheme"]], key, secret)
    return ("%016x" % h == row["hash"]
            and rf.split_block_bits(h, int(row["m"])) == numbers(row["bits"]))


def check_sizing_split_block(row):
    return sizing_blocks(int(row["n"]), rate(row["p"])) == int(row["m"])


def check_sizing(row):
    return sizing(int(row["n"]), rate(row["p"])) == (int(row["m"]), int(row["k"]))


def check_target_fpr(row):
    return classic_rate(int(row["m"]), int(row["k"]), int(row["n"])) == rate(row["p"])


def check_target_fpr_split_block(row):
    return block_target(int(row["m"]), int(row["n"])) == rate(row["p"])


def ids_of(row):
    """The ids of scheme and layout, and the seed."""
    name, _, tweak = row["parameter"].partition("=")
    if name not in ("", "tweak"):
        raise ValueError("a parameter that this program does not know")
    return SCHEMES[row["scheme"]], LAYOUTS[row["layout"]], int(tweak or 0)


def sizing_in(layout_id, n, p):
    """m and k for n keys and the rate p."""
    return sizing(n, p) if layout_id == 1 else (sizing_blocks(n, p), 8)


def check_whole(row):
    if row["keys"].startswith("hex:"):
        keys = [bytes.fromhex(word) for word in row["keys"][4:].split()]
    else:
        keys = list(rf.parse_keys(row["keys"]))
    m, k = int(row["m"]), int(row["k"])
    hash_id, layout_id, seed = ids_of(row)
    if row["capacity"] and sizing_in(layout_id, int(row["capacity"]), rate(row["p"])) != (m, k):
        return False
    cells = rf.fill(keys, hash_id, m, k, seed=seed, layout_id=layout_id)
    bits = cells[:(m + 7) // 8]  # the payload without what fills it up to 8 bytes
    return (len(keys) == int(row["adds"])
            and bin(int.from_bytes(bits, "little")).count("1") == int(row["bits_set"])
            and hashlib.sha256(bits).hexdigest() == row["sha256_of_bits"])


def probes(count, seed):
    """The keys of bloomfilter_measure_fpr: 16 bytes, two numbers of splitmix64 each."""
    mask = (1 << 64) - 1
    for _ in range(count):
        key = b""
        for _ in range(2):
            seed = seed + 0x9E3779B97F4A7C15 & mask
            mix = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & mask
            mix = (mix ^ mix >> 27) * 0x94D049BB133111EB & mask
            key += (mix ^ mix >> 31).to_bytes(8, "little")
        yield key


def shape_of(row, layout_id):
    """m, k, capacity and target_fpr of a filter, what the row leaves out computed."""
    if not row["m"]:
        n, p = int(row["capacity"]), rate(row["p"])
        return (*sizing_in(layout_id, n, p), n, p)
    m, k = int(row["m"]), int(row["k"] or 8)
    n = int(row["capacity"] or max(1, round(m * math.log(2.0) / k)))
    if row["p"]:
        return m, k, n, rate(row["p"])
    return m, k, n, classic_rate(m, k, n) if layout_id == 1 else block_target(m, n)


def whole_file(row):
    """The bytes of the file that a row describes."""
    hash_id, layout_id, seed = ids_of(row)
    m, k, n, p = shape_of(row, layout_id)
    secret = bytes.fromhex(row["secret_hex"])
    fields = dict(hash_id=hash_id, layout_id=layout_id, m=m, k=k, capacity=n, target_fpr=p,
                  seed=seed)
    if row["probes"]:
        cells = rf.fill(rf.parse_keys(row["keys"]), hash_id, m, k, secret, seed, layout_id)
        count = int(row["probes"])
        found = sum(rf.contains(cells, rf.bits_of(layout_id, hash_id, key, m, k, secret, seed))
                    for key in probes(count, int(row["probe_seed"])))
        fields.update(measured_fpr=found / count, measured_probes=count)
    return generate.build(row["keys"], secret, bytes.fromhex(row["metadata_hex"]), **fields)


def check_file(row):
    data = whole_file(row)
    return (len(data) == int(row["size"])
            and hashlib.sha256(data).hexdigest() == row["sha256_of_file"])


CHECKS = {
    "blake2b_pair.csv": check_pair,
    "blake2b_pair_keyed.csv": check_pair,
    "blake2b_indexed.csv": check_indexed,
    "blake2b_wide.csv": check_wide,
    "murmur3_tweak.csv": check_murmur,
    "xxh64.csv": check_xxh64,
    "split_block.csv": check_split_block,
    "sizing.csv": check_sizing,
    "target_fpr.csv": check_target_fpr,
    "sizing_split_block.csv": check_sizing_split_block,
    "target_fpr_split_block.csv": check_target_fpr_split_block,
    "whole_filters.csv": check_whole,
    "whole_files.csv": check_file,
}


def main():
    parser = argparse.ArgumentParser(description="Check every row of the CSV files of this folder.")
    parser.parse_args()
    passed = failed = 0
    for name in sorted(set(CHECKS) | {n for n in os.listdir(HERE) if n.endswith(".csv")}):
        if name not in CHECKS:
            failed += 1
            print("%s: no check for this file" % name)
            continue
        try:
            with open(os.path.join(HERE, name), newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file)
                rows = [(reader.line_num, row) for row in reader]
        except OSError as error:
            failed += 1
            print("%s: %s" % (name, error.strerror))
            continue
        if not rows:
            failed += 1
            print("%s: no rows" % name)
        for line, row in rows:
            try:
                right = CHECKS[name](row)
            except (KeyError, TypeError, ValueError) as error:  # a column is missing or misspelt
                print("%s:%d: %r" % (name, line, error))
                right = False
            passed += bool(right)
            failed += not right
            if not right:
                print("%s:%d: wrong" % (name, line))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
