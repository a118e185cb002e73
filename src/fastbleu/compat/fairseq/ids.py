"""BLEU of token ids, as fairseq's `Scorer` counts it in libbleu."""

from __future__ import annotations

import ctypes
import math
import sys
from dataclasses import dataclass
from operator import index

from ...errors import ArgumentTypeError, ArgumentValueError, Place, describe, wrong_value
from ._ngram_matches import count_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ORDER = 4

#: What stands in a reference for an unknown token.
_UNMATCHED = -999


_MATCHES = tuple(f"match{n}" for n in range(1, _ORDER + 1))
_COUNTS = tuple(f"count{n}" for n in range(1, _ORDER + 1))


class BleuStat(ctypes.Structure):
    """The counts: lengths, and for each order the matched n-grams and those of the predictions.

    Attributes:
        reflen, predlen: Tokens of the references and of the predictions.
        match1, match2, match3, match4: Matched n-grams.
        count1, count2, count3, count4: N-grams of the predictions.
    """

    _fields_ = (
        ("reflen", ctypes.c_size_t),
        ("predlen", ctypes.c_size_t),
        *((name, ctypes.c_size_t) for pair in zip(_MATCHES, _COUNTS, strict=True) for name in pair),
    )


@dataclass
class BleuConfig:
    """The ids that `Scorer` treats in a special way.

    Attributes:
        pad, eos, unk: Those of padding, end-of-sentence and unknown tokens.
    """

    _name: str | None = None
    pad: int = 1
    eos: int = 2
    unk: int = 3


