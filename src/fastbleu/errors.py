"""Errors of arguments: how they name the argument, the indices and the value.

Each message is worded where its check is: `options` has those of options, `inputs.reading` those of hypotheses and
references.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeVar

    from numpy import int64
    from numpy.typing import NDArray
    from typing_extensions import Self

    AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

#: The number of characters of a bad value that a message shows.
_LONGEST_SHOWN = 60

#: The index of a value that is named without an index.
NO_INDEX = -1


def describe(value: object) -> str:
    """Describe a bad value: its type, and the keys of a mapping or the beginning of its `repr`.

    Example:
        >>> describe(1.5), describe({"target": "It rained."})
        ('float: 1.5', "dict with the keys ['target']")
    """
    if isinstance(value, Mapping):
        return f"{type(value).__name__} with the keys {show([*value])}"
    return f"{type(value).__name__}: {show(value)}"


def show(value: object) -> str:
    """Return the beginning of the `repr` of a bad value, on one line.

    Example:
        >>> show("a" * 1_000_000)
        "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    """
    try:
        shown = repr(value)
    except Exception:  # noqa: BLE001  # a list nested a thousand deep has no repr, and a `__repr__` may raise anything
        shown = "(its repr raises an error)"
    if "\n" in shown:  # A message is one line.
        shown = " ".join(shown.split())
    return shown if len(shown) <= _LONGEST_SHOWN else shown[:_LONGEST_SHOWN] + "..."


def counted(number: int, noun: str, separator: str = "") -> str:
    """Return a number with its noun, in singular or plural.

    Args:
        number: The number.
        noun: The noun in singular.
        separator: The separator of thousands: "" or ",".

    Example:
        >>> counted(1, "line"), counted(2000, "line", ","), counted(0, "hypothesis")
        ('1 line', '2,000 lines', '0 hypotheses')
    """
    plural = f"{noun[:-2]}es" if noun.endswith("is") else f"{noun}s"
    return f"{number:{separator}} {noun if number == 1 else plural}"


def there_are(number: int, noun: str) -> str:
    """Return "there is" or "there are", followed by a number with its noun.

    Example:
        >>> there_are(1, "hypothesis"), there_are(2, "hypothesis")
        ('there is 1 hypothesis', 'there are 2 hypotheses')
    """
    return f"there {'is' if number == 1 else 'are'} {counted(number, noun)}"


class Location:
    """The location of a value: the name of an argument, and the indices that lead from it to the value.

    Args:
        argument: The name of the argument.
        indices: The indices.
        last: Indices that follow the next one to be added, as k in `references[segment][k]` while the segment is
            unknown.

    Example:
        >>> references = Location("references")
        >>> str(references[3][1]), str(references.before(1)[3]), str(Location("weights")["a", 2])
        ('references[3][1]', 'references[3][1]', "weights['a'][2]")
    """

    __slots__ = ("argument", "indices", "last")

    def __init__(self, argument: str, indices: tuple[Any, ...] = (), last: tuple[Any, ...] = ()) -> None:
        self.argument = argument
        self.indices = indices
        self.last = last

    def __getitem__(self, index: Any) -> Location:
        """Return the location with this index added, or all indices of a tuple in order."""
        if type(index) is tuple:
            return Location(self.argument, (*self.indices, *index[:1], *self.last, *index[1:]))
        return Location(self.argument, (*self.indices, index, *self.last))

    def before(self, *last: Any) -> Location:
        """Return the location with these indices at its end. The next index to be added is inserted before them."""
        return Location(self.argument, self.indices, last)

    def __str__(self) -> str:
        return self.argument + "".join(f"[{index!r}]" for index in self.indices)


