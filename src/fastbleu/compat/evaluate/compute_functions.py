"""Functions with the arguments and results of the `compute` methods of four `evaluate` modules."""

from __future__ import annotations

from functools import partial
from itertools import chain

from ...counting.matcher import cached_matcher
from ...errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Location, describe, wrong_type
from ...inputs.reading import as_list
from ...options import check_flag, check_integer, check_order
from ...scoring.nmt_formula import nmt_score
from ...tokenizers._tokenize import TOKENIZE_13A, tokenize
from ...tokenizers.names import get_tokenizer, unstripped_13a
from .. import arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any, TypeAlias

    from ...counting.matcher import Matcher
    from ...options import ReferenceLength, SmoothMethod

    #: A function from a text to its tokens; None for 13a.
    AnyTokenizer: TypeAlias = Callable[[str], Sequence[Hashable]] | None
    #: One str per prediction, or one sequence of references per prediction.
    AnyReferences: TypeAlias = Sequence[str] | Sequence[Sequence[str]]

#: The names of the arguments with hypotheses and with references, for error messages.
NAMES = ("predictions", "references")


class Tokenizer13a:
    r"""The default tokenizer of `bleu` and `google_bleu`: that of mteval-v13a, without stripping text first.

    If a function gets an object of this class as `tokenizer`, compiled code tokenizes, and the object is not called.

    Example:
        >>> Tokenizer13a()("It cost $1.5 million, didn't it? Well-\n")
        ['It', 'cost', '$', '1.5', 'million', ',', "didn't", 'it', '?', 'Well']
    """

    def __call__(self, line: str) -> list[str]:
        """Tokenize a line.

        Args:
            line: The text.

        Returns:
            The tokens of the line.

        Raises:
            TypeError: `line` is not a str.
        """
        if not isinstance(line, str):
            raise wrong_type("line", "a str", line)
        return tokenize(unstripped_13a(line), TOKENIZE_13A)

    def signature(self) -> str:
        """Return the tokenizer's name."""
        return "13a"


def is_compiled(tokenizer: AnyTokenizer) -> bool:
    """Return whether texts are tokenized by compiled code, because `tokenizer` is None or exactly a `Tokenizer13a`."""
    return tokenizer is None or type(tokenizer) is Tokenizer13a


def read_texts(predictions: Any, references: Any, tokenizer: AnyTokenizer) -> tuple[Any, Any]:
    """Check texts, and tokenize them if the user has passed a tokenizer.

    Args:
        predictions: n >= 1 str.
        references: n str, or n sequences of str.
        tokenizer: The user's tokenizer. If `is_compiled(tokenizer)`, texts are not tokenized here.

    Returns:
        n predictions, and n lists of references. Each text is a sequence of tokens, or a str if it is not tokenized.

    Raises:
        TypeError: An argument is not a sequence, a text is not a str, or the tokenizer returns no sequence of tokens.
        ValueError: The arguments differ in length or are empty, or a segment has no reference.
    """
    segments, lists, has_breaks = check_texts(predictions, references)
    if is_compiled(tokenizer):
        if not has_breaks:
            return segments, lists
        function: Callable[[str], Any] = unstripped_13a
    elif tokenizer is None or not callable(tokenizer):
        raise wrong_type("tokenizer", "a callable from str to a sequence of tokens", tokenizer)
    else:
        user_tokenizer: Callable[[str], Sequence[Hashable]] = tokenizer

        def function(text: str) -> Sequence[Hashable]:
            tokens = user_tokenizer(text)
            if isinstance(tokens, (str, bytes)) or not hasattr(tokens, "__len__"):
                raise ArgumentTypeError(
                    "tokenizer",
                    f"must return a sequence of tokens, but returned {describe(tokens)} for {describe(text)}",
                    value=tokens,
                )
            return tokens

    return list(map(function, segments)), [list(map(function, texts)) for texts in lists]


def check_texts(predictions: Any, references: Any, allow_none: bool = False) -> tuple[Any, Any, bool]:
    """Check that predictions are str, and that references are str or sequences of str.

    Args:
        predictions: n >= 1 str.
        references: n str, or n sequences of str.
        allow_none: Whether a reference in a sequence may be None.

    Returns:
        n predictions, n lists of references, and whether a text may contain a line break.

    Raises:
        TypeError: An argument is not a sequence, or a text is not a str; the error names it.
        ValueError: The arguments differ in length or are empty, or a segment has no reference.
    """
    segments, given = arguments.aligned(predictions, references, NAMES)
    prediction, reference = map(Location, NAMES)
    lists = given
    if isinstance(given[0], str):
        lists = [(text,) for text in given]
    elif not arguments.are_plain(given):
        for i, texts in enumerate(given):
            if isinstance(texts, str):
                raise wrong_type(reference[i], "a sequence of str, as references[0] is", texts)
        lists = [as_list(texts, reference[i]) for i, texts in enumerate(given)]
    if not all(lists):
        i = list(map(bool, lists)).index(False)
        raise ArgumentValueError(reference[i], f"must hold at least one reference, got {lists[i]!r}")
    try:
        return segments, lists, bool(arguments.characters_in("\n", chain(segments, *lists)))
    except TypeError:  # A text is not a str.
        arguments.check_texts(segments, prediction)
        if isinstance(given[0], str):
            arguments.check_texts(given, reference, "a str, as references[0] is")
        for i, texts in enumerate(lists):
            arguments.check_texts(texts, reference[i], allow_none=allow_none)
        return segments, lists, True


