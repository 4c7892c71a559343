#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds with gcc and clang and with their sanitizers, and runs the tests.
#
#     scripts/test.sh [--all]
#
# Other processors are emulated, with Debian's cross compilers (Debian on amd64 only).
#
# --all also runs the tests that need gigabytes of memory (label `large`) or minutes (`long`), more
# of the tests in more of the builds, the command on other processors, and valgrind. The builds go to
# build/, or to the directory that BUILD_DIR names.

set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build_dir=${BUILD_DIR:-$root/build}
left_out="large|long"
case "$#,${1-}" in
    0,) ;;
    1,--all) left_out="none" ;;
    *)
        echo "usage: $0 [--all]" >&2
        exit 2
        ;;
esac

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
summary=()
all_passed=0
all_failed=0

heading() {
    printf '\n==== %s\n\n' "$*"
}

# ThreadSanitizer of older compilers knows only the usual places in memory; randomization of newer
# kernels moves things elsewhere.
without_randomization() {
    if command -v setarch >/dev/null && setarch "$(uname -m)" -R true 2>/dev/null; then
        setarch "$(uname -m)" -R "$@"
    else
        "$@"
    fi
}

# Notes how a step went: its name, tests passed, tests failed, seconds.
note() {
    summary+=("$(printf '%-44s %4d passed %4d failed %5d s' "$@")")
    all_passed=$((all_passed + $2))
    all_failed=$((all_failed + $3))
}

# Configures and builds in the directory "$1": all, or the targets in `targets`. The rest goes to CMake.
build() {
    local directory=$1
    shift
    cmake -S "$root" -B "$directory" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DBLOOMFILTER_WARNINGS_AS_ERRORS=ON -DBLOOMFILTER_BUILD_COMMAND=ON \
        -DBLOOMFILTER_BUILD_TESTS=ON ${test_abi[@]+"${test_abi[@]}"} "$@" &&
        cmake --build "$directory" --parallel "$jobs" ${targets[@]+--target "${targets[@]}"}
}

# Runs the tests of a build and sets test_count and failure_count.
run_tests() {
    local directory=$1 log=$1/test.log line
    shift
    (cd "$directory" && without_randomization ctest --output-on-failure --no-tests=error \
        --parallel "$jobs" "$@") 2>&1 | tee "$log"
    line=$(grep -E 'tests passed, .* tests? failed out of' "$log" | tail -n 1)
    test_count=$(sed -nE 's/.*out of ([0-9]+).*/\1/p' <<<"$line")
    failure_count=$(sed -nE 's/.*, ([0-9]+) tests? failed.*/\1/p' <<<"$line")
}

# step NAME DIRECTORY SELECTION CMAKE_OPTION...: builds and tests; SELECTION goes to ctest.
step() {
    local name=$1 directory=$build_dir/$2 selection start=$SECONDS test_count="" failure_count=""
    read -r -a selection <<<"$3"
    shift 3
    heading "$name"
    if build "$directory" "$@"; then
        run_tests "$directory" "${selection[@]}"
    fi
    if [ -z "$test_count" ] || [ -z "$failure_count" ]; then
        note "$name: did not build or run" 0 1 $((SECONDS - start))
    else
        note "$name" $((test_count - failure_count)) "$failure_count" $((SECONDS - start))
    fi
}

# Whether the other machines can be emulated here; installs what that takes.
emulate() {
    local system
    system=$(. /etc/os-release 2>/dev/null && echo "$ID-$(dpkg --print-architecture)")
    if [ "$system" != debian-amd64 ]; then
        summary+=("left out: other machines, which need the cross compilers of Debian on amd64")
        return 1
    fi
    if ! bash "$root/scripts/install-packages.sh" "$@" ||
        ! bash "$root/scripts/foreign-packages.sh" "$build_dir/foreign" i386 s390x armel arm64; then
        note "other machines: packages" 0 1 0
        return 1
    fi
}

# machine NAME TESTS: emulates one. TESTS is a pattern of those that are left out. The signals of
# the test process are not those of an emulator; what starts other programs is not built.
machine() {
    step "$1, emulated" "$1" "-LE ^(large|long|statistical|tree)\$ -E ^(process|$2)\$" \
        -DCMAKE_TOOLCHAIN_FILE="$root/cmake/toolchains/$1.cmake" \
        -DBLOOMFILTER_FOREIGN="$build_dir/foreign" -DBLOOMFILTER_BUILD_BENCHMARKS=OFF
    summary+=("  left out there: faults, installed, process, and tests that start other programs")
}

