#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The build script for OSS-Fuzz: uses its CC, CFLAGS, CXX, CXXFLAGS, LIB_FUZZING_ENGINE, OUT and WORK.
# The image needs clang, libb2-dev, libxxhash-dev, pkg-config, python3 and zip.

set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
flags="-std=gnu11 -D_GNU_SOURCE -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION \
    -I$root/include -I$root/src -I$root/tools $(pkg-config --cflags libb2 libxxhash)"
seeds=$WORK/seeds

python3 "$root/fuzz/generate_seeds.py" "$seeds"
for target in reader round_trip model keys; do
    objects=$WORK/$target
    mkdir -p "$objects"
    sources=("$root/fuzz/fuzz_$target.c" "$root"/src/*/*.c)
    if [ "$target" = keys ]; then
        sources+=("$root/tools/keys.c" "$root/tools/numbers.c")
    fi
    (cd "$objects" && $CC $CFLAGS $flags -c "${sources[@]}")
    # OSS-Fuzz runs the programs elsewhere: libb2 and libxxhash go in statically.
    $CXX $CXXFLAGS "$objects"/*.o $LIB_FUZZING_ENGINE -Wl,-Bstatic -lb2 -lxxhash -Wl,-Bdynamic \
        -lm -lgomp -o "$OUT/fuzz_$target"
    (cd "$seeds/$target" && zip -q -r "$OUT/fuzz_${target}_seed_corpus.zip" .)
done
cp "$root/fuzz/reader.dict" "$OUT/fuzz_reader.dict"
