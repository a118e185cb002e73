"""sacreBLEU's namespace: what is fastbleu's in it, what is handed on, and what becomes of misshapen input."""

import importlib
import pickle
from typing import Any

import pytest

import fastbleu.compat.sacrebleu as stand_in
from fastbleu.compat.sacrebleu import BLEU, CHRF, corpus_bleu, raw_corpus_bleu, sentence_bleu
from fastbleu.compat.sacrebleu.metrics.bleu import BLEUSignature
from fastbleu.scoring.sacrebleu_statistics import matcher_of
from tests.support.processes import printed_by

HYPOTHESES = ["the cat sat on the mat", "it rained all day"]
STREAMS = [["the cat is on the mat", "it rained all night"], ["a cat sat on the mat", "it poured"]]


def test_scores_and_signatures() -> None:
    bleu = BLEU()
    score = bleu.corpus_score(HYPOTHESES, STREAMS)
    assert str(score) == (
        "BLEU = 71.58 90.0/87.5/66.7/50.0 (BP = 1.000 ratio = 1.000 hyp_len = 10 ref_len = 10)"
    )
    assert str(bleu.get_signature()) == "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    assert score.format(signature=str(bleu.get_signature())).startswith("BLEU|nrefs:2|case:mixed|eff:no")
    assert sentence_bleu("the cat sat", ["the cat sat down"]).score == 71.65313105737896
    assert raw_corpus_bleu(["a b c d ."], [["a b c d !"]]).counts == [4, 3, 2, 1]
    assert corpus_bleu(HYPOTHESES, STREAMS, lowercase=True).score == score.score


def test_chrf() -> None:
    chrf = CHRF(word_order=2, references=STREAMS)
    assert str(chrf.corpus_score(HYPOTHESES, None)) == "chrF2++ = 76.76"
    assert str(chrf.get_signature()) == "nrefs:2|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0"
    assert chrf.get_signature().format(True) == "#:2|c:mixed|e:yes|nc:6|nw:2|s:no|v:2.6.0"
    again = pickle.loads(pickle.dumps(chrf))
    assert again.corpus_score(HYPOTHESES, None).score == chrf.corpus_score(HYPOTHESES, None).score
    of_first = again._ref_cache[0]["ref_ngrams"][0]
    assert (len(of_first), of_first[0]["t"], of_first[7]["is on"]) == (8, 4, 1)
    assert again.corpus_score(HYPOTHESES, None).score == chrf.corpus_score(HYPOTHESES, None).score
    # The cached references keep the case that they had.
    chrf.lowercase = True
    assert (
        chrf.corpus_score([HYPOTHESES[0].upper(), HYPOTHESES[1]], None).score
        == CHRF(word_order=2).corpus_score(HYPOTHESES, STREAMS).score
    )


def test_steps_of_chrf_that_are_replaced() -> None:
    chrf = CHRF(char_order=2)
    assert chrf.sentence_score("ab", ["abc"]).score == pytest.approx(63.63636363)
    chrf._get_match_statistics = lambda *_: [4, 4, 2]  # type: ignore[method-assign]
    assert chrf.sentence_score("ab", ["abc"]).score == chrf.corpus_score(["ab"], [["abc"]]).score == 50
    score = chrf.corpus_score(["ab", "c"], [["abc", "d"]], n_bootstrap=5)
    assert (score.mean, score.ci) == (50, 0)
    with pytest.raises(TypeError, match=r"^CHRF: hyps must be"):
        CHRF().corpus_score(3, [["a"]])


def test_attributes_may_be_changed_between_scores() -> None:
    bleu = BLEU()
    bleu.effective_order = True
    bleu.lowercase = True
    bleu.smooth_method = "add-k"
    bleu.smooth_value = 2
    bleu.max_ngram_order = 2
    assert bleu.sentence_score("A b", ["a B"]).score == 100.00000000000004
    assert str(bleu.get_signature()) == "nrefs:1|case:lc|eff:yes|tok:13a|smooth:add-k[2.00]|version:2.6.0"


