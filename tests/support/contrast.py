"""The contrast of colours, as the Web Content Accessibility Guidelines 2.2 measure it."""

import re


def schemes(style: str) -> list[dict[str, str]]:
    """The colours of each scheme of a style sheet, the light one first, by the names of their variables."""
    blocks = re.findall(r":root \{([^}]*)\}", style)
    return [dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in blocks]


def luminance(colour: str) -> float:
    """The relative luminance of #rrggbb, 0..1."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(c * weight for c, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1..21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
