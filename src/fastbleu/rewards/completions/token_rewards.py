"""Rewards by token: the gain of each token of the metric, assigned to the tokens of the policy.

The gain of a token is the score of the text up to its end minus that of the text before it; an empty text scores 0. So
gains add up to the reward of the completion: a potential-based shaping of it (Ng et al. 1999), which does not change
which completion is best.
"""

from __future__ import annotations

from ...counting.references import References
from ...errors import ArgumentValueError, Location, counted, wrong_type
from ...metric import BLEU
from ...tokenizers._tokenize import (
    TOKENIZE_13A,
    TOKENIZE_CHAR,
    TOKENIZE_CHRF_WORDS,
    TOKENIZE_EVERY_CHAR,
    tokenize,
)
from .kinds import are_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ...metric.chrf import CHRF
    from .extraction import Step
    from .formulas import Scorer
    from .kinds import Batch

#: The strings that the tokenizer "13a" removes or replaces before it splits a text (mteval-v13a.pl), in this order.
_REWRITES_13A = (
    ("<skipped>", ""),
    ("-\n", ""),
    ("&quot;", '"'),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
)

#: A character that no text of a model contains, used as a placeholder for a part of it.
_MASK = "\U0010fffe"


def rewards_of_ids(scorer: Scorer, batch: Batch, lengths: list[int], empty: float) -> list[NDArray[float64]]:
    """Return the rewards of ids, one for each: 0 at padding, and `empty` at the first id of a row without tokens.

    Args:
        scorer: The scorer, which has the metric and the scale.
        batch: The completions and their references.
        lengths: The number of tokens of each completion.
        empty: The reward of a completion without tokens.
    """
    gains = _gains(scorer, batch.hypotheses.in_matrix(), batch.references)
    for row, length in zip(gains, lengths, strict=True):
        if not length:
            row[:1] = empty
    return [row[:width] for row, width in zip(gains, batch.hypotheses.widths(), strict=True)]


def rewards_of_texts(
    scorer: Scorer,
    batch: Batch,
    lengths: list[int],
    empty: float,
    texts: Sequence[str],
    step: Step | None,
    offsets: Any,
) -> list[NDArray[float64]]:
    """Assign the gains of the tokens of the metric to the tokens of the policy.

    Args:
        scorer: The scorer, which has the metric and the scale.
        batch: The scored parts of the completions, and their references.
        lengths: The number of tokens of each completion; 0 if it counts as empty.
        empty: The reward of a completion without text, given to its last token.
        texts: The whole completions.
        step: The function that extracted the scored parts; None: the whole completions are scored.
        offsets: For each completion, the pairs of start and end of the policy's tokens in its text; None: use the
            tokens of the metric.

    Raises:
        TypeError: Offsets are not pairs of integers.
        ValueError: The tokens of the metric's tokenizer are not parts of the text; or a completion has no offsets, or
            contains its scored part in several pieces.
    """
    import numpy as np

    metric: Any = scorer.metric
    is_chrf = not isinstance(metric, BLEU)
    tokenizer: Any = metric.matcher.tokenizer.compiled
    if offsets is not None and tokenizer is None:
        raise ArgumentValueError(
            "metric",
            "must have a tokenizer that keeps tokens as they are in the text (none, 13a, intl, zh, char) to reward "
            f"tokens of a policy, got {metric!r}",
            value=metric,
        )
    gains = _gains(scorer, batch.hypotheses, batch.references)
    rewards = []
    samples = zip(gains, lengths, texts, batch.hypotheses, batch.scored, strict=True)
    for of_tokens, length, text, part, i in samples:
        row = of_tokens if is_chrf else of_tokens[:length]
        if offsets is None:
            rewards.append(row if length else _at_the_end(max(1, len(row)), empty))
            continue
        location = Location("offsets")[i]
        stops = _stops(offsets[i], location, len(text))
        placed = _at_the_end(len(stops), 0.0 if length else empty)
        if length:
            if not len(placed):
                raise ArgumentValueError(
                    location, "has no tokens, but the completion has text", value=offsets[i]
                )
            ends = (
                _character_ends(part, metric)
                if is_chrf
                else token_ends(
                    part, tokenize(part, tokenizer, metric.lowercase), metric.lowercase, tokenizer
                )
            )
            last = np.asarray(ends) - 1 + _start(text, part, step, i)
            np.add.at(placed, _tokens_at(last, stops), row)
        rewards.append(placed)
    return rewards


