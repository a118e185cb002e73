"""The references of a sample as a host's data set holds them: a label, which may be JSON where labels are strings."""

from __future__ import annotations

import json

from ..errors import ArgumentValueError, Place, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    #: How to read a label that is a str: as the one reference, or as JSON.
    LabelsAs: TypeAlias = Literal["text", "json"]

#: The ways to read labels.
LABELS_AS = ("text", "json")


def references_in(label: Any, labels_as: LabelsAs, tolerant: bool, name: str, *indices: int) -> Any:
    """A label as references.

    Args:
        label: A str, a list of messages, or a list of several of these.
        labels_as: "json" reads a str as JSON of one of these.
        tolerant: What to do with a label that has no reference. True returns a list without one, which a tolerant
            `BLEUReward` counts as broken; False raises.
        name: What errors call the argument that the label is from.
        indices: Where it stands in it.

    Raises:
        ValueError: There is no label, or it is not JSON of a str or of a list.

    Example:
        >>> references_in('["It rained.", "There was rain."]', "json", False, "labels", 0)
        ['It rained.', 'There was rain.']
    """
    wanted = "must have a reference"
    if labels_as == "json" and isinstance(label, str):
        wanted = "must be JSON of a string, or of a list of references"
        try:
            found = json.loads(label)
        except (ValueError, RecursionError):  # the latter of brackets without end
            found = None
        if isinstance(found, (str, list)):
            return found
    elif label is not None:
        return label
    if tolerant:
        return []
    raise ArgumentValueError(Place(name, indices), f"{wanted}, got {show(label)}", value=label)
