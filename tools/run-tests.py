#!/usr/bin/env python3
"""Runs the test steps, adds up what they count, and says so on the last line.

A step is a command. Steps whose output is counted (cargo test, meson test) add each test; the others are one test each.
With CI=true in the environment a skip fails, unless its reason is that the machine lacks an instruction set: everything
else that a test may miss can be installed.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "test"
IN_CI = os.environ.get("CI") == "true"

# The only reason that excuses a skip in CI: it cannot be installed.
EXCUSE = "this CPU or build has no"

# The levels of QCRYPTO_CPU, with the flags of /proc/cpuinfo that each takes.
LEVELS = {
    "portable": [],
    "aesni": ["aes", "pclmulqdq", "sse4_2"],
    "vaes256": ["avx2", "vaes", "vpclmulqdq"],
    "vaes512": ["avx512f", "avx512vl", "avx512bw", "avx512dq", "vaes", "vpclmulqdq"],
}


class Tally:
    """Tests passed, failed and skipped."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def one(status, _output, _show):
    """A step that is one test."""
    return Tally(passed=int(status == 0), failed=int(status != 0))


def skips(output, show):
    """The tests that printed a loud skip, less those that CI does not excuse, which fail."""
    reasons = re.findall(r"SKIP(?:PED)?:?\s+(.*)", output)
    failed = [reason for reason in reasons if IN_CI and EXCUSE not in reason]
    for reason in failed:
        show(f"a skip that CI does not excuse: {reason}\n")
    return Tally(failed=len(failed), skipped=len(reasons) - len(failed))


def cargo(status, output, show):
    """Adds up the result lines of cargo's test harness."""
    tally = skips(output, show)
    for passed, failed, ignored in re.findall(
        r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", output, re.M
    ):
        tally.add(Tally(int(passed), int(failed), int(ignored)))
    if status != 0 and tally.failed == 0:
        tally.failed = 1
    return tally


def meson(status, _output, show):
    """Adds up TAP lines, which meson keeps in its log, and tests that are only an exit status."""
    tally = Tally()
    log = BUILD / "meson-logs" / "testlog.json"
    for line in log.read_text().splitlines():
        test = json.loads(line)
        output = test.get("stdout", "")
        points = re.findall(r"^(?:# )?(ok|not ok) \d+(.*)$", output, re.M)
        failed = sum(result == "not ok" for result, _ in points)
        skipped = [rest for result, rest in points if result == "ok" and "# SKIP" in rest]
        tally.add(Tally(passed=len(points) - failed - len(skipped), failed=failed))
        tally.add(skips("\n".join(skipped), show))
        good = test["result"] in ("OK", "EXPECTEDFAIL")
        if not points and good:
            tally.passed += 1
        if not good and failed == 0:
            tally.failed += 1
    if status != 0 and tally.failed == 0:
        tally.failed = 1
    return tally


def meson_test(*args, **variables):
    """A command that runs tests of the build, the slow ones too, which need 4 GiB of memory."""
    variables["QCRYPTO_TEST_SLOW"] = 1
    settings = [f"{name}={value}" for name, value in variables.items()]
    return ["env", *settings, "meson", "test", "-C", str(BUILD), "--print-errorlogs", *args]


def level_steps():
    """The C tests of the cipher at each level of the CPU, which they assert is the one that serves."""
    found = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    flags = set(found[1].split() if found else [])
    tests = ["test-crypto-cipher", "test-crypto-vectors", "test-crypto-memory", "test-crypto-sectors"]
    return {
        f"level-{level}": (
            (meson_test(*tests, QCRYPTO_CPU=level), meson)
            if flags.issuperset(needed)
            else (["echo", f"SKIPPED: {EXCUSE} {level}"], lambda _status, output, show: skips(output, show))
        )
        for level, needed in LEVELS.items()
    }


# The Rust tests, those that take long too.
CARGO_TEST = ["env", "QCRYPTO_TEST_SLOW=1", "cargo", "test", "--locked", "--profile", "quick"]


