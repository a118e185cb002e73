"""BLEU of text by sacreBLEU, as fairseq's `SacrebleuScorer` computes it, and fairseq's way to tokenize."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from ...errors import wrong_value
from ...metric.functions import corpus_bleu
from ...scoring.sacrebleu_tokenizers import tokenized
from ...tokenizers.names import NAMES, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...scoring.score import BLEUScore

_ORDER = 4

_SPACE, _SHOWN_SPACE = " ", "\u2581"


class EvaluationTokenizer:
    """sacreBLEU's tokenizers, and what fairseq does to their tokens: `fairseq.scoring.tokenizer`.

    Args:
        tokenizer_type: The name of one of sacreBLEU's tokenizers.
        lowercase: Whether to lowercase, after all else.
        punctuation_removal: Whether to remove tokens that consist of punctuation.
        character_tokenization: Whether to make each character of the tokenized text a token, spaces included.

    Raises:
        ValueError: There is no tokenizer of this name.
        ImportError: The packages of this tokenizer are not installed.

    Example:
        >>> EvaluationTokenizer("13a", lowercase=True).tokenize("It rained, 1.5 inches.")
        'it rained , 1.5 inches .'
        >>> EvaluationTokenizer("13a", character_tokenization=True).tokenize("A b.")
        'A ▁ b ▁ .'
    """

    def __init__(
        self,
        tokenizer_type: str = "13a",
        lowercase: bool = False,
        punctuation_removal: bool = False,
        character_tokenization: bool = False,
    ) -> None:
        name = str(tokenizer_type)
        if name not in NAMES:
            raise wrong_value("tokenizer_type", f"one of {', '.join(NAMES)}", tokenizer_type)
        self.lowercase = lowercase
        self.punctuation_removal = punctuation_removal
        self.character_tokenization = character_tokenization
        self.tokenizer = get_tokenizer(name)

    @classmethod
    def remove_punctuation(cls, sent: str) -> str:
        """Remove the words that consist of punctuation, by Unicode's categories, from words parted by spaces."""
        return _SPACE.join(
            token
            for token in sent.split(_SPACE)
            if not all(unicodedata.category(character)[0] == "P" for character in token)
        )

    def tokenize(self, sent: str) -> str:
        """Tokenize a text.

        Args:
            sent: The text.

        Returns:
            Its tokens, joined by spaces.
        """
        text = tokenized(self.tokenizer, sent)
        if self.punctuation_removal:
            text = self.remove_punctuation(text)
        if self.character_tokenization:
            text = _SPACE.join(text.replace(_SPACE, _SHOWN_SPACE))
        return text.lower() if self.lowercase else text


@dataclass
class SacrebleuConfig:
    """The options by which `SacrebleuScorer` tokenizes.

    Attributes:
        sacrebleu_tokenizer: The name of one of sacreBLEU's tokenizers.
        sacrebleu_lowercase: Whether case is ignored.
        sacrebleu_char_level: Whether characters are the tokens.
    """

    _name: str | None = None
    sacrebleu_tokenizer: str = "13a"
    sacrebleu_lowercase: bool = False
    sacrebleu_char_level: bool = False


class SacrebleuScorer:
    """sacreBLEU's score of text, one reference for each prediction.

    Args:
        cfg: A `SacrebleuConfig`, or anything with its attributes.

    Attributes:
        ref, pred: The texts so far, tokenized.

    Raises:
        ValueError: There is no tokenizer of this name.
        ImportError: The packages of this tokenizer are not installed.

    Example:
        >>> scorer = SacrebleuScorer(SacrebleuConfig())
        >>> scorer.add_string("It rained all day, 1.5 inches.", "It rained all day: 1.5 inches.")
        >>> scorer.score()
        50.000000000000014
        >>> scorer.result_string()
        'BLEU = 50.00 87.5/71.4/50.0/20.0 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)'
    """

    def __init__(self, cfg: Any) -> None:
        self.cfg = cfg
        self.ref: list[str] = []
        self.pred: list[str] = []
        self.tokenizer = EvaluationTokenizer(
            tokenizer_type=cfg.sacrebleu_tokenizer,
            lowercase=cfg.sacrebleu_lowercase,
            character_tokenization=cfg.sacrebleu_char_level,
        )

    def add_string(self, ref: str, pred: str) -> None:
        """Add one prediction and its reference."""
        self.ref.append(self.tokenizer.tokenize(ref))
        self.pred.append(self.tokenizer.tokenize(pred))

    def score(self, order: int = 4) -> float:
        """Return BLEU.

        Args:
            order: 4.

        Returns:
            The score, 0..100.

        Raises:
            NotImplementedError: `order` is not 4.
            ValueError: Nothing was added.
        """
        return self._score(order).score

    def result_string(self, order: int = 4) -> str:
        """Return the score as sacreBLEU prints it; arguments and errors as `score`."""
        return self._score(order).format()

    def _score(self, order: int) -> BLEUScore:
        if order != _ORDER:
            raise NotImplementedError(f"order must be {_ORDER}, not {order}")
        return corpus_bleu(self.pred, [self.ref], tokenize="none")
