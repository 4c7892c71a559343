#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs a build into a new place, moves it elsewhere, and uses it as users do: the header alone,
# plain -lbloom, pkg-config, find_package, static, C and C++, beside Debian's libbloom1. Every
# program is run.
#
#     scripts/check-installed.sh BUILD_DIRECTORY
#
# CC and CXX name the compilers. BESIDE_LIBBLOOM=no leaves out what needs Debian's libbloom1, for
# systems that do not have it.

set -euo pipefail
export LC_ALL=C

if [ $# -ne 1 ]; then
    echo "usage: $0 BUILD_DIRECTORY" >&2
    exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
CC=${CC:-cc}
CXX=${CXX:-c++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved
strict=(-Wall -Wextra -Werror -pedantic)
passed=0
# Here the library is built to see that it builds. What its code does is tested elsewhere, and -O1
# with no debug information takes a third of the time.
quick=(-DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O1)

# Runs a command, silently unless it fails. "name" is what it shows.
check() {
    local name=$1
    shift
    if "$@" >"$work/output" 2>&1; then
        echo "passed: $name"
        passed=$((passed + 1))
    else
        echo "FAILED: $name" >&2
        printf '    %s\n' "$*" >&2
        sed 's/^/    /' "$work/output" >&2
        exit 1
    fi
}

fails() {
    ! "$@"
}

# Runs a program that must say "right". The installed libraries are found by LD_LIBRARY_PATH.
run() {
    [ "$(LD_LIBRARY_PATH="$lib" "$1" "$work/saved.bloom")" = right ]
}

# Compiles with the rest of the arguments, then runs.
compile_and_run() {
    local name=$1 compiler=$2
    shift 2
    rm -f "$work/program"
    check "$name: builds" "$compiler" -o "$work/program" "$@"
    check "$name: runs" run "$work/program"
}

# ---- install, by component

# Lists what a component installs, without the directories of this system's layout.
component_files() {
    cmake --install "$build" --prefix "$work/component-$1" --component "$1" >/dev/null
    (cd "$work/component-$1" && find . ! -type d | sed 's|.*/||' | sort | tr '\n' ' ')
}

# Checks that a component has all the files named, and no other.
check_component() {
    local component=$1
    shift
    local expected
    expected=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
    check "component $component has what belongs to it" \
        test "$(component_files "$component")" = "$expected"
}

config=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$build/CMakeCache.txt" | tr '[:upper:]' '[:lower:]')
mapfile -t pages < <(cd "$root/docs/man" && ls -- *.3 && cut -d ' ' -f 1 links.txt)
version=$(sed -nE 's/^#define BLOOMFILTER_VERSION_[A-Z]+ +([0-9]+)$/\1/p' \
    "$root/include/bloomfilter.h" | paste -s -d .)
check_component runtime libbloomfilter.so.1 "libbloomfilter.so.$version"
check_component development "${pages[@]}" bloomfilter.h bloomfilter.pc \
    libbloom.a libbloom.so libbloomfilter.a libbloomfilter.so \
    bloomfilter-config.cmake bloomfilter-config-version.cmake \
    bloomfilter-shared-targets.cmake "bloomfilter-shared-targets-$config.cmake" \
    bloomfilter-static-targets.cmake "bloomfilter-static-targets-$config.cmake"
if [ -e "$build/bloomfilter" ]; then
    check_component command bloomfilter bloomfilter.1
fi

check "install" cmake --install "$build" --prefix "$work/installed"
mv "$work/installed" "$prefix"
lib=$(dirname "$(find "$prefix" -name libbloom.so)")
export PKG_CONFIG_PATH=$lib/pkgconfig
check "nothing installed names the place of the build or the prefix" \
    fails grep -rIl -e "$build" -e "$work/installed" "$prefix"
if [ -e "$build/bloomfilter" ]; then
    check "the installed command runs" "$prefix/bin/bloomfilter" --version
fi

# ---- the header alone

# Both compilers where they are: they warn of different things.
check_header() {
    local compiler=$1 language=$2 standard=$3
    check "the header alone, $compiler -std=$standard" \
        "$compiler" -x "$language" -std="$standard" "${strict[@]}" -fsyntax-only \
        "$prefix/include/bloomfilter.h"
}

for compiler in gcc clang; do
    if command -v "$compiler" >/dev/null; then
        for standard in c99 c11 c17; do
            check_header "$compiler" c-header "$standard"
        done
        for standard in c++98 c++11 c++17; do
            check_header "$compiler" c++-header "$standard"
        done
    fi
done

# ---- plain -lbloom

flags=(-I "$prefix/include" -L "$lib")
compile_and_run "C, -lbloom" "$CC" -std=c99 "${strict[@]}" "${flags[@]}" \
    "$root/tests/link/program.c" -lbloom
check "C, -lbloom: needs libbloomfilter.so.1 and no other bloom" \
    test "$(readelf -d "$work/program" | grep -o 'lib[a-z]*bloom[a-z]*\.so[.0-9]*')" = \
    libbloomfilter.so.1
compile_and_run "C++, -lbloom" "$CXX" -std=c++98 "${strict[@]}" "${flags[@]}" \
    "$root/tests/link/program.cc" -lbloom
check "the example first.c: builds" "$CC" "${flags[@]}" -o "$work/first" \
    "$root/examples/first.c" -lbloom

# ---- static

compile_and_run "C, libbloom.a" "$CC" "${flags[@]}" "$root/tests/link/program.c" \
    -l:libbloom.a -lb2 -lxxhash -lm
if [ "$("$CC" -print-file-name=libb2.a)" != libb2.a ] &&
    [ "$("$CC" -print-file-name=libxxhash.a)" != libxxhash.a ]; then
    # Words of flags are meant to be split.
    # shellcheck disable=SC2046
    compile_and_run "C, -static, by pkg-config --static" "$CC" -static \
        "$root/tests/link/program.c" $(pkg-config --static --cflags --libs bloomfilter)
    check "C, -static: needs no library" test -z "$(readelf -d "$work/program" | grep NEEDED)"
else
    echo "left out: -static, since this system has no libb2.a or libxxhash.a"
fi

# ---- pkg-config

# shellcheck disable=SC2046
compile_and_run "C, pkg-config" "$CC" "$root/tests/link/program.c" \
    $(pkg-config --cflags --libs bloomfilter)
# shellcheck disable=SC2046
compile_and_run "C++, pkg-config" "$CXX" -std=c++98 "${strict[@]}" "$root/tests/link/program.cc" \
    $(pkg-config --cflags --libs bloomfilter)
check "pkg-config tells the header's version" \
    test "$(pkg-config --modversion bloomfilter)" = "$version"

# ---- CMake

# Configures, builds and runs tests/link/project; the arguments go to CMake.
check_project() {
    local name=$1 kind
    shift
    check "$name: configures" cmake -S "$root/tests/link/project" -B "$work/project" \
        -DCMAKE_C_COMPILER="$CC" "$@"
    check "$name: builds" cmake --build "$work/project" --parallel 2
    for kind in shared static; do
        check "$name: runs, $kind" run "$work/project/program-$kind"
    done
    rm -rf "$work/project"
}

check_project "find_package" -DCMAKE_PREFIX_PATH="$prefix"
check_project "add_subdirectory" -DSUBDIRECTORY="$root" "${quick[@]}"

# ---- without tests, command and the short names; without CMake

check "the bare library: configures" cmake -S "$root" -B "$work/bare" -DCMAKE_C_COMPILER="$CC" \
    -DBLOOMFILTER_BUILD_TESTS=OFF -DBLOOMFILTER_BUILD_COMMAND=OFF -DBLOOMFILTER_BUILD_BENCHMARKS=OFF \
    -DBLOOMFILTER_LIBBLOOM_LINKS=OFF "${quick[@]}"
check "the bare library: builds" cmake --build "$work/bare" --parallel 2
check "the bare library: installs" cmake --install "$work/bare" --prefix "$work/bare-installed"
check "the bare library: has no libbloom.*" \
    test -z "$(find "$work/bare" "$work/bare-installed" -name 'libbloom.*')"
check "one cc line builds the library" "$CC" -O1 -fPIC -fvisibility=hidden -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
    -I "$root/include" -I "$root/src" -shared -Wl,-soname,libbloomfilter.so.1 \
    -Wl,--version-script,"$root/src/bloomfilter.map" -o "$work/libbloomfilter.so.1" \
    "$root"/src/*/*.c -lb2 -lxxhash -lm

# ---- beside the other libbloom

if [ "${BESIDE_LIBBLOOM:-yes}" != no ]; then
    beside=$root/tests/link/beside_libbloom.c
    other=""
    for name in libbloom.so.1 libbloom.so.2; do
        if [ -z "$other" ] && [ "$("$CC" -print-file-name=$name)" != $name ]; then
            other=$name
        fi
    done
    check "Debian's libbloom is installed (package libbloom1 or libbloom2)" test -n "$other"
    compile_and_run "beside $other, ours linked first" "$CC" "${strict[@]}" "${flags[@]}" \
        "$beside" -lbloom -l:$other
    compile_and_run "beside $other, ours linked last" "$CC" "${strict[@]}" "${flags[@]}" \
        "$beside" -l:$other -lbloom
    compile_and_run "beside $other, theirs loaded by dlopen" "$CC" "${strict[@]}" "${flags[@]}" \
        -DOTHER_LIBRARY="\"$other\"" "$beside" -lbloom -ldl
    compile_and_run "beside $other, ours static" "$CC" "${strict[@]}" "${flags[@]}" \
        "$beside" -l:libbloom.a -lb2 -lxxhash -lm -l:$other
else
    echo "left out: beside the other libbloom, as asked"
fi

echo "$passed checks of the installed library passed"
