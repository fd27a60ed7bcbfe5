#!/usr/bin/env python3
"""Links host programs with libqcrypto in every way they are linked, and asks whose Errors they get.

Each variant is one test. In it, either the program's own set of Error functions serves, or the library's, wholly: the
Error's maker, its text, copying and freeing, NULL, &error_abort and &error_fatal are all looked at.
"""

import argparse
import os
import resource
import shlex
import shutil
import signal
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

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
# mold prefers a strong symbol of an archive to a weak one that it has.
STRONG_FIRST = ("mold", "archive", "set in an archive after the library")

# The loader takes the first.
SHARED_SETS = {
    "set in a shared library before": (["libhost.so"], [], "host"),
    "set in a shared library after": ([], ["libhost.so"], "library"),
}
# An emulator of QEMU's shape: objects that saw its own prototypes and no header of ours, and a thin archive with the set
# and with what else its names could clash with. Something in there always asks for the set.
SHAPES = {
    "thin archive before the library": (["libqemu.a"], []),
    "thin archive after the library": ([], ["libqemu.a"]),
}

# What compilers and linkers may do to a set in an object without harm: options for both, the linkers that can.
TREATMENTS = {
    "gc-sections": (["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"], LINKERS),
    "as-needed and -O1": (["-Wl,--as-needed", "-Wl,-O1"], LINKERS),
    "lto": (["-flto"], ["bfd", "gold", "mold"]),
    "clang's lto": (["-flto"], ["lld"]),
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


@dataclass
class Variant:
    """A host program: what it is made of, how, and whose Errors it gets."""

    name: str
    whose: str
    linker: str
    link: str
    before: list
    library: list
    after: list
    options: list = field(default_factory=list)
    defines: list = field(default_factory=list)
    arguments: tuple = ()
    cpp: bool = False
    shape: bool = False
    hidden: bool = False
    clang: bool = False


class Hosts:
    """Compiles and links host programs."""

    def __init__(self, args, directory):
        self.args = args
        self.directory = directory
        self.variants = []
        self.objects = {}
        self.lock = Lock()
        self.compilers = ThreadPoolExecutor(os.cpu_count())

    def add(self, *args, **named):
        """Notes a variant."""
        self.variants.append(Variant(*args, **named))

    def compile(self, variant, source, options=()):
        """The object of a source beside this script. Variants whose options are the same share it."""
        cpp = variant.cpp and source == "host.c"
        compiler = ["clang"] if variant.clang else self.args.cxx if cpp else self.args.cc
        language = ["-x", "c++", "-std=gnu++11"] if cpp else ["-std=gnu11"]
        include = HERE / "prototypes" if variant.shape else self.args.include
        warnings = ["-O1", "-Wall", "-Wextra", "-Werror"]
        command = (*compiler, *language, f"-I{include}", *warnings, *variant.options, *options, "-c", HERE / source)
        with self.lock:
            if command not in self.objects:
                made = self.directory / f"{len(self.objects)}.o"
                self.objects[command] = made, self.compilers.submit(output, *command, "-o", made)
            made, work = self.objects[command]
        work.result()
        return made

    def gather(self, variant, directory):
        """The host's objects, and the archives and libraries of them that it is linked with, by name."""
        position, _ = LINKS[variant.link]
        needed = [*variant.before, *variant.after]
        made = {"host.o": self.compile(variant, "host.c", [*position, *variant.defines])}
        if not needed:
            return made
        hidden = ["-fvisibility=hidden"] if variant.hidden else []
        shared = "libhost.so" in needed
        error = self.compile(variant, "host-error.c", [*(["-fPIC"] if shared else position), *hidden])
        made["host-error.o"] = error
        for library in {"libhost.a", "libqemu.a", "libhost.so"}.intersection(needed):
            made[library] = directory / library
        archiver = "gcc-ar" if "-flto" in variant.options else "ar"
        if "libhost.a" in needed:
            output(archiver, "rcs", made["libhost.a"], error)
        if "libqemu.a" in needed:
            output(archiver, "rcsT", made["libqemu.a"], error, self.compile(variant, "host-util.c", position))
        if shared:
            output(*self.args.cc, "-shared", "-Wl,-soname,libhost.so", error, "-o", made["libhost.so"])
        return made

    def test(self, variant):
        """Builds a variant and runs it; returns what is wrong."""
        # A directory for each: the program is named the same in all, since the library prints that name.
        directory = Path(tempfile.mkdtemp(dir=self.directory))
        _, link_options = LINKS[variant.link]
        compiler = ["clang"] if variant.clang else self.args.cxx if variant.cpp else self.args.cc
        try:
            made = self.gather(variant, directory)
            program = directory / "program"
            result = run(
                *compiler, *variant.options, f"-fuse-ld={variant.linker}", *link_options, made["host.o"],
                *map(made.get, variant.before), *variant.library, *map(made.get, variant.after),
                *([f"-Wl,-rpath,{directory}"] if "libhost.so" in made else []), "-o", program,
            )
            if result.returncode != 0:
                return complaint(result)
            return behaviour(program, variant.whose, *variant.arguments)
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
            name = f"{linker}, {delivery}, {link}"
            for where, (before, after, whose) in sets.items():
                defines = ["-DPULL"] if "pulled" in where else []
                whose = "host" if (linker, delivery, where) == STRONG_FIRST else whose
                hosts.add(f"{name}, {where}", whose, linker, link, before, library, after, defines=defines)
            hosts.add(f"{name}, C++", "library", linker, link, [], library, [], cpp=True)
            hosts.add(f"{name}, C++, set in an object", "host", linker, link, ["host-error.o"], library, [], cpp=True)
            treated = {"": [], **{what: options for what, (options, linkers) in TREATMENTS.items() if linker in linkers}}
            for treatment, options in treated.items():
                clang = treatment.startswith("clang")
                how = f", {treatment}" if treatment else ""
                if treatment:
                    hosts.add(
                        f"{name}, set in an object{how}", "host", linker, link, ["host-error.o"], library, [], options,
                        clang=clang,
                    )
                for where, (before, after) in SHAPES.items():
                    # Which linker reads clang's own objects out of a thin archive is not our subject.
                    if not clang:
                        hosts.add(
                            f"{name}, QEMU's shape, {where}{how}", "host", linker, link, before, library, after,
                            options, ["-DSHAPE"], shape=True,
                        )

    # The exceptions that qapi/error.h names, and that the archive is not subject to.
    for link in SHARED_LINKS:
        for delivery, library, whose in (("shared", shared, "foreign"), ("archive", archive, "host")):
            name = f"{linker}, {delivery}, {link}, hidden set in an object"
            hosts.add(name, whose, linker, link, ["host-error.o"], library, [], hidden=True)
        name = f"{linker}, shared, {link}, set in an archive before the library, exclude-libs"
        hosts.add(name, "foreign", linker, link, ["libhost.a"], shared, [], ["-Wl,--exclude-libs,ALL"])


def add_loaded(hosts, args, linker):
    """Programs that dlopen() the library. Only those that export their set keep it."""
    for link in SHARED_LINKS:
        for scope in ("local", "global"):
            arguments = (args.shared, scope)
            for rdynamic in ([], ["-rdynamic"]):
                name = f"{linker}, dlopen {scope}, {link}{', rdynamic' if rdynamic else ''}"
                hosts.add(
                    f"{name}, no set of its own", "library", linker, link, [], ["-ldl"], [], rdynamic,
                    ["-DBY_DLOPEN"], arguments,
                )
                hosts.add(
                    f"{name}, set in an object", "host" if rdynamic else "foreign", linker, link, ["host-error.o"],
                    ["-ldl"], [], rdynamic, ["-DBY_DLOPEN", "-DOWN_SET"], arguments,
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
    parser.add_argument("--cxx", default="c++", help="the C++ compiler")
    parser.add_argument("cc", nargs="+", help="the C compiler")
    args = parser.parse_args()
    args.cxx = shlex.split(args.cxx)
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
            for variant, wrong in zip(hosts.variants, pool.map(hosts.test, hosts.variants)):
                tap.check(f"{variant.name}: {variant.whose}", wrong)
            tap.comment(f"{len(hosts.variants)} programs, {len(hosts.objects)} objects")
            # A test that sees no difference between the two sets would pass everything above.
            for whose, other in (("host", "library"), ("library", "host")):
                variant = next(variant for variant in hosts.variants if variant.whose == whose)
                wrong = hosts.test(replace(variant, whose=other))
                tap.check(f"control: the {whose}'s Errors are not taken for the {other}'s", "" if wrong else "they are")
    tap.finish()


if __name__ == "__main__":
    main()