def test_intervals_and_steps_that_are_replaced() -> None:
    streams = [stream * 10 for stream in STREAMS]
    bleu, upper = BLEU(), BLEU(effective_order=True)
    upper._preprocess_segment = str.upper  # type: ignore[assignment,method-assign]
    for metric in (bleu, upper):
        score = metric.corpus_score(HYPOTHESES * 10, streams, n_bootstrap=50)
        assert (round(score.mean, 2), round(score.ci, 2)) == (69.95, 6.62)
    assert "bs:50|seed:12345" in str(bleu.get_signature())
    assert upper.corpus_score(["a b c d"], [["A b C d"]]).counts == [4, 3, 2, 1]
    assert upper.sentence_score("a", ["A"]).score == 100.00000000000004
    for hypothesis, references in (3, ["a"]), ("a", "a"), ("a", [None]):
        with pytest.raises(TypeError):
            BLEU(effective_order=True).sentence_score(hypothesis, references)


def test_prepared_references() -> None:
    bleu = BLEU(references=STREAMS)
    assert bleu.num_refs == 2
    assert bleu.corpus_score(HYPOTHESES, None).score == BLEU().corpus_score(HYPOTHESES, STREAMS).score
    again = pickle.loads(pickle.dumps(bleu))
    assert again.corpus_score(HYPOTHESES, None).counts == [9, 7, 4, 2]
    assert [each["ref_lens"] for each in again._ref_cache] == [[6, 6], [4, 2]]
    assert again._ref_cache[1]["ref_lens"] == [4, 2]
    assert again.corpus_score(HYPOTHESES, None).counts == [9, 7, 4, 2]
    with pytest.raises(RuntimeError, match="No references"):
        BLEU().corpus_score(HYPOTHESES, None)
    with pytest.warns(UserWarning, match="there is 1 hypothesis and references for 2 segments"):
        assert bleu.corpus_score(HYPOTHESES[:1], None).counts[0] == 6


def test_unknown_options() -> None:
    with pytest.raises(AssertionError, match="unknown smooth_method 'expo'"):
        BLEU(smooth_method="expo")
    with pytest.raises(KeyError, match="unknown tokenize '14a'"):
        BLEU(tokenize="14a")
    with pytest.raises(AssertionError, match="unknown smooth_method 'x'"):
        BLEU.compute_bleu([1], [1], 1, 1, smooth_method="x", max_ngram_order=1)


def test_add_k_changes_the_lists_that_it_is_given() -> None:
    correct, total = [3, 1], [4, 3]
    nothing = BLEU.compute_bleu([], [], 4, 4, smooth_method="add-k")
    assert (nothing.counts, nothing.totals, nothing.precisions) == ([], [], [0.0] * 4)
    score = BLEU.compute_bleu(correct, total, 4, 4, smooth_method="add-k", smooth_value=1, max_ngram_order=2)
    assert score.counts is correct
    assert (correct, total) == ([3, 2], [4, 4])


def test_signature_of_attributes() -> None:
    with pytest.raises(ValueError, match="Number of references unknown"):
        BLEU().get_signature()
    bleu = BLEU()
    bleu.num_refs = 3
    signature = BLEUSignature(vars(bleu))
    signature.update("ar", 1000)
    assert signature.format(short=True) == "#:3|ar:1000|c:mixed|e:no|tok:13a|s:exp|v:2.6.0"


def test_a_tokenizer_of_ones_own() -> None:
    class Dashes:
        def signature(self) -> str:
            return "dashes"

        def __call__(self, line: str) -> str:
            return line.replace("-", " ")

    bleu = BLEU(max_ngram_order=1)
    bleu.tokenizer = Dashes()
    assert bleu.corpus_score(["a-b"], [["b-c"]]).counts == [1]
    assert matcher_of(bleu).tokenizer.compiled is None


