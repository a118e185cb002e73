"""fast-bleu's BLEU: its own numbers, which are not quite NLTK's, from fastbleu's counts.

`BLEU` of fast-bleu 0.0.90 holds weights as 32-bit floats, takes logarithms of `long double` and rounds each sum to a
double; so does this. An object that was made under the patch scores on after `uninstall`, with the same numbers.

Left to fast-bleu are

- references whose tokens hold a space: it joins n-grams by spaces and takes ("a b", "c") and ("a", "b c") for the same;
- tokens that hold NUL, where its strings end;
- no references, where it reads memory that is not its own;
- `verbose`;
- `auto_reweight` with weights that begin with 0.25, 0, 0, 0: it compares them with memory beyond the end of an array;
- int weights: it reads their bytes as floats.

`SelfBLEU` is left alone. It reads one element beyond the end of its array of reference lengths, so its result depends
on what memory holds there, and nothing equals it.
`fastbleu.compat.fast_bleu.SelfBLEU` is the one to use.
"""

from __future__ import annotations

from math import exp

from ..counting.corpus import Corpus
from ..counting.matcher import Matcher
from ..inputs.segments import Segments
from ..tokenizers.names import get_tokenizer
from .replacing import LEFT, Replacement, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

#: fast-bleu compares weights with these when it is to reweight them, and the last ones with what lies behind them.
_REWEIGHTED = [0.25, 0.0, 0.0, 0.0]

# Attributes of the peer's object, whose names are private to its class.
_KEYS, _WEIGHTS = "_BLEU__weight_keys", "_BLEU__weights"
_INSTANCE, _GET_SCORE = "_BLEU__instance", "_BLEU__get_score"


class _Kept:
    """What an object of fast-bleu scores with in the place of its library: references and options.

    Args:
        lines: The references, at least one.
        weights: Weightings.
        smooths: Whether an order without a match counts 0.1 matches.
    """

    def __init__(self, lines: list[list[str]], weights: list[list[float]], smooths: bool) -> None:
        self._order = max(map(len, weights))
        self._weights = weights
        self._smooths = smooths
        self._matcher = Matcher(get_tokenizer("none"), max_ngram_order=self._order)
        self._references = self._matcher.prepare_segments([lines])

    def __call__(self, _: object, hypotheses: list[list[bytes]]) -> list[list[float]]:
        """Score as the library's function is called, which is when the patch is not installed any more."""
        # The library's strings end at the first NUL.
        lines = [[token.partition(b"\0")[0].decode() for token in line] for line in hypotheses]
        return self.scores(lines)

    def scores(self, lines: list[list[str]]) -> list[list[float]]:
        """For each weighting the score of each hypothesis, 0..1."""
        if not lines:
            return [[] for _ in self._weights]
        import numpy as np

        references = self._references[[0] * len(lines)]
        corpus = Corpus(self._matcher, Segments(lines, "hypotheses"), references)
        rows = np.array([row for row, _ in corpus.rows()], np.int64)
        penalties = [_brevity_penalty(*lengths) for lengths in rows[:, :2].tolist()]
        matched = rows[:, 2].tolist()
        logarithms = self._logarithms(rows)
        found = []
        for weights in self._weights:
            sums = np.zeros(len(rows))
            for weight, logarithm in zip(weights, logarithms, strict=False):
                sums = (sums + np.longdouble(np.float32(weight)) * logarithm).astype(np.float64)
            found.append(
                [
                    penalty * exp(total) if matches else 0.0
                    for penalty, total, matches in zip(penalties, sums.tolist(), matched, strict=True)
                ]
            )
        return found

    def _logarithms(self, rows: NDArray[int64]) -> list[Any]:
        """Of the precision of each order, as `long double`."""
        import numpy as np

        found = []
        for n in range(self._order):
            correct, total = rows[:, 2 + n], np.maximum(1, rows[:, 2 + self._order + n])
            unmatched = correct == 0
            numerator = np.where(unmatched, 1, correct).astype(np.longdouble)
            denominator = np.where(unmatched, 10 * total, total).astype(np.longdouble)
            logarithm = np.log(numerator / denominator)
            if not self._smooths:
                logarithm[unmatched] = np.log(np.finfo(np.longdouble).tiny)
            found.append(logarithm)
        return found


def replacements_in(module: ModuleType) -> list[Replacement]:
    """The replacements in `fast_bleu.__python_wrapper__`."""
    kind = module.BLEU

    def make(
        scorer: Any, lines_of_tokens: Any, weights: Any, smoothing_func: Any, auto_reweight: Any, verbose: Any
    ) -> Any:
        weightings = [list(each) for each in weights.values()]
        if verbose or type(smoothing_func) is not int or smoothing_func not in (0, 1):
            return LEFT
        if not _are_weights(weightings) or not _are_lines(lines_of_tokens):
            return LEFT
        if auto_reweight and any(_REWEIGHTED[: len(each)] == each[:4] for each in weightings):
            return LEFT
        lines = _texts(lines_of_tokens)
        joined = "".join(map("".join, lines))
        if not lines or " " in joined or "\0" in joined:
            return LEFT
        joined.encode()  # lone surrogates are an error
        kept = _Kept(lines, weightings, bool(smoothing_func))
        # The object's other attributes are those of the library, which it does not need.
        vars(scorer).update({_KEYS: list(weights), _WEIGHTS: weightings, _INSTANCE: None, _GET_SCORE: kept})
        return None

    def get_score(scorer: Any, hypotheses: Any) -> Any:
        kept = vars(scorer).get(_GET_SCORE)
        if not isinstance(kept, _Kept) or not _are_lines(hypotheses):
            return LEFT
        lines = _texts(hypotheses)
        joined = "".join(map("".join, lines))
        joined.encode()
        if "\0" in joined:
            lines = [[token.partition("\0")[0] for token in line] for line in lines]
        return dict(zip(vars(scorer)[_KEYS], kept.scores(lines), strict=True))

    return [replace(kind.__init__, make), replace(kind.get_score, get_score)]


def _are_lines(lines: Any) -> bool:
    """Whether all can be read twice: by this, and by fast-bleu if the call is left to it."""
    return isinstance(lines, (list, tuple)) and all(isinstance(each, (list, tuple, str)) for each in lines)


def _texts(lines: Any) -> list[list[str]]:
    return [list(map(str, line)) for line in lines]


def _are_weights(weightings: list[list[Any]]) -> bool:
    """Whether fast-bleu takes these weightings: two floats or more each, of sum 1. Of an int it reads other memory."""
    return bool(weightings) and all(
        len(each) >= 2 and all(isinstance(weight, float) for weight in each) and abs(1.0 - sum(each)) < 1e-15
        for each in weightings
    )


def _brevity_penalty(length: int, closest: int) -> float:
    if length > closest:
        return 1.0
    return exp(1 - closest / length) if length else 0.0
