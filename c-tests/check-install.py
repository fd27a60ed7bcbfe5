#!/usr/bin/env python3
"""Installs into an empty place and builds programs from that, with the compiler and pkg-config alone."""

import argparse
import os
import re
import shlex
import tempfile
from pathlib import Path

from tap import Tap, complaint, output, run

HERE = Path(__file__).resolve().parent


class Stage:
    """What was installed, and pkg-config pointed at it."""

    def __init__(self, args, root):
        self.prefix = root / args.prefix.relative_to("/")
        self.libdir = root / (args.prefix / args.libdir).relative_to("/")
        self.include = root / (args.prefix / args.includedir).relative_to("/") / "qcrypto"
        self.env = {**os.environ, "PKG_CONFIG_PATH": str(self.libdir / "pkgconfig")}
        self.env.pop("LD_LIBRARY_PATH", None)

    def pkg_config(self, *options, prefix=None):
        """What pkg-config answers when told that the prefix is where the stage is, or another place."""
        prefix = f"--define-variable=prefix={prefix or self.prefix}"
        return output("pkg-config", prefix, *options, "qcrypto", env=self.env).split()


def files(tap, args, stage):
    """What is there, under the names and with the modes that it should have."""
    version = args.version
    shared = f"libqcrypto.so.{version}"
    expected = {"libqcrypto.a", "libqcrypto.so", "libqcrypto.so.0", shared, "pkgconfig/qcrypto.pc"}
    found = {str(path.relative_to(stage.libdir)) for path in stage.libdir.rglob("*") if not path.is_dir()}
    tap.check("libraries and qcrypto.pc, nothing else", [f"{name}: missing or extra" for name in expected ^ found])
    links = {"libqcrypto.so": "libqcrypto.so.0", "libqcrypto.so.0": shared}
    wrong = [f"{link} is no link to {to}" for link, to in links.items() if os.readlink(stage.libdir / link) != to]
    tap.check("the shared library's links", wrong)
    modes = {name: (stage.libdir / name).lstat().st_mode & 0o777 for name in (shared, "libqcrypto.a")}
    tap.check("modes", [f"{name}: {mode:o}" for name, mode in modes.items() if mode != 0o644])
    source = {path.relative_to(args.include) for path in args.include.rglob("*") if path.is_file()}
    found = {path.relative_to(stage.include) for path in stage.include.rglob("*") if path.is_file()}
    missing = [f"{name}: missing or extra" for name in source ^ found]
    tap.check("headers, all of them", missing or ("" if found else "none"))

    paths = []
    for path in stage.prefix.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF":
            dynamic = output("readelf", "-dW", path)
            paths += [f"{path.name}: {line}" for line in dynamic.splitlines() if re.search(r"\(R(UN)?PATH\)", line)]
    tap.check("no program or library has a search path", paths)
    files_there = [path for path in stage.prefix.rglob("*") if path.is_file()]
    tap.check("no test hooks", [str(path) for path in files_there if b"qcrypto_test_arm" in path.read_bytes()])


def answers(tap, args, stage):
    """pkg-config's answers, word for word."""
    include = f"-I/x/{args.includedir}/qcrypto"
    libs = [f"-L/x/{args.libdir}", "-lqcrypto"]
    private = ["-lpthread", "-ldl", "-lm"]
    for options, expected in (
        (["--cflags", "--libs"], [include, *libs]),
        (["--static", "--libs"], [*libs, *private]),
        (["--modversion"], [args.version]),
    ):
        found = stage.pkg_config(*options, prefix="/x")
        tap.check(f"pkg-config {' '.join(options)}", "" if found == expected else f"answers {found}, not {expected}")


def consumers(tap, args, stage, directory):
    """Programs of each kind. Those that need the shared library name it by its SONAME."""
    shared = stage.pkg_config("--cflags", "--libs")
    static = stage.pkg_config("--static", "--cflags", "--libs")
    archive = ["-l:libqcrypto.a" if word == "-lqcrypto" else word for word in static]
    cc, cxx = shlex.split(args.cc), shlex.split(args.cxx)
    cpp = ["-x", "c++", HERE / "consumer.c", "-x", "none"]
    for name, command, libs in (
        ("shared", [*cc, HERE / "consumer.c"], shared),
        ("shared, no-pie", [*cc, "-fno-pie", "-no-pie", HERE / "consumer.c"], shared),
        ("shared, C++", [*cxx, *cpp], shared),
        ("archive", [*cc, HERE / "consumer.c"], archive),
        ("archive, gc-sections", [*cc, "-Wl,--gc-sections", HERE / "consumer.c"], archive),
        ("static", [*cc, "-static", HERE / "consumer.c"], static),
        ("static-pie", [*cc, "-static-pie", "-fPIE", HERE / "consumer.c"], static),
        ("static, C++", [*cxx, "-static", *cpp], static),
    ):
        program = directory / "consumer"
        built = run(*command, *libs, "-Wall", "-Wextra", "-Werror", "-o", program)
        if built.returncode != 0:
            tap.check(name, complaint(built))
            continue
        ran = run(program, env={**stage.env, "LD_LIBRARY_PATH": str(stage.libdir)})
        wrong = [text for text in [complaint(ran)] if text]
        if f"{args.version}: Length 15 must be a multiple of block size 16\n" != ran.stdout:
            wrong.append(f"says {ran.stdout}")
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", program))
        ours = [library for library in needed if "qcrypto" in library]
        if ours != (["libqcrypto.so.0"] if name.startswith("shared") else []):
            wrong.append(f"needs {needed}")
        if name.startswith("static") and needed:
            wrong.append(f"static, but needs {needed}")
        tap.check(name, wrong)

    program = directory / "consumer"
    output(*cc, HERE / "consumer.c", *shared, "-o", program)
    lost = run(program, env=stage.env)
    caught = lost.returncode == 127 and "libqcrypto.so.0" in lost.stdout
    tap.check("control: without the stage in reach a shared program does not start", "" if caught else lost.stdout)
    refused = run(*cc, HERE / "consumer.c", "-o", program)
    tap.check("control: without pkg-config a program does not build", "" if refused.returncode else "it does")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--meson", default="meson")
    parser.add_argument("--build", type=Path, required=True, help="the build directory to install from")
    parser.add_argument("--prefix", type=Path, required=True)
    parser.add_argument("--libdir", required=True)
    parser.add_argument("--includedir", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--include", type=Path, required=True, help="our headers in the source tree")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    args = parser.parse_args()

    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        root = directory / "stage"
        install = [*shlex.split(args.meson), "install", "-C", args.build, "--no-rebuild", "--quiet", "--destdir", root]
        result = run(*install)
        tap.check("meson install with a DESTDIR", complaint(result))
        if result.returncode == 0:
            stage = Stage(args, root)
            files(tap, args, stage)
            answers(tap, args, stage)
            consumers(tap, args, stage, directory)
    tap.finish()


if __name__ == "__main__":
    main()
