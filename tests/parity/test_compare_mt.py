"""N-grams and word accuracies of comparisons against compare-mt 0.2.10, which they follow."""

from __future__ import annotations

import random
from typing import Any

import pytest

bucketers = pytest.importorskip("compare_mt.bucketers")
ngram_utils = pytest.importorskip("compare_mt.ngram_utils")
stat_utils = pytest.importorskip("compare_mt.stat_utils")

from fastbleu import BLEU
from fastbleu.compare import compare
from tests.support import compare_oracle as oracle


def check(systems: dict[str, list[str]], references: list[str], training: list[str], most: int) -> None:
    found = compare(
        systems, [references], BLEU(tokenize="none"), trials=1, training=training, ngrams=most, resamples=2
    )
    # As `corpus_utils.load_tokens` splits lines.
    split = {name: [line.strip().split(" ") for line in lines] for name, lines in systems.items()}
    expected = [line.strip().split(" ") for line in references]
    trained = [line.strip().split(" ") for line in training]
    for pair in found.pairs:
        (_, mine, _, _), (_, theirs, _, _) = (
            ngram_utils.compare_ngrams(expected, split[name], min_length=1, max_length=4)
            for name in (pair.system, pair.other)
        )
        scores = stat_utils.extract_salient_features(mine, theirs, alpha=1.0)
        assert pair.detail is not None
        for listed, is_mine in ((pair.detail.ngrams_system, True), (pair.detail.ngrams_other, False)):
            for each in listed:
                assert (each.system_count, each.other_count) == (mine[each.tokens], theirs[each.tokens])
                share = scores[each.tokens] if is_mine else 1 - scores[each.tokens]
                assert each.score == pytest.approx(share, abs=1e-15)
            ranked = sorted((score if is_mine else 1 - score for score in scores.values()), reverse=True)
            ranked = [score for score in ranked if score > 0.5 + 1e-12][:most]
            assert [each.score for each in listed] == pytest.approx(ranked, abs=1e-15)

    bucketer = bucketers.FreqWordBucketer(freq_data=trained)
    names = [system.name for system in found.systems]
    statistics, *_ = bucketer.calc_statistics(expected, [split[name] for name in names])
    (breakdown,) = (each for each in found.breakdowns if each.kind == "frequency")
    ours = {
        "0": "<1",
        "5 to 9": "[5,10)",
        "10 to 99": "[10,100)",
        "100 to 999": "[100,1000)",
        "1000 and more": ">=1000",
    }
    groups = [bucketer.bucket_strs.index(ours.get(group, group)) for group in breakdown.groups]
    for of_system, values in zip(statistics, breakdown.values.tolist(), strict=True):
        for group, size, value in zip(groups, breakdown.sizes, values, strict=True):
            _, wanted, _, _, _, fmeasure = of_system[group]
            assert size == wanted
            assert value == pytest.approx(100 * fmeasure, abs=1e-12)
    left = set(range(len(bucketer.bucket_strs))) - set(groups)
    assert all(of_system[group][1] == of_system[group][2] == 0 for of_system in statistics for group in left)


@pytest.mark.parametrize("seed", range(20))
def test_random_corpora(seed: int) -> None:
    generator = random.Random(seed)
    outputs, (references, training) = oracle.corpus(generator, 3, 20, 2, generator.choice((3, 12)))

    def filled(lines: list[Any]) -> list[str]:
        # compare-mt makes a token of an empty line.
        return [line or "a" for line in lines]

    systems = {f"s{k}": filled(output) for k, output in enumerate(outputs)}
    check(systems, filled(references), filled(training), generator.choice((1, 7, 10_000)))
