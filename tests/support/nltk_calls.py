"""Random calls of NLTK's BLEU, GLEU and chrF, misshapen ones too, and what comes of them. Needs NLTK."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from random import Random
from typing import Any

from nltk.translate import chrf_score, gleu_score
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, modified_precision, sentence_bleu

METHODS = [None, *(getattr(SmoothingFunction(), f"method{i}") for i in range(8))]


def tokens(random: Random) -> Any:
    found = random.choices("abcde", k=random.choice([0, 1, 2, 3, 5, 8]))
    return random.choice([found, found, tuple(found), "".join(found)])


def random_call(random: Random) -> Callable[[], Any]:
    segments = random.choice([1, 1, 2, 4])
    hypotheses: Any = [tokens(random) for _ in range(segments)]
    references: Any = [[tokens(random) for _ in range(random.choice([0, 1, 2, 2]))] for _ in range(segments)]
    weights = random.choice(
        [(0.25,) * 4, (0.5, 0.5), (1,), [(1.0,), (0.5, 0.5)], (0.1, 0.3, 0.6), ()],
    )
    if random.random() < 0.1:
        references = references[0]
    if random.random() < 0.05:
        hypotheses = hypotheses[:-1]
    if random.random() < 0.05:
        references = [each[0] if each else "" for each in references]
    smoothing, reweigh = random.choice(METHODS), random.random() < 0.2
    kind = random.randrange(7)
    if kind == 0:
        return lambda: corpus_bleu(references, hypotheses, weights, smoothing, reweigh)
    if kind == 1:
        return lambda: sentence_bleu(references[0], hypotheses[0], weights, smoothing, auto_reweigh=reweigh)
    if kind == 2:
        n = random.randrange(0, 5)
        return lambda: modified_precision(references[0], hypotheses[0], n=n)
    if kind == 3:
        return lambda: gleu_score.corpus_gleu(references, hypotheses, max_len=random.choice([4, 2]))
    if kind == 4:
        return lambda: gleu_score.sentence_gleu(references[0], hypotheses[0])
    options = (
        random.choice([0, 1, 1, 2]),
        random.choice([1, 2, 6]),
        random.choice([3.0, 1, 0]),
        random.random() < 0.5,
    )
    if kind == 5:
        firsts = [each[0] if each else "a \x1c\u3000b" for each in references]
        return lambda: chrf_score.corpus_chrf(firsts, hypotheses, *options)
    return lambda: chrf_score.sentence_chrf(hypotheses[-1:], hypotheses[0], *options)


def outcome(call: Callable[[], Any], state: Any, random: Random) -> Any:
    random.setstate(state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = call()
        except Exception as error:  # noqa: BLE001  # whatever NLTK raises
            return type(error), str(error)
    return type(found), repr(found)