def empty_rewards(completions: Any, offsets: Any, empty: float) -> NDArray[float64]:
    """Return the rewards of the tokens of a malformed completion: `empty` for the last token, or for the first id."""
    if offsets is not None:
        return _at_the_end(len(offsets[0]) if hasattr(offsets[0], "__len__") else 0, empty)
    if are_ids(completions, None) and hasattr(completions[0], "__len__"):
        return _at_the_end(len(completions[0]), empty)[::-1]
    return _at_the_end(1, empty)


def _at_the_end(number: int, reward: float) -> NDArray[float64]:
    """Return the rewards of a number of tokens: 0 except for the last one."""
    import numpy as np

    rewards = np.zeros(number)
    rewards[-1:] = reward
    return rewards


def _gains(scorer: Scorer, hypotheses: Any, references: Any) -> list[NDArray[float64]]:
    """Return the gain of each token of the metric; for chrF, of each character.

    Args:
        scorer: The scorer, which has the metric and the scale.
        hypotheses: n texts, or ids.
        references: Streams, or prepared references.

    Returns:
        n arrays, with at least one number per token; for a matrix of ids [n, T] or [n, K, T], rows of length T.
    """
    import numpy as np

    metric: Any = scorer.metric
    if not isinstance(metric, BLEU):
        if isinstance(references, References):
            raise ArgumentValueError(
                "references", "must not be prepared to reward the tokens of text by chrF"
            )
        samples = zip(*references, strict=True)
        return [
            chrf_gains(metric, text, [each for each in sample if each is not None]) * scorer.scale
            for text, sample in zip(hypotheses, samples, strict=True)
        ]
    scores = metric.prefix_scores(hypotheses, references, scale=1)
    gains = np.diff(scores * scorer.scale, axis=-1, prepend=0)
    return [row for rows in (gains if gains.ndim > 2 else [gains]) for row in rows]


def _start(text: str, part: str, step: Step | None, i: int) -> int:
    """Return the start of the scored part of completion i in its text.

    If the part occurs several times, each occurrence is masked in turn, until `step` extracts the mask.
    """
    start = text.rfind(part)
    if step is None or start == text.find(part) >= 0:
        return start
    mask = _MASK * len(part)
    while start >= 0:
        masked = text[:start] + mask + text[start + len(part) :]
        if step(masked)[0] == mask:
            return start
        start = text.rfind(part, 0, start + len(part) - 1)
    raise ArgumentValueError(
        Location("completions")[i],
        f"must contain what is scored in one piece, or its tokens cannot be rewarded, got {text[:60]!r}",
        value=text,
    )


def _stops(offsets: Any, location: Location, length: int) -> NDArray[int64]:
    """Return the ends of the tokens of a policy in a completion of `length` characters.

    Raises:
        TypeError: The offsets are not pairs of integers.
        ValueError: A token ends after the completion, or before the end of an earlier token.
    """
    import numpy as np

    try:
        pairs = np.asarray(offsets if len(offsets) else np.empty((0, 2), np.int64))
    except (TypeError, ValueError):
        pairs = np.empty(0)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise wrong_type(location, "a sequence of pairs (start, end)", offsets)
    stops: NDArray[int64] = pairs[:, 1]
    earlier = np.maximum.accumulate(stops)
    is_wrong = (stops > length) | ((stops < earlier) & (pairs[:, 0] < stops))
    if is_wrong.any():
        t = int(is_wrong.argmax())
        text = f"ends at {stops[t]}, before an earlier token, which ends at {earlier[t]}"
        if stops[t] > length:
            text = (
                f"ends at {stops[t]}, but completions{list(location.indices)} has {counted(length, 'character')}; "
                "offsets count from the start of the completion, without the prompt"
            )
        raise ArgumentValueError(location[t], text, value=offsets)
    return stops


def _tokens_at(characters: NDArray[int64], stops: NDArray[int64]) -> NDArray[int64]:
    """Return the policy's token that contains each character: the first that ends after it, or else the last token.

    Tokens without characters, such as special ones, have the bounds (0, 0), which must not break the order.
    """
    import numpy as np

    return np.minimum(np.searchsorted(np.maximum.accumulate(stops), characters, "right"), len(stops) - 1)


