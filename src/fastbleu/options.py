"""Define the options of public functions: their types, their default values, and the checks of users' values."""

from __future__ import annotations

from operator import index

from .errors import ArgumentValueError, Location, describe, did_you_mean, wrong_type, wrong_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from os import PathLike
    from typing import Any, Literal, TypeAlias

    #: The smoothing method, which is described in `scoring.smoothing`.
    SmoothMethod: TypeAlias = Literal[
        "none", "floor", "add-k", "exp", "add-k-all", "add-one", "add-one-above-first"
    ]
    #: The rule that chooses the reference length for the brevity penalty.
    ReferenceLength: TypeAlias = Literal["closest", "closest-first", "shortest"]
    TokenizerName: TypeAlias = Literal[
        "none",
        "zh",
        "13a",
        "intl",
        "char",
        "ja-mecab",
        "ko-mecab",
        "spm",
        "flores101",
        "flores200",
        "spBLEU-1K",
    ]
    #: A tokenizer: its name, the path of a SentencePiece model, or a callable.
    AnyTokenizer: TypeAlias = TokenizerName | str | PathLike[str] | Callable[[str], Sequence[Hashable]]
    #: The score that an oracle maximizes: that of each segment, or that of the whole corpus.
    Level: TypeAlias = Literal["sentence", "corpus"]
    #: The method that finds the candidate of minimum Bayes risk.
    Method: TypeAlias = Literal["exact", "aggregate"]
    #: The significance test for systems.
    TestName: TypeAlias = Literal["randomization", "bootstrap"]
    #: The correction of p-values for the number of comparisons.
    Correction: TypeAlias = Literal["none", "bonferroni", "holm", "benjamini-hochberg"]
    #: The pairs of systems that a significance test compares.
    PairsToCompare: TypeAlias = Literal["all", "baseline"]
    #: The kind of numbers that weight the pseudo-references of minimum Bayes risk decoding.
    WeightsAs: TypeAlias = Literal["probabilities", "log-probabilities", "counts"]
    #: The formula of pairwise scores and Self-BLEU: that of the metric ("sacrebleu"), or that of NLTK's BLEU ("nltk").
    FormulaName: TypeAlias = Literal["sacrebleu", "nltk"]
    #: The smoothing method of NLTK's formula.
    NLTKSmoothing: TypeAlias = Literal[
        "method0", "method1", "method2", "method3", "method4", "method5", "method6", "method7"
    ]
    #: Which text of a pair is the hypothesis; or, if a pair is scored in both directions, how the scores are combined.
    Direction: TypeAlias = Literal[
        "query-as-hypothesis", "query-as-reference", "max", "mean", "min", "harmonic-mean"
    ]
    #: How two scores of a pair of texts are combined: one with the first text as the hypothesis, one with the second.
    Combination: TypeAlias = Literal["max", "mean", "min", "harmonic-mean"]

#: The smoothing methods and their default values; None for methods without a value.
SMOOTH_DEFAULTS: dict[str, float | None] = {
    "none": None,
    "floor": 0.1,
    "add-k": 1,
    "exp": None,
    "add-k-all": 1,
    "add-one": None,
    "add-one-above-first": None,
}

#: The rules for the reference length. The kernels identify a rule by its index in this tuple.
REFERENCE_LENGTHS: tuple[ReferenceLength, ...] = ("closest", "closest-first", "shortest")

LEVELS: tuple[Level, ...] = ("sentence", "corpus")
METHODS: tuple[Method, ...] = ("exact", "aggregate")
TESTS: tuple[TestName, ...] = ("randomization", "bootstrap")
CORRECTIONS: tuple[Correction, ...] = ("none", "bonferroni", "holm", "benjamini-hochberg")
PAIRS: tuple[PairsToCompare, ...] = ("all", "baseline")
WEIGHTS_AS: tuple[WeightsAs, ...] = ("probabilities", "log-probabilities", "counts")
FORMULAS: tuple[FormulaName, ...] = ("sacrebleu", "nltk")
COMBINATIONS: tuple[Combination, ...] = ("max", "mean", "min", "harmonic-mean")
DIRECTIONS: tuple[Direction, ...] = ("query-as-hypothesis", "query-as-reference", *COMBINATIONS)
#: NLTK's smoothing methods. The kernels identify a method by its index in this tuple.
NLTK_SMOOTHINGS: tuple[Any, ...] = tuple(f"method{i}" for i in range(8))

