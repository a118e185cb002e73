"""Compute the sentence BLEU of every prefix of a hypothesis, for token-level rewards.

One pass over a hypothesis counts all its prefixes, so the work is linear in its length.
"""

from __future__ import annotations

from ..counting.corpus import read_corpus_per_segment
from ..counting.rows import row_width
from ..errors import ArgumentError, Location
from ..inputs.columns import IDS
from ..inputs.reading import as_sentence
from ..system.threads import for_each_chunk
from ._prefixes import score_prefixes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..counting.corpus import Corpus
    from ..counting.matcher import Matcher
    from .formula import Formula


def prefix_scores(corpus: Corpus, formula: Formula) -> NDArray[float64]:
    """Score every prefix of every hypothesis; see `BLEU.prefix_scores`.

    Args:
        corpus: n hypotheses and their references; several hypotheses may share references.
        formula: The formula, for the orders that the corpus counts.

    Returns:
        float64 [n, T], 0..100. For a matrix of ids T is its width, otherwise the length of the longest hypothesis.

    Example:
        >>> from fastbleu.counting.corpus import read_corpus
        >>> from fastbleu.counting.matcher import Matcher
        >>> from fastbleu.scoring.formula import Formula
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> corpus = read_corpus(Matcher(get_tokenizer("none"), max_ngram_order=1), ["a c b", "b"], [["a b", "b"]])
        >>> prefix_scores(corpus, Formula(1, "none", effective_order=True)).round(2).tolist()
        [[36.79, 50.0, 66.67], [100.0, 100.0, 100.0]]
    """
    import numpy as np

    counter, hypotheses = corpus.counter, corpus.hypotheses
    samples = corpus.group_size
    ids = hypotheses.data if hypotheses.kind == IDS else None
    width = ids.shape[1] if ids is not None and len(ids.shape) > 1 else None
    chunks: dict[int, tuple[NDArray[float64], NDArray[int64]]] = {}

    def score(columns: Any, start: int, stop: int) -> tuple[int, int, bytes, bytes]:
        references, ranges = corpus.references_of(columns, start, stop)
        scored = score_prefixes(
            counter, formula.compiled, columns[0], references, ranges, start // samples, samples
        )
        return start, stop, *scored

    def store(start: int, stop: int, scores: bytes, offsets: bytes) -> None:
        chunk = np.frombuffer(scores, dtype=np.float64), np.frombuffer(offsets, dtype=np.int64)
        if ids is None or width is None:
            chunks[start] = chunk
        else:
            token_counts = np.empty((stop - start, width), dtype=np.int64)
            ids.read(start, stop, is_reference=False, name=hypotheses.location, token_counts=token_counts)
            _spread(*chunk, token_counts.clip(0), matrix[start:stop])

    matrix = np.empty((len(corpus), width or 0))
    chunk_size = corpus.chunk_size(row_width(counter.order))
    for_each_chunk(corpus.reader(), score, store, 0, len(corpus), chunk_size, corpus.threads)
    if width is None:
        longest = max((int(np.diff(offsets).max()) - 1 for _, offsets in chunks.values()), default=0)
        matrix = np.empty((len(corpus), longest))
        for start, chunk in chunks.items():
            _spread(*chunk, np.arange(1, longest + 1), matrix[start : start + len(chunk[1]) - 1])
    return matrix


def _spread(
    scores: NDArray[float64], offsets: NDArray[int64], tokens: NDArray[int64], matrix: NDArray[float64]
) -> None:
    """Write the score of the tokens up to each position. Positions after the last token get the score of all tokens.

    Args:
        scores: For each hypothesis in turn, the scores of its prefixes of 0, 1, 2, ... tokens.
        offsets: The offsets of the scores of each hypothesis, int64 [n + 1].
        tokens: The number of tokens up to and including each position, [T] or [n, T].
        matrix: float64 [n, T] to write to.
    """
    import numpy as np

    numbers = offsets[:-1, None] + tokens
    np.minimum(numbers, offsets[1:, None] - 1, out=numbers)
    np.take(scores, numbers, out=matrix, mode="clip")


def sentence_prefix_scores(
    matcher: Matcher, formula: Formula, hypothesis: Any, references: Any
) -> NDArray[float64]:
    """Score every prefix of one hypothesis; see `BLEU.sentence_prefix_scores`.

    Returns:
        float64 [tokens], 0..100.
    """
    segment, segment_references = as_sentence(hypothesis, references)
    try:
        corpus = read_corpus_per_segment(matcher, [segment], [segment_references])
        scores: NDArray[float64] = prefix_scores(corpus, formula)[0]
    except ArgumentError as error:
        # Remove the index of the segment from the error, because the caller has passed a single segment.
        name = "hypothesis" if error.argument == "hypotheses" else error.argument
        raise error.at(Location(name, error.indices[1:])) from None
    return scores
