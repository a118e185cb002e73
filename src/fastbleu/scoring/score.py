"""Define score objects, which have a score with its counts, its confidence interval, its signature and its text."""

from __future__ import annotations

from ._score import attributes, describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._formula import CompiledFormula
    from .signature import Arguments, Signature
    from .smoothing import Counts


class _LazyAttributes:
    """The base class of scores: a dictionary of attributes, and data from which further attributes are computed.

    The data are in slots, so that they are not among the attributes in the dictionary.
    """

    __slots__ = ("__dict__", "_made_of", "signer")

    #: The compiled formula and the row from which attributes are computed on first use; None after that.
    _made_of: tuple[CompiledFormula, list[int]] | None
    #: The data from which the signature is computed on first use; the signature after that.
    signer: Arguments | Signature | None


#: The descriptor of the dictionary of attributes. `BLEUScore.__dict__` is a property that hides it.
_attributes: Any = vars(_LazyAttributes)["__dict__"]
#: The attributes that are computed on first use: results of `CompiledFormula.score_one`, and the lengths.
_LAZY_ATTRIBUTES = ("counts", "totals", "precisions", "bp", "sys_len", "ref_len")


class Score(_LazyAttributes):
    """A score with its interval, signature and text."""

    name: str
    score: float
    # Private attributes with the same names as in sacreBLEU, because programs may read them.
    _mean = -1.0
    _ci = -1.0
    #: The text that sacreBLEU prints after the score.
    _verbose: str

    @property
    def signature(self) -> Signature | None:
        """Return the signature of the score; None if the score was computed from counts alone."""
        signer = self.signer
        if isinstance(signer, tuple):
            self.signer = signer = signer[0].sign(*signer[1:])
        return signer

    @signature.setter
    def signature(self, signature: Signature | None) -> None:
        self.signer = signature

    @property
    def mean(self) -> float:
        """Return the mean of the resampled scores, 0..100; -1 without `n_bootstrap`."""
        return self._mean

    @property
    def ci(self) -> float:
        """Return half the width of the 95 % confidence interval around `mean`; -1 without `n_bootstrap`."""
        return self._ci

    def estimate_ci(self, scores: Sequence[Score]) -> None:
        """Set the mean and the interval from the scores of resamples, as in sacreBLEU.

        Args:
            scores: The scores of at least one resample.
        """
        from .bootstrap import interval_of

        self.set_interval(*interval_of([resample.score for resample in scores]))

    def set_interval(self, mean: float, ci: float) -> None:
        """Set the mean of the resampled scores, and half the width of their interval, given as `ci`."""
        self._mean = mean
        self._ci = ci

    def _all_attributes(self) -> dict[str, Any]:
        """Compute all attributes in `_LAZY_ATTRIBUTES`, and return the dictionary of attributes."""
        dictionary: dict[str, Any] = _attributes.__get__(self)
        made_of = getattr(self, "_made_of", None)
        if made_of is not None:
            formula, row = made_of
            for name, value in zip(_LAZY_ATTRIBUTES, (*formula.score_one(row)[1:], *row[:2]), strict=True):
                dictionary.setdefault(name, value)
            self._made_of = None
        return dictionary

    def __getstate__(self) -> tuple[dict[str, Any], Any]:
        return dict(self._all_attributes()), self.signer

    def __setstate__(self, state: tuple[dict[str, Any], Any]) -> None:
        dictionary, self.signer = state
        _attributes.__set__(self, dict(dictionary))

    def format(
        self, width: int = 2, score_only: bool = False, signature: str | Signature = "", is_json: bool = False
    ) -> str:
        """Format the score as sacreBLEU does.

        Args:
            width: The number of decimals of the score and of its interval.
            score_only: Return only the number, and its interval if there is one, even with `is_json`.
            signature: The signature to print after the name. A JSON object contains it and each of its fields.
            is_json: Return a JSON object instead of a line.

        Returns:
            One line, or a JSON object over several lines.

        Example:
            >>> from fastbleu import BLEU
            >>> score = BLEU.compute_bleu([2], [4], sys_len=4, ref_len=4, max_ngram_order=1)
            >>> score.format(signature="nrefs:1|case:mixed")
            'BLEU|nrefs:1|case:mixed = 50.00 50.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)'
        """
        signature = str(signature)
        number = f"{self.score:.{width}f}"
        mean, half_width = f"{self.mean:.{width}f}", f"{self.ci:.{width}f}"
        interval = f"μ = {mean} ± {half_width}" if self.mean > 0 else ""
        text = f"{number} ({interval})" if interval else number
        if score_only:
            return text
        verbose = self._after_score()
        if not is_json:
            heading = f"{self.name}|{signature}" if signature else self.name
            return f"{heading} = {text} {verbose}".rstrip()
        from json import dumps

        fields: dict[str, str | float] = {"name": self.name, "score": float(number), "signature": signature}
        if interval:
            fields["confidence_mean"] = float(mean)
            fields["confidence_var"] = float(half_width)
            fields["confidence"] = interval
        if verbose:
            fields["verbose_score"] = verbose
        for field in signature.split("|") if signature else ():
            key, _, value = field.partition(":")
            fields[key] = value
        return dumps(fields, indent=1, ensure_ascii=False)

    def _after_score(self) -> str:
        """Return the text that sacreBLEU prints after the score."""
        return self._verbose

    def __repr__(self) -> str:
        return self.format()