#: The largest number of threads allowed, so that a mistaken number cannot exhaust memory.
_MAX_THREADS = 1 << 12

#: The largest order of n-grams allowed, so that a mistaken number cannot exhaust memory.
_MAX_ORDERS = 1 << 16

#: The largest weight allowed, so that sums of weights are finite.
_LARGEST_WEIGHT = 1e300

#: The largest finite float, to tell finite numbers from infinity and NaN.
_LARGEST_FLOAT = 1.7976931348623157e308


# Checks by the type of a value


def check_flag(name: str, value: object) -> bool:
    """Check a flag, and return it as a bool. NumPy's bools, 0, 1 and None are also accepted.

    Raises:
        TypeError: The value is not a flag.
    """
    if value is None or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    if getattr(value, "dtype", None) == "bool":
        return bool(value)
    raise wrong_type(name, "True or False", value)


def check_integer(name: str | Location, value: int, minimum: int, maximum: int | None = None) -> int:
    """Check that an integer of any type is in the range `minimum`..`maximum` (None: no limit), and return it as an int.

    Raises:
        TypeError: The value is a bool, or not an integer.
        ValueError: The value is below `minimum` or above `maximum`.
    """
    try:
        integer = None if isinstance(value, bool) else index(value)
    except TypeError:
        integer = None
    if integer is None:
        raise wrong_type(name, "an int", value)
    if integer < minimum:
        raise wrong_value(name, f"at least {minimum}", integer)
    if maximum is not None and integer > maximum:
        raise wrong_value(name, f"at most {maximum}", integer)
    return integer


def check_scale(scale: float) -> float:
    """Check a scale, the score of a perfect match. Return the number by which scores of 0..100 must be divided.

    Raises:
        ValueError: The scale is neither 100 nor 1.
    """
    if isinstance(scale, bool) or scale not in (1, 100):
        raise wrong_value("scale", "100 or 1", scale)
    return 100 / scale