class Scorer:
    """BLEU of token ids, one reference for each prediction.

    Args:
        cfg: A `BleuConfig`, or anything with the attributes `pad`, `eos` and `unk`; or the id of padding, with the
            other two after it.
        eos, unk: With an id as `cfg`, those of end-of-sentence and of unknown tokens.
        pad: In the place of `cfg`, by name.

    Attributes:
        stat: What has been counted, a `BleuStat`.
        pad, eos, unk: The ids.

    Raises:
        TypeError: An id is missing.

    Example:
        >>> scorer = Scorer(BleuConfig(pad=1, eos=2, unk=3))
        >>> scorer.add(ref=[11, 12, 13, 14, 15, 2], pred=[11, 12, 13, 14, 16, 2, 1])
        >>> scorer.score()
        66.8740304976422
        >>> scorer.result_string()
        'BLEU4 = 66.87, 80.0/75.0/66.7/50.0 (BP=1.000, ratio=1.000, syslen=5, reflen=5)'
        >>> scorer.stat.match2, scorer.stat.count2
        (3, 4)
    """

    def __init__(
        self, cfg: Any = None, eos: int | None = None, unk: int | None = None, *, pad: int | None = None
    ) -> None:
        if hasattr(cfg, "pad"):
            pad, eos, unk = cfg.pad, cfg.eos, cfg.unk
        elif cfg is not None:
            pad = cfg
        if pad is None or eos is None or unk is None:
            raise TypeError("Scorer needs a BleuConfig, or the ids pad, eos and unk")
        self.pad, self.eos, self.unk = pad, eos, unk
        self.stat = BleuStat()

    def reset(self, one_init: bool = False) -> None:
        """Forget what was counted.

        Args:
            one_init: Begin with 1 for both counts of the orders 2 to 4, which smooths the score of a single sentence.
        """
        start = 1 if one_init else 0
        self.stat.__init__(0, 0, 0, 0, *([start] * 6))  # type: ignore[misc]  # the same object, as there

    def add(self, ref: Any, pred: Any) -> None:
        """Count one prediction.

        Args:
            ref: Its reference: a torch.IntTensor, a NumPy array of integers, or a sequence of int, all >= 0.
            pred: The prediction, likewise; its ids may be negative.

        Raises:
            TypeError: One of them is something else, such as a tensor of int64 or one on a GPU.
            ValueError: An id of the reference is negative, or an id does not fit into 32 bits.
        """
        reference, prediction = _ids(ref, "ref"), _ids(pred, "pred")
        if reference and min(reference) < 0:
            i = next(i for i, token in enumerate(reference) if token < 0)
            raise ArgumentValueError(
                Place("ref")[i], f"must be at least 0, not {reference[i]}", value=reference[i]
            )
        if self.unk in reference:
            unk = self.unk
            reference = [_UNMATCHED if token == unk else token for token in reference]
        prediction, reference = self._trimmed(prediction), self._trimmed(reference)
        try:
            matches = count_matches(prediction, reference, _ORDER)
        except OverflowError:
            raise ValueError("ids must fit into 32 bits") from None
        stat, length = self.stat, len(prediction)
        stat.predlen += length
        stat.reflen += len(reference)
        stat.match1 += matches[0]
        stat.count1 += length
        stat.match2 += matches[1]
        stat.count2 += max(length - 1, 0)
        stat.match3 += matches[2]
        stat.count3 += max(length - 2, 0)
        stat.match4 += matches[3]
        stat.count4 += max(length - 3, 0)

    def _trimmed(self, ids: list[int]) -> list[int]:
        pad, eos, start, stop = self.pad, self.eos, 0, len(ids)
        while start < stop and ids[start] == pad:
            start += 1
        while stop - 1 > start and (ids[stop - 1] == eos or ids[stop - 1] == pad):
            stop -= 1
        return ids[start:stop] if start or stop < len(ids) else ids

    def precision(self) -> list[float]:
        """Return the share of n-grams that match, 0..1, of each order; 0 where there are none."""
        counts = (
            (getattr(self.stat, match), getattr(self.stat, count))
            for match, count in zip(_MATCHES, _COUNTS, strict=True)
        )
        return [matches / ngrams if ngrams > 0 else 0 for matches, ngrams in counts]

    def brevity(self) -> float:
        """Return the brevity penalty, 0..1.

        Raises:
            ZeroDivisionError: No tokens of predictions were counted.
        """
        return min(1, math.exp(1 - self.stat.reflen / self.stat.predlen))

    def score(self, order: int = 4) -> float:
        """Return BLEU.

        Args:
            order: The longest n-grams that count. Above 4, the logarithms of four orders are divided by it, as there.

        Returns:
            The score, 0..100.

        Raises:
            ZeroDivisionError: No tokens of predictions were counted.
        """
        total = sum(math.log(p) if p > 0 else -math.inf for p in self.precision()[:order])
        return self.brevity() * math.exp(total / order) * 100

    def result_string(self, order: int = 4) -> str:
        """Return the score, the precisions (both 0..100), the brevity penalty and the lengths as a line of text.

        Args:
            order: The longest n-grams that count, 1..4.

        Raises:
            ValueError: `order` is above 4.
            ZeroDivisionError: No tokens of predictions, or of references, were counted.
        """
        if order > _ORDER:
            raise wrong_value("order", "at most 4", order)
        shown = "/".join(f"{100 * precision:2.1f}" for precision in self.precision()[:order])
        stat = self.stat
        return (
            f"BLEU{order} = {self.score(order):2.2f}, {shown} (BP={self.brevity():.3f}, "
            f"ratio={stat.predlen / stat.reflen:.3f}, syslen={stat.predlen}, reflen={stat.reflen})"
        )


def _ids(tokens: Any, name: str) -> list[int]:
    """Ids as a list of int.

    Raises:
        TypeError: They are none.
    """
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(tokens, torch.Tensor):
        if not isinstance(tokens, torch.IntTensor):
            raise ArgumentTypeError(name, f"must be a torch.IntTensor (got {type(tokens)})", value=tokens)
        return tokens.tolist() if tokens.dim() == 1 else tokens.reshape(-1).tolist()
    dtype = getattr(tokens, "dtype", None)
    if dtype is not None and hasattr(tokens, "reshape"):
        if getattr(dtype, "kind", "") not in "iu":
            raise ArgumentTypeError(name, f"must be an array of integers (got {dtype})", value=tokens)
        return tokens.reshape(-1).tolist()
    if isinstance(tokens, (list, tuple)):
        try:
            return list(map(index, tokens))
        except TypeError:
            i = next(i for i, token in enumerate(tokens) if not hasattr(token, "__index__"))
            raise ArgumentTypeError(
                Place(name)[i], f"must be an int, not {describe(tokens[i])}", value=tokens[i]
            ) from None
    raise ArgumentTypeError(
        name, f"must be a torch.IntTensor, or a sequence of int (got {type(tokens)})", value=tokens
    )
