"""BLEU: the options, and the front doors. sacreBLEU's interface, extended."""

from __future__ import annotations

from . import advice
from .counting.corpus import count_single, read_corpus, rows_of
from .counting.matcher import Matcher
from .counting.references import References
from .counting.rows import check_rows, empty_rows, row_width
from .counting.totals import sum_rows
from .errors import ArgumentValueError, wrong_type
from .inputs.devices import as_like
from .inputs.ids import BareIds
from .inputs.segments import HYPOTHESES, REFERENCES, as_segments, as_sentence, id_matrix
from .inputs.text import as_tokenized
from .options import (
    SMOOTH_DEFAULTS,
    check_flag,
    check_integer,
    check_reference_length,
    check_scale,
    check_threads,
)
from .scoring.formula import Formula, compute_bleu, scaled
from .scoring.signature import Signed, Signer, sign
from .tokenizers.languages import advice_for, choose_tokenizer, meant_by
from .tokenizers.names import NAMES, SPLIT_AT_SPACES, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, ClassVar, TypeAlias

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from .accumulator import Accumulator
    from .counting.by_language import LanguageMatchers
    from .counting.corpus import Corpus, Done, Rows
    from .counting.totals import Totals
    from .errors import Place
    from .explain import Explanation
    from .inputs._text import TextColumn
    from .inputs.arrow import ArrowColumn
    from .inputs.ids import TokenIds
    from .options import AnyTokenizer, ReferenceLength, SmoothMethod
    from .scoring.score import BLEUScore
    from .scoring.signature import Signature
    from .tokenizers.languages import Policy
    from .tokenizers.names import Tokenizer

    #: Segments and streams as a user may hold them; sized iterables of other kinds do as well.
    AnySegments: TypeAlias = Sequence[Any] | TextColumn | TokenIds | NDArray[Any] | ArrowColumn
    AnyStreams: TypeAlias = Sequence[AnySegments] | TokenIds | NDArray[Any] | ArrowColumn

#: Numbers in the rows of segments that are scored in one go: 8 MB of them.
_COUNTS_AT_ONCE = 1 << 20

#: Attributes of a metric that follow from its options, or that a call has left; they are not pickled.
_DERIVED = ("_warned", "_warned_of_padding", "_say_order", "_say_padding", "_signer", "_matchers", "advance")


