"""Test sets in sacreBLEU's cache, with made-up text: what its own files would hold, so that nothing is downloaded."""

from __future__ import annotations

from pathlib import Path

#: Documents: the name, the original language, the domain and the segments, source and reference.
DOCUMENTS = [
    (
        "rt.com.68098",
        "en",
        "news",
        [("A cat sat.", "Eine Katze saß da."), ("It rained & rained.", "Es regnete & regnete.")],
    ),
    ("zeit.1", "de", "news", [("The dog barks.", "Der Hund bellt laut.")]),
    ("bbc.310963", "en", "social", [("Good night, all!", "Gute Nacht, ihr Lieben!"), ("One.", "Eins.")]),
    ("welt.2", "de", "social", [("The train was late again.", "Der Zug hatte wieder Verspätung.")]),
]

SEGMENTS = [pair for *_, pairs in DOCUMENTS for pair in pairs]

#: A second translation of each segment.
SECOND = [reference.replace("er ", "ieser ").replace("Eine", "Die") for _, reference in SEGMENTS]

#: Two systems' outputs of all segments.
SYSTEM_1 = [reference.replace("laut", "sehr laut").replace("da", "dort") for _, reference in SEGMENTS]
SYSTEM_2 = [
    reference.replace("wieder", "schon wieder").replace("Nacht", "nacht") for _, reference in SEGMENTS
]


def fill(cache: Path) -> None:
    """Puts wmt17, wmt18, wmt21, wmt21/AB and wmt20/robust/set1 into a folder, for en-de."""
    _fill_sgm(cache, "wmt17", "test/newstest2017-ende")
    _fill_sgm(cache, "wmt18", "test/newstest2018-ende")
    _fill_xml(cache, "wmt21")
    _fill_xml(cache, "wmt21/AB")
    _fill_plain(cache)


def _fill_sgm(cache: Path, name: str, stem: str) -> None:
    """As before 2021: SGML, which sacreBLEU turns into text when it has downloaded it."""
    folder = cache / name
    for side, path in enumerate((f"{stem}-src.en.sgm", f"{stem}-ref.de.sgm")):
        lines = [f'<{"refset" if side else "srcset"} setid="{name}" srclang="any">']
        for document, origlang, _, pairs in DOCUMENTS:
            lines.append(f'<doc sysid="ref" docid="{document}" genre="news" origlang="{origlang}">')
            lines.extend(f'<seg id="{i}">{pair[side]}</seg>' for i, pair in enumerate(pairs, 1))
            lines.append("</doc>")
        _write(folder / "raw" / path, lines)
    _write(folder / f"{name}.en-de.src", [source for source, _ in SEGMENTS])
    _write(folder / f"{name}.en-de.ref", [reference for _, reference in SEGMENTS])
    per_segment = [(document, "news", origlang) for document, origlang, _, pairs in DOCUMENTS for _ in pairs]
    for i, field in enumerate(("docid", "genre", "origlang")):
        _write(folder / f"{name}.en-de.{field}", [values[i] for values in per_segment])


def _fill_xml(cache: Path, name: str) -> None:
    """As from 2021 on: one file of XML beside the archive that it came from."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<dataset id="{name}">']
    number = 0
    for document, origlang, domain, pairs in DOCUMENTS:
        lines.append(f'<doc id="{document}" origlang="{origlang}" domain="{domain}">')
        second = SECOND[number : number + len(pairs)]
        number += len(pairs)
        sides = [("src", "", [source for source, _ in pairs])]
        sides += [("ref", ' translator="A"', [reference for _, reference in pairs])]
        sides += [("ref", ' translator="B"', second)]
        for tag, translator, segments in sides:
            language = "en" if tag == "src" else "de"
            lines.append(f'<{tag} lang="{language}"{translator}><p>')
            lines.extend(
                f'<seg id="{i}">{text.replace("&", "&amp;")}</seg>' for i, text in enumerate(segments, 1)
            )
            lines.append(f"</p></{tag}>")
        lines.append("</doc>")
    lines.append("</dataset>")
    raw = cache / name / "raw"
    _write(raw / "test/newstest2021.en-de.xml", lines)
    # Not empty, so that it counts as downloaded.
    _write(raw / f"{name.replace('/', '_')}.test.tgz", ["an archive"])


def _fill_plain(cache: Path) -> None:
    """A test set without documents."""
    folder = cache / "wmt20/robust/set1"
    _write(folder / "wmt20_robust_set1.en-de.src", [source for source, _ in SEGMENTS])
    _write(folder / "wmt20_robust_set1.en-de.ref", [reference for _, reference in SEGMENTS])


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
