"""Count statistics as sacreBLEU does, for the metrics of `compat.sacrebleu` and those of a patched sacreBLEU.

The metrics of the two packages have the same attributes and methods, which programs may change. If no method was
changed, a corpus is counted in one pass by the metric's matcher: `matcher_of` for BLEU, `chrf_matcher_of` in
`sacrebleu_chrf` for chrF. Otherwise the metric's methods count the segments one by one.

sacreBLEU zips hypotheses and streams of references. So it scores only as many segments as the shortest of them has, and
treats a str as a list of its characters. The functions of this module score the same segments, but warn about this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableSequence
from contextlib import suppress
from functools import lru_cache
from types import SimpleNamespace

from ..counting.corpus import read_corpus, rows_of
from ..counting.few_segments import count_single
from ..counting.matcher import Matcher, cached_matcher
from ..counting.references import References
from ..counting.row_sums import DIFFERING
from ..errors import ArgumentError, counted, describe, there_are, warn_of_call
from ..tokenizers.names import Tokenizer
from .formula import Formula
from .sacrebleu_log import log_as_sacrebleu
from .sacrebleu_messages import LOOKS_TOKENIZED, TOKENIZED_LOOKING
from .sacrebleu_tokenizers import MetricTokenizer, tokenized, unchanged_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, ClassVar, TypeVar

    from ..counting.corpus import Corpus
    from ..counting.row_sums import Totals

    Counted = TypeVar("Counted")

#: The methods that sacreBLEU's `BLEU` calls to compute a score from text. A program may have changed them.
#: Counting in one pass skips some of them, so it is allowed only if all are unchanged.
BLEU_METHODS = (
    "_aggregate_and_compute",
    "_cache_references",
    "_check_corpus_score_args",
    "_check_sentence_score_args",
    "_compute_score_from_stats",
    "_compute_segment_statistics",
    "_extract_corpus_statistics",
    "_extract_reference_info",
    "_get_closest_ref_len",
    "_preprocess_segment",
    "compute_bleu",
)


def is_plain(texts: Any) -> bool:
    """Return whether `texts` is a list that begins with a str, so that sacreBLEU's checks can be skipped."""
    return type(texts) is list and len(texts) > 0 and type(texts[0]) is str


def is_plain_corpus(hypotheses: Any, references: Any) -> bool:
    """Return whether hypotheses and streams are lists of equal length whose first texts are str.

    If so, sacreBLEU's checks can be skipped, because counting checks the other texts.
    """
    return (
        is_plain(hypotheses)
        and type(references) is list
        and len(references) > 0
        and all(type(stream) is list and len(stream) == len(hypotheses) for stream in references)
        and type(references[0][0]) is str
    )


def matcher_of(metric: Any) -> Matcher:
    """Return the matcher for the current attributes of a metric.

    Args:
        metric: An object with `tokenizer`, `lowercase` and `max_ngram_order`.

    Raises:
        ValueError: The order is below 1.
    """
    tokenizer, lowercase, order = metric.tokenizer, bool(metric.lowercase), metric.max_ngram_order
    kind: Any = type(tokenizer)
    if kind is MetricTokenizer:
        return cached_matcher(tokenizer.tokenizer, lowercase, order)
    unchanged = unchanged_tokenizer(kind)
    if unchanged is not None and unchanged.is_unchanged(tokenizer):
        return cached_matcher(unchanged.compiled, lowercase, order)
    named = kind.__qualname__
    return Matcher(Tokenizer(named, named, source=tokenizer, to_text=tokenizer), lowercase, order)


# --- Statistics of a corpus


def count(metric: Any, matcher: Matcher, hypotheses: Any, references: Any) -> list[int]:
    """Count a corpus, and store the number of references in the metric, for its signature.

    Args:
        metric: An object with sacreBLEU's attributes.
        matcher: The metric's matcher.
        hypotheses: The segments.
        references: Streams of references; None for the references cached in the metric, if `can_count` allows it.

    Returns:
        The sum of the rows, [columns].

    Raises:
        ArgumentError: The corpus is invalid or not supported here, so the metric's methods must count it.
        IndexError: There are no segments.
    """
    with suppress(ArgumentError):  # `_counted` raises the error again, unless it can truncate the corpus.
        single = count_single(matcher, hypotheses, references)
        if single is not None:
            metric.num_refs = single.num_references
            warn_of_tokenized(metric, single.tokenized)
            return single.row
    totals = _counted(metric, matcher, hypotheses, references, lambda corpus: (corpus.count(), None))[0]
    if not totals.num_references:
        raise IndexError(f"there is no segment to score: {len(hypotheses)} hypotheses")
    return totals.row


