"""The public names of the package: all of them can be imported, and the rarer ones cost nothing before."""

import inspect

import pytest

import fastbleu
from tests.support.processes import printed_by

MODULES = ("arrow", "compare", "compat", "patch", "rerank", "rewards")
LATER = (
    *MODULES,
    *("Accumulator", "Explanation", "PairDifference", "SignificanceTest", "SystemInterval"),
    *("approximate_randomization", "paired_bootstrap"),
)


def test_dir_and_a_star_show_what_is_public() -> None:
    assert dir(fastbleu) == sorted(fastbleu.__all__)
    assert not [name for name in fastbleu.__all__ if name.startswith("_") and name != "__version__"]
    program = "from fastbleu import *; print(sorted(name for name in globals() if name[:2] != '__'))"
    assert printed_by(program) == f"{sorted(name for name in fastbleu.__all__ if name != '__version__')}\n"
    with pytest.raises(AttributeError, match=r"^module 'fastbleu' has no attribute 'corpus_blue'$"):
        fastbleu.corpus_blue  # type: ignore[attr-defined]  # noqa: B018


def test_rarer_names_are_imported_when_they_are_asked_for() -> None:
    program = (
        "import sys, fastbleu\n"
        "later = ('accumulator', 'explain', 'arrow', 'pyarrow', 'compare', 'compat', 'patch', 'rerank', 'rewards', "
        "'scoring.significance', 'dataclasses')\n"
        "print([name for name in later if name in sys.modules or f'fastbleu.{name}' in sys.modules])\n"
        f"print([getattr(fastbleu, name).__name__ for name in {LATER!r}])"
    )
    names = [f"fastbleu.{name}" if name in MODULES else name for name in LATER]
    assert printed_by(program) == f"[]\n{names}\n"


def test_types_of_results() -> None:
    bleu = fastbleu.BLEU(effective_order=True)
    assert isinstance(bleu.accumulator(), fastbleu.Accumulator)
    assert isinstance(bleu.explain("a b", ["a b"]), fastbleu.Explanation)
    score = bleu.corpus_score(["a b"], [["a b"]])
    assert isinstance(score, fastbleu.BLEUScore)
    assert isinstance(score.signature, fastbleu.Signature)
    assert isinstance(fastbleu.rerank.mbr([["a", "b"]]), fastbleu.rerank.Selection)


@pytest.mark.parametrize(
    "before", ["", "import fastbleu.compare\n", "from fastbleu.compare import Comparison\n"]
)
def test_compare_can_be_called_whatever_was_imported_before(before: str) -> None:
    program = (
        f"import fastbleu\n{before}"
        "from fastbleu import compare\n"
        "from fastbleu.compare import compare as function\n"
        "calls = [compare, fastbleu.compare, fastbleu.compare.compare, function]\n"
        "print({repr(call({'a': ['x'], 'b': ['y']}, [['x']], trials=1)) for call in calls})"
    )
    assert printed_by(program) == """{"<Comparison of 2 systems, 1 segment: 'a' and 'b' tie>"}\n"""


def test_compare_shows_its_arguments() -> None:
    assert inspect.signature(fastbleu.compare) == inspect.signature(fastbleu.compare.compare)  # type: ignore[attr-defined]
    assert callable(fastbleu.compare)
