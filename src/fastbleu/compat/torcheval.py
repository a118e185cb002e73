"""torcheval's BLEU, class and function, on the compiled counting pass.

    from fastbleu.compat.torcheval import BLEUScore         # instead of: from torcheval.metrics import BLEUScore
    from fastbleu.compat.torcheval import bleu_score        # instead of: from torcheval.metrics.functional import ...

Equal, as tensors, to torcheval 0.0.7 and to its repository at 33c1391: tokens stand between white space, an order
without a match makes the score 0, nothing is smoothed, weights are not renormalised. The function scores in float32,
the class in float64 with float32 weights, as there. A segment's reference length is the shortest reference's in release
0.0.7, and the closest one's in the repository; here it is what it is in the torcheval that is installed.

`BLEUScore` is a torcheval.metrics.BLEUScore: `compute`, `merge_state`, `reset`, `to`, state dictionaries and
`torcheval.metrics.toolkit` are torcheval's own.

Where they differ, deliberately:

- Counts of a batch are exact. There they are float32, which cannot count beyond 2^24.
- A text that is not a str, a bare str for `target`, and a prediction without a reference are errors that say where.
"""

from __future__ import annotations

from functools import cache

from ..errors import Place
from ..inputs.reading import PER_SEGMENT, as_list
from ..system.extras import imports_of
from .arguments import check_texts, count_corpus, token_matcher

with imports_of("torcheval", "fastbleu.compat.torcheval"):
    import torch
    import torcheval.metrics
    from torcheval.metrics import functional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

    from ..options import ReferenceLength

__all__ = ["BLEUScore", "bleu_score"]

_NAMES = ("input", "target")


@cache
def _reference_length() -> ReferenceLength:
    """Which reference length the installed torcheval uses.

    The text has 4 tokens, its references 1 and 5: only with the closest length, 5, is there a penalty.
    """
    score = functional.bleu_score("a b c d", [["a", "a b c d e"]], n_gram=1)
    return "closest" if score < 1 else "shortest"


class BLEUScore(torcheval.metrics.BLEUScore):
    """BLEU of text whose tokens stand between white space, as `torcheval.metrics.BLEUScore`.

    Args:
        n_gram: The longest n-grams counted, 1 to 4.
        weights: A weight for each order, a tensor; None: `1 / n_gram`.
        device: Where the counts are kept; None: the CPU.

    Attributes:
        input_len: Tokens in the translations, float64.
        target_len: Tokens in the references that decide, float64.
        matches_by_order: Matched n-grams, float64 [n_gram].
        possible_matches_by_order: Candidate n-grams, float64 [n_gram].

    Raises:
        ValueError: `n_gram` is another number, or there are not `n_gram` weights.

    Example:
        >>> metric = BLEUScore(n_gram=2)
        >>> _ = metric.update(["the cat sat"], [["the cat is here", "a cat"]])
        >>> round(metric.compute().item(), 4)
        0.5774

    Equal to torcheval 0.0.7.
    """

    @torch.inference_mode()
    def update(self, input: str | Sequence[str], target: Sequence[str | Sequence[str]]) -> BLEUScore:  # noqa: A002  # torcheval's name
        """Count a batch.

        Args:
            input: n translations, or one that is not a list.
            target: Of each its references, at least one, or one that is not a list.

        Returns:
            The metric.

        Raises:
            TypeError: One of them is not a sequence, or a text is not a str; says where.
            ValueError: They differ in length, a translation has no reference, or all are shorter than `n_gram`.
        """
        row = _count(input, target, self.n_gram)
        middle = 2 + self.n_gram
        self.input_len += row[0]
        self.target_len += row[1]
        self.matches_by_order += torch.tensor(row[2:middle], dtype=torch.float64, device=self.device)
        self.possible_matches_by_order += torch.tensor(row[middle:], dtype=torch.float64, device=self.device)
        return self


def bleu_score(
    input: str | Sequence[str],  # noqa: A002  # torcheval's name
    target: Sequence[str | Sequence[str]],
    n_gram: int = 4,
    weights: Tensor | None = None,
    device: torch.device | None = None,
) -> Tensor:
    """Compute BLEU of text whose tokens stand between white space, as `torcheval.metrics.functional.bleu_score`.

    Args:
        input: n translations, or one that is not a list.
        target: Of each its references, at least one, or one that is not a list.
        n_gram: The longest n-grams counted, 1 to 4.
        weights: A weight for each order; None: `1 / n_gram`.
        device: Where the score is computed; None: the CPU.

    Returns:
        The score (0..1), a scalar tensor of float32; 0 where an order has no match.

    Raises:
        TypeError: As `BLEUScore.update`.
        ValueError: As `BLEUScore` and its `update`.

    Example:
        >>> candidates = ["the squirrel is eating the nut"]
        >>> references = [["a squirrel is eating a nut", "the squirrel is eating a tasty nut"]]
        >>> round(bleu_score(candidates, references).item(), 5)
        0.53728

    Equal to torcheval 0.0.7.
    """
    row = _count(input, target, n_gram)
    if weights is not None and n_gram != weights.size(dim=0):
        raise ValueError(
            f"the length of weights should equal n_gram, got len(weights)={weights.size(dim=0)}, n_gram={n_gram}"
        )
    if weights is None:
        weights = torch.tensor([1 / n_gram] * n_gram, device=device)
    input_len, target_len = (torch.tensor(length, device=device) for length in row[:2])
    middle = 2 + n_gram
    matches, candidates = (
        torch.tensor(counts, dtype=torch.float32, device=device) for counts in (row[2:middle], row[middle:])
    )
    # torcheval's own operations: the last digit depends on them.
    mean = torch.exp(torch.sum(weights * torch.log(matches / candidates)))
    penalty = torch.tensor(1.0, device=device) if row[0] > row[1] else torch.exp(1 - target_len / input_len)
    return penalty * mean


def _count(texts: Any, target: Any, n_gram: int) -> list[int]:
    """The row of a corpus: both lengths, the matches of each order, the candidates of each order."""
    if n_gram not in (1, 2, 3, 4):
        raise ValueError(f"n_gram should be 1, 2, 3, or 4, got {n_gram}.")
    segments = [texts] if isinstance(texts, str) else as_list(texts, _NAMES[0])
    target = as_list(target, _NAMES[1], PER_SEGMENT)
    if len(segments) != len(target):
        raise ValueError(
            "Input and target corpus should have same sizes, but input corpus size = "
            f"{len(segments)}, target corpus size = {len(target)} "
        )
    places = Place(_NAMES[0]), Place(_NAMES[1])
    check_texts(segments, places[0])
    lists = [
        [some] if isinstance(some, str) else as_list(some, places[1][i]) for i, some in enumerate(target)
    ]
    for i, some in enumerate(lists):
        check_texts(some, places[1][i])
    row = count_corpus(token_matcher(n_gram, _reference_length()), segments, lists, _NAMES)
    if 0 in row[2 + n_gram :]:
        raise ValueError(f"the input is too short to find all n-gram matches with n_gram={n_gram}")
    return row
