"""Define signatures. A signature is a line that records how a score was computed, so that others can reproduce it."""

from __future__ import annotations

from _thread import _local

from ..options import check_smoothing
from ..system.version import __version__
from .smoothing import PEER_METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias, TypeVar

    from typing_extensions import Self

    from ..options import SmoothMethod
    from .formula import Formula
    from .score import Score

    AnyScore = TypeVar("AnyScore", bound=Score)

    #: A metric's `SharedFields`, and the arguments for its method `sign`.
    Arguments: TypeAlias = "tuple[SharedFields, int, int | None, str | None]"

#: The release of sacreBLEU whose scores are reproduced to the last digit. It is the field `version` of signatures.
SACREBLEU_VERSION = "2.6.0"

#: The short names of fields. Fields that are not listed keep their names.
SHORT_NAMES = {
    "version": "v",
    "nrefs": "#",
    "test": "t",
    "lang": "l",
    "subset": "S",
    "origlang": "o",
    "bs": "bs",
    "ar": "ar",
    "seed": "rs",
    "case": "c",
    "eff": "e",
    "tok": "tok",
    "smooth": "s",
    "reflen": "rl",
    "weights": "w",
    "nc": "nc",
    "nw": "nw",
    "space": "s",
    "fastbleu": "fb",
}

#: The fields that are printed last, in this order.
_LAST = ("version", "fastbleu")


def bleu_fields(
    lowercase: bool,
    effective_order: bool,
    tokenizer: str,
    smooth_method: SmoothMethod,
    smooth_value: float | None,
) -> dict[str, Any]:
    """Return the signature fields for BLEU's options, in sacreBLEU's order.

    Args:
        lowercase: Whether case was ignored.
        effective_order: Whether the orders for which a hypothesis is too short were excluded.
        tokenizer: The name of the tokenizer in signatures.
        smooth_method: The name of the smoothing method.
        smooth_value: The value of the method; None for the default.

    Raises:
        TypeError, ValueError: The smoothing method or its value is invalid (see `options.check_smoothing`).
    """
    value = check_smoothing(smooth_method, smooth_value)
    return {
        "case": "lc" if lowercase else "mixed",
        "eff": "yes" if effective_order else "no",
        "tok": tokenizer,
        "smooth": smooth_method if value is None else f"{smooth_method}[{value:.2f}]",
    }


class Signature:
    """The options that a score depends on, field by field, in sacreBLEU's order and with its names.

    Args:
        num_references: The number of references per segment; None if it differs between segments (`nrefs:var`).
        fields: The fields of the metric's options.
        n_bootstrap: The number of resamples of the interval; None without an interval.
        seed: The seed of the resampling as text, or None.

    Attributes:
        info: The values of the fields by name. Fields whose value is None are not printed.

    Example:
        >>> from fastbleu import BLEU
        >>> signature = BLEU(smooth_method="floor").signature_for(1)
        >>> str(signature).rpartition("|")[0]
        'nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0'
        >>> signature.update("test", "wmt21")
        >>> signature.format(short=True).rpartition("|")[0]
        '#:1|t:wmt21|c:mixed|e:no|tok:13a|s:floor[0.10]|v:2.6.0'

    The text equals that of sacreBLEU's signatures (2.6.0), followed by the field `fastbleu`.
    """

    info: dict[str, Any]

    def __init__(
        self,
        num_references: int | None,
        fields: Mapping[str, Any],
        n_bootstrap: int | None = None,
        seed: str | None = None,
    ) -> None:
        self.info = {
            "version": SACREBLEU_VERSION,
            "nrefs": "var" if num_references is None else num_references,
            "bs": n_bootstrap,
            "ar": None,
            "seed": seed,
            "test": None,
            "lang": None,
            "origlang": None,
            "subset": None,
            **fields,
            "fastbleu": __version__,
        }

    def format(self, short: bool = False) -> str:
        """Format the fields as `name:value`, joined by `|`.

        Args:
            short: Use the short names of fields.

        Returns:
            One line, with the fields `version` and `fastbleu` at the end.
        """
        fields = []
        for name in (*(name for name in self.info if name not in _LAST), *_LAST):
            value = self.info.get(name)
            if value is None:
                continue
            if isinstance(value, bool):
                value = "yes" if value else "no"
            fields.append(f"{SHORT_NAMES.get(name, name) if short else name}:{value}")
        return "|".join(fields)

    def update(self, key: str, value: Any) -> None:
        """Change a field, or append one.

        Args:
            key: The name of the field.
            value: The value. A bool is printed as yes or no; a field whose value is None is not printed.
        """
        self.info[key] = value

    def __repr__(self) -> str:
        return self.format()


