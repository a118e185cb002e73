"""Replace fast-bleu's BLEU. The scores are those of fast-bleu 0.0.90, which differ slightly from NLTK's.

Like fast-bleu, this module rounds weights to 32-bit floats, computes logarithms in `long double`, and rounds each sum
to a double. An object that was created under the patch computes the same scores after `uninstall`.

The original code runs in the following cases:

- A token of a reference contains a space. fast-bleu joins the tokens of n-grams by spaces, so ("a b", "c") equals
  ("a", "b c").
- A token contains NUL, which ends a C string.
- The list of references is empty. fast-bleu then reads out of bounds.
- `verbose` is set.
- `auto_reweight` is set, and weights begin with 0.25, 0, 0, 0. fast-bleu compares such weights with memory beyond the
  end of an array.
- A weight is an int, whose bytes fast-bleu reads as a float.

`SelfBLEU` is not replaced. It reads beyond the end of its array of reference lengths, so its result depends on
unrelated memory and cannot be reproduced. Use `fastbleu.compat.fast_bleu.SelfBLEU` instead.
"""

from __future__ import annotations

from math import exp

from ..counting.matcher import Matcher
from ..inputs.columns import column_of
from ..rerank.self_bleu import rows_against_set
from ..scoring.formula import brevity_penalty
from ..system.watched_names import reads_of
from ..tokenizers.names import get_tokenizer
from ._calls import RUN_ORIGINAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs

#: fast-bleu compares weights with these four numbers to decide whether to reweight, even if there are fewer weights.
_REWEIGHTED = [0.25, 0.0, 0.0, 0.0]

# The names of private attributes of a `fast_bleu.BLEU` object.
_KEYS, _WEIGHTS = "_BLEU__weight_keys", "_BLEU__weights"
_INSTANCE, _GET_SCORE = "_BLEU__instance", "_BLEU__get_score"


class _ScoreFunction:
    """The score function of a fast-bleu object, with its references and options. It replaces a C function.

    Args:
        lines: The references, at least one.
        weights: The weightings, each a list of weights for the orders 1..N.
        smooths: Whether an order without a match counts 0.1 matches.
    """

    def __init__(self, lines: list[list[str]], weights: list[list[float]], smooths: bool) -> None:
        self._weights = weights
        self._smooths = smooths
        self._matcher = Matcher(get_tokenizer("none"), max_ngram_order=max(map(len, weights)))
        self._references = column_of(lines, "references")

    def __call__(self, _: object, hypotheses: list[list[bytes]]) -> list[list[float]]:
        """Score hypotheses. After `uninstall`, fast-bleu's code calls this with the arguments of the C function."""
        return self.scores([[token.decode() for token in line] for line in hypotheses])

    def scores(self, lines: list[list[str]]) -> list[list[float]]:
        """Return the scores of hypotheses by each weighting, [n_weightings][n_hypotheses], 0..1."""
        import numpy as np

        if not lines:
            return [[] for _ in self._weights]
        if "\0" in "".join(map("".join, lines)):  # NUL ends the strings of the C function.
            lines = [[token.partition("\0")[0] for token in line] for line in lines]
        order = self._matcher.max_ngram_order
        rows = rows_against_set(self._matcher, column_of(lines, "hypotheses"), self._references)
        correct, total = rows[:, 2 : 2 + order], np.maximum(1, rows[:, 2 + order :])
        smoothed = np.where(correct == 0, 1, correct) / np.where(
            correct == 0, np.longdouble(10) * total, total
        )
        logarithms = np.log(smoothed)
        if not self._smooths:
            logarithms[correct == 0] = np.log(np.finfo(np.longdouble).tiny)
        sums = np.zeros((len(self._weights), len(rows)))
        for k, weights in enumerate(self._weights):
            for n, weight in enumerate(weights):
                sums[k] += np.longdouble(np.float32(weight)) * logarithms[:, n]
        penalties = [
            brevity_penalty(length, closest) if matches else 0.0
            for length, closest, matches in rows[:, :3].tolist()
        ]
        return [[p * exp(total) for p, total in zip(penalties, row, strict=True)] for row in sums.tolist()]


def replacements_in(module: ModuleType) -> Pairs:
    """Return the functions to replace in `fast_bleu.__python_wrapper__`, with their replacements."""
    kind = module.BLEU

    def make(
        scorer: Any, lines_of_tokens: Any, weights: Any, smoothing_func: Any, auto_reweight: Any, verbose: Any
    ) -> Any:
        weightings = [list(each) for each in weights.values()]
        if verbose or type(smoothing_func) is not int or smoothing_func not in (0, 1):
            return RUN_ORIGINAL
        if not _are_weights(weightings) or not _are_lines(lines_of_tokens):
            return RUN_ORIGINAL
        if auto_reweight and any(_REWEIGHTED[: len(each)] == each[:4] for each in weightings):
            return RUN_ORIGINAL
        lines = _texts(lines_of_tokens)
        joined = "".join(map("".join, lines))
        if not lines or " " in joined or "\0" in joined:
            return RUN_ORIGINAL
        joined.encode()  # This raises an error for lone surrogates, as in fast-bleu.
        score_function = _ScoreFunction(lines, weightings, bool(smoothing_func))
        # The object needs no other attributes, because the C library is not used.
        vars(scorer).update(
            {_KEYS: list(weights), _WEIGHTS: weightings, _INSTANCE: None, _GET_SCORE: score_function}
        )
        return None

    def get_score(scorer: Any, hypotheses: Any) -> Any:
        score_function = vars(scorer).get(_GET_SCORE)
        if not isinstance(score_function, _ScoreFunction) or not _are_lines(hypotheses):
            return RUN_ORIGINAL
        lines = _texts(hypotheses)
        "".join(map("".join, lines)).encode()
        return dict(zip(vars(scorer)[_KEYS], score_function.scores(lines), strict=True))

    checks = reads_of(("get_score",), kind)
    return [(kind.__init__, make, (0, 2, 2), checks), (kind.get_score, get_score, (0, 2), checks)]


def _are_lines(lines: Any) -> bool:
    """Return whether all lines are lists, tuples or str. An iterator that is read here could not be read again."""
    return isinstance(lines, (list, tuple)) and all(isinstance(each, (list, tuple, str)) for each in lines)


def _texts(lines: Any) -> list[list[str]]:
    """Return lines of tokens as lists of str."""
    return [list(map(str, line)) for line in lines]


def _are_weights(weightings: list[list[Any]]) -> bool:
    """Return whether fast-bleu reads these weightings correctly: at least two floats each, whose sum is 1."""
    return bool(weightings) and all(
        len(each) >= 2 and all(isinstance(weight, float) for weight in each) and abs(1.0 - sum(each)) < 1e-15
        for each in weightings
    )