@pytest.mark.parametrize(
    ("hypotheses", "references", "same_as", "message"),
    [
        (
            ["a b", "c d"],
            [["a b"], ["c d"]],
            (["a b"], [["a b"], ["c d"]]),
            r"there are 2 hypotheses, but references\[0\] has 1; references look transposed, .*only the first segment",
        ),
        (
            ["a b", "c d"],
            ["a b", "c d"],
            (["a b", "c d"], [["a", " "], ["c", " "]]),
            r"references\[0\] is a bare str: 'a b'.*only the first 2 segments",
        ),
        ("ab", [["a", "b"]], (["a", "b"], [["a", "b"]]), "hypotheses is a bare str: 'ab'"),
    ],
)
def test_what_does_not_fit_together_is_cut(
    hypotheses: Any, references: Any, same_as: tuple[Any, Any], message: str
) -> None:
    with pytest.warns(UserWarning, match=message) as caught:
        found = BLEU().corpus_score(hypotheses, references)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert vars(found) == vars(BLEU().corpus_score(*same_as))


def test_long_misshapen_corpora_take_linear_time() -> None:
    """With quadratic time this would take minutes."""
    texts: list[str | None] = ["a b", ""] * 1_000
    with pytest.warns(UserWarning, match="only the first 1999 segments were scored"):
        score = corpus_bleu(
            ["a b", ""] * 1_000, [[None if i == 1 else each for i, each in enumerate(texts)][:-1]]
        )
    assert (score.sys_len, score.ref_len) == (2_000, 1_999)


def test_a_segment_without_any_reference() -> None:
    with pytest.raises(TypeError, match="nothing but None for segment 1"):
        BLEU().corpus_score(["a", "b"], [["a", None]])
    # An empty hypothesis is dropped, and its reference has length -1.
    score = BLEU().corpus_score(["a", ""], [["a", None]])
    assert (score.sys_len, score.ref_len) == (1, 0)


@pytest.mark.slow
def test_without_sacrebleu() -> None:
    program = (
        "import sys; sys.modules['sacrebleu'] = None\n"
        "import fastbleu.compat.sacrebleu as s\n"
        "from fastbleu.compat.sacrebleu.metrics import BLEU, CHRF\n"
        "print(BLEU().corpus_score(['a b c d'], [['a b c d']]).score, s.__version__)\n"
        "print(CHRF(references=[['abcdefg']]).corpus_score(['abcdef'], None), s.sentence_chrf('ab', ['ab']))\n"
        "for name in 'TER', 'corpus_ter', 'DATASETS':\n"
        "    try: getattr(s, name)\n"
        "    except ImportError as error: print(error)\n"
        "try: import fastbleu.compat.sacrebleu.utils\n"
        "except ImportError as error: print(error)\n"
        "print(hasattr(s, 'other'))"
    )
    needed = "is part of sacreBLEU, which is not installed: pip install sacrebleu"
    assert printed_by(program).splitlines() == [
        "100.00000000000004 2.6.0",
        "chrF2 = 77.57 chrF2 = 100.00",
        f"sacrebleu.metrics.ter {needed}",
        f"sacrebleu.compat {needed}",
        f"sacrebleu.dataset {needed}",
        f"sacrebleu.utils {needed}",
        "False",
    ]


SUBMODULES = """
compat dataset metrics metrics.base metrics.bleu metrics.chrf metrics.helpers metrics.lib_ter metrics.ter sacrebleu
significance tokenizers tokenizers.tokenizer_13a tokenizers.tokenizer_base tokenizers.tokenizer_zh utils version
"""


