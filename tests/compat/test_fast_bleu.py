"""fast-bleu's classes: what they take, give and refuse; that the scores are right is in parity/test_fast_bleu.py."""

import pickle
from typing import Any

import pytest

from fastbleu.compat import fast_bleu
from tests.support import papineni

REFERENCES = [line.split() for line in papineni.GUIDE_REFERENCES]
HYPOTHESES = [line.split() for line in (papineni.GUIDE, papineni.HISTORY)]
WEIGHTS = {"bigram": (1 / 2.0, 1 / 2.0), "trigram": (1 / 3.0, 1 / 3.0, 1 / 3.0)}


def test_no_match_is_the_float_0() -> None:
    (score,) = fast_bleu.BLEU([["a"]]).get_score([["b"]])[4]
    assert (score, type(score)) == (0.0, float)
    assert fast_bleu.BLEU([["a"]]).get_score([[]]) == {4: [0.0]}
    assert fast_bleu.BLEU(REFERENCES, WEIGHTS).get_score([]) == {"bigram": [], "trigram": []}


def test_tokens_are_compared_as_text() -> None:
    bleu = fast_bleu.BLEU([[1, "2", None, (3,)]], {2: (0.5, 0.5)})
    assert bleu.get_score([["1", 2, "None", "(3,)"], ("1", 2.0)])[2][0] == 1.0
    assert fast_bleu.BLEU(["abc"], {2: (0.5, 0.5)}).get_score(["abc", list("abc")]) == {2: [1.0, 1.0]}


def test_lines_may_be_read_once_only() -> None:
    expected = fast_bleu.BLEU(REFERENCES).get_score(HYPOTHESES)
    bleu = fast_bleu.BLEU([iter(line) for line in REFERENCES])
    assert bleu.get_score([(token for token in line) for line in HYPOTHESES]) == expected
    texts = fast_bleu.SelfBLEU([iter(line) for line in REFERENCES])
    assert texts.get_score() == fast_bleu.SelfBLEU(REFERENCES).get_score()
    assert fast_bleu.BLEU([iter([1, 2])], {1: (1,)}).get_score([iter([1, 2])]) == {1: [1.0]}


def test_both_pickle() -> None:
    bleu = pickle.loads(pickle.dumps(fast_bleu.BLEU(REFERENCES, WEIGHTS)))
    assert bleu.get_score(HYPOTHESES) == fast_bleu.BLEU(REFERENCES, WEIGHTS).get_score(HYPOTHESES)
    texts = fast_bleu.SelfBLEU(REFERENCES, WEIGHTS)
    assert pickle.loads(pickle.dumps(texts)).get_score() == texts.get_score()


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (([],), ValueError, "lines_of_tokens must hold at least"),
        (("ab",), TypeError, "lines_of_tokens must be a sequence of segments, not a bare str"),
        (([["a"], None],), TypeError, r"lines_of_tokens\[1\] must be a sequence of tokens, not NoneType"),
        ((REFERENCES, {}), ValueError, "weights must hold at least one weighting"),
        ((REFERENCES, (0.5, 0.5)), TypeError, "weights must be a mapping of names to weights, not tuple"),
        ((REFERENCES, {2: (0.5, 0.6)}), ValueError, r"weights\[2\] must sum to 1, got \(0.5, 0.6\)"),
        ((REFERENCES, {2: 0.5}), ValueError, r"weights\[2\] must hold a weight for each order, got 0.5"),
        ((REFERENCES, {2: (0.5, float("nan"))}), ValueError, r"weights\[2\]\[1\] must be finite"),
        ((REFERENCES, WEIGHTS, 2), ValueError, "smoothing_func must be 0 or 1, got 2"),
    ],
)
@pytest.mark.parametrize("kind_of_bleu", [fast_bleu.BLEU, fast_bleu.SelfBLEU])
def test_bad_arguments(kind_of_bleu: Any, arguments: tuple[Any, ...], kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        kind_of_bleu(*arguments)


def test_bad_texts() -> None:
    with pytest.raises(ValueError, match="lines_of_tokens must hold at least two texts to compare, got 1"):
        fast_bleu.SelfBLEU([["a"]])
    bleu = fast_bleu.BLEU(REFERENCES)
    with pytest.raises(TypeError, match=r"hypotheses\[1\] must be a sequence of tokens, not int: 7"):
        bleu.get_score([["a"], 7])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="hypotheses must be a sequence of segments, not a generator"):
        bleu.get_score(line for line in REFERENCES)