class BLEUScore(Score):
    """A BLEU score with the counts from which it was computed, and with sacreBLEU's attributes.

    Attributes other than `score` are computed on first use. `vars(score)` has sacreBLEU's attributes in the same order,
    so `json.dumps(vars(score))` returns the same text as for sacreBLEU's score.

    Args:
        score: The score, 0..100.
        counts: The matched n-grams of each order; under add-k including the added value.
        totals: The candidate n-grams of each order; under add-k including the added value.
        precisions: The smoothed n-gram precisions, 0..100.
        bp: The brevity penalty, 0..1.
        sys_len: The number of tokens in the hypotheses.
        ref_len: The number of tokens in the closest references.

    Attributes:
        name: "BLEU".
        prec_str: The precisions with one decimal each, joined by slashes.
        ratio: `sys_len` over `ref_len`; 0 if `ref_len` is 0.
        signature: The `Signature` of the score; None if the score was computed from counts alone.

    Example:
        >>> from fastbleu import BLEU
        >>> score = BLEU.compute_bleu([4, 2, 1, 0], [5, 4, 3, 2], sys_len=5, ref_len=5, smooth_method="exp")
        >>> score
        BLEU = 42.73 80.0/50.0/33.3/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 5 ref_len = 5)
        >>> score.format(width=1, score_only=True)
        '42.7'
    """

    name = "BLEU"
    counts: Counts
    totals: Counts
    precisions: list[float]
    bp: float
    sys_len: int
    ref_len: int
    prec_str: str
    ratio: float

    def __init__(
        self,
        score: float,
        counts: Counts,
        totals: Counts,
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self.score = score
        self.counts = counts
        self.totals = totals
        self.precisions = precisions
        self.bp = bp
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.signer = None

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # typeshed declares an attribute
        """Return all attributes, in sacreBLEU's order."""
        dictionary = self._all_attributes()
        if "_verbose" in dictionary or "precisions" not in dictionary:
            return dictionary
        values = self.score, self.counts, self.totals, self.precisions, self.bp
        complete = attributes(values, self.sys_len, self.ref_len)
        complete.update(dictionary)
        _attributes.__set__(self, complete)
        return complete

    def __getattr__(self, name: str) -> Any:
        dictionary = {}
        if name in _LAZY_ATTRIBUTES:
            dictionary = self._all_attributes()
        elif name in ("_verbose", "prec_str", "ratio"):
            dictionary = self.__dict__
        if name not in dictionary:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return dictionary[name]

    def _after_score(self) -> str:
        return (
            self._all_attributes().get("_verbose")
            or describe(self.precisions, self.bp, self.sys_len, self.ref_len)[2]
        )
