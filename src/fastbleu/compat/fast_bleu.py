"""fast-bleu's BLEU and Self-BLEU: `BLEU` and `SelfBLEU` of fast-bleu 0.0.90, in linear time.

One set of references serves all hypotheses; scores are 0..1, by NLTK's formula, for several weightings at once. Tokens
are compared as `str(token)`, as there, and a str in the place of a list of tokens is a list of its characters.

Where fast-bleu means to equal NLTK but does not, these scores are NLTK's (3.10.4), to the last bit:

- It holds weights as float32, so that its scores are a little off: 5e-8 where weights are not halves or quarters, and
  the last digit elsewhere.
- Without smoothing (`smoothing_func=0`) it gives 0 where an order has no match, NLTK about 1e-154 (and a warning,
  which is left out here).
- It ignores `auto_reweight`.
- Its SelfBLEU reads memory that is not its own where a text is shorter than an order, and takes a text that is half as
  long as any other for its own reference length.

It differs on purpose in this:

- Weights of one order are taken, too. Weights need not sum to 1 as exactly as 1e-15, but to 1e-9.
- No references, and a single text for SelfBLEU, are a ValueError; fast-bleu scores 0 against nothing.
- Lone surrogates are characters like all others; fast-bleu cannot encode them.
- A bad argument is a TypeError or a ValueError that names it, not an AssertionError.
"""

from __future__ import annotations

from math import fsum

from ..counting.matcher import Matcher
from ..errors import ArgumentValueError, Place, wrong_type, wrong_value
from ..inputs.columns import column_of
from ..inputs.ids import UnknownToken
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

#: fast-bleu's default weights.
_DEFAULT = {4: (0.25, 0.25, 0.25, 0.25)}

#: How far from 1 the sum of weights may be: rounding many weights does that much.
_TOLERANCE = 1e-9


class _Scorer:
    """A scorer with several weightings. Its subclasses keep of the texts what scoring needs."""

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
        self._keep(_as_texts(lines_of_tokens, "lines_of_tokens"))

    def _keep(self, texts: list[Any]) -> None:
        """Keep of the texts what scoring needs, so that the user may change them later."""
        raise NotImplementedError

    def _scores(self, rows: Iterable[list[int]]) -> dict[Hashable, list[float]]:
        """Return for each weighting the score of each row."""
        weightings = list(self._weightings.values())
        scores: list[list[float]] = []
        for row in rows:
            matches, candidates = corpus_counts(row, row[:1])
            found = score(matches, candidates, row[0], row[1], weightings, self._smooth, self._auto_reweight)
            scores.append(found if len(weightings) > 1 else [found])
        columns = [list(map(float, column)) for column in zip(*scores, strict=True)] or [
            [] for _ in weightings
        ]
        return dict(zip(self._weightings, columns, strict=True))


class BLEU(_Scorer):
    """BLEU of many hypotheses against one set of references.

    Args:
        lines_of_tokens: The references, at least one, each a sequence of tokens.
        weights: Weightings by any names; each a sequence of weights for the orders 1..N, which sum to 1.
        smoothing_func: 1: an order without a match counts 0.1 matches (NLTK's method 1). 0: no smoothing.
        auto_reweight: Spread the weights (0.25,) * 4 over as many orders as a hypothesis of fewer than 4 tokens has.
        verbose: Has no effect.

    Raises:
        TypeError: Something is not a sequence of tokens, or `weights` not a mapping to sequences of numbers.
        ValueError: There is no reference; there are no weights; weights do not sum to 1; another `smoothing_func`.

    Example:
        >>> references = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
        >>> bleu = BLEU(references, {"bigram": (0.5, 0.5), "trigram": (1 / 3, 1 / 3, 1 / 3)})
        >>> bleu.get_score(["a cat on the mat".split(), "dogs".split()])
        {'bigram': [0.8187307530779819, 0.0], 'trigram': [0.8187307530779819, 0.0]}
    """

    def _keep(self, texts: list[Any]) -> None:
        if not texts:
            raise ArgumentValueError("lines_of_tokens", "must hold at least one reference, but it is empty")
        self._references = column_of([list(text) for text in texts], "lines_of_tokens")

    def get_score(self, hypotheses: Iterable[Iterable[object]]) -> dict[Hashable, list[float]]:
        """Score hypotheses.

        Args:
            hypotheses: Any number of sequences of tokens.

        Returns:
            For each weighting the score of each hypothesis, 0..1.

        Raises:
            TypeError: Something is not a sequence of tokens.
        """
        segments = _as_texts(hypotheses, "hypotheses")
        if not segments:
            return self._scores(())
        rows = rows_against_set(self._matcher, column_of(segments, "hypotheses"), self._references)
        return self._scores(rows.tolist())


class SelfBLEU(_Scorer):
    """BLEU of each text of a set against all the others: how similar they are.

    Args:
        lines_of_tokens: The texts, at least two, each a sequence of tokens.
        weights: As for `BLEU`.
        smoothing_func: As for `BLEU`.
        auto_reweight: As for `BLEU`.
        verbose: Has no effect.

    Raises:
        TypeError, ValueError: As `BLEU`; a ValueError if there are fewer than two texts.

    Example:
        >>> texts = ["the cat is on the mat".split(), "there is a cat on the mat".split(), "a dog".split()]
        >>> SelfBLEU(texts, {2: (0.5, 0.5)}).get_score()
        {2: [0.4887164517296948, 0.5345224838248488, 0.030261889307125377]}
    """

    def _keep(self, texts: list[Any]) -> None:
        if len(texts) < 2:
            raise ValueError(f"lines_of_tokens must hold at least two texts to compare, got {len(texts)}")
        pool = one_pool(texts, "lines_of_tokens")
        self._rows = rows_against_others(self._matcher, pool, self._order).tolist()

    def get_score(self) -> dict[Hashable, list[float]]:
        """Score the texts.

        Returns:
            For each weighting the score of each text, 0..1.
        """
        return self._scores(self._rows)


def _checked(name: object, weights: Any) -> tuple[float, ...]:
    where = Place("weights", (name,))
    if not hasattr(weights, "__len__") or not len(weights):
        raise ArgumentValueError(where, f"must hold a weight for each order, got {weights!r}")
    checked = check_weights(weights, len(weights), where) or ()
    if abs(fsum(checked) - 1) > _TOLERANCE:
        raise ArgumentValueError(where, f"must sum to 1, got {weights!r}")
    return checked


def _as_texts(lines: Any, name: str) -> list[Any]:
    """Return sequences of tokens as lists of str."""
    texts = []
    for i, line in enumerate(as_list(lines, name)):
        if isinstance(line, (bytes, dict, set, frozenset)) or not hasattr(line, "__iter__"):
            raise wrong_type(Place(name)[i], "a sequence of tokens", line)
        tokens = line if isinstance(line, (list, tuple)) else list(line)
        texts.append(tokens if _is_all_str(tokens) else list(map(_as_str, tokens)))
    return texts


def _as_str(token: Any) -> Any:
    """Return the str of a token; an unknown token of `TokenIds`, which equals no other, as it is."""
    return token if isinstance(token, UnknownToken) else str(token)


def _is_all_str(tokens: list[Any] | tuple[Any, ...]) -> bool:
    """Return whether all tokens are str."""
    try:
        "".join(tokens)  # the quickest way to look at each
    except TypeError:
        return False
    return True
