"""One door under Atheris, with libFuzzer's options: python -m tests.fuzz.target DOOR ...

`tools/fuzz.py` runs this on a build that tells libFuzzer which branches run.
"""

from __future__ import annotations

import logging
import shlex
import sys
import warnings

import atheris

from .doors import check_of


def main() -> None:
    door = sys.argv.pop(1)
    # libFuzzer starts itself once more, through the shell, to merge corpora.
    sys.argv[0] = shlex.join([sys.executable, "-m", "tests.fuzz.target", door])
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    # The Python half of the package tells which branches run, too.
    with atheris.instrument_imports(include=["fastbleu"], enable_loader_override=False):
        check = check_of(door)
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
