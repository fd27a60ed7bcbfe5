#!/usr/bin/env python3
"""Links host programs with libqcrypto in every way they are linked, and asks whose Errors they get.

Each variant is one test. In it, either the program's own set of Error functions serves, or the library's, wholly: the
Error's maker, its text, copying and freeing, NULL, &error_abort and &error_fatal are all looked at.
"""

import argparse
import os
import resource
import shutil
import signal
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tap import Tap, complaint, output, run  # noqa: E402

HERE = Path(__file__).resolve().parent

# How the compiler calls the linker, and what the linker's program is.
LINKERS = {"bfd": "ld.bfd", "gold": "ld.gold", "lld": "ld.lld", "mold": "mold"}

# How a program is linked: options for its objects, options for the link.
SHARED_LINKS = {"pie": (["-fPIE"], ["-pie"]), "no-pie": (["-fno-pie"], ["-no-pie"])}
LINKS = {**SHARED_LINKS, "static": (["-fno-pie"], ["-static"]), "static-pie": (["-fPIE"], ["-static-pie"])}

# Where a program has its own set: what comes before libqcrypto on the link line, what after, whose set then serves. A
# member of an archive is linked in only if something before it asks for it: "pulled" programs do so by another name.
SETS = {
    "no set of its own": ([], [], "library"),
    "set in an object": (["host-error.o"], [], "host"),
    "set in an object after the library": ([], ["host-error.o"], "host"),
    "set in an archive before the library": (["libhost.a"], [], "host"),
    "set in an archive after the library": ([], ["libhost.a"], "library"),
    "set in an archive after the library, pulled": ([], ["libhost.a"], "host"),
}
# The loader takes the first.
SHARED_SETS = {
    "set in a shared library before": (["libhost.so"], [], "host"),
    "set in a shared library after": ([], ["libhost.so"], "library"),
}

# What compilers and linkers may do to a set in an object without harm: options for both, the linkers that can.
TREATMENTS = {
    "gc-sections": (["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"], LINKERS),
    "as-needed and -O1": (["-Wl,--as-needed", "-Wl,-O1"], LINKERS),
    "lto": (["-flto"], ["bfd", "gold"]),
}

TEXT = "Cipher key length 5 should be 16"
SAID = {
    ("host", "abort"): f"HOST abort in qcrypto_cipher_new: {TEXT}\n",
    ("host", "fatal"): f"HOST error: {TEXT}\n",
    ("library", "abort"): "Unexpected error in qcrypto_cipher_new() at libqcrypto:",
    ("library", "fatal"): f"program: {TEXT}\n",
}


def behaviour(program, whose, *arguments):
    """What a program does wrong, where its Errors should be the host's, the library's or "foreign" to the program."""
    if whose == "foreign":
        result = run(program, "foreign", *arguments)
        wrong = "" if "library, &error_fatal not recognised\n" in result.stdout else f"said: {result.stdout}"
        return [text for text in (complaint(result), wrong) if text]
    expected = {
        "whose": (0, f"{whose}\n"),
        "null": (0, ""),
        "abort": (-signal.SIGABRT, SAID[whose, "abort"]),
        "fatal": (1, SAID[whose, "fatal"]),
    }
    wrong = []
    for what, (status, text) in expected.items():
        result = run(program, what, *arguments)
        if result.returncode != status or text not in result.stdout:
            wrong.append(f"{what}: status {result.returncode}, not {status}; said, not '{text}':\n{result.stdout}")
        if what == "abort" and TEXT not in result.stdout:
            wrong.append(f"{what}: does not say why:\n{result.stdout}")
    return wrong


class Hosts:
    """Compiles and links host programs in a directory of their own."""

    def __init__(self, args, directory):
        self.args = args
        self.directory = directory
        self.number = 0
        self.variants = []

    def add(self, name, whose, linker, link, objects, before, library, after, arguments=(), options=()):
        """Notes a variant. Objects are compiled for it, since options differ."""
        self.variants.append((name, whose, linker, link, objects, before, library, after, arguments, options))

    def test(self, variant):
        """Builds a variant and runs it; returns its name and what is wrong."""
        name, whose, linker, link, defines, before, library, after, arguments, options = variant
        # A directory for each: the program is named the same in all, since the library prints that name.
        directory = Path(tempfile.mkdtemp(dir=self.directory))
        compile_options, link_options = LINKS[link]
        cc = [*self.args.cc, *options]
        include = ["-I", self.args.include, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]
        needed = [*before, *after]
        hidden = ["-fvisibility=hidden"] if "hidden" in name else []
        shared = "libhost.so" in needed
        try:
            output(*cc, *include, *compile_options, *defines, "-c", HERE / "host.c", "-o", directory / "host.o")
            if needed:
                position = ["-fPIC"] if shared else compile_options
                output(*cc, *include, *position, *hidden, "-c", HERE / "host-error.c", "-o", directory / "host-error.o")
            if "libhost.a" in needed:
                archiver = "gcc-ar" if "-flto" in options else "ar"
                output(archiver, "rcs", directory / "libhost.a", directory / "host-error.o")
            if shared:
                make = [*cc, "-shared", "-Wl,-soname,libhost.so", directory / "host-error.o"]
                output(*make, "-o", directory / "libhost.so")
            program = directory / "program"
            result = run(
                *cc, f"-fuse-ld={linker}", *link_options, directory / "host.o",
                *(directory / file for file in before), *library, *(directory / file for file in after),
                *([f"-Wl,-rpath,{directory}"] if shared else []), "-o", program,
            )
            if result.returncode != 0:
                return name, complaint(result)
            return name, behaviour(program, whose, *arguments)
        finally:
            shutil.rmtree(directory)