heading "Packages"
bash "$root/scripts/install-packages.sh" build test || exit 1
echo "All that is needed is installed."
if ! command -v apt-get >/dev/null; then
    export BESIDE_LIBBLOOM=no
    summary+=("left out: living beside the other libbloom, a package of Debian and Ubuntu")
fi
test_abi=()
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    summary+=("left out: the test abi, whose record is of x86_64")
elif ! command -v apt-get >/dev/null && ! command -v abidiff >/dev/null; then
    test_abi=(-DBLOOMFILTER_TEST_ABI=OFF)
    summary+=("left out: the test abi, which needs libabigail")
fi

# The first two of these steps, gcc and AddressSanitizer (which is clang), run every test that has
# something to say there. The other builds are for what a compiler or optimization makes of the code:
# what is about system calls, installing, the whole command (command-later still goes through its
# verbs), fewer features of the processor, or one thread more is tried again only by --all.
without_benchmarks=(-DBLOOMFILTER_BUILD_BENCHMARKS=OFF)
once="large|long|statistical|tree"
of_clang="-LE ^($once)\$"
of_optimization="-LE ^($once|abi)\$"
if [ "$left_out" != none ]; then
    repeated="command|faults|installed|benchmark.*|.*-without-.*|.*-beside-a-thread"
    of_clang+=" -E ^($repeated)\$"
    of_optimization+=" -E ^($repeated)\$"
    summary+=("left out where not gcc or AddressSanitizer: ${repeated//|/, }")
fi

step "gcc" gcc "-LE ^($left_out)\$" -DCMAKE_C_COMPILER=gcc
step "AddressSanitizer, UndefinedBehaviorSanitizer" asan "-LE ^($once)\$" \
    -DCMAKE_C_COMPILER=clang -DBLOOMFILTER_SANITIZE=address,undefined
step "clang" clang "$of_clang" -DCMAKE_C_COMPILER=clang \
    ${repeated:+"${without_benchmarks[@]}"}
# From here on without bench/: its code is that of the steps above.
targets=(test_threads test_process)
step "ThreadSanitizer" tsan "-L ^threads\$" \
    -DCMAKE_C_COMPILER=clang -DBLOOMFILTER_SANITIZE=thread "${without_benchmarks[@]}" \
    -DBLOOMFILTER_BUILD_COMMAND=OFF -DBLOOMFILTER_TEST_ABI=OFF
unset targets
step "gcc -O0" O0 "$of_optimization" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug \
    "${without_benchmarks[@]}"
step "gcc -O3 -flto" lto "$of_optimization" -DCMAKE_C_COMPILER=gcc \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON "${without_benchmarks[@]}"

heading "Packages of other machines"
if [ "$left_out" != none ] && emulate machines; then
    # What prediction says decides sizes, which vectors compares to the last bit.
    left_out_there="command|attack|prediction|.*-beside-a-thread"
    machine s390x "$left_out_there"
    machine i386 "$left_out_there"
    summary+=("  and: ${left_out_there//|/, }")
elif [ "$left_out" = none ] && emulate machines all-machines; then
    machine s390x none
    machine i386 none
    machine armel none
    machine aarch64 none
    memcheck="bitset|file|format_files|handle|hashing|persist|serializer|vectors"
    step "valgrind" valgrind "-R ^($memcheck)\$" -DCMAKE_C_COMPILER=gcc \
        -DBLOOMFILTER_BUILD_BENCHMARKS=OFF \
        "-DCMAKE_CROSSCOMPILING_EMULATOR=valgrind;-q;--error-exitcode=99;--leak-check=full"
fi

heading "Summary, $SECONDS s"
printf '%s\n' "${summary[@]}"
if [ "$left_out" != none ]; then
    echo "left out: tests with the labels large and long, and more machines; scripts/test.sh --all" \
        "runs them, too"
fi
printf '\n%d passed, %d failed\n' "$all_passed" "$all_failed"
[ "$all_failed" -eq 0 ]
