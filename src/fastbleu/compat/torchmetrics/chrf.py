"""torchmetrics' chrF: the kernel's counts of each prediction with each reference, and scores in torch's own floats.

torchmetrics takes no white space but U+0020 and that at the ends out of a text; averages the scores of orders, of which
one without a match counts 0; and counts of a prediction whose best score is 0 no reference at all.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np
import torch

from ...counting.chrf import ChrfMatcher
from ...counting.corpus import read_corpus, rows_of
from ...errors import Place
from ...inputs.reading import PER_SEGMENT
from ...options import check_flag, check_number
from ..arguments import check_texts
from .counting import as_corpus, as_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray
    from torch import Tensor

#: What torchmetrics divides by at least.
_LEAST = 1e-16


class ChrfOptions(NamedTuple):
    """The options of torchmetrics' chrF, checked."""

    n_char_order: int
    n_word_order: int
    beta: float
    lowercase: bool
    whitespace: bool


def chrf_options(
    n_char_order: Any, n_word_order: Any, beta: Any, lowercase: Any, whitespace: Any
) -> ChrfOptions:
    """Check options.

    Raises:
        TypeError: `beta` is not a number, or `lowercase` or `whitespace` not a flag.
        ValueError: Another option is out of range, in torchmetrics' words.
    """
    for name, order, least in (("n_char_order", n_char_order, 1), ("n_word_order", n_word_order, 0)):
        if not isinstance(order, int) or order < least:
            raise ValueError(f"Expected argument `{name}` to be an integer greater than or equal to {least}.")
    if not check_number("beta", beta) >= 0:
        raise ValueError("Expected argument `beta` to be greater than 0.")
    flags = check_flag("lowercase", lowercase), check_flag("whitespace", whitespace)
    return ChrfOptions(n_char_order, n_word_order, beta, *flags)


def count_chrf(preds: Any, target: Any, options: ChrfOptions) -> tuple[NDArray[Any], Tensor]:
    """Count a corpus.

    Args:
        preds: n texts, or one that is not a list.
        target: Of each its references, at least one; a list of texts is one for each, or all of a single prediction.
        options: Checked.

    Returns:
        int64 [orders, 3], for each order of characters, then of words, n-grams of the predictions, of their best
        references, and matches; and the score of each prediction, floats [n].

    Raises:
        TypeError: One of them is not a sequence, or a text is not a str; says where.
        ValueError: The two differ in length, or a prediction has no reference.

    Example:
        >>> counts, scores = count_chrf(["a cat"], ["a cat", "cats"], ChrfOptions(2, 0, 2.0, False, False))
        >>> counts.tolist(), scores
        ([[4, 4, 4], [3, 3, 3]], tensor([1.]))
    """
    preds = [preds] if isinstance(preds, str) else as_texts(preds, "preds")
    target = as_texts(target, "target", PER_SEGMENT)
    if all(isinstance(texts, str) for texts in target):
        target = [target] if len(preds) == 1 else [[text] for text in target]
    preds, target = as_corpus(preds, target)
    numbers = list(map(len, target))
    check_texts(preds, Place("preds"))
    for i, texts in enumerate(target):
        check_texts(texts, Place("target")[i])
    repeated = ([text] * number for text, number in zip(preds, numbers, strict=True))
    pairs = [list(chain.from_iterable(each)) for each in (repeated, target)]
    if options.lowercase:
        pairs = [[text.lower() for text in texts] for texts in pairs]
    of_words = _count_pairs(pairs, 0, options.n_word_order)
    if not options.whitespace:
        pairs = [[text.strip().replace(" ", "") for text in texts] for texts in pairs]
    counts = np.concatenate([_count_pairs(pairs, options.n_char_order, 0), of_words], axis=1)
    scores = chrf_scores(torch.from_numpy(counts), options)
    first = np.cumsum([0, *numbers])
    total, best = counts[first[:-1]].sum(axis=0), []
    values = scores.tolist()
    for i, number in enumerate(numbers):
        of_pred = values[first[i] : first[i] + number]
        best.append(int(first[i]) + of_pred.index(max(of_pred)))
    chosen = np.array([k for k in best if values[k] > 0], dtype=np.int64)
    total[:, 1:] = counts[chosen, :, 1:].sum(axis=0)
    return total, scores[best]


