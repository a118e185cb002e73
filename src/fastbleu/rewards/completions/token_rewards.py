"""Divide the reward of a completion among its tokens.

The metric's tokenizer and the policy (the model being trained) usually divide a text into different tokens. The gain of
one of the metric's tokens is the score of the text up to the end of the token minus the score of the text before the
token, where an empty text has the score 0. Each gain is added to the reward of one of the policy's tokens. Since the
gains add up to the reward of the completion, they are a potential-based shaping (Ng et al. 1999), which does not change
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
from .call_arguments import are_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ...metric.chrf import CHRF
    from .call_arguments import Batch
    from .extraction import Extractor
    from .formulas import Scorer

#: The replacements that the tokenizer "13a" makes before it splits a text, in this order (mteval-v13a.pl).
_REWRITES_13A = (
    ("<skipped>", ""),
    ("-\n", ""),
    ("&quot;", '"'),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
)

#: A noncharacter of Unicode, which models do not generate. `_start` replaces a part of a text by it, to find out
#: whether the extractor extracts this part.
_MASK = "\U0010fffe"


def rewards_of_ids(scorer: Scorer, batch: Batch, lengths: list[int], empty: float) -> list[NDArray[float64]]:
    """Return the rewards of the ids of each completion.

    Args:
        scorer: The scorer of token ids.
        batch: The completions and their references.
        lengths: The number of tokens of each completion, without padding.
        empty: The reward of a completion without tokens, such as a row of padding. The first id of the row gets it.

    Returns:
        One float64 array per completion, with one reward per id of its row; the reward of padding is 0.
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
    extractor: Extractor | None,
    offsets: Any,
) -> list[NDArray[float64]]:
    """Return the rewards of the tokens of each completion.

    Args:
        scorer: The scorer of text.
        batch: The scored parts of the completions, and their references.
        lengths: The number of the metric's tokens in each scored part; 0 for a part that counts as empty.
        empty: The reward of a completion without text to score, which is assigned to its last token.
        texts: The whole text of each completion.
        extractor: The function that extracted the scored parts; None if the whole texts are scored.
        offsets: For each completion, the (start, end) of the policy's tokens in characters of its text; None to return
            the rewards of the metric's tokens.

    Returns:
        One float64 array per completion, with one reward per token of the policy or of the metric.

    Raises:
        TypeError: Offsets are not pairs of integers.
        ValueError: The metric's tokenizer has tokens that are not substrings of the text; or a completion with text has
            no offsets; or its scored part is not a contiguous substring of its text.
    """
    import numpy as np

    metric: Any = scorer.metric
    is_chrf = not isinstance(metric, BLEU)
    tokenizer: Any = metric.matcher.tokenizer.compiled
    if offsets is not None and tokenizer is None:
        raise ArgumentValueError(
            "metric",
            "must have a tokenizer whose tokens are substrings of the text (none, 13a, intl, zh, char) if offsets are "
            f"given, got {metric!r}",
            value=metric,
        )
    gains = _gains(scorer, batch.hypotheses, batch.references)
    rewards = []
    samples = zip(gains, lengths, texts, batch.hypotheses, batch.scored, strict=True)
    for row, length, text, part, i in samples:
        row_gains = row if is_chrf else row[:length]
        if offsets is None:
            rewards.append(row_gains if length else _at_the_end(max(1, len(row_gains)), empty))
            continue
        location = Location("offsets")[i]
        stops = _stops(offsets[i], location, len(text))
        token_rewards = _at_the_end(len(stops), 0.0 if length else empty)
        if length:
            if not len(token_rewards):
                raise ArgumentValueError(
                    location, "has no tokens, but the completion has text", value=offsets[i]
                )
            if is_chrf:
                ends = _character_ends(part, metric)
            else:
                tokens = tokenize(part, tokenizer, metric.lowercase)
                ends = token_ends(part, tokens, metric.lowercase, tokenizer)
            last_characters = np.asarray(ends) - 1 + _start(text, part, extractor, i)
            np.add.at(token_rewards, _tokens_at(last_characters, stops), row_gains)
        rewards.append(token_rewards)
    return rewards


