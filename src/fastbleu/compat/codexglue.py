"""CodeXGLUE's two BLEU modules, which CodeT5 and CodeBERT also use: `_bleu` for code, `smooth_bleu` for descriptions.

    from fastbleu.compat.codexglue import _bleu                      # from evaluator.bleu import _bleu
    from fastbleu.compat import codexglue as smooth_bleu             # from evaluator import smooth_bleu

The scores equal, to the last digit, those of https://github.com/microsoft/CodeXGLUE/tree/ac74a62,
https://github.com/salesforce/CodeT5/tree/7de7f69 and https://github.com/microsoft/CodeBERT/tree/c0de43d:

- `_bleu` of `evaluator/bleu.py` is tensorflow/nmt's BLEU of two files, smoothed and rounded.
- `bleuFromMaps`, `bleu`, `computeMaps` and `splitPuncts` of `evaluator/smooth_bleu.py` (in CodeBERT `code2nl/bleu.py`)
  compute the mean of sentence scores over the lowercased tokens of mteval-v11. Smoothing adds 1 to the matches and to
  the candidates of each order above 1. The brevity penalty is exp(1 - (r + 1) / (c + 1)) for a hypothesis of c tokens
  whose shortest reference has r tokens.

Deliberate differences:

- `_bleu` warns if its files differ in length. It truncates the longer one, as the original does.
- A ValueError is raised if the arguments of `bleuFromMaps` have no common name, or if a text has no reference.
- A str instead of a list of texts causes a UserWarning. Its characters are scored as texts, as in the original.
- Files are read as UTF-8 under every locale, and lines end at newlines and carriage returns. In the copy of `bleu.py`
  in CodeXGLUE's Text-Text, lines also end at form feeds and at Unicode's line separators.
"""

from __future__ import annotations

import re
import sys
from os import PathLike
from warnings import warn

