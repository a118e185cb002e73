"""What a metric advises: the warnings of sacreBLEU, in its words, and what trips people with token ids."""

from __future__ import annotations

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

#: From this number of hypotheses that end in " ." on, they look tokenized.
_TOKENIZED_LOOKING = 100


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
