"""Define the base class of `BLEU`, which has its constructor and its options."""

from __future__ import annotations

from ..counting.matcher import Matcher
from ..counting.references import References
from ..errors import ArgumentValueError, suggests_options, wrong_type
from ..inputs.column_readers import as_tokenized
from ..inputs.id_arrays import is_number_array
from ..inputs.ids import TokenIds, as_token_ids
from ..inputs.reading import REFERENCES
from ..options import SMOOTH_DEFAULTS, check_flag, check_reference_length, check_threads
from ..scoring.formula import Formula, compute_bleu
from ..scoring.score import BLEUScore
from ..scoring.signature import SharedFields, Signer
from ..tokenizers.languages import choose_tokenizer, meant_by, parse
from ..tokenizers.names import NAMES, get_tokenizer
from .metric import Metric
from .metric_warnings import NO_LANGUAGE, UNKNOWN_LANGUAGE, Warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar

    from typing_extensions import Self

    from ..options import AnyTokenizer, ReferenceLength, SmoothMethod
    from ..tokenizers.languages import Policy
    from ..tokenizers.names import Tokenizer
    from .metric import AnyStreams


class Configured(Metric[BLEUScore]):
    """The base class of `BLEU`, with its constructor and a property for each option. `BLEU` documents the options."""

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = SMOOTH_DEFAULTS
    TOKENIZERS: ClassVar[tuple[str, ...]] = NAMES
    TOKENIZER_DEFAULT: ClassVar[str] = "13a"

    matcher: Matcher
    formula: Formula

    #: The class of the object that logs the metric's warnings.
    warnings_class: ClassVar[type[Warnings]] = Warnings

    @suggests_options
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
        self.formula = Formula(max_ngram_order, smooth_method, smooth_value, effective_order, weights)
        reference_length = check_reference_length(reference_length)
        threads = check_threads(threads)
        if not isinstance(trg_lang, (str, type(None))):
            raise wrong_type("trg_lang", "a str", trg_lang)
        self._trg_lang = trg_lang or ""
        tokenizer = get_tokenizer(tokenize, self._trg_lang, self.warnings_class.log)
        self.matcher = Matcher(tokenizer, lowercase, self.formula.max_ngram_order, reference_length, threads)
        self._references: References | None = None
        self._set_up()
        if tokenize is None and self._trg_lang:
            meant = meant_by(self._trg_lang)
            if meant is not None or parse(self._trg_lang) is None:
                message = NO_LANGUAGE if meant is None else UNKNOWN_LANGUAGE
                self.warnings.advise(message.format(code=self._trg_lang, meant=meant))
        if references is not None:
            self._references = references if isinstance(references, References) else self.prepare(references)
            self._references.check(self.matcher.identity)

    @classmethod
    def for_language(cls, code: str, policy: Policy = "sacrebleu", **options: Any) -> Self:
        """Create a metric with the tokenizer of a language.

        Args:
            code: The language of the segments, or a language pair, of which the target language is used: an ISO 639-1
                or FLORES-200 code, a BCP 47 tag or a WMT pair, such as "zh", "zho_Hans", "zh-CN" or "en-zh".
            policy: The rule that chooses the tokenizer. "sacrebleu": zh for Chinese, ja-mecab for Japanese, ko-mecab
                for Korean, and 13a for other languages, as in WMT's automatic scores. "flores": flores200 for every
                language.
            **options: The other options of `BLEU`.

        Returns:
            The metric; its `trg_lang` is the shortest code of the language.

        Raises:
            TypeError: The code is not a str, or an option has the wrong type.
            ValueError: The code or the policy is unknown, `tokenize` or `trg_lang` is among the options, or another
                option is invalid for `BLEU`.
            ImportError: The tokenizer's packages are not installed; the message names the extra that installs them.

        Example:
            >>> from fastbleu import BLEU
            >>> BLEU.for_language("zho_Hans").tokenizer, BLEU.for_language("en-de", lowercase=True).tokenizer
            (<Tokenizer zh>, <Tokenizer 13a>)
        """
        language, tokenize = choose_tokenizer(code, policy)
        for name in ("tokenize", "trg_lang"):
            if name in options:
                chosen = "is chosen by for_language; to choose it yourself, call BLEU(...)"
                raise ArgumentValueError(name, chosen, value=options[name])
        metric = cls(tokenize=tokenize, **options)
        metric._trg_lang = language.code
        return metric

    def _set_up(self) -> None:
        """Create the attributes that are computed from the options and are not pickled."""
        tokenizer = self.tokenizer
        self.warnings = self.warnings_class(self.matcher, self._force, self.effective_order)
        options = self.lowercase, tokenizer.signature, tokenizer.is_sacrebleus, self.reference_length
        self._signer = Signer(SharedFields.of_bleu(*options, self.formula))

    def __repr__(self) -> str:
        smooth = "" if self.smooth_value is None else f", smooth_value={self.smooth_value!r}"
        rare_options = "" if self.weights is None else f", weights={self.weights}"
        if self.reference_length != "closest":
            rare_options += f", reference_length={self.reference_length!r}"
        return (
            f"BLEU(lowercase={self.lowercase}, tokenize={self.tokenizer.name!r}, "
            f"smooth_method={self.smooth_method!r}{smooth}, max_ngram_order={self.max_ngram_order}, "
            f"effective_order={self.effective_order}{rare_options}, threads={self.threads})"
        )

    @property
    def smooth_method(self) -> SmoothMethod:
        """Return the smoothing method's name."""
        return self.formula.smooth_method

    @property
    def smooth_value(self) -> float | None:
        """Return the value of the smoothing method, or its default if none was passed; None if it uses no value."""
        return self.formula.smooth_value

    @property
    def max_ngram_order(self) -> int:
        """Return N, the largest order of n-grams that is counted."""
        return self.formula.max_ngram_order

    @property
    def effective_order(self) -> bool:
        """Return whether orders for which the hypothesis is too short are excluded."""
        return self.formula.effective_order

    @property
    def trg_lang(self) -> str:
        """Return the language of the segments, "" if unknown."""
        return self._trg_lang

    @property
    def weights(self) -> tuple[float, ...] | None:
        """Return the weights of the orders as they were passed, not normalized; None for equal weights."""
        return self.formula.weights

    @property
    def reference_length(self) -> ReferenceLength:
        """Return the name of the rule that chooses the reference length for the brevity penalty."""
        return self.matcher.reference_length

    @property
    def tokenizer(self) -> Tokenizer:
        """Return the tokenizer. As in sacreBLEU, calling it with a line returns the tokens joined by spaces."""
        return self.matcher.tokenizer

    @property
    def tokenizer_signature(self) -> str:
        """Return the tokenizer's name in the signature."""
        return self.tokenizer.signature

    #: `compute_bleu` as a static method, which sacreBLEU's class also has.
    compute_bleu = staticmethod(compute_bleu)

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a segment, as they are counted.

        Args:
            text: The segment.

        Returns:
            The tokens of the text, which is lowercased first if `lowercase` is set. The tokens of a callable tokenizer
            may be of other types than str.

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

    def _checked_for_padding(self, references: Any) -> Any:
        """Convert references that are a matrix of ids to `TokenIds`, and warn if the matrix looks padded."""
        if is_number_array(references, (2, 3)):
            references = as_token_ids(references, REFERENCES)
        if isinstance(references, TokenIds):
            padding = references.undeclared_padding(REFERENCES)
            if padding is not None:
                self.warnings.padding(REFERENCES, padding)
        return references


#: Python's errors about the constructor's arguments show this name. By default they would show `Configured.__init__`.
Configured.__init__.__wrapped__.__qualname__ = "BLEU.__init__"  # type: ignore[attr-defined]
