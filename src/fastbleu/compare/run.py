"""Comparing systems: counting them, testing the pairs, and finding out where differences come from."""

from __future__ import annotations

from dataclasses import replace

from ..errors import Place, wrong_type
from ..inputs.reading import as_list
from ..metric import BLEU
from ..metric.chrf import CHRF
from ..options import (
    CORRECTIONS,
    PAIRS,
    TESTS,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)
from ..scoring.bootstrap import check_seed
from ..scoring.formula import Formula
from ..scoring.significance import approximate_randomization, paired_bootstrap
from ..system.progress import progress_bar
from .arguments import check_labels, check_sources, check_systems, check_training, read_outputs
from .breakdowns import by_frequency, by_label, by_length
from .comparison import Comparison
from .findings import find_all
from .human import why_not
from .ngrams import NgramMatches
from .pairs import detailed_pairs, most_different, ranked_systems, tested_pairs
from .power import enough_trials
from .results import OtherMetric, PairDetail, Segment, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..counting.references import References
    from ..metric import AnySegments, AnyStreams
    from ..options import Correction, PairsToCompare, TestName
    from ..scoring.significance import SignificanceTest
    from .outputs import Outputs


def compare(
    systems: Mapping[str, AnySegments],
    references: References | AnyStreams | None,
    metric: BLEU | None = None,
    test: TestName = "randomization",
    trials: int | None = None,
    pairs: PairsToCompare = "all",
    correction: Correction = "holm",
    sources: AnySegments | None = None,
    documents: Sequence[Any] | None = None,
    domains: Sequence[Any] | None = None,
    languages: Sequence[Any] | None = None,
    seed: int | str | None = None,
    *,
    training: AnySegments | Mapping[Any, int] | None = None,
    decode: Callable[[list[int]], str] | None = None,
    level: float = 0.05,
    resamples: int = 1000,
    segments: int = 100,
    ngrams: int = 10,
    progress: bool = False,
    also: Sequence[BLEU | CHRF] = (),
) -> Comparison:
    """Compare systems: which is better, whether that is certain, and where it comes from.

    Args:
        systems: At least two systems: by the name of each, n >= 1 hypotheses, as for `BLEU.corpus_score`.
        references: Their references: streams (`references[stream][segment]`), token ids, or prepared `References`; for
            references per segment, what `BLEU.prepare_segments` returns. None: those given to the metric.
        metric: How to tokenize, count and score; None: `BLEU()`.
        test: "randomization" (approximate randomization) or "bootstrap" (paired bootstrap).
        trials: How many trials the test makes, at least 1; of the bootstrap, resamples, at least 2. None: 10,000, or
            for many pairs and low levels 10 * pairs / level, up to 200,000: with too few nothing can be significant.
        pairs: "all", or "baseline": the first system against each of the others.
        correction: How p-values are corrected for the number of pairs: "none", "bonferroni", "holm" or
            "benjamini-hochberg".
        sources: The source of each segment, a str (or token ids, with `decode`), shown beside the outputs.
        documents: The document of each segment, a name or number. The test then exchanges whole documents, since the
            segments of a document are not independent.
        domains: The domain of each segment, a name or number.
        languages: The language of each segment, a name or number.
        seed: What the random numbers begin with, >= 0; "none" takes them from the system; None: the environment's
            SACREBLEU_SEED, 12345 without one.
        training: A corpus whose words were trained on: segments of the kind of the hypotheses, or how often each word
            stands there. Adds a breakdown by frequency.
        decode: What makes text of a list of token ids, so that ids can be read.
        level: Differences whose corrected p-value is at most this one are significant, above 0 and below 1.
        resamples: How many bootstrap resamples the intervals come from, at least 2. The bootstrap test takes its own.
        segments: How many of the segments that differ most to show in full, over all pairs, >= 0.
        ngrams: How many n-grams to list for each system of a pair, >= 0.
        progress: Whether to show a progress bar on standard error.
        also: Other metrics, which score and test the systems, too, such as `[CHRF()]`: their numbers stand beside those
            of BLEU (`Comparison.others`). Then references must be streams; chrF takes text alone.

    Returns:
        The comparison. Printed, it is a report; `to_markdown()`, `to_latex()`, `to_json()` and `save_html(path)` write
        it out for others. Equal systems have a difference of 0 and p = 1.

    Raises:
        TypeError: An argument has the wrong type, or a segment is missing; says which.
        ValueError: Fewer than two systems, another number of segments, no reference, or a value out of range.
        ImportError: `progress` is asked for, and tqdm is not installed.

    Example:
        >>> references = [["the cat sat on the mat today", "it rained all day long here"] * 10]
        >>> base = ["the cat sat on a mat today", "it rained all day in here"] * 10
        >>> new = ["the cat sat on the mat today", "it rained all day in here"] * 10
        >>> comparison = compare({"base": base, "new": new}, references, trials=1000)
        >>> comparison
        <Comparison of 2 systems, 20 segments: 'new' is best>
        >>> pair = comparison.pairs[0]
        >>> pair.system, pair.other, round(pair.difference, 2), pair.is_significant
        ('new', 'base', 29.35, True)

    The tests are those of `fastbleu.scoring.significance`; the n-grams and groups follow compare-mt (Neubig et al.
    2019, https://aclanthology.org/N19-4007).
    """
    metric = BLEU() if metric is None else metric
    check_choice("test", test, TESTS)
    check_choice("pairs", pairs, PAIRS)
    check_choice("correction", correction, CORRECTIONS)
    trials = None if trials is None else check_integer("trials", trials, 2 if test == "bootstrap" else 1)
    resamples = check_integer("resamples", resamples, 2)
    seed_text, _ = check_seed(seed)
    for i, other in enumerate(as_list(also, "also", "a sequence of metrics")):
        if not isinstance(other, (BLEU, CHRF)):
            raise wrong_type(Place("also")[i], "a BLEU or CHRF", other)
    segments, ngrams = check_integer("segments", segments, 0), check_integer("ngrams", ngrams, 0)
    level = check_number("level", level, lambda level: 0 < level < 1, "above 0 and below 1")
    number = len(check_systems(systems))
    if trials is None:
        trials = enough_trials(number * (number - 1) // 2 if pairs == "all" else number - 1, level)
    with progress_bar(number + 2, "step", check_flag("progress", progress), leave=False) as bar:
        texts = read_outputs(systems, references, metric, decode, bar.update)
        labels = {
            "source": check_sources(sources, len(texts), decode),
            "document": check_labels(documents, "documents", len(texts)),
            "domain": check_labels(domains, "domains", len(texts)),
            "language": check_labels(languages, "languages", len(texts)),
        }
        frequencies = check_training(training, texts)
        others = [(other, texts.counted_by(other)) for other in also]
        settings = Settings(
            signature=str(metric.signature_for(texts.num_references)),
            max_ngram_order=metric.max_ngram_order,
            test=test,
            trials=trials,
            resamples=trials if test == "bootstrap" else resamples,
            pairs=pairs,
            correction=correction,
            level=level,
            seed=seed_text if seed_text == "none" else int(seed_text),
            by_document=documents is not None,
            units=len(set(labels["document"] or range(len(texts)))),
        )
        statistics = dict(zip(texts.names, texts.statistics, strict=True))
        outcome = _test(metric, statistics, settings, labels["document"])
        bar.update(1)
        # From here on systems are in the order of their scores.
        texts.sort([system.score for system in outcome[0].systems])
        comparison = _put_together(texts, settings, labels, frequencies, outcome, (segments, ngrams))
        comparison.others = tuple(
            _other_metric(other, counted, texts, settings, labels["document"]) for other, counted in others
        )
        bar.update(1)
    return comparison


def _test(
    metric: BLEU | CHRF,
    statistics: Mapping[str, NDArray[int64]],
    settings: Settings,
    documents: tuple[str, ...] | None,
) -> tuple[SignificanceTest, SignificanceTest]:
    """The outcome of the test, and that of the bootstrap, whose intervals are of the same resamples for all systems."""
    options: dict[str, Any] = {
        "pairs": settings.pairs,
        "correction": settings.correction,
        "documents": documents,
        "seed": settings.seed,
    }
    resampled = paired_bootstrap(statistics, metric, settings.resamples, **options)
    if settings.test == "bootstrap":
        return resampled, resampled
    return approximate_randomization(statistics, metric, settings.trials, **options), resampled


def _put_together(
    texts: Outputs,
    settings: Settings,
    labels: dict[str, tuple[str, ...] | None],
    frequencies: Mapping[Any, int] | None,
    outcome: tuple[SignificanceTest, SignificanceTest],
    most: tuple[int, int],
) -> Comparison:
    """The comparison of systems that have been counted, tested and put in order; `most` segments and n-grams."""
    import numpy as np

    metric, statistics, score_rows = texts.metric, texts.statistics, texts.metric.formula.score_rows
    most_segments, most_ngrams = most
    matches = NgramMatches(texts)
    systems = ranked_systems(texts, outcome, settings)
    segment_scores = _segment_scores(metric, statistics)
    why = why_not(metric, texts.num_references, texts.is_text)
    pairs = tested_pairs(outcome, texts.names, segment_scores, settings, "" if why else metric.tokenizer.name)
    detailed = detailed_pairs(pairs, texts.names, settings)
    of_pairs = [(texts.names.index(pairs[k].system), texts.names.index(pairs[k].other)) for k in detailed]
    numbers, chosen = most_different(segment_scores, of_pairs, most_segments)
    for k, of_pair, (better, worse) in zip(detailed, of_pairs, chosen, strict=True):
        detail = PairDetail(matches, *of_pair, most_ngrams, tuple(better), tuple(worse))
        pairs[k] = replace(pairs[k], detail=detail)
    lengths = np.sort(statistics[:, :, 1], axis=0)[(len(systems) - 1) // 2]
    breakdowns = [by_length(statistics, lengths, score_rows)]
    for kind in ("domain", "document", "language"):
        of_segments = labels[kind]
        if of_segments is not None:
            breakdowns.append(by_label(kind, of_segments, statistics, score_rows))
    if frequencies is not None:
        breakdowns.append(by_frequency(texts, matches, frequencies))
    return Comparison(
        systems=systems,
        pairs=tuple(pairs),
        breakdowns=tuple(breakdowns),
        findings=tuple(find_all(systems, texts, labels["source"])),
        segments=tuple(
            Segment(
                i,
                tuple(segment_scores[:, i].tolist()),
                texts,
                **{name: None if values is None else values[i] for name, values in labels.items()},
            )
            for i in numbers
        ),
        segment_scores=segment_scores,
        statistics=statistics,
        reference_lengths=lengths,
        documents=labels["document"],
        domains=labels["domain"],
        languages=labels["language"],
        num_references=texts.num_references,
        settings=settings,
        tokenizer=metric.tokenizer.name,
        no_agreement=why,
    )


def _other_metric(
    metric: BLEU | CHRF,
    statistics: Mapping[str, NDArray[int64]],
    texts: Outputs,
    settings: Settings,
    documents: tuple[str, ...] | None,
) -> OtherMetric:
    """Test systems by another metric, of whose statistics each system has an array; they stay in their order."""
    import numpy as np

    outcome = _test(metric, statistics, settings, documents)
    scores = np.stack([metric.formula.score_rows(statistics[name]) for name in texts.names])
    intervals = {system.name: system for system in outcome[1].systems}
    return OtherMetric(
        name=metric.formula.name,
        signature=str(metric.signature_for(texts.num_references)),
        systems=tuple(intervals[name] for name in texts.names),
        pairs=tuple(tested_pairs(outcome, texts.names, scores, settings, "")),
    )


def _segment_scores(metric: BLEU, statistics: NDArray[int64]) -> NDArray[float64]:
    """The score of each segment of each system, with effective order: float64 [systems, n]."""
    order, method, value, _, weights = metric.formula.options
    formula = Formula(order, method, value, True, weights)
    scores: NDArray[float64] = formula.score_rows(statistics.reshape(-1, statistics.shape[-1]))
    return scores.reshape(statistics.shape[:2])
