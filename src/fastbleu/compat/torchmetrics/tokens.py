"""Text to tokens as in torchmetrics: text is not stripped before, and lowercased after.

Its tokenizers are sacreBLEU's; but in sacreBLEU, and in the compiled ones, they get text that is lowercased and
stripped already. The order matters for a few characters only. They are listed here, and text without them is lowercased
first and goes to the compiled tokenizer.
"""

from __future__ import annotations

from ...options import check_flag
from ...scoring.sacrebleu_tokenizers import tokenized
from ...tokenizers.names import get_tokenizer

#: Names as torchmetrics has them, in its order.
NAMES = ("none", "13a", "zh", "intl", "char", "ja-mecab", "ko-mecab", "flores101", "flores200")

#: By tokenizer, the characters without which lowercasing before and after make the same tokens. Of all characters only
#: U+0130 becomes two, and only a capital sigma depends on its neighbours, which a tokenizer changes.
CASE_MATTERS = {
    "none": "",
    # Entities and "<skipped>" are recognized in lower case only.
    "13a": "&<\u03a3\u0130",
    # The signs for ohm, kelvin and angstrom are tokens of their own; the letters that they become are not.
    "zh": "\u03a3\u0130\u2126\u212a\u212b",
    "intl": "\u03a3\u0130",
    "char": "\u03a3\u0130",
}


class SacreBLEUTokenizer:
    r"""A tokenizer of torchmetrics' SacreBLEU.

    Args:
        tokenize: One of `NAMES`.
        lowercase: Whether tokens are lowercased.

    Raises:
        TypeError: `lowercase` is not a flag.
        ValueError: `tokenize` is another name.
        ImportError, FileNotFoundError, RuntimeError: The tokenizer is not installed, as `get_tokenizer` says.

    Example:
        >>> SacreBLEUTokenizer("13a", lowercase=True)("It's &quot;FINE&QUOT; now.")
        ["it's", '"', 'fine', '&', 'quot', ';', 'now', '.']
    """

    def __init__(self, tokenize: str = "13a", lowercase: bool = False) -> None:
        if tokenize not in NAMES:
            raise ValueError(f"Unsupported tokenizer selected. Please, choose one of {list(NAMES)}")
        self.name = tokenize
        self.lowercase = check_flag("lowercase", lowercase)
        self.core = get_tokenizer(tokenize)

    def __call__(self, line: str) -> list[str]:
        """Tokenize a line.

        Args:
            line: The text.

        Returns:
            Its tokens.
        """
        return self.to_text(line).split()

    def to_text(self, line: str) -> str:
        """Return the tokens of a line with white space in between."""
        text = tokenized(self.core, line) if line else ""
        return text.lower() if self.lowercase else text

    def __repr__(self) -> str:
        return f"SacreBLEUTokenizer({self.name!r}, lowercase={self.lowercase})"
