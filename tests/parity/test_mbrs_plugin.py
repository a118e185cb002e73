"""The metrics of the plug-in beside those of mbrs 0.1.8: `mbrs-decode` writes the same output, byte for byte.

mbrs needs an environment of its own (the extra `mbrs`).
"""

import random
import warnings
from pathlib import Path
from typing import Any

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what it imports warns of its own age
    metrics = pytest.importorskip("mbrs.metrics", reason="mbrs is not installed", exc_type=ImportError)
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)

from fastbleu.compat.mbrs import plugin_directory
from tests.support.nbest_lists import POOLS, REFERENCES
from tests.support.processes import python

WORDS = ["the", "a", "cat", "dog", "sat", "lay", "on", "mat", "rug", ",", ".", "it", "rained", "snowed"]
WORDS += ["all", "day", "1,000", "U.S.", "naïve"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        "bleu --nbest 3",
        "bleu -r references --num_references 3",
        "bleu --decoder aggregate_mbr",
        "chrf --nbest 3",
        "chrf --metric.word_order 2 --metric.lowercase true -r references --num_references 3",
        "bleu --metric.tokenize char --metric.lowercase true --metric.num_workers 2 -r references --num_references 3",
        "bleu --metric.smooth_method add-k --metric.effective_order false --metric.max_ngram_order 3 --nbest 4",
    ],
)
def test_the_command_line(options: str, tmp_path: Path) -> None:
    generator = random.Random(12)
    for name, number in (("candidates", 5 * 4), ("references", 5 * 3)):
        texts = [" ".join(generator.choices(WORDS, k=generator.randint(1, 14))) for _ in range(number)]
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    outputs = []
    own, _, others = options.partition(" ")
    ours = {"bleu": "fastbleu", "chrf": "fastbleu_chrf"}[own]
    for metric in (own, f"{ours} --plugin_dir {plugin_directory()}"):
        arguments = f"candidates -n 4 --metric {metric} {others} --format json --quiet"
        program = "import sys; from mbrs.cli.decode import cli_main; sys.exit(cli_main())"
        done = python("-c", program, *arguments.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0]
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("name", "each"),
    [
        ("bleu", ({}, {"tokenize": "char", "lowercase": True}, {"effective_order": False, "force": True})),
        (
            "chrf",
            (
                {},
                {"word_order": 2, "beta": 3},
                {"whitespace": True, "eps_smoothing": True, "lowercase": True},
            ),
        ),
    ],
)
def test_the_metric(name: str, each: tuple[dict[str, Any], ...]) -> None:
    import fastbleu.compat.mbrs.metric  # registers them

    own: Any = metrics.get_metric(name)
    kind: Any = metrics.get_metric({"bleu": "fastbleu", "chrf": "fastbleu_chrf"}[name])
    assert kind.__module__ == fastbleu.compat.mbrs.metric.__name__
    for options in each:
        ours: Any = kind(kind.Config(num_workers=2, **options))
        theirs: Any = own(own.Config(num_workers=2, **options))
        for pool, reference in zip(POOLS, REFERENCES, strict=True):
            pairs = pool, [reference, *pool[1:]]
            assert torch.equal(ours.scores(*pairs), theirs.scores(*pairs))
            assert torch.equal(ours.pairwise_scores(*pairs), theirs.pairwise_scores(*pairs))
            assert torch.equal(ours.expected_scores(*pairs), theirs.expected_scores(*pairs))
            assert ours.score(pool[0], reference) == theirs.score(pool[0], reference)
            assert ours.corpus_score(pool[:1], [[reference]]) == theirs.corpus_score(pool[:1], [[reference]])
    if name == "chrf":
        with pytest.raises(ValueError, match=r"^cfg.fastchrf is not supported by fastbleu_chrf"):
            kind(kind.Config(fastchrf=True))
