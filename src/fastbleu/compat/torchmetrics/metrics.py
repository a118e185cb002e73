"""torchmetrics' classes for BLEU and chrF, which sum counts over batches and processes."""

# This module does not import `annotations` from `__future__`, because torch.jit.script cannot parse annotations that
# are strings. torch.jit.script does not compile all methods. In the others, unions with torch's classes are strings,
# because the documentation is built with a mock of torch, whose classes have no operator `|`.

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torchmetrics import Metric
from torchmetrics.utilities import dim_zero_cat

from ...options import check_flag
from ...scoring.torchmetrics_formulas import corpus_score
from .corpus_counter import CorpusCounter, SacreBLEUTokenizer
from .functional import check_weights, chrf_options, count_chrf_corpus, rounded, score_chrf


class _Counting(Metric):
    """Base class of the metrics. The states are int64 counts; `CHRFScore` may also have a list of scores."""

    is_differentiable: bool = False
    higher_is_better: bool = True
    full_state_update: bool = False
    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0

    def plot(self, val: "Tensor | Sequence[Tensor] | None" = None, ax: Any = None) -> Any:
        """Plot one score or several.

        Args:
            val: A result of `compute` or `forward`, or a list of results; None for the current result of `compute`.
            ax: The axes of Matplotlib to draw on; None for new ones.

        Returns:
            The figure and the axes of Matplotlib.

        Raises:
            ModuleNotFoundError: Matplotlib is not installed.
        """
        return self._plot(val, ax)

    def merge_state(self, incoming_state: "dict[str, Any] | Metric") -> None:
        """Add the counts of another metric.

        Args:
            incoming_state: The other metric, or its `metric_state`.

        Raises:
            ValueError: `incoming_state` is neither a metric nor a dictionary, the metrics differ in an option that
                affects counts, or a state does not hold counts of the same shape.
            RuntimeError: This metric has `dist_sync_on_step=True`.
        """
        updates = 1
        if isinstance(incoming_state, _Counting):
            ours, theirs = self._options(), incoming_state._options()
            if ours != theirs:
                raise ValueError(f"Expected incoming state of a metric with {ours}, but it has {theirs}")
            updates = incoming_state._update_count
            incoming_state = incoming_state.metric_state
        if isinstance(incoming_state, dict):
            counts = {name: self._as_counts(name, incoming_state) for name in self._counts()}
            incoming_state = {**incoming_state, **counts}
        super().merge_state(incoming_state)
        self._computed = None  # Discard the cached score, which is outdated.
        self._update_count += updates

    def _forward_reduce_state_update(self, *args: Any, **kwargs: Any) -> Any:
        """Score a batch for `forward`, and add its counts to the states.

        torchmetrics resets the counts before it counts the batch. So if counting fails, all attributes are restored.
        """
        before = self.__dict__.copy()
        try:
            return super()._forward_reduce_state_update(*args, **kwargs)
        except BaseException:
            self.__dict__.update(before)
            raise

    def _counts(self) -> list[str]:
        """Return the names of the states that are counts."""
        return [name for name, default in self._defaults.items() if isinstance(default, Tensor)]

    def _options(self) -> str:
        """Return the options that affect counts, as text. Metrics with equal options can be merged."""
        raise NotImplementedError

    def _as_counts(self, name: str, states: Mapping[str, Any], prefix: str = "") -> Tensor:
        """Copy a state of another metric to the device of this metric, and convert it to int64.

        Args:
            name: The name of the state.
            states: The states of the other metric.
            prefix: The prefix of the names in `states`.

        Raises:
            ValueError: The state is missing, has another shape, or does not hold counts.
        """
        if prefix + name not in states:
            raise ValueError(f"Expected state variable {name} to be present in incoming state {states}")
        current: Tensor = getattr(self, name)
        counts = torch.as_tensor(states[prefix + name])
        if counts.shape != current.shape:
            raise ValueError(
                f"size mismatch for {prefix}{name}: expected {list(current.shape)}, got {list(counts.shape)}"
            )
        if not bool((torch.isfinite(counts) & (counts >= 0) & (counts == counts.to(torch.int64))).all()):
            raise ValueError(f"{prefix}{name} must hold counts, got {counts}")
        return counts.detach().to(device=current.device, dtype=torch.int64, copy=True)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
        *_, messages = others
        for name in self._counts():
            if prefix + name in state_dict:
                try:
                    state_dict[prefix + name] = self._as_counts(name, state_dict, prefix)
                except ValueError as error:
                    messages.append(str(error))
                    state_dict[prefix + name] = getattr(self, name)
                self._computed = None
        super()._load_from_state_dict(state_dict, prefix, *others)

    def _apply(self, fn: Callable[[Tensor], Tensor], exclude_state: Sequence[str] = ()) -> Any:
        """Apply `fn` to all states, but keep the counts int64. `to`, `set_dtype` and similar methods call this."""
        before = self._dtype
        this = super()._apply(fn, [*exclude_state, *self._counts()])
        if self._dtype != before:
            self._computed = None  # The cached score was rounded to another dtype.
        defaults: dict[str, Any] = self._defaults
        for name in self._counts():
            if name not in exclude_state:
                defaults[name] = self._moved(fn, defaults[name])
                setattr(self, name, self._moved(fn, getattr(self, name)))
        return this

    def _moved(self, fn: Callable[[Tensor], Tensor], counts: Tensor) -> Tensor:
        """Apply `fn` to counts, or only move them to the metric's device if `fn` would change their dtype."""
        moved = fn(counts)
        return moved if moved.dtype == counts.dtype else counts.to(self.device)


