"""What the test scripts share: results in the Test Anything Protocol, and running commands."""

import subprocess
import sys


class Tap:
    """Prints one line a test, numbered, and the plan at the end."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, name, complaints):
        """One test: it passes when nothing is complained of. A complaint is a text, or several."""
        self.count += 1
        if isinstance(complaints, str):
            complaints = [complaints] if complaints else []
        complaints = list(complaints)
        self.failed += bool(complaints)
        print(f"{'not ok' if complaints else 'ok'} {self.count} - {name}")
        for line in "\n".join(complaints).splitlines():
            self.comment("  " + line)
        sys.stdout.flush()

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}", flush=True)

    @staticmethod
    def comment(text):
        print(f"# {text}", flush=True)

    def finish(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)


def run(*command, **options):
    """Runs a command; its status and its output, stdout and stderr together, are in the result."""
    return subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
        **options,
    )


def output(*command, **options):
    """The output of a command that must succeed."""
    result = run(*command, **options)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {result.returncode}\n{result.stdout}")
    return result.stdout


def complaint(result, expected=0):
    """Nothing where a command ended with the expected status, else what it said."""
    if result.returncode == expected:
        return ""
    return f"{' '.join(result.args)}\nstatus {result.returncode}, not {expected}\n{result.stdout}"
