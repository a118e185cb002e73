"""Scores: their numbers and their text; and signatures: their fields, the order of these and their short names."""

import copy
import pickle
import threading
from math import exp, inf
from random import Random

import pytest

from fastbleu import BLEU
from fastbleu.scoring._score import describe, make_sacrebleu_score
from fastbleu.scoring.formula import Formula, compute_bleu
from fastbleu.scoring.score import BLEUScore
from fastbleu.scoring.signature import SharedFields, Signature, Signer, bleu_fields
from fastbleu.system.version import __version__
from tests.support.oracle import fields


@pytest.fixture
def score() -> BLEUScore:
    return compute_bleu([4, 2, 1, 0], [5, 4, 3, 2], 5, 7, smooth_method="exp")


def test_sacrebleus_score_has_all_attributes_at_once(score: BLEUScore) -> None:
    class Peers:
        def __init__(self) -> None:
            self.name = "not called"

    Peers()  # from Python 3.13 on, the class knows the attributes of its objects
    found = score.score, score.counts, score.totals, score.precisions, score.bp
    made = make_sacrebleu_score(Peers, found, 5, 7)
    assert (made.name, made.score, made._verbose, made.ratio) == ("BLEU", score.score, score._verbose, 5 / 7)
    assert list(vars(made).items()) == list(vars(score).items())
    made.name = "other"
    assert vars(made)["name"] == "other"


def test_text(score: BLEUScore) -> None:
    assert (score.name, score.ratio, score.prec_str) == ("BLEU", 5 / 7, "80.0/50.0/33.3/25.0")
    assert vars(score)["counts"] == score.counts
    verbose = "80.0/50.0/33.3/25.0 (BP = 0.670 ratio = 0.714 hyp_len = 5 ref_len = 7)"
    assert str(score) == repr(score) == score.format() == f"BLEU = 28.64 {verbose}"
    assert score.format(width=0) == f"BLEU = 29 {verbose}"
    assert score.format(width=4, score_only=True) == "28.6419"
    assert score.format(signature="nrefs:1|eff:no") == f"BLEU|nrefs:1|eff:no = 28.64 {verbose}"
    score._mean, score._ci = 28.5, 1.25
    assert score.format(width=1) == f"BLEU = 28.6 (μ = 28.5 ± 1.2) {verbose}"
    assert score.format(score_only=True, is_json=True) == "28.64 (μ = 28.50 ± 1.25)"


@pytest.mark.parametrize("seed", range(4))
def test_numbers_are_rounded_as_format_does(seed: int) -> None:
    random = Random(seed)
    kinds = [
        lambda: random.randrange(4001) / 40,  # halves of tenths, exact and not
        lambda: (random.randrange(100_000) + 0.5) / 1000,
        lambda: 100 * random.randrange(100) / random.randrange(1, 100),
        lambda: 2.0 ** -random.randrange(1, 60),
        lambda: random.choice([0.0, -0.0, 1, True, 0.25, 99.95, 1e5, 1e22, -1.5, 5e-324, inf]),
    ]
    for _ in range(1000):
        precisions = [random.choice(kinds)() for _ in range(random.choice([0, 1, 4, 16, 17]))]
        bp, sys_len, ref_len = random.choice(kinds)(), random.randrange(100), random.choice([0, 7, 2**60])
        listed = "/".join(f"{each:.1f}" for each in precisions)
        ratio = sys_len / ref_len if ref_len else 0
        lengths = f"(BP = {bp:.3f} ratio = {ratio:.3f} hyp_len = {sys_len} ref_len = {ref_len})"
        assert describe(precisions, bp, sys_len, ref_len) == (listed, ratio, f"{listed} {lengths}")


FIELDS = bleu_fields(False, False, "13a", "exp", None)


def test_copies_are_equal(score: BLEUScore) -> None:
    score._mean, score._ci, score.signature = 28.5, 1.25, Signature(2, FIELDS)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(score, protocol))
        assert fields(again) == fields(score)
        assert (again._mean, again._ci, str(again.signature)) == (28.5, 1.25, str(score.signature))
    twin = copy.deepcopy(score)
    assert fields(twin) == fields(score)
    assert twin.counts is not score.counts


