"""What a metric advises: the warnings of sacreBLEU, in its words, and our own."""

from __future__ import annotations

from _thread import allocate_lock
from sys import maxsize

#: For scores of single segments without effective order.
ORDER = ("It is recommended to enable `effective_order` for sentence-level BLEU.",)

#: For hypotheses that look tokenized.
TOKENS = (
    "That's 100 lines that end in a tokenized period ('.')",
    "It looks like you forgot to detokenize your test data, which may hurt your score.",
    (
        "If you insist your data is detokenized, or don't care, you can suppress this message with the "
        "`force` parameter."
    ),
)

#: For a `trg_lang` that sacreBLEU does not know, and that means a language which it has a tokenizer for.
UNKNOWN_LANGUAGE = (
    "sacreBLEU does not know trg_lang={code!r} and takes 13a for it, as is done here. If it means {meant!r}, use "
    "BLEU.for_language({code!r}) or trg_lang={meant!r}."
)

#: For text without spaces between words under a tokenizer that splits at spaces.
WRONG_SCRIPT = (
    "The text is in a script without spaces between words, but the tokenizer {name!r} splits words at spaces, so that "
    "a whole phrase is one word. tokenize={fitting} would fit. `force=True` suppresses this message."
)

#: From this number of hypotheses that end in " ." on, they look tokenized.
_TOKENIZED_LOOKING = 100


class Once:
    """Lets one call through, of any thread: what a warning that is given once asks.

    Example:
        >>> is_first = Once()
        >>> is_first(), is_first()
        (True, False)
    """

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = allocate_lock()

    def __call__(self) -> bool:
        """True for the first call."""
        return self._lock.acquire(blocking=False)


#: A number of hypotheses that looked tokenized before: no further warning is due then. Threads count
#: batches, so that a warning is due only for the number that all of them have found.
WARNED = maxsize


def begin_to_look_tokenized(before: int, more: int) -> bool:
    """Whether the 100th hypothesis that ends in " ." is among the newly counted ones.

    Args:
        before: How many of those counted earlier end in " .".
        more: How many of the newly counted ones do.

    Example:
        >>> begin_to_look_tokenized(0, 99), begin_to_look_tokenized(99, 1), begin_to_look_tokenized(100, 1)
        (False, True, False)
    """
    return before < _TOKENIZED_LOOKING <= before + more


def padding(name: str, id_: int) -> str:
    """The warning of a matrix of token ids whose rows seem to be filled up with an id.

    Example:
        >>> print(padding("references", 0))
        references is a matrix of token ids of which most rows end with a run of 0, and all of it is scored. \
If 0 is padding, pass TokenIds(ids, pad_id=0); if it is not, TokenIds(ids).
    """
    return (
        f"{name} is a matrix of token ids of which most rows end with a run of {id_}, and all of it is scored. "
        f"If {id_} is padding, pass TokenIds(ids, pad_id={id_}); if it is not, TokenIds(ids)."
    )


def log(*messages: str) -> None:
    """Log warnings."""
    from logging import getLogger

    for message in messages:
        getLogger("fastbleu").warning(message)
