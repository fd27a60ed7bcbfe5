# SPDX-License-Identifier: MIT OR Apache-2.0
"""What runs of tests in an emulated machine have in common.

Packages are fetched with apt and unpacked under build/, never installed. The test programs are those of `cargo test`,
linked statically, and the first process is c-tests/guest/init.c. What they print is shown, and the verdict is read from
it: every module must be loaded, every program must have run tests and end well, and the last line be DONE.
"""

import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "guest"
UNPACKED = WORK / "root"
TARGET = "x86_64-unknown-linux-gnu"


def output_of(command, text=True, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=text, **options).stdout


def fetch(*emulator):
    """Unpacks Debian's kernel for virtual machines and an emulator's packages, unless that was done before.

    Of the emulator's, those that are not installed. A mark says what is complete.
    """
    WORK.mkdir(parents=True, exist_ok=True)
    wanted = {"kernel": [], emulator[0]: emulator}
    missing = {name: packages for name, packages in wanted.items() if not (WORK / f"{name}.unpacked").exists()}
    if missing:
        subprocess.run(["apt-get", "update", "-qq"], check=False)
    for name, packages in missing.items():
        unpack(simulated(packages) if packages else [kernel_package()])
        (WORK / f"{name}.unpacked").touch()


def kernel_package():
    """Its name carries the number of its ABI."""
    depends = output_of(["apt-cache", "depends", "linux-image-cloud-amd64"])
    return re.search(r"Depends: (linux-image-\S+)", depends)[1]


def simulated(packages):
    """What apt would install for these packages, which is at least themselves where all else is there."""
    plan = output_of(["apt-get", "install", "-s", "--no-install-recommends", *packages])
    return re.findall(r"^Inst (\S+)", plan, re.M) or list(packages)


def unpack(packages):
    debs = WORK / "debs"
    shutil.rmtree(debs, ignore_errors=True)
    debs.mkdir()
    subprocess.run(["apt-get", "download", "-qq", *packages], cwd=debs, check=True)
    for deb in sorted(debs.glob("*.deb")):
        subprocess.run(["dpkg", "-x", deb, UNPACKED], check=True)
    shutil.rmtree(debs)


def environment():
    """The environment for a program that was unpacked."""
    directories = [UNPACKED / "usr" / "lib" / "x86_64-linux-gnu", UNPACKED / "lib" / "x86_64-linux-gnu"]
    before = os.environ.get("LD_LIBRARY_PATH")
    paths = [*map(str, directories), *([before] if before else [])]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(paths)}


def program(name):
    """A program that was unpacked, or the system's where that has it."""
    path = UNPACKED / "usr" / "bin" / name
    return path if path.exists() else name


def kernel():
    return next((UNPACKED / "boot").glob("vmlinuz-*"))


def build(tests):
    """The static test programs and the first process, as contents by path."""
    command = ["cargo", "test", "--locked", "--no-run", "--profile", "quick", "--target", TARGET]
    command += ["--target-dir", ROOT / "target" / "guest", "--message-format", "json-render-diagnostics"]
    command += ["--lib" if name == "qcrypto" else f"--test={name}" for name in tests]
    flags = f"{os.environ.get('RUSTFLAGS', '')} -C target-feature=+crt-static".strip()
    messages = output_of(command, cwd=ROOT, env={**os.environ, "RUSTFLAGS": flags}).splitlines()
    artifacts = [message for message in map(json.loads, messages) if message.get("executable")]
    programs = {f"tests/{artifact['target']['name']}": artifact["executable"] for artifact in artifacts}
    for name, path in programs.items():
        stripped = WORK / Path(name).name
        subprocess.run(["strip", "-o", stripped, path], check=True)
        programs[name] = stripped
    init = WORK / "init"
    subprocess.run(["cc", "-static", "-O2", "-Wall", "-Wextra", "-o", init, ROOT / "c-tests" / "guest" / "init.c"], check=True)
    return {name: Path(path).read_bytes() for name, path in {"init": init, **programs}.items()}


def module(name):
    """A module of the kernel, if it is one and not built in."""
    for path in UNPACKED.glob(f"lib/modules/*/kernel/**/{name}.ko*"):
        return output_of(["xz", "-dc", path], text=False) if path.suffix == ".xz" else path.read_bytes()
    return None


