"""The script's command line: ``python -m fastbleu.compat.bestbleu -i nbest -r reference > best``."""

from __future__ import annotations

import sys

from fastbleu.compat.bestbleu.command import main

if __name__ == "__main__":
    sys.exit(main())