def token_ends(text: str, tokens: Sequence[str], lowercase: bool = False, tokenizer: int = -1) -> list[int]:
    """Return the end of each token of a text.

    Args:
        text: The text.
        tokens: Its tokens, which contain all of the text except white space.
        lowercase: Whether they are the tokens of `text.lower()`.
        tokenizer: The kernel's number of the tokenizer; 13a rewrites text.

    Example:
        >>> token_ends("It rained.", ["It", "rained", "."])
        [2, 9, 10]
        >>> token_ends("Q&amp;A", ["Q", "&", "A"], tokenizer=TOKENIZE_13A)
        [1, 6, 7]
    """
    text = text.rstrip()
    sources: list[int] | None = None
    if lowercase:
        sources = [i for i, character in enumerate(text, 1) for _ in character.lower()]
        text = text.lower()
    if tokenizer == TOKENIZE_13A and ("&" in text or "<skipped>" in text or "-\n" in text):
        for old, new in _REWRITES_13A:
            text, sources = _replaced(text, sources or [*range(1, len(text) + 1)], old, new)
    ends, end = [], 0
    for token in tokens:
        end = text.index(token, end) + len(token)
        ends.append(end)
    return ends if sources is None else [sources[end - 1] for end in ends]


def _replaced(text: str, sources: list[int], old: str, new: str) -> tuple[str, list[int]]:
    """Replace a string in a text, and update the list of the end of each character in the source."""
    pieces = text.split(old)
    kept: list[int] = []
    start = 0
    for k, piece in enumerate(pieces):
        if k:
            kept += sources[start + len(old) - 1 : start + len(old)] * len(new)
            start += len(old)
        kept += sources[start : start + len(piece)]
        start += len(piece)
    return new.join(pieces), kept


def _character_ends(text: str, metric: CHRF) -> list[int]:
    """Return the end of each character of a text that chrF counts."""
    return [
        i
        for i, character in enumerate(text, 1)
        for each in (character.lower() if metric.lowercase else character)
        if metric.whitespace or not each.isspace()
    ]


def chrf_gains(metric: CHRF, text: str, references: Sequence[str]) -> NDArray[float64]:
    """Return the gain in chrF from each character of a text, in time linear in the text.

    A word counts where its last character is reached, so that the score of a prefix is sacreBLEU's of its text if no
    words are counted, or if it ends with a word.

    Args:
        metric: The options.
        text: The text.
        references: At least one reference; each prefix is scored against the one with the best score.

    Returns:
        float64 [characters], 0..1: the differences of the scores of prefixes.

    Example:
        >>> from fastbleu import CHRF
        >>> chrf_gains(CHRF(char_order=1), "ab", ["ac"]).round(3).tolist()
        [0.556, -0.056]
    """
    import numpy as np

    ends = np.array(_character_ends(text, metric), dtype=np.int64)
    words: list[int] = []
    if metric.word_order:
        words = token_ends(text, tokenize(text, TOKENIZE_CHRF_WORDS, metric.lowercase), metric.lowercase)
    if metric.lowercase:
        text = text.lower()
    words_before = np.searchsorted(np.array(words), ends, "right")
    scores = [np.zeros(len(ends) + 1)]
    for reference in references:
        other = reference.lower() if metric.lowercase else reference
        rows = _chrf_rows(metric, text, other, words_before)
        scores.append(metric.formula.score_rows(rows) / 100)
    gains: NDArray[float64] = np.diff(np.maximum.reduce(scores))
    return gains


def _chrf_rows(metric: CHRF, text: str, reference: str, words_before: NDArray[int64]) -> NDArray[int64]:
    """Return the row of each prefix of a text against one reference: [characters + 1, 3 * orders]."""
    import numpy as np

    characters = TOKENIZE_EVERY_CHAR if metric.whitespace else TOKENIZE_CHAR
    prefixes = np.arange(len(words_before) + 1)
    words = np.concatenate([[0], words_before])
    columns = []
    for tokenizer, order, lengths in (
        (characters, metric.char_order, prefixes),
        (TOKENIZE_CHRF_WORDS, metric.word_order, words),
    ):
        if not order:
            continue
        matches = _prefix_matches(tokenizer, order, text, reference)
        number = len(tokenize(reference, tokenizer))
        for n in range(order):
            ngrams = max(0, number - n)
            # sacreBLEU does not count the hypothesis for an order if the reference has no n-gram of it.
            columns += [
                np.maximum(lengths - n, 0) * bool(ngrams),
                np.full(len(lengths), ngrams),
                matches[lengths, n],
            ]
    return np.stack(columns, axis=1)


def _prefix_matches(tokenizer: int, order: int, text: str, reference: str) -> NDArray[int64]:
    """Return the matches of each order of the prefixes of 0, 1, 2.. tokens: int64 [tokens + 1, order]."""
    import numpy as np

    from ...counting._counter import NgramCounter
    from ...inputs._text import text_column
    from ...scoring._prefixes import count_prefix_matches

    counter = NgramCounter(tokenizer, order)
    matches = count_prefix_matches(counter, text_column([text]), [text_column([reference])])
    return np.frombuffer(matches, dtype=np.int64).reshape(-1, order)
