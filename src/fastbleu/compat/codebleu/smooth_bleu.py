r"""`smooth_bleu.py` of CodeT5 and CodeXGLUE, `bleu.py` of CodeBERT's code2nl and of code-to-text.

    from fastbleu.compat.codebleu import smooth_bleu                # from evaluator import smooth_bleu
    goldMap, predictionMap = smooth_bleu.computeMaps(predictions, goldfile)
    smooth_bleu.bleuFromMaps(goldMap, predictionMap)[0]

Equal, to the last digit, to https://github.com/salesforce/CodeT5/blob/7de7f69/CodeT5/evaluator/smooth_bleu.py, which is
the same program as https://github.com/microsoft/CodeBERT/blob/c0de43d/CodeBERT/code2nl/bleu.py and
https://github.com/microsoft/CodeXGLUE/blob/ac74a62/Code-Text/code-to-text/code/bleu.py: the mean of sentence scores,
with 1 added to both counts of each order above 1, the tokens of mteval-v11 and a penalty of exp(1 - (r + 1) / (c + 1)).
The module's settings `nonorm`, `preserve_case` and `eff_ref_len` may be changed, as there.

Where it differs, deliberately:

- `cook_refs` returns the references' lengths with their tokens, which `cook_test` counts; there, with their n-grams.
- `ground`, which has no effect, is not looked at. `bleuFromMaps` without any pair is a ValueError, there a
  ZeroDivisionError; so are references of the length "average" or "closest" without any reference.
- A str in the place of a list of references or of predictions is scored by its characters, as there, with a
  UserWarning.
- Files are read as UTF-8 under every locale.
- CodeReviewer's `bleu_fromstr`, with its own list of stop words, is not there; what it passes to `computeMaps` may be a
  list of lines instead of a file here, too.
"""

from __future__ import annotations

import re
import sys
from os import PathLike
from warnings import warn

from ...counting.corpus import read_corpus_per_segment, rows_of
from ...counting.matcher import kept_matcher
from ...counting.rows import empty_table, row_width
from ...errors import ArgumentValueError, describe, wrong_value
from ...scoring.smooth_bleu import sum_scores
from ...tokenizers.names import MTEVAL_V11, get_tokenizer
from ..arguments import lines_of, ngrams_of, read_pairs, token_matcher
from ._maps import plain_texts, single_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from typing import Any

    from ...options import ReferenceLength

#: Set it to 1 to split texts at white space and do nothing else with them.
nonorm = 0
#: Whether case counts.
preserve_case = False
#: Whose length counts of several references: "shortest", "closest" (the first of two) or "average".
eff_ref_len = "shortest"

_NAMES = ("m2", "m1")
_LENGTHS: dict[str, ReferenceLength] = {"shortest": "shortest", "closest": "closest-first"}

#: What a text to be rewritten holds, at least one of these.
_REWRITTEN = re.compile("[&<\n]")
_WORDS = re.compile(r"\w+|[^\s\w]")


def normalize(s: str | Sequence[str]) -> list[str]:
    r"""Make tokens of a text as mteval-v11 does.

    Args:
        s: The text; words, or the characters of a str of any subclass, are joined by spaces first.

    Returns:
        Its tokens, in lower case unless `preserve_case`.

    Example:
        >>> normalize("Returns the SUM, e.g. 1.5 &lt; x.\n")
        ['returns', 'the', 'sum', ',', 'e', '.', 'g', '.', '1.5', '<', 'x', '.']
    """
    if nonorm:
        return s.split()  # type: ignore[union-attr]
    text = _rewritten(s)
    from ...tokenizers._tokenize import TOKENIZE_V11, tokenize

    return tokenize(text, TOKENIZE_V11, not preserve_case)


def _rewritten(s: str | Sequence[str]) -> str:
    """Do the first part of mteval-v11: remove tags, join lines, unescape entities."""
    if type(s) is not str:
        s = " ".join(s)
    if not _REWRITTEN.search(s):
        return s
    s = s.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    return s.replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", '"').replace("&amp;", "&")


def count_ngrams(words: Sequence[Hashable], n: int = 4) -> dict[tuple[Hashable, ...], int]:
    """Count the n-grams of a list of tokens, of all orders up to n.

    Example:
        >>> count_ngrams("a b a".split(), 2)
        {('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1}
    """
    from collections import Counter

    return dict(Counter(ngrams_of(words, n)))


def cook_refs(refs: Iterable[str], n: int = 4) -> tuple[list[int], list[list[str]]]:  # noqa: ARG001  # as there
    """Prepare the references of one text for `cook_test`: their lengths, and their tokens."""
    if isinstance(refs, str):
        _warn_of_text("refs", refs, "references")
    tokens = [normalize(reference) for reference in refs]
    return list(map(len, tokens)), tokens