def add_linked(hosts, args, linker, possible):
    """Programs linked with the shared library and with the archive, in every way."""
    build = args.shared.parent
    shared = [f"-L{build}", "-lqcrypto", f"-Wl,-rpath,{build}"]
    archive = [args.archive, "-lpthread", "-ldl", "-lm"]
    deliveries = [("shared", shared, SHARED_LINKS, {**SETS, **SHARED_SETS}), ("archive", archive, LINKS, SETS)]
    for delivery, library, links, sets in deliveries:
        for link in filter(possible.__contains__, links):
            for where, (before, after, whose) in sets.items():
                defines = ["-DPULL"] if "pulled" in where else []
                name = f"{linker}, {delivery}, {link}, {where}"
                hosts.add(name, whose, linker, link, defines, before, library, after)
            for treatment, (options, linkers) in TREATMENTS.items():
                if linker in linkers:
                    name = f"{linker}, {delivery}, {link}, set in an object, {treatment}"
                    hosts.add(name, "host", linker, link, [], ["host-error.o"], library, [], options=options)

    # The exceptions that qapi/error.h names, and that the archive is not subject to.
    for link in SHARED_LINKS:
        for delivery, library, whose in (("shared", shared, "foreign"), ("archive", archive, "host")):
            name = f"{linker}, {delivery}, {link}, hidden set in an object"
            hosts.add(name, whose, linker, link, [], ["host-error.o"], library, [])
        name = f"{linker}, shared, {link}, set in an archive before the library, exclude-libs"
        options = ["-Wl,--exclude-libs,ALL"]
        hosts.add(name, "foreign", linker, link, [], ["libhost.a"], shared, [], options=options)


def add_loaded(hosts, args, linker):
    """Programs that dlopen() the library. Only those that export their set keep it."""
    for link in SHARED_LINKS:
        for scope in ("local", "global"):
            arguments = (args.shared, scope)
            for rdynamic in ([], ["-rdynamic"]):
                name = f"{linker}, dlopen {scope}, {link}{', rdynamic' if rdynamic else ''}"
                hosts.add(
                    f"{name}, no set of its own", "library", linker, link,
                    ["-DBY_DLOPEN"], [], ["-ldl"], [], arguments, rdynamic,
                )
                hosts.add(
                    f"{name}, set in an object", "host" if rdynamic else "foreign", linker, link,
                    ["-DBY_DLOPEN", "-DOWN_SET"], ["host-error.o"], ["-ldl"], [], arguments, rdynamic,
                )


def works(args, linker, link, directory):
    """Whether the compiler and a linker can make a kind of program at all."""
    source = directory / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    compile_options, link_options = LINKS[link]
    result = run(*args.cc, f"-fuse-ld={linker}", *compile_options, *link_options, source, "-o", directory / "empty")
    return result.returncode == 0 and run(directory / "empty").returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True, help="our headers")
    parser.add_argument("--shared", type=Path, required=True, help="the shared library, its links beside it")
    parser.add_argument("--archive", type=Path, required=True)
    parser.add_argument("cc", nargs="+", help="the C compiler")
    args = parser.parse_args()
    args.shared, args.archive, args.include = (path.resolve() for path in (args.shared, args.archive, args.include))
    # Programs abort on purpose.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.pop("LD_LIBRARY_PATH", None)

    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        hosts = Hosts(args, directory)
        for linker, program in LINKERS.items():
            if not shutil.which(program):
                tap.comment(f"NOT TRIED: the linker {linker}, which is not installed")
                continue
            possible = [link for link in LINKS if works(args, linker, link, directory)]
            for link in LINKS.keys() - set(possible):
                tap.comment(f"NOT TRIED: {linker}, {link}: not even an empty program runs")
            add_linked(hosts, args, linker, possible)
            add_loaded(hosts, args, linker)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for (name, wrong), variant in zip(pool.map(hosts.test, hosts.variants), hosts.variants):
                tap.check(f"{name}: {variant[1]}", wrong)
            # A test that sees no difference between the two sets would pass everything above.
            for whose, other in (("host", "library"), ("library", "host")):
                variant = next(variant for variant in hosts.variants if variant[1] == whose)
                _, wrong = hosts.test((variant[0], other, *variant[2:]))
                tap.check(f"control: the {whose}'s Errors are not taken for the {other}'s", "" if wrong else "they are")
    tap.finish()


if __name__ == "__main__":
    main()