def file_system(tests, variables, modules=(), vectors="*/*"):
    """What the kernel unpacks at its start: programs by name with what they are told, and the environment they get."""
    files = build(tests)
    for name, arguments in tests.items():
        files[f"args/{name}"] = "".join(f"{argument}\n" for argument in arguments).encode()
    files["environment"] = "".join(f"{variable}\n" for variable in variables).encode()
    found = {name: module(name) for name in modules}
    files.update({f"modules/{name}.ko": content for name, content in found.items() if content})
    # The tests look for the vectors where the source tree was when they were compiled.
    for path in (ROOT / "tests" / "vectors").glob(vectors):
        if path.is_file() and path.parent.name != "luks":
            files[str(path).lstrip("/")] = path.read_bytes()
    return archive(files)


def archive(files):
    """Files by path, with their directories, as a cpio archive."""
    directories = {str(parent) for path in files for parent in Path(path).parents if str(parent) != "."}
    entries = [(path, stat.S_IFDIR | 0o755, b"", (0, 0)) for path in sorted(directories | {"dev"})]
    entries.append(("dev/console", stat.S_IFCHR | 0o600, b"", (5, 1)))
    entries += [(path, stat.S_IFREG | 0o755, content, (0, 0)) for path, content in files.items()]
    entries.append(("TRAILER!!!", 0, b"", (0, 0)))
    return b"".join(entry(number, *fields) for number, fields in enumerate(entries, 1))


def entry(number, name, mode, content=b"", device=(0, 0)):
    """An entry of a cpio archive in the format `newc`."""
    name = name.encode() + b"\0"
    fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(name), 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name
    return b"".join(part + bytes(-len(part) % 4) for part in (head, content))


def verdict(text, tests):
    """What is wrong with a run, or None."""
    if not re.search(r"^DONE\s*$", text, re.M):
        return "the machine did not come to its end"
    missing = re.findall(r"^MODULE (\S+) not loaded\s*$", text, re.M)
    if missing:
        return f"modules not loaded: {', '.join(missing)}"
    # What a program printed stands before its end.
    *printed, _ = re.split(r"^EXIT (\S+) (-?\d+)\s*$", text, flags=re.M)
    runs = {name: (output, end) for output, name, end in zip(printed[::3], printed[1::3], printed[2::3])}
    bad = [name for name in tests if not good(*runs.get(name, ("", "")))]
    return f"failed: {', '.join(bad)}" if bad else None


def good(output, end):
    """Whether a program ended well, and not because it had nothing to do."""
    return end == "0" and total(r"^test result: ok\. (\d+) passed", output) > 0


# What would make a good run a bad one.
FAULTS = {
    "no end": (r"^DONE", ""),
    "a failed program": (r"^EXIT (\S+) 0", r"EXIT \1 256"),
    "a program that did not run": (r"^EXIT \S+ 0", ""),
    "a program without tests": (r"^test result: ok\. \d+ passed", "test result: ok. 0 passed"),
    "a module that is not there": (r"^EXIT", "MODULE ecb.ko not loaded\nEXIT"),
}


def unseen(text, tests):
    """The faults that a good run could have without the verdict telling: a control."""

    def is_good_with(change):
        return verdict(re.sub(*change, text, count=1, flags=re.M), tests) is None

    return [fault for fault, change in FAULTS.items() if is_good_with(change)]


def total(pattern, text):
    """The sum of the numbers that a pattern finds."""
    return sum(int(count) for count in re.findall(pattern, text, re.M))


def judge(text, tests):
    """Shows what a machine printed, None if it took too long, and returns the exit status that it deserves."""
    if text is None:
        print("no end in time, twice")
        return 1
    text = text.replace("\r", "")
    print(text)
    problem = verdict(text, tests)
    if problem:
        print(problem)
        return 1
    if unseen(text, tests):
        print(f"would not be seen: {', '.join(unseen(text, tests))}")
        return 1
    passed, answers = total(r"^test result: ok\. (\d+) passed", text), total(r"(\d+) answered", text)
    print(f"{passed} tests passed in the machine, which hold {answers} known answers")
    return 0