def count_rows(metric: Any, matcher: Matcher, hypotheses: Any, references: Any) -> list[list[int]]:
    """Return the row of each segment of a corpus, which may be empty. Arguments and errors are those of `count`."""

    def rows_and_totals(corpus: Corpus) -> tuple[Totals, Any]:
        import numpy as np

        rows = np.empty((len(corpus), matcher.counter.width), dtype=np.int64)
        return corpus.count(rows_of(rows)), rows

    rows: list[list[int]] = _counted(metric, matcher, hypotheses, references, rows_and_totals)[1].tolist()
    return rows


def can_count(metric: Any, references: Any) -> bool:
    """Return whether `references` are given, or the metric's cache has prepared references."""
    return references is not None or getattr(metric._ref_cache, "prepared", None) is not None


def count_sentence(metric: Any, matcher: Matcher, hypothesis: Any, references: Any) -> list[int]:
    """Return the row of one segment, and store the number of its references in the metric.

    Args:
        metric: An object with sacreBLEU's attributes.
        matcher: The metric's matcher.
        hypothesis: The segment.
        references: The references of the segment.

    Raises:
        ArgumentError: The segment is invalid or not supported here, so the metric's methods must count it.
    """
    row, _, metric.num_refs = matcher.count_one(hypothesis, references)
    return row


def formula_of(metric: Any) -> Formula | None:
    """Return the formula for the current attributes of a metric.

    Return None if the smoothing method needs its default value. This is an attribute of the metric's class, which a
    program may have changed.
    """
    if metric.smooth_value is None and metric.smooth_method not in ("exp", "none"):
        return None
    return cached_formula(
        metric.max_ngram_order, metric.smooth_method, metric.smooth_value, bool(metric.effective_order)
    )


#: A function that takes the arguments of `Formula`, and returns a new formula or one of the 64 most recently used ones.
cached_formula = lru_cache(64)(Formula)


def _counted(
    metric: Any,
    matcher: Matcher,
    hypotheses: Any,
    references: Any,
    count_corpus: Callable[[Corpus], tuple[Totals, Any]],
) -> tuple[Totals, Any]:
    """Count a corpus by the function `count_corpus`, and return its result. Other arguments are those of `count`.

    If `count_corpus` raises an ArgumentError and lengths differ, truncate the corpus, warn, and count again.

    Raises:
        ArgumentError: The corpus is invalid or not supported here, so the metric's methods must count it.
    """
    used = metric._ref_cache.prepared_for(matcher) if references is None else references
    try:
        totals, rows = count_corpus(read_corpus(matcher, hypotheses, used))
    except ArgumentError as error:
        totals, rows = count_corpus(read_corpus(matcher, *_truncated(hypotheses, used, error)))
        if not isinstance(used, References):
            # sacreBLEU determines the number of references per segment before it truncates the streams.
            totals.num_references = number_of_references(present_references(used))
    if references is not None:
        metric.num_refs = totals.num_references
    warn_of_tokenized(metric, totals.tokenized)
    return totals, rows


def warn_of_tokenized(metric: Any, number: int) -> None:
    """Log sacreBLEU's warning that hypotheses look tokenized, if at least 100 of them do.

    `number` is the number of hypotheses that end in " .".
    """
    if number >= TOKENIZED_LOOKING and not metric._force:
        for message in LOOKS_TOKENIZED:
            log_as_sacrebleu(message)


