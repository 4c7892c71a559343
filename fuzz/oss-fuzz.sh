#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The build script for OSS-Fuzz: uses its CC, CFLAGS, CXX, CXXFLAGS, LIB_FUZZING_ENGINE, OUT and WORK.
# The image needs clang, libb2-dev, libxxhash-dev, pkg-config, python3 and zip.

set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
# -O2 after $CFLAGS: with their -O1, the kernels take minutes to compile under sanitizers.
flags="-O2 -std=gnu11 -D_GNU_SOURCE -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION \
    -I$root/include -I$root/src -I$root/tools $(pkg-config --cflags libb2 libxxhash)"
seeds=$WORK/seeds

python3 "$root/fuzz/generate_seeds.py" "$seeds"

# Files of different folders have the same name.
objects=$WORK/objects
mkdir -p "$objects"
for source in "$root"/src/*/*.c "$root/tools/keys.c" "$root/tools/numbers.c"; do
    object=$(basename "$(dirname "$source")")-$(basename "$source" .c).o
    $CC $CFLAGS $flags -c "$source" -o "$objects/$object"
done
ar rcs "$WORK/libfuzzed.a" "$objects"/*.o

for target in reader round_trip model keys; do
    $CC $CFLAGS $flags -c "$root/fuzz/fuzz_$target.c" -o "$WORK/fuzz_$target.o"
    # OSS-Fuzz runs the programs elsewhere: libb2 and libxxhash go in statically.
    $CXX $CXXFLAGS "$WORK/fuzz_$target.o" "$WORK/libfuzzed.a" $LIB_FUZZING_ENGINE \
        -Wl,-Bstatic -lb2 -lxxhash -Wl,-Bdynamic -lm -lgomp -o "$OUT/fuzz_$target"
    (cd "$seeds/$target" && zip -q -r "$OUT/fuzz_${target}_seed_corpus.zip" .)
done
cp "$root/fuzz/reader.dict" "$OUT/fuzz_reader.dict"
