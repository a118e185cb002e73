"""Translations with one reference each, counted: lists of tokens as they are, or lines."""

from __future__ import annotations

from ...counting.matcher import kept_matcher
from ...counting.rows import row_width
from ...errors import Place
from ...options import check_order
from ...tokenizers._tokenize import TOKENIZE_T2T, prepare_t2t, tokenize
from ...tokenizers.names import peers_tokenizer
from ..arguments import check_texts, cut, read_pairs, token_lists, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ...counting.matcher import Matcher

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
        TypeError: Something is not a sequence of hashable tokens, or `max_order` not an int.
        ValueError: `max_order` is below 1.
    """
    matcher = token_matcher(check_order("max_order", max_order))
    translations, references = cut(translation_corpus, reference_corpus, _NAMES)
    translations, references = map(token_lists, (translations, references), _NAMES)
    return _count(matcher, translations, references, _NAMES)


def count_lines(references: list[str], translations: list[str], case_sensitive: bool) -> list[int]:
    """Count lines of text, as many references as translations, up to 4-grams; the row of the corpus.

    Raises:
        TypeError: A line is not a str.
    """
    names = ("hyp_lines", "ref_lines")
    for lines, name in zip((translations, references), names, strict=True):
        check_texts(lines, Place(name))
    matcher = kept_matcher(peers_tokenizer("t2t"), lowercase=not case_sensitive)
    return _count(matcher, translations, references, names)


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
    if not references:
        return [0] * row_width(matcher.max_ngram_order)
    return read_pairs(matcher, translations, references, names).count().row
