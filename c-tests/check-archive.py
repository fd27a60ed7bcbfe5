#!/usr/bin/env python3
"""Checks the static library: one object with the ABI's symbols, and good neighbours with other Rust code.

Then it checks the checks: for each, an archive that breaks its promise must fail exactly that one.
"""

import argparse
import tempfile
from pathlib import Path

from tap import Tap, complaint, output, run

# The linker makes these itself.
LINKERS_OWN = {"_GLOBAL_OFFSET_TABLE_", "_DYNAMIC", "__dso_handle"}

LIBRARIES = ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"]
LIBRARIES += ["ld-linux-aarch64.so.1", "ld-linux-riscv64-lp64d.so.1", "ld64.so.1"]


def provided(cc):
    """What the C library, its loader and the compiler's run-time library define."""
    names = set()
    for library in LIBRARIES:
        path = output(*cc, f"-print-file-name={library}").strip()
        if path != library:
            defined = output("nm", "-D", "--defined-only", path).splitlines()
            names |= {line.split()[-1].split("@")[0] for line in defined}
    return names


class Archive:
    """An archive, as ar, nm and readelf see it."""

    def __init__(self, path, abi, imports):
        self.abi = abi
        self.imports = imports
        self.members = output("ar", "t", path).split()
        self.sections = output("readelf", "-SW", path)
        self.types = {}
        self.undefined = set()
        for line in output("nm", "-g", path).splitlines():
            words = line.split()
            if len(words) == 3:
                self.types[words[2]] = words[1]
            elif len(words) == 2 and words[0] in "Uwv":
                self.undefined.add(words[1])


def one_object(archive):
    if archive.members != ["libqcrypto.o"]:
        yield f"members: {archive.members}"


def symbols(archive):
    """The global symbols are exactly the ABI's."""
    for name in sorted(archive.types.keys() - archive.abi):
        yield f"{name} is global and not in the ABI"
    for name in sorted(archive.abi - archive.types.keys()):
        yield f"{name} is missing"


def binding(archive):
    """The error_* set is weak, for programs that have their own, and nothing else is."""
    for name in sorted(archive.types.keys() & archive.abi):
        weak = archive.types[name] in "WV"
        if weak == name.startswith("qcrypto_"):
            yield f"{name} is {'weak' if weak else 'strong'}"


def imports(archive):
    """It needs the C library, and of the compiler's what every program is linked with."""
    for name in sorted(archive.undefined - archive.imports - LINKERS_OWN):
        yield f"needs {name}"


def no_bitcode(archive):
    """rustc's intermediate code is of no use to a C linker, and large."""
    for section in (".llvmbc", ".llvmcmd"):
        if section in archive.sections:
            yield f"has {section}"


CHECKS = [one_object, symbols, binding, imports, no_bitcode]


def findings(path, abi, known):
    """What each check complains of."""
    archive = Archive(path, abi, known)
    return {check.__name__: list(check(archive)) for check in CHECKS}


TINY_ABI = {"qcrypto_first", "error_first"}
TINY = """
#include <stdlib.h>
int qcrypto_first(void) { return abs(rand()); }
__attribute__((weak)) int error_first(void) { return qcrypto_first(); }
"""

# The check, what breaks its promise, how the source is changed, names of the objects.
BROKEN = [
    ("one_object", "two objects", "", ["libqcrypto.o", "other.o"]),
    ("symbols", "one symbol more", "int rust_eh_personality(void) { return 0; }", ["libqcrypto.o"]),
    ("symbols", "one symbol less", "static int qcrypto_first(void);", ["libqcrypto.o"]),
    ("binding", "a strong error_*", "#define weak cold", ["libqcrypto.o"]),
    ("binding", "a weak qcrypto_*", "#pragma weak qcrypto_first", ["libqcrypto.o"]),
    ("imports", "a foreign symbol", "void g_free(void *);\n#define abs(x) (g_free(0), x)", ["libqcrypto.o"]),
    ("no_bitcode", "bitcode", '__asm__(".section .llvmbc\\n.byte 1\\n.text\\n");', ["libqcrypto.o"]),
]


