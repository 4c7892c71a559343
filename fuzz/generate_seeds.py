#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seed corpora of the fuzz targets: generate_seeds.py DIRECTORY

DIRECTORY/reader, /round_trip, /model and /keys, a few small files each. The same ones every time.
The reader's are the files of tests/data/format (which have a generator of their own) and variants
of them in the fields that a fuzzer finds hard to guess.
"""

import pathlib
import random
import struct
import sys

FORMAT_FILES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "format"


def patched(file, offset, fmt, value):
    """A file with one header field changed. Tags and digests are not: builds for fuzzing skip them."""
    data = bytearray(file)
    struct.pack_into(fmt, data, offset, value)
    return bytes(data)


def reader_seeds():
    seeds = {}
    for path in sorted(FORMAT_FILES.glob("*.bloom")):
        if path.stat().st_size <= 4096 or path.name == "good-alice.bloom":  # a body of two leaves
            seeds[path.name] = path.read_bytes()
    base = seeds["good-users-1000.bloom"]
    empty = seeds["good-empty.bloom"]
    fields = {
        "header_size": (12, "<I", [0, 128, 193, 256, 65536, 65600, 2**32 - 64]),
        "hash": (16, "<I", [0, 2, 3, 4, 5]),
        "layout": (20, "<I", [0, 2, 3]),
        "incompatible": (24, "<I", [1, 2]),
        "m": (32, "<Q", [0, 1, 9599, 9600, 9601, 2**60, 2**60 + 1, 2**64 - 1]),
        "k": (40, "<I", [0, 1, 255, 256]),
        "capacity": (48, "<Q", [0, 2**64 - 1]),
        "target": (64, "<d", [0.0, 1.0, -1.0, 5e-324, float("inf"), float("nan")]),
        "measured": (72, "<d", [0.0, -0.0, 1.0, 1.5, float("inf")]),
        "metadata_size": (112, "<Q", [1, 63, 64, 2**64 - 1]),
        "payload_offset": (120, "<Q", [0, 191, 256, 2**64 - 64]),
        "payload_size": (128, "<Q", [0, 8, 1208, 2**64 - 8]),
    }
    for name, (offset, fmt, values) in fields.items():
        for number, value in enumerate(values):
            seeds[f"{name}-{number}"] = patched(base, offset, fmt, value)
    seeds["keyed-murmur"] = patched(seeds["good-keyed.bloom"], 16, "<I", 3)
    seeds["padding-not-zero"] = patched(seeds["good-metadata-measured.bloom"], 240, "<B", 1)
    for size in (0, 7, 8, 9, 10, 191, 192, 199):
        seeds[f"cut-{size}"] = empty[:size]
    return seeds


def round_trip_seeds():
    seeds = {}
    for choice in range(16):  # 11: scheme 4
        head = struct.pack(">BQHHH", choice * 2, 10, 10 + choice, 0 if choice & 1 else 777, choice % 9)
        keys = b"".join(bytes([len(key)]) + key for key in (b"alice", b"bob", b"", b"\0\xff" * 20))
        seeds[f"scheme-{choice}"] = head + b"\x05notes" + keys
    for choice in (34, 38, 42, 46, 54, 32 + 6 + 64):  # 54: scheme 4
        head = struct.pack(">BQHHH", choice, 10, 10 + choice, 512 * (choice & 1), choice % 2)
        seeds[f"blocks-{choice}"] = head + b"\x05notes\5alice\3bob\0"
    seeds["keyed"] = struct.pack(">BQHHHB", 64, 10, 100, 0, 0, 32) + b"\0\x05alice"
    seeds["any-double"] = struct.pack(">BdHHH", 1, 0.01, 100, 0, 0) + b"\0\x05alice"
    return seeds


def model_seeds():
    source = random.Random(1)
    return {f"calls-{number}": bytes([0, number * 37 % 256, number % 12, number % 7])
                               + source.randbytes(200) for number in range(20)}


def keys_seeds():
    seeds = {}
    texts = {"lines": b"alice\nbob\n\ncarol\r\nlast", "nul": b"a\0b\0\0c\n\0", "hex": b"00ff\nABcd\n\n",
             "bad-hex": b"00\n0x\n", "odd-hex": b"000\n", "long": b"x" * 5000 + b"\n" + b"y" * 3000}
    for name, text in texts.items():
        for choice in range(4):
            seeds[f"{name}-{choice}"] = bytes([choice, 0, 0, 0, choice]) + text
    return seeds


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: generate_seeds.py DIRECTORY")
    targets = {"reader": reader_seeds(), "round_trip": round_trip_seeds(), "model": model_seeds(),
               "keys": keys_seeds()}
    for target, seeds in targets.items():
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in seeds.items():
            (folder / name).write_bytes(data)


main()
