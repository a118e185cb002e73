"""`bleu.py` of CodeXGLUE, CodeT5, CodeBERT and CodeReviewer: tensorflow/nmt's formula, and `_bleu` over files."""

from __future__ import annotations

from ...errors import ArgumentValueError
from ...options import check_order
from ...scoring.nmt import nmt_score
from ..arguments import count_corpus, cut, lines_of, token_lists, token_lists_per_segment, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any

_NAMES = ("translation_corpus", "reference_corpus")


def compute_bleu(
    reference_corpus: Iterable[Sequence[Sequence[Hashable]]],
    translation_corpus: Iterable[Sequence[Hashable]],
    max_order: int = 4,
    smooth: bool = False,
) -> tuple[float, list[float], float, float, int, int]:
    """Compute the BLEU of a corpus of tokens.

    Args:
        reference_corpus: For each segment its references, at least one, each a sequence of hashable tokens.
        translation_corpus: As many translations, each a sequence of tokens.
        max_order: The longest n-grams counted, >= 1.
        smooth: Add 1 to both counts of every order.

    Returns:
        The score (0..1), the n-gram precisions (0..1), the brevity penalty, translation length over reference length,
        the translations' length in tokens, and the shortest references'.

    Raises:
        TypeError: Something is not a sequence of hashable tokens.
        ValueError: No segments, or a segment without references.
        ZeroDivisionError: The translations or the shortest references have no token at all.

    Example:
        >>> compute_bleu([["int x = 0 ;".split()]], ["int x ;".split()], max_order=2)
        (0.3630407264452067, [1.0, 0.5], 0.513417119032592, 0.6, 3, 5)
    """
    matcher = token_matcher(check_order("max_order", max_order), "shortest")
    translations, references = cut(translation_corpus, reference_corpus, _NAMES)
    if not translations:
        raise ArgumentValueError(_NAMES[0], "is empty; a corpus score needs at least one segment")
    lists = token_lists_per_segment(references, _NAMES[1])
    row = count_corpus(matcher, token_lists(translations, _NAMES[0]), lists, _NAMES)
    return nmt_score(row, bool(smooth))


def _bleu(
    ref_file: str | os.PathLike[str],
    trans_file: str | os.PathLike[str],
    subword_option: Any = None,  # noqa: ARG001  # the original's signature
) -> float:
    r"""Compute the smoothed BLEU of a file, split at white space.

    Args:
        ref_file: The file of references, one a line.
        trans_file: The file to score.
        subword_option: Has no effect.

    Returns:
        The score, 0..100, rounded to two digits; 1 is added to both counts of every order.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file is empty, or not valid UTF-8.

    Example:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     references, outputs = pathlib.Path(folder, "references"), pathlib.Path(folder, "outputs")
        ...     _ = references.write_text("int x = 0 ;\n"), outputs.write_text("int y = 0 ;\n")
        ...     _bleu(references, outputs)
        53.73
    """
    names = ("trans_file", "ref_file")
    translations, references = cut(lines_of(trans_file), lines_of(ref_file), names)
    if not translations:
        raise ArgumentValueError(names[0], "has no line, or ref_file has none")
    row = count_corpus(token_matcher(4, "shortest"), translations, [[each] for each in references], names)
    return round(100 * nmt_score(row, smooth=True)[0], 2)
