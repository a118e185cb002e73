"""``python -m fastbleu.search``: the command line of search."""

from __future__ import annotations

import sys

from fastbleu.cli.search.command import main

if __name__ == "__main__":
    sys.exit(main())
