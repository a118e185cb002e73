"""How much is compared with each peer in a run; `tests/conftest.py` prints it at the end."""

import os
from collections import Counter

#: A factor for the number of random inputs: `FASTBLEU_SCALE=1000 pytest tests/parity tests/inputs/test_id_options.py`.
SCALE = int(os.environ.get("FASTBLEU_SCALE", "1"))

#: By the peer's name.
COMPARED: Counter[str] = Counter()


def compared(peer: str, number: int = 1) -> None:
    """Add a number of results that were compared with a peer's."""
    COMPARED[peer] += number
