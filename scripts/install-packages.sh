#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Installs the packages that are missing, on Debian and Ubuntu. On other systems it names them and
# fails if something is missing.
#
#     scripts/install-packages.sh GROUP...
#
# Groups: build (the library and the command), test (scripts/test.sh), demo (scripts/demo.sh);
# machines and all-machines (scripts/test.sh and scripts/test.sh --all on Debian).

set -euo pipefail

usage() {
    echo "usage: $0 build|test|demo..." >&2
    exit 2
}

# ---- what is needed
#
# "a|b" is whichever of both the release has. libabigail is for the test `abi`, which is of x86_64.

libabigail() {
    if [ "$(uname -sm)" = "Linux x86_64" ]; then
        echo "$1"
    fi
}

debian_packages() {
    case $1 in
        build) echo build-essential cmake ninja-build pkg-config libb2-dev libxxhash-dev \
            libjansson-dev ;;
        test) echo libcmocka-dev bats clang python3 mandoc bsdutils strace musl-tools \
            'libbloom1|libbloom2' "$(libabigail abigail-tools)" ;;
        demo) echo wamerican-huge wfrench ;;
        machines)
            echo gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-i686-linux-gnu \
                libc6-dev-i386-cross qemu-user
            ;;
        all-machines)
            echo gcc-arm-linux-gnueabi libc6-dev-armel-cross gcc-aarch64-linux-gnu \
                libc6-dev-arm64-cross valgrind
            ;;
        *) usage ;;
    esac
}

fedora_packages() {
    case $1 in
        build) echo gcc gcc-c++ cmake ninja-build pkgconf-pkg-config libb2-devel \
            xxhash-devel jansson-devel ;;
        test) echo libcmocka-devel bats clang compiler-rt python3 mandoc util-linux strace \
            "$(libabigail libabigail)" ;;
        demo) echo words ;;
        *) usage ;;
    esac
}

arch_packages() {
    case $1 in
        build) echo base-devel cmake ninja libb2 xxhash jansson ;;
        test) echo cmocka bats clang compiler-rt python mandoc util-linux strace ;;
        demo) echo words ;;
        *) usage ;;
    esac
}

homebrew_packages() {
    case $1 in
        build) echo cmake ninja pkgconf libb2 xxhash jansson ;;
        test) echo cmocka bats-core llvm python mandoc ;;
        demo) echo ;;
        *) usage ;;
    esac
}

# The programs and pkg-config modules by which a group is recognized where dpkg is not asked.
needed_programs() {
    case $1 in
        build) echo cc cmake ninja pkg-config ;;
        test) echo gcc g++ clang clang++ bats python3 mandoc script nm readelf ;;
        demo) echo ;;
    esac
}

needed_modules() {
    case $1 in
        build) echo libb2 libxxhash jansson ;;
        test) echo cmocka ;;
        demo) echo ;;
    esac
}

# ---- Debian and Ubuntu

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "This needs root, and sudo is not here. As root, run: $*" >&2
        exit 1
    fi
}

# Runs apt-get without questions; what it says is shown when it fails.
apt() {
    local log
    log=$(mktemp)
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" \
        </dev/null >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        echo "FAILED: apt-get $*" >&2
        exit 1
    fi
    rm -f "$log"
}

any_is_installed() {
    local package
    for package in ${1//|/ }; do
        is_installed "$package" && return
    done
    return 1
}

# The first of "a|b" that this release has, or else the first.
first_available() {
    local package
    for package in ${1//|/ }; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            echo "$package"
            return
        fi
    done
    echo "${1%%|*}"
}

is_updated=no

install_debian() {
    local missing=() chosen=() packages
    for packages in "$@"; do
        any_is_installed "$packages" || missing+=("$packages")
    done
    [ ${#missing[@]} -eq 0 ] && return
    [ $is_updated = yes ] || apt update
    is_updated=yes
    for packages in "${missing[@]}"; do
        chosen+=("$(first_available "$packages")")
    done
    echo "Installing ${chosen[*]} ..."
    # Cross compilers conflict with gcc-multilib: nothing that is there is taken away.
    apt install --no-install-recommends --no-remove "${chosen[@]}"
}

# The sanitizers' run-time library has a package of its own since clang 14 of Debian 12; its name
# carries the compiler's version.
clang_links_sanitizers() {
    local program status=0
    program=$(mktemp)
    echo 'int main(void) { return 0; }' |
        clang -x c -fsanitize=address,undefined -o "$program" - >/dev/null 2>&1 || status=1
    rm -f "$program"
    return $status
}

install_clang_sanitizers() {
    if ! clang_links_sanitizers; then
        install_debian "libclang-rt-$(clang -dumpversion | cut -d . -f 1)-dev"
    fi
}

# ---- the others

# Names what a group lacks, or nothing.
missing_of_group() {
    local name
    for name in $(needed_programs "$1"); do
        command -v "$name" >/dev/null || echo "$name"
    done
    for name in $(needed_modules "$1"); do
        pkg-config --exists "$name" 2>/dev/null || echo "$name"
    done
}

# Stops unless all groups are there; "$1" is the installing command, "$2" lists a group's packages.
require_groups() {
    local command=$1 list=$2 group name names missing=() packages=()
    shift 2
    for group in "$@"; do
        while read -r name; do
            missing+=("$name")
        done < <(missing_of_group "$group")
        read -r -a names < <($list "$group") && packages+=("${names[@]}")
    done
    [ ${#missing[@]} -eq 0 ] && return
    echo "Missing: ${missing[*]}" >&2
    echo "Install the packages, then run this again:" >&2
    echo "    $command ${packages[*]}" >&2
    exit 1
}

# ---- which system

[ $# -gt 0 ] || usage
for group in "$@"; do
    debian_packages "$group" >/dev/null
done

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    packages=()
    for group in "$@"; do
        read -r -a names < <(debian_packages "$group")
        packages+=("${names[@]}")
    done
    install_debian "${packages[@]}"
    case " $* " in
        *" test "*) install_clang_sanitizers ;;
    esac
elif command -v dnf >/dev/null; then
    require_groups "sudo dnf install" fedora_packages "$@"
elif command -v pacman >/dev/null; then
    require_groups "sudo pacman -S --needed" arch_packages "$@"
elif command -v brew >/dev/null; then
    require_groups "brew install" homebrew_packages "$@"
else
    require_groups "your package manager's install command, with (by Debian's names)" \
        debian_packages "$@"
fi
