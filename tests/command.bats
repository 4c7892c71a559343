# SPDX-License-Identifier: MIT
#
# Tests of the command. BLOOMFILTER is the path of the executable, BLOOMFILTER_READER that of a
# Python program that checks the format of filter files: the last test shows it the files that the
# command made in all others.

bats_require_minimum_version 1.5.0

setup() {
    : "${BLOOMFILTER:?must be the path of the command}"
    cd "$BATS_TEST_TMPDIR"
    export TMPDIR="$BATS_TEST_TMPDIR"
}

bloomfilter() {
    "$BLOOMFILTER" "$@"
}

# check_format FILE [SECRET_IN_HEX]: keeps a copy for the last test. Python starts slowly, so all
# files are checked by one start of it for each secret.
check_format() {
    local room="$BATS_FILE_TMPDIR/made/${2:-none}"
    mkdir -p "$room"
    cp "$1" "$(mktemp "$room/$BATS_TEST_NUMBER-XXXXXX.bloom")"
}

# info_field FILE FIELD [OPTION...]: one field of info --json.
info_field() {
    local file=$1 field=$2
    shift 2
    bloomfilter info --json "$@" "$file" | sed -n "s/^  \"$field\": \"\?\([^\"]*\)\"\?,\?\$/\1/p" |
        sed 's/,$//'
}

# hex FILE: its bytes.
hex() {
    od -An -v -tx1 "$1" | tr -d ' \n'
}

# fails_with TEXT COMMAND...: exit status 2, a report that contains TEXT, nothing on stdout.
fails_with() {
    local text=$1
    shift
    run -2 --separate-stderr "$@"
    [ -z "$output" ] || { echo "output: $output"; return 1; }
    [[ "$stderr" == "bloomfilter: "*"$text"* ]] || { echo "stderr: $stderr"; return 1; }
}

# What is not tried in an emulator, and why.
skip_emulated() {
    [ -z "${BLOOMFILTER_EMULATED-}" ] || skip "an emulator $1"
}

is_quiet() {
    run -0 --separate-stderr "$@"
    [ -z "$output$stderr" ] || { echo "output: $output$stderr"; return 1; }
}

three_keys() {
    printf 'alice\nbob\ncarol\n' > three.txt
    bloomfilter build -n 1000 -p 0.001 three.bloom three.txt
}

# ---- The frame ---------------------------------------------------------------------------------

