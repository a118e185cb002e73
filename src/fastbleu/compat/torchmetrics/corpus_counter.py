"""Check, tokenize and count predictions and references as torchmetrics does.

torchmetrics has sacreBLEU's tokenizers, but it does not strip text, and it lowercases tokens after tokenization. The
compiled tokenizers strip and lowercase text before tokenization. Lowercasing first makes a difference only for a few
characters (`CASE_MATTERS`), so text without these characters is tokenized by the compiled tokenizer.
"""

from __future__ import annotations

from itertools import chain

from ...counting.matcher import cached_matcher
from ...errors import ArgumentValueError, Location, wrong_type
from ...inputs.reading import PER_SEGMENT, SEGMENTS, as_list
from ...options import check_flag, check_order
from ...scoring.sacrebleu_tokenizers import tokenized
from ...tokenizers.names import get_tokenizer, unstripped_13a
from ..arguments import are_plain, characters_in, count_corpus, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...counting.matcher import Matcher


#: The names of the arguments with hypotheses and with references, for error messages.
_NAMES = ("preds", "target")

#: The names of the tokenizers, as in torchmetrics' `AVAILABLE_TOKENIZERS`.
TOKENIZERS = ("none", "13a", "zh", "intl", "char", "ja-mecab", "ko-mecab", "flores101", "flores200")

#: For each tokenizer, the characters for which it matters whether text is lowercased before or after tokenization.
#: U+0130 becomes two characters, and the result for a capital sigma, U+03A3, depends on the neighbouring characters.
CASE_MATTERS = {
    "none": "",
    # 13a recognizes entities and "<skipped>" in lower case only.
    "13a": "&<\u03a3\u0130",
    # The signs for ohm, kelvin and angstrom are separate tokens. Their lowercase letters are not separate.
    "zh": "\u03a3\u0130\u2126\u212a\u212b",
    "intl": "\u03a3\u0130",
    "char": "\u03a3\u0130",
}


class SacreBLEUTokenizer:
    r"""A tokenizer of torchmetrics' SacreBLEU.

    Args:
        tokenize: One of `TOKENIZERS`.
        lowercase: Lowercase the tokens.

    Raises:
        TypeError: `lowercase` is not a flag.
        ValueError: `tokenize` is not in `TOKENIZERS`.
        ImportError, FileNotFoundError, RuntimeError: The package or the model of the tokenizer is not installed.

    Example:
        >>> SacreBLEUTokenizer("13a", lowercase=True)("It's &quot;FINE&QUOT; now.")
        ["it's", '"', 'fine', '&', 'quot', ';', 'now', '.']
    """

    def __init__(self, tokenize: str = "13a", lowercase: bool = False) -> None:
        if tokenize not in TOKENIZERS:
            raise ValueError(f"Unsupported tokenizer selected. Please, choose one of {list(TOKENIZERS)}")
        self.name = tokenize
        self.lowercase = check_flag("lowercase", lowercase)
        self.core = get_tokenizer(tokenize)

    def __call__(self, line: str) -> list[str]:
        """Tokenize a line.

        Args:
            line: The text.

        Returns:
            The tokens of the line.
        """
        return self.to_text(line).split()

    def to_text(self, line: str) -> str:
        """Return the tokens of a line as text, separated by white space."""
        text = tokenized(self.core, line) if line else ""
        return text.lower() if self.lowercase else text


