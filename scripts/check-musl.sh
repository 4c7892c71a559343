#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds the library with musl, another C library, and runs with it what needs no CMocka: a program
# that uses every function and compares its files with those of tests/data/format byte for byte, and
# the fuzz targets over their seeds.
#
#     scripts/check-musl.sh

set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

archives=("$(cc -print-file-name=libb2.a)" "$(cc -print-file-name=libxxhash.a)")
mkdir "$work/include" # of the headers of this machine, no other ones
for header in blake2.h xxhash.h; do
    cp "$(echo "#include <$header>" | cc -E -x c - | sed -n "s/^# 1 \"\(.*$header\)\".*/\1/p" | head -n 1)" \
        "$work/include"
done

compile() {
    musl-gcc -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off \
        -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 "-I$work/include" "-I$root/include" "-I$root/src" "$@"
}

link() {
    local program=$1
    shift
    compile "$@" "${objects[@]}" "${archives[@]}" -lm -static -o "$work/$program"
}

objects=()
for source in "$root"/src/*/*.c "$root/tests/musl/fortify.c"; do
    object=$work/${#objects[@]}.o
    compile -c "$source" -o "$object"
    objects+=("$object")
done

link client "$root/tests/abi/client.c"
version=$(sed -nE 's/^#define BLOOMFILTER_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+).*/\2/p' \
    "$root/include/bloomfilter.h" | paste -s -d .)
"$work/client" "$version" "$root/tests/data/format" "$work/client.bloom"

python3 "$root/fuzz/generate_seeds.py" "$work/seeds"
for target in reader round_trip model; do
    link "fuzz_$target" "$root/fuzz/fuzz_$target.c" "$root/fuzz/replay.c"
    "$work/fuzz_$target" "$work/seeds/$target"
done