def cook_test(test: str, item: tuple[list[int], list[list[str]]], n: int = 4) -> dict[str, Any]:
    """Count one text.

    Args:
        test: The text.
        item: What `cook_refs` returns for its references.
        n: The longest n-grams counted.

    Returns:
        `testlen`, `reflen`, and by order the candidates, `guess`, and the matches, `correct`.

    Example:
        >>> cook_test("a b", cook_refs(["a b c"]), 2)
        {'testlen': 2, 'reflen': 3, 'guess': [2, 1], 'correct': [2, 1]}
    """
    lengths, references = item
    tokens = normalize(test)
    row, *_ = token_matcher(n, _LENGTHS.get(eff_ref_len, "shortest")).count_one(tokens, references or [[]])
    result: dict[str, Any] = {"testlen": row[0]}
    if eff_ref_len in ("shortest", "average", "closest"):
        if not lengths and eff_ref_len != "closest":
            raise ArgumentValueError("item", "holds no reference")
        if eff_ref_len == "average":
            result["reflen"] = float(sum(lengths)) / len(lengths)
        elif lengths:
            result["reflen"] = row[1]
    result["guess"], result["correct"] = row[2 + n :], row[2 : 2 + n]
    return result


def score_cooked(
    allcomps: Iterable[Mapping[str, Any]],
    n: int = 4,
    ground: int = 0,  # noqa: ARG001  # the original's signature
    smooth: int = 1,
) -> list[float]:
    """Score texts together from what `cook_test` returns.

    Args:
        allcomps: The counts of each text.
        n: The longest n-grams that count, at least 1.
        ground: Has no effect.
        smooth: 1: add 1 to both counts of each order above 1.

    Returns:
        The score, then the precisions of the orders 1..n; all 0..1.

    Example:
        >>> score_cooked([cook_test("a b", cook_refs(["a b c"]), 2)], n=2)
        [0.7165313105737893, 1.0, 1.0]
    """
    row, ref_len = [0] * (2 + 2 * n), 0
    for comps in allcomps:
        counted = [comps["testlen"], 0, *comps["correct"][:n], *comps["guess"][:n]]
        row = [total + count for total, count in zip(row, counted, strict=True)]
        ref_len += comps["reflen"]
    return sum_scores([row], [ref_len], smooth == 1)


def bleu(refs: Iterable[str], candidate: str, ground: int = 0, smooth: int = 1) -> list[float]:
    """Score one text.

    Args:
        refs: Its references, at least one.
        candidate: The text.
        ground: Has no effect.
        smooth: 1: add 1 to both counts of each order above 1.

    Returns:
        As `score_cooked` with n = 4.

    Example:
        >>> bleu(["returns the sum of a list"], "return the sum of a list")
        [0.8034284189446518, 0.8333333333333333, 0.8, 0.7500000000000001, 0.6666666666666666]
    """
    return score_cooked([cook_test(candidate, cook_refs(refs))], ground=ground, smooth=smooth)


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
    lines = lines_of(goldfile) if isinstance(goldfile, (str, PathLike)) else goldfile
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
    if eff_ref_len != "average" and eff_ref_len not in _LENGTHS:
        raise wrong_value("eff_ref_len", f"'average' or one of {[*_LENGTHS]}", eff_ref_len)
    tokenizer = get_tokenizer("none") if nonorm else MTEVAL_V11
    rule = _LENGTHS.get(eff_ref_len, "shortest")
    matcher = kept_matcher(tokenizer, not (nonorm or preserve_case), reference_length=rule)
    lengths = pairs = None
    if type(m1) is dict and type(m2) is dict and eff_ref_len != "average":
        pairs = single_pairs(m1, m2, _prepared)
    if pairs is not None:
        texts, others = pairs
        corpus = read_pairs(matcher, texts, others, _NAMES)
    else:
        names = [name for name in m1 if name in m2]
        texts = plain_texts([_first(m2[name], name) for name in names], _prepared)
        listed = [_references(m1[name], name) for name in names]
        corpus = read_corpus_per_segment(
            matcher, texts, [plain_texts(some, _prepared) for some in listed], _NAMES
        )
        if eff_ref_len == "average":
            lengths = [float(sum(len(normalize(each)) for each in some)) / len(some) for some in listed]
    if not texts:
        raise ArgumentValueError("m2", "has no name in common with m1; a mean needs at least one score")
    rows = empty_table(len(texts), row_width(4))
    corpus.count(rows_of(rows))
    return [total * 100.0 / float(len(texts)) for total in sum_scores(rows, lengths)]


def _prepared(s: str | Sequence[str]) -> str:
    return s if nonorm else _rewritten(s)  # type: ignore[return-value]


def _first(found: Sequence[str], name: Any) -> str:
    if isinstance(found, str):
        _warn_of_text(f"m2[{name!r}]", found, "predictions, of which the first is scored")
    return found[0]


def _references(some: Sequence[str], name: Any) -> list[str]:
    if type(some) is list and some:
        return some
    if isinstance(some, str):
        _warn_of_text(f"m1[{name!r}]", some, "references")
    if not len(some):
        raise ArgumentValueError(f"m1[{name!r}]", "holds no reference")
    return list(some)


def _warn_of_text(name: str, text: str, what: str) -> None:
    warn(f"{name} is {describe(text)}, the characters of which are taken for {what}", stacklevel=4)
