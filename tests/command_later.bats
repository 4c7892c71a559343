# SPDX-License-Identifier: MIT
#
# The command and the files of later releases (tests/later). BLOOMFILTER is the path of the
# executable, MAKE_FILES the beginning of the names of the programs that make the files.

bats_require_minimum_version 1.5.0

setup_file() {
    : "${MAKE_FILES:?must be the beginning of the names of the programs that make files}"
    cd "$BATS_FILE_TMPDIR"
    for release in today later-256 later-65536; do
        mkdir $release
        "$MAKE_FILES-$release" format-1/INDEX.csv $release
    done
    for release in later-256 later-65536; do
        "$MAKE_FILES-$release" ../later/INDEX.csv $release
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    printf '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' > secret
}

bloomfilter() {
    "$BLOOMFILTER" "$@"
}

laters="later-256 later-65536"

# same_as_today COMMAND...: prints the same and exits alike in the directory of every release.
same_as_today() {
    local status=0 found_status release
    (cd today && "$@") > expected || status=$?
    for release in $laters; do
        found_status=0
        (cd $release && "$@") > found || found_status=$?
        cmp expected found
        [ $found_status -eq $status ]
    done
}

@test "later minor versions: the same answers" {
    { seq -f user:%.0f 0 3000; seq -f absent:%.0f 0 3000; } > keys
    for file in pair-at-capacity pair-metadata indexed-at-capacity murmur-wide-seed; do
        for options in "" -v -c "-vc"; do
            same_as_today bloomfilter query $options $file.bloom ../keys
        done
    done
    same_as_today bloomfilter query --secret-file ../secret pair-keyed-16.bloom ../keys
    echo nobody > keys
    same_as_today bloomfilter query pair-empty.bloom ../keys
}

@test "later minor versions: verify, info, and metadata" {
    same_as_today bloomfilter verify pair-at-capacity.bloom murmur-full-leaves.bloom
    same_as_today bloomfilter info --print-metadata pair-metadata.bloom
    for options in "" --header; do
        (cd today && bloomfilter info $options --json pair-metadata.bloom |
            sed '/"format_minor"/d; /"memory_bytes"/d; /"file_size"/d') > expected
        for release in $laters; do
            (cd $release && bloomfilter info $options --json pair-metadata.bloom |
                sed '/"format_minor"/d; /"memory_bytes"/d; /"file_size"/d') > found
            diff expected found
        done
    done
    bloomfilter info later-256/pair-metadata.bloom | grep -qx 'format  *1\.1'
    bloomfilter info --header later-65536/pair-metadata.bloom | grep -qx 'format  *1\.65535'
}

@test "later minor versions: what is saved again is a 1.0 file" {
    for release in today $laters; do
        cp $release/pair-metadata.bloom added-$release
        echo zoe | bloomfilter add added-$release
        bloomfilter union -o union-$release $release/pair-metadata-64.bloom \
            today/pair-metadata-binary.bloom
        cmp added-$release added-today
        cmp union-$release union-today
    done
    bloomfilter info union-later-256 | grep -qx 'format  *1\.0'
}

# refuses FILE TEXT [OPTION...]: every verb, with status 2 and the same text; the file stays as it
# was.
refuses() {
    local file=$1 text=$2 command
    shift 2
    cp "$file" before
    echo user:1 > keys
    for command in info "info --header" query verify measure add; do
        run -2 --separate-stderr bloomfilter $command "$@" "$file" < keys
        [ -z "$output" ]
        [[ "$stderr" == "bloomfilter: $file: "$text ]]
    done
    run -2 --separate-stderr bloomfilter union "$@" -o out.bloom "$file" "$file"
    [[ "$stderr" == "bloomfilter: $file: "$text ]]
    [ ! -e out.bloom ]
    cmp "$file" before
}

@test "what only a later release knows is refused" {
    text="unknown feature, hash scheme or layout*. A newer release of bloomfilter may know it."
    for release in $laters; do
        refuses $release/new-hash.bloom "$text"
        refuses $release/new-layout.bloom "$text"
        refuses $release/new-bit.bloom "$text"
        refuses $release/new-bit-keyed.bloom "$text" --secret-file secret
    done
}

@test "a later major version is refused, whatever follows its number" {
    { head -c 8 today/pair-empty.bloom; printf '\2\0'; } > major-2.bloom
    { cat major-2.bloom; seq 1000; } > major-2-long.bloom
    refuses major-2.bloom "*newer*. A newer release of bloomfilter can read it."
    refuses major-2-long.bloom "*newer*. A newer release of bloomfilter can read it."
}