@test "--version tells the release" {
    run -0 bloomfilter --version
    [[ "$output" =~ ^bloomfilter\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "--help names every verb and gives examples" {
    run -0 bloomfilter --help
    for verb in create build add query info verify measure union intersect plan export import; do
        [[ "$output" == *"  $verb "* ]]
    done
    [[ "$output" == *Examples:* ]]
    run -0 bloomfilter help build
    [[ "$output" == "Usage: bloomfilter build "* ]]
}

@test "every verb has a help with examples, on standard output" {
    for verb in create build add query info verify measure union intersect plan export import; do
        run -0 --separate-stderr bloomfilter $verb --help
        [ -z "$stderr" ]
        [[ "$output" == "Usage: bloomfilter $verb "*Options:*Examples:*"bloomfilter $verb "* ]]
        run -0 bloomfilter $verb -h
    done
}

@test "help keeps to 100 columns" {
    for verb in create build add query info verify measure union intersect plan export import; do
        bloomfilter $verb --help
    done > help.txt
    bloomfilter --help >> help.txt
    run -1 grep -E '^.{101}' help.txt
}

@test "no verb, an unknown verb, unknown and incomplete options" {
    run -2 --separate-stderr bloomfilter
    [ -z "$output" ] && [[ "$stderr" == *Usage:* ]]
    fails_with "unknown verb 'frobnicate'" bloomfilter frobnicate
    fails_with "unknown option -z" bloomfilter create -z x.bloom
    fails_with "unknown or ambiguous option --colour" bloomfilter create --colour x.bloom
    fails_with "-p needs an argument" bloomfilter create x.bloom -p
    fails_with "takes no argument" bloomfilter create --force=yes x.bloom
    fails_with "Try 'bloomfilter info --help'" bloomfilter info
    fails_with "too many file names, from 'b'" bloomfilter info a b
    fails_with "unknown option -n" bloomfilter query -n 5 a
    fails_with "options follow the verb: bloomfilter VERB -q" bloomfilter -q info a
    fails_with "a file name is empty" bloomfilter create -n 1 -p 0.1 ""
    fails_with "a file name is empty" bloomfilter create -n 1 -p 0.1 -o ""
    fails_with "a file name is empty" bloomfilter query a ""
}

@test "what is wrong with a value names the option as it was typed" {
    fails_with "plan: -n x: not a whole number" bloomfilter plan -n x -p 0.1
    fails_with "plan: --capacity x: not a whole number" bloomfilter plan --capacity x -p 0.1
    fails_with "--secret-fd x: not a file descriptor" bloomfilter info --secret-fd x a
    fails_with "--secret-fd 1k: not a file descriptor" bloomfilter info --secret-fd 1k a
}

@test "no option means two things" {
    fails_with "unknown or ambiguous option --metadata" bloomfilter info --metadata a
    fails_with "unknown or ambiguous option --seed" bloomfilter measure --seed 1 a
    bloomfilter import --help | grep -q -- '-m, --bits BITS  *bits of the filter: how many IN has'
}

@test "control characters in names never reach the terminal" {
    name=$'a\033[31m\n.bloom'
    shown='a\x1b[31m\n.bloom'
    fails_with "$shown: No such file" bloomfilter info "$name"
    fails_with "unknown verb '$shown'" bloomfilter "$name"
    bloomfilter create -n 5 -p 0.1 "$name"
    fails_with "$shown: exists already" bloomfilter create -n 5 -p 0.1 "$name"
    bloomfilter info "$name" | grep -qF "file             $shown"
    run -0 bloomfilter verify "$name"
    [ "$output" = "$shown: fine" ]
    bloomfilter create -n 6 -p 0.1 other.bloom
    fails_with "other.bloom: cannot be combined with $shown: " \
        bloomfilter union x.bloom "$name" other.bloom
    fails_with "größe: No such file" bloomfilter info größe
}

@test "options may come after operands, and -- ends them" {
    bloomfilter create x.bloom -p 1% -n 10
    check_format x.bloom
    bloomfilter create -p 1% -n 10 -- -n.bloom
    [ -f ./-n.bloom ]
    bloomfilter create -p 1% -n 10 -o y.bloom
    [ -f y.bloom ]
    fails_with "too many file names" bloomfilter create -p 1% -n 10 -o z.bloom zz.bloom
}

@test "closed standard descriptors never become the filter's file" {
    bloomfilter create -n 5 -p 0.1 x.bloom <&- >&- 2>&-
    bloomfilter verify -q x.bloom
    check_format x.bloom
}

@test "reports to closed descriptors never go into a filter's file" {
    three_keys
    cp three.bloom before.bloom
    for closed in '0<&-' '1>&-' '2>&-' '0<&- 2>&-' '1>&- 2>&-' '0<&- 1>&- 2>&-'; do
        run -2 bash -c "\"$BLOOMFILTER\" add three.bloom three.txt missing.txt $closed"
        cmp three.bloom before.bloom
        # A warning, and the progress and remarks that there may be.
        bash -c "\"$BLOOMFILTER\" create -f -n 100 -p 1e-7 warned.bloom $closed"
        check_format warned.bloom
        bash -c "\"$BLOOMFILTER\" add warned.bloom three.txt $closed"
        check_format warned.bloom
        bash -c "\"$BLOOMFILTER\" query -c warned.bloom three.txt $closed" || true
        [ "$(bloomfilter query -c warned.bloom three.txt)" = 3 ]
    done
    [ -z "$(find . -name '.bloomfilter-*')" ]
}

# ---- Numbers -----------------------------------------------------------------------------------

@test "counts: plain, with exponent, with suffix" {
    for count in 1500000 1.5e6 1500k 1.5M 15e5 0.0015G 1500000.0 15000000e-1; do
        run -0 bloomfilter plan -n $count -p 1% --json
        [[ "$output" == *'"capacity": 1500000,'* ]]
    done
}

@test "counts that are none are refused" {
    for count in '' x 12x -5 +5 0x10 1.5 1e-1 1Ki ' 5' '5 ' 1e 1. .5 1_000; do
        fails_with "whole number" bloomfilter plan -n "$count" -p 1%
    done
    for count in 18446744073709551616 1e20 99999999999T 1e99999999999; do
        fails_with "too large" bloomfilter plan -n $count -p 1%
    done
    fails_with "must be 1 at least" bloomfilter plan -n 0 -p 1%
    fails_with "2^60" bloomfilter plan -m 1152921504606846977 -k 3
    fails_with "between 1 and 255" bloomfilter plan -m 100 -k 256
    fails_with "between 1 and 255" bloomfilter plan -m 100 -k 0
}

@test "rates: plain, with exponent, percent, fraction" {
    for rate in 0.007 7e-3 0.7% 7/1000 0.7E-2 14/2e3; do
        run -0 bloomfilter plan -n 1000 -p $rate --json
        [[ "$output" == *'"target_fpr": 0.0070000000000000001,'* ]]
    done
}

@test "rates that are none are refused" {
    for rate in '' x 0.01x nan inf -0.1 0x1p-3 1/ /2 1/2/3 1%% 1e-2% ' 0.1' 1,5 .1; do
        fails_with "not a rate" bloomfilter plan -n 10 -p "$rate"
    done
    for rate in 0 1 2 100% 0% 1/1 3/2 0/5 1/0 1e-999; do
        fails_with "not between 0 and 1" bloomfilter plan -n 10 -p $rate
    done
    fails_with "255 positions" bloomfilter plan -n 10 -p 1e-300
}

@test "hashes by name and by number" {
    bloomfilter plan -n 10 -p 1% --hash blake2b-indexed --json | grep -q '"hash": 2'
    bloomfilter plan -n 10 -p 1% --hash 3 --seed 0x80000001 --json | grep -q '"seed": 2147483649'
    bloomfilter plan -n 10 -p 1% --hash blake2b-wide --json | grep -q '"hash": 4'
    bloomfilter plan -n 10 -p 1% --hash 4 | grep -q 'blake2b-wide'
    fails_with "blake2b-pair (1)" bloomfilter plan -n 10 -p 1% --hash md5
    fails_with "no such hash" bloomfilter plan -n 10 -p 1% --hash 77
    bloomfilter plan -n 10 -p 1% --layout split-block --hash 5 --json |
        grep -q '"hash_name": "xxh64"'
    bloomfilter plan -n 10 -p 1% --layout 2 --json | grep -q '"layout_name": "split-block"'
    fails_with "flat (1) and split-block (2)" bloomfilter plan -n 10 -p 1% --layout counting
    fails_with "only murmur3-tweak has a --seed" bloomfilter plan -n 10 -p 1% --seed 1
    fails_with "32 bits" bloomfilter plan -n 10 -p 1% --hash 3 --seed 4294967296
}

# ---- plan, and the warning before a filter that misses its target ------------------------------

@test "plan prints a table, or JSON" {
    run -0 --separate-stderr bloomfilter plan -n 1000000 -p 0.01
    [[ "$output" == *"bits             9585059 (9.585 per key)"* ]]
    [[ "$output" == *"positions        7 per key"* ]]
    [[ "$output" == *"target rate      0.01 (1 in 100)"* ]]
    [ -z "$stderr" ]
    bloomfilter plan -n 1000000 -p 0.01 --json | python3 -m json.tool
}

@test "a target that plain double hashing misses is warned about, with advice that works" {
    run -0 --separate-stderr bloomfilter plan -n 1000 -p 1e-6
    [[ "$stderr" == *"warning: the false positive rate will be about"*"times the target 1e-06"* ]]
    [[ "$stderr" == *"--hash blake2b-wide keeps to the target"* ]]
    is_silent_plan() {
        run -0 --separate-stderr bloomfilter plan -n 1000 -p 1e-6 "$@"
        [ -z "$stderr" ]
    }
    advice=$(grep -oE -e '-m [0-9]+( -k [0-9]+)?' <<< "$stderr")
    is_silent_plan --hash blake2b-wide
    is_silent_plan --hash blake2b-indexed
    is_silent_plan $advice
}

# plan_warns TEXT OPTION...: a warning that contains TEXT, and advice that works.
plan_warns() {
    local text=$1 advice
    shift
    run -0 --separate-stderr bloomfilter plan "$@"
    [[ "$stderr" == *"warning: the false positive rate will be about"*"$text"* ]]
    advice=$(grep -oE -e '(--hash [a-z0-9-]+ )?-m [0-9]+ -k [0-9]+' <<< "$stderr" ||
        grep -oE -e '--hash [a-z0-9-]+' <<< "$stderr")
    run -0 --separate-stderr bloomfilter plan "$@" $advice
    [ -z "$stderr" ] || { echo "$advice: $stderr"; return 1; }
}

@test "the warning blames what is to blame" {
    plan_warns "with 28756 bits, the 20 positions of blake2b-pair overlap too often" \
        -n 1000 -p 1e-6
    plan_warns "5000 bits are too few for 1000 keys with 3 positions each" -n 1000 -p 1e-6 -m 5000
    plan_warns "28756 bits are too few for 1000 keys with 2 positions each" -n 1000 -p 1e-6 -k 2
    plan_warns "1000 bits are too few for 231 keys" -p 1e-6 -m 1000 -k 3
    plan_warns "reach only 4294967296 of the 9585058378 bits" -n 1G -p 1% --hash murmur3-tweak
    plan_warns "do not reach all of 2875517514 bits alike" -n 300M -p 1% --hash murmur3-tweak
}

@test "no warning of a target that nobody set" {
    run -0 --separate-stderr bloomfilter plan -m 24 -k 5
    [ -z "$stderr" ]
    run -0 --separate-stderr bloomfilter plan -m 24 -k 5 -n 3
    [ -z "$stderr" ]
    is_quiet bloomfilter build -m 24 -k 5 x.bloom <(seq 3)
}

@test "create and build warn too, and make the filter all the same" {
    run -0 --separate-stderr bloomfilter create -n 100 -p 1e-7 x.bloom
    [[ "$stderr" == "bloomfilter: x.bloom: warning: "* ]]
    check_format x.bloom
    run -0 --separate-stderr bloomfilter build -p 1e-7 y.bloom <(seq 100)
    [ "$(grep -c warning <<< "$stderr")" = 1 ]
    check_format y.bloom
}

# ---- create, build, add ------------------------------------------------------------------------

@test "create makes an empty filter" {
    is_quiet bloomfilter create -n 1M -p 1% x.bloom
    check_format x.bloom
    [ "$(info_field x.bloom bit_count)" = 9585059 ]
    [ "$(info_field x.bloom insert_count)" = 0 ]
    [ "$(info_field x.bloom bits_set)" = 0 ]
    run -1 bloomfilter query x.bloom <<< anything
}

@test "create with -m and -k alone" {
    bloomfilter create -m 1000 -k 3 x.bloom
    check_format x.bloom
    [ "$(info_field x.bloom capacity)" = 231 ]
    fails_with "which false positive rate" bloomfilter create -n 10 y.bloom
    fails_with "for how many keys" bloomfilter create -p 0.1 y.bloom
    [ ! -e y.bloom ]
}

@test "build counts regular files, standard input and pipes" {
    seq 5000 > keys.txt
    is_quiet bloomfilter build -p 1% file.bloom keys.txt
    is_quiet bloomfilter build -p 1% stdin.bloom < keys.txt
    cat keys.txt | bloomfilter build -p 1% pipe.bloom
    cat keys.txt | bloomfilter build -p 1% dash.bloom -
    bloomfilter build -p 1% process.bloom <(seq 2500) <(seq 2501 5000)
    bloomfilter build -n 5000 -p 1% given.bloom keys.txt
    for made in stdin pipe dash process given; do
        cmp file.bloom $made.bloom
    done
    check_format file.bloom
    [ "$(info_field file.bloom capacity)" = 5000 ]
    [ "$(info_field file.bloom insert_count)" = 5000 ]
    [ "$(bloomfilter query -c file.bloom keys.txt)" = 5000 ]
}

@test "build reads the rest of a file that standard input is in the middle of" {
    seq 10 > keys.txt
    { read -r _ && bloomfilter build -p 1% x.bloom; } < keys.txt
    [ "$(info_field x.bloom insert_count)" = 9 ]
}

@test "build of nothing makes an empty filter" {
    is_quiet bloomfilter build -m 1000 -k 1 x.bloom /dev/null
    check_format x.bloom
    [ "$(info_field x.bloom capacity)" = 1 ]
    run -1 bloomfilter query x.bloom /dev/null
}

@test "build leaves no temporary file" {
    mkdir spool
    seq 1000 | TMPDIR=$PWD/spool bloomfilter build -p 1% x.bloom
    [ -z "$(ls -A spool)" ]
    seq 10 | { fails_with "/nowhere: cannot make a temporary file" \
        env TMPDIR=/nowhere "$BLOOMFILTER" build -p 1% y.bloom; }
    seq 10 | TMPDIR=/nowhere bloomfilter build -n 10 -p 1% y.bloom
}

@test "add adds, and counts" {
    three_keys
    is_quiet bloomfilter add three.bloom <(echo dave) - <<< erin
    check_format three.bloom
    [ "$(info_field three.bloom insert_count)" = 5 ]
    run -0 bloomfilter query three.bloom < <(printf '%s\n' alice bob carol dave erin frank)
    [ "$output" = $'alice\nbob\ncarol\ndave\nerin' ]
}

@test "add to many equals build of all" {
    seq 1000 > a; seq 1001 2000 > b
    bloomfilter build -n 2000 -p 1% all.bloom a b
    bloomfilter build -n 2000 -p 1% x.bloom a
    bloomfilter add x.bloom b
    cmp all.bloom x.bloom
}

@test "add says when the filter is over its capacity" {
    bloomfilter create -n 100 -p 1% x.bloom
    seq 105 > keys
    run -0 --separate-stderr bloomfilter add x.bloom keys
    seq 1000 > keys
    run -0 --separate-stderr bloomfilter add x.bloom keys
    [[ "$stderr" == *"x.bloom: warning: the false positive rate is now about"*"made for 100."* ]]
    [[ "$stderr" == *"Build it anew with a larger -n"* ]]
}

@test "add judges by the keys that are there, and not by how often they were added" {
    bloomfilter create -n 100 -p 1e-7 x.bloom 2> /dev/null
    for i in 1 2 3; do seq 90; done > keys
    run -0 --separate-stderr bloomfilter add x.bloom keys
    [[ "$stderr" == *"with no more keys than it was made for: with 3355 bits, the 23 positions"* ]]
    bloomfilter build -m 400 -k 2 full.bloom <(seq 300)
    bloomfilter export --raw full.bloom bits
    bloomfilter import --raw -m 400 -k 2 -n 100 -p 2% bits y.bloom 2> /dev/null
    run -0 --separate-stderr bloomfilter add y.bloom <<< 1
    [[ "$stderr" == *"distinct keys and was made for 100. Build it anew"* ]]
}

@test "add follows a symbolic link and keeps the permissions" {
    three_keys
    chmod 640 three.bloom
    ln -s three.bloom link.bloom
    bloomfilter add link.bloom <<< dave
    [ -L link.bloom ]
    [ "$(stat -c %a three.bloom)" = 640 ]
    bloomfilter query -q three.bloom <<< dave
}

@test "a key file that cannot be read leaves the filter as it was" {
    three_keys
    cp three.bloom before.bloom
    echo dave > good.txt
    fails_with "missing.txt: cannot open: No such file" \
        bloomfilter add three.bloom good.txt missing.txt
    fails_with ".: cannot read: Is a directory" bloomfilter add three.bloom good.txt .
    cmp three.bloom before.bloom
    fails_with "missing.txt: cannot open" bloomfilter build -p 1% new.bloom good.txt missing.txt
    fails_with "missing.txt: cannot open" \
        bloomfilter build -n 9 -p 1% new.bloom good.txt missing.txt
    [ ! -e new.bloom ]
}

@test "add refuses what is no filter" {
    fails_with "missing.bloom: No such file or directory. Check the name" \
        bloomfilter add missing.bloom /dev/null
    echo hello > text.bloom
    fails_with "text-mode transfer" bloomfilter add text.bloom /dev/null
    mkfifo pipe
    fails_with "pipe: not a regular file. Give the name of a filter file" \
        timeout 10 "$BLOOMFILTER" add pipe /dev/null
    fails_with ".: Is a directory. Give the name of a file in it" bloomfilter add . /dev/null
    fails_with "standard input: cannot be changed" bloomfilter add - /dev/null
}

@test "twenty writers at once lose nothing" {
    bloomfilter create -n 10000 -p 0.001 x.bloom
    for i in $(seq 20); do
        seq $((i * 1000 + 1)) $((i * 1000 + 500)) > keys.$i
        bloomfilter add x.bloom keys.$i 3>&- &
    done
    bloomfilter measure -q --probes 1000 --record x.bloom > /dev/null 3>&- &
    wait
    check_format x.bloom
    [ "$(info_field x.bloom insert_count)" = 10000 ]
    run -1 bloomfilter query -v x.bloom keys.*
    [ -z "$output" ]
    [ "$(ls -A | grep -c bloom)" = 1 ]
}

@test "an add that reads slowly does not keep others waiting" {
    bloomfilter create -n 100 -p 0.001 x.bloom
    mkfifo slow
    bloomfilter add x.bloom slow 3>&- &
    exec 9> slow
    echo first >&9
    timeout 10 "$BLOOMFILTER" add x.bloom <<< second
    echo third >&9
    exec 9>&-
    wait
    [ "$(info_field x.bloom insert_count)" = 3 ]
    [ "$(printf 'first\nsecond\nthird\n' | bloomfilter query -c x.bloom)" = 3 ]
}

@test "an add to a filter that was replaced by another shape meanwhile says so" {
    bloomfilter create -n 100 -p 0.001 x.bloom
    mkfifo slow
    (run -2 bloomfilter add x.bloom slow; echo "$output" > said) 3>&- &
    exec 9> slow
    echo first >&9
    sleep 0.2
    bloomfilter create --force -n 999 -p 0.001 x.bloom
    exec 9>&-
    wait
    grep -q 'x.bloom: was replaced by a filter of another shape' said
    [ "$(info_field x.bloom insert_count)" = 0 ]
}

# ---- Keys --------------------------------------------------------------------------------------

@test "a last line without newline is a key, and files do not run together" {
    printf 'one\ntwo' > a
    printf 'three' > b
    bloomfilter build -p 0.001 x.bloom a b
    [ "$(info_field x.bloom insert_count)" = 3 ]
    run -0 bloomfilter query x.bloom a b
    [ "$output" = $'one\ntwo\nthree' ]
    run -1 bloomfilter query x.bloom <<< twothree
}

@test "an empty line is the empty key" {
    printf '\n\nx\n' > keys
    bloomfilter build -p 0.001 x.bloom keys
    [ "$(info_field x.bloom insert_count)" = 3 ]
    [ "$(printf '\n' | bloomfilter query -c x.bloom)" = 1 ]
    bloomfilter build -n 10 -p 0.001 y.bloom <<< x
    run -1 bloomfilter query y.bloom <<< ''
}

@test "a carriage return belongs to the key" {
    printf 'alice\r\n' > dos
    bloomfilter build -n 10 -p 0.0001 x.bloom dos
    run -1 bloomfilter query x.bloom <<< alice
    bloomfilter query x.bloom dos > out
    cmp dos out
}

@test "NUL-separated keys may hold newlines" {
    printf 'two\nlines\0tail' > keys
    bloomfilter build -0 -p 0.0001 x.bloom keys
    [ "$(info_field x.bloom insert_count)" = 2 ]
    printf 'two\nlines\0tail\0' > expected
    bloomfilter query -0 x.bloom keys > out
    cmp expected out
    run -1 bloomfilter query x.bloom <<< two
}

@test "keys may hold any byte, NUL included" {
    for byte in {0..255}; do
        printf -v octal %o $byte
        [ $byte = 10 ] || printf "\\${octal}x\n"
    done > keys
    bloomfilter build -p 1e-3 x.bloom keys
    [ "$(info_field x.bloom insert_count)" = 255 ]
    bloomfilter query x.bloom keys > out
    cmp keys out
}

@test "hexadecimal keys are decoded, and printed as given" {
    printf 'alice\nbob\n' | bloomfilter build -n 10 -p 0.0001 x.bloom
    printf '616C696365\n626f62\n\n63' > hex
    run -0 bloomfilter query --hex x.bloom hex
    [ "$output" = $'616C696365\n626f62' ]
    bloomfilter build --hex -n 10 -p 0.0001 y.bloom <(printf '616c696365\n626F62')
    cmp x.bloom y.bloom
}

@test "what is not hexadecimal is told by file and line, and nothing is written" {
    three_keys
    cp three.bloom before.bloom
    printf '6162\n\n61g1\n' > bad
    fails_with "bad: line 3: not hexadecimal" bloomfilter add --hex three.bloom bad
    printf '6162\n616' > odd
    fails_with "odd: line 2: not hexadecimal" bloomfilter add --hex three.bloom odd
    printf '6162\r\n' > dos
    fails_with "standard input: line 1: not hexadecimal" bloomfilter add --hex three.bloom < dos
    cmp three.bloom before.bloom
    fails_with "bad: line 3" bloomfilter build --hex -p 1% new.bloom bad
    [ ! -e new.bloom ]
}

@test "lines of 10 MB, across many blocks" {
    head -c 10000000 /dev/zero | tr '\0' a > long
    { printf 'short\n'; cat long; printf '\nend\n'; cat long; printf 'b'; } > keys
    bloomfilter build -p 0.0001 x.bloom keys
    [ "$(info_field x.bloom insert_count)" = 4 ]
    bloomfilter query x.bloom keys > out
    { cat keys; echo; } | cmp - out
    run -1 bloomfilter query -q x.bloom <(head -c 9999999 long)
    { head -c 2097152 long; echo; } > hex
    bloomfilter build --hex -n 5 -p 0.0001 y.bloom hex
    bloomfilter query --hex y.bloom hex | cmp - hex
}

@test "every way in which blocks can cut lines" {
    for size in 1048574 1048575 1048576 1048577; do
        { head -c $size /dev/zero | tr '\0' x; printf '\nsecond\n\nlast'; } > keys
        bloomfilter build -n 10 -p 0.1 --force x.bloom keys
        [ "$(info_field x.bloom insert_count)" = 4 ]
        { cat keys; echo; } > expected
        bloomfilter query x.bloom keys | cmp - expected
    done
    for piece in s e cond $'\n' '' $'\n' l a st; do
        sleep 0.01
        printf %s "$piece"
    done | bloomfilter query x.bloom > out
    [ "$(cat out)" = $'second\n\nlast' ]
}

@test "200 MB of keys take little memory, from a pipe and counted first" {
    skip_emulated "takes memory of its own"
    if grep -qa __asan_init "$BLOOMFILTER"; then
        skip "AddressSanitizer takes memory of its own"
    fi
    line=$(printf '%0199d' 0)
    ulimit -v 32768 # KiB of address space
    yes "$line" | head -c 200000000 | bloomfilter build -n 1000 -p 1% x.bloom
    [ "$(info_field x.bloom insert_count)" = 1000000 ]
    yes "$line" | head -c 60000000 | bloomfilter build -p 1% y.bloom
    [ "$(info_field y.bloom capacity)" = 300000 ]
    yes "$line" | head -c 60000000 | bloomfilter query x.bloom | tail -1 | grep -q 00
    head -c 60000000 /dev/zero | { fails_with "standard input: out of memory for a line this long" \
        bloomfilter query x.bloom; }
}

# ---- query -------------------------------------------------------------------------------------

@test "query selects, -v the others, -c counts, -q is silent" {
    three_keys
    printf 'bob\nmallory\nalice\ntrent\nvictor\n' > asked
    run -0 bloomfilter query three.bloom asked
    [ "$output" = $'bob\nalice' ]
    run -0 bloomfilter query -v three.bloom asked
    [ "$output" = $'mallory\ntrent\nvictor' ]
    run -0 bloomfilter query -c three.bloom asked
    [ "$output" = 2 ]
    run -0 bloomfilter query -cv three.bloom asked
    [ "$output" = 3 ]
    is_quiet bloomfilter query -q three.bloom asked
    is_quiet bloomfilter query -qv three.bloom asked
}

@test "query exits with 1 when nothing was selected" {
    three_keys
    run -1 bloomfilter query three.bloom <<< mallory
    [ -z "$output" ]
    run -1 bloomfilter query -v three.bloom three.txt
    run -1 bloomfilter query -q three.bloom <<< mallory
    run -1 bloomfilter query -c three.bloom <<< mallory
    [ "$output" = 0 ]
    run -1 bloomfilter query three.bloom /dev/null
}

@test "query -q stops at the first selected key" {
    three_keys
    { echo alice; yes mallory; } | timeout 10 "$BLOOMFILTER" query -q three.bloom
}

@test "query goes on after a file that cannot be read, and exits with 2" {
    three_keys
    run -2 --separate-stderr bloomfilter query three.bloom missing.txt three.txt
    [ "$output" = $'alice\nbob\ncarol' ]
    [[ "$stderr" == "bloomfilter: missing.txt: cannot open: "* ]]
    printf '616c696365\nxyz\n' > bad
    run -2 --separate-stderr bloomfilter query --hex three.bloom bad
    [ "$output" = 616c696365 ]
    [[ "$stderr" == *"bad: line 2: not hexadecimal"* ]]
}

@test "query -q exits with 0 when the answer is sure, whatever went wrong beside it" {
    three_keys
    run -0 --separate-stderr bloomfilter query -q three.bloom missing.txt three.txt
    [[ "$stderr" == "bloomfilter: missing.txt: cannot open: "* ]]
    run -0 bloomfilter query -qv three.bloom missing.txt <(echo mallory)
    run -2 bloomfilter query -q three.bloom missing.txt <(echo mallory)
    # The way that the manual teaches: only what is certainly absent is not looked up.
    look_up() { echo "looked up $1"; }
    [ "$(echo bob | bloomfilter query -qv three.bloom || look_up bob)" = "looked up bob" ]
    [ -z "$(echo mallory | bloomfilter query -qv three.bloom || look_up mallory)" ]
    run bash -c "echo mallory | '$BLOOMFILTER' query -qv missing.bloom || echo looked up"
    [[ "$output" == *"looked up" ]]
}

@test "query answers at once, key by key" {
    three_keys
    mkfifo questions answers
    bloomfilter query three.bloom < questions > answers 3>&- &
    exec 8> questions 9< answers
    echo alice >&8
    read -r -t 10 answer <&9
    [ "$answer" = alice ]
    echo bob >&8
    read -r -t 10 answer <&9
    [ "$answer" = bob ]
    exec 8>&- 9<&-
    wait
}

@test "query reads the filter from a pipe or standard input" {
    three_keys
    bloomfilter query -q <(cat three.bloom) <<< alice
    bloomfilter query -q - three.txt < three.bloom
    fails_with "the keys must come from files" bloomfilter query - < three.bloom
    fails_with "the keys must come from files" bloomfilter query - three.txt - < three.bloom
}

@test "standard input serves one purpose" {
    three_keys
    printf '0123456789abcdef' > secret
    bloomfilter build -p 0.1 --secret-file secret keyed.bloom three.txt
    twice="standard input: it was read for the"
    cat three.bloom | { fails_with "$twice filter already, and cannot be read again for the keys" \
        bloomfilter query - /dev/stdin; }
    for input in secret <(cat secret); do
        fails_with "$twice secret already, and cannot be read again for the keys" \
            bloomfilter query --secret-file /dev/stdin keyed.bloom < $input
    done
    fails_with "$twice secret" bloomfilter build -p 0.1 --secret-fd 7 x.bloom 7< secret < secret
    cat secret | { fails_with "$twice secret" \
        bloomfilter import --raw -m 8 -k 1 --secret-fd 0 - x.bloom; }
    cat three.txt | { fails_with "$twice metadata" \
        bloomfilter build -p 0.1 --metadata-file /dev/stdin x.bloom; }
    fails_with "$twice filter" bloomfilter union x.bloom - - < three.bloom
    [ ! -e x.bloom ]
    bloomfilter query -q --secret-file /dev/stdin keyed.bloom three.txt < secret
    bloomfilter query -q --secret-file secret keyed.bloom three.txt - three.txt < three.txt
}

@test "answers of any length come out as they are, in their order" {
    for size in {65532..65538} 131072 200000; do
        printf "x\n%0${size}d\n\n" 0 > $size.keys
        printf "x\n%0${size}d\n\n%0$((size - 1))d\nend\n" 0 0 > $size-and-more.keys
    done
    cat *.keys > keys
    bloomfilter build -p 1e-3 x.bloom keys
    bloomfilter query x.bloom *.keys | cmp - keys
    bloomfilter query x.bloom keys | cmp - keys
    tr '\n' '\0' < keys > nul
    bloomfilter query -0 x.bloom nul | cmp - nul
    run -1 bloomfilter query -v x.bloom keys
    [ -z "$output" ]
}

@test "answers that do not fit on a disk are an error, and so far in order" {
    seq 30000 > keys
    bloomfilter build -p 1e-3 x.bloom keys
    (ulimit -f 100
        bloomfilter query x.bloom keys > out 2> said || echo $? > status)
    [ "$(cat status)" = 2 ]
    [ "$(cat said)" = "bloomfilter: standard output: cannot write: File too large" ]
    [ "$(wc -c < out)" = 102400 ]
    head -c 102400 keys | cmp - out
}

@test "output that cannot be written is an error" {
    three_keys
    full() { "$BLOOMFILTER" "$@" > /dev/full; }
    fails_with "standard output: cannot write: No space left" full query three.bloom three.txt
    fails_with "standard output: cannot write: No space left" full query -c three.bloom three.txt
    { cat three.txt; printf '%0100000d' 0; } > long
    fails_with "standard output: cannot write: No space left" full query -v three.bloom long
    fails_with "standard output: cannot write: No space left" full info three.bloom
    fails_with "standard output: cannot write: No space left" full plan -n 10 -p 1%
    fails_with "standard output: cannot write: No space left" full --help
    fails_with "standard output: cannot write: No space left" full export --raw three.bloom -
    closed() { "$BLOOMFILTER" "$@" >&-; }
    fails_with "standard output: cannot write" closed query three.bloom three.txt
    broken() {
        (trap '' PIPE
            "$BLOOMFILTER" query three.bloom <(yes alice 2> /dev/null) || echo $? > status) | true
    }
    broken 2> said
    [ "$(cat status)" = 2 ]
    grep -q 'standard output: cannot write: Broken pipe' said
}

# ---- info, verify, measure ---------------------------------------------------------------------

@test "info tells all in a table" {
    three_keys
    run -0 bloomfilter info three.bloom
    for text in "file             three.bloom" "format           1.0" "layout           flat" \
        "hash             blake2b-pair" "capacity         1000 keys" "keys added       3" \
        "distinct keys    about 3" "target rate      0.001 (1 in 1000)" "rebuild          not" \
        "measured rate    never" "metadata         none"; do
        [[ "$output" == *"$text"* ]]
    done
}

@test "info --json is JSON with every field, null where there is no number" {
    three_keys
    { bloomfilter info --json three.bloom; bloomfilter info --header --json three.bloom; } |
        python3 -c '
import json, sys
both = sys.stdin.read()
info, end = json.JSONDecoder().raw_decode(both)
header = json.loads(both[end:])
for field in ("file checked metadata capacity target_fpr bit_count hash_count hash hash_name "
              "layout layout_name flags seed insert_count bits_set fill estimated_count "
              "expected_fpr current_fpr measured_fpr measured_probes memory_bytes format_major "
              "format_minor rebuild").split():
    assert field in info and field in header, field
assert info["measured_fpr"] is None and info["metadata"] is None and info["checked"] is True
assert info["insert_count"] == 3 and info["hash_name"] == "blake2b-pair"
assert header["bits_set"] is None and header["insert_count"] == 3
assert header["metadata"] is None and header["checked"] is False
'
}

@test "info --header says what was not looked at" {
    three_keys
    run -0 bloomfilter info --header three.bloom
    [[ "$output" == *$'\nchecked          no: header only\n'* ]]
    head -c 32 /dev/zero > secret
    bloomfilter create -n 10 -p 0.1 --secret-file secret --metadata note keyed.bloom
    run -0 bloomfilter info --header keyed.bloom
    [[ "$output" == *$'\nchecked          no: header only, not authenticated\n'* ]]
    bloomfilter info --header --json keyed.bloom | grep -q '"metadata": null'
}

@test "info of a full filter: infinite estimate, and counts beyond 2^63" {
    printf '\377\177' | bloomfilter import --raw -m 15 -k 2 --insert-count 18446744073709551615 \
        - x.bloom
    check_format x.bloom
    [ "$(info_field x.bloom estimated_count)" = null ]
    bloomfilter info --json x.bloom | grep -q '"insert_count": "18446744073709551615"'
    bloomfilter info x.bloom | grep -q 'distinct keys    unknown: every bit is set'
    bloomfilter info x.bloom | grep -q 'rebuild          now'
}

@test "metadata goes in by text and by file, and comes out" {
    bloomfilter create -n 10 -p 0.1 --metadata 'keys: lower case' text.bloom
    check_format text.bloom
    [ "$(info_field text.bloom metadata)" = 'keys: lower case' ]
    bloomfilter info text.bloom | grep -q 'metadata         keys: lower case (16 bytes)'
    printf 'a\\b\tc\n\033[31m\000\377' > bytes
    bloomfilter build -p 0.1 --metadata-file bytes bytes.bloom /dev/null
    check_format bytes.bloom
    bloomfilter info --print-metadata bytes.bloom | cmp - bytes
    bloomfilter info bytes.bloom | grep -qF 'a\\b\tc\n\x1b[31m\x00\xff (13 bytes)'
    [ "$(info_field bytes.bloom metadata_hex)" = 615c6209630a1b5b33316d00ff ]
    head -c 16777217 /dev/zero > large
    fails_with "large: metadata has 16 MiB at most" \
        bloomfilter create -n 10 -p 0.1 --metadata-file large x.bloom
    fails_with "exclude each other" \
        bloomfilter create -n 10 -p 0.1 --metadata-file large --metadata x x.bloom
    fails_with "missing: cannot open the metadata" \
        bloomfilter create -n 10 -p 0.1 --metadata-file missing x.bloom
    # Known before the input is read, which never ends here.
    yes | { fails_with "missing: cannot open the metadata" \
        timeout 10 "$BLOOMFILTER" build -p 0.1 --metadata-file missing x.bloom; }
    [ ! -e x.bloom ]
}

@test "metadata in other scripts is shown as it is, control characters are not" {
    bloomfilter create -n 10 -p 0.1 --metadata $'größe 鍵 \xc2\x85\xe2\x80\xae' x.bloom
    bloomfilter info x.bloom | grep -qF 'größe 鍵 \xc2\x85\xe2\x80\xae ('
}

@test "verify: 0 fine, 1 damaged or no filter, 2 not to be checked" {
    three_keys
    run -0 bloomfilter verify three.bloom three.bloom
    [ "$output" = $'three.bloom: fine\nthree.bloom: fine' ]
    is_quiet bloomfilter verify -q three.bloom
    head -c 1000 three.bloom > cut.bloom
    run -1 --separate-stderr bloomfilter verify cut.bloom three.bloom
    [ "$output" = "three.bloom: fine" ]
    [[ "$stderr" == "bloomfilter: cut.bloom: "*"Was it cut short or altered"* ]]
    sed 's/\r$//' three.bloom > text.bloom
    run -1 bloomfilter verify text.bloom
    [[ "$output" == "bloomfilter: text.bloom: "*"text-mode transfer"* ]]
    { head -c -1 three.bloom; printf x; } > bit.bloom
    run -1 bloomfilter verify bit.bloom
    : > empty.bloom
    run -1 bloomfilter verify empty.bloom
    run -2 bloomfilter verify missing.bloom cut.bloom
    { head -c 8 three.bloom; printf '\2'; tail -c +10 three.bloom; } > newer.bloom
    run -2 bloomfilter verify newer.bloom
    [[ "$output" == *"A newer release of bloomfilter can read it"* ]]
    cat three.bloom | bloomfilter verify -q /dev/stdin
    cat bit.bloom | { run -1 bloomfilter verify -; }
}

@test "verify takes no memory for files" {
    skip_emulated "takes memory of its own"
    if grep -qa __asan_init "$BLOOMFILTER"; then
        skip "AddressSanitizer takes memory of its own"
    fi
    bloomfilter create -m 240M -k 1 x.bloom
    (ulimit -d 8192; bloomfilter verify -q x.bloom) # KiB of memory of its own
    (ulimit -d 8192; run -2 bloomfilter info x.bloom)
}

@test "measure finds the rate, and --record stores it" {
    seq 2000 > keys
    bloomfilter build -p 5% x.bloom keys
    cp x.bloom before.bloom
    run -0 bloomfilter measure --probes 200k x.bloom
    [[ "$output" == *"measured rate    0.0"*"standard error"*"of 200000 random keys"* ]]
    cmp x.bloom before.bloom
    bloomfilter measure --probes 200k --probe-seed 7 --record x.bloom > first
    check_format x.bloom
    bloomfilter measure --probes 200k --probe-seed 7 x.bloom | cmp - first
    [ "$(info_field x.bloom measured_probes)" = 200000 ]
    [[ "$(info_field x.bloom measured_fpr)" == 0.0[45]* ]]
    run -0 --separate-stderr bloomfilter measure -q --probes 100 x.bloom
    [[ "$stderr" == *"warning: "*"Give more --probes"* ]]
    fails_with "missing: No such file" bloomfilter measure --record missing
    fails_with ".: Is a directory. Give the name of a file in it" bloomfilter measure --record .
    fails_with "standard input: cannot be changed" bloomfilter measure --record - < x.bloom
}

# ---- union, intersect --------------------------------------------------------------------------

@test "union of many equals build of all" {
    for i in 1 2 3; do
        seq $((i * 100)) $((i * 100 + 99)) > k$i
        bloomfilter build -n 300 -p 0.001 --hash 2 $i.bloom k$i
    done
    bloomfilter build -n 300 -p 0.001 --hash 2 all.bloom k1 k2 k3
    is_quiet bloomfilter union out.bloom 1.bloom 2.bloom 3.bloom
    check_format out.bloom
    cmp all.bloom out.bloom
    bloomfilter union --force 1.bloom 1.bloom 2.bloom
    bloomfilter union -o again.bloom 1.bloom 3.bloom
    cmp all.bloom again.bloom
}

@test "intersect finds what is in all" {
    seq 1 100 > a; seq 51 150 > b; seq 51 100 > both
    bloomfilter build -n 100 -p 1e-4 --hash 2 a.bloom a
    bloomfilter build -n 100 -p 1e-4 --hash 2 b.bloom b
    is_quiet bloomfilter intersect out.bloom a.bloom b.bloom
    check_format out.bloom
    run -1 bloomfilter query -v out.bloom both
    [ "$(seq 1 150 | bloomfilter query -c out.bloom)" -lt 60 ]
}

@test "filters that differ cannot be combined" {
    bloomfilter create -n 100 -p 1% a.bloom
    bloomfilter create -n 200 -p 1% b.bloom
    bloomfilter create -n 100 -p 1% --hash 2 c.bloom
    fails_with "b.bloom: cannot be combined with a.bloom: 1918 bits" \
        bloomfilter union x.bloom a.bloom b.bloom
    fails_with "blake2b-indexed" bloomfilter intersect x.bloom a.bloom c.bloom
    [ ! -e x.bloom ]
    fails_with "too few file names" bloomfilter union x.bloom a.bloom
}

@test "a union in place and adds at once lose nothing" {
    bloomfilter create -n 1000 -p 0.001 x.bloom
    seq 100 | bloomfilter build -n 1000 -p 0.001 y.bloom
    for i in 1 2 3 4 5; do
        seq $((i * 1000)) $((i * 1000 + 9)) | bloomfilter add x.bloom 3>&- &
        bloomfilter union --force x.bloom x.bloom y.bloom 3>&- &
    done
    wait
    [ "$(info_field x.bloom insert_count)" = 550 ]
}

# ---- blocks -----------------------------------------------------------------------------------

@test "split-block, from plan to query" {
    seq 1000 > keys
    seq 1001 3000 > others
    for hash in blake2b-pair xxh64; do
        is_quiet bloomfilter build -p 1% --layout split-block --hash $hash $hash.bloom keys
        check_format $hash.bloom
        [ "$(info_field $hash.bloom bit_count)" = 10752 ]
        [ "$(info_field $hash.bloom hash_count)" = 8 ]
        [ "$(info_field $hash.bloom layout_name)" = split-block ]
        [ "$(bloomfilter query -c $hash.bloom keys)" = 1000 ]
        [ "$(bloomfilter query -c $hash.bloom others || true)" -lt 60 ]
        echo 4000 | bloomfilter add $hash.bloom 2> /dev/null
        check_format $hash.bloom
        [ "$(echo 4000 | bloomfilter query $hash.bloom)" = 4000 ]
    done
    fails_with "xxh64, split-block, seed 0 there" \
        bloomfilter union x.bloom xxh64.bloom blake2b-pair.bloom
    bloomfilter union x.bloom xxh64.bloom xxh64.bloom
    check_format x.bloom
}

@test "split-block says what it cannot be" {
    plan="bloomfilter plan -n 1000 -p 1% --layout split-block"
    fails_with "does not go with --layout split-block" $plan --hash blake2b-indexed
    fails_with "does not go with --layout split-block" $plan --hash murmur3-tweak
    fails_with "--layout split-block only" bloomfilter plan -n 10 -p 1% --hash xxh64
    fails_with "8 positions per key" $plan -k 7
    fails_with "a multiple of 256 bits" $plan -m 1000
    fails_with "too large" $plan -n 1T
    fails_with "too large" $plan -m 1099511628032
    printf '%16s' secret > secret
    fails_with "xxh64 takes no secret" bloomfilter create -n 10 -p 1% --layout split-block \
        --hash xxh64 --secret-file secret x.bloom
    bloomfilter create -n 10 -p 1% --layout split-block --secret-file secret x.bloom
    check_format x.bloom "$(hex secret)"
    $plan -m 10240 -k 8 | grep -q "expected rate"
}

@test "split-block warns where it does not pay, and where it misses its target" {
    bloomfilter plan -n 1M -p 1e-4 --layout split-block 2> warning
    bloomfilter plan -n 1 -p 1e-4 --layout split-block 2>> warning
    bloomfilter plan -n 1000 -p 1% -m 10752 -k 8 --layout split-block --hash xxh64 2>> warning
    [ ! -s warning ]
    bloomfilter plan -n 1M -p 1e-6 --layout split-block 2> warning
    grep -q "warning: split-block takes 2.25 times the bits of --layout flat" warning
    bloomfilter create -n 1M -p 1e-6 --layout split-block x.bloom 2> warning
    grep -q "2.25 times" warning
    bloomfilter plan -n 1000 -p 1% -m 7680 --layout split-block --hash xxh64 2> warning
    grep -q "7680 bits are too few for 1000 keys with 8 positions each. -m 10752 -k 8" warning
}

# The bits that Parquet's implementation in Java gives for these ten strings.
@test "blocks of Parquet, out and in" {
    seq -f 'a%g' 0 9 > keys
    bloomfilter build -n 10 -p 10% --layout split-block --hash xxh64 x.bloom keys
    bloomfilter export --raw x.bloom x.bits
    [ "$(hex x.bits)" = c80150144044086d062504439050602008842b21000563410200e02c404e6004 ]
    bloomfilter import --raw --layout split-block x.bits y.bloom
    check_format y.bloom
    [ "$(info_field y.bloom hash_name)" = xxh64 ]
    [ "$(bloomfilter query -c y.bloom keys)" = 10 ]
    bloomfilter import --raw --layout split-block -n 10 -p 10% --insert-count 10 -m 256 - z.bloom \
        < x.bits
    cmp x.bloom z.bloom
    fails_with "give -m BITS" bloomfilter import --raw --layout split-block - u.bloom < x.bits
    fails_with "missing: cannot open" bloomfilter import --raw --layout split-block missing u.bloom
    head -c 31 x.bits > short
    fails_with "a multiple of 256 bits" bloomfilter import --raw --layout split-block short u.bloom
    : > empty
    fails_with "give -m BITS" bloomfilter import --raw --layout split-block empty u.bloom
    fails_with "has 32 bytes, but 512 bits need exactly 64" \
        bloomfilter import --raw --layout split-block -m 512 x.bits u.bloom
    [ ! -e u.bloom ]
}

# ---- export, import ----------------------------------------------------------------------------

@test "BIP 37: the filters of the document, out and in" {
    printf '%s\n' 99108ad8ed9bb6274d3980bab5a85c048f0950c8 \
        b5a2c786d9ef4658287ced5914b37a1b4aa32eee b9300670b4c5366e95b2699e8b18bc75e5f729c5 > keys
    for row in 0:614e9b 2147483649:ce4299; do
        seed=${row%:*}
        bloomfilter build --hex -m 24 -k 5 --hash murmur3-tweak --seed $seed $seed.bloom keys \
            2> /dev/null
        check_format $seed.bloom
        bloomfilter export --raw $seed.bloom $seed.bits
        [ "$(hex $seed.bits)" = ${row#*:} ]
        bloomfilter import --raw -m 24 -k 5 --hash murmur3-tweak --seed $seed $seed.bits in.bloom \
            2> /dev/null
        check_format in.bloom
        [ "$(bloomfilter query --hex -c in.bloom keys)" = 3 ]
        run -1 bloomfilter query --hex in.bloom <<< 19108ad8ed9bb6274d3980bab5a85c048f0950c8
        rm in.bloom
    done
}

@test "what was exported comes back the same" {
    seq 1000 > keys
    bloomfilter build -p 1% x.bloom keys
    bloomfilter export --raw x.bloom x.bits
    [ "$(stat -c %s x.bits)" = 1199 ]
    bloomfilter export --raw x.bloom - | cmp - x.bits
    bloomfilter import --raw -m 9586 -k 7 -n 1000 -p 1% --insert-count 1000 - y.bloom < x.bits
    cmp x.bloom y.bloom
}

@test "import checks what it is given" {
    printf 'abc' > bits
    fails_with "bits: has 3 bytes, but 25 bits need exactly 4" \
        bloomfilter import --raw -m 25 -k 5 bits x.bloom
    fails_with "bits: has 3 bytes, but 16 bits need exactly 2" \
        bloomfilter import --raw -m 16 -k 5 bits x.bloom
    fails_with "need exactly 1125000000000000" bloomfilter import --raw -m 9e15 -k 5 bits x.bloom
    fails_with "standard input: has 3 bytes or more, but 16" \
        bloomfilter import --raw -m 16 -k 5 - x.bloom < <(cat bits)
    fails_with "a bit after the 22th is set" bloomfilter import --raw -m 22 -k 5 bits x.bloom
    fails_with "give -m BITS and -k COUNT" bloomfilter import --raw -m 24 bits x.bloom
    fails_with "--raw" bloomfilter import -m 24 -k 5 bits x.bloom
    fails_with "--raw" bloomfilter export x.bloom bits
    fails_with "missing: cannot open" bloomfilter import --raw -m 24 -k 5 missing x.bloom
    [ ! -e x.bloom ]
}

@test "export writes files whole and keeps links" {
    three_keys
    printf 'old' > out.bits
    chmod 600 out.bits
    ln -s out.bits link.bits
    fails_with "exists already" bloomfilter export --raw three.bloom link.bits
    bloomfilter export --raw --force three.bloom link.bits
    [ -L link.bits ] && [ "$(stat -c %a out.bits)" = 600 ]
    (umask 027; bloomfilter export --raw three.bloom new.bits)
    [ "$(stat -c %a new.bits)" = 640 ]
    cmp out.bits new.bits
    bloomfilter export --raw three.bloom /dev/stdout | cmp - new.bits
    fails_with "/dev/full: cannot write: No space left" \
        bloomfilter export --raw three.bloom /dev/full
    fails_with "is a directory" bloomfilter export --raw three.bloom .
    fails_with "no/x.bits: cannot save: No such file or directory. Make the directory" \
        bloomfilter export --raw three.bloom no/x.bits
    ln -s nowhere.bits dangling.bits
    for force in "" --force; do
        fails_with "dangling.bits: is a symbolic link to a file that does not exist" \
            bloomfilter export --raw $force three.bloom dangling.bits
    done
    [ -L dangling.bits ] && [ ! -e nowhere.bits ]
    [ -z "$(find . -name '.bloomfilter-*')" ]
}

# ---- Nothing is overwritten --------------------------------------------------------------------

@test "no verb replaces a file without --force" {
    three_keys
    printf 'abc' > bits
    echo precious > old.bloom
    cp old.bloom before.bloom
    for command in "create -n 1 -p 0.1 old.bloom" "create -n 1 -p 0.1 -o old.bloom" \
        "build -p 0.1 old.bloom three.txt" "union old.bloom three.bloom three.bloom" \
        "intersect old.bloom three.bloom three.bloom" "export --raw three.bloom old.bloom" \
        "import --raw -m 24 -k 5 bits old.bloom"; do
        fails_with "old.bloom: exists already. Give another name, or --force" \
            bloomfilter $command
        cmp old.bloom before.bloom
    done
    for command in "create --force -n 1 -p 0.1 old.bloom" "build -f -p 0.1 old.bloom three.txt" \
        "union -f old.bloom three.bloom three.bloom" \
        "intersect -f old.bloom three.bloom three.bloom" \
        "import -f --raw -m 24 -k 5 bits old.bloom"; do
        run -0 bloomfilter $command
        check_format old.bloom
    done
}

@test "what is no regular file is never replaced" {
    mkdir directory
    mkfifo pipe
    fails_with "directory: is a directory" bloomfilter create -f -n 1 -p 0.1 directory
    fails_with "pipe: exists and is not a regular file" bloomfilter create -f -n 1 -p 0.1 pipe
    fails_with "/dev/null: exists and is not" bloomfilter create -f -n 1 -p 0.1 /dev/null
    fails_with "cannot be written to standard output" bloomfilter create -n 1 -p 0.1 -
    seq 10 | { fails_with "no/dir.bloom: cannot save: No such file" \
        bloomfilter build -p 0.1 no/dir.bloom; }
    ln -s nowhere.bloom link.bloom
    fails_with "link to a file that does not exist" bloomfilter create -n 1 -p 0.1 link.bloom
    fails_with "no/dir.bloom: cannot save: No such file or directory. Make the directory" \
        bloomfilter create -n 1 -p 0.1 no/dir.bloom
}

@test "a file that appears during a build is not replaced" {
    mkfifo slow
    (run -2 bloomfilter build -n 10 -p 0.1 x.bloom slow; echo "$output" > said) 3>&- &
    exec 9> slow
    echo key >&9
    echo precious > x.bloom
    exec 9>&-
    wait
    grep -q 'x.bloom: exists already' said
    [ "$(cat x.bloom)" = precious ]
}

# slow_save OPERAND...: the command in place of this shell; it waits for half a second where it first
# flushes a file to the disk.
slow_save() {
    # A leak checker cannot work under strace.
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" exec strace -D -qq -o /dev/null \
        -e inject=fsync:delay_enter=500000:when=1 "$BLOOMFILTER" "$@" 3>&-
}

# Waits until a save has begun in this directory.
wait_for_save() {
    for _ in $(seq 1000); do
        ! compgen -G '.bloomfilter-*.tmp' > /dev/null || return 0
        sleep 0.01
    done
    return 1
}

# loses_to OPERAND... -- OPERAND...: while the first command saves x.bloom, the second makes it.
loses_to() {
    local slow=() pid status=0
    while [ "$1" != -- ]; do
        slow+=("$1")
        shift
    done
    shift
    rm -f x.bloom
    (slow_save "${slow[@]}" 2> said) &
    pid=$!
    wait_for_save
    bloomfilter "$@"
    cp x.bloom winner
    wait $pid || status=$?
    [ $status = 2 ]
    grep -q 'x.bloom: exists already. Give another name, or --force' said
    cmp x.bloom winner
    [ -z "$(find . -name '.bloomfilter-*')" ]
}

@test "of two that make one file at once, one fails and the other's keys are there" {
    command -v strace || skip "needs strace"
    three_keys
    echo first > first
    loses_to build -n 10 -p 0.1 x.bloom first -- build -n 10 -p 0.1 x.bloom three.txt
    loses_to export --raw three.bloom x.bloom -- create -n 10 -p 0.1 x.bloom
}

@test "a request to end during a save waits until the file is whole" {
    command -v strace || skip "needs strace"
    three_keys
    cp three.bloom old.bloom
    cp three.bloom new.bloom
    echo dave > dave
    bloomfilter add new.bloom dave
    for operands in "build -n 1000 -p 0.001 x.bloom three.txt" "add old.bloom dave"; do
        (slow_save $operands) &
        wait_for_save
        kill $!
        status=0
        wait $! || status=$?
        [ $status = 143 ] # by the signal, but not before the end
        [ -z "$(find . -name '.bloomfilter-*')" ]
    done
    cmp x.bloom three.bloom
    cmp old.bloom new.bloom
}

@test "a file over the limit of the shell is an error, and nothing is left behind" {
    (ulimit -f 100; fails_with "big.bloom: cannot save: File too large. Raise the limit" \
        bloomfilter create -n 10M -p 1% big.bloom)
    three_keys
    bloomfilter create -n 1M -p 1% large.bloom
    (ulimit -f 100; fails_with "large.bloom: cannot save: File too large" \
        bloomfilter add large.bloom three.txt)
    (ulimit -f 100; fails_with "bits: cannot save: File too large" \
        bloomfilter export --raw large.bloom bits)
    seq 100000 | (ulimit -f 100; fails_with "keep a copy to count its keys" \
        bloomfilter build -p 0.1 big.bloom)
    [ -z "$(find . -name '.bloomfilter-*')$(find . -name 'big*')" ]
    [ "$(info_field large.bloom insert_count)" = 0 ]
}

@test "a directory or file without permission" {
    three_keys
    limited=()
    if [ "$(id -u)" = 0 ]; then
        # Permissions do not bind root, unless it gives that privilege up.
        limited=(setpriv --bounding-set=-dac_override,-dac_read_search)
        "${limited[@]}" true || skip "root cannot give up its privileges here"
    fi
    mkdir closed
    cp three.bloom closed/x.bloom
    chmod 555 closed
    fails_with "closed/y.bloom: cannot save: Permission denied" \
        "${limited[@]}" "$BLOOMFILTER" create -n 1 -p 0.1 closed/y.bloom
    fails_with "closed/x.bloom: cannot save: Permission denied" \
        "${limited[@]}" "$BLOOMFILTER" add closed/x.bloom three.txt
    cmp three.bloom closed/x.bloom
    chmod 755 closed
    chmod 000 closed/x.bloom
    fails_with "closed/x.bloom: Permission denied" \
        "${limited[@]}" "$BLOOMFILTER" info closed/x.bloom
    chmod 444 closed/x.bloom
    "${limited[@]}" "$BLOOMFILTER" add closed/x.bloom <<< dave
    [ "$(stat -c %a closed/x.bloom)" = 444 ]
}

# ---- Secrets -----------------------------------------------------------------------------------

@test "a secret from a file or a descriptor opens the filter, nothing else does" {
    printf '0123456789abcdef0123456789abcdef' > secret
    hex=$(hex secret)
    printf 'fedcba9876543210fedcba9876543210' > wrong
    printf 'alice\nbob\n' > keys
    bloomfilter build -n 1000 -p 0.001 --secret-file secret x.bloom keys
    check_format x.bloom $hex
    bloomfilter build -n 1000 -p 0.001 --secret-fd 7 y.bloom keys 7< secret
    cmp x.bloom y.bloom
    [ "$(bloomfilter query -c --secret-file secret x.bloom keys)" = 2 ]
    [ "$(bloomfilter query -c --secret-fd 7 x.bloom keys 7< secret)" = 2 ]
    bloomfilter add --secret-file secret x.bloom <<< carol
    check_format x.bloom $hex
    bloomfilter union --secret-file secret z.bloom x.bloom y.bloom
    check_format z.bloom $hex
    bloomfilter info --secret-file secret x.bloom | grep -q 'blake2b-pair, with a secret'
    bloomfilter info --header x.bloom | grep -q 'blake2b-pair, with a secret'
    bloomfilter measure --probes 10 --secret-file secret -q x.bloom
    bloomfilter export --raw --secret-file secret x.bloom - > bits
    bloomfilter import --raw --secret-file secret -m $(info_field x.bloom bit_count --header) \
        -k $(info_field x.bloom hash_count --header) bits i.bloom
    check_format i.bloom $hex
    [ "$(bloomfilter query -c --secret-file secret i.bloom keys)" = 2 ]
    for verb in query add info verify measure; do
        fails_with "It was made with a secret: give that by --secret-file" \
            bloomfilter $verb x.bloom < /dev/null
        fails_with "Give the secret that it was made with" \
            bloomfilter $verb --secret-file wrong x.bloom < /dev/null
    done
    bloomfilter create -n 5 -p 0.1 plain.bloom
    fails_with "or none if it was made without" bloomfilter info --secret-file secret plain.bloom
}

@test "no option takes a secret itself, and no report shows one" {
    secret=0123456789abcdefSECRET
    printf %s $secret > right
    printf 'another SECRET of 32 bytes length' > wrong
    bloomfilter create -n 5 -p 0.1 --secret-file right x.bloom
    for verb in create build add query info verify measure union intersect plan export import; do
        # Those there are take the name of a file and the number of a descriptor.
        run -1 grep -vE -- '--secret-(file FILE|fd N) ' \
            <(bloomfilter $verb --help | grep -E -- '^ +(-., )?--[a-z-]*(secret|key|pass)')
        for option in secret=$secret key=$secret password=$secret; do
            run -2 bloomfilter $verb --$option x.bloom
            [[ "$output" == *"option --${option%%=*}"* ]]
            [[ "$output" != *SECRET* ]]
        done
    done
    for verb in query add info verify measure; do
        for given in "" "--secret-file wrong" "--secret-fd 7"; do
            run -2 bash -c "\"$BLOOMFILTER\" $verb $given x.bloom < /dev/null 7< wrong"
            [[ "$output" == *secret* ]]
            [[ "$output" != *SECRET* && "$output" != *"$(hex wrong)"* ]]
        done
    done
    # The environment is no way in.
    SECRET=$secret BLOOMFILTER_SECRET=$secret run -2 bloomfilter info x.bloom
    run -1 grep -q SECRET x.bloom
}

@test "secrets that are none" {
    printf 'short' > short
    fails_with "short: a secret has 16 to 64 bytes, this one has 5" \
        bloomfilter create -n 5 -p 0.1 --secret-file short x.bloom
    head -c 65 /dev/zero > long
    fails_with "this one has more than 64" \
        bloomfilter create -n 5 -p 0.1 --secret-file long x.bloom
    fails_with "missing: cannot open the file of the secret" \
        bloomfilter create -n 5 -p 0.1 --secret-file missing x.bloom
    fails_with "file descriptor 77: cannot read the secret" \
        bloomfilter create -n 5 -p 0.1 --secret-fd 77 x.bloom
    fails_with "exclude each other" \
        bloomfilter create -n 5 -p 0.1 --secret-fd 77 --secret-file long x.bloom
    head -c 64 /dev/zero > secret
    fails_with "murmur3-tweak takes no secret" \
        bloomfilter create -n 5 -p 0.1 --hash 3 --secret-file secret x.bloom
    fails_with "read for the secret already" \
        bloomfilter build -p 0.1 --secret-fd 0 x.bloom < secret
    [ ! -e x.bloom ]
}

@test "a newline at the end of a secret is part of it" {
    printf '0123456789abcdef' > bare
    printf '0123456789abcdef\n' > lined
    bloomfilter create -n 5 -p 0.1 --secret-file bare x.bloom
    fails_with "secret" bloomfilter info --secret-file lined x.bloom
}

# ---- Progress ----------------------------------------------------------------------------------

# Slow enough to show progress on any machine: 255 digests for each key, one after the other, since
# no kernel takes keys that long.
slow_build="build -f -m 1M -k 255 --hash 2 x.bloom keys"
make_slow_keys() {
    seq -f %0200.0f 20000 > keys
}

# on_terminal TYPESCRIPT COMMAND: runs the command on a terminal and keeps what is written to it.
on_terminal() {
    script -qec "$2" /dev/null > "$1" < /dev/null 3>&-
}

# Keys that keep their reader long enough for progress to be shown. Tests run several side by side.
slow_keys="(echo a; sleep 0.7; echo b; sleep 0.2)"

@test "no progress in a pipe or a file" {
    make_slow_keys
    run -0 --separate-stderr bloomfilter $slow_build -n 20000
    run -1 grep -e 'adding' -e $'\r' <<< "$stderr$output"
}

@test "progress on a terminal, wiped at the end, and none with --quiet" {
    make_slow_keys
    on_terminal quiet "$slow_keys | '$BLOOMFILTER' build -q -n 10 -p 0.1 y.bloom" &
    on_terminal typescript "'$BLOOMFILTER' $slow_build -n 20000"
    grep -q 'adding  *[0-9]* % \[#*-*\]  [0-9.]* k keys, \([0-9]*\|[0-9.]* k\)/s' typescript
    # The last thing that was written is a blanked line, and the one before it the bar.
    [ "$(tail -c 80 typescript)" = "$(printf '\r%78s\r' '')" ]
    head -c -80 typescript | tail -c 79 | grep -q adding
    wait
    run -1 grep adding quiet
}

@test "progress keeps to the width of the terminal, and stays away where there is no room" {
    skip_emulated "is too slow"
    on_terminal tiny "stty cols 12; $slow_keys | '$BLOOMFILTER' build -n 10 -p 0.1 x.bloom" &
    on_terminal narrow "stty cols 40; $slow_keys | '$BLOOMFILTER' build -n 10 -p 0.1 y.bloom"
    grep -qP '\r {39}\r' narrow
    run -1 grep -P '[^\r]{40}\r' narrow
    wait
    [ ! -s tiny ]
    [ -s x.bloom ]
}

@test "progress without a known size shows keys and no percentage, and none while keys are typed" {
    skip_emulated "is too slow"
    on_terminal piped "$slow_keys | '$BLOOMFILTER' build -n 10 -p 0.1 x.bloom" &
    (eval "$slow_keys"; printf '\004') |
        script -qec "'$BLOOMFILTER' build -n 10 -p 0.1 y.bloom" /dev/null > typed
    run -1 grep adding typed
    wait
    grep -q 'adding  [12] keys, [0-9]*/s' piped
    run -1 grep % piped
    cmp x.bloom y.bloom
}

@test "progress of a query only where it meets no answers" {
    skip_emulated "is too slow"
    bloomfilter create -n 10 -p 0.1 x.bloom
    on_terminal to_terminal "$slow_keys | '$BLOOMFILTER' query -v x.bloom" &
    on_terminal to_pipe "$slow_keys | '$BLOOMFILTER' query -v x.bloom | cat" &
    on_terminal to_file "$slow_keys | '$BLOOMFILTER' query -v x.bloom > out"
    grep -q asking to_file
    wait
    run -1 grep asking to_terminal to_pipe
    grep -q b to_terminal
    grep -q b to_pipe
}

@test "a long call of the library ticks" {
    # Every random key is found, but only after 255 digests.
    printf '\377' | bloomfilter import --raw -m 8 -k 255 --hash 2 - x.bloom
    name=$'x\033\n'$(printf '%070d' 0)
    mv x.bloom "$name"
    for probes in 20k 200k 2M; do # until it is a long call on this machine
        on_terminal typescript "'$BLOOMFILTER' measure --probes $probes x*"
        ! grep -q measuring typescript || break
    done
    grep -q 'measuring x\\x1b\\n0*: [0-9]* s' typescript
}

# ---- All files ---------------------------------------------------------------------------------

@test "every filter file that was made has the format of the specification" {
    : "${BLOOMFILTER_READER:?must be the path of read_format.py}"
    for room in "$BATS_FILE_TMPDIR"/made/*; do
        secret=${room##*/}
        if [ "$secret" = none ]; then
            python3 "$BLOOMFILTER_READER" "$room"/*.bloom
        else
            python3 "$BLOOMFILTER_READER" --secret-hex "$secret" "$room"/*.bloom
        fi
    done
}