def library_steps():
    """The Rust tests with each library as a backend: alone where known answers are sought, else first in the list."""
    command = [*CARGO_TEST, "--features", "test-hooks"]
    alone = [f"--test={name}" for name in ("known_answers", "family", "pbkdf")]
    first = [f"--test={name}" for name in ("rules", "cases", "reference")]
    return {
        f"rust-{library}{name}": (["env", f"QCRYPTO_BACKENDS={library}{end}", *command, *tests], cargo)
        for library in ("gcrypt", "nettle")
        for name, end, tests in (("-alone", "!", alone), ("", "", first))
    }


def key_locker_steps():
    """The Rust tests of ciphers on Key Locker, emulated: alone where nothing but AES is compared, else first in the list."""
    command = [*CARGO_TEST, "--features", "test-hooks"]
    alone = [f"--test={name}" for name in ("known_answers", "backends")]
    first = [f"--test={name}" for name in ("rules", "cases", "reference", "family", "sectors")]
    return {
        "rust-keylocker-alone": (["env", "QCRYPTO_BACKENDS=keylocker!", *command, *alone], cargo),
        "rust-keylocker": (["env", "QCRYPTO_BACKENDS=keylocker", *command, *first], cargo),
    }


STEPS = {
    "format": (["cargo", "fmt", "--check"], one),
    "format-bench": (["cargo", "fmt", "--check", "--manifest-path", "bench/Cargo.toml"], one),
    "clippy": (["cargo", "clippy", "--locked", "--all-targets", "--all-features", "--", "-D", "warnings"], one),
    "clippy-bench": (
        ["cargo", "clippy", "--locked", "--manifest-path", "bench/Cargo.toml", "--all-targets", "--", "-D", "warnings"],
        one,
    ),
    "rustdoc": (["env", "RUSTDOCFLAGS=-D warnings", "cargo", "doc", "--locked", "--no-deps"], one),
    "rust": ([*CARGO_TEST, "--features", "test-hooks"], cargo),
    **library_steps(),
    **key_locker_steps(),
    "in-kernel": (["tools/test-in-kernel"], cargo),
    "in-bochs": (["tools/test-in-bochs"], cargo),
    "on-aarch64": (["tools/test-on-arch", "aarch64"], cargo),
    "rust-soft": (
        ["env", 'RUSTFLAGS=--cfg aes_backend="soft"', *CARGO_TEST, "--target-dir", "target/soft"],
        cargo,
    ),
    "soft": (["tools/check-soft"], one),
    "rust-bench": (["cargo", "test", "--locked", "--release", "--manifest-path", "bench/Cargo.toml"], cargo),
    "meson-setup": (["tools/setup-test-build", str(BUILD)], one),
    "meson": (meson_test(), meson),
    **level_steps(),
    "docs": (["tools/check-docs"], one),
}

# Those that run beside the others, one after another: an emulator keeps one core busy, and the linker the other. They
# build in directories of their own.
BESIDE = ["in-kernel", "in-bochs", "on-aarch64"]

PRINTING = threading.Lock()


def run(name, show):
    """Runs a step, giving its output to `show` line by line, and returns what it counts."""
    command, count = STEPS[name]
    show(f"=== {name}: {' '.join(command)}\n")
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=ROOT, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    lines = []
    for line in process.stdout:
        show(line)
        lines.append(line)
    tally = count(process.wait(), "".join(lines), show)
    show(f"=== {name}: {tally} in {time.monotonic() - start:.0f} s\n")
    return tally


def show_now(text):
    with PRINTING:
        print(text, end="", flush=True)


def run_beside(names, results):
    """Runs steps whose output is shown when each has ended."""
    for name in names:
        output = []
        results[name] = run(name, output.append)
        show_now("".join(output))


def main():
    names = sys.argv[1:] or list(STEPS)
    if names == ["--list"]:
        print("\n".join(STEPS))
        return 0
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        print(f"tools/test: no step named {', '.join(unknown)}; --list names them", file=sys.stderr)
        return 2

    # A step that could not be run to its end has failed.
    results = {name: Tally(failed=1) for name in names}
    beside = threading.Thread(target=run_beside, args=([name for name in names if name in BESIDE], results))
    beside.start()
    for name in names:
        if name not in BESIDE:
            results[name] = run(name, show_now)
    beside.join()

    total = Tally()
    for tally in results.values():
        total.add(tally)
    print("\n".join(["", *(f"{name:20} {tally}" for name, tally in results.items()), "", str(total)]))
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