def build(cc, directory, change, members):
    """A tiny archive; members after the first are empty objects."""
    archive = directory / "libtiny.a"
    archive.unlink(missing_ok=True)
    for number, member in enumerate(members):
        source = directory / "tiny.c"
        include, rest = TINY.strip().split("\n", 1)
        source.write_text("typedef int nothing;\n" if number else f"{include}\n{change}\n{rest}")
        output(*cc, "-c", "-fPIC", "-O1", "-w", source, "-o", directory / member)
        output("ar", "rcs", archive, directory / member)
    return archive


NEIGHBOUR = """
//! A second Rust library in one program, as a host that is part Rust has.
use std::ffi::c_int;

/// Formats, allocates, panics and catches, so that most of what Rust brings along is used.
#[unsafe(no_mangle)]
pub extern "C" fn neighbour(value: c_int) -> c_int {
    let caught = std::panic::catch_unwind(|| {
        let words: Vec<String> = (0..value).map(|word| format!("{word:?} {:?}", std::env::args_os().next())).collect();
        assert!(words.len() != 3, "three");
        words.len() as c_int
    });
    caught.unwrap_or(-1)
}
"""

TWO = """
#include <crypto/cipher.h>
int neighbour(int value);

int main(void)
{
    uint8_t key[16] = {0};
    QCryptoCipher *cipher =
        qcrypto_cipher_new(QCRYPTO_CIPHER_ALGO_AES_128, QCRYPTO_CIPHER_MODE_ECB, key, sizeof(key), &error_abort);
    int status = qcrypto_cipher_encrypt(cipher, key, key, sizeof(key), &error_abort);
    qcrypto_cipher_free(cipher);
    /* FIPS 197 under a zero key: the block of zeroes becomes 66 e9 ... */
    return status == 0 && key[0] == 0x66 && key[1] == 0xe9 && neighbour(5) == 5 && neighbour(3) == -1 ? 0 : 1;
}
"""


def neighbours(tap, args, directory):
    """Two Rust archives in one program, in both orders. rustc's own, untreated, must clash."""
    (directory / "neighbour.rs").write_text(NEIGHBOUR)
    (directory / "two.c").write_text(TWO)
    other = directory / "libneighbour.a"
    rustc = [args.rustc, "--edition", "2024", "--crate-type", "staticlib", "-O", "-C", "lto=fat"]
    output(*rustc, directory / "neighbour.rs", "-o", other)
    program = directory / "two"

    def link(options, *archives):
        command = [*args.cc, f"-I{args.include}", *options, directory / "two.c", *archives]
        return run(*command, "-lpthread", "-ldl", "-lm", "-o", program)

    for options in (["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-static"], ["-fPIE", "-static-pie"]):
        for first, second in ((args.archive, other), (other, args.archive)):
            whose = "ours" if first == args.archive else "theirs"
            result = link(options, first, second)
            name = f"with another Rust archive: {options[-1][1:]}, {whose} first"
            tap.check(name, complaint(result) or complaint(run(program, env={"RUST_BACKTRACE": "0"})))
    clash = link([], args.rustc_archive, other)
    caught = clash.returncode != 0 and "multiple definition" in clash.stdout
    tap.check("control: rustc's own archive clashes", "" if caught else f"it does not\n{clash.stdout}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--symbols", type=Path, required=True, help="the ABI, one name a line")
    parser.add_argument("--include", type=Path, required=True, help="our headers")
    parser.add_argument("--rustc", required=True)
    parser.add_argument("--rustc-archive", type=Path, required=True, help="what our archive was made of")
    parser.add_argument("archive", type=Path)
    parser.add_argument("cc", nargs="+", help="the C compiler")
    args = parser.parse_args()
    tap = Tap()

    known = provided(args.cc)
    for check, complaints in findings(args.archive, set(args.symbols.read_text().split()), known).items():
        tap.check(f"archive: {check}", complaints)

    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        found = findings(build(args.cc, directory, "", ["libqcrypto.o"]), TINY_ABI, known)
        tap.check("control: a good archive passes", sum(found.values(), []))
        for check, what, change, members in BROKEN:
            found = findings(build(args.cc, directory, change, members), TINY_ABI, known)
            failed = [name for name, complaints in found.items() if complaints]
            tap.check(f"control: {check} notices {what}", "" if failed == [check] else f"noticed: {failed}")
        neighbours(tap, args, directory)
    tap.finish()


if __name__ == "__main__":
    main()
