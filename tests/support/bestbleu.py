"""bestbleu.py, slow and obviously right: which candidate is written for each source, and the scores that decide.

Checked against https://github.com/browsermt/students, `train-student/data/bestbleu.py` at commit 18bb4fd, and for
`copyrate` against https://github.com/GreenNLP/firefox-translations-training, `pipeline/translate/bestbleu.py` at commit
f4633d0: 3,000 random lists over all options, output and scores the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from tests.support import oracle


def best(
    nbest: str, references: str, toolkit: str = "marian", debpe: bool = False, copyrate: bool = False
) -> tuple[list[str], list[list[float]]]:
    """The lines that are written, and the scores of the candidates of each."""
    pools: dict[int, list[str]] = {}
    for i, line in enumerate(lines_of(nbest)):
        if toolkit == "t2t":
            pools[i] = line.strip().split("\t")
        else:
            fields = line.rstrip().split(" ||| ")
            if len(fields) == 1:
                break  # the script has no reference for what is there, or it would have failed
            pools.setdefault(int(fields[0]), []).append(fields[1])
    chosen, scores = [], []
    for i, line in enumerate(lines_of(references)):
        pool, reference = pools[i], line.strip()
        if debpe:
            pool, reference = [undo(text) for text in pool], undo(reference)
        found = [bleu(text.split(), reference.split(), copyrate) for text in pool]
        chosen.append(pool[found.index(max(found))])
        scores.append(found)
    return chosen, scores


def lines_of(text: str) -> list[str]:
    """The lines of a file that was opened as text: carriage returns end lines, too."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


def undo(text: str) -> str:
    """Byte-pair encoding undone: two at signs vanish with all blanks after them, if there is one."""
    out = ""
    while "@@ " in text:
        front, _, text = text.partition("@@ ")
        out += front
        text = text.lstrip(" ")
    return out + text


def bleu(candidate: Sequence[str], reference: Sequence[str], copyrate: bool) -> float:
    """BLEU with 1 added to both counts of each order; 0 if an order has no n-gram."""
    return formula(oracle.statistics(candidate, [reference]), has_penalty=not copyrate)


def formula(row: Sequence[int], has_penalty: bool) -> float:
    """The score of a row."""
    order = len(row) // 2 - 1
    correct, totals = row[2 : 2 + order], row[2 + order :]
    if not all(totals):
        return 0.0
    logs = [1.0 / order * log((c + 1.0) / (t + 1.0)) for c, t in zip(correct, totals, strict=True)]
    # The built-in sum, as there: it is compensated from Python 3.12 on.
    score = exp(sum(logs))
    ratio = row[0] / row[1] if has_penalty else 2.0
    return score if ratio > 1 else score * exp(1 - 1.0 / ratio)