def _truncated(hypotheses: Any, references: Any, error: ArgumentError) -> tuple[Any, Any]:
    """Truncate a corpus of unequal lengths to the segments that sacreBLEU scores, and warn.

    Raises:
        ArgumentError: `error`, if there is nothing to truncate, or sacreBLEU would fail.
    """
    prepared = isinstance(references, References)
    streams: Any = [references] if prepared else references
    if not hasattr(streams, "__len__") or not all(
        hasattr(segments, "__len__") for segments in (hypotheses, *streams)
    ):
        raise error  # An iterator, which has no length, cannot be read a second time.
    scored = min(map(len, (hypotheses, *streams)))
    notes = []
    if isinstance(hypotheses, str):
        notes.append(f"hypotheses is a bare {describe(hypotheses)}, whose characters were scored as segments")
    bare = [s for s, stream in enumerate(streams) if isinstance(stream, str)]
    if bare:
        notes.append(
            f"references[{bare[0]}] is a bare {describe(references[bare[0]])}, whose characters were scored as "
            "references; a stream is a list, references[stream][segment]"
        )
    uneven = [s for s, stream in enumerate(streams) if len(stream) != len(hypotheses)]
    if uneven and prepared:
        notes.append(
            f"{there_are(len(hypotheses), 'hypothesis')} and references for {counted(len(references), 'segment')}"
        )
    elif uneven:
        notes.append(
            f"{there_are(len(hypotheses), 'hypothesis')}, but references[{uneven[0]}] has {len(streams[uneven[0]])}"
        )
        if len(streams) == len(hypotheses):
            notes.append("references look transposed, they are references[stream][segment]")
    if not notes or not scored:
        raise error
    if not prepared and not are_texts(present_references(streams)):
        raise error  # sacreBLEU also fails, because it tokenizes all references, even those that it does not score.
    part = "the first segment was" if scored == 1 else f"the first {scored} segments were"
    warn_of_call(f"{'; '.join(notes)}: as in sacreBLEU, only {part} scored")
    return list(hypotheses)[:scored], (
        references[:scored] if prepared else [list(stream)[:scored] for stream in streams]
    )


# --- Statistics of single lines and segments


def extract_all_word_ngrams(
    line: str, min_order: int, max_order: int
) -> tuple[Counter[tuple[str, ...]], int]:
    """Count the n-grams of a tokenized line.

    Args:
        line: Text in which white space separates the tokens.
        min_order: The smallest order of n-grams.
        max_order: The largest order of n-grams.

    Returns:
        The count of each n-gram, a tuple of tokens; and the number of tokens.

    Example:
        >>> extract_all_word_ngrams("a b a", 1, 2)
        (Counter({('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1}), 3)
    """
    tokens = line.split()
    orders = range(min_order, max_order + 1)
    ngrams = (tuple(tokens[i : i + n]) for n in orders for i in range(len(tokens) - n + 1))
    return Counter(ngrams), len(tokens)


def extract_reference_info(
    references: Sequence[str], max_ngram_order: int, extract: Callable[..., Any] = extract_all_word_ngrams
) -> dict[str, Any]:
    """Return the largest count of each n-gram in a single tokenized reference, and the lengths of the references.

    Example:
        >>> extract_reference_info(["a b", "a a a"], 1)
        {'ref_ngrams': Counter({('a',): 3, ('b',): 1}), 'ref_lens': [2, 3]}
    """
    ngrams: Counter[tuple[str, ...]] | None = None
    lengths = []
    for reference in references:
        counts, length = extract(reference, 1, max_ngram_order)
        lengths.append(length)
        ngrams = counts if ngrams is None else ngrams | counts
    return {"ref_ngrams": ngrams, "ref_lens": lengths}


