"""Segments in several languages: each counted with the tokenizer of its own, in one call."""

from __future__ import annotations

from ..errors import ArgumentError, ArgumentValueError, Place, wrong_type
from ..inputs.reading import HYPOTHESES, REFERENCES, read, read_streams
from ..tokenizers.languages import advice_for, choose_tokenizer
from ..tokenizers.names import get_tokenizer
from .corpus import read_corpus, rows_of
from .matcher import Matcher
from .references import References
from .rows import empty_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from ..tokenizers.languages import Policy

#: How errors name the languages.
LANGUAGES = Place("languages")


class LanguageMatchers:
    """A matcher for each tokenizer that languages ask for; they differ in nothing else.

    Args:
        matcher: The options, and the tokenizer of segments whose language is None.
        policy: Who chooses the tokenizer of a language.

    Example:
        >>> matchers = LanguageMatchers(Matcher(get_tokenizer("13a"), max_ngram_order=1))
        >>> hypotheses, references = ["我看了電影", "I saw it."], ["我看電影", "I see it."]
        >>> rows, _ = matchers.count(hypotheses, [references], ["zho_Hans", "en"], print)
        >>> rows.tolist()
        [[5, 4, 4, 5], [4, 4, 3, 4]]
    """

    def __init__(self, matcher: Matcher, policy: Policy = "sacrebleu") -> None:
        self._policy: Policy = policy
        self._own = matcher
        self._matchers: dict[str, Matcher] = {matcher.tokenizer.name: matcher}
        #: The name of the tokenizer of each language so far.
        self._names: dict[Any, str] = {None: matcher.tokenizer.name}
        #: By language with advice: the object of the thread that gave the advice.
        self._advised: dict[str, object] = {}

    def count(
        self, hypotheses: Any, references: Any, languages: Any, warn: Callable[[str], object]
    ) -> tuple[NDArray[int64], int]:
        """Count segments.

        Args:
            hypotheses: n segments of text.
            references: Streams of n references each.
            languages: The code of each segment's language, as `choose_tokenizer` takes it, or None.
            warn: Called once for each language whose words no tokenizer separates.

        Returns:
            Their rows, int64 [n, 2 + 2N], and how many hypotheses end in " .".

        Raises:
            TypeError: As `read_corpus`; or a language is neither a str nor None.
            ValueError: As `read_corpus`; references were prepared; or an unknown language, or another number of them.
        """
        if isinstance(references, References):
            text = "were prepared with one tokenizer; with languages=... they must be text"
            raise ArgumentValueError(REFERENCES, text)
        segments = read(hypotheses, HYPOTHESES)
        places = self._places(languages, len(segments), warn)
        streams = read_streams(references, len(segments), segments.kind)
        _check_references([stream.held for stream in streams], len(segments))
        width = self._own.counter.width
        rows = empty_table(len(segments), width)
        tokenized = 0
        for name, chosen in places.items():
            part = empty_table(len(chosen), width)
            held = [segments.held[i] for i in chosen]
            held_streams = [[stream.held[i] for i in chosen] for stream in streams]
            try:
                totals = read_corpus(self._matchers[name], held, held_streams).count(rows_of(part))
            except ArgumentError as error:
                raise error.at(_place_of(error, chosen)) from None
            rows[chosen] = part
            tokenized += totals.tokenized
        return rows, tokenized

    def _places(self, languages: Any, segments: int, warn: Callable[[str], object]) -> dict[str, list[int]]:
        """Return where the segments of each tokenizer stand."""
        if isinstance(languages, (str, bytes, type)) or not hasattr(languages, "__len__"):
            raise wrong_type(LANGUAGES, "a sequence of codes, one for each segment", languages)
        if len(languages) != segments:
            raise ArgumentValueError(LANGUAGES, f"has {len(languages)} codes for {segments} hypotheses")
        places: dict[str, list[int]] = {}
        for i, code in enumerate(languages):
            name = self._names.get(code) if isinstance(code, (str, type(None))) else None
            if name is None:
                name = self._name_of(code, i, warn)
            places.setdefault(name, []).append(i)
        return places

    def _name_of(self, code: Any, i: int, warn: Callable[[str], object]) -> str:
        """The name of the tokenizer of a language that is new, which has a matcher from then on."""
        try:
            language, name = choose_tokenizer(code, self._policy)
        except ArgumentError as error:
            raise error.at(LANGUAGES[i]) from None
        if name not in self._matchers:
            own = self._own
            made = Matcher(
                get_tokenizer(name), own.lowercase, own.max_ngram_order, own.reference_length, own.threads
            )
            self._matchers.setdefault(name, made)
        advice, this = advice_for(language, name), object()
        if advice is not None and self._advised.setdefault(code, this) is this:
            warn(advice)
        self._names[code] = name
        return name


def _check_references(streams: Sequence[Any], segments: int) -> None:
    """Refuse a segment without any reference: the kernel would call it by its number among those of one tokenizer."""
    if len(streams) and all(None in stream for stream in streams):
        for i in range(segments):
            if all(stream[i] is None for stream in streams):
                text = f"hold nothing but None for segment {i}: it has no reference in any stream"
                raise ArgumentValueError(REFERENCES, text)


def _place_of(error: ArgumentError, chosen: Sequence[int]) -> Place:
    """Return the place among all segments of a value that is wrong among those of one tokenizer."""
    indices = list(error.indices)
    k = 1 if error.argument == REFERENCES.argument else 0
    if len(indices) > k:
        indices[k] = chosen[indices[k]]
    return Place(error.argument, tuple(indices))
