"""The warnings of a metric: sacreBLEU's with its texts, and our own."""

from __future__ import annotations

from _thread import allocate_lock
from sys import maxsize

from ..scoring.sacrebleu_messages import LOOKS_TOKENIZED, ORDER, TOKENIZED_LOOKING
from ..tokenizers.names import SPLIT_AT_SPACES, log_warning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.matcher import Matcher
    from ..errors import Location

#: For a `trg_lang` unknown to sacreBLEU that denotes a language for which it has a tokenizer.
UNKNOWN_LANGUAGE = (
    "sacreBLEU does not know trg_lang={code!r} and takes 13a for it, as is done here. If it means {meant!r}, use "
    "BLEU.for_language({code!r}) or trg_lang={meant!r}."
)

#: For a `trg_lang` that is not a language code.
NO_LANGUAGE = (
    "trg_lang={code!r} is not a known language code, so the tokenizer is 13a, as in sacreBLEU. "
    "`force=True` suppresses this message."
)

#: For text without spaces between words under a tokenizer that splits at spaces.
WRONG_SCRIPT = (
    "The text is in a script without spaces between words, but the tokenizer {name!r} splits words at spaces, so that "
    "a whole phrase is one word. tokenize={fitting} would fit. `force=True` suppresses this message."
)

#: For a matrix of token ids whose rows seem to be padded with an id.
PADDING = (
    "{name} is a matrix of token ids of which most rows end with a run of {id}, and all of it is scored. "
    "If {id} is padding, pass TokenIds(ids, pad_id={id}); if it is not, TokenIds(ids)."
)

#: Passed as the number of earlier hypotheses that end in " ." to suppress the warning. Threads of an accumulator count
#: batches, and only the sum over all threads decides.
WARNED = maxsize


class Once:
    """Return True for the first call in any thread, for a warning that is logged once.

    Example:
        >>> is_first = Once()
        >>> is_first(), is_first()
        (True, False)
    """

    __slots__ = ("_lock", "is_over")

    def __init__(self, is_over: bool = False) -> None:
        self._lock = allocate_lock()
        self.is_over = is_over

    def __call__(self) -> bool:
        """Return True for the first call."""
        if self.is_over:
            return False
        self.is_over = True
        return self._lock.acquire(blocking=False)


class Warnings:
    """Log the warnings of one metric.

    Args:
        matcher: The metric's matcher.
        force: Whether to suppress the warnings that `force` suppresses.
        effective_order: Whether the metric has effective order, which single segments need.

    Attributes:
        matcher: As given.
        of_order: Returns True once, for the recommendation of effective order for single segments.
        of_padding: Returns True once, for the warning about undeclared padding.
        of_script: Returns True once, for the check of the script of the first hypotheses.
    """

    def __init__(self, matcher: Matcher, force: bool, effective_order: bool) -> None:
        self.matcher = matcher
        self._force = force
        self.of_order = Once(effective_order)
        self.of_padding = Once()
        self.of_script = Once(force or matcher.tokenizer.name not in SPLIT_AT_SPACES)

    def order(self) -> None:
        """Recommend once to use effective order for single segments."""
        if self.of_order():
            self.log(ORDER)

    def tokens(self, before: int, more: int) -> None:
        """Warn about hypotheses that look tokenized when the 100th that ends in " ." is counted.

        Args:
            before: The number of earlier hypotheses that end in " ."; or WARNED.
            more: The number of newly counted ones that do.
        """
        if before < TOKENIZED_LOOKING <= before + more:
            self.advise(*LOOKS_TOKENIZED)

    def padding(self, where: Location, id_: int) -> None:
        """Warn once that a matrix of ids that was not passed as TokenIds looks padded with an id."""
        if self.of_padding():
            self.log(PADDING.format(name=where, id=id_))

    def script(self, hypotheses: Any) -> None:
        """Warn if the tokenizer does not fit the script of the first hypotheses."""
        if len(hypotheses) and self.of_script():
            from ..tokenizers.scripts import misfit

            fitting = misfit(hypotheses)
            if fitting:
                self.log(WRONG_SCRIPT.format(name=self.matcher.tokenizer.name, fitting=fitting))

    def advise(self, *messages: str) -> None:
        """Log warnings that `force` suppresses."""
        if not self._force:
            self.log(*messages)

    @staticmethod
    def log(*messages: str) -> None:
        """Log each message as a warning."""
        for message in messages:
            log_warning(message)


class SacrebleuWarnings(Warnings):
    """The warnings of a metric in a drop-in replacement of a package that scores by sacreBLEU."""

    @staticmethod
    def log(*messages: str) -> None:
        """Log each message as sacreBLEU does."""
        from ..scoring.sacrebleu_log import log_as_sacrebleu

        for message in messages:
            log_as_sacrebleu(message)
