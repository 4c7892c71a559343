#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Fetches what the tests link with, made for other processors, and unpacks it: for s390x into
# DIRECTORY/s390x, where cmake/toolchains/s390x.cmake finds it. Debian only. Nothing is installed:
# apt works here with a configuration of its own, and so leaves that of the machine as it is.
#
#     scripts/foreign-packages.sh DIRECTORY ARCHITECTURE...

set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: $0 DIRECTORY ARCHITECTURE..." >&2
    exit 2
fi
mkdir -p "$1"
directory=$(cd "$1" && pwd)
shift
packages=(libb2-1 libb2-dev libxxhash0 libxxhash-dev libjansson4 libjansson-dev libcmocka0 libcmocka-dev)
apt=$directory/apt
export APT_CONFIG=$apt/apt.conf

# The machine's sources of packages, with other architectures and an empty list of what is installed.
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
cat >"$APT_CONFIG" <<END
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Architecture "$1";
APT::Architectures { $(printf '"%s"; ' "$@")};
APT::Sandbox::User "";
Acquire::Languages "none";
END

unpack() {
    local architecture=$1 package
    rm -rf "${directory:?}/$architecture" "$apt/packages"
    mkdir -p "$directory/$architecture" "$apt/packages"
    (cd "$apt/packages" && apt-get -q download "${packages[@]/%/:$architecture}")
    for package in "$apt/packages"/*.deb; do
        dpkg-deb --extract "$package" "$directory/$architecture"
    done
}

# A source that lacks these architectures does no harm; a package that is missing then does.
apt-get -q update || true
for architecture in "$@"; do
    unpack "$architecture"
done
