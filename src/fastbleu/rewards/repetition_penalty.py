"""Penalize n-grams that occur more than once in a completion."""

from __future__ import annotations

from ..counting.matcher import Matcher
from ..errors import suggests_options
from ..inputs.ids import TokenIds
from ..options import check_choice, check_integer, check_number
from ..rerank.pool_chunks import PoolColumns
from ..rerank.pool_sources import one_pool
from ..tokenizers.names import get_tokenizer
from .components import Component

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from .components import Rollouts

    #: The part of a completion that a reward measures: the whole completion, or the text after extraction.
    Of: TypeAlias = Literal["completion", "scored"]

#: The largest order of n-grams, because `count_ngrams` stores the order in a 32-bit int.
_MOST_ORDER = (1 << 31) - 1

PARTS_OF_COMPLETIONS: tuple[Of, ...] = ("completion", "scored")


class RepetitionPenalty(Component):
    """A penalty for repeated n-grams.

    The reward is `(1 - distinct / total) * max_penalty`, where `total` is the number of n-grams of the completion and
    `distinct` the number of different n-grams. It is 0.0 if no n-gram occurs twice, or if the completion has fewer than
    n tokens. For token ids, it equals TRL's `get_repetition_penalty_reward` (1.16). For text, it equals open-r1's
    penalty, which counts the words `text.lower().split()`.

    Args:
        n: The order of the n-grams, >= 1.
        max_penalty: The limit of the reward as the share of distinct n-grams approaches 0; <= 0.
        of: "completion" counts the n-grams of the whole completion: token ids if they are passed as completions or as
            `completion_ids`, otherwise words. "scored" counts the n-grams of the extracted part of a text; completions
            that are ids are counted as a whole.
        name: The name of the reward in logs.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `n` is below 1, `max_penalty` is above 0 or not finite, or `of` is unknown.

    Example:
        >>> RepetitionPenalty(n=2)(["no no no no", "the cat sat"])
        [-0.6666666666666667, 0.0]
        >>> RepetitionPenalty(n=2)([[5, 6, 5, 6, 5]])
        [-0.5]
    """

    @suggests_options
    def __init__(
        self,
        n: int = 3,
        max_penalty: float = -1.0,
        *,
        of: Of = "completion",
        name: str = "repetition_penalty",
    ) -> None:
        self._n = check_integer("n", n, 1, _MOST_ORDER)
        self._max_penalty = check_number(
            "max_penalty", max_penalty, lambda penalty: -float("inf") < penalty <= 0, "finite and at most 0"
        )
        check_choice("of", of, PARTS_OF_COMPLETIONS)
        self._of = of
        super().__init__(n=n, max_penalty=max_penalty, of=of, name=name)

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Return the reward of each of n rollouts."""
        segments: Any = rollouts.scored
        name = "completions"
        if self._of == "completion" and rollouts.ids is not None:
            segments, name = rollouts.ids, rollouts.name_of_ids
        elif self._of == "completion":
            segments = rollouts.full
        return [
            (1 - distinct / total) * self._max_penalty if distinct < total else 0.0
            for total, distinct in count_ngrams_of(segments, self._n, name=name).tolist()
        ]


def count_ngrams_of(
    segments: Any, n: int, lowercase: bool = True, name: str = "completions"
) -> NDArray[int64]:
    """Count the n-grams and the distinct n-grams of each segment.

    Args:
        segments: k texts, whose tokens are separated by white space, or `TokenIds` of k rows. A token with the `unk_id`
            equals no other token.
        n: The order, >= 1; or 0 to count tokens.
        lowercase: Whether words are compared in lower case.
        name: The name of the argument with the segments, for errors.

    Returns:
        int64 [k, 2]: for each segment, the number of its n-grams and the number of its distinct n-grams. With n = 0,
        the number of its tokens and 0.

    Example:
        >>> count_ngrams_of(["The cat the cat", "a"], 2).tolist()
        [[3, 2], [0, 0]]
    """
    import numpy as np

    from ._distinct_ngrams import count_ngrams

    matcher = Matcher(get_tokenizer("none"), lowercase=lowercase and not isinstance(segments, TokenIds))
    columns = PoolColumns(matcher, [one_pool(segments, name)])
    (column,) = columns.read_with_distinct_unknowns(0, 1)
    counts = np.zeros((len(column), 2), dtype=np.int64)
    count_ngrams(column, columns.counter.tokenizer, n, counts)
    return counts


def count_tokens_of(segments: Any, name: str = "completions") -> list[int]:
    """Return the number of words of each text, or the number of ids in each row of `TokenIds`."""
    numbers: list[int] = count_ngrams_of(segments, 0, lowercase=False, name=name)[:, 0].tolist()
    return numbers
