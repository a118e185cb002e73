"""fast-bleu's `BLEU` and `SelfBLEU` (release 0.0.90), in linear time.

All hypotheses are scored against the same references. One call computes the scores (0..1) of several weightings, by
NLTK's formula. Tokens are compared as `str(token)`, and a str instead of a list of tokens is a list of its characters,
as in fast-bleu.

fast-bleu is meant to compute NLTK's scores. In the following cases it does not. This module always computes the scores
of NLTK 3.10.4, to the last bit:

- fast-bleu stores weights as float32, so its scores differ by up to 5e-8, or in the last digit if the weights are
  halves or quarters.
- Without smoothing (`smoothing_func=0`), an order without a match gives 0 in fast-bleu, and about 1e-154 in NLTK. NLTK
  also warns; this module does not.
- fast-bleu ignores `auto_reweight`.
- fast-bleu's SelfBLEU reads out of bounds if a text is shorter than an order. If all other texts are twice as
  long as a text, SelfBLEU uses the text's own length as its reference length.

Deliberate differences:

- Weights of a single order are accepted. The sum of the weights may differ from 1 by up to 1e-9; fast-bleu allows
  1e-15.
- An empty list of references, and a single text for SelfBLEU, raise a ValueError. fast-bleu scores 0 without
  references.
- Lone surrogates are ordinary characters; fast-bleu cannot encode them.
- A bad argument raises a TypeError or a ValueError that names it, not an AssertionError.
"""

from __future__ import annotations

from math import fsum

from ..counting.matcher import Matcher
from ..errors import ArgumentValueError, Location, wrong_type, wrong_value
from ..inputs._tokens import types_of
from ..inputs.columns import column_of
from ..inputs.large_integers import UnknownToken
from ..inputs.reading import as_list
from ..options import check_weights
from ..rerank.pool_sources import one_pool
from ..rerank.self_bleu import rows_against_others, rows_against_set
from ..scoring.nltk.nltk_formula import corpus_counts, score
from ..scoring.nltk.nltk_smoothing import method1, unsmoothed
from ..tokenizers.names import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from typing import Any

    Weights = Mapping[Any, Sequence[float]]

__all__ = ["BLEU", "SelfBLEU"]

#: fast-bleu's default `weights`: a single weighting, whose name is 4.
_DEFAULT = {4: (0.25, 0.25, 0.25, 0.25)}

#: The largest accepted difference between 1 and the sum of the weights, which are rounded numbers.
_TOLERANCE = 1e-9


class _Scorer:
    """Base class of `BLEU` and `SelfBLEU`, which checks the options and computes scores from n-gram counts."""

    def __init__(
        self,
        lines_of_tokens: Iterable[Iterable[object]],
        weights: Weights = _DEFAULT,
        smoothing_func: int = 1,
        auto_reweight: bool = False,
        verbose: bool = False,  # noqa: ARG002  # fast-bleu's signature
    ) -> None:
        if not hasattr(weights, "items"):
            raise wrong_type("weights", "a mapping of names to weights", weights)
        if isinstance(smoothing_func, bool) or smoothing_func not in (0, 1):
            raise wrong_value("smoothing_func", "0 or 1", smoothing_func)
        self._weightings = {name: _checked(name, given) for name, given in weights.items()}
        if not self._weightings:
            raise ValueError("weights must hold at least one weighting, but it is empty")
        self._order = max(map(len, self._weightings.values()))
        self._smooth = method1 if smoothing_func else unsmoothed
        self._auto_reweight = bool(auto_reweight)
        self._matcher = Matcher(get_tokenizer("none"), max_ngram_order=self._order)
        self._store(_as_texts(lines_of_tokens, "lines_of_tokens"))

    def _store(self, texts: list[Any]) -> None:
        """Store copies of the texts, or their counts, so that later changes of the user's lists have no effect."""
        raise NotImplementedError

    def _scores(self, rows: Iterable[list[int]]) -> dict[Hashable, list[float]]:
        """Return a dictionary from the names of the weightings to lists with one score per row of counts.

        Args:
            rows: The sufficient statistics of each text, [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N.
        """
        weightings = list(self._weightings.values())
        scores: list[list[float]] = []
        for row in rows:
            matches, candidates = corpus_counts(row, row[:1])
            row_scores = score(
                matches, candidates, row[0], row[1], weightings, self._smooth, self._auto_reweight
            )
            scores.append(row_scores if len(weightings) > 1 else [row_scores])
        columns = [list(map(float, column)) for column in zip(*scores, strict=True)] or [
            [] for _ in weightings
        ]
        return dict(zip(self._weightings, columns, strict=True))


