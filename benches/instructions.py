"""Count the instructions of each kernel, and hold them against the counts on record.

    python benches/instructions.py            # fails where a kernel takes over 3% more than on record
    python benches/instructions.py --update   # puts the counts of this machine on record

Seconds say how busy the machine was; instructions are the same on a busy one. They are counted by valgrind, whose own
CPU is the same everywhere (as long as the one below has AVX2), on one thread, without the making of the data. What the
compiler makes of a loop changes between its versions, so the record holds for one of them.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_suffix(".json")
TOLERANCE = 0.03


def output(*command: str) -> str:
    """Run a command and give what it prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def driver() -> str:
    """Build the driver and give its path."""
    build = ("cargo", "bench", "--no-default-features", "--bench", "instructions", "--no-run")
    messages = map(json.loads, output(*build, "--message-format=json").splitlines())
    return next(message["executable"] for message in messages if message.get("executable"))


def listed(program: str) -> tuple[dict[str, str], list[str]]:
    """Give what the counts hold for, and the kernels."""
    cpu, *kernels = output("valgrind", "--quiet", "--tool=none", program).splitlines()
    rustc = output("rustc", "--version").split()[1]
    return {"cpu": cpu, "rustc": rustc}, kernels


def count(program: str, kernel: str) -> int:
    """Count the instructions of one kernel."""
    options = ("--tool=callgrind", "--toggle-collect=*measured*", "--callgrind-out-file=/dev/null")
    done = subprocess.run(["valgrind", *options, program, kernel], capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def compare(counts: dict[str, int], known: dict[str, int]) -> bool:
    """Print each count beside the known one; say whether all kernels are on record and none takes more."""
    stands = counts.keys() == known.keys()
    for kernel in dict.fromkeys([*known, *counts]):
        now, then = counts.get(kernel), known.get(kernel)
        if now is None or then is None:
            print(f"{kernel:<34}{'on record only' if now is None else 'not on record':>14}")
            continue
        change = now / then - 1
        much = f", {then:,} on record" if abs(change) > TOLERANCE else ""
        print(f"{kernel:<34}{now:>14,}  {change:+.2%}{much}")
        stands &= change <= TOLERANCE
    return stands


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="put the counts of this machine on record")
    update = parser.parse_args().update
    if shutil.which("valgrind") is None:
        print("SKIPPED: valgrind is not installed, so no instructions were counted.")
        return
    program = driver()
    made_with, kernels = listed(program)
    counts = {kernel: count(program, kernel) for kernel in kernels}
    if update:
        RECORD.write_text(json.dumps({"made_with": made_with, "instructions": counts}, indent=2) + "\n")
    record = json.loads(RECORD.read_text())
    stands = compare(counts, record["instructions"])
    if made_with != record["made_with"]:
        print(f"SKIPPED: the record holds for {record['made_with']}, this is {made_with}.")
    elif not stands:
        sys.exit("Find out why; if it is meant to be, run `python benches/instructions.py --update`.")


if __name__ == "__main__":
    main()
