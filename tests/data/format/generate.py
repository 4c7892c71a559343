#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the .bloom files of this folder: an independent writer, from docs/format.md alone.

    generate.py           write the files
    generate.py --check   make them in memory and compare with those on disk and in INDEX.csv

It shares no code with the library. The hashes and digests are those of tests/read_format.py.
"""

import argparse
import csv
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # leave nothing in the source tree
sys.path.insert(0, os.path.join(HERE, "..", ".."))

import read_format as rf  # noqa: E402 (the path has to be set before)

NAN = bytes.fromhex("000000000000f87f")  # never measured; by its bytes: there are many NaNs
SECRET = bytes(range(32))
PAIR, INDEXED, MURMUR, WIDE, XXH64 = 1, 2, 3, 4, 5
SPLIT_BLOCK = 2  # layout

# The header as in the reader, but with the rates as bytes: packing a NaN as a number could
# give another one.
PACKED = struct.Struct(rf.HEADER.format.replace("dd", "8s8s"))


def rate(value):
    """A rate as 8 bytes; bytes stay as they are."""
    return value if isinstance(value, bytes) else struct.pack("<d", value)


def build(keys="", secret=b"", metadata=b"", stray_bits=(), reserved=b"", cells_size=None,
          **fields):
    """A whole file that holds these keys.

    Fields of the header not given are those of a filter for 1000 keys at 1 %. A field given is
    written as it is, right or wrong; the body digest and the header tag are made last, so that
    they are right whatever the fields say. `reserved` are bytes of a later minor version, beyond
    the 8 of version 1.0. With cells_size the payload is cut, or filled up with zeros, to so many
    bytes; payload_size says so.
    """
    keys = list(rf.parse_keys(keys))
    header_size = 192 + len(reserved)
    payload_offset = (header_size + len(metadata) + 63) // 64 * 64
    values = dict(
        magic=rf.MAGIC, major=1, minor=0, header_size=header_size, hash_id=PAIR, layout_id=1,
        incompatible=1 if secret else 0, compatible=0, m=9586, k=7, digest_id=1, capacity=1000,
        insert_count=len(keys), target_fpr=0.01, measured_fpr=NAN, measured_probes=0, seed=0,
        secret_check=rf.secret_check(secret) if secret else bytes(16),
        metadata_size=len(metadata), payload_offset=payload_offset, body_digest=bytes(32))

    # The payload is that of sane fields: what a lie about m or k would ask for is not built.
    m = fields["m"] if 1 <= fields.get("m", 0) <= 1 << 24 else values["m"]
    k = fields["k"] if 1 <= fields.get("k", 0) <= 255 else values["k"]
    hash_id, layout_id = fields.get("hash_id", PAIR), fields.get("layout_id", 1)
    if hash_id not in rf.SUITABLE.get(layout_id, ()):
        hash_id, layout_id = PAIR, 1
    cells = bytearray(rf.fill(keys, hash_id, m, k, secret, fields.get("seed", 0), layout_id))
    for j in stray_bits:
        cells[j // 8] |= 1 << j % 8
    if cells_size is not None:
        cells = cells[:cells_size].ljust(cells_size, b"\0")
    values["payload_size"] = len(cells)
    values.update(fields)

    def pack():
        row = rf.Header(**values)
        row = row._replace(target_fpr=rate(row.target_fpr), measured_fpr=rate(row.measured_fpr))
        return PACKED.pack(*row)

    body = metadata + bytes(payload_offset - header_size - len(metadata)) + bytes(cells)
    values["body_digest"] = rf.body_digest(pack(), body, secret)
    header = pack() + bytes(8) + reserved
    return header + rf.header_tag(header + bytes(16), secret) + body


def flip(data, offset, bit):
    """The file with one bit changed, and nothing made right again after it."""
    return data[:offset] + bytes([data[offset] ^ 1 << bit]) + data[offset + 1:]


TEN = "user:0..9"  # the keys of most bad files
KEYED = build("user:0..99", secret=SECRET)

# The name of each file (without .bloom) and its bytes.
FILES = {
    # ---- good: every reader must take these.

    # Nothing added: all bits are 0.
    "good-empty": build(m=48, k=3, capacity=10, target_fpr=0.1),
    # The smallest filter. One key added: every key is possibly present.
    "good-one-bit": build("any", m=1, k=1, capacity=1, target_fpr=0.999999),
    # Sized for 100000 keys, which gives a body of two leaves; one key added.
    "good-alice": build("alice", m=958506, capacity=100000),
    # Full to capacity.
    "good-users-1000": build("user:0..999"),
    # Full to capacity, a body of two leaves.
    "good-users-100000": build("user:0..99999", m=958506, capacity=100000),
    # Each key added twice: only insert_count shows it.
    "good-added-twice": build(TEN, insert_count=20),
    # Metadata, zeros after it, and a measured rate.
    "good-metadata-measured": build("user:0..499", measured_fpr=0.00021, measured_probes=1000000,
                                    metadata=b'{"keys":"user ids","case":"lower"}'),
    # Metadata that ends on a multiple of 64: no zeros after it.
    "good-metadata-64": build("user:0..2", m=614, capacity=64, metadata=b"x" * 64),
    # Keyed with a secret of 32 bytes.
    "good-keyed": KEYED,
    # Scheme 2.
    "good-seed-page-indexed": build("user:42 user:99", hash_id=INDEXED, m=1024, k=3, capacity=2,
                                    target_fpr=0.5),
    # Scheme 3 with a tweak.
    "good-neo-murmur": build("user:0..99", hash_id=MURMUR, seed=123456, m=4096, k=11, capacity=100,
                             target_fpr=0.001),
    # Layout 2 with scheme 5: what Parquet has. The first is a bitset of Parquet's own.
    "good-parquet-block": build("a0 a1 a2 a3 a4 a5 a6 a7 a8 a9", hash_id=XXH64,
                                layout_id=SPLIT_BLOCK, m=256, k=8, capacity=22, target_fpr=0.01),
    # Full to capacity, a body of two leaves.
    "good-parquet-users": build("user:0..49999", hash_id=XXH64, layout_id=SPLIT_BLOCK, m=526592,
                                k=8, capacity=50000),
    # Layout 2 with scheme 1, keyed.
    "good-split-block-keyed": build("user:0..99", secret=SECRET, layout_id=SPLIT_BLOCK, m=1280, k=8,
                                    capacity=100),
    # Format 1.7: a header of 256 bytes and a compatible-feature bit that 1.0 does not know.
    "good-later-minor": build(TEN, minor=7, compatible=1 << 31, reserved=b"\xab" * 64),

    # Scheme 4, full to capacity.
    "good-wide": build("user:0..99", hash_id=WIDE, m=2876, k=20, capacity=100, target_fpr=1e-6),
    # Scheme 4, keyed with a secret.
    "good-wide-keyed": build("user:0..99", secret=SECRET, hash_id=WIDE, m=2876, k=20, capacity=100,
                             target_fpr=1e-6),

    # ---- bad: not what they claim to be, or not whole.

    # No bytes at all.
    "bad-empty-file": b"",
    # Ends inside the header.
    "bad-short": build(TEN)[:100],
    # A list of keys, not a filter of them.
    "bad-text": b"alice\nbob\n" * 40,
    # Sent in text mode: each CR LF became LF, first of all that of the magic.
    "bad-crlf-mangled": build(TEN).replace(b"\r\n", b"\n"),
    # The last byte is missing.
    "bad-truncated-body": build(TEN)[:-1],
    # One zero byte too many.
    "bad-trailing-byte": build(TEN) + b"\0",
    # One bit of capacity flipped: 1004 and not 1000. The header tag tells.
    "bad-header-bit": flip(build(TEN), 48, 2),
    # One bit of the payload flipped, the lowest of its last 8 bytes. The body digest tells.
    "bad-body-bit": flip(build(TEN), 192 + 1192, 0),

    # ---- bad, with a header tag and a body digest that are right: the fields must be checked.

    # The payload has room for 9600 bits; the last of them is set, and m is 9586.
    "bad-bits-past-m": build(TEN, stray_bits=[9599]),
    # No bits.
    "bad-m-zero": build(TEN, m=0),
    # No hashes: every key would be present.
    "bad-k-zero": build(TEN, k=0),
    # A query would take minutes.
    "bad-k-huge": build(TEN, k=(1 << 32) - 1),
    # m past 2^60, and the payload_size that it would have: 2^61 bytes.
    "bad-m-huge": build(TEN, m=(1 << 64) - 1, payload_size=1 << 61),
    # Layout 2: half a block.
    "bad-half-block": build(TEN, hash_id=XXH64, layout_id=SPLIT_BLOCK, m=640, k=8),
    # Layout 2: more blocks than the upper half of a hash can choose.
    "bad-blocks-huge": build(TEN, hash_id=XXH64, layout_id=SPLIT_BLOCK, m=(1 << 40) + 256, k=8,
                             payload_size=(1 << 37) + 32),
    # Layout 2: a key has 8 bits in a block.
    "bad-block-k": build(TEN, hash_id=XXH64, layout_id=SPLIT_BLOCK, m=512, k=7),
    # Layout 2: one block less than m says, and one more. Sizes and offsets agree with the file.
    "bad-block-missing": build(TEN, hash_id=XXH64, layout_id=SPLIT_BLOCK, m=768, k=8,
                               cells_size=64),
    "bad-block-surplus": build(TEN, hash_id=XXH64, layout_id=SPLIT_BLOCK, m=768, k=8,
                               cells_size=128),
    # Scheme 5 takes no secret.
    "bad-xxh64-keyed": build(TEN, secret=SECRET, hash_id=XXH64, layout_id=SPLIT_BLOCK, m=512, k=8),
    # payload_offset + payload_size is 2^64 + 1200, and wraps to 1200.
    "bad-payload-wraps": build(TEN, payload_offset=(1 << 64) - 64, payload_size=1264),
    # header_size + metadata_size is 2^64 + 64, and wraps to 64.
    "bad-metadata-wraps": build(TEN, metadata_size=(1 << 64) - 128),
    # A multiple of 64, but past the end of the file.
    "bad-header-size": build(TEN, header_size=(1 << 32) - 64),
    # target_fpr is not a number.
    "bad-target-nan": build(TEN, target_fpr=NAN),
    # target_fpr is not a rate.
    "bad-target-two": build(TEN, target_fpr=2.0),

    # ---- unsupported: whole, but they use what a 1.0 reader does not have.

    # Format 2.0.
    "unsupported-major": build(TEN, major=2),
    # Incompatible-feature bit 14.
    "unsupported-incompatible-bit": build(TEN, incompatible=1 << 14),
    # A hash id, a layout id and a body digest id that nobody has given out.
    "unsupported-hash": build(TEN, hash_id=0x7777),
    "unsupported-layout": build(TEN, layout_id=0x7777),
    # Known, both of them, but nobody has put them together.
    "unsupported-pair-of-ids": build(TEN, hash_id=XXH64, layout_id=1),
    "unsupported-digest": build(TEN, digest_id=99),

    # ---- secret: a good keyed file. What is wrong is the secret that INDEX.csv gives with it.

    # Opened with none.
    "secret-missing": KEYED,
    # Opened with 32 zero bytes.
    "secret-wrong": KEYED,
}


def check(files):
    """Compare with the files on disk and with the list of INDEX.csv; returns the failures."""
    with open(os.path.join(HERE, "INDEX.csv"), newline="", encoding="utf-8") as file:
        listed = [row["file"] for row in csv.DictReader(file)]
    present = {name for name in os.listdir(HERE) if name.endswith(".bloom")}
    failed = 0
    names = sorted(present | set(listed) | set(files))
    for name in names:
        wrong = []
        if name not in files:
            wrong.append("not made here")
        if listed.count(name) != 1:
            wrong.append("listed %d times in INDEX.csv" % listed.count(name))
        if name not in present:
            wrong.append("missing")
        elif name in files:
            with open(os.path.join(HERE, name), "rb") as file:
                if file.read() != files[name]:
                    wrong.append("different")
        if wrong:
            failed += 1
            print("%s: %s" % (name, ", ".join(wrong)))
    print("%d passed, %d failed" % (len(names) - failed, failed))
    return failed


def main():
    parser = argparse.ArgumentParser(description="Make the .bloom files of this folder.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    args = parser.parse_args()
    files = {name + ".bloom": data for name, data in FILES.items()}
    if args.check:
        return 1 if check(files) else 0
    for name, data in files.items():
        with open(os.path.join(HERE, name), "wb") as file:
            file.write(data)
    print("%d files written" % len(files))
    return 0


if __name__ == "__main__":
    sys.exit(main())
