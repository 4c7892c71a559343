#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Holds the public header, the version script and a built library against each other: the functions
# declared, listed and exported must be the same ones, each under the node that lists it. Of the
# static library, every global name must begin with bloomfilter_ (or be one of the compiler's own).
# What the library calls must not be able to print, end the process, change signals or the locale,
# or make threads and locks.
#
#     scripts/check-exports.sh libbloomfilter.so libbloomfilter.a

set -euo pipefail
export LC_ALL=C

if [ $# -ne 2 ]; then
    echo "usage: $0 SHARED_LIBRARY STATIC_LIBRARY" >&2
    exit 2
fi
shared=$1
static=$2
root=$(cd "$(dirname "$0")/.." && pwd)
header=$root/include/bloomfilter.h
map=$root/src/bloomfilter.map
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# The header's declarations, one a line: preprocessor lines and comments are taken out.
declarations() {
    sed -e '/^ *#/d' "$header" | tr '\n' ' ' | sed -e 's|/\*|\n&|g' | sed -e 's|^/\*.*\*/||' |
        tr '\n' ' ' | tr ';{}' '\n' | grep -E '\<bloomfilter_[a-z0-9_]+ *\(' || true
}

names_declared() {
    declarations | sed -E 's/^[^(]*[ *](bloomfilter_[a-z0-9_]+) *\(.*/\1/' | sort
}

# "NODE name" for each name that the version script lists as global.
names_listed() {
    sed -e 's|/\*.*\*/||' "$map" | awk '
        /^[A-Z][A-Z0-9_.]* *\{/ { node = $1; sub(/\{.*/, "", node) }
        /^ *global:/ { global = 1 }
        /^ *local:/ { global = 0 }
        global {
            while (match($0, /[A-Za-z_][A-Za-z0-9_]*;/)) {
                print node, substr($0, RSTART, RLENGTH - 1)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' | sort
}

# "NODE name" for each name that the shared library exports; the nodes themselves are left out.
names_exported() {
    nm -D --defined-only "$shared" | awk '$2 != "A" {
        split($NF, part, /@+/)
        print (part[2] == "" ? "(no node)" : part[2]), part[1]
    }' | sort
}

# Says which lines only one of two lists has.
compare() {
    local left_name=$1 left=$2 right_name=$3 right=$4 line
    while read -r line; do
        [ -n "$line" ] && fail "in $left_name, not in $right_name: $line"
    done < <(comm -23 <(echo "$left") <(echo "$right"))
    while read -r line; do
        [ -n "$line" ] && fail "in $right_name, not in $left_name: $line"
    done < <(comm -13 <(echo "$left") <(echo "$right"))
}

declared=$(names_declared)
listed=$(names_listed)
exported=$(names_exported)

while read -r line; do
    [ -n "$line" ] && fail "declared without BLOOMFILTER_API: $line"
done < <(declarations | grep -v '\<BLOOMFILTER_API\>')

compare "the header" "$declared" "the version script" "$(echo "$listed" | cut -d ' ' -f 2 | sort)"
compare "the version script" "$listed" "the shared library" "$exported"

soname=$(readelf -d "$shared" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
major=$(sed -nE 's/^#define BLOOMFILTER_VERSION_MAJOR +([0-9]+)$/\1/p' "$header")
if [ "$soname" != "libbloomfilter.so.$major" ]; then
    fail "the SONAME is '$soname' and not 'libbloomfilter.so.$major'"
fi

while read -r name; do
    fail "a global name of the static library without the prefix bloomfilter_: $name"
done < <(nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | grep -Ev '^(bloomfilter_|__x86\.)' | sort -u)

forbidden='v?[df]?printf|f?puts|f?putc|putchar|fwrite|perror|std(in|out|err)|'
forbidden+='abort|_?exit|_Exit|quick_exit|atexit|assert_fail|signal|sig[a-z]+|raise|kill|alarm|'
forbidden+='setlocale|uselocale|(secure_)?getenv|fork|pthread_.*|thrd_.*|mtx_.*|call_once'
# On ARM, the compiler's own division raises a signal where the divisor is 0.
if readelf -h "$shared" | grep -q 'Machine: *ARM$'; then
    forbidden=${forbidden/|raise|/|}
fi
while read -r name; do
    fail "the library calls $name"
done < <(nm -D --undefined-only "$shared" | awk '{ sub(/@.*/, "", $NF); print $NF }' |
    grep -E "^(__)?($forbidden)(_chk)?\$")

if [ "$failures" -ne 0 ]; then
    echo "$failures differences" >&2
    exit 1
fi
echo "$(echo "$declared" | wc -l) functions: header, version script and $soname agree"
