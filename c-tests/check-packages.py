#!/usr/bin/env python3
"""Builds Debian's packages from a source tree as a release tarball holds it: crates included, no network, nothing cached.

They are looked at by lintian and installed into an empty place, where consumers of every build system are built from them.
It is a tree of our own, so it is also where files are touched and changed to see what is built again.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tap import Tap, complaint, run

HERE = Path(__file__).resolve().parent
# What is made in a checkout and no part of a release. Fuzz targets have a lock file of their own.
LEFT_OUT = {".git", "build", "prefix", "vendor", "fuzz"}
MADE = {"target", "__pycache__"}

PACKAGES = ["libqcrypto0", "libqcrypto-dev", "qcrypto-tools"]

# The commands that build examples/sectors.c with each build system, in its directory there, and where the program is.
CONSUMERS = {
    "meson": (["meson setup build", "meson compile -C build"], "build/sectors"),
    "cmake": (["cmake -B build", "cmake --build build"], "build/sectors"),
    "autotools": (["autoreconf --install", "./configure", "make"], "sectors"),
    "make": (["make"], "sectors"),
}

# The SHA-256 of eight sectors of zeros in AES-256-XTS, by libgcrypt; what the consumers print.
DIGEST = "386be351ce68154399a9846ac1fc335a2c46ec797d0b184a975bcb4bce67e843"


def copy(source, tree):
    """The source tree without what was built in it."""

    def ignore(directory, names):
        return [
            name
            for name in names
            if (Path(directory) == source and name in LEFT_OUT)
            or name in MADE
            or Path(directory, name, "meson-private").exists()
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

    # debhelper built with flags in the environment that are not in this one: made anew, once.
    (tree / "Cargo.toml").touch()
    ninja()
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


def packages(tap, env, tree):
    """What dpkg-buildpackage made: the packages, clean to lintian, and consumers that are built from them."""
    made = {path.name.split("_")[0]: path for path in tree.parent.glob("*.deb")}
    missing = [name for name in PACKAGES if name not in made]
    tap.check("the packages are there", missing)
    if missing:
        return
    debs = [made[name] for name in PACKAGES]
    tap.check("lintian", complaint(run("lintian", "--fail-on", "error,warning", "--allow-root", *debs)))

    stage = tree.parent / "stage"
    (stage / "var/lib/dpkg/updates").mkdir(parents=True)
    (stage / "var/lib/dpkg/info").mkdir()
    (stage / "var/lib/dpkg/status").touch()
    install = ["dpkg", f"--root={stage}", "--force-not-root,depends,script-chrootless", "--no-triggers", "--unpack"]
    tap.check("they are installed together", complaint(run(*install, *debs, env={**env, "DPKG_MAINTSCRIPT_DEBUG": "0"})))
    libdir = next(stage.glob("usr/lib/*/pkgconfig")).parent
    env = {
        **env,
        "PKG_CONFIG_SYSROOT_DIR": str(stage),
        "PKG_CONFIG_LIBDIR": str(libdir / "pkgconfig"),
        "LD_LIBRARY_PATH": str(libdir),
    }
    for name, (commands, program) in CONSUMERS.items():
        directory = tree / "examples" / name
        built = run("sh", "-ec", "; ".join(commands), cwd=directory, env=env)
        ran = run(directory / program, env=env) if built.returncode == 0 else built
        right = ran.returncode == 0 and DIGEST in ran.stdout
        tap.check(f"a consumer with {name}", "" if right else ran.stdout)
    away = {**env, "PKG_CONFIG_LIBDIR": "/nonexistent"}
    refused = run("make", "--always-make", cwd=tree / "examples" / "make", env=away)
    tap.check("control: a consumer is built from the packages", "" if refused.returncode else refused.stdout)
    bench = run(stage / "usr/bin/qcrypto-bench", "--version", env=env)
    tap.check("qcrypto-bench runs", complaint(bench))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cargo", default="cargo")
    parser.add_argument("--source", type=Path, required=True)
    args = parser.parse_args()
    args.source = args.source.resolve()
    tap = Tap()
    if not shutil.which("dpkg-buildpackage") or not Path("/usr/bin/cargo").exists():
        tap.skip("the packages", "neither dpkg-buildpackage nor Debian's cargo is here")
        tap.finish()

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
        quick = {
            "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
            "CARGO_PROFILE_DEV_DEBUG": "false",
            "DPKG_DEB_COMPRESSOR_TYPE": "gzip",
            "DPKG_DEB_COMPRESSOR_LEVEL": "1",
        }
        env = {**os.environ, **quick, "CARGO_HOME": str(empty)}
        build = [*unshare, args.cargo, "build", "--offline", "--locked", "--target-dir", directory / "target"]

        refused = run(*build, cwd=tree, env=env)
        tap.check("control: without crates there is nothing to build with", "" if refused.returncode else "it builds")

        if (args.source / "vendor").is_dir():
            shutil.copytree(args.source / "vendor", tree / "vendor")
        else:
            tap.check("crates are put into the tree", complaint(run(tree / "tools" / "vendor-crates", tree)))

        # Debian's own cargo and rustc, which the packages are built with, come first in the builds of ninja too.
        env["PATH"] = f"/usr/bin:{env['PATH']}"
        package = ["dpkg-buildpackage", "--build=binary", "--unsigned-changes"]
        made = run(*unshare, *package, cwd=tree, env={**env, "DEB_BUILD_OPTIONS": "noopt noautodbgsym nocheck"})
        tap.check("dpkg-buildpackage", complaint(made))
        packages(tap, env, tree)

        meson_build = next(tree.glob("obj-*"), tree / "nothing")
        shared = next(iter(meson_build.glob("libqcrypto.so.*.*.*")), meson_build / "nothing")
        rebuilds(tap, env, tree, meson_build, [shared, meson_build / "libqcrypto.a"])
        # Without optimization nothing hides what the linker should have left out.
        symbols = tree / "abi" / "libqcrypto.symbols"
        checks = run(sys.executable, HERE / "check-shared.py", "--symbols", symbols, shared, "cc")
        tap.check("the unoptimized library keeps its promises", complaint(checks))
    tap.finish()


if __name__ == "__main__":
    main()
