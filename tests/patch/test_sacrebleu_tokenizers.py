"""sacreBLEU's tokenizers with and without the patch: the same text, from their own caches too."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")

from sacrebleu.metrics.bleu import BLEU

from fastbleu import patch

LINES = [
    "It cost 1. ",
    "a-\nb<skipped>c",
    "&amp;lt;1,5&quot;",
    " \u3000中文，1.5。 x\n",
    "tokens  already . ",
    "",
]
MARKS = "ab1 2.,-&\n\t'<>!{[~`%$+@中。，Ä١\u00a0\u3000\u2028\x1c€½\ud800\U0001f600"
PIECES = [*MARKS, "<skipped>", "&quot;", "&amp;lt;", "1-a"]


def new(name: str) -> Any:
    tokenizer: Any = BLEU(tokenize=name).tokenizer
    return type(tokenizer)()


def calls() -> tuple[int, int]:
    lines = [line for line in patch.report() if ".tokenizer_" in line.function]
    return sum(line.taken for line in lines), sum(line.left for line in lines)


@pytest.mark.parametrize("name", ["13a", "intl", "zh"])
def test_lines(name: str) -> None:
    random = Random(name)
    lines = LINES + [
        "".join(random.choices(PIECES, k=random.choice([1, 2, 3, 5, 9, 20]))) for _ in range(2000)
    ]
    without = list(map(new(name), lines))
    with patch.install("sacrebleu"):
        taken, left = calls()
        assert list(map(new(name), lines)) == without
        assert calls() == (taken + len(set(lines)), left)


def test_what_it_remembers() -> None:
    tokenizer = new("13a")
    assert tokenizer("a.b!") == "a . b !"
    with patch.install("sacrebleu"):
        taken, left = calls()
        assert tokenizer("a.b!") == "a . b !"
        assert calls() == (taken, left)


def test_what_is_left_alone() -> None:
    changed = new("13a")
    changed.other = None
    with patch.install("sacrebleu"):
        taken, left = calls()
        assert changed(LINES[0]) == "It cost 1 ."
        with pytest.raises(AttributeError):
            new("13a")(None)
        assert calls() == (taken, left + 2)
