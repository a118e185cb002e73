"""The scripts' command lines: ``python -m fastbleu.compat.moses multi-bleu -lc ref < hyp``."""

from __future__ import annotations

import sys

from fastbleu.compat.moses.commands import main

if __name__ == "__main__":
    sys.exit(main())
