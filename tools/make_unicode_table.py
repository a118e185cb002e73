r"""Write src/fastbleu/_native/unicode.h: the classes of characters that the compiled tokenizers ask for.

    python tools/make_unicode_table.py            # write the header
    python tools/make_unicode_table.py --check    # fail if the header is not what would be written

Three questions are answered there, each for every code point:

* Is it punctuation, a number or a symbol? The `intl` tokenizer of sacreBLEU asks the `regex` module for `\p{P}`,
  `\p{N}` and `\p{S}`, so the answer is taken from that module, at the release pinned below.
* Does the `zh` tokenizer of sacreBLEU 2.6.0 set it apart as Chinese? The ranges are stated below.
* Does Python count it as white space, in `str.split`, `str.strip` and `str.isspace`?
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

PINNED_REGEX = "2026.11.15"
# Releases whose categories are the same; the older one is the last for Python 3.10.
REGEX_RELEASES = (PINNED_REGEX, "2026.9.29")
HEADER = Path(__file__).resolve().parent.parent / "src" / "fastbleu" / "_native" / "unicode.h"

CODE_POINTS = 0x110000
SURROGATES = range(0xD800, 0xE000)
# One block's classes fill 32 bytes: small enough for neighbouring scripts to share a cache line, large enough
# for the index of blocks to stay near a kilobyte.
BLOCK_BITS = 7
BLOCK = 1 << BLOCK_BITS

OTHER, PUNCTUATION, NUMBER, SYMBOL = range(4)
CATEGORIES = {PUNCTUATION: r"\p{P}", NUMBER: r"\p{N}", SYMBOL: r"\p{S}"}

# What sacreBLEU 2.6.0's `zh` tokenizer sets apart, as the pairs of strings that it compares a character with. The
# two pairs of two-character strings were meant as U+20000..U+2A6D6 and U+2F800..U+2FA1D, but `"\u20000"` is U+2000
# followed by a zero: a single character lies between such strings when it is U+2001..U+2A6D, or U+2F81..U+2FA1. So an
# em dash, the euro sign and curly quotes count as Chinese, and the supplementary ideographs do not. Published scores
# depend on it.
ZH_RANGES = (
    ("\u2000" + "0", "\u2a6d" + "6"),
    ("\u2600", "\u27bf"),  # symbols, dingbats
    ("\u2e80", "\u2eff"),  # radicals
    ("\u2f00", "\u2fdf"),  # Kangxi radicals
    ("\u2f80" + "0", "\u2fa1" + "d"),
    ("\u2ff0", "\u2fff"),  # ideographic description
    ("\u3000", "\u303f"),  # punctuation
    ("\u3100", "\u312f"),  # Bopomofo
    ("\u31a0", "\u31bf"),  # Bopomofo, extended
    ("\u31c0", "\u31ef"),  # strokes
    ("\u3200", "\u33ff"),  # enclosed and squared forms
    ("\u3400", "\u4db5"),  # ideographs, extension A
    ("\u4e00", "\u9fbb"),  # ideographs
    ("\uf900", "\ufa2d"),  # compatibility ideographs
    ("\ufa30", "\ufa6a"),
    ("\ufa70", "\ufad9"),
    ("\ufe10", "\ufe1f"),  # vertical forms
    ("\ufe30", "\ufe4f"),  # compatibility forms
    ("\uff00", "\uffef"),  # half and full width forms
)  # fmt: skip


def pinned_regex_installed() -> bool:
    """Return whether the release of `regex` that the header is made from is installed."""
    try:
        return metadata.version("regex") == PINNED_REGEX
    except metadata.PackageNotFoundError:
        return False


def unicode_version() -> str:
    """The Unicode version of the installed `regex`, which only its description names."""
    words = (metadata.distribution("regex").read_text("METADATA") or "").split()
    return words[words.index("Unicode", words.index("supports")) + 1].rstrip(".")


def character_classes() -> list[int]:
    """The class of every code point: `OTHER`, `PUNCTUATION`, `NUMBER` or `SYMBOL`."""
    import regex

    text = "".join(map(chr, range(CODE_POINTS)))
    classes = [OTHER] * CODE_POINTS
    for code, category in CATEGORIES.items():
        for match in regex.finditer(category, text):
            classes[match.start()] = code
    if any(classes[code_point] for code_point in SURROGATES):
        raise SystemExit("regex gives surrogates a category; the tokenizers rely on their having none")
    return classes


def zh_flags() -> list[int]:
    """1 for every code point that sacreBLEU's `zh` tokenizer sets apart."""
    return [
        int(any(first <= character <= last for first, last in ZH_RANGES))
        for character in map(chr, range(CODE_POINTS))
    ]


