#!/usr/bin/env python3
"""Compares the ABI that the headers declare with the one checked in, by abidiff.

abidiff reads types from debug information, and Rust's has Rust's types. So the headers' functions are compiled as C, each
with an empty body; other tests see to it that the headers are what the library is made of and that the library exports
these names. UPDATE_EXPECT=1 in the environment writes the file anew. Then changes are made to the headers on purpose,
each of which must be noticed.
"""

import argparse
import os
import platform
import re
import shutil
import tempfile
from pathlib import Path

from tap import Tap, complaint, output, run

HEADERS = ["qcrypto.h", "qapi/error.h"]

# What is changed in a header, the text, what is there instead; None where nothing may be noticed.
CHANGES = [
    ("a parameter's type", "qcrypto.h", "size_t niv, Error **errp);", "int niv, Error **errp);"),
    ("a result's type", "qcrypto.h", "int qcrypto_init(", "bool qcrypto_init("),
    ("a parameter more", "qcrypto.h", "int qcrypto_init(", "int qcrypto_init(int flags, "),
    ("an enum's number", "qcrypto.h", "QCRYPTO_CIPHER_ALGO_SM4 = 12", "QCRYPTO_CIPHER_ALGO_SM4 = 14"),
    ("a field's type", "qcrypto.h", "  QCryptoCipherMode mode;", "  unsigned char mode;"),
    ("a field more", "qcrypto.h", "  QCryptoCipherMode mode;", "  QCryptoCipherMode mode;\n  int more;"),
    ("a function less", "qcrypto.h", "const char *qcrypto_version(void);", ""),
    ("a function more", "qcrypto.h", "const char *qcrypto_version(void);",
     "const char *qcrypto_version(void);\nint qcrypto_zzz(void);"),
    ("an object's type", "qapi/error.h", "extern Error *error_fatal;", "extern Error **error_fatal;"),
    ("a comment", "qcrypto.h", "Open the libraries", "Opens the libraries"),
]
HARMLESS = ["a comment"]


def bodies(text):
    """The functions and objects that a header declares, defined."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#.*?(?<!\\)\n", "", text, flags=re.M | re.S)
    for declaration in re.findall(r"^((?:\w[\w ]*[ *]+)(?:qcrypto|error|warn)_\w+\([^;{]*\))\s*;", text, re.M):
        declaration = re.sub(r"\s*QCRYPTO_PRINTF\(\d, \d\)", "", declaration)
        yield f"{declaration}\n{{\n    __builtin_trap();\n}}\n"
    for declaration in re.findall(r"^extern ([^\"\n]*;)", text, re.M):
        yield f"{declaration}\n"


def describe(cc, include, directory):
    """abidw's description of what the headers declare."""
    source = "#include <qcrypto.h>\n" + "".join(text for name in HEADERS for text in bodies((include / name).read_text()))
    (directory / "abi.c").write_text(source)
    library = directory / "libqcrypto.so"
    output(
        *cc, "-std=gnu11", "-g", "-O0", "-fPIC", "-shared", f"-I{include}", "-Wl,-soname,libqcrypto.so.0",
        "abi.c", "-o", library, cwd=directory,
    )
    described = directory / "libqcrypto.abi"
    output("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", library, "--out-file", described)
    return described


def names(described):
    """The names of the functions and objects that a description has."""
    return set(re.findall(r"<elf-symbol name='(\w+)'", described.read_text()))


def changed(tap, args, directory):
    """Headers that are not what they were."""
    for what, header, old, new in CHANGES:
        include = directory / "include"
        shutil.copytree(args.include, include)
        text = (include / header).read_text()
        (include / header).write_text(text.replace(old, new, 1))
        found = run("abidiff", args.baseline, describe(args.cc, include, directory))
        shutil.rmtree(include)
        noticed = found.returncode != 0
        wrong = "" if old in text and noticed != (what in HARMLESS) else f"{old in text=} {noticed=}\n{found.stdout}"
        tap.check(f"control: {what} is {'nothing' if what in HARMLESS else 'noticed'}", wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True, help="our headers")
    parser.add_argument("--symbols", type=Path, required=True, help="the exported names, one a line")
    parser.add_argument("--baseline", type=Path, required=True, help="abidw's description, checked in")
    parser.add_argument("cc", nargs="+", help="the C compiler")
    args = parser.parse_args()
    args.include = args.include.resolve()

    tap = Tap()
    if platform.machine() != "x86_64":
        tap.skip("the ABI", "this CPU or build has no description of its ABI checked in, x86-64 has")
        tap.finish()
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        described = describe(args.cc, args.include, directory)
        declared = set(args.symbols.read_text().split())
        tap.check("the names are those of the list", [f"{name}: on one side only" for name in declared ^ names(described)])
        if "UPDATE_EXPECT" in os.environ:
            shutil.copy(described, args.baseline)
        tap.check("the ABI is the one checked in", complaint(run("abidiff", args.baseline, described)))
        changed(tap, args, directory)
    tap.finish()


if __name__ == "__main__":
    main()