def test_all_names_of_all_submodules() -> None:
    peer = pytest.importorskip("sacrebleu")
    for submodule in SUBMODULES.split():
        ours = importlib.import_module(f"fastbleu.compat.sacrebleu.{submodule}")
        theirs = importlib.import_module(f"sacrebleu.{submodule}")
        assert theirs.__spec__ is not None
        assert theirs.__spec__.name == f"sacrebleu.{submodule}"
        missing = [name for name in vars(theirs) if not name.startswith("__") and not hasattr(ours, name)]
        assert not missing, submodule
    assert not [name for name in peer.__all__ if not hasattr(stand_in, name)]
    assert set(peer.__all__) == set(stand_in.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'corpus_blue'"):
        stand_in.corpus_blue  # noqa: B018


@pytest.mark.slow
def test_several_threads_may_be_the_first_to_ask() -> None:
    pytest.importorskip("sacrebleu")
    program = """
import sys, threading, fastbleu.compat.sacrebleu
sys.modules["sacrebleu"] = fastbleu.compat.sacrebleu
import importlib, sacrebleu
found, start = [], threading.Barrier(6)
def ask(call):
    start.wait()
    found.append(call())
calls = [
    lambda: sacrebleu.corpus_chrf(["a"], [["a"]]).score,
    lambda: sacrebleu.corpus_ter(["a"], [["a"]]).score,
    lambda: len(importlib.import_module("sacrebleu.dataset").DATASETS),
    lambda: importlib.import_module("sacrebleu.significance").PairedTest,
    lambda: importlib.import_module("sacrebleu.metrics").METRICS,
    lambda: importlib.import_module("sacrebleu.metrics.base").Metric,
]
threads = [threading.Thread(target=ask, args=(call,), daemon=True) for call in calls]
for thread in threads: thread.start()
for thread in threads: thread.join(60)
print(len(found))
"""
    assert printed_by(program) == "6\n"


def test_a_check_of_sacrebleus_may_be_called() -> None:
    BLEU()._check_corpus_score_args(["a"], [["a"]])
    for hypotheses, references in (3, [["a"]]), (["a"], 3), (["a"], [[3]]), (["a", None], [["a"]]):
        with pytest.raises(TypeError, match=r"^BLEU: "):
            BLEU()._check_corpus_score_args(hypotheses, references)
    for hypothesis, refs in (3, ["a"]), ("a", "a"), ("a", [3]):
        with pytest.raises(TypeError, match=r"^BLEU: "):
            BLEU()._check_sentence_score_args(hypothesis, refs)


@pytest.mark.slow
def test_in_the_place_of_sacrebleu() -> None:
    pytest.importorskip("sacrebleu")
    program = """
import sys, fastbleu.compat.sacrebleu
sys.modules["sacrebleu"] = fastbleu.compat.sacrebleu
import sacrebleu, sacrebleu.metrics.chrf
from sacrebleu.metrics import BLEU, CHRF, METRICS
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import _get_tokenizer
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.significance import PairedTest
assert BLEU is fastbleu.compat.sacrebleu.BLEU is METRICS["BLEU"]
assert CHRF is fastbleu.compat.sacrebleu.CHRF is METRICS["CHRF"] is sacrebleu.metrics.chrf.CHRF
assert isinstance(BLEU(), Metric) and isinstance(CHRF(), Metric)
assert _get_tokenizer("13a") is Tokenizer13a
print(sacrebleu.corpus_bleu(["a b c d"], [["a b c d"]]).score, sacrebleu.corpus_chrf(["a"], [["a"]]).score)
systems = [("a", ["the cat sat on the mat"] * 20), ("b", ["the cat is on the mat"] * 20)]
references = [["the cat was on the mat"] * 20]
metrics = {"BLEU": BLEU(references=references), "CHRF": CHRF(references=references)}
signatures, scores = PairedTest(systems, metrics, None, "bs", n_samples=10)()
print(round(scores["BLEU"][0].score, 4), signatures["BLEU"])
"""
    assert printed_by(program).splitlines() == [
        "100.00000000000004 100.0",
        "17.9652 nrefs:1|bs:10|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0",
    ]
