"""`bleu.py` of CodeXGLUE, CodeT5, CodeBERT and CodeReviewer: tensorflow/nmt's formula, and `_bleu` over files."""

from __future__ import annotations

from ...errors import ArgumentValueError
from ...scoring.nmt import nmt_score
from ..arguments import count_corpus, cut, lines_of, token_matcher
from ..nmt import compute_bleu

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

__all__ = ["compute_bleu"]


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
