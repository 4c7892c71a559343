#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Proves that scripts/check-abi.sh and scripts/check-exports.sh bite: changes a copy of the tree,
# one change at a time, builds the library, and expects the right answer of them.
#
#     tests/abi/gate_bites.sh
#
# CC names the compiler.

set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "$0")/../.." && pwd)
export CC=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
header=include/bloomfilter.h
map=src/bloomfilter.map
passed=0

# ---- building

fresh_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/tests"
    cp -R "$root/include" "$root/src" "$root/scripts" "$tree"
    cp -R "$root/tests/abi" "$tree/tests"
    cd "$tree"
}

# compile FOLDER FILE...: into objects in a folder.
compile() {
    local folder=$1
    shift
    mkdir -p "$folder"
    (cd "$folder" && "$CC" -g -O0 -w -fPIC -fvisibility=hidden -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
        -I "$tree/include" -I "$tree/src" -c "$@")
}

# build FILE...: the library, with these files of src/handle compiled anew: those that define the
# functions of which a change is looked for. The rest is compiled once.
soname=libbloomfilter.so.1
build() {
    rm -rf "$work/objects" libbloomfilter.a
    cp -R "$work/unchanged" "$work/objects"
    [ $# -eq 0 ] || compile "$work/objects/handle" "${@/#/$tree/src/handle/}"
    "$CC" -g -shared -Wl,-soname,$soname -Wl,--version-script,$map \
        -o libbloomfilter.so "$work"/objects/*/*.o -lb2 -lxxhash -lm
    ar rc libbloomfilter.a "$work"/objects/*/*.o
}

# ---- asking

fail() {
    echo "FAILED: $*" >&2
    sed 's/^/    /' "$work/output" >&2
    exit 1
}

# expect STATUS NAME PATTERN COMMAND...: its exit status and what it must say.
expect() {
    local expected=$1 name=$2 pattern=$3 status=0
    shift 3
    "$@" >"$work/output" 2>&1 || status=$?
    [ $status -eq "$expected" ] || fail "$name: $1 ends with $status, not $expected"
    grep -qE -- "$pattern" "$work/output" || fail "$name: $1 does not say '$pattern'"
}

# change FILE SED_SCRIPT: it must change something, or else the test would test nothing.
change() {
    cp "$1" "$work/before"
    sed -E -i "$2" "$1"
    ! cmp -s "$1" "$work/before" || fail "nothing to change in $1 by $2"
}

check=scripts/check-abi.sh
library=libbloomfilter.so

# To build and compare takes seconds, so changes that do not hide each other are asked about together:
# each with its NAME and the PATTERN of what must be said of it. FILES is one argument, as for build.

# says STATUS FILES NAME PATTERN...: "$subject", asked once, ends so and says all of it, each behind
# what `line` begins with. Sets `names`.
says() {
    local status=$1 files=$2 first=${3-}
    shift 2
    # shellcheck disable=SC2086
    build $files
    expect "$status" "$first" . "${subject[@]}"
    names=""
    while [ $# -gt 0 ]; do
        grep -qE -- "$line$2" "$work/output" || fail "$1: ${subject[0]} does not say '$2'"
        names+="${names:+, }$1"
        passed=$((passed + 1))
        shift 2
    done
}

# Ends changes that were seen, and undoes them.
seen() {
    echo "$1: $names"
    fresh_tree
}

# breaks FILES NAME PATTERN...: it cannot be recorded, so it cannot be called right.
breaks() {
    subject=("$check" --record $library)
    line="(^break: |error: ).*"
    says 1 "$@"
    grep -q "would break" "$work/output" || fail "$names: the reason is another one"
    diff -r "$root/tests/abi" tests/abi >"$work/output" || fail "$names: it was recorded"
    seen "breaks, and is refused"
}

# adds FILES NAME PATTERN...: fails until it is recorded.
adds() {
    subject=("$check" $library)
    line=""
    says 1 "$@"
    grep -q "this is not recorded" "$work/output" || fail "$names: the reason is another one"
    expect 0 "$names, recording it" "^Recorded" $check --record $library
    expect 0 "$names, recorded" "is the recorded one" $check $library
    seen "fails until it is recorded"
}

# differs FILES NAME PATTERN...: check-exports.sh says so.
differs() {
    subject=(scripts/check-exports.sh $library libbloomfilter.a)
    line="^FAILED: "
    says 1 "$@"
    seen "exports differ"
}

# ---- nothing changed

fresh_tree
for room in "$tree"/src/*/; do
    compile "$work/unchanged/$(basename "$room")" "$room"*.c
done
build
expect 0 "nothing changed" "is the recorded one" $check $library
expect 0 "nothing changed, recorded" "is the recorded one" $check --record $library
expect 0 "nothing changed" "agree" scripts/check-exports.sh $library libbloomfilter.a

strip --strip-debug $library
expect 1 "stripped" "no debug information" $check $library
rm $library
expect 1 "no library" "cannot be read" $check $library
build
rm tests/abi/constants.abi
expect 1 "no record" "constants.abi is not there" $check $library
expect 1 "no libabigail" "the program abidw is not here" \
    env PATH=/nonexistent "$BASH" $check $library
fresh_tree

# ---- symbols

change $map '/bloomfilter_remove;/d'
soname=libbloomfilter.so.2
breaks "" \
    "a removed symbol" "symbol bloomfilter_remove@BLOOMFILTER_1.0 is gone" \
    "another SONAME" "SONAME was libbloomfilter.so.1 and is libbloomfilter.so.2"
soname=libbloomfilter.so.1

change $map 's/BLOOMFILTER_1.0/BLOOMFILTER_1.1/'
breaks "" "a renamed version node" "symbol bloomfilter_add@BLOOMFILTER_1.0 is gone"

# ---- signatures

change $header 's/(bloomfilter_set_metadata\(.*) size_t size/\1 uint32_t size/'
change src/handle/lifecycle.c 's/(bloomfilter_set_metadata\(.*) size_t size/\1 uint32_t size/'
change $header 's/bool bloomfilter_contains\(/int bloomfilter_contains(/'
change src/handle/keys.c 's/bool bloomfilter_contains\(/int bloomfilter_contains(/'
change $header 's/(bloomfilter_peek\(const void \*bytes), size_t size/\1/'
change src/handle/inspect.c 's/(bloomfilter_peek\(const void \*bytes), size_t size/\1/'
change src/handle/inspect.c '0,/^static/s//size_t size;\n&/'
# The same on x86_64, and not on 32-bit machines.
change $header 's/uint64_t probes, uint64_t seed/unsigned long probes, uint64_t seed/'
change src/handle/inspect.c 's/uint64_t probes, uint64_t seed/unsigned long probes, uint64_t seed/'
breaks "lifecycle.c keys.c inspect.c" \
    "a changed argument" "bloomfilter_set_metadata was .* and is " \
    "a changed answer" "bloomfilter_contains was .* and is " \
    "an argument less" "bloomfilter_peek was .* and is " \
    "an argument of another typedef" "bloomfilter_measure_fpr was .* and is "

change $header 's/(bloomfilter_add\(bloomfilter \*filter, )const void/\1void/'
change src/handle/keys.c 's/(bloomfilter_add\(bloomfilter \*filter, )const void/\1void/'
breaks keys.c "a const less" "conflicting types for .bloomfilter_add"

change $header 's/^typedef struct bloomfilter bloomfilter;/typedef struct filter bloomfilter;/'
change src/handle/handle.h 's/^struct bloomfilter \{/struct filter {/'
files=(src/handle/*.c)
breaks "${files[*]##*/}" "a changed typedef" "typedef bloomfilter was .* and is struct filter"

# ---- constants

change $header 's/(BLOOMFILTER_EIO = )-3/\1-30/'
change $header '/BLOOMFILTER_ENOTFOUND = /d'
change $header 's/_BLAKE2B_INDEXED = 2/_BLAKE2B_INDEXED = 3/'
change $header 's/_MURMUR3_TWEAK = 3/_MURMUR3_TWEAK = 2/'
change $header 's/(define BLOOMFILTER_MAX_METADATA_SIZE) .*/\1 4096/'
change $header 's/(define BLOOMFILTER_MIN_SECRET_SIZE) .*/\1 32/'
breaks "" \
    "a changed value of an enum" "BLOOMFILTER_EIO was -3 and is -30" \
    "a removed value of an enum" "BLOOMFILTER_ENOTFOUND is gone" \
    "two values of an enum exchanged" "BLOOMFILTER_HASH_MURMUR3_TWEAK was 3 and is 2" \
    "a narrower limit" "BLOOMFILTER_MAX_METADATA_SIZE was 16777216 and is 4096" \
    "a higher lower limit" "BLOOMFILTER_MIN_SECRET_SIZE was 16 and is 32"

change $header 's/(_MURMUR3_TWEAK = 3)/\1, BLOOMFILTER_HASH_MORE = 99/'
change $header 's/^enum bloomfilter_layout/enum bloomfilter_more { BLOOMFILTER_MORE };\n\n&/'
change $header 's/(define BLOOMFILTER_MAX_HASH_COUNT) .*/\1 256/'
adds "" \
    "an added value of an enum" "BLOOMFILTER_HASH_MORE" \
    "an added enum" "bloomfilter_more" \
    "a wider limit" "MAX_HASH_COUNT"

# abidiff does not see it.
change $header 's/(_MURMUR3_TWEAK = 3)/\1, BLOOMFILTER_HASH_MORE = 3/'
adds "" "a second name for a value of an enum" "BLOOMFILTER_HASH_MORE"

change $header 's/^enum bloomfilter_layout/typedef enum { BLOOMFILTER_MORE } bloomfilter_more;\n&/'
build
expect 1 "an enum that is overlooked" "is not written" $check $library
fresh_tree

# ---- structs

change $header 's/uint64_t max_bytes;/uint32_t max_bytes;/'
change $header 's/uint32_t rebuild;//'
change src/handle/inspect.c '/full\.rebuild =/d'
breaks "persist.c inspect.c" \
    "a shrunk struct" "struct bloomfilter_load_options shrank" \
    "a removed field" "struct bloomfilter_info: the field rebuild is gone"

change $header 's/uint64_t insert_count;/uint64_t SWAPPED;/'
change $header 's/uint64_t bits_set;/uint64_t insert_count;/; s/SWAPPED/bits_set/'
change $header 's/uint32_t hash_count; /int32_t hash_count;/'
breaks "inspect.c lifecycle.c" \
    "two fields exchanged" "field 9 was insert_count .* is bits_set" \
    "a field of another type" "field 4 was hash_count"

change $header 's/^    uint64_t seed; /    uint64_t more;\n&/'
breaks "inspect.c lifecycle.c" "a field in the middle" "field 8 was seed .* is more"

change $header 's/^\} bloomfilter_info;/    uint32_t more;\n&/'
breaks inspect.c "a field in the padding" "the new field more lies in the padding"

# ---- additions

change $header 's/^BLOOMFILTER_API int bloomfilter_union/BLOOMFILTER_API int bloomfilter_more();\n&/'
echo 'BLOOMFILTER_1.1 { global: bloomfilter_more; } BLOOMFILTER_1.0;' >>$map
echo 'int bloomfilter_more(int n) { return n; }' >>src/handle/text.c
adds text.c "an added function" "bloomfilter_more"

change $header 's/^\} bloomfilter_info;/    uint64_t more;\n&/'
adds inspect.c "a field at the end" "more"

# ---- header, version script, exports

change $header '/^BLOOMFILTER_API int bloomfilter_verify/d'
change $map '/bloomfilter_union;/d'
change $map 's/bloomfilter_load;/& bloomfilter_nothing;/'
change $header 's/^BLOOMFILTER_API (int bloomfilter_save)/\1/'
echo 'int helper(int n) { return n; }' >>src/handle/text.c
differs text.c \
    "not declared" "in the version script, not in the header: bloomfilter_verify" \
    "not listed" "in the header, not in the version script: bloomfilter_union" \
    "listed and not there" "in the version script, not in the shared library: \
BLOOMFILTER_1.0 bloomfilter_nothing" \
    "declared without BLOOMFILTER_API" "declared without BLOOMFILTER_API: .*bloomfilter_save" \
    "a global name of its own" "a global name of the static library .*: helper"

echo "$passed changes, and each is seen"
