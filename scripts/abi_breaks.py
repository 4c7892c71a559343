#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tells what of an ABI, as abidw writes it down, would break programs built against an earlier one.

    abi_breaks.py EARLIER LATER NAME.abi...

EARLIER and LATER are folders that hold the files.

The rules are those of docs/abi.md: symbols stay, with their types; structs grow at the end, beyond
what they occupied; values of enums stay; limits get wider. Exit status 1 if something breaks.
"""

import os
import sys
import xml.etree.ElementTree as ElementTree


class Interface:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.soname = root.get("soname")
        self.types = {e.get("id"): e for e in root.iter() if e.get("id")}
        self.symbols = {f"{e.get('name')}@{e.get('version')}" for e in root.iter("elf-symbol")}
        self.functions = {e.get("name"): self.signature(e)
                          for e in root.iter("function-decl") if e.get("elf-symbol-id")}
        self.typedefs = {e.get("name"): self.text(e.get("type-id"))
                         for e in root.iter("typedef-decl")
                         if e.get("name").startswith("bloomfilter")}
        self.structs = {e.get("name"): e for e in root.iter("class-decl")}
        self.enums = {e.get("name"): {v.get("name"): int(v.get("value"))
                                      for v in e.iter("enumerator")}
                      for e in root.iter("enum-decl")}

    def signature(self, function):
        arguments = [self.text(p.get("type-id")) if p.get("type-id") else "..."
                     for p in function.iter("parameter")]
        return f"{self.text(function.find('return').get('type-id'))} ({', '.join(arguments)})"

    def text(self, type_id):
        """A type, spelled out down to what the compiler knows; structs and enums by name."""
        e = self.types[type_id]
        if e.tag == "pointer-type-def":
            return self.text(e.get("type-id")) + " *"
        if e.tag == "qualified-type-def":
            kinds = [k for k in ("const", "volatile", "restrict") if e.get(k) == "yes"]
            return f"{self.text(e.get('type-id'))} {' '.join(kinds)}"
        if e.tag == "typedef-decl":
            return f"{e.get('name')} [{self.text(e.get('type-id'))}]"
        if e.tag == "array-type-def":
            lengths = "".join(f"[{r.get('length')}]" for r in e.iter("subrange"))
            return self.text(e.get("type-id")) + lengths
        if e.tag == "function-type":
            return self.signature(e)
        if e.tag == "type-decl":
            return e.get("name")
        if e.tag in ("class-decl", "enum-decl"):
            return f"{e.tag[:-5].replace('class', 'struct')} {e.get('name')}"
        raise ValueError(f"{e.tag}: add it to abi_breaks.py")

    def fields(self, struct):
        """Of each field its name, offset in bits and type, in order."""
        for member in struct.iter("data-member"):
            field = member.find("var-decl")
            yield (field.get("name"), int(member.get("layout-offset-in-bits")),
                   self.text(field.get("type-id")))


def breaks_of_table(kind, earlier, later):
    for name, was in sorted(earlier.items()):
        if name not in later:
            yield f"{kind} {name} is gone"
        elif later[name] != was:
            yield f"{kind} {name} was {was} and is {later[name]}"


def breaks_of_struct(name, earlier, later):
    if name not in later.structs:
        yield f"struct {name} is gone"
        return
    was, now = earlier.structs[name], later.structs[name]
    if was.get("is-declaration-only") == "yes":
        if now.get("is-declaration-only") != "yes":
            yield f"struct {name} was opaque"
        return
    if now.get("is-declaration-only") == "yes":
        yield f"struct {name} became opaque"
        return
    old, new = list(earlier.fields(was)), list(later.fields(now))
    for i, (field, offset, type_text) in enumerate(old):
        if i >= len(new):
            yield f"struct {name}: the field {field} is gone"
        elif new[i] != (field, offset, type_text):
            yield (f"struct {name}: field {i} was {field} at bit {offset}, {type_text}; "
                   "is {} at bit {}, {}".format(*new[i]))
    size = int(was.get("size-in-bits"))
    if int(now.get("size-in-bits")) < size:
        yield f"struct {name} shrank from {size} to {now.get('size-in-bits')} bits"
    for field, offset, _ in new[len(old):]:
        if offset < size:
            yield (f"struct {name}: the new field {field} lies in the padding of the earlier "
                   "struct, so struct_size cannot tell whether it is there")


def is_wider(name, was, now):
    return "_MAX_" in name and now > was or "_MIN_" in name and now < was


def breaks_of_enum(name, was, now):
    for value, number in was.items():
        if value not in now:
            yield f"{name}: {value} is gone"
        elif now[value] != number and not (name == "macros" and
                                           is_wider(value, number, now[value])):
            yield f"{name}: {value} was {number} and is {now[value]}"


def breaks(earlier, later):
    if later.soname != earlier.soname:
        yield f"the SONAME was {earlier.soname} and is {later.soname}"
    for symbol in sorted(earlier.symbols - later.symbols):
        yield f"the symbol {symbol} is gone"
    yield from breaks_of_table("function", earlier.functions, later.functions)
    yield from breaks_of_table("typedef", earlier.typedefs, later.typedefs)
    for name in sorted(earlier.structs):
        yield from breaks_of_struct(name, earlier, later)
    for name in sorted(earlier.enums):
        yield from breaks_of_enum(name, earlier.enums[name], later.enums.get(name, {}))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    earlier, later, *names = sys.argv[1:]
    found = [line for name in names
             for line in breaks(*(Interface(os.path.join(folder, name))
                                  for folder in (earlier, later)))]
    for line in found:
        print("break:", line, file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
