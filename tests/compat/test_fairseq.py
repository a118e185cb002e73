"""`fastbleu.compat.fairseq`: the scorer of ids beside libbleu's rules, and the scorer of text beside sacreBLEU.

The oracle is libbleu's hash, trimming and counts once more, slowly. `fastbleu.compat.fairseq` was compared with libbleu
of https://github.com/facebookresearch/fairseq at commit 3d262bb, built with gcc for x86-64, on a million random pairs.
"""

from __future__ import annotations

import math
import pickle
import random
from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.compat.fairseq import (
    BleuConfig,
    BleuStat,
    EvaluationTokenizer,
    SacrebleuConfig,
    SacrebleuScorer,
    Scorer,
)
from fastbleu.compat.fairseq._ngram_matches import count_matches
from tests.support.processes import printed_by
from tests.support.refusals import argument_error

REF = [11, 12, 13, 14, 15, 2]
PRED = [11, 12, 13, 14, 16, 2, 1]


#: The fields of the library's structure.
FIELDS = ("reflen", "predlen", *(f"{name}{n}" for n in range(1, 5) for name in ("match", "count")))


def fnv(ids: Sequence[int]) -> int:
    value = 0xCBF29CE484222325
    for token in ids:
        for byte in (token & 0xFFFFFFFF).to_bytes(4, "little"):
            value ^= (byte - 256 if byte > 127 else byte) & 0xFFFFFFFFFFFFFFFF
            value = value * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def trimmed(ids: list[int], pad: int, eos: int) -> list[int]:
    while ids and ids[0] == pad:
        ids = ids[1:]
    while len(ids) > 1 and ids[-1] in (pad, eos):
        ids = ids[:-1]
    return ids


def counts(ref: list[int], pred: list[int], pad: int, eos: int, unk: int) -> dict[str, int]:
    """Return the counts that one pair adds."""
    ref = trimmed([-999 if token == unk else token for token in ref], pad, eos)
    pred = trimmed(pred, pad, eos)
    found = [len(ref), len(pred)]
    for n in range(1, 5):
        hashes = [Counter(fnv(ids[i : i + n]) for i in range(len(ids) - n + 1)) for ids in (ref, pred)]
        found += [(hashes[0] & hashes[1]).total(), max(0, len(pred) - n + 1)]
    return dict(zip(FIELDS, found, strict=True))


def counted(scorer: Scorer) -> dict[str, int]:
    return {name: getattr(scorer.stat, name) for name in FIELDS}


def test_what_libbleu_counted() -> None:
    """By libbleu of commit 3d262bb: unknown tokens, what is trimmed where, and bigrams that share a hash."""
    assert count_matches([128, 0], [126, 254], 2) == [0, 1]
    scorer = Scorer(BleuConfig(pad=1, eos=2, unk=3))
    scorer.add(REF, PRED)
    assert list(counted(scorer).values()) == [5, 5, 4, 5, 3, 4, 2, 3, 1, 2]
    scorer.add([1, 2, 2, 7, 3, 3, 8, 1, 2], [2, 7, 3, 3, 8, 2, 2])
    assert list(counted(scorer).values()) == [11, 10, 7, 10, 4, 8, 2, 6, 1, 4]
    scorer.add([2], [2])
    assert list(counted(scorer).values()) == [12, 11, 8, 11, 4, 8, 2, 6, 1, 4]


def random_ids(generator: random.Random) -> list[int]:
    ids = generator.choices(
        range(generator.choice([4, 6, 300, 2**31])), k=generator.choice([0, 1, 2, 3, 4, 5, 8, 20])
    )
    return (
        [1] * generator.choice([0, 0, 1, 2])
        + ids
        + generator.choices([1, 2], k=generator.choice([0, 0, 1, 3]))
    )


