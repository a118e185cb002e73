"""Translations with one reference each, counted: lists of tokens as they are, or lines."""

from __future__ import annotations

from functools import lru_cache
from warnings import warn

from ...counting.corpus import Corpus
from ...counting.matcher import Matcher
from ...counting.rows import row_width
from ...errors import wrong_type
from ...inputs.columns import column_of
from ...inputs.reading import tokens_or_characters
from ...options import check_order
from ...tokenizers._tokenize import TOKENIZE_T2T, prepare_t2t, tokenize
from ...tokenizers.names import get_tokenizer, peers_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_NAMES = ("translation_corpus", "reference_corpus")


def count_tokens(
    reference_corpus: Iterable[Any], translation_corpus: Iterable[Any], max_order: int
) -> list[int]:
    """Count lists of tokens.

    Args:
        reference_corpus: For each translation one reference, a sequence of hashable tokens.
        translation_corpus: The translations.
        max_order: The longest n-grams counted, at least 1.

    Returns:
        The row of the corpus: both lengths, the matches by order, the candidates by order.

    Raises:
        TypeError: Something is not a sequence of hashable tokens, or `max_order` is not an int.
        ValueError: `max_order` is below 1.
    """
    matcher = _token_matcher(check_order("max_order", max_order))
    references, translations = list(reference_corpus), list(translation_corpus)
    if len(references) != len(translations):
        number = min(len(references), len(translations))
        warn(
            f"there are {len(references)} references and {len(translations)} translations; "
            f"the first {number} of each are scored",
            stacklevel=3,
        )
        del references[number:], translations[number:]
    if not references:
        return [0] * row_width(max_order)
    translations, references = map(tokens_or_characters, (translations, references), _NAMES)
    return _count(matcher, translations, references, _NAMES)


def count_lines(references: list[str], translations: list[str], case_sensitive: bool) -> list[int]:
    """Count lines of text, as many references as translations, up to 4-grams; the row of the corpus.

    Raises:
        TypeError: A line is not a str.
    """
    for lines, name in ((references, "ref_lines"), (translations, "hyp_lines")):
        for i, line in enumerate(lines):
            if not isinstance(line, str):
                raise wrong_type(f"{name}[{i}]", "a str", line)
    if not references:
        return [0] * row_width(4)
    return _count(_line_matcher(bool(case_sensitive)), translations, references, ("hyp_lines", "ref_lines"))


def bleu_tokenize(string: str) -> list[str]:
    r"""Make tokens of a line, as mteval-v14 does.

    Args:
        string: The line. White space at its end matters: "2011. " has two tokens, "2011." one.

    Returns:
        Its tokens.

    Example:
        >>> bleu_tokenize('"It cost $1,000.50 in 2011."')
        ['"', 'It', 'cost', '$', '1,000.50', 'in', '2011', '.', '"']
    """
    prepare_t2t()
    return tokenize(string, TOKENIZE_T2T)


def _count(
    matcher: Matcher, translations: list[Any], references: list[Any], names: tuple[str, str]
) -> list[int]:
    stream = column_of(references, names[1], may_be_absent=True)
    return Corpus(matcher, column_of(translations, names[0]), [stream]).count().row


@lru_cache(maxsize=16)
def _token_matcher(order: int) -> Matcher:
    return Matcher(get_tokenizer("none"), max_ngram_order=order)


@lru_cache(maxsize=2)
def _line_matcher(case_sensitive: bool) -> Matcher:
    return Matcher(peers_tokenizer("t2t"), lowercase=not case_sensitive)