def check_number(
    name: str | Location, value: object, accepts: Callable[[float], bool] | None = None, expected: str = ""
) -> float:
    """Check a number of any type, and return it as a float.

    Args:
        name: The name of the argument, for errors.
        value: The number.
        accepts: A function that returns whether a number is allowed; None allows all, including NaN and infinity.
        expected: The allowed numbers in words, for the error.

    Raises:
        TypeError: The value is a bool, or not a number.
        ValueError: The number is too large for a float, or `accepts` rejects it.
    """
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__") or getattr(value, "ndim", 0) != 0:
        raise wrong_type(name, "a number", value)
    try:
        number = float(value)
    except OverflowError:
        raise ArgumentValueError(
            name, f"must be a number that a float can hold, got {describe(value)}", value=value
        ) from None
    if accepts is not None and not accepts(number):
        raise wrong_value(name, expected, value)
    return number


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Check that a value is one of `choices`.

    Raises:
        ValueError: The value is not one of them; the message lists them.
    """
    if value not in choices:
        raise wrong_value(name, f"one of {', '.join(choices)}", value)


def check_name(argument: str | Location, value: Any, is_optional: bool = False) -> None:
    """Check the name of a column, a field, a log entry or the like. None is allowed if `is_optional` is set.

    Raises:
        TypeError: The name is not a str.
        ValueError: The name is empty.
    """
    if value is None and is_optional:
        return
    if not isinstance(value, str):
        raise wrong_type(argument, "a str", value)
    if not value:
        raise ArgumentValueError(argument, "must not be empty", value=value)


def _is_nonnegative(number: float) -> bool:
    """Return whether a number is finite and not negative; False for NaN."""
    return 0 <= number <= _LARGEST_FLOAT


# Checks of single options


def check_threads(threads: int) -> int:
    """Check the number of threads that may work at the same time, and return it.

    Raises:
        TypeError: The number is not an integer.
        ValueError: The number is below 1 or above 4096.
    """
    return check_integer("threads", threads, 1, _MAX_THREADS)


def check_order(name: str, order: int, minimum: int = 1) -> int:
    """Check the largest order of n-grams, and return it.

    Raises:
        TypeError: The order is not an integer.
        ValueError: The order is below `minimum` or above 65536.
    """
    return check_integer(name, order, minimum, _MAX_ORDERS)


def check_reference_length(rule: ReferenceLength) -> ReferenceLength:
    """Check that `rule` is the name of a rule in `REFERENCE_LENGTHS`, and return it.

    Raises:
        TypeError: The name is not a str.
        ValueError: The name is unknown.
    """
    if not isinstance(rule, str):
        raise wrong_type("reference_length", "a str", rule)
    check_choice("reference_length", rule, REFERENCE_LENGTHS)
    return rule


def check_smoothing(method: SmoothMethod, value: float | None) -> float | None:
    """Check a smoothing method and its value, and return the value or its default.

    Args:
        method: A name in `SMOOTH_DEFAULTS`.
        value: The method's value, finite and not negative, or None for its default.

    Returns:
        `value`, or the method's default if `value` is None. For a method without a value, None: such a method ignores
        `value`, as in sacreBLEU.

    Raises:
        TypeError: `method` is not a str, or `value` is not an int or float.
        ValueError: The method is unknown, or the value is negative, NaN or infinite.

    Example:
        >>> check_smoothing("floor", None)
        0.1
        >>> check_smoothing("add-k", 2)
        2
        >>> check_smoothing("exp", 0.5) is None
        True
    """
    if not isinstance(method, str):
        raise wrong_type("smooth_method", "a str", method)
    if method not in SMOOTH_DEFAULTS:
        meant = did_you_mean(method, SMOOTH_DEFAULTS)
        known = f"{method!r} is unknown{meant}; choose one of {', '.join(SMOOTH_DEFAULTS)}"
        raise ArgumentValueError("smooth_method", known, value=method)
    if value is not None:
        number = check_number("smooth_value", value, _is_nonnegative, "finite and not negative")
        if not isinstance(value, int):
            value = number  # Convert NumPy's numbers to Python's.
    default = SMOOTH_DEFAULTS[method]
    return default if value is None or default is None else value


def check_weights(
    weights: Sequence[float] | None, max_ngram_order: int, name: str | Location = "weights"
) -> tuple[float, ...] | None:
    """Check the weights of the n-gram orders, and return them.

    Args:
        weights: One number for each order, 0..1e300, not all of them 0; or None for equal weights.
        max_ngram_order: The number of orders, and so of weights.
        name: The name of the argument, for errors.

    Returns:
        The weights as a tuple of floats; None if `weights` is None.

    Raises:
        TypeError: The weights are not a sequence of numbers.
        ValueError: There are too few or too many weights, a weight is negative, NaN or above 1e300, or all are 0.
    """
    if weights is None:
        return None
    if isinstance(weights, (str, bytes, dict, set)) or not hasattr(weights, "__iter__"):
        raise wrong_type(name, "a sequence of numbers", weights)
    checked: tuple[Any, ...] = tuple(weights.tolist() if hasattr(weights, "tolist") else weights)
    if len(checked) != max_ngram_order:
        raise ArgumentValueError(
            name,
            f"must hold max_ngram_order={max_ngram_order} numbers, got {len(checked)}: {weights!r}",
            value=weights,
        )
    where = name if isinstance(name, Location) else Location(name)
    for i, weight in enumerate(checked):
        if isinstance(weight, (bool, str)) or not hasattr(weight, "__float__"):
            raise wrong_type(where[i], "a number", weight)
        if not 0 <= weight <= _LARGEST_WEIGHT:  # This also rejects NaN.
            raise wrong_value(where[i], "finite and not negative", weight)
    if not any(checked):
        raise ArgumentValueError(name, f"must not all be 0, got {weights!r}", value=weights)
    return tuple(map(float, checked))