def space_flags() -> list[int]:
    """1 for every code point that Python takes as white space."""
    return [int(chr(code_point).isspace()) for code_point in range(CODE_POINTS)]


def stages(values: Sequence[int], bits: int) -> tuple[list[int], list[bytes]]:
    """Split values into blocks, each distinct block once.

    Args:
        values: One value per code point.
        bits: Bits that a value takes, 1 or 2.

    Returns:
        The number of each code point's block, cut after the last block that holds anything but 0, and the packed
        blocks, lowest bits first.
    """
    used = max(code_point for code_point, value in enumerate(values) if value) + 1
    index: list[int] = []
    blocks: dict[bytes, int] = {}
    per_byte = 8 // bits
    for start in range(0, used, BLOCK):
        packed = bytearray(BLOCK // per_byte)
        for position, value in enumerate(values[start : start + BLOCK]):
            packed[position // per_byte] |= value << (position % per_byte * bits)
        index.append(blocks.setdefault(bytes(packed), len(blocks)))
    if len(blocks) > 256:
        raise SystemExit(f"{len(blocks)} distinct blocks do not fit into one byte")
    return index, list(blocks)


def ranges(flags: Sequence[int], start: int) -> Iterator[tuple[int, int]]:
    """The inclusive ranges of set flags from `start` on."""
    first = None
    for code_point in range(start, len(flags)):
        if flags[code_point] and first is None:
            first = code_point
        elif not flags[code_point] and first is not None:
            yield first, code_point - 1
            first = None


def rows(values: Sequence[int], indent: str) -> str:
    """Values as lines of C, sixteen a line."""
    return ",\n".join(
        indent + ", ".join(f"{value:d}" for value in values[start : start + 16])
        for start in range(0, len(values), 16)
    )


def lookup(name: str, values: Sequence[int], bits: int) -> str:
    """The two tables called `name` and the test for `name`'s range."""
    index, blocks = stages(values, bits)
    packed = ",\n".join(f"    {{\n{rows(list(block), ' ' * 8)}\n    }}" for block in blocks)
    return (
        f"#define FASTBLEU_{name.upper()}_LIMIT UINT32_C(0x{len(index) * BLOCK:X})\n\n"
        f"static const uint8_t fastbleu_{name}_index[{len(index)}] = {{\n{rows(index, ' ' * 4)}\n}};\n\n"
        f"static const uint8_t fastbleu_{name}_blocks[{len(blocks)}][{BLOCK * bits // 8}] = {{\n{packed}\n}};\n"
    )


def leads(*kinds: Sequence[int]) -> str:
    """Return which of the bytes 0xc0..0xff start a character of one of these kinds in UTF-8, as lines of C."""
    flags = [0] * 64
    for code_point in range(0x80, CODE_POINTS):
        if any(kind[code_point] for kind in kinds):
            flags[chr(code_point).encode("utf-8", "surrogatepass")[0] - 0xC0] = 1
    return rows(flags, " " * 4)


def space_test(flags: Sequence[int]) -> str:
    """The expression in C that tells white space from U+0040 on, after the bit mask of the first 64 code points."""
    tests = []
    for first, last in ranges(flags, 64):
        tests.append(
            f"code_point == 0x{first:X}"
            if first == last
            else f"(code_point >= 0x{first:X} && code_point <= 0x{last:X})"
        )
    return "\n        || ".join(tests)


TEMPLATE = """\
/* Made by tools/make_unicode_table.py. Do not edit: change that script and run it again.
 *
 * Classes of characters: regex {regex} (Unicode {unicode}).
 * Chinese characters: the ranges of sacreBLEU 2.6.0's zh tokenizer, as Python compares them.
 * White space: Python's str.isspace().
 *
 * Every function takes any 32-bit number; a number that is not a code point belongs to no class.
 */

#ifndef FASTBLEU_UNICODE_H
#define FASTBLEU_UNICODE_H

#include <stdint.h>

#define FASTBLEU_UNICODE_REGEX "{regex}"
#define FASTBLEU_UNICODE_VERSION "{unicode}"

enum {{
    FASTBLEU_OTHER = {OTHER},
    FASTBLEU_PUNCTUATION = {PUNCTUATION}, /* \\p{{P}} */
    FASTBLEU_NUMBER = {NUMBER}, /* \\p{{N}} */
    FASTBLEU_SYMBOL = {SYMBOL} /* \\p{{S}} */
}};

/* Blocks of {block} code points; four classes of two bits to a byte, the lowest bits first. */
{unicode_class}
/* Blocks of {block} code points; eight flags to a byte, the lowest bit first. */
{zh}
/* Which of the bytes 0xc0..0xff start a character in UTF-8 that is white space; that, or set apart by zh; that, or of
 * another class than FASTBLEU_OTHER. */
static const uint8_t fastbleu_space_leads[64] = {{
{space_leads}
}};

static const uint8_t fastbleu_zh_leads[64] = {{
{zh_leads}
}};

static const uint8_t fastbleu_class_leads[64] = {{
{class_leads}
}};

/* FASTBLEU_OTHER, FASTBLEU_PUNCTUATION, FASTBLEU_NUMBER or FASTBLEU_SYMBOL. */
static inline unsigned fastbleu_unicode_class(uint32_t code_point)
{{
    const uint8_t *block;
    if (code_point >= FASTBLEU_CLASS_LIMIT)
        return FASTBLEU_OTHER;
    block = fastbleu_class_blocks[fastbleu_class_index[code_point >> {block_bits}]];
    return (block[(code_point & {mask}u) >> 2] >> ((code_point & 3u) * 2u)) & 3u;
}}

/* Whether sacreBLEU's zh tokenizer sets the character apart. */
static inline int fastbleu_is_zh(uint32_t code_point)
{{
    const uint8_t *block;
    if (code_point >= FASTBLEU_ZH_LIMIT)
        return 0;
    block = fastbleu_zh_blocks[fastbleu_zh_index[code_point >> {block_bits}]];
    return (block[(code_point & {mask}u) >> 3] >> (code_point & 7u)) & 1u;
}}

/* Whether str.split() splits at the character. */
static inline int fastbleu_is_space(uint32_t code_point)
{{
    if (code_point < 128)
        return (int)(UINT64_C(0x{space_mask:X}) >> (code_point & 63u)) & (code_point < 64);
    return {space_test};
}}

#endif
"""


def header() -> str:
    """The text of the header, from the installed `regex`."""
    spaces = space_flags()
    classes = character_classes()
    zh = zh_flags()
    return TEMPLATE.format(
        regex=metadata.version("regex"),
        unicode=unicode_version(),
        OTHER=OTHER,
        PUNCTUATION=PUNCTUATION,
        NUMBER=NUMBER,
        SYMBOL=SYMBOL,
        block=BLOCK,
        block_bits=BLOCK_BITS,
        mask=BLOCK - 1,
        unicode_class=lookup("class", classes, 2),
        zh=lookup("zh", zh, 1),
        space_leads=leads(spaces),
        zh_leads=leads(spaces, zh),
        class_leads=leads(spaces, classes),
        space_mask=sum(flag << code_point for code_point, flag in enumerate(spaces[:64])),
        space_test=space_test(spaces),
    )


def main() -> int:
    """Write the header, or compare it with what would be written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if the header is out of date"
    )
    arguments = parser.parse_args()
    if not pinned_regex_installed():
        raise SystemExit(f"this needs regex=={PINNED_REGEX}, the release that the header is made from")
    text = header()
    if not arguments.check:
        HEADER.write_text(text, encoding="ascii", newline="\n")
    elif HEADER.read_text(encoding="ascii") != text:
        print(f"{HEADER} is out of date: run {Path(__file__).name}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
