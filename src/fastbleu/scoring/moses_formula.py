"""Compute the BLEU of Moses' multi-bleu.perl and multi-bleu-detok.perl from a row, and format the line that they print.

The operations are those of the scripts in https://github.com/moses-smt/mosesdecoder at commit 3445289, in the same
order.
"""

from __future__ import annotations

from math import exp, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The largest order of n-grams.
ORDER = 4

#: The scripts' value for log(0).
_LOG_OF_ZERO = -9999999999

#: The line that the scripts print if the references have no words, whatever the hypotheses are.
_WITHOUT_WORDS = "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)"


class MultiBLEUScore:
    """The score of multi-bleu.perl. `str(score)` is the line that the script prints.

    Args:
        row: [10] int: sys_len, ref_len, correct_1..4, total_1..4.

    Attributes:
        score: BLEU, 0..100, not rounded.
        precisions: The n-gram precisions of the orders 1..4, 0..100.
        brevity_penalty: The brevity penalty, 0..1.
        ratio: `hyp_len` over `ref_len`; 0 if `ref_len` is 0.
        hyp_len: The number of words in the hypotheses.
        ref_len: The number of words in the closest references.
        correct: The matched n-grams of the orders 1..4.
        total: The n-grams of the hypotheses of the orders 1..4.

    Raises:
        ValueError: The references have words, but the hypotheses have none.

    Example:
        >>> print(MultiBLEUScore([5, 6, 4, 3, 2, 1, 5, 4, 3, 2]))
        BLEU = 54.75, 80.0/75.0/66.7/50.0 (BP=0.819, ratio=0.833, hyp_len=5, ref_len=6)
    """

    __slots__ = ("brevity_penalty", "correct", "hyp_len", "precisions", "ratio", "ref_len", "score", "total")

    def __init__(self, row: Sequence[int]) -> None:
        self.hyp_len, self.ref_len = hyp_len, ref_len = row[0], row[1]
        self.correct, self.total = tuple(row[2 : 2 + ORDER]), tuple(row[2 + ORDER :])
        shares = [
            correct / total if total else 0.0 for correct, total in zip(self.correct, self.total, strict=True)
        ]
        self.precisions = tuple(100 * share for share in shares)
        self.score = self.brevity_penalty = self.ratio = 0.0
        if not ref_len:
            return
        if not hyp_len:
            raise ValueError(
                "the hypotheses have no words, but the references do, so the brevity penalty is undefined "
                "(multi-bleu.perl divides by 0)"
            )
        # The last bit of the score depends on the order of these operations.
        self.brevity_penalty = exp(1 - ref_len / hyp_len) if hyp_len < ref_len else 1.0
        logarithms = [log(share) if share else _LOG_OF_ZERO for share in shares]
        mean = (logarithms[0] + logarithms[1] + logarithms[2] + logarithms[3]) / ORDER
        self.score = 100 * (self.brevity_penalty * exp(mean))
        self.ratio = hyp_len / ref_len

    def __str__(self) -> str:
        if not self.ref_len:
            return _WITHOUT_WORDS
        precisions = "/".join(f"{precision:.1f}" for precision in self.precisions)
        return (
            f"BLEU = {self.score:.2f}, {precisions} (BP={self.brevity_penalty:.3f}, ratio={self.ratio:.3f}, "
            f"hyp_len={self.hyp_len}, ref_len={self.ref_len})"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"
