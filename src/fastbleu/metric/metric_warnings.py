"""Log the warnings of a metric: those of sacreBLEU in its words, and those that only fastbleu has."""

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

#: The warning about a `trg_lang` that sacreBLEU does not know, although sacreBLEU has a tokenizer for the language.
UNKNOWN_LANGUAGE = (
    "sacreBLEU does not know trg_lang={code!r}, so it uses the tokenizer 13a, and so does fastbleu. If {code!r} means "
    "{meant!r}, use BLEU.for_language({code!r}) or trg_lang={meant!r}."
)

#: The warning about a `trg_lang` that is not a language code.
NO_LANGUAGE = (
    "trg_lang={code!r} is not a known language code, so the tokenizer is 13a, as in sacreBLEU. "
    "`force=True` suppresses this message."
)

#: The warning about text without spaces between words, if the tokenizer splits words at spaces.
WRONG_SCRIPT = (
    "The text is in a script without spaces between words, but the tokenizer {name!r} splits words at spaces, so that "
    "a whole phrase is one word. tokenize={fitting} would fit. `force=True` suppresses this message."
)

#: The warning about a matrix of token ids whose rows seem to be padded with an id.
PADDING = (
    "Most rows of {name}, a matrix of token ids, end with a run of the id {id}, which is scored like any other token. "
    "If {id} is padding, pass TokenIds(ids, pad_id={id}); if it is not, pass TokenIds(ids)."
)

#: As the argument `before`, this value suppresses the warning of `Warnings.tokens`. An accumulator passes it for each
#: batch. It adds up over all batches how many hypotheses look tokenized, and calls `Warnings.tokens` for the sum.
WARNED = maxsize


class Once:
    """A callable for a warning that is logged once: only the first call, in any thread, returns True.

    Args:
        is_over: Whether to return False even in the first call.

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
        """Return whether this is the first call."""
        if self.is_over:
            return False
        self.is_over = True
        return self._lock.acquire(blocking=False)


class Warnings:
    """Log the warnings of one metric.

    Args:
        matcher: The metric's matcher.
        force: The metric's option `force`, which suppresses some of the warnings.
        effective_order: Whether the metric has effective order. If not, it is recommended for single segments.

    Attributes:
        matcher: The metric's matcher.
        of_order: Ensures that effective order is recommended only once.
        of_padding: Ensures that undeclared padding is warned of only once.
        of_script: Ensures that the script of hypotheses is checked only once.
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
        """Warn that hypotheses look tokenized, when the 100th hypothesis that ends in " ." is counted.

        Args:
            before: The number of earlier hypotheses that end in " ."; `WARNED` suppresses the warning.
            more: The number of newly counted hypotheses that end in " .".
        """
        if before < TOKENIZED_LOOKING <= before + more:
            self.advise(*LOOKS_TOKENIZED)

    def padding(self, where: Location, id_: int) -> None:
        """Warn once that the matrix of ids at `where`, which was not passed as TokenIds, looks padded with `id_`."""
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
        """Log each message as a warning, unless `force` is set."""
        if not self._force:
            self.log(*messages)

    @staticmethod
    def log(*messages: str) -> None:
        """Log each message as a warning."""
        for message in messages:
            log_warning(message)


class SacrebleuWarnings(Warnings):
    """Log warnings as sacreBLEU does, for drop-in replacements of packages that call sacreBLEU."""

    @staticmethod
    def log(*messages: str) -> None:
        """Log each message as sacreBLEU does."""
        from ..scoring.sacrebleu_log import log_as_sacrebleu

        for message in messages:
            log_as_sacrebleu(message)
