#!/usr/bin/env python3
"""Compiles every header as programs may include it: alone, twice, beside GLib, in C and in C++.

Then the files beside this script, which hold QEMU's prototypes and the numbers that programs have compiled in. What
must be refused is compiled too.
"""

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tap import Tap, complaint, run  # noqa: E402

HERE = Path(__file__).resolve().parent
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]

# A unit of macros alone is empty, which ISO C does not allow.
UNITS = {
    "alone": "#include <{header}>\ntypedef int not_empty;\n",
    "twice": "#include <{header}>\n#include <{header}>\ntypedef int not_empty;\n",
    "after GLib": "#include <glib.h>\n#include <{header}>\n",
    "before GLib": "#include <{header}>\n#include <glib.h>\n",
}
LANGUAGES = {"C99": ("c", "-std=c99"), "C++11": ("c++", "-std=c++11")}

# The file, how it is to be compiled, whether it must be refused.
FILES = [
    ("enum-values.c", ["-std=c11"], False),
    *(("enum-values.c", ["-std=c11", f"-DWRONG={number}"], True) for number in range(1, 4)),
    ("qemu-prototypes.c", ["-std=gnu11"], False),
    ("qemu-prototypes.c", ["-std=gnu11", "-DBEFORE_9_2"], False),
    *(("qemu-prototypes.c", ["-std=gnu11", f"-DWRONG={number}"], True) for number in range(1, 14)),
    ("autoptr.c", ["-std=gnu11"], False),
]


def compilers(cc, cxx):
    """Pairs of compilers, C and C++: the build's own, and clang where it is another and installed."""
    pairs = [(cc, cxx)]
    if shutil.which("clang") and "clang" not in " ".join(cc):
        pairs.append((["clang"], ["clang++"]))
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True, help="our headers, as they are installed")
    parser.add_argument("--glib", default="", help="the options that find GLib's headers")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    args = parser.parse_args()
    # GLib's headers are not ours to be strict with.
    glib = [option.replace("-I", "-isystem", 1) for option in shlex.split(args.glib)]
    headers = sorted(str(path.relative_to(args.include)) for path in args.include.rglob("*.h"))

    tap = Tap()
    if not headers:
        tap.check("headers are found", "there are none")
    with tempfile.TemporaryDirectory() as directory:
        number = count()

        def check(job):
            name, command, text, refused = job
            if text is not None:
                source = Path(directory, f"{next(number)}.c")
                source.write_text(text)
                command = [*command, source]
            result = run(*command, f"-I{args.include}", *glib, *STRICT)
            if not refused:
                return name, complaint(result)
            return name, "" if result.returncode != 0 and "error" in result.stdout else "it is accepted"

        jobs = []
        for cc, cxx in compilers(shlex.split(args.cc), shlex.split(args.cxx)):
            label = Path(cc[-1]).name
            for header in headers:
                for language, (kind, standard) in LANGUAGES.items():
                    for how, unit in UNITS.items():
                        command = [*(cc if kind == "c" else cxx), "-x", kind, standard]
                        text = unit.replace("{header}", header)
                        jobs.append((f"{label}, {language}: {header} {how}", command, text, False))
            for file, options, refused in FILES:
                name = f"{label}: {file} {' '.join(options)}"
                name = f"control: {name} is refused" if refused else name
                jobs.append((name, [*cc, *options, HERE / file], None, refused))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, complaints in pool.map(check, jobs):
                tap.check(name, complaints)
    tap.finish()


if __name__ == "__main__":
    main()