_TOKENIZER_13A = Tokenizer13a()


def _matcher(tokenizer: AnyTokenizer, order: int, reference_length: ReferenceLength = "closest") -> Matcher:
    """Return the matcher for texts from `read_texts`, which counts n-grams of the orders 1 to `order`."""
    core = get_tokenizer("13a" if is_compiled(tokenizer) else "none")
    return cached_matcher(core, max_ngram_order=order, reference_length=reference_length)


def compute(
    *,
    predictions: Sequence[str],
    references: AnyReferences,
    tokenizer: AnyTokenizer = _TOKENIZER_13A,
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """Compute BLEU like `evaluate.load("bleu").compute`.

    Args:
        predictions: n >= 1 translations: a list, tuple, array or column of str.
        references: The references of each prediction, at least one each; or n str, one reference for each prediction.
        tokenizer: A callable from str to a sequence of hashable tokens.
        max_order: The largest order of n-grams, >= 1.
        smooth: Add 1 to the matches and to the candidates of every order.

    Returns:
        A dictionary: "bleu" (0..1), "precisions" (a list, 0..1), "brevity_penalty" (0..1), "length_ratio",
        "translation_length" (in tokens), and "reference_length" (in tokens of the shortest references).

    Raises:
        TypeError: A bare str or an iterator is given instead of a list, or a text is not a str.
        ValueError: There are no predictions, the lengths differ, a segment has no reference, or `max_order` is below 1.
        ZeroDivisionError: The predictions, or the shortest references, have no tokens.

    Example:
        >>> compute(predictions=["Well, it rained."], references=[["Well, it rained all day.", "It rained."]])["bleu"]
        0.7598356856515925
    """
    matcher = _matcher(tokenizer, check_order("max_order", max_order), "shortest")
    smooth = check_flag("smooth", smooth)
    score = nmt_score(
        arguments.count_corpus(matcher, *read_texts(predictions, references, tokenizer), NAMES), smooth
    )
    keys = "bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"
    return dict(zip(keys, score, strict=True))


def compute_google_bleu(
    *,
    predictions: Sequence[str],
    references: AnyReferences,
    tokenizer: AnyTokenizer = _TOKENIZER_13A,
    min_len: int = 1,
    max_len: int = 4,
) -> dict[str, float]:
    """Compute GLEU like `evaluate.load("google_bleu").compute`.

    Args:
        predictions: n >= 1 translations: a list, tuple, array or column of str.
        references: The references of each prediction, at least one each; or n str, one reference for each prediction.
        tokenizer: A callable from str to a sequence of hashable tokens.
        min_len: The smallest order of n-grams, >= 1.
        max_len: The largest order of n-grams; -1 for no limit.

    Returns:
        A dictionary with "google_bleu" (0..1). It is 0.0 if there is no n-gram of the orders `min_len` to `max_len`.

    Raises:
        TypeError: A bare str or an iterator is given instead of a list, or a text is not a str.
        ValueError: There are no predictions, the lengths differ, a segment has no reference, `min_len` is below 1, or
            `max_len` is below -1.

    Example:
        >>> compute_google_bleu(predictions=["it rained all day"], references=["it rained all night"])
        {'google_bleu': 0.6}
    """
    from ...scoring.gleu import corpus_gleu

    min_len = check_order("min_len", min_len)
    max_len = check_integer("max_len", max_len, -1)
    segments, lists = read_texts(predictions, references, tokenizer)
    # Count the characters of a text that is not tokenized yet. It has at most as many tokens as characters.
    longest = max(map(len, chain(segments, *lists)), default=1)
    order = longest if max_len == -1 else min(max_len, longest)
    if order < min_len:
        return {"google_bleu": 0.0}
    return {"google_bleu": corpus_gleu(_matcher(tokenizer, order), lists, segments, min_len, NAMES)}


def compute_sacrebleu(
    *,
    predictions: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str | None]],
    smooth_method: SmoothMethod = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
    use_effective_order: bool = False,
) -> dict[str, Any]:
    """Compute BLEU like `evaluate.load("sacrebleu").compute`.

    Args:
        predictions: n >= 1 translations: a list, tuple, array or column of str.
        references: n sequences of equally many references, where None is a missing reference; or n str, one reference
            for each prediction.
        smooth_method: "exp", "floor", "add-k" or "none".
        smooth_value: The value for "floor" and "add-k".
        force: Do not warn of predictions that look tokenized.
        lowercase: Ignore case.
        tokenize: The tokenizer, as for `fastbleu.BLEU`; None for "13a".
        use_effective_order: Exclude the orders for which the predictions are too short.

    Returns:
        A dictionary: "score" (0..100), "counts", "totals" and "precisions" (lists with one number per order; the
        precisions are 0..100), "bp", "sys_len" and "ref_len".

    Raises:
        TypeError: A bare str or an iterator is given instead of a list, a text is not a str, or an option has the wrong
            type.
        ValueError: There are no predictions, the lengths differ, predictions differ in their number of references, or
            an option is out of range.

    Example:
        >>> compute_sacrebleu(predictions=["it rained all day"], references=["it rained all night"])["counts"]
        [3, 2, 1, 0]
    """
    options = {
        "smooth_method": smooth_method,
        "smooth_value": smooth_value,
        "force": force,
        "lowercase": lowercase,
        "tokenize": tokenize,
        "use_effective_order": use_effective_order,
    }
    return score_by(_corpus_bleu, predictions, references, **options)