def chrf_scores(counts: Tensor, options: ChrfOptions) -> Tensor:
    """Score counts [..., orders, 3] in torch's default floats, in the order in which torchmetrics computes."""
    preds, target, matches = counts.to(torch.get_default_dtype()).unbind(-1)
    precision = torch.where(preds > 0, matches / preds, 0.0)
    recall = torch.where(target > 0, matches / target, 0.0)
    factor = options.beta**2
    denominator = (factor * precision + recall).clamp(min=_LEAST)
    of_orders = ((1 + factor) * precision * recall / denominator).unbind(-1)
    of_characters, of_words = of_orders[: options.n_char_order], of_orders[options.n_char_order :]
    return (sum(of_characters) + sum(of_words)) / torch.tensor(float(len(of_orders)))


def chrf_score(
    preds: str | Sequence[str],
    target: Sequence[str | Sequence[str]],
    n_char_order: int = 6,
    n_word_order: int = 2,
    beta: float = 2.0,
    lowercase: bool = False,
    whitespace: bool = False,
    return_sentence_level_score: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute chrF++, or chrF with `n_word_order=0`, as `torchmetrics.functional.text.chrf_score`.

    Args:
        preds: n predictions, or one that is not a list.
        target: Of each its references, at least one; a list of texts is one for each, or all of a single prediction.
        n_char_order: The longest n-grams of characters, >= 1.
        n_word_order: The longest n-grams of words, >= 0.
        beta: How much more recall counts than precision, >= 0.
        lowercase: Score without regard to case.
        whitespace: Whether white space counts as characters.
        return_sentence_level_score: Whether to return the score of each prediction, too.

    Returns:
        The score (0..1), a scalar tensor of the default dtype; or it and the scores of n >= 1 predictions, [n].

    Raises:
        TypeError: One of them is not a sequence, or a text is not a str, or an option is of the wrong type.
        ValueError: `preds` and `target` differ in length, a prediction has no reference, or an option is out of range.

    Example:
        >>> chrf_score(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
        tensor(0.8640)

    Equal to torchmetrics 1.9.0 to the last digit, up to 2^24 n-grams.
    """
    options = chrf_options(n_char_order, n_word_order, beta, lowercase, whitespace)
    counts, scores = count_chrf(preds, target, options)
    score = chrf_scores(torch.from_numpy(counts), options)
    return (score, scores) if return_sentence_level_score and len(scores) else score


def _count_pairs(pairs: list[list[str]], char_order: int, word_order: int) -> NDArray[Any]:
    """Count predictions with one reference each: int64 [pairs, orders, 3]."""
    orders = char_order + word_order
    matcher = ChrfMatcher(char_order, word_order, True, False, 1, False, 1)

    def counted(hypotheses: list[str], references: list[str]) -> NDArray[Any]:
        rows = np.zeros((len(hypotheses), 3 * orders), dtype=np.int64)
        if orders:
            read_corpus(matcher, hypotheses, [references]).count(rows_of(rows))
        return rows.reshape(len(hypotheses), orders, 3)

    own, others = pairs
    counts = counted(own, others)
    if orders:
        # The kernel leaves out the n-grams of a hypothesis where its reference has none: count those as references.
        lengths, empty = counts[:, 0, 0].copy(), np.flatnonzero(counts[:, 0, 1] == 0)
        if len(empty):
            swapped = counted([others[i] for i in empty], [own[i] for i in empty])
            lengths[empty] = swapped[:, 0, 1]
        counts[:, :, 0] = np.maximum(lengths[:, np.newaxis] - np.arange(orders), 0)
    return counts