END, SHORT_END = f"version:2.6.0|fastbleu:{__version__}", f"v:2.6.0|fb:{__version__}"


def test_fields() -> None:
    signature = Signature(None, bleu_fields(True, True, "zh", "exp", None), 1000, "12345")
    long = "nrefs:var|bs:1000|seed:12345|case:lc|eff:yes|tok:zh|smooth:exp"
    assert str(signature) == repr(signature) == signature.format() == f"{long}|{END}"
    assert signature.format(short=True) == f"#:var|bs:1000|rs:12345|c:lc|e:yes|tok:zh|s:exp|{SHORT_END}"
    assert str(pickle.loads(pickle.dumps(signature))) == str(signature)
    with pytest.raises(ValueError, match="smooth_method 'floored' is unknown"):
        bleu_fields(False, False, "13a", "floored", None)


def test_update() -> None:
    signature = Signature(1, bleu_fields(False, False, "13a", "floor", 0.014))
    for name, value in {"test": "wmt21", "note": "0.50,0.50", "pretokenized": True}.items():
        signature.update(name, value)
    rest = "c:mixed|e:no|tok:13a|s:floor[0.01]|note:0.50,0.50|pretokenized:yes|"
    assert signature.format(short=True) == f"#:1|t:wmt21|{rest}{SHORT_END}"
    signature.update("version", None)
    assert str(signature).endswith(f"|pretokenized:yes|fastbleu:{__version__}")


def test_options_that_sacrebleu_lacks_are_in_the_signature_and_drop_the_version() -> None:
    bleu = BLEU(references=[["a"]], weights=(0.5, 0.5, 0, 0), reference_length="shortest")
    expected = (
        "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|reflen:shortest|weights:0.5/0.5/0.0/0.0|fastbleu:"
    )
    assert str(bleu.get_signature()).startswith(expected)
    assert "|s:exp|rl:shortest|w:0.5/" in bleu.get_signature().format(short=True)
    smoothed = str(BLEU(references=[["a"]], smooth_method="add-one").get_signature())
    assert smoothed.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-one|fastbleu:")


def test_the_latest_is_that_of_the_thread_or_else_of_any() -> None:
    signer = Signer(shared := SharedFields(FIELDS))
    seen = [signer.latest]
    score = Formula().score([4, 4, 4, 3, 2, 1, 4, 3, 2, 1])
    assert signer.sign(score, 3, 100, "7") is score
    assert str(score.signature) == f"nrefs:3|bs:100|seed:7|case:mixed|eff:no|tok:13a|smooth:exp|{END}"

    def elsewhere() -> None:
        seen.append(signer.latest)
        signer.sign(Formula().score([0] * 10), 1)
        seen.append(signer.latest)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [None, (shared, 3, 100, "7"), (shared, 1, None, None)]
    latest = signer.latest
    assert signer.sign(signer.sign(score, 1), 1) is score
    signer.sign(score, 3, 100, "7")
    assert latest == (shared, 3, 100, "7")
    assert str(latest[0].sign(*latest[1:])) == str(score.signature)


@pytest.mark.parametrize("asked", ["counts", "bp", "ratio", "ref_len", "_verbose", None])
def test_attributes_computed_later_are_of_the_original_row(asked: str | None) -> None:
    row = [3, 4, 2, 1, 0, 0, 3, 2, 1, 0]
    score = Formula().score(row)
    row[:] = [0] * 10
    score.totals = [7]
    copies = [score, copy.copy(score), pickle.loads(pickle.dumps(score))]
    for each in copies:
        if asked is not None:
            getattr(each, asked)
        assert (each.counts, each.totals, each.sys_len, each.ref_len) == ([2, 1, 0, 0], [7], 3, 4)
        assert each.bp == exp(-1 / 3)
        assert vars(each) == vars(score)
    with pytest.raises(AttributeError, match="'BLEUScore' object has no attribute 'none'"):
        score.none  # noqa: B018
