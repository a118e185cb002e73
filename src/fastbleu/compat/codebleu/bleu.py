"""`bleu.py` of CodeXGLUE, CodeT5, CodeBERT and CodeReviewer: tensorflow/nmt's formula, and `_bleu` over files."""

from __future__ import annotations

from itertools import chain
from warnings import warn

from ...errors import ArgumentValueError, Place
from ...inputs.reading import as_list, tokens_or_characters
from ...scoring.nmt import count_corpus, nmt_matcher, nmt_score
from ...tokenizers.names import get_tokenizer
from .files import lines_of

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
    matcher = nmt_matcher(get_tokenizer("none"), max_order)
    translations, references = _aligned(list(translation_corpus), list(reference_corpus), _NAMES)
    lists = [as_list(some, Place(_NAMES[1])[i]) for i, some in enumerate(references)]
    where = (Place(_NAMES[1])[i, k] for i, some in enumerate(lists) for k in range(len(some)))
    flat = list(chain.from_iterable(lists))
    checked = tokens_or_characters(flat, _NAMES[1], where)
    if checked is not flat:
        each = iter(checked)
        lists = [[next(each) for _ in some] for some in lists]
    return nmt_score(
        count_corpus(matcher, tokens_or_characters(translations, _NAMES[0]), lists, _NAMES), bool(smooth)
    )


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
    translations, references = _aligned(lines_of(trans_file), lines_of(ref_file), names)
    if not translations:
        raise ArgumentValueError(names[0], "has no line, or ref_file has none")
    matcher = nmt_matcher(get_tokenizer("none"), 4)
    row = count_corpus(matcher, translations, [[reference] for reference in references], names)
    return round(100 * nmt_score(row, smooth=True)[0], 2)


def _aligned(
    translations: list[Any], references: list[Any], names: tuple[str, str]
) -> tuple[list[Any], list[Any]]:
    """Two lists of the same length: the longer one is cut, as `zip` does there."""
    number = min(len(translations), len(references))
    if max(len(translations), len(references)) > number:
        warn(
            f"{names[0]} has {len(translations)} segments, {names[1]} {len(references)}; "
            f"the first {number} of each are scored",
            stacklevel=3,
        )
    return translations[:number], references[:number]
