"""The scripts' command lines: ``python -m fastbleu.compat.moses multi-bleu -lc ref < hyp``."""

from __future__ import annotations

import sys
from os import _exit

from fastbleu.compat.moses.commands import main

if __name__ == "__main__":
    status = main()
    sys.stderr.flush()
    # Standard output was flushed. To free all modules one by one takes longer than to score a small test set.
    _exit(status)
