"""mteval's options that decide words, and how its two tokenizations become the compiled ones."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...options import check_choice, check_flag
from ...tokenizers.names import unstripped_intl
from .texts import hide_separators, lc, rewrite_13a

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...options import ReferenceLength

VERSIONS = ("13a", "14")

#: Stands for the empty word that Perl finds before white space at the start of a text.
EMPTY_WORD = "\udc00"

#: White space of Unicode's category Z.
_SEPARATORS_OF_Z = " \xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

_NON_ASCII = re.compile("([^\x00-\x7f])")


@dataclass(frozen=True)
class Rules:
    """The options of mteval that decide words and scores; see `mteval`.

    Raises:
        TypeError: A flag is not a bool.
        ValueError: There is no version or brevity penalty of this name.
    """

    version: str = "14"
    preserve_case: bool = False
    international_tokenization: bool = False
    split_non_ascii: bool = False
    brevity_penalty: ReferenceLength = "closest"
    smoothing: bool = True

    def __post_init__(self) -> None:
        check_choice("version", self.version, VERSIONS)
        check_choice("brevity_penalty", self.brevity_penalty, ("closest", "shortest"))
        for flag in ("preserve_case", "international_tokenization", "split_non_ascii", "smoothing"):
            check_flag(flag, getattr(self, flag))

    def prepared(self, text: str) -> str:
        """Text from which the compiled tokenizer makes the script's words."""
        if self.international_tokenization:
            return self._prepared_intl(text)
        text = rewrite_13a(text)
        if not self.preserve_case:
            text = (
                text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
            )  # ASCII letters
        return hide_separators(text)

    def _prepared_intl(self, text: str) -> str:
        text = text.replace("<skipped>", "")
        if self.version == "13a":
            text = text.replace("-\u2028", "")
        text = text.replace("\u2028", " ")
        if "&" in text:
            text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
            text = text.replace("&apos;", "'")
        if not self.preserve_case:
            text = lc(text)
        if self.split_non_ascii:
            text = _NON_ASCII.sub(r" \1 ", text)
        text = hide_separators(text)
        text = unstripped_intl(text)
        # Perl splits at white space of every kind, but removes only separators of category Z before.
        first = text.lstrip(_SEPARATORS_OF_Z)[:1]
        return f"{EMPTY_WORD} {text}" if first.isspace() and not text.isspace() else text