def _corpus_bleu(
    hypotheses: Any, references: Any, tokenize: Any = "13a", use_effective_order: Any = False, **options: Any
) -> Any:
    """Compute the same as `fastbleu.corpus_bleu`, and log the warnings that sacreBLEU would log."""
    from ...metric.sacrebleu_functions import DropInBLEU, cached_metric

    options |= {"tokenize": tokenize, "effective_order": use_effective_order, "kind": DropInBLEU}
    return cached_metric(**options).corpus_score(hypotheses, references)


def score_by(
    corpus_bleu: Callable[..., Any], predictions: Any, references: Any, **options: Any
) -> dict[str, Any]:
    """Compute the result of `compute_sacrebleu` with the function `corpus_bleu`, which has sacreBLEU's parameters."""
    if not options["tokenize"]:
        del options["tokenize"]  # Use the default of the function.
    score = _score_streams(partial(corpus_bleu, **options), predictions, references)
    keys = "score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"
    return {key: getattr(score, key) for key in keys}


def compute_chrf(
    *,
    predictions: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str | None]],
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
) -> dict[str, Any]:
    """Compute chrF like `evaluate.load("chrf").compute`.

    Args:
        predictions: n >= 1 translations: a list, tuple, array or column of str.
        references: n sequences of equally many references, where None is a missing reference; or n str, one reference
            for each prediction.
        char_order: The largest order of character n-grams, >= 0.
        word_order: The largest order of word n-grams, >= 0; 2 is chrF++.
        beta: The weight of recall relative to precision.
        lowercase: Ignore case.
        whitespace: Count white space as characters.
        eps_smoothing: Average over all orders, with almost 0 for an order without a match, as NLTK does. Otherwise,
            exclude the orders for which the predictions or the references are too short.

    Returns:
        A dictionary: "score" (0..100), "char_order", "word_order" and "beta".

    Raises:
        TypeError: A bare str or an iterator is given instead of a list, a text is not a str, or an option has the wrong
            type.
        ValueError: There are no predictions, the lengths differ, predictions differ in their number of references, or
            an option is out of range.

    Example:
        >>> compute_chrf(predictions=["it rained all day"], references=["it rained all night"])["beta"]
        2
    """
    from ...metric.chrf import CHRF

    metric = CHRF(char_order, word_order, beta, lowercase, whitespace, eps_smoothing)
    score = _score_streams(metric.corpus_score, predictions, references)
    return {key: getattr(score, key) for key in ("score", "char_order", "word_order", "beta")}


def _score_streams(corpus_score: Callable[..., Any], predictions: Any, references: Any) -> Any:
    """Score predictions by a function that takes hypotheses and streams of references.

    Errors of `corpus_score` name the argument "hypotheses". This name is replaced by "predictions", as in `evaluate`.

    Raises:
        ValueError: Predictions differ in their number of references.
    """
    segments, lists, _ = check_texts(predictions, references, allow_none=True)
    numbers = list(map(len, lists))
    if len({*numbers}) > 1:
        i = next(i for i, number in enumerate(numbers) if number != numbers[0])
        raise ValueError(
            "sacrebleu needs the same number of references for each prediction, "
            f"but references[{i}] has {numbers[i]} and references[0] has {numbers[0]}"
        )
    try:
        return corpus_score(segments, list(zip(*lists, strict=True)))
    except ArgumentError as error:
        raise error.renamed(hypotheses=NAMES[0]) from None
