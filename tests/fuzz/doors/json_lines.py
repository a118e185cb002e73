"""JSON lines in blocks of any size, with broken lines, against a plain reading by Python's json."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isfinite
from typing import Any

from fastbleu.rerank.nbest.json_lines import JsonLines
from fastbleu.rerank.nbest.options import Options
from tests.support.fuzzed_data import FuzzedData
from tests.support.nbest_blocks import Source, check_strict, lines_of, read_blocks

_PIECES = (
    '{"candidates": [', '"a b", "c"', "]}", '{"text": "a", "id": 1}', '{"id": "s", "text": "b"}', '"id": 1',
    '"id": "1"', "{", "}", "[", "]", ",", ":", '"', "\\", "\n", "\r\n", " ", "\t", "null", "true", "0", "-1",
    "1.5", "1e5", "1e999", "-Infinity", "NaN", "1" * 310, "1" * 4301, '"text"', '"candidates"', '"score"',
    '"id"', '"x"', '"é"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"', "[" * 501, "[" * 499 + "]" * 499,
    '"[[["', "\ufeff", "\u2028", "\x00", "{}", "[]", '"parallel": [1, 2]', '"score": [1, 2.5]',
    '"score": 0.10',
)  # fmt: skip

#: Of a list that is put together: several blocks, and not so many lines that each input takes long.
_MOST_CHARACTERS = 6000


def check(data: bytes) -> None:
    """Compares a strict reading with a plain one, and readings in blocks of several sizes."""
    fuzzed = FuzzedData(data)
    flags = fuzzed.byte()
    with_scores, as_written, has_references = bool(flags & 1), bool(flags & 2), bool(flags & 4)
    options = Options(
        parallel_field=["parallel"] if flags & 24 == 24 else [],
        references=["references"] if has_references else [],
        output_format="moses" if as_written else None,
    )
    sizes = (1 << 20, fuzzed.integer(1, 400))
    most = fuzzed.integer(1, 4)
    content = _content(fuzzed)

    def form(skip_bad: bool) -> JsonLines:
        return JsonLines(replace(options, skip_bad=skip_bad), "score" if with_scores else None, content)

    sources, wrong = _plain(content, options.parallel_field, with_scores)
    for size in sizes if flags & 32 else ():
        check_strict(
            read_blocks(form(False), content, size, most), sources, () if wrong is None else (wrong,)
        )
    if flags & 32:
        return

    lenient = [read_blocks(form(True), content, size, most) for size in sizes]
    if lenient[0].error is not None:
        # References may not be left without their source.
        assert has_references
        assert {each.error for each in lenient} == {lenient[0].error}
        return
    assert lenient[1] == lenient[0]
    if wrong is None:
        assert lenient[0].sources == sources
    left = iter(lines_of(content))
    for source in lenient[0].sources:
        for line in source.lines:
            assert line in left
            assert _record(line) is not None


def _content(fuzzed: FuzzedData) -> bytes:
    """A list: as the bytes stand, or of lines that are mostly right."""
    kind = fuzzed.byte() % 3
    if kind == 0:
        return fuzzed.rest()
    found: list[str] = []
    source = 0
    while fuzzed.left and sum(map(len, found)) < _MOST_CHARACTERS:
        byte = fuzzed.byte()
        if byte < 120:
            source += byte & 1
            name: Any = source if byte & 2 else f"s{source}"
            texts = [fuzzed.text(6) for _ in range(1 + byte % 3)]
            scores = [fuzzed.choice((0, -1, 0.5, 1e300, 1 << 70)) for _ in texts]
            record: dict[str, Any] = {"id": name, "candidates": texts, "score": scores, "parallel": scores}
            if kind == 2:
                record = {"id": name, "text": texts[0], "score": scores[0], "parallel": scores[:1]}
            if byte & 8:
                del record["score"]
            line = json.dumps(record, ensure_ascii=bool(byte & 4))
            place = fuzzed.byte() * 2
            if byte > 110:
                line = line[:place] + _PIECES[fuzzed.byte() % len(_PIECES)] + line[place:]
            found.append(f"{line}\n")
        else:
            found.append(_PIECES[byte % len(_PIECES)])
    return "".join(found).encode("utf-8", "surrogatepass")


def _refuse(_: str) -> None:
    raise ValueError


def _record(line: bytes) -> dict[str, Any] | None:
    """The object on a line; None if it is broken."""
    try:
        found = json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and _is_plain(found) and _depth(found) <= 500 else None


def _is_plain(value: Any) -> bool:
    """Return whether all numbers are finite."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, float) and not isfinite(each):
            return False
        if isinstance(each, dict):
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
    return True


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level:
        deepest += any(isinstance(each, (dict, list)) for each in level)
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return deepest


def _is_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False


def _plain(content: bytes, parallel: list[str], with_scores: bool) -> tuple[list[Source], int | None]:
    """The sources before the first broken line, and its number; None if none is."""
    lines = lines_of(content)
    lists = next(
        (
            "candidates" in record
            for record in map(_record, lines[:16])
            if record is not None and ("candidates" in record or "text" in record)
        ),
        False,
    )
    sources: list[Source] = []
    ids: set[tuple[type, Any]] = set()
    last: Any = None
    for number, line in enumerate(lines, 1):
        record = _record(line)
        if record is None:
            return sources, number
        name = record.get("id")
        if name is None and lists:
            key = None
        elif isinstance(name, bool) or not (isinstance(name, int) or _is_text(name)):
            return sources, number
        else:
            key = type(name), name
        if lists or key != last or not sources:
            if key is not None and key in ids:
                return sources, number
            ids.add(key)
            last = key
            begins = True
        else:
            begins = False
        texts = record.get("candidates" if lists else "text", [] if lists else None)
        texts = texts if lists else [texts]
        scores = record.get("score")
        scores = scores if lists else [scores]
        if not isinstance(texts, list) or not texts or not all(map(_is_text, texts)):
            return sources, number
        if with_scores and (
            not isinstance(scores, list) or len(scores) != len(texts) or not all(map(_is_number, scores))
        ):
            return sources, number
        for field in parallel:
            if not isinstance(record.get(field), list) or len(record[field]) != len(texts):
                return sources, number
        if begins:
            sources.append(Source(len(sources), name, [], [] if with_scores else None, [], []))
        source = sources[-1]
        source.texts.extend(texts)
        if source.scores is not None:
            source.scores.extend(map(float, scores))
        source.places.extend(range(len(source.places), len(source.texts)))
        source.lines.append(line)
    return sources, None
