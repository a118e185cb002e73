"""Score the two systems of this folder against its two references: `python examples/score.py`."""

from __future__ import annotations

from pathlib import Path

from fastbleu import BLEU

FOLDER = Path(__file__).resolve().parent


def lines(name: str) -> list[str]:
    """Return the segments of a file, one per line."""
    with open(FOLDER / name, encoding="utf-8", newline="\n") as file:
        return [line.removesuffix("\n") for line in file]


references = [lines("reference.A.de"), lines("reference.B.de")]
bleu = BLEU(references=references)
for system in ("alpha", "beta"):
    print(system, bleu.corpus_score(lines(f"system.{system}.de"), None))
print(bleu.get_signature())
