"""CodeXGLUE's BLEU of code and of its descriptions: `_bleu` and `smooth_bleu`, which CodeT5 and CodeBERT share.

    from fastbleu.compat.codexglue import _bleu                      # from evaluator.bleu import _bleu
    from fastbleu.compat import codexglue as smooth_bleu             # from evaluator import smooth_bleu

Equal, to the last digit, to the programs of https://github.com/microsoft/CodeXGLUE/tree/ac74a62,
https://github.com/salesforce/CodeT5/tree/7de7f69 and https://github.com/microsoft/CodeBERT/tree/c0de43d:

- `_bleu`, in their `evaluator/bleu.py`: tensorflow/nmt's BLEU of two files, smoothed and rounded.
- `bleuFromMaps`, `bleu`, `computeMaps` and `splitPuncts`, in their `evaluator/smooth_bleu.py` or `code2nl/bleu.py`: the
  mean of sentence scores with 1 added to both counts of each order above 1, over the tokens of mteval-v11, lowercased,
  with a penalty of exp(1 - (r + 1) / (c + 1)) for the shortest reference.

Where they differ, deliberately:

- Files of unequal length are cut by `_bleu`, as there, with a UserWarning.
- `bleuFromMaps` of nothing, and a text without a reference, are a ValueError.
- A str in the place of a list, whose characters are taken for texts, as there, has a UserWarning.
- Files are UTF-8 under every locale. (The copy of `bleu.py` in CodeXGLUE's Text-Text also ends lines at form feeds
  and Unicode's separators; this one does not.)
"""

from __future__ import annotations

import re
import sys
from os import PathLike
from warnings import warn

from ..counting.corpus import Corpus, read_corpus_per_segment, rows_of
from ..counting.matcher import kept_matcher
from ..counting.rows import empty_table, row_width
from ..errors import ArgumentValueError, counted, describe
from ..inputs._tokens import types_of
from ..inputs.columns import column_of
from ..inputs.text_files import read_text
from ..scoring.nmt_formula import nmt_score
from ..scoring.smooth_bleu import sum_scores
from ..tokenizers.names import MTEVAL_V11
from .arguments import count_corpus, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

__all__ = ["bleu", "bleuFromMaps", "computeMaps", "splitPuncts"]

_NAMES = ("m2", "m1")
_FILES = ("trans_file", "ref_file")

_WORDS = re.compile(r"\w+|[^\s\w]")