@pytest.mark.slow
def test_random_ids() -> None:
    generator = random.Random(1)
    for pad, eos, unk in [(1, 2, 3), (0, 1, 2), (3, 3, 3), (5, 4, 1)]:
        scorer, expected = Scorer(pad, eos, unk), dict.fromkeys(FIELDS, 0)
        for _ in range(500):
            ref = random_ids(generator)
            pred = list(ref) if generator.random() < 0.5 else random_ids(generator)
            if pred and generator.random() < 0.7:
                pred[generator.randrange(len(pred))] = generator.choice([5, 3, 2, 1, 7, -999, -(2**31)])
            scorer.add(ref, pred)
            for name, value in counts(ref, pred, pad, eos, unk).items():
                expected[name] += value
            assert counted(scorer) == expected
        check_formula(scorer)


def check_formula(scorer: Scorer) -> None:
    stat = scorer.stat
    pairs = [(getattr(stat, f"match{n}"), getattr(stat, f"count{n}")) for n in range(1, 5)]
    precisions = [match / count if count else 0 for match, count in pairs]
    assert scorer.precision() == precisions
    penalty = min(1, math.exp(1 - stat.reflen / stat.predlen))
    assert scorer.brevity() == penalty
    for order in (1, 2, 3, 4, 6):
        logs = sum(math.log(p) if p > 0 else -math.inf for p in precisions[:order])
        assert scorer.score(order) == penalty * math.exp(logs / order) * 100


def test_results() -> None:
    scorer = Scorer(BleuConfig())
    scorer.add(REF, PRED)
    check_formula(scorer)
    line = "BLEU4 = 66.87, 80.0/75.0/66.7/50.0 (BP=1.000, ratio=1.000, syslen=5, reflen=5)"
    assert scorer.result_string() == line
    assert scorer.result_string(2) == "BLEU2 = 77.46, 80.0/75.0 (BP=1.000, ratio=1.000, syslen=5, reflen=5)"
    assert type(scorer.brevity()) is int  # `min(1, 1.0)`, as there
    with argument_error(ValueError, "order"):
        scorer.result_string(5)
    assert not hasattr(scorer, "add_string")


def test_sentence_scores() -> None:
    """`fairseq-score --sentence-bleu`: 1 is added to both counts above order 1, and every sentence begins anew."""
    scorer = Scorer(1, 2, 3)
    stat = scorer.stat
    for _ in range(2):
        scorer.reset(one_init=True)
        assert list(counted(scorer).values()) == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
        scorer.add([4, 5, 6, 2], [4, 5, 7, 2])
        line = "BLEU4 = 68.66, 66.7/66.7/50.0/100.0 (BP=1.000, ratio=1.000, syslen=3, reflen=3)"
        assert scorer.result_string() == line
    scorer.reset()
    assert list(counted(scorer).values()) == [0] * 10
    assert scorer.stat is stat


def test_without_tokens() -> None:
    """libbleu does not return; here these have no tokens."""
    scorer = Scorer(1, 2, 3)
    scorer.add([4, 5, 2], [1, 1, 1])
    scorer.add([], [])
    assert list(counted(scorer).values()) == [2, 0] + [0] * 8
    for call in (scorer.score, scorer.brevity, scorer.result_string):
        with pytest.raises(ZeroDivisionError):
            call()
    scorer.add([1, 1], [4, 5])
    assert list(counted(scorer).values()) == [2, 2, 0, 2, 0, 1, 0, 0, 0, 0]
    assert scorer.score() == 0


def test_configurations() -> None:
    config = SimpleNamespace(pad=7, eos=8, unk=9)
    for scorer in (
        Scorer(BleuConfig(**vars(config))),
        Scorer(config),
        Scorer(7, 8, 9),
        Scorer(**vars(config)),
    ):
        assert (scorer.pad, scorer.eos, scorer.unk) == (7, 8, 9)
    assert vars(BleuConfig()) == {"_name": None, "pad": 1, "eos": 2, "unk": 3}
    with pytest.raises(TypeError, match="needs a BleuConfig"):
        Scorer(7)
    assert [name for name, *_ in BleuStat._fields_] == list(FIELDS)
    scorer.add(REF, PRED)
    assert counted(pickle.loads(pickle.dumps(scorer))) == counted(scorer)


def test_arrays_and_sequences() -> None:
    scorer = Scorer(1, 2, 3)
    scorer.add(REF, PRED)
    expected = counted(scorer)
    for convert in (tuple, lambda ids: np.array([ids], dtype=np.uint8), lambda ids: list(map(np.int32, ids))):
        scorer.reset()
        scorer.add(convert(REF), convert(PRED))
        assert counted(scorer) == expected
    with pytest.raises(ValueError, match="32 bits"):
        scorer.add([2**31], [4])


def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    scorer = Scorer(1, 2, 3)
    scorer.add(torch.IntTensor(REF), torch.IntTensor([PRED]))
    assert list(counted(scorer).values()) == [5, 5, 4, 5, 3, 4, 2, 3, 1, 2]
    with pytest.raises(TypeError, match=r"^ref must be a torch\.IntTensor"):
        scorer.add(torch.LongTensor(REF), torch.IntTensor(PRED))
    with pytest.raises(TypeError, match=r"^pred must be a torch\.IntTensor"):
        scorer.add(torch.IntTensor(REF), torch.FloatTensor(PRED))


@pytest.mark.parametrize(
    ("ref", "pred", "error", "place"),
    [
        ([4, -1], [4], ValueError, "ref[1]"),
        ("abc", [4], TypeError, "ref"),
        (["a"], [4], TypeError, "ref[0]"),
        ([4], [4, 1.5], TypeError, "pred[1]"),
        ([4], np.array([1.5]), TypeError, "pred"),
        ([4], None, TypeError, "pred"),
    ],
)
def test_refusals(ref: Any, pred: Any, error: type[Exception], place: str) -> None:
    scorer = Scorer(1, 2, 3)
    with argument_error(error, place):
        scorer.add(ref, pred)
    assert counted(scorer) == dict.fromkeys(FIELDS, 0)


@pytest.mark.slow
def test_torch_is_not_imported() -> None:
    program = "import sys, fastbleu.compat.fairseq; print('torch' in sys.modules, 'sacrebleu' in sys.modules)"
    assert printed_by(program) == "False False\n"


def test_text() -> None:
    scorer = SacrebleuScorer(SacrebleuConfig())
    assert (scorer.ref, scorer.pred) == ([], [])
    scorer.add_string("It rained all day, 1.5 inches.", "It rained all day: 1.5 inches.")
    scorer.add_string("Well-\nknown", "Wellknown ")
    assert scorer.ref == ["It rained all day , 1.5 inches .", "Wellknown"]
    expected = BLEU(tokenize="none").corpus_score(scorer.pred, [scorer.ref])
    assert scorer.score() == expected.score
    assert type(scorer.score()) is float
    assert scorer.result_string() == str(expected)
    for call in (scorer.score, scorer.result_string):
        with pytest.raises(NotImplementedError):
            call(order=3)


def test_tokenizer() -> None:
    assert EvaluationTokenizer("none", lowercase=True).tokenize("A  b\t") == "a  b\t"
    assert EvaluationTokenizer("char").tokenize("a b") == "a   b"
    assert EvaluationTokenizer("char", character_tokenization=True).tokenize("a b") == "a ▁ ▁ ▁ b"
    assert EvaluationTokenizer("intl").tokenize("It cost 1. ") == "It cost 1 ."
    assert EvaluationTokenizer("intl").tokenize("It cost 1.") == "It cost 1."
    without = EvaluationTokenizer("13a", punctuation_removal=True)
    assert without.tokenize("(Yes, 1.5 -- «no»!)") == "Yes 1.5 «no»"
    with argument_error(ValueError, "tokenizer_type"):
        EvaluationTokenizer("a/b.model")
    names = ("_name", "sacrebleu_tokenizer", "sacrebleu_lowercase", "sacrebleu_char_level")
    assert vars(SacrebleuConfig()) == dict(zip(names, (None, "13a", False, False), strict=True))
