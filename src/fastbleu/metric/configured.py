"""The options of a metric, what follows from them, and its prepared references."""

from __future__ import annotations

from ..counting.matcher import Matcher
from ..counting.references import References
from ..errors import ArgumentValueError, wrong_type
from ..inputs.column_readers import as_tokenized
from ..inputs.id_arrays import is_number_array
from ..inputs.ids import TokenIds, as_token_ids
from ..inputs.reading import REFERENCES
from ..options import SMOOTH_DEFAULTS, check_flag, check_reference_length, check_threads
from ..scoring.formula import Formula, compute_bleu
from ..scoring.signature import Signed, Signer, sign
from ..tokenizers.languages import advice_for, choose_tokenizer, meant_by
from ..tokenizers.names import NAMES, get_tokenizer
from .warning import UNKNOWN_LANGUAGE, Warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, ClassVar, TypeAlias

    from numpy.typing import NDArray
    from typing_extensions import Self

    from ..counting.by_language import LanguageMatchers
    from ..inputs._text import TextColumn
    from ..inputs.arrow_columns import ArrowColumn
    from ..options import AnyTokenizer, ReferenceLength, SmoothMethod
    from ..scoring.score import BLEUScore
    from ..scoring.signature import Signature
    from ..tokenizers.languages import Policy
    from ..tokenizers.names import Tokenizer

    #: Segments and streams as a user may hold them; sized iterables of other kinds do as well.
    AnySegments: TypeAlias = Sequence[Any] | TextColumn | TokenIds | NDArray[Any] | ArrowColumn
    AnyStreams: TypeAlias = Sequence[AnySegments] | TokenIds | NDArray[Any] | ArrowColumn

#: Attributes of a metric that follow from its options, or that a call has left; they are not pickled.
_DERIVED = ("warnings", "_signer", "_matchers", "advance")


