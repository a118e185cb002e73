"""Define the errors about arguments. Their messages name the argument, the indices and the value.

The wording of each message is next to its check: in `options` for options, in `inputs.reading` for hypotheses and
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

#: A message shows at most this many characters of a bad value.
_LONGEST_SHOWN = 60

#: An index with this value means the whole argument, not a value in it.
NO_INDEX = -1


def describe(value: object) -> str:
    """Describe a bad value by its type and its `repr`, or a mapping by its type and its keys. Long text is truncated.

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
    if "\n" in shown:  # Keep the message on one line.
        shown = " ".join(shown.split())
    return shown if len(shown) <= _LONGEST_SHOWN else shown[:_LONGEST_SHOWN] + "..."


def counted(number: int, noun: str, separator: str = "") -> str:
    """Return a number followed by its noun, in the singular or the plural.

    Args:
        number: The number.
        noun: The noun in the singular.
        separator: The thousands separator: "" or ",".

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
        indices: The indices, the outermost first.
        last: The indices to append after the next index. For example, if `last` is `(k,)` and the argument is
            `references`, appending `segment` gives `references[segment][k]`.

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
        """Return the location with `index` appended; the indices of a tuple are appended one by one."""
        if type(index) is tuple:
            return Location(self.argument, (*self.indices, *index[:1], *self.last, *index[1:]))
        return Location(self.argument, (*self.indices, index, *self.last))

    def before(self, *last: Any) -> Location:
        """Return a copy of this location that appends the indices `last` right after the next index."""
        return Location(self.argument, self.indices, last)

    def __str__(self) -> str:
        return self.argument + "".join(f"[{index!r}]" for index in self.indices)


class GroupLocation(Location):
    """The location of rows that are numbered across groups: row number n is `argument[i][k]`, row k of group i.

    Args:
        where: The location of the list of groups, which may itself be a `GroupLocation`.
        bounds: The number of the first row of each group, from the group with index `first` on.
        first: The index of the group whose first row has the number `bounds[0]`.

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
        """Return the location of the row with this number; for a tuple (number, *indices), of a value in that row."""
        indices = index if type(index) is tuple else (index,)
        if not indices:
            return self
        number, *rest = indices
        i = bisect_right(self._bounds, number) - 1
        return self._where[(self._first + i, int(number - self._bounds[i]), *rest)]


#: A function that is called for each likely mistake of the calling program, with a message, the file and the line of
#: the mistaken call. If it is None, mistakes are not reported.
observer: Callable[[str, str, int], object] | None = None

#: Packages that are not part of the calling program. The search for the program's line skips their stack frames.
_INSIDE = frozenset(
    ("evaluate", "fast_bleu", "fastbleu", "mbrs", "nltk", "pycocoevalcap", "sacrebleu", "torchmetrics")
)


def locate(name: str | Location, index: int = NO_INDEX) -> Location:
    """Return the location of an argument, or of the value at `index` in the argument.

    Example:
        >>> str(locate("hypotheses", 3)), str(locate("hypothesis"))
        ('hypotheses[3]', 'hypothesis')
    """
    where = name if isinstance(name, Location) else Location(name)
    return where if index == NO_INDEX else where[index]


class ArgumentError(Exception):
    """The base class of errors about arguments. Each raised error is an ArgumentTypeError or an ArgumentValueError.

    Args:
        where: The location of the wrong value; a str is the name of the argument.
        text: The message after the location. If there are several texts, the location is repeated between them.
        value: The wrong value, or None if there is no single one.

    Attributes:
        location: The location of the wrong value.
        value: The wrong value, or None. After unpickling it is always None.

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
        """Return a copy of this error that names another location."""
        return type(self)(where, *self._text, value=self.value)

    def renamed(self, **names: str) -> Self:
        """Return a copy of this error, with the argument renamed as in `names`, {old name: new name}.

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
    """Report a likely mistake of the calling program to `observer`, if one is set."""
    if observer is not None:
        _tell(message)


def warn_of_call(message: str) -> None:
    """Warn of a likely mistake at the line of the calling program, and report it to `observer`, if one is set."""
    from warnings import warn

    warn(message, UserWarning, stacklevel=_tell(message))


def _tell(message: str) -> int:
    """Report a message to `observer`. Return the `stacklevel` with which to warn at the calling program's line."""
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
        what: The content that the tokenizer cannot process, such as "a lone surrogate".
        name: The name of the tokenizer.
    """
    return ArgumentValueError(
        "text", f"has {what}, which tokenize={name!r} cannot take: {show(text)}", value=text
    )


# Names of options


#: Options that have different names in different functions: {a name that a function lacks: the name to suggest}.
_OTHER_NAMES = {"k": "top_k", "top_k": "k", "threshold": "at_least", "at_least": "threshold"}


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint to append to a message, with the most similar known name; "" if none is similar.

    Example:
        >>> did_you_mean("langauge", ["language", "metric"]), did_you_mean("x", ["language"])
        (" (did you mean 'language'?)", '')
    """
    from difflib import get_close_matches

    by_lowercase = {known_name.lower(): known_name for known_name in known}
    close = get_close_matches(name.lower(), by_lowercase, n=1)
    return f" (did you mean {by_lowercase[close[0]]!r}?)" if close else ""


def option_names(function: Any) -> tuple[str, ...]:
    """Return the argument names of a function, without `self`; a decorator such as `suggests_options` is unwrapped."""
    code = getattr(function, "__wrapped__", function).__code__
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names[1:] if names[:1] == ("self",) else names


def check_options(name: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Check that a function accepts all options that a call passes by name.

    Args:
        name: The name of the function, for the error.
        given: The names of the options in the call.
        known: The names of the function's options.

    Raises:
        TypeError: An option is unknown. The message is Python's, with a hint at the most similar option.

    Example:
        >>> check_options("BLEUReward", ["langauge"], ["language"])
        Traceback (most recent call last):
        TypeError: BLEUReward() got an unexpected keyword argument 'langauge' (did you mean 'language'?)
    """
    for option in given:
        if option not in known:
            hint = did_you_mean(_OTHER_NAMES.get(option, option), known)
            raise TypeError(f"{name}() got an unexpected keyword argument {option!r}{hint}")


def suggests_options(function: AnyFunction) -> AnyFunction:
    """Decorate a function, or the `__init__` of a class, so that errors about a misspelt option suggest the right one.

    Option names are checked only after a call has failed, so other calls take no longer.
    """

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError as error:
            # If the function itself has no frame in the traceback, Python could not bind the arguments.
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                is_class = function.__name__ == "__init__"
                name = type(arguments[0]).__name__ if is_class else function.__name__
                check_options(name, options, option_names(function))
            raise

    return call  # type: ignore[return-value]
