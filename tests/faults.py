#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Faults: faults.py COMMAND

Runs the command's verbs that save, load and map (build, add, query, verify) under strace and, at
every system call in turn, makes the call fail, once or from then on, makes it lie, or kills the
process; then plays power losses over the recorded calls. After each: the destination is the whole old file or the whole new one, nothing
else is left in the directory by a process that survived, and no failure is silent.

Prints how many points were tried and, last, `N passed, N failed`.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ERRORS = {  # what can be reported by each call; every errno is one that the system documents for it
    "openat": ["EACCES", "EMFILE", "ENOSPC", "EIO", "EINTR"],
    "read": ["EIO", "EINTR"],
    "write": ["ENOSPC", "EIO", "EDQUOT", "EINTR"],
    "fsync": ["EIO", "ENOSPC", "EDQUOT", "EINTR"],
    "close": ["EIO", "ENOSPC", "EINTR"],
    "renameat": ["EIO", "ENOSPC", "EACCES"],
    "linkat": ["EIO", "ENOSPC", "EEXIST", "EPERM", "EOPNOTSUPP"],  # the last two: no hard links
    "newfstatat": ["EIO", "ENOMEM", "EACCES"],
    "fstat": ["EIO", "ENOMEM"],
    "lseek": ["EIO"],
    "mmap": ["ENOMEM", "ENODEV"],
    "fchmod": ["EIO", "EPERM"],
    "flock": ["ENOLCK", "EINTR"],
    "unlink": ["EIO"],
}
RESTARTED = {"read", "write", "fsync", "openat", "flock", "close"}  # after EINTR all goes on
STANDARD_OUTPUT = re.compile(r"^(write|close)\(1[,)]")  # stdio gives up; no signal comes back here
LIES = [5, 100000]  # bytes that are reported, while nothing was done: too few, and too many
START = re.compile(r"^fcntl\(0, F_GETFD\)")  # the first call of the command's own