class BLEUScore(_Counting):
    """Metric for the BLEU of text that is split at white space, like `torchmetrics.text.BLEUScore`.

    `update(preds, target)` counts a batch, and `compute()` scores the batches of all processes. A call of the metric
    counts a batch and returns its score.

    Args:
        n_gram: The largest order of n-grams, >= 1.
        smooth: Add 1 to the matches and to the candidates of every order above 1.
        weights: A weight for each order; None for equal weights `1 / n_gram`.
        kwargs: Options of `torchmetrics.Metric`.

    Attributes:
        preds_len: The number of tokens in the predictions, int64 [].
        target_len: The number of tokens in the closest references, int64 [].
        numerator: The number of matched n-grams of each order, int64 [n_gram].
        denominator: The number of candidate n-grams of each order, int64 [n_gram].

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option is out of range, or there are not `n_gram` weights.

    Example:
        >>> bleu = BLEUScore()
        >>> bleu(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
        tensor(0.7598)
        >>> bleu.update(["it rained all day long"], [["it rained all day long"]])
        >>> bleu.compute()
        tensor(0.8628)
        >>> bleu.numerator
        tensor([10,  8,  6,  4])

    The score equals that of torchmetrics 1.9.0 to 1e-6, the precision of float32. Unlike the counts of torchmetrics,
    which stop at 2^24, these counts are always exact.
    """

    preds_len: Tensor
    target_len: Tensor
    numerator: Tensor
    denominator: Tensor

    def __init__(
        self, n_gram: int = 4, smooth: bool = False, weights: Sequence[float] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._counter = CorpusCounter(SacreBLEUTokenizer("none"), n_gram)
        self.n_gram = self._counter.n_gram
        self.smooth = check_flag("smooth", smooth)
        self.weights = check_weights(weights, self.n_gram)
        for name in ("preds_len", "target_len"):
            self.add_state(name, torch.tensor(0), dist_reduce_fx="sum")
        for name in ("numerator", "denominator"):
            self.add_state(name, torch.zeros(self.n_gram, dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, preds: Sequence[str], target: Sequence[Sequence[str]]) -> None:
        """Count the n-grams of a batch, and add the counts to the states.

        Args:
            preds: n predictions.
            target: The references of each prediction, at least one each.

        Raises:
            TypeError: An argument is not a sequence, or a text is not a str; the error names it.
            ValueError: The arguments differ in length, or a prediction has no reference.
        """
        row = self._counter.count(preds, target)
        # Make new tensors, because the old ones may be shared, or created under inference_mode. Assign to `__dict__`,
        # because torch's `__setattr__` is slower: it checks whether the value is a parameter.
        states, middle = self.__dict__, 2 + self.n_gram
        for name, count in (("preds_len", row[0]), ("target_len", row[1])):
            if count:
                states[name] = states[name] + count
        for name, counts in (("numerator", row[2:middle]), ("denominator", row[middle:])):
            if any(counts):
                states[name] = states[name] + torch.tensor(counts, device=states[name].device)

    def compute(self) -> Tensor:
        """Compute the score of all batches that were counted since the last reset.

        Returns:
            The score (0..1), a scalar tensor of the metric's dtype on its device.
        """
        lengths = [int(self.preds_len), int(self.target_len)]
        row = lengths + self.numerator.tolist() + self.denominator.tolist()
        return rounded(corpus_score(row, self.weights, self.smooth), self.dtype, self.device)

    def _options(self) -> str:
        """Return the options that affect counts, as text."""
        tokenizer = self._counter.tokenizer
        return f"n_gram={self.n_gram}, tokenize={tokenizer.name!r}, lowercase={tokenizer.lowercase}"


class SacreBLEUScore(BLEUScore):
    """Metric for the BLEU of text that is tokenized like sacreBLEU, as in `torchmetrics.text.SacreBLEUScore`.

    Args:
        n_gram: The largest order of n-grams, >= 1.
        smooth: Add 1 to the matches and to the candidates of every order above 1.
        tokenize: "none", "13a", "zh", "intl", "char", "ja-mecab", "ko-mecab", "flores101" or "flores200".
        lowercase: Lowercase the tokens.
        weights: A weight for each order; None for equal weights `1 / n_gram`.
        kwargs: Options of `torchmetrics.Metric`.

    Attributes:
        tokenizer: The function from a text to its tokens.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option is out of range, or there are not `n_gram` weights.
        ImportError, FileNotFoundError, RuntimeError: The package or the model of the tokenizer is not installed.

    Example:
        >>> sacre_bleu = SacreBLEUScore(n_gram=2, lowercase=True)
        >>> sacre_bleu(["WELL, it rained."], [["Well, it rained all day.", "It rained."]])
        tensor(0.6703)
        >>> sacre_bleu.tokenizer("WELL, it rained.")
        ['well', ',', 'it', 'rained', '.']

    The score equals that of torchmetrics 1.9.0 to 1e-6, the precision of float32. Unlike the counts of torchmetrics,
    which stop at 2^24, these counts are always exact.
    """

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        tokenize: str = "13a",
        lowercase: bool = False,
        weights: Sequence[float] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(n_gram=n_gram, smooth=smooth, weights=weights, **kwargs)
        self.tokenizer = SacreBLEUTokenizer(tokenize, lowercase)
        self._counter = CorpusCounter(self.tokenizer, self.n_gram)


class CHRFScore(_Counting):
    """Metric for chrF++, or for chrF with `n_word_order=0`, like `torchmetrics.text.CHRFScore`.

    Args:
        n_char_order: The largest order of character n-grams, >= 1.
        n_word_order: The largest order of word n-grams, >= 0.
        beta: The weight of recall relative to precision, >= 0.
        lowercase: Ignore case.
        whitespace: Count white space as characters.
        return_sentence_level_score: Let `compute` and calls also return the score of each prediction.
        kwargs: Options of `torchmetrics.Metric`.

    Attributes:
        sentence_chrf_score: The scores of the predictions, one tensor per batch; None without
            `return_sentence_level_score`.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option is out of range.

    Example:
        >>> chrf = CHRFScore()
        >>> chrf(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
        tensor(0.8640)
        >>> chrf.total_matching_char_1_grams
        tensor(13)

    The score equals that of torchmetrics 1.9.0 to the last digit. Unlike the counts of torchmetrics, which stop at
    2^24, these counts are always exact.
    """

    sentence_chrf_score: "list[Tensor] | None" = None

    def __init__(
        self,
        n_char_order: int = 6,
        n_word_order: int = 2,
        beta: float = 2.0,
        lowercase: bool = False,
        whitespace: bool = False,
        return_sentence_level_score: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._chrf = chrf_options(n_char_order, n_word_order, beta, lowercase, whitespace)
        self.n_char_order, self.n_word_order, self.beta, self.lowercase, self.whitespace = self._chrf
        self.n_order = float(n_char_order + n_word_order)
        self.return_sentence_level_score = check_flag(
            "return_sentence_level_score", return_sentence_level_score
        )
        #: The names of the states: three per order of character n-grams, then three per order of word n-grams.
        self._states = [
            [f"total_{text}_{level}_{n}_grams" for text in ("preds", "target", "matching")]
            for level, longest in (("char", n_char_order), ("word", n_word_order))
            for n in range(1, longest + 1)
        ]
        for name in chain(*self._states):
            self.add_state(name, torch.tensor(0), dist_reduce_fx="sum")
        if self.return_sentence_level_score:
            self.add_state("sentence_chrf_score", [], dist_reduce_fx="cat")

    def update(self, preds: Sequence[str], target: Sequence[Sequence[str]]) -> None:
        """Count the n-grams of a batch, and add the counts to the states.

        Args:
            preds: n predictions.
            target: The references of each prediction, at least one each.

        Raises:
            TypeError: An argument is not a sequence, or a text is not a str; the error names it.
            ValueError: The arguments differ in length, or a prediction has no reference.
        """
        counts, scores = count_chrf_corpus(preds, target, self._chrf)
        for name, count in zip(chain(*self._states), counts.ravel().tolist(), strict=True):
            self.__dict__[name] = self.__dict__[name] + count
        if self.sentence_chrf_score is not None and len(scores):
            self.sentence_chrf_score = [*self.sentence_chrf_score, scores.to(self.device)]

    def compute(self) -> "Tensor | tuple[Tensor, Tensor]":
        """Compute the score of all batches that were counted since the last reset.

        Returns:
            The score (0..1), a scalar tensor of the metric's dtype on its device. With `return_sentence_level_score`, a
            tuple of this score and a tensor with the scores of all predictions, [n].
        """
        counts = np.array([[int(getattr(self, name)) for name in names] for names in self._states])
        score = score_chrf(counts, self._chrf, self.dtype, self.device)
        if self.sentence_chrf_score is None:
            return score
        return score, dim_zero_cat(self.sentence_chrf_score)

    def _options(self) -> str:
        """Return the options that affect counts, as text."""
        names = ("n_char_order", "n_word_order", "beta", "lowercase", "whitespace")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)
