"""The matcher of chrF, which counts the n-grams of characters and words in text."""

from __future__ import annotations

from ..tokenizers.names import get_tokenizer
from ._chrf_counter import ChrfCounter
from .matcher import Matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..inputs.columns import Kind
    from .references import Identity


class ChrfMatcher(Matcher):
    """Matcher that counts the matches of each hypothesis with the reference for which chrF is highest.

    A row has three counts for each order: n-grams of the hypothesis, n-grams of the reference, and matches. The orders
    of characters precede the orders of words.

    Args:
        char_order: The largest order of n-grams of characters.
        word_order: The largest order of n-grams of words.
        whitespace: Whether white space characters are counted.
        lowercase: Whether case is ignored.
        beta: The weight of recall relative to precision.
        eps_smoothing: Whether chrF is the mean of the F-scores of all orders, each at least 1e-16; otherwise precision
            and recall are averaged over the orders first.
        threads: The number of threads that may count at the same time.

    Example:
        >>> ChrfMatcher(2, 0, False, False, 2, False, 1).count_one("ab", ["abc"])
        ([2, 3, 2, 1, 2, 1], 0, 1)
    """

    def __init__(
        self,
        char_order: int,
        word_order: int,
        whitespace: bool,
        lowercase: bool,
        beta: float,
        eps_smoothing: bool,
        threads: int,
    ) -> None:
        super().__init__(get_tokenizer("none"), lowercase, threads=threads)
        self.options = char_order, word_order, whitespace, lowercase, beta, eps_smoothing, threads
        self.whitespace = whitespace
        self._takes_tokens = False
        self.counter: Any = ChrfCounter(char_order, word_order, whitespace, beta**2, eps_smoothing)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChrfMatcher, self.options

    @property
    def text_options(self) -> tuple[int, int, bool, bool]:
        """Return the options that determine the n-grams of a text: char_order, word_order, whitespace, lowercase."""
        return self.options[:4]

    @property
    def identity(self) -> Identity:
        """Return the options that metrics must have in common to share prepared references; the orders may differ."""
        return ("chrF", self.lowercase, 0, None)

    @property
    def named_options(self) -> dict[str, Any]:
        """Return the metric's name and the options on which rows depend, except the orders, which the formula has."""
        return {"metric": "CHRF", "lowercase": self.lowercase, "whitespace": self.whitespace}

    def counter_for(self, kind: Kind) -> Any:
        """Return the counter of text, the only kind that chrF counts."""
        del kind
        return self.counter

    def counter_for_segment(self, segment: Any) -> Any:
        """Return the counter if the segment is a str, otherwise None."""
        return self.counter if isinstance(segment, str) else None

    def _required_options(self) -> str:
        """Return the end of the error message for segments that are tokens or ids."""
        return "have no characters; chrF takes text"
