"""The signature: one line that records how a score was computed, so that others can reproduce it."""

from __future__ import annotations

from _thread import _local

from ..options import check_smoothing
from ..system.version import __version__
from .smoothing import PEER_METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol, TypeAlias, TypeVar

    from ..options import SmoothMethod
    from .formula import Formula
    from .score import Score

    AnyScore = TypeVar("AnyScore", bound=Score)

    class Signs(Protocol):
        """The signature fields shared by all scores of a metric: `Signed` or `ChrfSigned`."""

        def sign(
            self, num_references: int, n_bootstrap: int | None = None, seed: str | None = None
        ) -> Signature:
            """Return the signature of a score; see `Signed.sign`."""

    #: The shared fields, and the arguments of their `sign`.
    Arguments: TypeAlias = "tuple[Signs, int, int | None, str | None]"

#: The release of sacreBLEU whose scores are reproduced to the last digit; the signature claims it as `version:`.
SACREBLEU_VERSION = "2.6.0"

#: Short names of fields: sacreBLEU's, then ours. A field that is not listed keeps its name.
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
    "space": "s",
    "fastbleu": "fb",
}

#: The fields that are printed last, in this order.
_LAST = ("version", "fastbleu")


class Signature:
    """The options that a score depends on, field by field, in sacreBLEU's order and with its names.

    Args:
        num_references: References per segment, or None if segments differ in it (`nrefs:var`).
        lowercase: Whether case was ignored.
        effective_order: Whether orders for which a hypothesis is too short were left out.
        tokenizer: The tokenizer's signature.
        smooth_method: The smoothing method's name.
        smooth_value: Its value, or None for the default.
        n_bootstrap: The number of resamples of the interval, or None without an interval.
        seed: The seed of the resampling as text, or None.

    Attributes:
        info: The fields by name. Fields whose value is None are not printed.

    Raises:
        TypeError, ValueError: The smoothing method or its value is invalid (see `options.check_smoothing`).

    Example:
        >>> signature = Signature(1, smooth_method="floor")
        >>> str(signature).rpartition("|")[0]
        'nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0'
        >>> signature.update("test", "wmt21")
        >>> signature.format(short=True).rpartition("|")[0]
        '#:1|t:wmt21|c:mixed|e:no|tok:13a|s:floor[0.10]|v:2.6.0'

    Equal to that of `sacrebleu.metrics.bleu.BLEUSignature` (2.6.0), followed by the field `fastbleu`.
    """

    info: dict[str, Any]

    def __init__(
        self,
        num_references: int | None,
        *,
        lowercase: bool = False,
        effective_order: bool = False,
        tokenizer: str = "13a",
        smooth_method: SmoothMethod = "exp",
        smooth_value: float | None = None,
        n_bootstrap: int | None = None,
        seed: str | None = None,
    ) -> None:
        smooth: str = smooth_method
        smooth_value = check_smoothing(smooth_method, smooth_value)
        if smooth_value is not None:
            smooth += f"[{smooth_value:.2f}]"
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
            "case": "lc" if lowercase else "mixed",
            "eff": "yes" if effective_order else "no",
            "tok": tokenizer,
            "smooth": smooth,
            "fastbleu": __version__,
        }

    def format(self, short: bool = False) -> str:
        """Format the fields as `name:value`, joined by `|`.

        Args:
            short: Whether to use the short names of fields.

        Returns:
            The signature in one line, `version` and `fastbleu` last.
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
        """Set a field, or add one after the known ones.

        Args:
            key: The field's name.
            value: The value to print; a bool is printed as yes or no, and None drops the field.
        """
        self.info[key] = value

    def __repr__(self) -> str:
        return self.format()


class Signed:
    """The signature fields shared by all scores of a BLEU metric.

    Args:
        lowercase: Whether case was ignored.
        tokenizer: The tokenizer's signature.
        is_peers: Whether sacreBLEU has that tokenizer.
        reference_length: The rule for the reference length.
        formula: The formula.
    """

    __slots__ = ("is_peers", "options", "rarer")

    def __init__(
        self,
        lowercase: bool,
        tokenizer: str,
        is_peers: bool,
        reference_length: str,
        formula: Formula,
    ) -> None:
        self.options: dict[str, Any] = {
            "lowercase": lowercase,
            "effective_order": formula.effective_order,
            "tokenizer": tokenizer,
            "smooth_method": formula.smooth_method,
            "smooth_value": formula.smooth_value,
        }
        self.rarer: dict[str, str] = {}
        if reference_length != "closest":
            self.rarer["reflen"] = reference_length
        if formula.weights is not None:
            self.rarer["weights"] = "/".join(map(repr, formula.weights))
        self.is_peers = is_peers and not self.rarer and formula.smooth_method in PEER_METHODS

    def sign(self, num_references: int, n_bootstrap: int | None = None, seed: str | None = None) -> Signature:
        """Return the signature of a score.

        Args:
            num_references: References per segment, -1 if segments differ in it.
            n_bootstrap: The number of resamples, or None.
            seed: Their seed, or None.
        """
        number = None if num_references < 0 else num_references
        signature = Signature(number, **self.options, n_bootstrap=n_bootstrap, seed=seed)
        for field, value in self.rarer.items():
            signature.update(field, value)
        if not self.is_peers:
            # No release of sacreBLEU gives this score.
            signature.update("version", None)
        return signature


class _OfThread(_local):
    #: The signer and its arguments for the thread's latest score.
    arguments: Arguments | None = None


class Signer:
    """Sign the scores of a metric, and remember how the latest one was signed, in this thread or else in any.

    No score depends on it.

    Args:
        signed: The fields shared by all scores of the metric.
    """

    __slots__ = ("_latest", "_latest_of_any_thread", "signed")

    def __init__(self, signed: Signs) -> None:
        self.signed = signed
        self._latest = _OfThread()
        self._latest_of_any_thread: Arguments | None = None

    def sign(
        self, score: AnyScore, num_references: int, n_bootstrap: int | None = None, seed: str | None = None
    ) -> AnyScore:
        """Attach to a score what its signature is computed from on first use, without the metric; return the score.

        Args:
            score: The score, which is changed.
            num_references: References per segment, -1 if segments differ in it.
            n_bootstrap: The number of resamples, or None.
            seed: Their seed, or None.
        """
        latest = self._latest.arguments
        # Most scores of a thread are signed like the previous one. Then nothing is written that other threads share, so
        # a thread without a score of its own may see a score that is not the very latest.
        resampled = n_bootstrap is not None
        if resampled or latest is None or latest[1] != num_references or latest[2] is not None:
            latest = (self.signed, num_references, n_bootstrap, seed)
            self._latest.arguments = self._latest_of_any_thread = latest
        score.signer = latest
        return score

    @property
    def latest(self) -> Arguments | None:
        """The shared fields and the arguments of `sign` for the latest score; None before the first score."""
        return self._latest.arguments or self._latest_of_any_thread