class ReferenceCache(MutableSequence["dict[str, Any]"]):
    """The cache of references of a BLEU metric. As in sacreBLEU, it is a list of one dictionary per segment.

    First, the cache contains only prepared references. When a program accesses the list, the dictionaries are created,
    and `prepared` becomes None. From then on, scores are computed from the dictionaries, because the program may change
    them. The dictionaries are computed with the options that the metric had when it cached the references.

    Args:
        metric: The metric.
        lines: The references of each segment, without those that are None.
        is_peers: Whether the metric is an object of sacreBLEU itself, so that the cache must be pickled as a list.
    """

    #: The attributes of the metric that affect the dictionaries.
    OPTIONS: ClassVar[tuple[str, ...]] = ("tokenizer", "lowercase", "max_ngram_order")

    def __init__(self, metric: Any, lines: list[list[str]], is_peers: bool = False) -> None:
        self._metric = SimpleNamespace(**{name: getattr(metric, name) for name in self.OPTIONS})
        self._lines, self._is_peers = lines, is_peers
        self._made: list[dict[str, Any]] = []
        self.prepared: Any = self._prepare()

    @property
    def infos(self) -> list[dict[str, Any]]:
        """Return the dictionaries, which are created on first use."""
        if self.prepared is not None:
            self._made, self.prepared = list(self._infos()), None
        return self._made

    def __len__(self) -> int:
        return len(self._made if self.prepared is None else self._lines)

    def __getitem__(self, index: Any) -> Any:
        return self.infos[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.infos[index] = value

    def __delitem__(self, index: Any) -> None:
        del self.infos[index]

    def insert(self, index: int, value: dict[str, Any]) -> None:
        """Insert the dictionary of a segment before the segment `index`."""
        self.infos.insert(index, value)

    def __eq__(self, other: object) -> bool:
        return self.infos == (other.infos if isinstance(other, ReferenceCache) else other)

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __repr__(self) -> str:
        return repr(self.infos)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.prepared is None or self._is_peers or not self._is_picklable():
            return list, (self.infos,)
        return type(self), (self._metric, self._lines)

    def prepared_for(self, matcher: Matcher) -> Any:  # noqa: ARG002  # prepared references check it themselves
        """Return the prepared references for a matcher; None if a program has accessed the dictionaries."""
        return self.prepared

    def _prepare(self) -> Any:
        """Prepare the references for the metric's options."""
        matcher = matcher_of(self._metric)
        # Call a tokenizer of the user now, because the program may change it before the dictionaries are created.
        self._tokenizer = matcher.tokenizer
        self._tokenized = self._tokenize() if self._tokenizer.to_text is self._metric.tokenizer else None
        return matcher.prepare_segments(self._lines)

    def _is_picklable(self) -> bool:
        """Return whether the options can be pickled. If so, unpickling the cache prepares the references again."""
        return type(self._metric.tokenizer) is MetricTokenizer

    def _infos(self) -> Iterator[dict[str, Any]]:
        """Yield the dictionary of each segment."""
        for lines in self._tokenized or self._tokenize():
            yield extract_reference_info(lines, self._metric.max_ngram_order)

    def _tokenize(self) -> list[list[str]]:
        """Return the tokenized references of each segment."""
        lower: Any = str.lower if self._metric.lowercase else str
        return [[tokenized(self._tokenizer, lower(line).rstrip()) for line in lines] for lines in self._lines]


def cache_references(
    metric: Any, references: Any, is_peers: bool = False, kind: type[ReferenceCache] = ReferenceCache
) -> ReferenceCache | None:
    """Create the cache of references of a metric, and store the number of references in the metric.

    Args:
        metric: An object with sacreBLEU's attributes.
        references: Streams of references.
        is_peers: Whether the metric is an object of sacreBLEU itself.
        kind: The class of the cache.

    Returns:
        The cache. None if the metric's methods must create it, because a segment has no reference, a reference is not a
        str, or `references` or a stream is an iterator, which can be read only once.

    Raises:
        TypeError: `references` is not iterable.
    """
    if not all(hasattr(values, "__len__") for values in (references, *references)):
        return None
    lines = present_references(references)
    if not all(lines) or not are_texts(lines):
        return None
    cache = kind(metric, lines, is_peers)
    metric.num_refs = number_of_references(lines)
    return cache


def present_references(streams: Any) -> list[list[str]]:
    """Return the references of each segment, without those that are None."""
    return [[line for line in lines if line is not None] for lines in zip(*streams, strict=False)]


def are_texts(segments: list[list[Any]]) -> bool:
    """Return whether all references of all segments are of the type str."""
    return {type(line) for lines in segments for line in lines} <= {str}


def number_of_references(segments: list[list[str]]) -> int:
    """Return the number of references per segment; -1 if it differs between segments."""
    numbers = set(map(len, segments))
    return numbers.pop() if len(numbers) == 1 else DIFFERING
