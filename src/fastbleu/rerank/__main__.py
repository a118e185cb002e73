"""Run the command ``fastbleu-rerank`` as ``python -m fastbleu.rerank``."""

from __future__ import annotations

import sys

from fastbleu.cli.rerank.rerank_command import main

if __name__ == "__main__":
    sys.exit(main())
