"""Values beside a candidate, carried from Moses n-best lists to JSON and back: features, score, further fields.

In JSON they are the fields `features`, a string, `score`, a number, and `further_fields`, a list of strings; of JSON
with a list of candidates on each line, lists of these.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import NamedTuple

from ...inputs._lines import raw
from .json_lines import Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .blocks import Block

#: What the fields are called in JSON.
FEATURES, SCORE, FURTHER_FIELDS = "features", "score", "further_fields"

CARRIED_FIELDS = (FEATURES, SCORE, FURTHER_FIELDS)

SEPARATOR = " ||| "
_SEPARATED = re.compile(r"(?:(?<=[ \t])|^)\|\|\|(?=[ \t]|$)")

#: RFC 8259, section 6.
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
#: Digits of an integer that every Python reads.
_MOST_CHARACTERS = 300


class Carried(NamedTuple):
    """The values beside a candidate, as Moses n-best lists have them.

    Attributes:
        features: The third field.
        score: The fourth.
        further: Those after it.
    """

    features: str
    score: str | None = None
    further: tuple[str, ...] = ()

    def fields(self) -> list[str]:
        """The fields of a Moses n-best list that follow the text."""
        return [self.features, *([] if self.score is None else [self.score]), *self.further]

    def members(self) -> str:
        r"""Members of a JSON object, each with a comma after it.

        Example:
            >>> Carried("lm= -3", "-3.50", ("0-0",)).members()
            '"features": "lm= -3", "score": -3.50, "further_fields": ["0-0"], '
        """
        parts = [f"{json.dumps(FEATURES)}: {json.dumps(self.features, ensure_ascii=False)}, "]
        if self.score is not None:
            # A number in the characters that it has, if JSON has such numbers and Python reads these characters back.
            score = self.score if _is_kept(self.score) else json.dumps(self.score, ensure_ascii=False)
            parts.append(f"{json.dumps(SCORE)}: {score}, ")
        if self.further:
            parts.append(f"{json.dumps(FURTHER_FIELDS)}: {json.dumps(self.further, ensure_ascii=False)}, ")
        return "".join(parts)


def _is_kept(score: str) -> bool:
    """Return whether these characters are a number in JSON that is written with them again after it was read."""
    if len(score) > _MOST_CHARACTERS or not _JSON_NUMBER.fullmatch(score) or not isfinite(float(score)):
        return False
    return score.strip("-0123456789") != "" or str(int(score)) == score


def from_moses(line: str) -> Carried | None:
    """Return the values beside the text on a line of a Moses n-best list; None if there are none.

    One blank on either side of a field belongs to the separator.

    Example:
        >>> from_moses("0 ||| a cat ||| lm= -3 tm= -1 ||| -3.50 ||| 0-0")
        Carried(features='lm= -3 tm= -1', score='-3.50', further=('0-0',))
        >>> from_moses("0 ||| a cat |||  ||| -3.50").features
        ''
    """
    parts = _SEPARATED.split(line)[2:]
    last = len(parts) - 1
    fields = [part[1 : len(part) - (i < last)] if part else "" for i, part in enumerate(parts)]
    if not fields:
        return None
    return Carried(fields[0], fields[1] if last else None, tuple(fields[2:]))


def from_json(features: Any, score: Any, further: Any) -> Carried | None:
    """Return the values beside a candidate in JSON; None if there is neither a feature nor a score.

    Args:
        features: What the fields `features`, `score` and `further_fields` hold.
        score: The second of them.
        further: The third.

    Example:
        >>> from_json(None, Written("-3.50"), None)
        Carried(features='', score='-3.50', further=())
    """
    if not isinstance(features, str):
        features = None
    if isinstance(score, Written):
        score = score.characters
    elif isinstance(score, (int, float)) and not isinstance(score, bool):
        score = repr(score)
    elif not isinstance(score, str):
        score = None
    if features is None and score is None:
        return None
    are_strings = isinstance(further, list) and all(isinstance(each, str) for each in further)
    return Carried(features or "", score, tuple(further) if score is not None and are_strings else ())


def carried(block: Block, numbers: list[int]) -> list[Carried | None]:
    """Return the values beside the candidates of these numbers."""
    if block.records is not None:
        columns = [block.items(name) for name in CARRIED_FIELDS]
        return [from_json(*(column[k] for column in columns)) for k in numbers]
    return [from_moses(raw(block.lines, k).decode()) if block.form.has_ids else None for k in numbers]
