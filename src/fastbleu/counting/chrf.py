"""The matcher of chrF: which n-grams of characters and words are counted, of text alone."""

from __future__ import annotations

from ..tokenizers.names import get_tokenizer
from ._chrf import ChrfCounter
from .matcher import Matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..inputs.columns import Kind
    from .references import Identity


class ChrfMatcher(Matcher):
    """Counts matches of hypotheses with the reference that scores best, under given options.

    A row is for each order, those of characters before those of words: n-grams of the hypothesis, of the reference, and
    matches.

    Args:
        char_order: The longest n-grams of characters.
        word_order: The longest n-grams of words.
        whitespace: Whether white space counts as characters.
        lowercase: Whether case is ignored.
        beta: How much more recall counts than precision.
        eps_smoothing: Whether orders without a match count as almost 0.
        threads: How many threads may count at the same time.

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
        """The options that decide what is counted of a text: both orders, white space and case."""
        return self.options[:4]

    @property
    def identity(self) -> Identity:
        """The options that decide the text of prepared references, which serve any orders."""
        return ("chrF", self.lowercase, 0, None)

    @property
    def named_options(self) -> dict[str, Any]:
        """The metric and the options that are not the formula's, too."""
        return {"metric": "CHRF", "lowercase": self.lowercase, "whitespace": self.whitespace}

    def counter_for(self, kind: Kind) -> Any:
        """Return the counter of text."""
        del kind
        return self.counter

    def counter_of_one(self, segment: Any) -> Any:
        """Return the counter of a single str; None for anything else."""
        return self.counter if isinstance(segment, str) else None

    def _needed(self) -> str:
        return "have no characters; chrF takes text"