class CorpusCounter:
    """Count n-gram matches as torchmetrics does.

    Args:
        tokenizer: The tokenizer of all texts.
        n_gram: The largest order of n-grams, N >= 1.

    Raises:
        TypeError: `n_gram` is not an int.
        ValueError: `n_gram` is below 1.

    Example:
        >>> counter = CorpusCounter(SacreBLEUTokenizer("none"), 2)
        >>> counter.count(["the cat sat"], [["the cat is here", "a cat"]])
        [3, 4, 2, 1, 3, 2]
    """

    def __init__(self, tokenizer: SacreBLEUTokenizer, n_gram: int) -> None:
        self.n_gram = check_order("n_gram", n_gram)
        self.tokenizer = tokenizer
        self._of_tokens = token_matcher(self.n_gram, "closest-first")
        self._of_text: Matcher | None = None
        # If a batch contains one of these characters, it must be tokenized before it is lowercased.
        self._case_matters = ""
        if tokenizer.core.compiled is not None:
            self._of_text = cached_matcher(tokenizer.core, tokenizer.lowercase, self.n_gram, "closest-first")
            self._case_matters = CASE_MATTERS[tokenizer.name] if tokenizer.lowercase else ""

    def count(self, preds: Any, target: Any) -> list[int]:
        """Count the n-gram matches of a corpus.

        Args:
            preds: n texts.
            target: The references of each text, at least one each.

        Returns:
            The sufficient statistics of the corpus, [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N. ref_len is
            the sum of the lengths of the closest references. If two are equally close, the first one counts.

        Raises:
            TypeError: An argument is not a sequence, or a text is not a str; the error names it.
            ValueError: The arguments differ in length, or a text has no reference.
        """
        preds, target = as_corpus(preds, target)
        try:
            characters = characters_in(f"\n{self._case_matters}", chain(preds, *target))
        except TypeError:  # A text is not a str.
            return self.count(*_with_empty_texts(preds, target))
        matcher, change = self._choose(preds, target, characters)
        if change is not None:
            preds, target = list(map(change, preds)), [list(map(change, texts)) for texts in target]
        return count_corpus(matcher, preds, target, _NAMES)

    def _choose(
        self, preds: Any, target: Any, characters: set[str]
    ) -> tuple[Matcher, Callable[[str], str] | None]:
        """Return the matcher for a batch, and the function to apply to each text before matching, if any.

        Args:
            preds: The texts.
            target: The references of each text.
            characters: The characters in the batch that are line breaks or in `_case_matters`.
        """
        name = self.tokenizer.name
        if (
            self._of_text is None
            or characters - {"\n"}
            or (name == "intl" and any(text[-1:].isspace() for text in chain(preds, *target)))
        ):
            return self._of_tokens, self.tokenizer.to_text
        return self._of_text, unstripped_13a if name == "13a" and characters else None


def as_corpus(preds: Any, target: Any) -> tuple[Any, Any]:
    """Check that each text has references, and convert everything but lists and tuples to lists.

    Raises:
        TypeError: An argument is not a sequence, or the references of a text are not a sequence.
        ValueError: The arguments differ in length, or a text has no reference.
    """
    preds, target = as_texts(preds, "preds"), as_texts(target, "target", PER_SEGMENT)
    if len(preds) != len(target):
        raise ValueError(f"Corpus has different size {len(preds)} != {len(target)}")
    if not are_plain(target):
        where, expected = Location("target"), "a sequence of references"
        target = [as_texts(texts, where[i], expected) for i, texts in enumerate(target)]
    if not all(target):
        i = list(map(bool, target)).index(False)
        raise ArgumentValueError(
            Location("target")[i], f"must hold at least one reference, got {target[i]!r}"
        )
    return preds, target


def as_texts(value: Any, name: str | Location, expected: str = SEGMENTS) -> Any:
    """Return a list or tuple unchanged, and any other sequence or iterator as a list.

    Args:
        value: The argument to convert.
        name: The name of the argument, for error messages.
        expected: The expected type, as the error message describes it.

    Raises:
        TypeError: The value is a str, or not a sequence.
    """
    if isinstance(value, (list, tuple)):
        return value
    return list(value if hasattr(value, "__next__") else as_list(value, name, expected))


def _with_empty_texts(preds: Any, target: Any) -> tuple[list[str], list[list[str]]]:
    """Replace None, 0, False and empty lists by "", because torchmetrics treats them as empty texts.

    A warning names the first text that is None, 0 or False.

    Raises:
        TypeError: A text is neither a str nor one of these values. The error names the first such text.
    """
    not_texts: list[Location] = []

    def as_text(text: Any, where: Location) -> str:
        if isinstance(text, str):
            return text
        if hasattr(text, "ndim") or text:
            raise wrong_type(where, "a str", text)
        if not isinstance(text, (list, tuple)):
            not_texts.append(where)
        return ""

    prediction, reference = map(Location, _NAMES)
    corpus = (
        [as_text(text, prediction[i]) for i, text in enumerate(preds)],
        [[as_text(text, reference[i, k]) for k, text in enumerate(texts)] for i, texts in enumerate(target)],
    )
    if not_texts:
        from warnings import warn

        number = f"number of such texts: {len(not_texts)}"
        warn(f"{not_texts[0]} is not text and counts as empty; {number}", stacklevel=4)
    return corpus
