#!/usr/bin/env python3
"""Builds from a source tree as a release tarball holds it: crates included, no network, nothing cached.

It is a tree of our own, so it is also where files are touched and changed to see what is built again.
"""

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from tap import Tap, complaint, run

HERE = Path(__file__).resolve().parent
# What is made in a checkout and no part of a release. Fuzz targets and the benchmark have lock files of their own.
LEFT_OUT = {".git", "target", "build", "prefix", "vendor", "bench", "fuzz", "__pycache__"}


def copy(source, tree):
    """The source tree without what was built in it."""

    def ignore(directory, names):
        return [
            name
            for name in names
            if (Path(directory) == source and name in LEFT_OUT) or Path(directory, name, "meson-private").exists()
        ]

    shutil.copytree(source, tree, ignore=ignore, symlinks=True)


def without_network():
    """The command that runs another without network, if the system lets us."""
    for command in (["unshare", "-n"], ["unshare", "-r", "-n"]):
        if shutil.which("unshare") and run(*command, "true").returncode == 0:
            return command
    return None


def rebuilds(tap, env, tree, build, products):
    """What ninja does when nothing changed, when a file was touched, and when it was changed."""

    def ninja():
        before = [product.read_bytes() for product in products]
        times = [product.stat().st_mtime_ns for product in products]
        result = run("ninja", "-C", build, env=env)
        idle = "no work to do" in result.stdout
        written = times != [product.stat().st_mtime_ns for product in products]
        changed = before != [product.read_bytes() for product in products]
        return result, idle, written, changed

    result, idle, written, _ = ninja()
    tap.check("no change: nothing to do", "" if idle and not written else result.stdout)
    for name in ("Cargo.toml", "Cargo.lock", ".cargo/config.toml", "build.rs", "src/lib.rs", "src/capi/variadic.c"):
        (tree / name).touch()
        result, idle, written, _ = ninja()
        good = result.returncode == 0 and not idle and not written
        found = "" if good else f"{idle=} {written=}\n{result.stdout}"
        tap.check(f"{name} touched: looked into, nothing made anew", found)
        result, idle, _, _ = ninja()
        tap.check(f"{name} touched: and only once", "" if idle else result.stdout)
    source = tree / "src" / "capi" / "variadic.c"
    source.write_text(source.read_text().replace("(message could not be formatted)", "(no text)"))
    result, idle, written, changed = ninja()
    tap.check("control: a change is built", "" if changed else f"{idle=} {written=}\n{result.stdout}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cargo", default="cargo")
    parser.add_argument("--meson", default="meson")
    parser.add_argument("--source", type=Path, required=True)
    args = parser.parse_args()
    args.source = args.source.resolve()
    tap = Tap()

    unshare = without_network()
    if unshare is None:
        tap.comment("NOT TRIED: cutting the network off, which this system does not allow; an empty CARGO_HOME alone")
        unshare = []
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        tree = directory / "libqcrypto"
        copy(args.source, tree)
        empty = directory / "cargo-home"
        empty.mkdir()
        # As fast as it gets: it is built again for every file that is touched.
        quick = {"CARGO_PROFILE_DEV_OPT_LEVEL": "0", "CARGO_PROFILE_DEV_DEBUG": "false"}
        env = {**os.environ, **quick, "CARGO_HOME": str(empty)}
        build = [*unshare, args.cargo, "build", "--offline", "--locked", "--target-dir", directory / "target"]

        refused = run(*build, cwd=tree, env=env)
        tap.check("control: without crates there is nothing to build with", "" if refused.returncode else "it builds")

        if (args.source / "vendor").is_dir():
            shutil.copytree(args.source / "vendor", tree / "vendor")
        else:
            tap.check("crates are put into the tree", complaint(run(tree / "tools" / "vendor-crates", tree)))
        tap.check("cargo build", complaint(run(*build, cwd=tree, env=env)))

        meson_build = directory / "build"
        setup = [*shlex.split(args.meson), "setup", meson_build, tree, "--buildtype", "debug", "-Dtests=disabled"]
        tap.check("meson setup", complaint(run(*unshare, *setup, env=env)))
        tap.check("ninja", complaint(run(*unshare, "ninja", "-C", meson_build, env=env)))
        shared = next(iter(meson_build.glob("libqcrypto.so.*.*.*")), meson_build / "nothing")
        rebuilds(tap, env, tree, meson_build, [shared, meson_build / "libqcrypto.a"])
        # Without optimization nothing hides what the linker should have left out.
        symbols = tree / "abi" / "libqcrypto.symbols"
        checks = run(sys.executable, HERE / "check-shared.py", "--symbols", symbols, shared, "cc")
        tap.check("the unoptimized library keeps its promises", complaint(checks))
    tap.finish()


if __name__ == "__main__":
    main()