class GroupLocation(Location):
    """The location of consecutive rows in groups: row n of all rows is `argument[i][k]`, row k of group i.

    Args:
        where: The location of all groups; may be a `GroupLocation` itself.
        bounds: A sequence of integers: row bounds[i] is the first of group first + i.
        first: The index of the first group.

    Example:
        >>> hypotheses = Location("hypotheses")
        >>> str(GroupLocation(hypotheses, range(0, 13, 4))[9]), str(GroupLocation(hypotheses, range(5)))
        ('hypotheses[2][1]', 'hypotheses')
    """

    __slots__ = ("_bounds", "_first", "_where")

    def __init__(self, where: Location, bounds: Sequence[int] | NDArray[int64], first: int = 0) -> None:
        super().__init__(where.argument, where.indices)
        self._first = first
        self._where = where
        self._bounds = bounds

    def __getitem__(self, index: Any) -> Location:
        """Return the location of a row by its number, or of a tuple of the number and further indices."""
        indices = index if type(index) is tuple else (index,)
        if not indices:
            return self
        number, *rest = indices
        i = bisect_right(self._bounds, number) - 1
        return self._where[(self._first + i, int(number - self._bounds[i]), *rest)]


#: Called with the message of each likely mistake of a program, and the file and line of its call; None: no observer.
observer: Callable[[str, str, int], object] | None = None

#: Packages whose frames between fastbleu and the calling program are skipped.
_INSIDE = frozenset(
    ("evaluate", "fast_bleu", "fastbleu", "mbrs", "nltk", "pycocoevalcap", "sacrebleu", "torchmetrics")
)


def locate(name: str | Location, index: int = NO_INDEX) -> Location:
    """Return the location of an argument, or of the value at this index in it.

    Example:
        >>> str(locate("hypotheses", 3)), str(locate("hypothesis"))
        ('hypotheses[3]', 'hypothesis')
    """
    where = name if isinstance(name, Location) else Location(name)
    return where if index == NO_INDEX else where[index]


class ArgumentError(Exception):
    """The base of errors about arguments. Only its subclasses are raised, which are also TypeErrors or ValueErrors.

    Args:
        where: The location of the value; a str is the name of the argument.
        text: The message after the location. Between one text and the next the location is repeated.
        value: The value that is wrong.

    Attributes:
        location: The location of the value.
        value: The value; None if there is none to show. A pickled error does not keep it.

    Example:
        >>> error = ArgumentTypeError(Location("ids")[3], "is on an accelerator; bring it here: ", ".cpu()")
        >>> print(error)
        ids[3] is on an accelerator; bring it here: ids[3].cpu()
        >>> print(error.at(Location("references")[0][error.indices]))
        references[0][3] is on an accelerator; bring it here: references[0][3].cpu()
        >>> error.argument, error.indices, isinstance(error, TypeError)
        ('ids', (3,), True)
    """

    def __init__(self, where: str | Location, *text: str, value: object = None) -> None:
        self.location = locate(where)
        self.value = value
        self._text = text
        name = str(self.location)
        super().__init__(f"{name} {name.join(text)}")

    @property
    def argument(self) -> str:
        """Return the name of the argument."""
        return self.location.argument

    @property
    def indices(self) -> tuple[Any, ...]:
        """Return the indices that lead from the argument to the value."""
        return self.location.indices

    def at(self, where: str | Location) -> Self:
        """Return this error with another location of the value."""
        return type(self)(where, *self._text, value=self.value)

    def renamed(self, **names: str) -> Self:
        """Return this error, with the argument renamed if `names` has a new name for it.

        Example:
            >>> print(wrong_type(Location("hypotheses")[3], "a str", 7).renamed(hypotheses="predictions"))
            predictions[3] must be a str, not int: 7
        """
        return self.at(Location(names.get(self.argument, self.argument), self.indices))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.location, *self._text)


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument, or a value in it, has the wrong type."""


class ArgumentValueError(ArgumentError, ValueError):
    """An argument, or a value in it, has the right type and a wrong value."""


def notice(message: str) -> None:
    """Report a likely mistake of the calling program to the observer, if there is one."""
    if observer is not None:
        _tell(message)


def warn_of_call(message: str) -> None:
    """Warn at the line of the program that called this package or a peer, and report to the observer."""
    from warnings import warn

    warn(message, UserWarning, stacklevel=_tell(message))


def _tell(message: str) -> int:
    """Report to the observer, and return the stack level of the program's frame for `warnings.warn` in the caller."""
    from inspect import currentframe

    frame, depth = currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        frame, depth = frame.f_back, depth + 1
    if frame is not None and observer is not None:
        observer(message, frame.f_code.co_filename, frame.f_lineno)
    return depth


