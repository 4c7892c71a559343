#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Independent reader of Bloom filter files, written from docs/format.md alone.

It shares no code with the library and needs nothing but Python 3.9. It is slow and checks every
file completely. Section and step numbers are those of docs/format.md.
"""

import argparse
import collections
import csv
import hashlib
import math
import os
import struct
import sys

MAGIC = b"\x89BLOOM\r\n"
HEADER = struct.Struct("<8sHHIIIIIQIIQQddQQ16sQQQ32s")  # offsets 0...167, section 2.1
FIELDS = ("magic major minor header_size hash_id layout_id incompatible compatible m k digest_id "
          "capacity insert_count target_fpr measured_fpr measured_probes seed secret_check "
          "metadata_size payload_offset payload_size body_digest")
Header = collections.namedtuple("Header", FIELDS)
HASHES = {1: "blake2b-pair", 2: "blake2b-indexed", 3: "murmur3-tweak", 4: "blake2b-wide", 5: "xxh64"}
SUITABLE = {1: (1, 2, 3, 4), 2: (1, 4, 5)}  # the schemes that go with a layout
MASK = 0xFFFFFFFF
MASK64 = (1 << 64) - 1


class Refused(Exception):
    """A file that is refused: args are the class and the step of section 8, and the reason."""


# ---- Section 4: keys to positions. A secret of no bytes is no secret.

def number64(message, secret, person=b""):
    """A digest of 8 bytes as a number."""
    digest = hashlib.blake2b(message, digest_size=8, key=secret, person=person).digest()
    return int.from_bytes(digest, "big")


def pair_hashes(key, secret=b""):
    """h1 and h2 of scheme 1."""
    return [number64(key, secret, person) for person in (b"bloom-h1", b"bloom-h2")]


def wide_digest(key, secret=b""):
    """The digest of scheme 4."""
    return hashlib.blake2b(key, digest_size=16, key=secret, person=b"bloom-wide").digest()


def mix(z):
    """The mix of scheme 4, SplitMix64's."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
    return z ^ z >> 31


def murmur3(key, seed):
    """MurmurHash3_x86_32."""
    def rotl(x, r):
        return (x << r | x >> (32 - r)) & MASK

    h = seed
    for at in range(0, len(key), 4):
        group = key[at:at + 4]
        w = int.from_bytes(group, "little") * 0xCC9E2D51 & MASK
        h ^= rotl(w, 15) * 0x1B873593 & MASK
        if len(group) == 4:  # the last 1 to 3 bytes are mixed in, and no more
            h = (rotl(h, 13) * 5 + 0xE6546B64) & MASK
    h ^= len(key) & MASK
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK
    return h ^ h >> 16


def xxh64(key):
    """XXH64 with seed 0."""
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5

    def rotl(x, r):
        return (x << r | x >> (64 - r)) & MASK64

    def mix(a, w):
        return rotl(a + w * p2 & MASK64, 31) * p1 & MASK64

    def number(at, size):
        return int.from_bytes(key[at:at + size], "little")

    at = 0
    if len(key) >= 32:
        lanes = [p1 + p2, p2, 0, -p1]
        while at + 32 <= len(key):
            lanes = [mix(lane, number(at + 8 * i, 8)) for i, lane in enumerate(lanes)]
            at += 32
        h = sum(rotl(lane, r) for lane, r in zip(lanes, (1, 7, 12, 18))) & MASK64
        for lane in lanes:
            h = (h ^ mix(0, lane)) * p1 + p4 & MASK64
    else:
        h = p5
    h = h + len(key) & MASK64
    while at + 8 <= len(key):
        h = rotl(h ^ mix(0, number(at, 8)), 27) * p1 + p4 & MASK64
        at += 8
    if at + 4 <= len(key):
        h = rotl(h ^ number(at, 4) * p1 & MASK64, 23) * p2 + p3 & MASK64
        at += 4
    for w in key[at:]:
        h = rotl(h ^ w * p5 & MASK64, 11) * p1 & MASK64
    h = (h ^ h >> 33) * p2 & MASK64
    h = (h ^ h >> 29) * p3 & MASK64
    return h ^ h >> 32


def key_hash(hash_id, key, secret=b""):
    """The hash of a key for the layout split-block."""
    if hash_id == 1:
        return pair_hashes(key, secret)[0]
    return int.from_bytes(wide_digest(key, secret)[:8], "big") if hash_id == 4 else xxh64(key)


def positions(hash_id, key, m, k, secret=b"", seed=0):
    """The k positions of a key, in order."""
    if hash_id == 1:
        h1, h2 = pair_hashes(key, secret)
        step = h2 % m or 1
        return [(h1 + i * step) % m for i in range(k)]
    if hash_id == 2:
        return [number64(key + b":%d" % i, secret) % m for i in range(k)]
    if hash_id == 3:
        return [murmur3(key, (i * 0xFBA4C795 + seed) & MASK) % m for i in range(k)]
    digest = wide_digest(key, secret)
    a, b = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big") | 1
    return [mix(a + (i + 1) * b & MASK64) * m >> 64 for i in range(k)]