class BLEU(_Scorer):
    """Compute the BLEU of many hypotheses against one set of references.

    Args:
        lines_of_tokens: The references, at least one, each a sequence of tokens.
        weights: A dictionary from names to weightings. A weighting is a sequence of weights for the orders 1..N, whose
            sum is 1.
        smoothing_func: 1 counts 0.1 matches for an order without a match (NLTK's method 1); 0 does not smooth.
        auto_reweight: If a hypothesis has n < 4 tokens, replace the weights (0.25,) * 4 by (1 / n,) * n.
        verbose: Ignored.

    Raises:
        TypeError: A reference is not a sequence of tokens, or `weights` is not a mapping to sequences of numbers.
        ValueError: There is no reference or no weighting, weights do not sum to 1, or `smoothing_func` is neither 0 nor
            1.

    Example:
        >>> references = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
        >>> bleu = BLEU(references, {"bigram": (0.5, 0.5), "trigram": (1 / 3, 1 / 3, 1 / 3)})
        >>> bleu.get_score(["a cat on the mat".split(), "dogs".split()])
        {'bigram': [0.8187307530779819, 0.0], 'trigram': [0.8187307530779819, 0.0]}
    """

    def _store(self, texts: list[Any]) -> None:
        if not texts:
            raise ArgumentValueError("lines_of_tokens", "must hold at least one reference, but it is empty")
        self._references = column_of([list(text) for text in texts], "lines_of_tokens")

    def get_score(self, hypotheses: Iterable[Iterable[object]]) -> dict[Hashable, list[float]]:
        """Score hypotheses against the references.

        Args:
            hypotheses: n >= 0 sequences of tokens.

        Returns:
            A dictionary from the names of the weightings to lists of n scores, 0..1.

        Raises:
            TypeError: A hypothesis is not a sequence of tokens.
        """
        segments = _as_texts(hypotheses, "hypotheses")
        if not segments:
            return self._scores(())
        rows = rows_against_set(self._matcher, column_of(segments, "hypotheses"), self._references)
        return self._scores(rows.tolist())


class SelfBLEU(_Scorer):
    """Compute the Self-BLEU of a set of texts: the BLEU of each text with all other texts as its references.

    Args:
        lines_of_tokens: n >= 2 texts, each a sequence of tokens.
        weights: As for `BLEU`.
        smoothing_func: As for `BLEU`.
        auto_reweight: As for `BLEU`.
        verbose: Ignored.

    Raises:
        TypeError: A text is not a sequence of tokens, or `weights` is not a mapping to sequences of numbers.
        ValueError: There are fewer than two texts, there is no weighting, weights do not sum to 1, or `smoothing_func`
            is neither 0 nor 1.

    Example:
        >>> texts = ["the cat is on the mat".split(), "there is a cat on the mat".split(), "a dog".split()]
        >>> SelfBLEU(texts, {2: (0.5, 0.5)}).get_score()
        {2: [0.4887164517296948, 0.5345224838248488, 0.030261889307125377]}
    """

    def _store(self, texts: list[Any]) -> None:
        if len(texts) < 2:
            raise ValueError(f"lines_of_tokens must hold at least two texts to compare, got {len(texts)}")
        pool = one_pool(texts, "lines_of_tokens")
        self._rows = rows_against_others(self._matcher, pool, self._order).tolist()

    def get_score(self) -> dict[Hashable, list[float]]:
        """Score each text against all other texts.

        Returns:
            A dictionary from the names of the weightings to lists of n scores, 0..1, one per text.
        """
        return self._scores(self._rows)


def _checked(name: object, weights: Any) -> tuple[float, ...]:
    """Check a weighting, and return it as a tuple of floats.

    Raises:
        TypeError: A weight is not a number.
        ValueError: There are no weights, a weight is negative or not finite, or the weights do not sum to 1.
    """
    where = Location("weights", (name,))
    if not hasattr(weights, "__len__") or not len(weights):
        raise ArgumentValueError(where, f"must hold a weight for each order, got {weights!r}")
    checked = check_weights(weights, len(weights), where) or ()
    if abs(fsum(checked) - 1) > _TOLERANCE:
        raise ArgumentValueError(where, f"must sum to 1, got {weights!r}")
    return checked


def _as_texts(lines: Any, name: str) -> list[Any]:
    """Return sequences of tokens as lists or tuples of str.

    Raises:
        TypeError: A line is not a sequence of tokens.
    """
    texts = []
    for i, line in enumerate(as_list(lines, name)):
        if isinstance(line, (bytes, dict, set, frozenset)) or not hasattr(line, "__iter__"):
            raise wrong_type(Location(name)[i], "a sequence of tokens", line)
        tokens = line if isinstance(line, (list, tuple)) else list(line)
        if not types_of(tokens) <= {str}:
            # An unknown token of TokenIds equals no other token, so it must not become a str.
            tokens = [token if isinstance(token, UnknownToken) else str(token) for token in tokens]
        texts.append(tokens)
    return texts
