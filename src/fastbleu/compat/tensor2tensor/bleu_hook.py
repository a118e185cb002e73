"""`tensor2tensor.utils.bleu_hook`: `compute_bleu`, `bleu_wrapper` and `bleu_tokenize`."""

from __future__ import annotations

from ...counting.matcher import kept_matcher
from ...errors import Place
from ...inputs.text_files import read_text
from ...options import check_order
from ...scoring.tensor2tensor import score
from ...tokenizers._tokenize import TOKENIZE_T2T, prepare_t2t, tokenize
from ...tokenizers.names import peers_tokenizer
from ..arguments import check_texts, cut, read_pairs, token_lists, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Hashable, Iterable, Sequence

    from numpy import float32

__all__ = ["bleu_tokenize", "bleu_wrapper", "compute_bleu"]

_NAMES = ("translation_corpus", "reference_corpus")


def compute_bleu(
    reference_corpus: Iterable[Sequence[Hashable]],
    translation_corpus: Iterable[Sequence[Hashable]],
    max_order: int = 4,
    use_bp: bool = True,
) -> float32:
    """Compute the BLEU of a corpus of tokens with one reference for each translation.

    Args:
        reference_corpus: For each translation its reference, a sequence of hashable tokens; NumPy arrays will do.
        translation_corpus: As many translations, each a sequence of tokens.
        max_order: The longest n-grams that count, at least 1.
        use_bp: Whether short translations are punished.

    Returns:
        The score, 0..1, as NumPy's float32.

    Raises:
        TypeError: Something is not a sequence of hashable tokens.
        ValueError: `max_order` is below 1.

    Example:
        >>> float(compute_bleu(["the cat sat on the mat".split()], ["the cat sat on a mat".split()]))
        0.53728...
        >>> float(compute_bleu(["it rained".split()], ["it snowed".split()]))
        0.70710...
    """
    return _score(count_tokens(reference_corpus, translation_corpus, max_order), use_bp)


def bleu_wrapper(
    ref_filename: str | os.PathLike[str], hyp_filename: str | os.PathLike[str], case_sensitive: bool = False
) -> float32:
    r"""Compute the BLEU of a file of translations.

    Args:
        ref_filename: The file of references, UTF-8, lines separated by "\n".
        hyp_filename: The file of translations.
        case_sensitive: Whether case counts.

    Returns:
        The score, 0..1, as NumPy's float32.

    Raises:
        AssertionError: One file has more lines.
        OSError: A file cannot be read.
        ValueError: A file is not valid UTF-8.

    Example:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     references, translations = pathlib.Path(folder, "references"), pathlib.Path(folder, "translations")
        ...     _ = references.write_text("The cat sat on the mat.\n")
        ...     _ = translations.write_text("the cat sat on a mat.\n")
        ...     float(bleu_wrapper(references, translations))
        0.48892301321029663
    """
    references = read_text(ref_filename).split("\n")
    translations = read_text(hyp_filename).split("\n")
    if len(references) != len(translations):
        raise AssertionError(f"{len(references)} != {len(translations)}")
    return _score(count_lines(references, translations, case_sensitive), use_bp=True)


def count_tokens(
    reference_corpus: Iterable[Sequence[Hashable]],
    translation_corpus: Iterable[Sequence[Hashable]],
    max_order: int,
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
    return read_pairs(matcher, translations, references, _NAMES).count().row


def count_lines(references: list[str], translations: list[str], case_sensitive: bool) -> list[int]:
    """Count lines of text, as many references as translations, up to 4-grams; the row of the corpus.

    Raises:
        TypeError: A line is not a str.
    """
    names = ("hyp_lines", "ref_lines")
    for lines, name in zip((translations, references), names, strict=True):
        check_texts(lines, Place(name))
    matcher = kept_matcher(peers_tokenizer("t2t"), lowercase=not case_sensitive)
    return read_pairs(matcher, translations, references, names).count().row


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


def _score(row: list[int], use_bp: bool) -> float32:
    import numpy as np

    orders = len(row) // 2 - 1
    return np.float32(score(row[2 : 2 + orders], row[2 + orders :], orders, row[0], row[1], use_bp))
