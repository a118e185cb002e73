"""Define the metric `BLEU`: sacreBLEU's methods, and methods that score many segments or all prefixes of segments."""

from __future__ import annotations

from ..counting.corpus import rows_of
from ..counting.rows import empty_table
from ..inputs.columns import Ids
from ..inputs.devices import as_like
from ..inputs.reading import as_sentence
from ..options import check_flag, check_scale
from ..scoring.formula import scaled
from .bleu_options import Configured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..counting.corpus import Corpus
    from ..counting.references import References
    from ..counting.row_sums import Totals
    from ..explain import Explanation
    from ..scoring.score import BLEUScore
    from .metric import AnySegments, AnyStreams

#: If the rows of all segments have at most this many counts (8 MB), they are scored in one batch.
_COUNTS_PER_BATCH = 1 << 20


class BLEU(Configured):
    """The BLEU metric (Papineni et al. 2002), equal to sacreBLEU 2.6.0 to the last digit.

    A plain list of references is a list of *streams*, as in sacreBLEU: `references[stream][segment]`. `None` in a
    stream is a missing reference for that segment; `""` is a reference of length 0.

    Segments are str. With `tokenize="none"` and without `lowercase` they may also be sequences of hashable tokens,
    which are used unchanged, or token ids: `TokenIds`, or an integer array [segments, tokens] in which -100 is ignored.
    An array of references may also be [segments, references, tokens]; it is passed without a list of streams.

    Any sized sequence of segments is accepted, such as a list, a tuple, a NumPy object array or a column of pandas or
    datasets. An Arrow column (an object of pyarrow, polars, DuckDB, nanoarrow or another library that has
    `__arrow_c_array__` or `__arrow_c_stream__`) may contain strings, or lists of strings or of integers, and is read in
    place. If the references are a single column of lists, each list contains the references of one segment.

    A metric may be used by several threads at the same time, and pickled.

    Args:
        lowercase: Ignore case (`str.lower`).
        force: Suppress the warnings about hypotheses that look tokenized, hypotheses in a script that does not fit the
            tokenizer, and a language code that has no tokenizer.
        tokenize: The tokenizer: "13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab", "spm", "flores101",
            "flores200" or "spBLEU-1K"; the path of a SentencePiece model; a callable from str to a sequence of tokens;
            or None for the tokenizer of `trg_lang`, which is "13a" for most languages.
        smooth_method: The smoothing of orders without a match: "exp", "floor", "add-k" or "none"; or "add-k-all",
            "add-one" and "add-one-above-first", which sacreBLEU does not have (see `fastbleu.scoring.smoothing`).
        smooth_value: The value for "floor" (0.1 if None), "add-k" and "add-k-all" (1 if None), >= 0; the other methods
            ignore it.
        max_ngram_order: The largest order of n-grams, N >= 1.
        effective_order: Exclude the orders for which the hypothesis is too short; intended for single segments.
        trg_lang: The language of the segments, which selects the default tokenizer. As in sacreBLEU, only "zh", "ja"
            and "ko" select another one than "13a". For other codes of these three languages, a warning recommends
            `for_language`, which accepts all codes.
        references: Streams of references, or prepared `References`, to use in calls that pass None as references.
        weights: The weight of each order in the geometric mean: N numbers >= 0, not all of them 0, renormalized over
            the orders that are used. Orders with weight 0 are excluded; if none remain, the score is 0. None: equal
            weights.
        reference_length: The reference length for the brevity penalty. "closest": the one closest to the hypothesis
            length, and the shorter of two that are equally close. "closest-first": the first of two that are equally
            close, as in torchmetrics. "shortest": the shortest one, as in tensorflow/nmt.
        threads: The number of threads that may count at the same time, >= 1. The result does not depend on it.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: A name is unknown, a value is out of range, or streams differ in length.
        ImportError: The tokenizer's packages are not installed; the message names the extra that installs them.
        FileNotFoundError: A SentencePiece model is missing; the message says which file to put where.
        RuntimeError: MeCab's dictionary is not the one that defines the scores.

    Example:
        >>> bleu = BLEU()
        >>> bleu.corpus_score(["the cat sat on the mat"], [["a cat sat on the mat"], ["the cat is on the mat"]])
        BLEU = 84.09 100.0/100.0/75.0/66.7 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
        >>> print(bleu.get_signature())
        nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0|fastbleu:0.1.0
    """

    def sentence_score(self, hypothesis: Any, references: Sequence[Any]) -> BLEUScore:
        """Score one segment.

        Args:
            hypothesis: The segment.
            references: Its references, at least one (None is skipped).

        Returns:
            The score, 0..100. Without `effective_order`, a segment of fewer than `max_ngram_order` tokens scores 0, and
            a warning is logged once.

        Raises:
            TypeError: `hypothesis` or a reference is not a segment, or `references` is a bare str.
            ValueError: There is no reference.

        Example:
            >>> bleu = BLEU(effective_order=True)
            >>> bleu.sentence_score("the cat sat", ["the cat sat down"]).score
            71.65313105737896
        """
        if not self.warnings.of_order.is_over:
            self.warnings.order()
        if type(hypothesis) is not str:
            hypothesis, references = as_sentence(hypothesis, references)
        row, _, number = self.matcher.count_one(hypothesis, references)
        if not self.warnings.of_script.is_over:
            self.warnings.script([hypothesis])
        return self._signer.sign(self.formula.score(row), number)

    def explain(self, hypothesis: Any, references: Sequence[Any]) -> Explanation:
        """Explain how the score of one segment is computed.

        Args:
            hypothesis: The segment, a str or (with `tokenize="none"`) a sequence of tokens.
            references: Its references, at least one (None is skipped, but keeps its index).

        Returns:
            An explanation. For every order, it has each distinct n-gram with its count, its largest count in a single
            reference, the index of that reference, and its clipped count. It also has the plain and the modified
            precisions (0..1) and their means, the lengths, the brevity penalties, and the score (0..100), which equals
            that of `sentence_score`. `print` shows it as a table; `to_html()` and `save_html(path)` make an HTML page.

        Raises:
            TypeError: As for `sentence_score`.
            ValueError: As for `sentence_score`.

        Example:
            >>> bleu = BLEU(effective_order=True, lowercase=True)
            >>> references = ["The cat is on the mat", "There is a cat on the mat"]
            >>> explanation = bleu.explain("the the the the the the the", references)
            >>> explanation.orders[0]
            <Order 1: plain 7/7, modified 2/7>
            >>> explanation.orders[0].ngrams
            (Ngram(tokens=('the',), count=7, reference_count=2, reference=0, clipped_count=2),)

        The terms are those of Papineni et al. 2002, section 2.
        """
        from ..explain import explain

        return explain(self, *as_sentence(hypothesis, references))

    def sentence_scores(
        self,
        hypotheses: AnySegments,
        references: References | AnyStreams | None,
        scale: float = 100,
        *,
        like: bool = False,
    ) -> NDArray[float64] | Any:
        """Score each segment by itself, in one pass.

        Args:
            hypotheses: n segments, as for `corpus_score`; or token ids [B, K, T], K samples of each of B segments.
            references: The references of the n or B segments, as for `corpus_score`. The K samples of a segment share
                its references.
            scale: The score of a perfect match: 100, or 1, which is usual for rewards.
            like: Whether to return the same kind of array as the hypotheses, on their device: a torch tensor for a
                torch tensor, a JAX array for a JAX array, a CuPy array for a CuPy array.

        Returns:
            float64 [n] or [B, K], 0..scale. On the scale 100 these are the same floats as `sentence_score` returns, so
            a perfect match may exceed 100 in the last digit, as in sacreBLEU. With `like`, float32 if the device or
            the framework has no float64.

        Raises:
            TypeError: As for `corpus_score`; or `like` is True and the hypotheses are an array of an unknown kind.
            ValueError: As for `corpus_score`, but n may be 0; or the scale is neither 100 nor 1.

        Example:
            >>> bleu = BLEU(effective_order=True)
            >>> bleu.sentence_scores(["the cat sat", "a dog"], [["the cat sat down", "one dog"]]).round(2).tolist()
            [71.65, 50.0]
            >>> import numpy as np
            >>> samples = np.array([[[5, 6, 7], [5, 6, 8]], [[1, 2, 3], [4, 4, 4]]])  # two samples of each segment
            >>> bleu = BLEU(tokenize="none", effective_order=True)
            >>> bleu.sentence_scores(samples, np.array([[5, 6, 7], [1, 2, 3]])).round(2).tolist()
            [[100.0, 55.03], [100.0, 0.0]]
        """
        divisor = check_scale(scale)
        self.warnings.order()
        corpus = self.corpus(hypotheses, references, samples=True)
        width = corpus.counter.width
        if len(corpus) * width <= _COUNTS_PER_BATCH:
            all_rows = empty_table(len(corpus), width)
            self.count(corpus, rows_of(all_rows))
            return shaped(scaled(self.formula.score_rows(all_rows), divisor), corpus, hypotheses, like)
        import numpy as np

        scores = np.empty(len(corpus))

        def score(start: int, stop: int, rows: NDArray[int64]) -> None:
            scores[start:stop] = self.formula.score_rows(rows)

        # Score chunk by chunk: all rows would take ten times the memory of the scores.
        self.count(corpus, lambda start, stop: empty_table(stop - start, width), score)
        return shaped(scaled(scores, divisor), corpus, hypotheses, like)

    def sentence_prefix_scores(
        self, hypothesis: Any, references: Sequence[Any], scale: float = 100
    ) -> NDArray[float64]:
        """Score each prefix of one segment as if it were a whole segment, for token-level rewards.

        The time is linear in the length of the hypothesis. The segment is tokenized first, and a prefix is its first t
        tokens; a tokenizer might split the truncated text into other tokens.

        Args:
            hypothesis: The segment.
            references: Its references, at least one (None is skipped).
            scale: The score of a perfect match: 100 or 1.

        Returns:
            float64 [tokens], 0..scale: the score of the first token, of the first two, and so on.

        Raises:
            TypeError: As for `sentence_score`.
            ValueError: As for `sentence_score`; or the scale is neither 100 nor 1.

        Example:
            >>> bleu = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)
            >>> bleu.sentence_prefix_scores("the cat lay down", ["the cat sat"]).round(1).tolist()
            [13.5, 60.7, 57.7, 40.8]
        """
        from ..scoring.prefixes import sentence_prefix_scores

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
        """Score each prefix of each segment as if it were a whole segment, for token-level rewards.

        Args:
            hypotheses: As for `sentence_scores`.
            references: As for `sentence_scores`.
            scale: The score of a perfect match: 100 or 1.
            like: As for `sentence_scores`.

        Returns:
            float64 [n, T] or [B, K, T], 0..scale. For an id matrix, T is its width, and position t has the score of the
            tokens at the positions up to and including t; padding, ignored ids and end-of-sequence ids are not tokens.
            For other hypotheses, T is the number of tokens in the longest one. After the end of a hypothesis its last
            score is repeated. An empty hypothesis has the score of the empty prefix at all positions.

        Raises:
            TypeError: As for `sentence_scores`.
            ValueError: As for `sentence_scores`.

        Example:
            >>> import numpy as np
            >>> from fastbleu import TokenIds
            >>> samples = TokenIds(np.array([[5, 6, 9, 2], [7, 2, 0, 0]]), pad_id=0, eos_id=2)
            >>> targets = TokenIds(np.array([[5, 6, 2], [7, 8, 2]]), pad_id=0, eos_id=2)
            >>> bleu = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)
            >>> bleu.prefix_scores(samples, targets, scale=1).round(3).tolist()
            [[0.368, 1.0, 0.577, 0.577], [0.368, 0.368, 0.368, 0.368]]
        """
        from ..scoring.prefixes import prefix_scores

        divisor = check_scale(scale)
        corpus = self.corpus(hypotheses, references, samples=True)
        return shaped(scaled(prefix_scores(corpus, self.formula), divisor), corpus, hypotheses, like)

    def statistics(
        self, hypotheses: AnySegments, references: References | AnyStreams | None, *, like: bool = False
    ) -> NDArray[int64] | Any:
        """Return the sufficient statistics of each segment. Their sum is the row of the corpus.

        Args:
            hypotheses: As for `sentence_scores`.
            references: As for `sentence_scores`.
            like: As for `sentence_scores`.

        Returns:
            int64 [n, 2 + 2N] or [B, K, 2 + 2N]: sys_len, ref_len, correct_1..correct_N, total_1..total_N. With `like`,
            int32 if the framework has no int64.

        Raises:
            TypeError: As for `sentence_scores`.
            ValueError: As for `corpus_score`, but n may be 0.

        Example:
            >>> BLEU(max_ngram_order=2).statistics(["the cat sat"], [["the cat is here"]]).tolist()
            [[3, 4, 2, 1, 3, 2]]
        """
        corpus = self.corpus(hypotheses, references, samples=True)
        rows = empty_table(len(corpus), self.formula.width)
        self.count(corpus, rows_of(rows))
        return shaped(rows, corpus, hypotheses, like)

    # For other packages of fastbleu

    def corpus(self, hypotheses: Any, references: Any, samples: bool = False) -> Corpus:
        """Convert and check hypotheses and references as `Metric.corpus` does, and warn about undeclared padding."""
        corpus = super().corpus(hypotheses, references, samples)
        if isinstance(corpus.hypotheses, Ids) and not self.warnings.of_padding.is_over:
            padded = corpus.undeclared_padding()
            if padded is not None:
                self.warnings.padding(*padded)
        return corpus

    def warn_of_text(self, totals: Totals, hypotheses: Any, tokenized: int) -> None:
        """Warn about hypotheses that look tokenized or are in a script that does not fit the tokenizer."""
        if totals.tokenized:
            self.warnings.tokens(tokenized, totals.tokenized)
        if not self.warnings.of_script.is_over:
            self.warnings.script(hypotheses)

    def warn_of_tokens(self, before: int, more: int) -> None:
        """Warn about hypotheses that look tokenized; see `Warnings.tokens`."""
        self.warnings.tokens(before, more)


def shaped(results: NDArray[Any], corpus: Corpus, hypotheses: Any, like: bool) -> Any:
    """Reshape the results of samples to [B, K, ...], and with `like` convert results to the hypotheses' kind of array.

    Args:
        results: The results, [n, ...], in the order of the hypotheses.
        corpus: The corpus, whose shape is [n], or [B, K] for samples.
        hypotheses: The user's hypotheses.
        like: As for `BLEU.sentence_scores`.
    """
    if len(corpus.shape) > 1:
        results = results.reshape(*corpus.shape, *results.shape[1:])
    return as_like(results, hypotheses) if like is not False and check_flag("like", like) else results