def _bleu(
    ref_file: str | PathLike[str],
    trans_file: str | PathLike[str],
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
    translations, references = _lines_of(trans_file), _lines_of(ref_file)
    number = min(len(translations), len(references))
    if len(translations) != len(references):
        warn(
            f"{_FILES[0]} has {counted(len(translations), 'segment')}, {_FILES[1]} {len(references)}; "
            f"the first {number} of each are scored",
            stacklevel=2,
        )
    if not number:
        raise ArgumentValueError(_FILES[0], "has no line, or ref_file has none")
    lists = [[reference] for reference in references[:number]]
    row = count_corpus(token_matcher(4, "shortest"), translations[:number], lists, _FILES)
    return round(100 * nmt_score(row, smooth=True)[0], 2)


def bleu(refs: Iterable[str], candidate: str, ground: int = 0, smooth: int = 1) -> list[float]:  # noqa: ARG001  # as there
    """Score one text.

    Args:
        refs: Its references, at least one.
        candidate: The text.
        ground: Has no effect.
        smooth: 1: add 1 to both counts of each order above 1.

    Returns:
        The score, then the precisions of the orders 1..4; all 0..1.

    Raises:
        ValueError: There is no reference.

    Example:
        >>> bleu(["returns the sum of a list"], "return the sum of a list")
        [0.8034284189446518, 0.8333333333333333, 0.8, 0.7500000000000001, 0.6666666666666666]
    """
    references = _listed(refs, "refs", "references")
    row, *_ = _matcher().count_one(_rewritten(candidate), list(map(_rewritten, references)))
    return sum_scores([row], smooth == 1)


def splitPuncts(line: str) -> str:  # noqa: N802  # the original's name
    """Put a space between words and marks.

    Example:
        >>> splitPuncts("foo_bar(x),  y.")
        'foo_bar ( x ) , y .'
    """
    return " ".join(_WORDS.findall(line))


def computeMaps(  # noqa: N802
    predictions: Iterable[str], goldfile: str | PathLike[str] | Iterable[str]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    r"""Read predictions and references by their names.

    Args:
        predictions: Lines of a name, a tab and a text; a line without a tab is the name of an empty text.
        goldfile: The path of a file of lines of a name, a tab and a reference, or a list of the lines. A name may have
            several; names that are not predicted are left out.

    Returns:
        The references and the predictions by name, in lower case, with spaces around marks.

    Raises:
        ValueError: A line of references has not just one tab.
        OSError: The file cannot be read.

    Example:
        >>> computeMaps(["0\tReturns x.\n"], ["0\tReturn x\n", "1\tReturn y\n"])
        ({'0': ['return x']}, {'0': ['returns x .']})
    """
    predicted = {}
    for row in predictions:
        name, *rest = row.strip().split("\t")
        predicted[name] = [splitPuncts(rest[0].strip().lower()) if rest else ""]
    gold: dict[str, list[str]] = {}
    lines = _lines_of(goldfile) if isinstance(goldfile, (str, PathLike)) else goldfile
    for number, row in enumerate(lines):
        fields = row.split("\t")
        if len(fields) != 2:
            raise ArgumentValueError(
                "goldfile", f"must have one tab in each line; line {number + 1} is {row!r}"
            )
        name, text = fields
        if name in predicted:
            gold.setdefault(name, []).append(splitPuncts(text.strip().lower()))
    sys.stderr.write(f"Total: {len(gold)}\n")
    return gold, predicted


def bleuFromMaps(m1: Mapping[Any, Sequence[str]], m2: Mapping[Any, Sequence[str]]) -> list[float]:  # noqa: N802
    """Score texts one by one, and average.

    Args:
        m1: For each name its references, at least one.
        m2: For each name a list that begins with the text to score. Names that only one of the two has are left out.

    Returns:
        The mean score, then the mean precisions of the orders 1..4; all 0..100.

    Raises:
        ValueError: No name is in both, or a name has no reference.

    Example:
        >>> bleuFromMaps({"0": ["returns the sum of a list"]}, {"0": ["return the sum of a list"]})
        [80.34284189446518, 83.33333333333333, 80.0, 75.00000000000001, 66.66666666666666]
    """
    names = list(m1)
    if names != list(m2):
        names = [name for name in m1 if name in m2]
        m1, m2 = ({name: given[name] for name in names} for given in (m1, m2))
    if not names:
        raise ArgumentValueError("m2", "has no name in common with m1; a mean needs at least one score")
    lists, found = list(m1.values()), list(m2.values())
    if types_of(found) != {list}:
        found = [
            _listed(m2[name], f"m2[{name!r}]", "predictions, of which the first is scored") for name in names
        ]
    texts = _all_rewritten([some[0] for some in found])
    if types_of(lists) == {list} and {*map(len, lists)} == {1}:
        references = column_of(_all_rewritten([some[0] for some in lists]), _NAMES[1], True)
        corpus = Corpus(_matcher(), column_of(texts, _NAMES[0]), [references])
    else:
        lists = [
            _all_rewritten(_listed(some, f"m1[{name!r}]", "references"))
            for name, some in zip(names, lists, strict=True)
        ]
        corpus = read_corpus_per_segment(_matcher(), texts, lists, _NAMES)
    rows = empty_table(len(texts), row_width(4))
    corpus.count(rows_of(rows))
    return [total * 100.0 / float(len(texts)) for total in sum_scores(rows)]


def _matcher() -> Any:
    return kept_matcher(MTEVAL_V11, True, reference_length="shortest")


def _all_rewritten(texts: list[Any]) -> list[str]:
    """Do the first part of mteval-v11 to all texts; most need no change."""
    if types_of(texts) != {str}:
        return list(map(_rewritten, texts))
    return [
        text if "&" not in text and "<" not in text and "\n" not in text else _rewritten(text)
        for text in texts
    ]


def _rewritten(text: str | Sequence[str]) -> str:
    """Do the first part of mteval-v11: remove tags, join lines, unescape entities.

    Words, or the characters of a str of any subclass, are joined by spaces first.
    """
    if type(text) is not str:
        text = " ".join(text)
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    return text.replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", '"').replace("&amp;", "&")


def _listed(texts: Iterable[str], name: str, role: str) -> list[str]:
    """Return a list of at least one text; warn of a str, whose characters are taken for texts."""
    if isinstance(texts, str):
        warn(f"{name} is {describe(texts)}, the characters of which are taken for {role}", stacklevel=3)
    listed = list(texts)
    if not listed:
        raise ArgumentValueError(name, "holds no text")
    return listed


def _lines_of(path: str | PathLike[str]) -> list[str]:
    r"""Read the lines of a file in UTF-8, without their ends; `\r` and `\r\n` are ends of lines, too."""
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []
