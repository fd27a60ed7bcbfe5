#!/usr/bin/env python3
"""Checks what a shared library promises to the linker and the loader.

Then it checks the checks: a tiny library that keeps all promises must pass them all, and for each promise one that
breaks it must fail exactly the check of that promise.
"""

import argparse
import re
import tempfile
from pathlib import Path

from tap import Tap, output

# The C library's parts, and the unwinder that Rust needs.
MAY_NEED = re.compile(r"libc\.so\.6|libgcc_s\.so\.1|ld-linux-[\w-]+\.so\.\d|ld\d*\.so\.\d")


class Library:
    """A shared library, as readelf and nm see it."""

    def __init__(self, path, abi):
        self.abi = abi
        dynamic = output("readelf", "-dW", path)
        self.entries = re.findall(r"^ 0x\w+ \((\w+)\)\s+(.*)$", dynamic, re.M)
        self.segments = [line.split() for line in output("readelf", "-lW", path).splitlines() if "0x" in line]
        self.exports = {line.split()[-1] for line in output("nm", "-D", "--defined-only", path).splitlines()}

    def entry(self, tag):
        """The values of a tag of the dynamic section."""
        return [value for name, value in self.entries if name == tag]

    def named(self, tag):
        """The names in brackets that a tag has."""
        return [re.search(r"\[(.*)\]", value).group(1) for value in self.entry(tag)]


def exports(library):
    """Exactly the names of the ABI."""
    for name in sorted(library.exports - library.abi):
        yield f"exports {name}, which is not in the ABI"
    for name in sorted(library.abi - library.exports):
        yield f"does not export {name}"


def soname(library):
    if library.named("SONAME") != ["libqcrypto.so.0"]:
        yield f"SONAME is {library.named('SONAME')}"


def nodelete(library):
    """Rust keeps thread-local destructors in it, so it must stay."""
    if not any("NODELETE" in flags.split() for flags in library.entry("FLAGS_1")):
        yield "can be unloaded"


def full_relro(library):
    """Nothing that the loader has filled in can be changed later."""
    if not any("NOW" in flags.split() for flags in library.entry("FLAGS_1")):
        yield "not BIND_NOW"
    if not any(segment[0] == "GNU_RELRO" for segment in library.segments):
        yield "no RELRO segment"


def stack(library):
    """The stack of a program that loads it is not executable."""
    flags = [segment[6] for segment in library.segments if segment[0] == "GNU_STACK"]
    if flags != ["RW"]:
        yield f"GNU_STACK is {flags}"


def text_relocations(library):
    if library.entry("TEXTREL") or any("TEXTREL" in flags for flags in library.entry("FLAGS")):
        yield "has text relocations"


def search_path(library):
    """It looks for its own libraries where everybody does."""
    for tag in ("RPATH", "RUNPATH"):
        for path in library.named(tag):
            yield f"{tag} {path}"


def needed(library):
    for name in library.named("NEEDED"):
        if not MAY_NEED.fullmatch(name):
            yield f"needs {name}"


def not_symbolic(library):
    """-Bsymbolic would bind error_* to its own before the program has a say."""
    if library.entry("SYMBOLIC") or any("SYMBOLIC" in flags.split() for flags in library.entry("FLAGS")):
        yield "linked with -Bsymbolic"


CHECKS = [exports, soname, nodelete, full_relro, stack, text_relocations, search_path, needed, not_symbolic]


def findings(path, abi):
    """What each check complains of."""
    library = Library(path, abi)
    return {check.__name__: list(check(library)) for check in CHECKS}


GOOD = ["-Wl,-soname,libqcrypto.so.0", "-Wl,-z,nodelete", "-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack", "-lc"]

# The check, and what breaks its promise: more options, or replaced ones, or more source.
BROKEN = [
    ("exports", "one export more", [], "int more(void) { return 0; }"),
    ("exports", "one of Rust's own symbols", [], "int rust_eh_personality(void) { return 0; }"),
    ("exports", "one export less", ["-Dfirst=other", "-fvisibility=hidden"], ""),
    ("soname", "no digit", ["-Wl,-soname,libqcrypto.so"], ""),
    ("soname", "none", {"-Wl,-soname,libqcrypto.so.0": None}, ""),
    ("nodelete", "may be unloaded", {"-Wl,-z,nodelete": None}, ""),
    ("full_relro", "lazy binding", {"-Wl,-z,relro,-z,now": "-Wl,-z,relro,-z,lazy"}, ""),
    ("full_relro", "no RELRO", {"-Wl,-z,relro,-z,now": "-Wl,-z,norelro,-z,now"}, ""),
    ("stack", "executable", ["-Wl,-z,execstack"], ""),
    ("text_relocations", "an address in code", ["-Wl,-z,notext"], '__asm__(".text\\n.quad first\\n");'),
    ("search_path", "RUNPATH", ["-Wl,--enable-new-dtags,-rpath,/elsewhere"], ""),
    # The old kind of path comes with all of the old kind of dynamic section, which has no flags.
    ("nodelete full_relro search_path", "RPATH", ["-Wl,--disable-new-dtags,-rpath,/elsewhere"], ""),
    ("needed", "the mathematics library", ["-Wl,--no-as-needed", "-lm"], ""),
    ("not_symbolic", "-Bsymbolic", ["-Wl,-Bsymbolic"], ""),
]


def build(cc, directory, options, source):
    """A tiny library with one function, `first`, which calls the C library, and more source."""
    text = f"#include <stdlib.h>\nint first(void) {{ return abs(rand()); }}\n{source}\n"
    (directory / "tiny.c").write_text(text)
    library = directory / "libtiny.so"
    output(*cc, "-shared", "-fPIC", "-O1", directory / "tiny.c", "-o", library, *options)
    return library


def altered(change):
    """The good options with some added, or, given pairs, replaced or left out."""
    if isinstance(change, dict):
        return [new for new in (change.get(option, option) for option in GOOD) if new]
    return GOOD + change


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--symbols", type=Path, required=True, help="the ABI, one name a line")
    parser.add_argument("--hooks", type=Path, help="the library for tests: the ABI and qcrypto_test_arm")
    parser.add_argument("library", type=Path)
    parser.add_argument("cc", nargs="+", help="the C compiler")
    args = parser.parse_args()
    tap = Tap()

    abi = set(args.symbols.read_text().split())
    for check, complaints in findings(args.library, abi).items():
        tap.check(f"library: {check}", complaints)
    if args.hooks:
        for check, complaints in findings(args.hooks, abi | {"qcrypto_test_arm"}).items():
            tap.check(f"library for tests: {check}", complaints)
        caught = findings(args.hooks, abi)["exports"]
        tap.check("control: a library for tests is not taken for the real one", "" if caught else "it is")

    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        found = findings(build(args.cc, directory, GOOD, ""), {"first"})
        tap.check("control: a good library passes", sum(found.values(), []))
        for checks, what, change, source in BROKEN:
            found = findings(build(args.cc, directory, altered(change), source), {"first"})
            failed = [name for name, complaints in found.items() if complaints]
            wrong = "" if failed == checks.split() else f"noticed: {failed}"
            tap.check(f"control: {checks} notices {what}", wrong)
    tap.finish()


if __name__ == "__main__":
    main()