class SharedFields:
    """The signature fields that all scores of a metric have in common.

    Args:
        fields: The fields of the metric's options.
        is_sacrebleus: Whether sacreBLEU can compute the same scores. If not, signatures have no field `version`.
    """

    __slots__ = ("fields", "is_sacrebleus")

    def __init__(self, fields: dict[str, Any], is_sacrebleus: bool = True) -> None:
        self.fields = fields
        self.is_sacrebleus = is_sacrebleus

    @classmethod
    def of_bleu(
        cls, lowercase: bool, tokenizer: str, is_sacrebleus: bool, reference_length: str, formula: Formula
    ) -> Self:
        """Return the fields of a BLEU metric.

        Args:
            lowercase: Whether case is ignored.
            tokenizer: The name of the tokenizer in signatures.
            is_sacrebleus: Whether sacreBLEU has that tokenizer.
            reference_length: The rule for the reference length.
            formula: The formula.
        """
        method = formula.smooth_method
        fields = bleu_fields(lowercase, formula.effective_order, tokenizer, method, formula.smooth_value)
        only_ours: dict[str, str] = {}
        if reference_length != "closest":
            only_ours["reflen"] = reference_length
        if formula.weights is not None:
            only_ours["weights"] = "/".join(map(repr, formula.weights))
        return cls(fields | only_ours, is_sacrebleus and not only_ours and method in PEER_METHODS)

    def sign(self, num_references: int, n_bootstrap: int | None = None, seed: str | None = None) -> Signature:
        """Return the signature of a score.

        Args:
            num_references: The number of references per segment; -1 if it differs between segments.
            n_bootstrap: The number of resamples of the interval; None without an interval.
            seed: The seed of the resampling as text; None without an interval.
        """
        number = None if num_references < 0 else num_references
        signature = Signature(number, self.fields, n_bootstrap, seed)
        if not self.is_sacrebleus:
            signature.update("version", None)
        return signature


class _OfThread(_local):
    #: The shared fields and the arguments of `sign` for the latest score of the thread.
    arguments: Arguments | None = None


class Signer:
    """Sign the scores of a metric, and remember how the latest score was signed, per thread and over all threads.

    Args:
        fields: The signature fields that all scores of the metric have in common.
    """

    __slots__ = ("_latest", "_latest_of_any_thread", "fields")

    def __init__(self, fields: SharedFields) -> None:
        self.fields = fields
        self._latest = _OfThread()
        self._latest_of_any_thread: Arguments | None = None

    def sign(
        self, score: AnyScore, num_references: int, n_bootstrap: int | None = None, seed: str | None = None
    ) -> AnyScore:
        """Attach to a score the data from which its signature is computed on first use, and return the score.

        Args:
            score: The score, which is changed.
            num_references: As for `SharedFields.sign`.
            n_bootstrap: As for `SharedFields.sign`.
            seed: As for `SharedFields.sign`.
        """
        latest = self._latest.arguments
        # Most scores of a thread have the same signature as the previous one. In this case, no attribute that threads
        # share is written, to save time. So `_latest_of_any_thread` may belong to an older score than the latest.
        resampled = n_bootstrap is not None
        if resampled or latest is None or latest[1] != num_references or latest[2] is not None:
            latest = (self.fields, num_references, n_bootstrap, seed)
            self._latest.arguments = self._latest_of_any_thread = latest
        score.signer = latest
        return score

    @property
    def latest(self) -> Arguments | None:
        """Return how this thread's latest score was signed, or the latest of any thread if this one has no score yet.

        Returns:
            The shared fields, and the arguments with which their method `sign` creates the signature. None before the
            first score.
        """
        return self._latest.arguments or self._latest_of_any_thread
