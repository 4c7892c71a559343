#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The main job on real words: builds a filter from a word list with the command, loads it in a C
# program linked with -lbloom, and holds it to its promises.
#
#     scripts/demo.sh [MEMBERS OTHERS]
#
# MEMBERS and OTHERS are files of words, one a line; by default Debian's large English list and its
# French one, which are installed if they are missing. The build goes to build/demo, or to the
# directory that BUILD_DIR names.

set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build/demo}
rate=1%
case $# in
    0)
        groups=(build demo)
        members_list=/usr/share/dict/american-english-huge
        others_list=/usr/share/dict/french
        ;;
    2)
        groups=(build)
        members_list=$(realpath "$1")
        others_list=$(realpath "$2")
        ;;
    *)
        echo "usage: $0 [MEMBERS OTHERS]" >&2
        exit 2
        ;;
esac

bold="" plain=""
if [ -t 1 ]; then
    bold=$'\e[1m' plain=$'\e[0m'
fi

heading() {
    printf '\n%s%s%s\n\n' "$bold" "$*" "$plain"
}

# Runs a command; what it says is shown only when it fails.
quietly() {
    if ! "$@" >"$build/log.txt" 2>&1; then
        cat "$build/log.txt" >&2
        echo "FAILED: $*" >&2
        exit 1
    fi
}

# Shows a command as a user would type it, and runs it.
show() {
    printf '  $ %s\n' "$*"
    "$@" | sed 's/^./  &/'
}

size_of() {
    wc -c <"$1" | tr -d ' '
}

lines_of() {
    wc -l <"$1" | tr -d ' '
}

# ---- packages and build

heading "1. Install and build"
bash "$root/scripts/install-packages.sh" "${groups[@]}"
for list in "$members_list" "$others_list"; do
    if [ ! -r "$list" ]; then
        echo "There is no word list $list here. Name two: $0 MEMBERS OTHERS" >&2
        exit 1
    fi
done
mkdir -p "$build"
installed=$build/installed
rm -rf "$installed"
quietly cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$installed" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBLOOMFILTER_BUILD_COMMAND=ON -DBLOOMFILTER_BUILD_TESTS=OFF
quietly cmake --build "$build"
quietly cmake --install "$build"
export PATH=$installed/bin:$PATH LD_LIBRARY_PATH=$installed/lib
work=$build/words
rm -rf "$work"
mkdir -p "$work"
cd "$work"
echo "  The library, its header and the command are in $installed"

# ---- words

heading "2. The words"
sort -u "$members_list" >members.txt
sort -u "$others_list" | comm -13 members.txt - >others.txt
printf '  members           %10d   words of %s\n' "$(lines_of members.txt)" "$members_list"
printf '  others            %10d   words of %s, less the members\n' "$(lines_of others.txt)" \
    "$others_list"

# ---- the filter, by the command

heading "3. The command builds and saves the filter"
show bloomfilter build -p $rate words.bloom members.txt
echo
show bloomfilter info words.bloom
echo
printf '  word list         %10d   bytes\n' "$(size_of members.txt)"
printf '  filter            %10d   bytes\n' "$(size_of words.bloom)"
awk -v words="$(lines_of members.txt)" -v list="$(size_of members.txt)" \
    -v filter="$(size_of words.bloom)" 'BEGIN {
        printf "                    %10.2f   bits per word, %.1f %% of the word list\n",
            filter * 8 / words, filter / list * 100
    }'

# ---- the questions, by a C program

heading "4. A C program, linked with -lbloom, loads it and asks"
cp "$root/examples/check_words.c" .
show "${CC:-cc}" -O2 check_words.c -I../installed/include -L../installed/lib -lbloom -lm \
    -o check_words
show ./check_words words.bloom members.txt others.txt