def empty_rewards(completions: Any, offsets: Any, empty: float) -> NDArray[float64]:
    """Return the rewards of the tokens of a malformed completion, which add up to `empty`.

    Args:
        completions: A list with the completion.
        offsets: A list with the offsets of the policy's tokens, or None.
        empty: The reward of the last token of text, or of the first token id. Other tokens have 0.
    """
    if offsets is not None:
        return _at_the_end(len(offsets[0]) if hasattr(offsets[0], "__len__") else 0, empty)
    if are_ids(completions, None) and hasattr(completions[0], "__len__"):
        return _at_the_end(len(completions[0]), empty)[::-1]
    return _at_the_end(1, empty)


def _at_the_end(number: int, reward: float) -> NDArray[float64]:
    """Return the rewards of `number` tokens, float64 [number]: `reward` for the last token, and 0 for the others."""
    import numpy as np

    rewards = np.zeros(number)
    rewards[-1:] = reward
    return rewards


def _gains(scorer: Scorer, hypotheses: Any, references: Any) -> list[NDArray[float64]]:
    """Return the gain of each of the metric's tokens; for chrF, the gain of each character.

    Args:
        scorer: The scorer of the hypotheses.
        hypotheses: n texts, or ids [n, T] or [n, K, T].
        references: Streams of n segments, or prepared `References`.

    Returns:
        For texts, n arrays, each with the gains of the tokens, possibly followed by zeros. For ids, n or n * K arrays
        of length T.

    Raises:
        ValueError: The metric is a `CHRF`, and references are prepared.
    """
    import numpy as np

    metric: Any = scorer.metric
    if not isinstance(metric, BLEU):
        if isinstance(references, References):
            raise ArgumentValueError(
                "references", "must not be prepared to reward the tokens of text by chrF"
            )
        return [
            chrf_gains(metric, text, [reference for reference in sample if reference is not None])
            * scorer.scale
            for text, sample in zip(hypotheses, zip(*references, strict=True), strict=True)
        ]
    scores = metric.prefix_scores(hypotheses, references, scale=1)
    gains = np.diff(scores * scorer.scale, axis=-1, prepend=0)
    return [row for rows in (gains if gains.ndim > 2 else [gains]) for row in rows]


def _start(text: str, part: str, extractor: Extractor | None, i: int) -> int:
    """Return the start of the scored part of completion i in its text.

    If the part occurs several times, each occurrence is replaced by a mask in turn, from the last to the first, until
    `extractor` extracts the mask.

    Args:
        text: The text of the completion.
        part: The scored part, as `extractor` returned it.
        extractor: The function that extracted the part; None if the whole text is scored.
        i: The index of the completion, for errors.

    Raises:
        ValueError: The part is not a contiguous substring of the text.
    """
    start = text.rfind(part)
    if extractor is None or start == text.find(part) >= 0:
        return start
    mask = _MASK * len(part)
    while start >= 0:
        masked = text[:start] + mask + text[start + len(part) :]
        if extractor(masked)[0] == mask:
            return start
        start = text.rfind(part, 0, start + len(part) - 1)
    raise ArgumentValueError(
        Location("completions")[i],
        "must contain the scored part as one contiguous substring, so that its tokens can be rewarded, got "
        f"{text[:60]!r}",
        value=text,
    )