class Operation:
    """A verb in a directory of its own, from a known state to a known state."""

    def __init__(self, name, command, arguments, old):
        self.name = name
        self.command = command
        self.arguments = arguments
        self.old = old  # bytes of filter.bloom before; None: not there

    def prepare(self, directory):
        write_lines(directory / "first", range(1, 501))
        write_lines(directory / "second", range(400, 901))
        if self.old is not None:
            (directory / "filter.bloom").write_bytes(self.old)

    def run(self, directory, strace=()):
        words = ["strace", "-qq", "-o", "/dev/null", *strace] if strace else []
        return subprocess.run([*words, self.command, *self.arguments], cwd=directory,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def record(self):
        """A run in which nothing fails: its calls, and the file and output that it leaves."""
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            self.prepare(directory)
            done = subprocess.run(["strace", "-qq", "-s", "0", "-o", "trace", self.command,
                                   *self.arguments], cwd=directory, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=60)
            self.calls = [line for line in (directory / "trace").read_text().splitlines()
                          if re.match(r"\w+\(", line)]
            self.new = content(directory)
            self.status, self.output = done.returncode, done.stdout
        self.start = next(i for i, call in enumerate(self.calls) if START.match(call))
        self.names = [call.split("(", 1)[0] for call in self.calls]
        assert self.status == 0, done


def write_lines(path, numbers):
    path.write_text("".join(f"user:{number}\n" for number in numbers))


def content(directory):
    path = directory / "filter.bloom"
    return path.read_bytes() if path.exists() else None


def left_over(directory):
    return sorted(set(os.listdir(directory)) - {"first", "second", "filter.bloom"})


def occurrence(operation, index):
    """strace counts the calls of one name from 1."""
    return operation.names[:index + 1].count(operation.names[index])


def run_with(fault, operation, index, later=""):
    """A run in which strace puts a fault into one call, and with "+" into all later ones of the same
    name: how it ended, and what is wrong then."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        operation.prepare(directory)
        name, when = operation.names[index], occurrence(operation, index)
        done = operation.run(directory, ["-e", f"inject={name}:{fault}:when={when}{later}"])
        can_speak = not (name == "write" and later)  # messages are writes, too
        return done, judge(operation, directory, done, can_speak)


def try_error(operation, index, error):
    """The call fails this once."""
    done, problems = run_with(f"error={error}", operation, index)
    if error == "EINTR" and is_restarted(operation, index) and done.returncode != operation.status:
        problems.append(f"gave up after EINTR: {done.stderr}")
    return problems


def try_error_for_good(operation, index, error):
    """The call fails, and so do all later ones of its name: a disk that stays full."""
    return run_with(f"error={error}", operation, index, "+")[1]


def try_lie(operation, index, lie):
    return run_with(f"retval={lie}", operation, index)[1]


def is_restarted(operation, index):
    return (operation.names[index] in RESTARTED
            and not STANDARD_OUTPUT.match(operation.calls[index]))


def judge(operation, directory, done, can_speak):
    """What is wrong after a run that the process survived."""
    problems = []
    found = content(directory)
    if found not in (operation.old, operation.new):
        problems.append("the destination is neither the old file nor the new one")
    if left_over(directory):
        problems.append(f"left behind: {left_over(directory)}")
    if done.returncode == operation.status:
        if found != operation.new:
            problems.append("success was reported, and the new file is not there")
        if done.stdout != operation.output:
            problems.append("success was reported, and the output is another")
    elif done.returncode < 0:
        problems.append(f"killed by signal {-done.returncode}")
    elif can_speak and not done.stderr:
        problems.append(f"failed with {done.returncode} and said nothing")
    return problems


def try_kill(operation, index):
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        operation.prepare(directory)
        name, when = operation.names[index], occurrence(operation, index)
        operation.run(directory, ["-e", f"inject={name}:signal=KILL:when={when}"])
        found = content(directory)
        if found not in (operation.old, operation.new):
            return ["killed: the destination is neither the old file nor the new one"]
        if found == operation.old:  # whoever comes next is not in anybody's way
            done = operation.run(directory)
            if done.returncode != operation.status or content(directory) != operation.new:
                return [f"after the kill, the verb no longer works: {done.stderr}"]
        return []


# ---- Power loss

SECTOR = 512


def saving_calls(operation):
    """The calls that make a save durable, as (what, argument), in the order in which they came. A
    file that must not exist gets its name by a link, which counts as a rename here."""
    calls = []
    descriptors = {}
    for call in operation.calls[operation.start:]:
        opened = re.match(r'openat\((\w+), "([^"]*)", ([\w|]+).*= (\d+)$', call)
        if opened:
            descriptors[opened[4]] = (opened[2], opened[3])
            if "O_CREAT" in opened[3] and opened[2].endswith(".tmp"):
                calls.append(("create", opened[2]))
            continue
        used = re.match(r"(write|fsync)\((\d+).*= (\d+)$", call)
        if used and used[2] in descriptors:
            path, flags = descriptors[used[2]]
            if "O_DIRECTORY" in flags:
                if ("rename", None) in calls:
                    calls.append(("sync directory", path))
            elif path.startswith(".bloomfilter-"):
                calls.append(("write", int(used[3])) if used[1] == "write" else ("sync", path))
        elif re.match(r'(renameat|linkat)\(.*"filter\.bloom"(, 0)?\) *= 0$', call):
            calls.append(("rename", None))
    return calls


def lost(data, synced, fate):
    """What a disk may hold of a file whose first `synced` bytes alone are sure to be there."""
    if fate == "kept":
        return data
    if fate == "truncated":
        return data[:synced]
    filling = b"\0" if fate == "zeros" else b"\xa5"
    result = bytearray(data)
    sectors = range(synced, len(data), SECTOR)
    for number, offset in enumerate(sectors):
        if fate != "every second sector garbage" or number % 2 == 0:
            end = min(offset + SECTOR, len(data))
            result[offset:end] = filling * (end - offset)
    return bytes(result)


FATES = ["kept", "truncated", "zeros", "garbage", "every second sector garbage"]


def power_losses(calls, old, new):
    """Every state that the destination can be in when the power fails after any of the calls."""
    for count in range(len(calls) + 1):
        written = synced = 0
        renamed = rename_is_sure = False
        for what, argument in calls[:count]:
            if what == "write":
                written += argument
            elif what == "sync":
                synced = written
            elif what == "rename":
                renamed = True
            elif what == "sync directory":
                rename_is_sure = renamed
        for fate in FATES:
            data = lost(new[:written], synced, fate)
            if renamed:
                yield count, fate, data  # the rename reached the disk
            if not rename_is_sure:
                yield count, fate, old  # it did not


def try_power_losses(operation):
    """The model, over the calls as they were made; and without each sync, to see that it bites."""
    calls = saving_calls(operation)
    assert [what for what, _ in calls if what != "write"] == ["create", "sync", "rename",
                                                              "sync directory"], calls
    assert sum(argument for what, argument in calls if what == "write") == len(operation.new)
    states = list(power_losses(calls, operation.old, operation.new))
    problems = [f"power loss after {calls[:count]}, {fate}: a torn file"
                for count, fate, found in states if found not in (operation.old, operation.new)]
    without = [call for call in calls if call[0] != "sync"]
    torn = [found for _, _, found in power_losses(without, operation.old, operation.new)
            if found not in (operation.old, operation.new)]
    if not torn:
        problems.append("a save without fsync is not found out: this test is worth nothing")
    last = list(power_losses(calls, operation.old, operation.new))[-1][2]
    if last != operation.new:
        problems.append("a finished save can be lost")
    return len(states), problems


# ---- All of it

def points(operation):
    own = range(operation.start, len(operation.calls))
    for index in own:
        if operation.names[index] == "exit_group":
            continue
        yield f"killed at call {index}", try_kill, (operation, index)
        for error in ERRORS.get(operation.names[index], []):
            yield (f"{operation.calls[index]} fails with {error}", try_error,
                   (operation, index, error))
            if error != "EINTR" and is_repeated(operation, index):  # EINTR for good is no fault
                yield (f"{operation.calls[index]} and later ones fail with {error}",
                       try_error_for_good, (operation, index, error))
        if operation.names[index] in ("read", "write") and is_about_the_filter(operation, index):
            for lie in LIES:
                yield f"{operation.calls[index]} says {lie}", try_lie, (operation, index, lie)


def is_repeated(operation, index):
    return operation.names[index] in operation.names[index + 1:]


def is_about_the_filter(operation, index):
    """A read of keys that lies cannot be told from other keys; of the filter it must be."""
    descriptor = re.match(r"\w+\((\d+)", operation.calls[index])[1]
    for call in reversed(operation.calls[:index]):
        opened = re.match(r'openat\(\w+, "([^"]*)".*= (\d+)$', call)
        if opened and opened[2] == descriptor:
            return "bloom" in opened[1]
    return False


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: faults.py COMMAND")
    command = os.path.abspath(sys.argv[1])
    filter_of_first = Operation("build", command, ["build", "-p", "1%", "filter.bloom", "first"],
                                None)
    filter_of_first.record()
    old = filter_of_first.new
    operations = [
        filter_of_first,
        Operation("build --force", command,
                  ["build", "--force", "-p", "0.1%", "filter.bloom", "second"], old),
        Operation("add", command, ["add", "filter.bloom", "second"], old),
        Operation("query", command, ["query", "filter.bloom", "first"], old),
        Operation("verify", command, ["verify", "filter.bloom"], old),
    ]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for operation in operations:
            operation.record()
            tried = list(points(operation))
            results = pool.map(lambda point: point[1](*point[2]), tried)
            count = len(tried)
            problems = [(what, found) for (what, _, _), found in zip(tried, results) if found]
            if operation.new != operation.old:
                states, torn = try_power_losses(operation)
                count += states
                problems += [("power loss", [problem]) for problem in torn]
            for what, found in problems:
                print(f"{operation.name}: {what}: {'; '.join(found)}")
            print(f"{operation.name}: {count} points tried")
            passed += count - len(problems)
            failed += len(problems)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