class Configured:
    """A metric's options, as `BLEU` describes them, and its prepared references."""

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = SMOOTH_DEFAULTS
    TOKENIZERS: ClassVar[tuple[str, ...]] = NAMES
    TOKENIZER_DEFAULT: ClassVar[str] = "13a"

    #: A progress bar's update: called in any thread with the number of segments just counted.
    advance: Callable[[int], object] | None = None

    #: What makes the warnings of a metric.
    warnings_class: ClassVar[type[Warnings]] = Warnings

    #: Counts segments in several languages; made when it is first needed.
    _matchers: LanguageMatchers | None = None

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: AnyTokenizer | None = None,
        smooth_method: SmoothMethod = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        trg_lang: str | None = "",
        references: References | AnyStreams | None = None,
        *,
        weights: Sequence[float] | None = None,
        reference_length: ReferenceLength = "closest",
        threads: int = 1,
    ) -> None:
        lowercase = check_flag("lowercase", lowercase)
        self._force = check_flag("force", force)
        #: How counts become scores; for the rooms that count by themselves.
        self.formula = Formula(max_ngram_order, smooth_method, smooth_value, effective_order, weights)
        reference_length = check_reference_length(reference_length)
        threads = check_threads(threads)
        if not isinstance(trg_lang, (str, type(None))):
            raise wrong_type("trg_lang", "a str", trg_lang)
        self._trg_lang = trg_lang or ""
        self._policy: Policy = "sacrebleu"
        tokenizer = get_tokenizer(tokenize, self._trg_lang)
        #: How segments become counts; for the rooms that count by themselves.
        self.matcher = Matcher(tokenizer, lowercase, self.formula.max_ngram_order, reference_length, threads)
        self._references: References | None = None
        self._set_up()
        meant = meant_by(self._trg_lang) if tokenize is None else None
        if meant is not None:
            self.warnings.advise(UNKNOWN_LANGUAGE.format(code=self._trg_lang, meant=meant))
        if references is not None:
            self._references = references if isinstance(references, References) else self.prepare(references)
            self._references.check(self.matcher.identity)

    @classmethod
    def for_language(cls, code: str, policy: Policy = "sacrebleu", **options: Any) -> Self:
        """Make a metric with the tokenizer of a language.

        Args:
            code: The language of the segments, or a pair, of which the target counts: a code of ISO 639-1, -2 or -3, of
                FLORES-200, a tag of BCP 47 or a pair of WMT: "zh", "zho", "zho_Hans", "zh-CN", "en-zh".
            policy: Who chooses. "sacrebleu": zh for Chinese, ja-mecab for Japanese, ko-mecab for Korean, else 13a.
                "wmt": what the conference's automatic scores have, which is the same today. "flores": flores200, for
                every language.
            **options: The other options of `BLEU`. With `force=True` no advice is logged.

        Returns:
            The metric; its `trg_lang` is the shortest code of the language.

        Raises:
            TypeError: The code is not a str, or an option has the wrong type.
            ValueError: An unknown code or policy; `tokenize` or `trg_lang` among the options; or as `BLEU`.
            ImportError: The code has three letters, and the extra "languages" is not installed; or as `BLEU`.

        Example:
            >>> from fastbleu import BLEU
            >>> BLEU.for_language("zho_Hans").tokenizer, BLEU.for_language("en-de", lowercase=True).tokenizer
            (<Tokenizer zh>, <Tokenizer 13a>)
        """
        language, tokenize = choose_tokenizer(code, policy)
        for name in ("tokenize", "trg_lang"):
            if name in options:
                raise ArgumentValueError(
                    name, "is chosen by for_language; to choose it yourself, call BLEU(...)"
                )
        metric = cls(tokenize=tokenize, **options)
        metric._trg_lang = language.code
        metric._policy = policy
        message = advice_for(language, tokenize)
        if message is not None:
            metric.warnings.advise(message)
        return metric

    def _set_up(self) -> None:
        """Make what follows from the options and is not pickled."""
        tokenizer = self.tokenizer
        self.warnings = self.warnings_class(self.matcher, self._force, self.effective_order)
        self._signer = Signer(
            Signed(
                self.lowercase,
                tokenizer.signature,
                tokenizer.is_sacrebleus,
                self.reference_length,
                self.formula,
            )
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _DERIVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set_up()

    def __repr__(self) -> str:
        smooth = "" if self.smooth_value is None else f", smooth_value={self.smooth_value!r}"
        rarer = "" if self.weights is None else f", weights={self.weights}"
        if self.reference_length != "closest":
            rarer += f", reference_length={self.reference_length!r}"
        return (
            f"BLEU(lowercase={self.lowercase}, tokenize={self.tokenizer.name!r}, "
            f"smooth_method={self.smooth_method!r}{smooth}, max_ngram_order={self.max_ngram_order}, "
            f"effective_order={self.effective_order}{rarer}, threads={self.threads})"
        )

    @property
    def lowercase(self) -> bool:
        """True if case is ignored."""
        return self.matcher.lowercase

    @property
    def smooth_method(self) -> SmoothMethod:
        """The smoothing method's name."""
        return self.formula.smooth_method

    @property
    def smooth_value(self) -> float | None:
        """The smoothing method's value, its default if none was given; None for methods without one."""
        return self.formula.smooth_value

    @property
    def max_ngram_order(self) -> int:
        """N, the longest n-grams counted."""
        return self.formula.max_ngram_order

    @property
    def effective_order(self) -> bool:
        """True if orders for which the hypothesis is too short are left out."""
        return self.formula.effective_order

    @property
    def trg_lang(self) -> str:
        """The language of the segments, "" if unknown."""
        return self._trg_lang

    @property
    def weights(self) -> tuple[float, ...] | None:
        """The weight of each order, as it was given; None: all the same."""
        return self.formula.weights

    @property
    def reference_length(self) -> ReferenceLength:
        """The rule for the reference length of the brevity penalty."""
        return self.matcher.reference_length

    @property
    def threads(self) -> int:
        """The number of threads that may count at the same time."""
        return self.matcher.threads

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer; called with a line, it gives its tokens joined by spaces, as sacreBLEU's does."""
        return self.matcher.tokenizer

    @property
    def num_refs(self) -> int:
        """References per segment of the latest score, or of the constructor's references; -1 if segments differ.

        Raises:
            AttributeError: Neither is there.
        """
        latest = self._signer.latest
        if latest is not None:
            return latest[1]
        if self._references is None:
            raise AttributeError("num_refs is not known yet: score something first")
        return self._references.num_references

    @property
    def tokenizer_signature(self) -> str:
        """The tokenizer's name in the signature."""
        return self.tokenizer.signature

    #: sacreBLEU's place for it.
    compute_bleu = staticmethod(compute_bleu)

    # References

    def prepare(self, streams: AnyStreams) -> References:
        """Tokenize, number and index references once, to score against them many times.

        Args:
            streams: `streams[stream][segment]`, each of the same length; None where a stream has no reference. Or
                token ids, as for `corpus_score`; they are copied.

        Returns:
            References that every method here takes, and that any BLEU with the same tokenizer, case and order takes.

        Raises:
            TypeError: A bare str where a list is expected, or a segment that is neither str nor None.
            ValueError: No stream, streams of unequal length, or a segment without any reference.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU()
            >>> references = bleu.prepare([["the cat sat on the mat"]])
            >>> bleu.corpus_score(["the cat sat on a mat"], references).counts
            [5, 3, 2, 1]
        """
        return self.matcher.prepare(self._looked_at(streams))

    def prepare_segments(self, references: AnyStreams) -> References:
        """Prepare references that are given per segment, a different number for each if need be.

        Args:
            references: `references[segment]`, each a sequence of at least one reference.

        Returns:
            References, as from `prepare`.

        Raises:
            TypeError: A bare str where a list is expected, or a reference that is not a segment.
            ValueError: A segment without any reference.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU()
            >>> references = bleu.prepare_segments([["Good morning."], ["Good night!", "Sleep well!"]])
            >>> bleu.corpus_score(["Good morning.", "Sleep well!"], references).counts
            [6, 4, 2, 0]
        """
        return self.matcher.prepare_segments(self._looked_at(references))

    # What else there is to know

    def tokenize(self, text: str) -> list[str]:
        """Show the tokens of a segment, as they are counted.

        Args:
            text: The segment.

        Returns:
            Its tokens, lowercased if that is asked for; those of a callable as it returns them.

        Raises:
            TypeError: `text` is not a str.

        Example:
            >>> from fastbleu import BLEU
            >>> BLEU().tokenize("It cost $1.5 million, didn't it?")
            ['It', 'cost', '$', '1.5', 'million', ',', "didn't", 'it', '?']
        """
        if not isinstance(text, str):
            raise wrong_type("text", "a str", text)
        tokenizer = self.tokenizer
        if tokenizer.compiled is not None:
            from ..tokenizers._tokenize import tokenize

            return tokenize(text, tokenizer.compiled, self.lowercase)
        text = as_tokenized(text, self.lowercase)
        if tokenizer.to_text is not None:
            return tokenizer.to_text(text).split()
        tokens: list[Any] = list(tokenizer.to_tokens(text)) if tokenizer.to_tokens is not None else []
        return tokens

    def get_signature(self) -> Signature:
        """Make the signature of this metric's latest score: this thread's, or else any thread's.

        The signature of a score also stays with it, as `BLEUScore.signature`.

        Before the first score, the signature of scores against the references given to the constructor.

        Returns:
            A new signature.

        Raises:
            ValueError: Neither is there, so that the number of references is unknown.

        Example:
            >>> from fastbleu import BLEU
            >>> BLEU(references=[["one"], ["two"]]).get_signature().format(short=True)
            '#:2|c:mixed|e:no|tok:13a|s:exp|v:2.6.0|fb:0.1.0'
        """
        latest = self._signer.latest
        if latest is None:
            if self._references is None:
                raise ValueError("the number of references is not known yet: score something first")
            return self.signature_for(self._references.num_references)
        return sign(*latest)

    def signature_for(self, num_references: int) -> Signature:
        """The signature of scores with this number of references per segment, -1 if segments differ in it."""
        return sign(self._signer.signed, num_references, None, None)

    def signed(
        self, score: BLEUScore, num_references: int, n_bootstrap: int | None = None, seed: str | None = None
    ) -> BLEUScore:
        """Sign a score that another room has made; see `Signer.sign`."""
        return self._signer.sign(score, num_references, n_bootstrap, seed)

    def given_references(self, references: Any) -> Any:
        """The references of a call, those of the constructor if they are None.

        Raises:
            ValueError: Neither are there.
        """
        if references is None:
            references = self._references
        if references is None:
            raise ArgumentValueError("references", "is None, and none were given to BLEU(references=...)")
        return references

    def _looked_at(self, references: Any) -> Any:
        """References to prepare, looked at for padding if they are a matrix."""
        if is_number_array(references, (2, 3)):
            references = as_token_ids(references, REFERENCES)
        if isinstance(references, TokenIds):
            found = references.undeclared_padding(REFERENCES)
            if found is not None:
                self.warnings.padding(REFERENCES, found)
        return references


#: Python names the constructor so when it refuses an argument.
Configured.__init__.__qualname__ = "BLEU.__init__"
