"""Options: their checks, and their types as a type checker sees them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fastbleu import options
from fastbleu.errors import Location
from fastbleu.tokenizers.names import NAMES
from tests.support.processes import python

REPOSITORY = Path(__file__).parent.parent


@pytest.mark.parametrize(("value", "flag"), [(True, True), (0, False), (1, True), (None, False)])
def test_flags(value: Any, flag: bool) -> None:
    assert options.check_flag("force", value) is flag


def test_divisors_of_scales() -> None:
    assert (options.check_scale(100), options.check_scale(1)) == (1, 100)


@pytest.mark.parametrize(
    ("check", "arguments", "kind", "words"),
    [
        (options.check_flag, ("force", "yes"), TypeError, "force must be True or False, not str: 'yes'"),
        (options.check_flag, ("force", 2), TypeError, "force must be True or False, not int: 2"),
        (options.check_integer, ("size", True, 1), TypeError, "size must be an int, not bool: True"),
        (options.check_integer, ("size", 0, 1), ValueError, "size must be at least 1, got 0"),
        (options.check_integer, ("size", 9, 1, 8), ValueError, "size must be at most 8, got 9"),
        (options.check_scale, (10,), ValueError, "scale must be 100 or 1, got 10"),
        (options.check_scale, (True,), ValueError, "scale must be 100 or 1, got True"),
        (options.check_number, ("t", "1"), TypeError, "t must be a number, not str: '1'"),
        (options.check_number, ("t", 10**400), ValueError, "t must be a number that a float can hold, got"),
        (options.check_threads, (4097,), ValueError, "threads must be at most 4096, got 4097"),
        (options.check_order, ("n_gram", 0), ValueError, "n_gram must be at least 1, got 0"),
        (options.check_choice, ("level", "word", options.LEVELS), ValueError, "level must be one of"),
        (options.check_reference_length, (3,), TypeError, "reference_length must be a str, not int: 3"),
        (options.check_reference_length, ("longest",), ValueError, "reference_length must be one of"),
        (
            options.check_weights,
            ((1, -1), 2, Location("weights")["a"]),
            ValueError,
            "weights['a'][1] must be",
        ),
    ],
)
def test_checks(check: Any, arguments: tuple[Any, ...], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        check(*arguments)
    assert str(caught.value).startswith(words)


# What a type checker is to accept, a line for each name that an option has; then what it is to refuse.
ACCEPTED = [
    *(f"BLEU(smooth_method={name!r})" for name in options.SMOOTH_DEFAULTS),
    *(f"corpus_bleu(['a'], [['a']], smooth_method={name!r})" for name in options.SMOOTH_DEFAULTS),
    *(f"BLEU(reference_length={name!r})" for name in options.REFERENCE_LENGTHS),
    *(f"BLEU(tokenize={name!r})" for name in NAMES),
    *(f"tokenizer({name!r})" for name in NAMES),
    "BLEU(tokenize=Path('my.model'))",
    "BLEU(tokenize='my.model')",
    "BLEU(tokenize=str.split)",
    *(f"rerank.oracle([['a']], ['a'], {name!r})" for name in options.LEVELS),
    *(f"rerank.mbr([['a']], method={name!r})" for name in options.METHODS),
    *(f"rerank.expected([['a']], weights_as={name!r})" for name in options.WEIGHTS_AS),
    *(f"rerank.self_bleu(['a', 'b'], {name!r})" for name in options.FORMULAS),
    *(f"rerank.self_bleu(['a', 'b'], 'nltk', smoothing={name!r})" for name in options.NLTK_SMOOTHINGS),
    "found: fastbleu.Accumulator = BLEU().accumulator()",
    "why: fastbleu.Explanation = BLEU().explain('a', ['a'])",
    "signature: fastbleu.Signature | None = BLEU().corpus_score(['a'], [['a']]).signature",
    "best: rerank.Selection = fastbleu.rerank.mbr([['a']])",
    "reward = fastbleu.rewards.BLEUReward('zh', extract='answer', special_tokens='strip', errors='empty')",
    "one: float = fastbleu.rewards.BLEUReward(formula='nmt', eos_id=[2, 3]).score_one('a', ['a', 'b'])",
]
REFUSED = [
    "BLEU(smooth_method='expo')",
    "BLEU(reference_length='longest')",
    "BLEU(tokenize=3)",
    "corpus_bleu(['a'], [['a']], smooth_method='expo')",
    "sentence_bleu('a', ['a'], smooth_method='expo')",
    "tokenizer('14a')",
    "rerank.oracle([['a']], ['a'], 'word')",
    "rerank.mbr([['a']], method='approximate')",
    "rerank.mbr([['a']], weights_as='logits')",
    "rerank.expected([['a']], weights_as='logits')",
    "rerank.self_bleu(['a', 'b'], 'nist')",
    "rerank.self_bleu(['a', 'b'], 'nltk', smoothing='method8')",
    "fastbleu.rewards.BLEUReward(errors='ignore')",
    "fastbleu.rewards.BLEUReward(special_tokens=3)",
    "fastbleu.corpus_blue",
]
HEAD = """\
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import fastbleu
from fastbleu import BLEU, corpus_bleu, rerank, sentence_bleu

if TYPE_CHECKING:
    from fastbleu.options import TokenizerName


def tokenizer(name: TokenizerName) -> None: ...


"""


@pytest.mark.slow
def test_types_of_options(tmp_path: Path) -> None:
    """mypy takes every name that an option has, and no other."""
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(HEAD + "\n".join(ACCEPTED + REFUSED) + "\n", encoding="utf-8")
    outcome = python("-m", "mypy", "--strict", f"--cache-dir={tmp_path}", program, cwd=REPOSITORY / "src")
    first = HEAD.count("\n") + 1
    lines = {int(line.split(":")[1]) - first for line in outcome.stdout.splitlines() if ": error:" in line}
    found = [(ACCEPTED + REFUSED)[line] for line in sorted(lines)]
    assert found == REFUSED, outcome.stdout
