#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     scripts/fuzz.sh [--afl] TARGET SECONDS    fuzzes; TARGET is reader, round_trip, model or keys
#     scripts/fuzz.sh --coverage                what of the serializer the reader's corpus reaches
#
# Everything is kept in build/fuzz: corpus/TARGET, crashes, logs. Needs clang and its libFuzzer
# (Debian: clang, libclang-rt-*-dev), with --afl AFL++ (afl++), with --coverage llvm.

set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=${BUILD_DIR:-$root/build}/fuzz
flags=(-std=gnu11 -D_GNU_SOURCE -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -g -O2
    -I"$root/include" -I"$root/src" -I"$root/tools")
mkdir -p "$work/corpus" "$work/crashes"

usage() {
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 2
}

# compile COMPILER TARGET OUTPUT FLAG...
compile() {
    local compiler=$1 target=$2 output=$3 more=()
    shift 3
    if [ "$target" = keys ]; then
        more=("$root/tools/keys.c" "$root/tools/numbers.c")
    fi
    "$compiler" "${flags[@]}" "$@" "$root/fuzz/fuzz_$target.c" "$root"/src/*/*.c "${more[@]}" \
        -lb2 -lxxhash -lm -o "$output"
}

seed() {
    python3 "$root/fuzz/generate_seeds.py" "$work/seeds"
    mkdir -p "$work/corpus/$1"
}

fuzz() {
    local target=$1 seconds=$2 options=()
    [ "$target" = reader ] && options=(-dict="$root/fuzz/reader.dict")
    seed "$target"
    compile clang "$target" "$work/fuzz_$target" -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=all
    "$work/fuzz_$target" -max_total_time="$seconds" -max_len=8192 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$work/crashes/$target-" "${options[@]}" \
        "$work/corpus/$target" "$work/seeds/$target" 2>&1 | tee "$work/$target.log" |
        grep -vE '^#[0-9]+\s+(NEW|REDUCE|pulse)|^"' || true
    grep -qE '^stat::number_of_executed_units' "$work/$target.log"
    ! ls "$work/crashes/$target"-* >/dev/null 2>&1
}

fuzz_with_afl() {
    local target=$1 seconds=$2
    seed "$target"
    AFL_USE_ASAN=1 compile afl-clang-fast "$target" "$work/afl_$target" -fsanitize=fuzzer
    AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 \
        afl-fuzz -V "$seconds" -m none -x "$root/fuzz/reader.dict" -i "$work/seeds/$target" \
        -o "$work/afl-$target" -- "$work/afl_$target" >"$work/afl-$target.log" 2>&1 || true
    grep -E '^(execs_done|execs_per_sec|corpus_count|saved_crashes|saved_hangs|bitmap_cvg)' \
        "$work/afl-$target/default/fuzzer_stats"
    grep -qE '^saved_crashes *: 0$' "$work/afl-$target/default/fuzzer_stats"
}

coverage() {
    seed reader
    compile clang reader "$work/coverage" -fprofile-instr-generate -fcoverage-mapping \
        "$root/fuzz/replay.c"
    LLVM_PROFILE_FILE="$work/coverage.profraw" "$work/coverage" "$work/seeds/reader" \
        "$work/corpus/reader"
    llvm-profdata merge -o "$work/coverage.profdata" "$work/coverage.profraw"
    llvm-cov report "$work/coverage" -instr-profile="$work/coverage.profdata" \
        -show-branch-summary "$root/src/serializer"
    llvm-cov show "$work/coverage" -instr-profile="$work/coverage.profdata" \
        -show-branches=count "$root/src/serializer" >"$work/coverage.txt"
    echo "line by line: $work/coverage.txt"
}

case "$#,${1-}" in
    1,--coverage) coverage ;;
    3,--afl) fuzz_with_afl "$2" "$3" ;;
    2,*) fuzz "$1" "$2" ;;
    *) usage ;;
esac
