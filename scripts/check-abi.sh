#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Compares the binary interface of a built library with the recorded one in tests/abi. Any
# difference fails: an addition is recorded, a break is undone.
#
#     scripts/check-abi.sh LIBRARY             compares
#     scripts/check-abi.sh --record LIBRARY    records additions; never what breaks programs
#
# LIBRARY is libbloomfilter.so with debug information. CC names the compiler for the header's
# constants. Needs libabigail (Debian, Ubuntu: abigail-tools). The record is of x86_64 and glibc.

set -euo pipefail
export LC_ALL=C

usage() {
    echo "usage: $0 [--record] LIBRARY" >&2
    exit 2
}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

mode=check
if [ "${1-}" = --record ]; then
    mode=record
    shift
fi
[ $# -eq 1 ] || usage
library=$1
for tool in abidw abidiff python3 readelf "${CC:=cc}"; do
    command -v "$tool" >/dev/null || fail "the program $tool is not here"
done

root=$(cd "$(dirname "$0")/.." && pwd)
header=$root/include/bloomfilter.h
record=$root/tests/abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Functions take the enums as plain numbers, and macros leave no trace, so neither is seen in the
# library. A second library, made from the header alone, has a variable for each enum, and one enum
# of all macros that are numbers.
constants() {
    local enums macros
    enums=$(sed -nE 's/^enum (bloomfilter_[a-z0-9_]+) \{.*/\1/p' "$header")
    macros=$(sed -nE '/_VERSION_/d; s/^#define (BLOOMFILTER_[A-Z0-9_]+) +[-(0-9].*/\1/p' "$header")
    [ "$(wc -w <<<"$enums")" -eq "$(grep -cE '\<enum\>.*\{' "$header")" ] ||
        fail "an enum of bloomfilter.h is not written 'enum bloomfilter_... {'"
    echo '#include "bloomfilter.h"'
    sed 's/.*/enum & variable_of_&;/' <<<"$enums"
    echo 'enum macros {'
    sed 's/.*/    value_of_& = &,/' <<<"$macros"
    echo '} variable_of_macros;'
}

# The functions of 1.0, declared once more: the compiler sees what abidw passes over (the const of
# const void *).
declarations() {
    echo '#include "bloomfilter.h"'
    sed -n '/^BLOOMFILTER_API/,/;/p' "$record/1.0/bloomfilter.h"
}

# compare NAME LIBRARY OPTION...: writes NAME.abi, and sets is_changed. What no program can reach is
# left out, types get numbers made from their names, and paths begin at the tree: so the change of
# one line changes a few lines of the record. abidiff compares two such files: given a library and
# the header's folder, it takes the types of a record for private ones, and lets all pass.
compare() {
    local name=$1 subject=$2
    shift 2
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs --exported-interfaces-only \
        --no-elf-needed --type-id-style hash "$@" "$subject" |
        sed "s| path='$root/| path='|" >"$work/$name.abi"
    abidiff --harmless "$record/$name.abi" "$work/$name.abi" || is_changed=yes
    # A second name for a value of an enum is nothing to abidiff.
    diff <(grep '<enumerator ' "$record/$name.abi") <(grep '<enumerator ' "$work/$name.abi") ||
        is_changed=yes
}

for name in libbloomfilter constants; do
    [ -s "$record/$name.abi" ] || fail "tests/abi/$name.abi is not there"
done
# Without it abidiff finds no fault with anything.
readelf -SW "$library" >"$work/sections" || fail "$library cannot be read"
grep -q '\.debug_info' "$work/sections" ||
    fail "$library has no debug information: build it with -g"
constants >"$work/constants.c"
(cd "$work" && "$CC" -g -O0 -w -fPIC -shared -I "$root/include" -o constants.so constants.c)

is_changed=no
compare libbloomfilter "$library" --drop-private-types --headers-dir "$root/include"
compare constants "$work/constants.so"

is_broken=no
python3 -S "$root/scripts/abi_breaks.py" "$record" "$work" libbloomfilter.abi constants.abi ||
    is_broken=yes
declarations >"$work/declarations.c"
"$CC" -w -fsyntax-only -I "$root/include" "$work/declarations.c" || is_broken=yes

if [ $is_broken = yes ]; then
    fail "programs that were built against an earlier release would break (docs/abi.md)"
elif [ $is_changed = no ]; then
    echo "The binary interface is the recorded one."
elif [ $mode = record ]; then
    cp "$work/libbloomfilter.abi" "$work/constants.abi" "$record/"
    echo "Recorded in tests/abi. Read what git diff says, and commit it with the change."
else
    fail "this is not recorded. If it is wanted: scripts/check-abi.sh --record $library"
fi
