"""Run the command `fastbleu` for ``python -m fastbleu``."""

from __future__ import annotations

import sys

from fastbleu.cli.bleu.score_command import main

if __name__ == "__main__":
    sys.exit(main())
