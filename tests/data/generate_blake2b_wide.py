#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes blake2b_wide.csv: scheme 4 in plain Python, from docs/format.md alone.

    generate_blake2b_wide.py           write the file
    generate_blake2b_wide.py --check   make it in memory and compare with the one on disk
"""

import argparse
import hashlib
import os
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "blake2b_wide.csv")
COLUMNS = "key_hex,secret_hex,m,k,digest,positions"

# Around the ends of BLAKE2b's blocks of 128 bytes, and around 8, 16, 32 and 64.
KEY_SIZES = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 120, 127, 128, 129, 191, 192,
             255, 256, 257, 383, 384, 385, 511, 512, 513, 640, 641, 768, 769, 896, 897, 999, 1000]
SECRET_SIZES = [0, 16, 32, 33, 64]
BIT_COUNTS = [1, 2, 3, 7, 64, 65, 1000, 958506, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 2**53 + 1,
              2**59 + 12345, 2**60 - 1, 2**60]
HASH_COUNTS = [1, 2, 3, 7, 20, 33]
MASK = 2**64 - 1


def wide_digest(key, secret):
    return hashlib.blake2b(key, digest_size=16, key=secret, person=b"bloom-wide").digest()


def wide_positions(digest, m, k):
    """The first k outputs of SplitMix64, scaled down to m."""
    state = int.from_bytes(digest[:8], "big")
    step = int.from_bytes(digest[8:], "big") | 1
    positions = []
    for _ in range(k):
        state = (state + step) & MASK
        x = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        x ^= x >> 31
        positions.append(x * m // 2**64)
    return positions


def some_bytes(name, size):
    """Bytes that look random and are always the same."""
    return hashlib.shake_256(name.encode()).digest(size)


def row(key, secret, m, k):
    digest = wide_digest(key, secret)
    positions = " ".join(str(position) for position in wide_positions(digest, m, k))
    return "%s,%s,%d,%d,%s,%s" % (key.hex(), secret.hex(), m, k, digest.hex(), positions)


def rows():
    yield COLUMNS
    # The keys of the specification's table.
    for key in (b"", b"alice", b"user:42", b"\0"):
        for secret in (b"", bytes(range(16))):
            yield row(key, secret, 1000, 7)
    # Every m with a few k.
    for m in BIT_COUNTS:
        for k in (1, 7):
            yield row(b"user:%d" % k, b"", m, k)
    # As many positions as there can be.
    for m in (1000, 2**32 + 1, 2**60):
        yield row(b"alice", b"", m, 255)
    yield row(b"alice", some_bytes("secret", 64), 2**60 - 1, 255)
    # Every size of key with every size of secret; m and k take turns.
    turn = 0
    for key_size in KEY_SIZES:
        for secret_size in SECRET_SIZES:
            key = some_bytes("key of %d" % key_size, key_size)
            secret = some_bytes("secret of %d" % secret_size, secret_size)
            yield row(key, secret, BIT_COUNTS[turn % len(BIT_COUNTS)],
                      HASH_COUNTS[turn % len(HASH_COUNTS)])
            turn += 1


def main():
    parser = argparse.ArgumentParser(description="Make blake2b_wide.csv.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    text = "".join(line + "\n" for line in rows())
    if not parser.parse_args().check:
        with open(FILE, "w", encoding="ascii", newline="") as file:
            file.write(text)
        return 0
    with open(FILE, encoding="ascii", newline="") as file:
        same = file.read() == text
    print("%s: %s" % (os.path.basename(FILE), "as made here" if same else "not as made here"))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