def _stops(offsets: Any, location: Location, length: int) -> NDArray[int64]:
    """Return the ends of the policy's tokens, int64 [T], in characters of the completion.

    Args:
        offsets: The (start, end) of each token, [T, 2].
        location: The location of the offsets in the call, for errors.
        length: The number of characters of the completion.

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
    """Return the index of the policy's token that contains each character.

    Args:
        characters: The indices of characters in the completion.
        stops: The ends of the policy's tokens. The end of a special token may be 0, although it follows other tokens.

    Returns:
        For each character, the index of the first token that ends after the character, or of the last token if there
        is none.
    """
    import numpy as np

    return np.minimum(np.searchsorted(np.maximum.accumulate(stops), characters, "right"), len(stops) - 1)


def token_ends(text: str, tokens: Sequence[str], lowercase: bool = False, tokenizer: int = -1) -> list[int]:
    """Return the end of each token in a text, in characters.

    Args:
        text: The text.
        tokens: The tokens of the text, which together contain all of its characters except white space.
        lowercase: Whether the tokens are those of `text.lower()`.
        tokenizer: The number of the compiled tokenizer. For TOKENIZE_13A, the replacements that it makes, such as "&"
            for "&amp;", are taken into account.

    Example:
        >>> token_ends("It rained.", ["It", "rained", "."])
        [2, 9, 10]
        >>> token_ends("Q&amp;A", ["Q", "&", "A"], tokenizer=TOKENIZE_13A)
        [1, 6, 7]
    """
    text = text.rstrip()
    # For each character of the changed text, its end in the original text; None if the text is not changed.
    original_ends: list[int] | None = None
    if lowercase:
        original_ends = [i for i, character in enumerate(text, 1) for _ in character.lower()]
        text = text.lower()
    if tokenizer == TOKENIZE_13A and ("&" in text or "<skipped>" in text or "-\n" in text):
        for old, new in _REWRITES_13A:
            text, original_ends = _replaced(text, original_ends or [*range(1, len(text) + 1)], old, new)
    ends, end = [], 0
    for token in tokens:
        end = text.index(token, end) + len(token)
        ends.append(end)
    return ends if original_ends is None else [original_ends[end - 1] for end in ends]


def _replaced(text: str, original_ends: list[int], old: str, new: str) -> tuple[str, list[int]]:
    """Replace a string in a text.

    Args:
        text: The text.
        original_ends: For each character of `text`, its end in the text before any replacement.
        old: The string to replace.
        new: The replacement.

    Returns:
        The new text, and the end of each of its characters in the text before any replacement.
    """
    pieces = text.split(old)
    ends: list[int] = []
    start = 0
    for k, piece in enumerate(pieces):
        if k:
            ends += original_ends[start + len(old) - 1 : start + len(old)] * len(new)
            start += len(old)
        ends += original_ends[start : start + len(piece)]
        start += len(piece)
    return new.join(pieces), ends


def _character_ends(text: str, metric: CHRF) -> list[int]:
    """Return the end, in the text, of each character that chrF counts.

    If the metric lowercases, one character of the text may become several characters, which all have the same end.
    """
    return [
        i
        for i, character in enumerate(text, 1)
        for counted_character in (character.lower() if metric.lowercase else character)
        if metric.whitespace or not counted_character.isspace()
    ]


def chrf_gains(metric: CHRF, text: str, references: Sequence[str]) -> NDArray[float64]:
    """Return the gain in chrF from each character of a text, in time linear in the length of the text.

    The gain of a character is the score of the text up to the character minus the score of the text before it. The
    score of a prefix equals sacreBLEU's score of the same text, except for chrF++ if the prefix ends within a word:
    chrF++ also counts words, and here a word counts only in prefixes that include its last character.

    Args:
        metric: The metric, which has the options.
        text: The text.
        references: At least one reference. Each prefix gets the score against the reference with the highest score.

    Returns:
        float64 [characters], -1..1.

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
        reference = reference.lower() if metric.lowercase else reference  # noqa: PLW2901
        rows = _chrf_rows(metric, text, reference, words_before)
        scores.append(metric.formula.score_rows(rows) / 100)
    gains: NDArray[float64] = np.diff(np.maximum.reduce(scores))
    return gains


def _chrf_rows(metric: CHRF, text: str, reference: str, words_before: NDArray[int64]) -> NDArray[int64]:
    """Return chrF's sufficient statistics of each prefix of a text, int64 [characters + 1, 3 * orders].

    Args:
        metric: The metric, which has the options.
        text: The text, lowercased if the metric requires it.
        reference: The reference, lowercased if the metric requires it.
        words_before: For each character that chrF counts, the number of words that end with it or before it.
    """
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
        reference_length = len(tokenize(reference, tokenizer))
        for n in range(order):
            ngrams = max(0, reference_length - n)
            # If the reference has no n-gram of an order, sacreBLEU also counts none in the hypothesis.
            columns += [
                np.maximum(lengths - n, 0) * bool(ngrams),
                np.full(len(lengths), ngrams),
                matches[lengths, n],
            ]
    return np.stack(columns, axis=1)


def _prefix_matches(tokenizer: int, order: int, text: str, reference: str) -> NDArray[int64]:
    """Return the number of matching n-grams of each prefix of a text, int64 [tokens + 1, order].

    Row t is for the prefix of t tokens, and column n - 1 for n-grams of order n.
    """
    import numpy as np

    from ...counting._counter import NgramCounter
    from ...inputs._text import text_column
    from ...scoring._prefixes import count_prefix_matches

    counter = NgramCounter(tokenizer, order)
    matches = count_prefix_matches(counter, text_column([text]), [text_column([reference])])
    return np.frombuffer(matches, dtype=np.int64).reshape(-1, order)