def wrong_type(where: str | Location, expected: str, value: object) -> ArgumentTypeError:
    """Return the error for a value of the wrong type.

    Example:
        >>> raise wrong_type("threads", "an int", "2")
        Traceback (most recent call last):
        fastbleu.errors.ArgumentTypeError: threads must be an int, not str: '2'
    """
    return ArgumentTypeError(where, f"must be {expected}, not {describe(value)}", value=value)


def wrong_value(where: str | Location, expected: str, value: object) -> ArgumentValueError:
    """Return the error for a value of the right type that is not allowed.

    Example:
        >>> raise wrong_value("threads", "at least 1", 0)
        Traceback (most recent call last):
        fastbleu.errors.ArgumentValueError: threads must be at least 1, got 0
    """
    return ArgumentValueError(where, f"must be {expected}, got {show(value)}", value=value)


def untokenizable(text: str, what: str, name: str) -> ArgumentValueError:
    """Return the error for a text that a third-party tokenizer cannot process.

    Args:
        text: The text.
        what: Its part that the tokenizer cannot process, such as "a lone surrogate".
        name: The name of the tokenizer.
    """
    return ArgumentValueError(
        "text", f"has {what}, which tokenize={name!r} cannot take: {show(text)}", value=text
    )


# Options


#: Names of an option that other functions call differently.
_ELSEWHERE = {"k": "top_k", "top_k": "k", "threshold": "at_least", "at_least": "threshold"}


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint at the most similar of the known names, to append to a message; "" if none is similar.

    Example:
        >>> did_you_mean("langauge", ["language", "metric"]), did_you_mean("x", ["language"])
        (" (did you mean 'language'?)", '')
    """
    from difflib import get_close_matches

    by_lowercase = {each.lower(): each for each in known}
    close = get_close_matches(name.lower(), by_lowercase, n=1)
    return f" (did you mean {by_lowercase[close[0]]!r}?)" if close else ""


def option_names(function: Any) -> tuple[str, ...]:
    """Return the names of the arguments of a function, or of one that `suggests_options` has decorated."""
    code = getattr(function, "__wrapped__", function).__code__
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names[1:] if names[:1] == ("self",) else names


def check_options(name: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Check that a function has all options that were given by name.

    Raises:
        TypeError: An option is unknown. The message is Python's, with a hint at the most similar option.

    Example:
        >>> check_options("BLEUReward", ["langauge"], ["language"])
        Traceback (most recent call last):
        TypeError: BLEUReward() got an unexpected keyword argument 'langauge' (did you mean 'language'?)
    """
    for option in given:
        if option not in known:
            hint = did_you_mean(_ELSEWHERE.get(option, option), known)
            raise TypeError(f"{name}() got an unexpected keyword argument {option!r}{hint}")


def suggests_options(function: AnyFunction) -> AnyFunction:
    """Decorate a function, or the `__init__` of a class, so that the error for a misspelt option suggests one.

    Only the error takes extra time; a call binds its arguments as before.
    """

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError as error:
            # Without a further frame, binding the arguments failed.
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                is_class = function.__name__ == "__init__"
                name = type(arguments[0]).__name__ if is_class else function.__name__
                check_options(name, options, option_names(function))
            raise

    return call  # type: ignore[return-value]
