"""Compare systems: count their outputs, test the pairs, and find the causes of differences."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime, timezone

from ..errors import ArgumentError, ArgumentValueError, Location, suggests_options, wrong_type
from ..inputs.reading import as_list, read
from ..metric import BLEU
from ..metric.chrf import CHRF
from ..options import CORRECTIONS, PAIRS, TESTS, check_choice, check_integer, check_number
from ..scoring.bootstrap import check_seed
from ..scoring.formula import Formula
from ..scoring.significance import approximate_randomization, paired_bootstrap
from ..system.version import __version__
from .breakdowns import by_frequency, by_label, by_length
from .comparison import Comparison
from .findings import find_all, unchecked
from .human import why_not
from .ngrams import NgramMatches, word_counts
from .outputs import check_labels, plain, read_outputs
from .pairs import detailed_pairs, most_different, ranked_systems, tested_pairs
from .power import enough_trials
from .results import OtherMetric, PairDetail, Segment, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..metric import AnySegments, AnyStreams
    from ..options import Correction, PairsToCompare, TestName
    from ..scoring.significance import SignificanceTest
    from .outputs import Outputs
    from .results import Breakdown


@suggests_options
def compare(
    systems: Mapping[str, AnySegments],
    references: AnyStreams,
    metric: BLEU | None = None,
    test: TestName = "randomization",
    trials: int | None = None,
    pairs: PairsToCompare = "all",
    correction: Correction = "holm",
    sources: Sequence[str] | None = None,
    documents: Sequence[Any] | None = None,
    domains: Sequence[Any] | None = None,
    languages: Sequence[Any] | None = None,
    seed: int | str | None = None,
    *,
    training: AnySegments | None = None,
    level: float = 0.05,
    resamples: int = 1000,
    segments: int = 100,
    ngrams: int = 10,
    also: Sequence[BLEU | CHRF] = (),
    title: str = "",
    test_set: str = "",
    language_pair: str = "",
    date: str | None = None,
    command: str = "",
) -> Comparison:
    """Compare systems: which is better, whether the difference is significant, and what causes it.

    Args:
        systems: A dictionary that maps the name of each system to its n >= 1 hypotheses, in any form that
            `BLEU.corpus_score` accepts. At least two systems.
        references: The references of the n segments, in any form that `BLEU.corpus_score` accepts, such as streams
            (`references[stream][segment]`) or token ids. Prepared references are not accepted.
        metric: The metric that tokenizes, counts and scores. None: `BLEU.for_language` of the target language if
            `language_pair` is given, else `BLEU()`.
        test: "randomization" (approximate randomization) or "bootstrap" (paired bootstrap).
        trials: The number of trials of the randomization test, at least 1, or the number of resamples of the bootstrap
            test, at least 2. If it is too small, no difference can be significant. None: 10 times the number of pairs
            divided by `level`, but at least 10,000 and at most 200,000.
        pairs: "all" tests every pair of systems; "baseline" tests the first system against each of the others.
        correction: The correction of p-values for the number of pairs: "none", "bonferroni", "holm" or
            "benjamini-hochberg".
        sources: The source text of each segment, which reports show beside the outputs.
        documents: The document of each segment, a name or number. With documents, the test exchanges or resamples whole
            documents, because the segments of a document are not independent.
        domains: The domain of each segment, a name or number.
        languages: The language of each segment, a name or number.
        seed: The seed of the random numbers, >= 0. "none": a random seed from the operating system. None: the
            environment variable SACREBLEU_SEED if it is set, else 12345.
        training: The segments of a training corpus, of the same kind as the hypotheses (text, tokens or ids). With it,
            the comparison has a breakdown by the frequency of words in this corpus.
        level: The significance level, above 0 and below 1: differences whose corrected p-value is at most this level
            are significant.
        resamples: The number of bootstrap resamples for the confidence intervals, at least 2. With `test="bootstrap"`,
            `trials` is used instead.
        segments: The number of segments to show in full, >= 0, for all pairs together. They are the segments with the
            largest differences between the segment scores of two systems.
        ngrams: The largest number of n-grams to list for each system of a pair, >= 0.
        also: Other metrics to score and test the systems with, such as `[CHRF()]`. Their results are in
            `Comparison.others`. chrF accepts only text.
        title: The title of the report.
        test_set: The name of the test set, for the report.
        language_pair: The source and target language, such as "en-de", for the report. If `metric` is None, the target
            language also determines the tokenizer.
        date: The date of the comparison, which the report shows unchanged. None: the date of the environment variable
            SOURCE_DATE_EPOCH if it is set, else today, as YYYY-MM-DD.
        command: The command line that creates the report, shown in the report.

    Returns:
        The comparison. `print` shows it as a text report; `to_json()` returns JSON, and `save_html(path)` writes an
        HTML page. Systems with equal output have a difference of 0 and p = 1.

    Raises:
        TypeError: An argument has the wrong type, or a segment is missing; the message says which.
        ValueError: Fewer than two systems, different numbers of segments, no reference, a value out of range, or,
            without a metric, an unknown language.

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
    check_choice("test", test, TESTS)
    check_choice("pairs", pairs, PAIRS)
    check_choice("correction", correction, CORRECTIONS)
    trials = None if trials is None else check_integer("trials", trials, 2 if test == "bootstrap" else 1)
    resamples = check_integer("resamples", resamples, 2)
    seed_text, _ = check_seed(seed)
    for i, other in enumerate(as_list(also, "also", "a sequence of metrics")):
        if not isinstance(other, (BLEU, CHRF)):
            raise wrong_type(Location("also")[i], "a BLEU or CHRF", other)
    segments, ngrams = check_integer("segments", segments, 0), check_integer("ngrams", ngrams, 0)
    level = check_number("level", level, lambda level: 0 < level < 1, "above 0 and below 1")
    origin = {
        "title": title,
        "test_set": test_set,
        "language_pair": language_pair,
        "date": _today() if date is None else date,
        "command": command,
    }
    for name, text in origin.items():
        if not isinstance(text, str):
            raise wrong_type(name, "a str", text)
    if metric is None:
        try:
            # A `language_pair` without a hyphen, such as "de", is the target language.
            target = language_pair.partition("-")[2] or language_pair
            metric = BLEU.for_language(target) if target else BLEU()
        except ArgumentError as error:
            raise error.renamed(code="language_pair") from None
    outputs = read_outputs(systems, references, metric)
    number = len(outputs.names)
    if trials is None:
        trials = enough_trials(number * (number - 1) // 2 if pairs == "all" else number - 1, level)
    labels = {
        "source": check_labels(sources, "sources", len(outputs), are_texts=True),
        "document": check_labels(documents, "documents", len(outputs)),
        "domain": check_labels(domains, "domains", len(outputs)),
        "language": check_labels(languages, "languages", len(outputs)),
    }
    settings = Settings(
        **{name: plain(text) for name, text in origin.items()},
        version=__version__,
        signature=str(metric.signature_for(outputs.num_references)),
        max_ngram_order=metric.max_ngram_order,
        test=test,
        trials=trials,
        resamples=trials if test == "bootstrap" else resamples,
        pairs=pairs,
        correction=correction,
        level=level,
        seed=seed_text if seed_text == "none" else int(seed_text),
        by_document=documents is not None,
        units=len(set(labels["document"] or range(len(outputs)))),
    )
    baseline = outputs.names[:1] if pairs == "baseline" else ()
    outputs.sort()
    # With `pairs="baseline"`, the tests take the first system as the baseline. Otherwise, pass the systems best first,
    # because each pair then has the better system first.
    order = tuple(dict.fromkeys((*baseline, *outputs.names)))
    statistics = dict(zip(outputs.names, outputs.statistics, strict=True))
    outcome = _test(metric, {name: statistics[name] for name in order}, settings, labels["document"])
    segment_scores = _segment_scores(metric, outputs.statistics)
    no_agreement = why_not(metric, outputs.num_references, outputs.is_text)
    tokenizer = metric.tokenizer.name
    tested = tested_pairs(outcome, outputs.names, segment_scores, settings, "" if no_agreement else tokenizer)
    matches = NgramMatches(outputs)
    detailed = detailed_pairs(tested, outputs.names, settings)
    index = outputs.names.index
    of_pairs = [(index(tested[k].system), index(tested[k].other)) for k in detailed]
    chosen = most_different(segment_scores, of_pairs, segments)
    shown = {
        i: Segment(
            i,
            tuple(segment_scores[:, i].tolist()),
            outputs,
            **{name: None if values is None else values[i] for name, values in labels.items()},
        )
        for i in sorted({i for lists in chosen for numbers in lists for i in numbers})
    }
    for k, of_pair, lists in zip(detailed, of_pairs, chosen, strict=True):
        better, worse = (tuple(shown[i] for i in numbers) for numbers in lists)
        tested[k] = replace(tested[k], detail=PairDetail(matches, *of_pair, ngrams, better, worse))
    ranked = ranked_systems(outputs, outcome, settings)
    return Comparison(
        systems=ranked,
        pairs=tuple(tested),
        breakdowns=tuple(_breakdowns(outputs, labels, matches, training)),
        findings=tuple(find_all(ranked, outputs, labels["source"])),
        segments=tuple(shown.values()),
        segment_scores=segment_scores,
        num_references=outputs.num_references,
        settings=settings,
        tokenizer=tokenizer,
        unchecked=unchecked(outputs, labels["source"]),
        no_agreement=no_agreement,
        others=tuple(_other_metric(outputs, order, other, settings, labels["document"]) for other in also),
    )


def _today() -> str:
    """Return today's date, or the date of SOURCE_DATE_EPOCH if the environment has it, as YYYY-MM-DD.

    Raises:
        ValueError: SOURCE_DATE_EPOCH is not a number of seconds.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        day = (
            datetime.now().astimezone() if epoch is None else datetime.fromtimestamp(int(epoch), timezone.utc)
        )
    except (ValueError, OverflowError, OSError):
        problem = f"is not given, and SOURCE_DATE_EPOCH is not a number of seconds: {epoch!r}"
        raise ArgumentValueError("date", problem, value=epoch) from None
    return f"{day:%Y-%m-%d}"


def _test(
    metric: BLEU | CHRF,
    statistics: Mapping[str, NDArray[int64]],
    settings: Settings,
    documents: tuple[str, ...] | None,
) -> tuple[SignificanceTest, SignificanceTest]:
    """Run the significance test and the paired bootstrap, whose resamples give the confidence intervals.

    Returns:
        The result of the test, and the result of the bootstrap. Both are the same object if the test is the bootstrap.
    """
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


def _breakdowns(
    outputs: Outputs,
    labels: Mapping[str, tuple[str, ...] | None],
    matches: NgramMatches,
    training: AnySegments | None,
) -> Iterator[Breakdown]:
    """Yield the breakdown by reference length, and the other breakdowns whose data was given."""
    import numpy as np

    statistics, score_rows = outputs.statistics, outputs.metric.formula.score_rows
    # The reference length of a segment may differ between systems, because by default it is the length of the reference
    # that is closest in length to the output. Take the lower median over systems.
    lengths = np.sort(statistics[:, :, 1], axis=0)[(len(statistics) - 1) // 2]
    yield by_length(statistics, lengths, score_rows)
    for kind in ("domain", "document", "language"):
        of_segments = labels[kind]
        if of_segments is not None:
            yield by_label(kind, of_segments, statistics, score_rows)
    if training is not None:
        corpus = outputs.all_tokens(read(training, "training"))
        yield by_frequency(outputs, matches, word_counts(corpus))


def _other_metric(
    outputs: Outputs,
    order: Sequence[str],
    metric: BLEU | CHRF,
    settings: Settings,
    documents: tuple[str, ...] | None,
) -> OtherMetric:
    """Score the systems and test their pairs with another metric; the systems remain sorted by BLEU."""
    import numpy as np

    references: Any = outputs.streams
    systems: Any = zip(outputs.names, outputs.systems, strict=True)
    statistics = {name: metric.statistics(segments, references) for name, segments in systems}
    outcome = _test(metric, {name: statistics[name] for name in order}, settings, documents)
    scores = np.stack([metric.formula.score_rows(rows) for rows in statistics.values()])
    intervals = {system.name: system for system in outcome[1].systems}
    return OtherMetric(
        name=metric.formula.name,
        signature=str(metric.signature_for(outputs.num_references)),
        systems=tuple(intervals[name] for name in outputs.names),
        pairs=tuple(tested_pairs(outcome, outputs.names, scores, settings, "")),
    )


def _segment_scores(metric: BLEU, statistics: NDArray[int64]) -> NDArray[float64]:
    """Score each segment of each system with effective order: float64 [systems, n]."""
    order, method, value, _, weights = metric.formula.options
    formula = Formula(order, method, value, True, weights)
    scores: NDArray[float64] = formula.score_rows(statistics.reshape(-1, statistics.shape[-1]))
    return scores.reshape(statistics.shape[:2])