from ..counting.corpus import Corpus, read_corpus_per_segment, rows_of
from ..counting.matcher import cached_matcher
from ..counting.rows import empty_table, row_width
from ..errors import ArgumentValueError, counted, describe
from ..inputs._tokens import types_of
from ..inputs.columns import column_of
from ..inputs.text_lines import read_text
from ..scoring.codexglue_formula import sum_scores
from ..scoring.nmt_formula import nmt_score
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
    r"""Compute the BLEU of a file whose tokens are separated by white space, with add-one smoothing of every order.

    Args:
        ref_file: The file of references, one per line.
        trans_file: The file of hypotheses, one per line.
        subword_option: Ignored, as in the original.

    Returns:
        The score, 0..100, rounded to two digits.

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
        raise ArgumentValueError(_FILES[0], "and ref_file must each have at least one line")
    lists = [[reference] for reference in references[:number]]
    row = count_corpus(token_matcher(4, "shortest"), translations[:number], lists, _FILES)
    return round(100 * nmt_score(row, smooth=True)[0], 2)


def bleu(refs: Iterable[str], candidate: str, ground: int = 0, smooth: int = 1) -> list[float]:  # noqa: ARG001  # the original's signature
    """Compute the BLEU of one text.

    Args:
        refs: The references of the text, at least one.
        candidate: The text.
        ground: Ignored, as in the original.
        smooth: 1 adds 1 to the matches and to the candidates of each order above 1. Any other value does not smooth.

    Returns:
        Five numbers, 0..1: the score, and the unsmoothed precisions of the orders 1..4.

    Raises:
        ValueError: There is no reference.

    Example:
        >>> bleu(["returns the sum of a list"], "return the sum of a list")
        [0.8034284189446518, 0.8333333333333333, 0.8, 0.7500000000000001, 0.6666666666666666]
    """
    references = _listed(refs, "refs", "references")
    row, *_ = _matcher().count_one(_normalize(candidate), list(map(_normalize, references)))
    return sum_scores([row], smooth == 1)


def splitPuncts(line: str) -> str:  # noqa: N802  # the original's name
    """Put spaces between words and punctuation marks.

    Example:
        >>> splitPuncts("foo_bar(x),  y.")
        'foo_bar ( x ) , y .'
    """
    return " ".join(_WORDS.findall(line))


def computeMaps(  # noqa: N802
    predictions: Iterable[str], goldfile: str | PathLike[str] | Iterable[str]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    r"""Read predictions and references that are labelled by names.

    The number of names that have a prediction and a reference is printed to standard error.

    Args:
        predictions: Lines that consist of a name, a tab and a text. A line without a tab is a name with an empty text.
        goldfile: Lines that consist of a name, a tab and a reference, or the path of a file of such lines. Several
            lines may have the same name. Names without a prediction are ignored.

    Returns:
        Two dictionaries from names to lists of texts: the references, and the predictions. The texts are lowercased and
        have spaces around punctuation marks.

    Raises:
        ValueError: A line of references does not have exactly one tab.
        OSError: The file cannot be read.

    Example:
        >>> computeMaps(["0\tReturns x.\n"], ["0\tReturn x\n", "1\tReturn y\n"])
        ({'0': ['return x']}, {'0': ['returns x .']})
    """
    predicted = {}
    for line in predictions:
        name, *fields = line.strip().split("\t")
        predicted[name] = [splitPuncts(fields[0].strip().lower()) if fields else ""]
    gold: dict[str, list[str]] = {}
    lines = _lines_of(goldfile) if isinstance(goldfile, (str, PathLike)) else goldfile
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t")
        if len(fields) != 2:
            raise ArgumentValueError("goldfile", f"must have one tab in each line; line {number} is {line!r}")
        name, text = fields
        if name in predicted:
            gold.setdefault(name, []).append(splitPuncts(text.strip().lower()))
    sys.stderr.write(f"Total: {len(gold)}\n")
    return gold, predicted


def bleuFromMaps(m1: Mapping[Any, Sequence[str]], m2: Mapping[Any, Sequence[str]]) -> list[float]:  # noqa: N802
    """Compute the mean of the sentence scores of texts that are labelled by names.

    Args:
        m1: A dictionary from names to lists of references, at least one each.
        m2: A dictionary from names to lists of texts. Only the first text of each list is scored. Names that are only
            in `m1` or only in `m2` are ignored.

    Returns:
        Five numbers, 0..100: the mean score, and the mean unsmoothed precisions of the orders 1..4.

    Raises:
        ValueError: `m1` and `m2` have no common name, or a name has no reference or no text.

    Example:
        >>> bleuFromMaps({"0": ["returns the sum of a list"]}, {"0": ["return the sum of a list"]})
        [80.34284189446518, 83.33333333333333, 80.0, 75.00000000000001, 66.66666666666666]
    """
    names = list(m1)
    if names != list(m2):
        names = [name for name in m1 if name in m2]
        m1, m2 = ({name: texts[name] for name in names} for texts in (m1, m2))
    if not names:
        raise ArgumentValueError("m2", "has no name in common with m1; a mean needs at least one score")
    lists, predictions = list(m1.values()), list(m2.values())
    if types_of(predictions) != {list}:
        predictions = [
            _listed(m2[name], f"m2[{name!r}]", "predictions, of which the first is scored") for name in names
        ]
    texts = _normalize_all([listed[0] for listed in predictions])
    if types_of(lists) == {list} and {*map(len, lists)} == {1}:
        references = column_of(_normalize_all([listed[0] for listed in lists]), _NAMES[1], True)
        corpus = Corpus(_matcher(), column_of(texts, _NAMES[0]), [references])
    else:
        lists = [
            _normalize_all(_listed(listed, f"m1[{name!r}]", "references"))
            for name, listed in zip(names, lists, strict=True)
        ]
        corpus = read_corpus_per_segment(_matcher(), texts, lists, _NAMES)
    rows = empty_table(len(texts), row_width(4))
    corpus.count(rows_of(rows))
    return [total * 100.0 / float(len(texts)) for total in sum_scores(rows)]


def _matcher() -> Any:
    """Return the matcher that lowercases text, tokenizes it like mteval-v11, and counts n-grams of the orders 1..4."""
    return cached_matcher(MTEVAL_V11, True, reference_length="shortest")


def _normalize_all(texts: list[Any]) -> list[str]:
    """Normalize texts. A text without "&", "<" and line breaks is returned as it is, because it would not change."""
    if types_of(texts) != {str}:
        return list(map(_normalize, texts))
    return [
        text if "&" not in text and "<" not in text and "\n" not in text else _normalize(text)
        for text in texts
    ]


def _normalize(text: str | Sequence[str]) -> str:
    """Apply the first part of mteval-v11: remove "<skipped>", join lines, unescape entities.

    If `text` is a list of words, it is first joined by spaces. If it is an instance of a subclass of str, spaces are
    inserted between its characters.
    """
    if type(text) is not str:
        text = " ".join(text)
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    return text.replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", '"').replace("&amp;", "&")


def _listed(texts: Iterable[str], name: str, role: str) -> list[str]:
    """Return texts as a list, and check that there is at least one.

    Args:
        texts: The texts. A str causes a warning, and its characters are returned.
        name: The name of the argument, for the warning and the error.
        role: A word for the texts in the warning, such as "references".

    Raises:
        ValueError: There are no texts.
    """
    if isinstance(texts, str):
        warn(f"{name} is {describe(texts)}, whose characters are scored as {role}", stacklevel=3)
    listed = list(texts)
    if not listed:
        raise ArgumentValueError(name, "must hold at least one text, but it is empty")
    return listed


def _lines_of(path: str | PathLike[str]) -> list[str]:
    r"""Return the lines of a UTF-8 file without their line ends, `\n`, `\r` or `\r\n`."""
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []
