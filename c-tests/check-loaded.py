#!/usr/bin/env python3
"""Asks the loader which libqcrypto each test program gets: several have that name inside."""

import argparse
import re
from pathlib import Path

from tap import Tap, run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True, help="the one that programs should get")
    parser.add_argument("programs", nargs="+", type=Path)
    args = parser.parse_args()
    tap = Tap()
    for program in args.programs:
        loaded = re.findall(r"libqcrypto\.so\.0 => (.*) \(0x", run("ldd", program.resolve()).stdout)
        right = [Path(path).resolve() for path in loaded] == [args.library.resolve()]
        tap.check(program.name, "" if right else f"loads {loaded}")
    tap.finish()


if __name__ == "__main__":
    main()
