"""Seeing that the texts of a call are in a script that the tokenizer does not fit, from a few of them."""

from __future__ import annotations

from .scripts import UNSPACED, fitting_tokenizer, letters_by_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Counter(Protocol):
        """The attributes of a counter that are used here; it looks at one character of each hypothesis."""

        watches_scripts: bool
        suspects: bool
        watched: int
        unspaced: int

        def stop_watching(self) -> bool:
            """Watches no more; True for the one call that changes it, of any thread."""


#: How many texts of a call are read, and how many characters of each.
_TEXTS, _CHARACTERS = 8, 1000

#: Fewer letters may be a name.
_FEWEST_LETTERS = 10

#: This many texts are more than names, however short they are.
_FEW_TEXTS = 8

#: After a look that finds nothing, this many texts have to look wrong before the next one.
_PAUSE = 500


def misfit(counter: Counter, texts: Any) -> str:
    """Look at texts, of which most of the latest ones are likely to have no spaces between words.

    Args:
        counter: What the counter has seen of these and of earlier texts. It stops watching once something is found.
        texts: The texts of a call.

    Returns:
        The tokenizers that would fit, for a message; "" where nothing is wrong.
    """
    counter.suspects = False
    if not counter.watches_scripts:
        return ""
    step = max(1, len(texts) // _TEXTS)
    sample = [
        text[:_CHARACTERS] for text in (texts[i] for i in range(0, len(texts), step)) if isinstance(text, str)
    ]
    read = "".join(sample)
    found = letters_by_script(read)
    letters = sum(found.get(script, 0) for script in UNSPACED)
    fitting = fitting_tokenizer(read)
    if not fitting:
        counter.watched, counter.unspaced = _PAUSE, 0
        return ""
    if letters < _FEWEST_LETTERS and counter.unspaced < _FEW_TEXTS:
        return ""
    # If another thread has found it meanwhile, that one says so.
    return fitting if counter.stop_watching() else ""
