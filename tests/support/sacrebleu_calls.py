"""Random calls of sacreBLEU's metrics BLEU and CHRF, some with malformed arguments, and their outcomes."""

import copy
import json
import warnings
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

_WORDS = "the cat sat , on mat . a b-c 1.5 it's 你好 é “x” \u00a0 \u3000 <skipped> &amp; -\n \n U.S. 3-4"
WORDS = [*_WORDS.split(" "), "  ", "-\n", ""]
TOKENIZERS = ("13a", "intl", "zh", "char", "none", None)


def segment(random: Random) -> str:
    return " ".join(random.choices(WORDS, k=random.choice([0, 1, 2, 3, 5, 9])))


class Call(NamedTuple):
    """A metric's options and a call of one of its methods.

    Attributes:
        method: "corpus", "sentence", "statistics", "references" or "kept": the references given to the constructor.
        fits: Whether sacreBLEU scores all that it is given.
    """

    options: dict[str, Any]
    method: str
    hypotheses: Any
    references: Any
    n_bootstrap: int
    fits: bool


def options_of_bleu(random: Random) -> dict[str, Any]:
    return {
        "lowercase": random.random() < 0.3,
        "tokenize": random.choice(TOKENIZERS),
        "smooth_method": random.choice(("none", "floor", "add-k", "exp")),
        "smooth_value": random.choice([None, None, 0.5, 2]),
        "max_ngram_order": random.choice([1, 2, 4, 4, 5]),
        "effective_order": random.random() < 0.5,
    }


def options_of_chrf(random: Random) -> dict[str, Any]:
    return {
        "char_order": random.choice([6, 6, 2, 1, 9]),
        "word_order": random.choice([0, 2, 2, 1]),
        "beta": random.choice([2, 2, 1, 0, 3.5]),
        "lowercase": random.random() < 0.3,
        "whitespace": random.random() < 0.3,
        "eps_smoothing": random.random() < 0.3,
    }


def random_call(random: Random, options_of: Callable[[Random], dict[str, Any]] = options_of_bleu) -> Call:
    options = options_of(random)
    segments, streams = random.choice([1, 1, 2, 3, 6]), random.choice([1, 1, 2, 3])
    hypotheses: Any = [segment(random) for _ in range(segments)]
    references: Any = [
        [
            random.choice([each, segment(random), None if random.random() < 0.4 else each])
            for each in hypotheses
        ]
        for _ in range(streams)
    ]
    mutations: list[Callable[[], tuple[Any, Any]]] = [
        lambda: (hypotheses, [stream[: random.randint(0, segments)] for stream in references]),
        lambda: (hypotheses, [list(line) for line in zip(*references, strict=True)]),
        lambda: (hypotheses, ["".join(each or "" for each in stream) for stream in references]),
        lambda: (hypotheses[0], references),
        lambda: (hypotheses, [[*stream, segment(random)] for stream in references]),
        lambda: (hypotheses, references[0]),
        lambda: (hypotheses[: random.randint(0, segments)], references),
        lambda: (tuple(hypotheses), tuple(map(tuple, references))),
        lambda: (hypotheses, []),
        lambda: (hypotheses, [[None] * segments] * streams),
        lambda: (hypotheses, [5, *references[1:]]),
        lambda: ([None, *hypotheses[1:]], references),
        lambda: ([*hypotheses, 3], references),
    ]
    if random.random() < 0.4:
        hypotheses, references = random.choice(mutations)()
    method = random.choice(["corpus", "corpus", "sentence", "statistics", "references", "kept"])
    fits = not isinstance(hypotheses, str) and all(
        isinstance(stream, list | tuple) and len(stream) == len(hypotheses) for stream in references
    )
    if method == "sentence":
        hypotheses = hypotheses[0] if hypotheses else ""
        whole = all(isinstance(stream, list | tuple) and stream for stream in references)
        references = [stream[0] for stream in references] if whole else references
    return Call(options, method, hypotheses, references, random.choice([1, 1, 1, 1, 2, 30]), fits)


class Outcome(NamedTuple):
    """The outcome of a call: a result in a form that can be compared, or its failure; and how many warnings."""

    result: Any
    failed: bool
    warnings: int


def outcome(metric_class: Callable[..., Any], call: Call) -> Outcome:
    hypotheses, references = copy.deepcopy((call.hypotheses, call.references))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = _result(metric_class, call, hypotheses, references)
        except (TypeError, ValueError, IndexError, AttributeError, RuntimeError, ZeroDivisionError):
            return Outcome(None, True, len(caught))
    return Outcome(result, False, len(caught))


def _result(metric_class: Callable[..., Any], call: Call, hypotheses: Any, references: Any) -> Any:
    metric = metric_class(**call.options)
    found: Any
    if call.method == "sentence":
        found = _score(metric.sentence_score(hypotheses, references))
    elif call.method == "corpus":
        found = _score(metric.corpus_score(hypotheses, references, n_bootstrap=call.n_bootstrap))
    elif call.method == "statistics":
        rows = metric._extract_corpus_statistics(hypotheses, references)
        found = rows, _score(metric._aggregate_and_compute(rows)) if rows else None
    elif call.method == "references":
        cached = metric._cache_references(references)
        found = [
            (metric._preprocess_segment(each), info)
            for each, info in zip([""] if hypotheses is None else hypotheses, cached, strict=False)
        ]
        if all(info["ref_ngrams"] for _, info in found):
            return found, [metric._compute_segment_statistics(*each) for each in found], metric.num_refs
        return found, metric.num_refs
    else:
        metric = metric_class(**call.options, references=references)
        kept = _score(metric.corpus_score(hypotheses, None))
        metric.lowercase = not metric.lowercase
        found = kept, _score(metric.corpus_score(hypotheses, references))
    signature = metric.get_signature()
    return found, str(signature), signature.format(short=True), metric.num_refs


def _score(score: Any) -> tuple[str, ...]:
    forms = (str(score), score.format(width=4), score.format(score_only=True))
    return (json.dumps(vars(score)), *forms, score.format(signature="nrefs:1", is_json=True))