class BLEU:
    """The BLEU metric (Papineni et al. 2002), equal to sacreBLEU 2.6.0 to the last digit.

    References are *streams* wherever they are a plain list, as in sacreBLEU: `references[stream][segment]`. `None` in
    a stream stands for no reference from it for that segment; `""` is a reference of length 0. Segments are str; with
    `tokenize="none"` and no `lowercase` they may be sequences of hashable tokens instead, taken as they are, or
    token ids: `TokenIds`, or an array of integers [segments, tokens], of which -100 is left out; as references also
    [segments, references, tokens], without a list of streams around it. Any sized sequence of segments will do:
    lists, tuples, NumPy object arrays, pandas and datasets columns; and any column of Arrow (what has
    `__arrow_c_array__` or `__arrow_c_stream__`: pyarrow, polars, DuckDB, nanoarrow), read in place: of strings, of
    lists of strings or of integers. A column of lists alone as references has the references of each segment.

    A metric may be used from several threads at once, and pickled.

    Args:
        lowercase: Score without regard to case (`str.lower`).
        force: Do not warn of hypotheses that look tokenized, or that are in a script which the tokenizer does not fit,
            nor of a language that has no tokenizer.
        tokenize: The tokenizer: "13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab", "spm", "flores101",
            "flores200" or "spBLEU-1K"; the path of a SentencePiece model; a callable from str to a sequence of tokens;
            or None for the one that belongs to `trg_lang`, "13a" if that is unknown.
        smooth_method: What becomes of an order without a match: "exp", "floor", "add-k" or "none"; or "add-one" and
            "add-one-above-first", which sacreBLEU has not (see `fastbleu.scoring.smoothing`).
        smooth_value: The value for "floor" (0.1 if None) and "add-k" (1 if None), >= 0; the others ignore it.
        max_ngram_order: The longest n-grams counted, N >= 1.
        effective_order: Leave out the orders for which the hypothesis is too short; meant for single segments.
        trg_lang: The language of the segments; chooses the default tokenizer as in sacreBLEU, which knows "zh", "ja"
            and "ko" only. `for_language` knows all others, and is named in a warning if a code means one of these.
        references: Streams to prepare, or prepared `References`, used where a call gives None.
        weights: What each order counts in the geometric mean: N numbers >= 0, not all of them 0, renormalised over the
            orders that are used; orders of weight 0 are left out, and with nothing left the score is 0. None: all the
            same.
        reference_length: Which reference's length the brevity penalty asks for: the "closest" one to the hypothesis'
            (the shorter of two equally close), "closest-first" (the first of two, as torchmetrics), or the
            "shortest" (as tensorflow/nmt).
        threads: How many threads may count at the same time, >= 1. The result does not depend on it.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An unknown name, a value out of range, references of unequal lengths.
        ImportError: The tokenizer's packages are not installed; the message names the extra that brings them.
        FileNotFoundError: A SentencePiece model is not there; the message says what to put where.
        RuntimeError: MeCab has another dictionary than the one that defines the scores.

    Example:
        >>> bleu = BLEU()
        >>> bleu.corpus_score(["the cat sat on the mat"], [["a cat sat on the mat"], ["the cat is on the mat"]])
        BLEU = 84.09 100.0/100.0/75.0/66.7 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
        >>> print(bleu.get_signature())
        nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0|fastbleu:0.1.0
    """

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = SMOOTH_DEFAULTS
    TOKENIZERS: ClassVar[tuple[str, ...]] = NAMES
    TOKENIZER_DEFAULT: ClassVar[str] = "13a"

    #: A progress bar's update: called in any thread with the number of segments just counted.
    advance: Callable[[int], object] | None = None

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
            self._advise(advice.UNKNOWN_LANGUAGE.format(code=self._trg_lang, meant=meant))
        if references is not None:
            self._references = self._prepared(references)

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
            TypeError: The code is no str, or an option has the wrong type.
            ValueError: An unknown code or policy; `tokenize` or `trg_lang` among the options; or as `BLEU`.
            ImportError: The code has three letters, and the extra "languages" is not installed; or as `BLEU`.

        Example:
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
            metric._advise(message)
        return metric

    def _set_up(self) -> None:
        """Makes what follows from the options and is not pickled."""
        tokenizer = self.tokenizer
        self._warned = self.effective_order
        self._warned_of_padding = False
        self._say_order, self._say_padding = advice.Once(), advice.Once()
        self.matcher.counter.watches_scripts = tokenizer.name in SPLIT_AT_SPACES and not self._force
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
        """Whether case is ignored."""
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
        """Whether orders for which the hypothesis is too short are left out."""
        return self.formula.effective_order

    @property
    def trg_lang(self) -> str:
        """The language of the segments, "" if unknown."""
        return self._trg_lang

    @property
    def weights(self) -> tuple[float, ...] | None:
        """What each order counts, as it was given; None: all the same."""
        return self.formula.weights

    @property
    def reference_length(self) -> ReferenceLength:
        """Which reference's length the brevity penalty asks for."""
        return self.matcher.reference_length

    @property
    def threads(self) -> int:
        """How many threads may count at the same time."""
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
        """What the signature says of the tokenizer."""
        return self.tokenizer.signature

    # Scores

    def corpus_score(
        self,
        hypotheses: AnySegments,
        references: References | AnyStreams | None,
        n_bootstrap: int = 1,
    ) -> BLEUScore:
        """Score a system's output as a whole.

        Args:
            hypotheses: n >= 1 segments: text, tokens, or token ids (`TokenIds`, or a matrix without padding).
            references: Streams of n references each (`references[stream][segment]`), prepared `References` of length
                n, or None for those given to the constructor. Token ids stand alone or in streams: `TokenIds` or a
                matrix [n, tokens] of one reference each, [n, references, tokens] of several.
            n_bootstrap: If above 1, estimate the 95 % confidence interval from as many resamples.

        Returns:
            The score, 0..100, with the counts it comes from and its signature.

        Raises:
            TypeError: A bare str where a list is expected, or a segment that is neither str nor (in references) None.
            ValueError: No hypotheses, streams of another length, or a segment without any reference.

        Example:
            >>> BLEU().corpus_score(["A dog barks.", "Rain!"], [["A dog barks.", "Rain?"]]).counts
            [5, 3, 2, 1]
        """
        n_bootstrap = check_integer("n_bootstrap", n_bootstrap, 0)
        single = self.count_single(hypotheses, references) if n_bootstrap < 2 else None
        if single is not None:
            return self._signer.sign(self.formula.score(single.row), single.num_references)
        segments = as_segments(hypotheses, HYPOTHESES)
        if not len(segments):
            raise ArgumentValueError(HYPOTHESES, "is empty; a corpus score needs at least one segment")
        corpus = self.corpus(segments, references)
        if n_bootstrap < 2:
            totals = self.count(corpus)
            return self._signer.sign(self.formula.score(totals.row), totals.num_references)
        from .scoring.bootstrap import interval

        rows = empty_rows(len(corpus), self.max_ngram_order)
        totals = self.count(corpus, rows_of(rows))
        score = self.formula.score(totals.row)
        mean, half_width, seed = interval(rows, n_bootstrap, self.formula.score_rows)
        score.set_interval(mean, half_width)
        return self._signer.sign(score, totals.num_references, n_bootstrap, seed)

    def sentence_score(self, hypothesis: Any, references: Sequence[Any]) -> BLEUScore:
        """Score one segment.

        Args:
            hypothesis: The segment.
            references: Its references, at least one (None is left out).

        Returns:
            The score, 0..100. Without `effective_order` a segment of fewer than `max_ngram_order` tokens scores 0,
            which is warned of once.

        Raises:
            TypeError: `hypothesis` or a reference is no segment, or `references` is a bare str.
            ValueError: There is no reference.

        Example:
            >>> bleu = BLEU(effective_order=True)
            >>> bleu.sentence_score("the cat sat", ["the cat sat down"]).score
            71.65313105737896
        """
        if not self._warned:
            self.warn_of_order()
        if type(hypothesis) is not str:
            hypothesis, references = as_sentence(hypothesis, references)
        matcher = self.matcher
        row, number = matcher.count_one(hypothesis, references)
        if matcher.counter.suspects:
            self.warn_of_script([hypothesis])
        return self._signer.sign(self.formula.score(row), number)

    def explain(self, hypothesis: Any, references: Sequence[Any]) -> Explanation:
        """Explain how the score of one segment comes about.

        Args:
            hypothesis: The segment, a str or (with `tokenize="none"`) a sequence of tokens.
            references: Its references, at least one (None is left out, but keeps its place in the numbering).

        Returns:
            For every order each distinct n-gram with its count, its largest count in any one reference and in which,
            and its clipped count; plain and modified precisions (0..1) and their means; the lengths, the brevity
            penalties, and the score (0..100), which is that of `sentence_score`. Printed, it is a table; `to_html()`
            and `save_html(path)` make a page of it.

        Raises:
            TypeError: As `sentence_score`.
            ValueError: As `sentence_score`.

        Example:
            >>> bleu = BLEU(effective_order=True, lowercase=True)
            >>> references = ["The cat is on the mat", "There is a cat on the mat"]
            >>> explanation = bleu.explain("the the the the the the the", references)
            >>> explanation.orders[0]
            <Order 1: plain 7/7, modified 2/7>
            >>> explanation.orders[0].ngrams
            (Ngram(('the',), count=7, reference_count=2, reference=0, clipped_count=2),)

        The terms are those of Papineni et al. 2002, section 2.
        """
        from .explain import explain

        return explain(self, *as_sentence(hypothesis, references))

    def sentence_scores(
        self,
        hypotheses: AnySegments,
        references: References | AnyStreams | None,
        scale: float = 100,
        *,
        languages: Sequence[str | None] | None = None,
        like: bool = False,
    ) -> NDArray[float64] | Any:
        """Score each segment by itself, in one pass.

        Args:
            hypotheses: n segments, as for `corpus_score`; or token ids [B, K, T], K samples of each of B segments.
            references: As for `corpus_score`, of n segments; or of B, each for all samples of a segment.
            scale: What a perfect match scores: 100, or 1 as rewards have it.
            languages: The language of each segment, as `for_language` takes it, to be tokenized as that is by this
                metric's policy; None stands for this metric's own tokenizer. References must be text then.
            like: Whether to return an array of the kind of the hypotheses, on their device: a torch tensor for a torch
                tensor, a JAX array for a JAX array, a CuPy array for a CuPy array.

        Returns:
            float64 [n] or [B, K], 0..scale; on the scale 100 the same floats as `sentence_score` of each, so that a
            perfect match may exceed it in the last digit, as in sacreBLEU. With `like`, float32 where the device or the
            framework has no float64.

        Raises:
            TypeError: As `corpus_score`; or `like` is True and the hypotheses are an array of an unknown kind.
            ValueError: As `corpus_score`, but n may be 0; or another scale.

        Example:
            >>> bleu = BLEU(effective_order=True)
            >>> bleu.sentence_scores(["the cat sat", "a dog"], [["the cat sat down", "one dog"]]).round(2).tolist()
            [71.65, 50.0]
            >>> import numpy as np
            >>> samples = np.array([[[5, 6, 7], [5, 6, 8]], [[1, 2, 3], [4, 4, 4]]])  # two of each segment
            >>> bleu = BLEU(tokenize="none", effective_order=True)
            >>> bleu.sentence_scores(samples, np.array([[5, 6, 7], [1, 2, 3]])).round(2).tolist()
            [[100.0, 55.03], [100.0, 0.0]]
        """
        divisor = check_scale(scale)
        self.warn_of_order()
        if languages is not None:
            rows = self._count_by_language(hypotheses, references, languages)
            return scaled(self.formula.score_rows(rows), divisor)
        corpus = self.corpus(hypotheses, references, samples=True)
        if len(corpus) * row_width(self.max_ngram_order) <= _COUNTS_AT_ONCE:
            all_rows = empty_rows(len(corpus), self.max_ngram_order)
            self.count(corpus, rows_of(all_rows))
            return _shaped(scaled(self.formula.score_rows(all_rows), divisor), corpus, hypotheses, like)
        import numpy as np

        scores = np.empty(len(corpus))

        def part(start: int, stop: int) -> NDArray[int64]:
            return empty_rows(stop - start, self.max_ngram_order)

        def done(start: int, stop: int, rows: NDArray[int64]) -> None:
            scores[start:stop] = self.formula.score_rows(rows)

        # Rows of a chunk at a time: all of them would take ten times the memory of the scores.
        self.count(corpus, part, done)
        return _shaped(scaled(scores, divisor), corpus, hypotheses, like)

    def sentence_prefix_scores(
        self, hypothesis: Any, references: Sequence[Any], scale: float = 100
    ) -> NDArray[float64]:
        """Score each prefix of one segment, as a segment of its own: rewards token by token.

        One pass over the hypothesis, linear in its length. A prefix is the first t tokens of the whole; what a
        tokenizer makes of text that is cut off may differ.

        Args:
            hypothesis: The segment.
            references: Its references, at least one (None is left out).
            scale: What a perfect match scores: 100 or 1.

        Returns:
            float64 [tokens], 0..scale: the score of the first token, of the first two, and so on.

        Raises:
            TypeError: As `sentence_score`.
            ValueError: As `sentence_score`, or another scale.

        Example:
            >>> bleu = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)
            >>> bleu.sentence_prefix_scores("the cat lay down", ["the cat sat"]).round(1).tolist()
            [13.5, 60.7, 57.7, 40.8]
        """
        from .scoring.prefixes import sentence_prefix_scores

        divisor = check_scale(scale)
        scores = sentence_prefix_scores(self.matcher, self.formula, hypothesis, references)
        return scaled(scores, divisor)

    def prefix_scores(
        self,
        hypotheses: AnySegments,
        references: References | AnyStreams | None,
        scale: float = 100,
        *,
        like: bool = False,
    ) -> NDArray[float64] | Any:
        """Score each prefix of each segment, as a segment of its own: rewards token by token.

        Args:
            hypotheses: As for `sentence_scores`.
            references: As for `sentence_scores`.
            scale: What a perfect match scores: 100 or 1.
            like: As for `sentence_scores`.

        Returns:
            float64 [n, T] or [B, K, T], 0..scale. For an id matrix T is its width, and the score at place t is that of
            the tokens up to there: padding, ignored ids and what ends a row are none. Otherwise T is the most tokens of
            a hypothesis. Where a row has ended, its last score stands; an empty hypothesis has that of no tokens
            throughout.

        Raises:
            TypeError: As `sentence_scores`.
            ValueError: As `sentence_scores`.

        Example:
            >>> import numpy as np
            >>> from fastbleu import TokenIds
            >>> samples = TokenIds(np.array([[5, 6, 9, 2], [7, 2, 0, 0]]), pad_id=0, eos_id=2)
            >>> targets = TokenIds(np.array([[5, 6, 2], [7, 8, 2]]), pad_id=0, eos_id=2)
            >>> bleu = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)
            >>> bleu.prefix_scores(samples, targets, scale=1).round(3).tolist()
            [[0.368, 1.0, 0.577, 0.577], [0.368, 0.368, 0.368, 0.368]]
        """
        from .scoring.prefixes import prefix_scores

        divisor = check_scale(scale)
        corpus = self.corpus(hypotheses, references, samples=True)
        return _shaped(scaled(prefix_scores(corpus, self.formula), divisor), corpus, hypotheses, like)

    def statistics(
        self,
        hypotheses: AnySegments,
        references: References | AnyStreams | None,
        *,
        languages: Sequence[str | None] | None = None,
        like: bool = False,
    ) -> NDArray[int64] | Any:
        """Count each segment's n-grams: the sufficient statistics, which add up.

        Args:
            hypotheses: As for `sentence_scores`.
            references: As for `sentence_scores`.
            languages: As for `sentence_scores`.
            like: As for `sentence_scores`.

        Returns:
            int64 [n, 2 + 2N] or [B, K, 2 + 2N]: sys_len, ref_len, correct_1..correct_N, total_1..total_N. With `like`,
            int32 where the framework has no int64.

        Raises:
            TypeError: As `sentence_scores`.
            ValueError: As `corpus_score`, but n may be 0.

        Example:
            >>> BLEU(max_ngram_order=2).statistics(["the cat sat"], [["the cat is here"]]).tolist()
            [[3, 4, 2, 1, 3, 2]]
        """
        if languages is not None:
            return self._count_by_language(hypotheses, references, languages)
        corpus = self.corpus(hypotheses, references, samples=True)
        rows = empty_rows(len(corpus), self.max_ngram_order)
        self.count(corpus, rows_of(rows))
        return _shaped(rows, corpus, hypotheses, like)

    def score_statistics(self, statistics: ArrayLike) -> BLEUScore:
        """Score statistics that were counted before.

        Args:
            statistics: A row of 2 + 2N counts, or rows [n, 2 + 2N], n >= 1, to be summed; integers, not negative.

        Returns:
            The score, 0..100; its signature is None, since rows do not say how many references there were.

        Raises:
            TypeError: The statistics are no integers.
            ValueError: They have another shape, or a count is negative.

        Example:
            >>> bleu = BLEU(max_ngram_order=2)
            >>> rows = bleu.statistics(["the cat sat", "it rains"], [["the cat is here", "it rained"]])
            >>> bleu.score_statistics(rows).counts
            [3, 1]
        """
        return self.formula.score(
            sum_rows(check_rows(statistics, self.max_ngram_order, "statistics", fewest=1))
        )

    def resample(
        self, statistics: ArrayLike, n: int = 1000, seed: int | str | None = None
    ) -> NDArray[float64]:
        """Score bootstrap resamples: the distribution that a confidence interval is read from.

        Args:
            statistics: Rows [m, 2 + 2N] of m >= 1 segments, as `statistics` counts them.
            n: The number of resamples, >= 1, each of m segments drawn with replacement.
            seed: The seed, >= 0; "none" draws by the system's entropy; None: the environment's SACREBLEU_SEED, 12345
                without one.

        Returns:
            float64 [n], 0..100, in the order drawn. The resamples are those of `corpus_score(n_bootstrap=n)`.

        Raises:
            TypeError: The statistics are no integers, or `n` or `seed` has the wrong type.
            ValueError: The statistics have another shape or add up to 2^53, or `n` or `seed` is out of range.

        Example:
            >>> bleu = BLEU(max_ngram_order=1)
            >>> rows = bleu.statistics(["a b", "a c", "d e"], [["a b", "a x", "d e"]])
            >>> bleu.resample(rows, 4).round(1).tolist()
            [100.0, 100.0, 83.3, 83.3]
        """
        from .scoring.bootstrap import resample

        rows = check_rows(statistics, self.max_ngram_order, "statistics", fewest=1)
        return resample(rows, n, self.formula.score_rows, seed)

    def jackknife(self, statistics: ArrayLike) -> NDArray[float64]:
        """Score a corpus without each one of its segments: how much each one matters.

        Args:
            statistics: Rows [m, 2 + 2N] of m >= 1 segments, as `statistics` counts them.

        Returns:
            float64 [m], 0..100: the score without the first segment, without the second, and so on.

        Raises:
            TypeError: The statistics are no integers.
            ValueError: They have another shape, a count is negative, or they add up to 2^53.

        Example:
            >>> bleu = BLEU(max_ngram_order=1)
            >>> rows = bleu.statistics(["a b", "a c", "d e"], [["a b", "a x", "d e"]])
            >>> bleu.jackknife(rows).round(1).tolist()
            [75.0, 100.0, 75.0]
        """
        from .scoring.bootstrap import jackknife

        rows = check_rows(statistics, self.max_ngram_order, "statistics", fewest=1)
        return jackknife(rows, self.formula.score_rows)

    def accumulator(self, keep_rows: bool = False) -> Accumulator:
        """Make something that adds up the counts of batches, of processes and machines, and scores them all.

        Args:
            keep_rows: Whether it keeps the row of each segment as well.

        Returns:
            An empty accumulator.

        Raises:
            TypeError: `keep_rows` is no bool.

        Example:
            >>> accumulator = BLEU().accumulator()
            >>> accumulator.update(["A dog barks."], [["A dog barks."]])
            >>> accumulator.update(["Rain!"], [["Rain?"]])
            >>> accumulator.compute().counts
            [5, 3, 2, 1]
        """
        from .accumulator import Accumulator

        return Accumulator(self, keep_rows)

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
            TypeError: A bare str where a list is expected, or a reference that is no segment.
            ValueError: A segment without any reference.

        Example:
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
            TypeError: `text` is no str.

        Example:
            >>> BLEU().tokenize("It cost $1.5 million, didn't it?")
            ['It', 'cost', '$', '1.5', 'million', ',', "didn't", 'it', '?']
        """
        if not isinstance(text, str):
            raise wrong_type("text", "a str", text)
        tokenizer = self.tokenizer
        if tokenizer.compiled is not None:
            from .tokenizers._tokenize import tokenize

            return tokenize(text, tokenizer.compiled, self.lowercase)
        text = as_tokenized(text, self.lowercase)
        if tokenizer.to_text is not None:
            return tokenizer.to_text(text).split()
        tokens: list[Any] = list(tokenizer.to_tokens(text)) if tokenizer.to_tokens is not None else []
        return tokens

    def get_signature(self) -> Signature:
        """How this metric's latest score was computed: this thread's, or else any thread's.

        The signature of a score also stays with it, as `BLEUScore.signature`.

        Before the first score, the signature of scores against the references given to the constructor.

        Returns:
            A new signature.

        Raises:
            ValueError: Neither is there, so that the number of references is unknown.

        Example:
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

    # Inside

    def signed(
        self, score: BLEUScore, num_references: int, n_bootstrap: int | None = None, seed: str | None = None
    ) -> BLEUScore:
        """Sign a score that another room has made; see `Signer.sign`."""
        return self._signer.sign(score, num_references, n_bootstrap, seed)

    def _prepared(self, references: References | AnyStreams) -> References:
        if not isinstance(references, References):
            return self.prepare(references)
        references.check(self.matcher.identity)
        return references

    def corpus(self, hypotheses: Any, references: Any, samples: bool = False) -> Corpus:
        """What a call is given, ready to be counted; references are those of the constructor if they are None.

        Args:
            hypotheses: n segments; or, if `samples`, ids [B, K, T] as well.
            references: Of n or B segments.
            samples: Whether the call has a result for each of several hypotheses of a segment.
        """
        if references is None:
            references = self._given(None)
        corpus = read_corpus(self.matcher, hypotheses, references, samples)
        if not self._warned_of_padding:
            padded = corpus.undeclared_padding()
            if padded is not None:
                self.warn_of_padding(*padded)
        return corpus

    def _given(self, references: Any) -> Any:
        """The references of a call, those of the constructor if they are None."""
        if references is None:
            references = self._references
        if references is None:
            raise ArgumentValueError("references", "is None, and none were given to BLEU(references=...)")
        return references

    def count(
        self, corpus: Corpus, rows: Rows | None = None, done: Done | None = None, tokenized: int = 0
    ) -> Totals:
        """Count; warn of hypotheses that look tokenized, if `tokenized` of those before did."""
        totals = corpus.count(rows, done, self.advance)
        self.warn_of_tokens(tokenized, totals.tokenized)
        if self.matcher.counter.suspects:
            self.warn_of_script(corpus.hypotheses.held)
        return totals

    def count_single(self, hypotheses: Any, references: Any, tokenized: int = 0) -> Totals | None:
        """Count one plain segment in the short way; None where `corpus` and `count` must."""
        if self.advance is not None:
            return None
        totals = count_single(self.matcher, hypotheses, references)
        if totals is not None and totals.tokenized:
            self.warn_of_tokens(tokenized, totals.tokenized)
        if self.matcher.counter.suspects and totals is not None:
            self.warn_of_script(hypotheses)
        return totals

    def iterate_scores(self, hypotheses: TextColumn, references: Any) -> Iterator[BLEUScore]:
        """The score of each segment by itself, as `sentence_score` gives it, counted in chunks."""
        for row, number in self.corpus(hypotheses, references).rows():
            yield self._signer.sign(self.formula.score(row), number)

    def _count_by_language(self, hypotheses: Any, references: Any, languages: Any) -> NDArray[int64]:
        """The rows of segments in several languages."""
        matchers = self._matchers
        if matchers is None:
            from .counting.by_language import LanguageMatchers

            # Of several threads that come first, all get what the first of them has made.
            matchers = vars(self).setdefault("_matchers", LanguageMatchers(self.matcher, self._policy))
        references = self._given(references)
        rows, tokenized = matchers.count(hypotheses, references, languages, self._advise)
        self.warn_of_tokens(0, tokenized)
        return rows

    def warn_of_order(self) -> None:
        """Say once that scores of single segments ask for effective order."""
        if not self._warned:
            self._warned = True
            if self._say_order():
                self._warn(*advice.ORDER)

    def warn_of_tokens(self, before: int, more: int) -> None:
        """Say that hypotheses look tokenized, if these make up the number from which on they do."""
        if not self._force and advice.begin_to_look_tokenized(before, more):
            self._warn(*advice.TOKENS)

    def warn_of_padding(self, where: Place, id_: int) -> None:
        """Say once that a matrix of ids which came without TokenIds looks padded with an id."""
        if not self._warned_of_padding:
            self._warned_of_padding = True
            if self._say_padding():
                self._warn(advice.padding(str(where), id_))

    def _looked_at(self, references: Any) -> Any:
        """References to prepare, looked at for padding if they are a matrix."""
        ids = id_matrix(references, REFERENCES)
        found = ids.repeated_end() if isinstance(ids, BareIds) else None
        if found is not None:
            self.warn_of_padding(REFERENCES, found)
        return references if ids is None else ids

    def warn_of_script(self, hypotheses: Any) -> None:
        """Say once that the tokenizer does not fit the script, if that is so of most hypotheses of late."""
        from .tokenizers.script_watch import misfit

        fitting = misfit(self.matcher.counter, hypotheses)
        if fitting:
            self._warn(advice.WRONG_SCRIPT.format(name=self.tokenizer.name, fitting=fitting))

    def _advise(self, message: str) -> None:
        """Say what `force` suppresses."""
        if not self._force:
            self._warn(message)

    def _warn(self, *messages: str) -> None:
        """Log a warning; the command line prints it instead."""
        advice.log(*messages)


def _shaped(results: NDArray[Any], corpus: Corpus, hypotheses: Any, like: bool) -> Any:
    """Results of all hypotheses in the shape of these, and if `like` of their kind; see `BLEU.sentence_scores`."""
    if len(corpus.shape) > 1:
        results = results.reshape(*corpus.shape, *results.shape[1:])
    return as_like(results, hypotheses) if like is not False and check_flag("like", like) else results