# ---- Section 5: the layouts "flat" (1) and "split-block" (2).

SALT = (0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947,
        0x5c6bfb31)


def payload_size(layout_id, m):
    """Bytes of payload: whole groups of 64 bits, or whole blocks."""
    return (m + 63) // 64 * 8 if layout_id == 1 else m // 8


def split_block_bits(h, m):
    """The bits of a key with this key hash, as numbers of bits of the payload."""
    block = (h >> 32) * (m // 256) >> 32
    return [256 * block + 32 * i + ((h & MASK) * salt % (1 << 32) >> 27)
            for i, salt in enumerate(SALT)]


def bits_of(layout_id, hash_id, key, m, k, secret=b"", seed=0):
    """The bits of a key, as numbers of bits of the payload."""
    if layout_id == 2:
        return split_block_bits(key_hash(hash_id, key, secret), m)
    return positions(hash_id, key, m, k, secret, seed)


def fill(keys, hash_id, m, k, secret=b"", seed=0, layout_id=1):
    """The payload of a filter that holds these keys."""
    cells = bytearray(payload_size(layout_id, m))
    for key in keys:
        for j in bits_of(layout_id, hash_id, key, m, k, secret, seed):
            cells[j // 8] |= 1 << j % 8
    return bytes(cells)


def contains(cells, at):
    """Whether all these bits are set: possibly present."""
    return all(cells[j // 8] >> j % 8 & 1 for j in at)


# ---- Sections 6 and 7: digests.

def secret_check(secret):
    return hashlib.blake2b(b"", digest_size=16, key=secret, person=b"bloom-secret").digest()


def header_tag(header, secret=b""):
    """The tag of a header; what the header holds in its place does not matter."""
    message = header[:-16]
    return hashlib.blake2b(message, digest_size=16, key=secret, person=b"bloom-header").digest()


def body_digest(header, body, secret=b""):
    tree = dict(digest_size=32, fanout=0, depth=2, leaf_size=65536, inner_size=32,
                person=b"bloom-body")
    leaves = [body[at:at + 65536] for at in range(0, len(body), 65536)] or [b""]
    root = hashlib.blake2b(header[:136], key=secret, node_depth=1, last_node=True, **tree)
    for j, leaf in enumerate(leaves):
        last = j == len(leaves) - 1
        root.update(hashlib.blake2b(leaf, node_offset=j, last_node=last, **tree).digest())
    return root.digest()


# ---- Section 8: the checks, in their order.

def need(condition, step, error_class, reason):
    if not condition:
        raise Refused(error_class, step, reason)


def read(data, secret=b""):
    """The header and the payload of a whole file, or Refused."""
    size = len(data)
    need(data[:8] == MAGIC, 1, "not a filter", "no magic")
    need(size >= 10, 2, "damaged", "cut inside the header")
    major, = struct.unpack_from("<H", data, 8)
    need(major <= 1, 3, "newer format", "format %d" % major)
    need(major == 1, 4, "damaged", "format 0 never was")
    need(size >= 192, 5, "damaged", "cut inside the header")
    h = Header(*HEADER.unpack_from(data))
    end = h.header_size
    need(192 <= end <= min(size, 65536) and end % 64 == 0, 6, "damaged", "header_size")
    header, body, keyed = data[:end], data[end:], h.incompatible & 1
    if keyed:
        need(secret, 7, "secret", "no secret given")
        need(h.secret_check == secret_check(secret), 7, "secret", "wrong secret")
    else:
        need(not secret, 7, "secret", "secret given, but the filter has none")
        need(not any(h.secret_check), 8, "damaged", "secret check without a secret")
    need(header[-16:] == header_tag(header, secret), 9, "damaged", "header tag")
    need(h.incompatible & ~1 == 0, 10, "unknown feature", "incompatible-feature bit")
    need(h.hash_id in HASHES, 11, "unknown feature", "hash id")
    need(h.layout_id in SUITABLE, 11, "unknown feature", "layout id")
    need(h.hash_id in SUITABLE[h.layout_id], 11, "unknown feature", "hash with layout")
    need(h.digest_id == 1, 11, "unknown feature", "body digest id")
    blocks = h.layout_id == 2
    need(1 <= h.m <= 1 << (40 if blocks else 60), 12, "damaged", "bit_count")
    need(not blocks or h.m % 256 == 0, 12, "damaged", "bit_count")
    need(h.k == 8 if blocks else 1 <= h.k <= 255, 12, "damaged", "hash_count")
    need(h.capacity >= 1, 12, "damaged", "capacity")
    need(0 < h.target_fpr < 1, 12, "damaged", "target_fpr")  # false for a NaN, too
    measured = h.measured_fpr
    never = measured != measured  # true for a NaN only
    need(never or math.copysign(1, measured) > 0 and measured <= 1, 12, "damaged", "measured_fpr")
    need(not keyed or h.hash_id in (1, 2, 4), 12, "damaged", "a scheme without secret in a keyed filter")
    need(h.minor != 0 or not any(header[168:-16]), 13, "damaged", "reserved bytes")
    need(h.metadata_size <= 1 << 24, 14, "damaged", "metadata_size")
    metadata_end = end + h.metadata_size
    need(h.payload_offset == (metadata_end + 63) // 64 * 64, 14, "damaged", "payload_offset")
    need(h.payload_size == payload_size(h.layout_id, h.m), 14, "damaged", "payload_size")
    need(h.payload_offset + h.payload_size == size, 14, "damaged", "size of the file")
    need(not any(data[metadata_end:h.payload_offset]), 15, "damaged", "padding")
    cells = data[h.payload_offset:]
    # Position j is bit j of the payload as one little-endian number.
    need(int.from_bytes(cells, "little") >> h.m == 0, 15, "damaged", "bits past m")
    need(h.body_digest == body_digest(header, body, secret), 16, "damaged", "body digest")
    return h, cells


# ---- The program.

def parse_keys(text):
    """Keys, separated by spaces; user:0..2 stands for user:0 user:1 user:2.

    What follows "hex:" is in hexadecimal.
    """
    words, _, in_hex = text.partition("hex:")
    yield from map(bytes.fromhex, in_hex.split())
    for word in words.split():
        first, dots, last = word.partition("..")
        if dots:
            name, colon, first = first.rpartition(":")
            for number in range(int(first), int(last) + 1):
                yield ("%s%s%d" % (name, colon, number)).encode()
        else:
            yield word.encode()


def check_row(row, folder):
    """What is wrong about a row of the index, or None."""
    secret = bytes.fromhex(row["secret_hex"])
    with open(os.path.join(folder, row["file"]), "rb") as file:
        data = file.read()
    try:
        h, cells = read(data, secret)
    except Refused as refusal:
        error_class, step, reason = refusal.args
        if error_class != row["expect"]:
            return "%s at step %d (%s)" % (error_class, step, reason)
        return None
    if row["expect"] != "ok":
        return "ok"
    keys = list(parse_keys(row["keys"]))
    if not keys and h.m == 1 and h.insert_count:
        keys = [b"any"]  # in a filter of one bit every key is at position 0: any stands for all
    missing = [key for key in keys
               if not contains(cells, bits_of(h.layout_id, h.hash_id, key, h.m, h.k, secret, h.seed))]
    if missing:
        return "keys not found: %d" % len(missing)
    if cells != fill(keys, h.hash_id, h.m, h.k, secret, h.seed, h.layout_id):
        return "more bits than those of the keys listed"
    return None


def check_index(path):
    """Check every row; returns whether all are as expected."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    failed = 0
    for row in rows:
        try:
            wrong = check_row(row, os.path.dirname(path))
        except OSError as error:
            wrong = error.strerror
        if wrong:
            failed += 1
            print("%s: expected %s, got: %s" % (row["file"], row["expect"], wrong))
    print("%d passed, %d failed" % (len(rows) - failed, failed))
    return bool(rows) and not failed  # an empty index proves nothing


def check_file(path, secret, keys):
    """Check one file and print its line; returns whether it is good."""
    try:
        with open(path, "rb") as file:
            h, cells = read(file.read(), secret)
    except OSError as error:
        print("%s: cannot be read (%s)" % (path, error.strerror))
        return False
    except Refused as refusal:
        error_class, step, reason = refusal.args
        print("%s: %s (step %d: %s)" % (path, error_class, step, reason))
        return False
    bits = bin(int.from_bytes(cells, "little")).count("1")
    print("%s: ok m=%d k=%d hash=%s insert_count=%d bits_set=%d"
          % (path, h.m, h.k, HASHES[h.hash_id], h.insert_count, bits))
    for key in keys:
        at = bits_of(h.layout_id, h.hash_id, key.encode("utf-8", "surrogateescape"), h.m, h.k,
                     secret, h.seed)
        answer = "possibly present" if contains(cells, at) else "definitely absent"
        print("  %s: %s" % (key, answer))
    return True


def main():
    parser = argparse.ArgumentParser(description="Check Bloom filter files completely.")
    parser.add_argument("--secret-hex", default="", metavar="HEX", help="secret of 16 to 64 bytes")
    parser.add_argument("--contains", action="append", default=[], metavar="KEY",
                        help="ask for a key; may be given more than once")
    parser.add_argument("--index", metavar="INDEX.csv", help="check the files that an index lists")
    parser.add_argument("files", nargs="*", metavar="FILE")
    args = parser.parse_args()
    if bool(args.index) == bool(args.files):
        parser.error("give either files or --index")
    try:
        secret = bytes.fromhex(args.secret_hex)
    except ValueError:
        parser.error("--secret-hex is not hexadecimal")
    if secret and not 16 <= len(secret) <= 64:
        parser.error("a secret has 16 to 64 bytes")
    if args.index:
        return 0 if check_index(args.index) else 1
    good = [check_file(path, secret, args.contains) for path in args.files]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
