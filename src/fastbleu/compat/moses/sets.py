"""mteval's files: sets of documents of segments, in NIST's SGML or in XML, read and checked as the scripts do."""

from __future__ import annotations

import os
import re

from ...inputs._lines import find_invalid_utf8
from ...inputs.files import Input
from .texts import SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    #: The text of each segment, by the name of the document and that of the segment.
    Documents: TypeAlias = dict[str, dict[str, str]]
    Path: TypeAlias = str | os.PathLike[str]

# More than one character of white space, or one that is no space.
_TO_JOIN = re.compile(rf"{SPACE}{{2,}}|(?! ){SPACE}")


class MtevalSets:
    """The sources, the references and the translations of one evaluation.

    Args:
        version: "13a" or "14": which script's rules hold.

    Attributes:
        source_language, target_language: From the attributes `srclang` and `trglang`.
        source_id, reference_id, test_id: The attribute `setid` of each.
        sources: Documents.
        references: Documents by the reference's name.
        tests: Documents by the system's name.
    """

    def __init__(self, version: str) -> None:
        self._is_13a = version == "13a"
        self.source_language = self.target_language = ""
        self.source_id = self.reference_id = self.test_id = ""
        self.sources: Documents = {}
        self.references: dict[str, Documents] = {}
        self.tests: dict[str, Documents] = {}

    def read(self, reference_file: Path, source_file: Path, test_file: Path) -> None:
        """Read and check the three files. What is named `.xml` is read as XML, the rest as SGML.

        Raises:
            OSError: A file cannot be read.
            ValueError: A file lacks something, or they do not fit each other.
        """
        self.source_id = self._read_sources(source_file)
        self.reference_id = self._read_sets(self.references, "RefSet", reference_file)
        self.test_id = self._read_sets(self.tests, "TstSet", test_file)
        self._check()

    def _read_sources(self, file: Path) -> str:
        if _is_xml(file):
            return self._read_xml_sources(file)
        name = os.fsdecode(file)
        found = next(_spans("SrcSet", _text_of(file)), None)
        if found is None:
            raise ValueError(f"FATAL INPUT ERROR:  no 'src_set' tag in src_file '{name}'")
        tag, data = found
        set_id = self._needed("SetID", tag, name)
        self.source_language = self._needed("SrcLang", tag, name)
        for document_tag, span in _spans("Doc", data):
            document = self._needed("DocID", document_tag, name)
            if document in self.sources:
                raise ValueError(f"FATAL INPUT ERROR:  duplicate 'DocID' in file '{name}'")
            self.sources[document] = self._segments(span, document, name)
        if not self.sources:
            raise ValueError(f"FATAL INPUT ERROR:  no documents in file '{name}'")
        return set_id

    def _read_sets(self, sets: dict[str, Documents], set_tag: str, file: Path) -> str:
        if _is_xml(file):
            return self._read_xml_sets(sets, file)
        name, set_id = os.fsdecode(file), ""
        for tag, data in _spans(set_tag, _text_of(file)):
            set_id = self._needed("SetID", tag, name)
            source, target = self._needed("SrcLang", tag, name), self._needed("TrgLang", tag, name)
            if source != self.source_language:
                raise ValueError(
                    f"FATAL INPUT ERROR:  SrcLang ('{source}') in file '{name}' inconsistent\n"
                    f"                    with SrcLang of source ('{self.source_language}')"
                )
            if self.target_language not in ("", target):
                raise ValueError(
                    f"FATAL INPUT ERROR:  TrgLang ('{target}') in file '{name}' inconsistent\n"
                    f"                    with TrgLang of the evaluation ('{self.target_language}')"
                )
            self.target_language = target
            for document_tag, span in _spans("Doc", data):
                system = self._true("SysID", document_tag, name)
                document = self._true("DocID", document_tag, name)
                documents = sets.setdefault(system, {})
                if document in documents:
                    raise ValueError(
                        f"FATAL INPUT ERROR:  document '{document}' for system '{system}' in file '{name}'\n"
                        f"                    previously loaded"
                    )
                documents[document] = self._segments(span, document, name, are_sources=False)
        return set_id

    def _segments(self, span: str, document: str, name: str, are_sources: bool = True) -> dict[str, str]:
        needed = self._needed if are_sources else self._true
        segments = {needed("id", tag, name): text for tag, text in _spans("Seg", _TO_JOIN.sub(" ", span))}
        if not segments:
            raise ValueError(f"FATAL INPUT ERROR:  no segments in document '{document}' in file '{name}'")
        return segments

    def _needed(self, attribute: str, tag: str, name: str) -> str:
        """The value of an attribute. Version 13a takes one without quotes, up to the next quote or the end."""
        value = r'"?([^"]*)' if self._is_13a else r'"([^"]*)"'
        found = re.search(rf"{attribute}{SPACE}*={SPACE}*{value}", tag, re.IGNORECASE)
        if found is None:
            raise ValueError(f"FATAL INPUT ERROR:  no tag attribute '{attribute}' in file '{name}'")
        return found[1]

    def _true(self, attribute: str, tag: str, name: str) -> str:
        """The same where the scripts ask whether the value is true for Perl."""
        value = self._needed(attribute, tag, name)
        if value in ("", "0"):
            raise ValueError(f"FATAL INPUT ERROR:  no tag attribute '{attribute}' in file '{name}'")
        return value

    def _read_xml_sources(self, file: Path) -> str:
        name = os.fsdecode(file)
        found = _root_of(file).find("srcset")
        if found is None:
            raise ValueError(f"Source XML file '{name}' does not contain the 'srcset' element")
        set_id = _attribute(found, "setid", name)
        self.source_language = _attribute(found, "srclang", name)
        self._read_xml_documents(self.sources, found, name)
        return set_id

    def _read_xml_sets(self, sets: dict[str, Documents], file: Path) -> str:
        name, set_id, root = os.fsdecode(file), "", _root_of(file)
        for found in (*root.findall("refset"), *root.findall("tstset")):
            set_id = _attribute(found, "setid", name)
            source, target = _attribute(found, "srclang", name), _attribute(found, "trglang", name)
            if source != self.source_language:
                raise ValueError("Not the same 'srclang' attribute value across sets")
            # The scripts mean to compare this one, too, but assign it.
            self.target_language = self.target_language or target
            system = _attribute(found, "sysid" if found.tag == "tstset" else "refid", name)
            self._read_xml_documents(sets.setdefault(system, {}), found, name)
        return set_id

    def _read_xml_documents(self, documents: Documents, found: Any, name: str) -> None:
        for document in found.iter("doc"):
            segments = documents.setdefault(_attribute(document, "docid", name), {})
            for segment in document.iter("seg"):
                segment_id = segment.get("id")
                if segment_id is None or (self._is_13a and segment_id in ("", "0")):
                    raise ValueError(f"No segment 'id' attribute value in '{name}'")
                segments[segment_id] = "".join(segment.itertext())

    def _check(self) -> None:
        """Every document of the sources must be there for every system and every reference, with as many segments."""
        if not self.source_id == self.test_id == self.reference_id:
            raise ValueError("Not the same 'setid' attribute values across files")
        for document, sources in sorted(self.sources.items()):
            for kind, sets in (("system", self.tests), ("reference", self.references)):
                for system, documents in sorted(sets.items()):
                    if document not in documents:
                        raise ValueError(f"FATAL ERROR:  no document '{document}' for {kind} '{system}'")
                    if len(documents[document]) != len(sources):
                        raise ValueError(
                            "FATAL ERROR:  translated documents must contain the same # of segments as the source, "
                            f"but\n              document '{document}' for system '{system}' contains "
                            f"{len(documents[document])} segments, while\n"
                            f"              the source document contains {len(sources)} segments."
                        )


def _is_xml(file: Path) -> bool:
    return os.fsdecode(file).lower().endswith(".xml")


def _text_of(file: Path) -> str:
    with Input(file) as source:
        data = source.read_all()
    offset = find_invalid_utf8(data)
    if offset >= 0:
        line = data.count(b"\n", 0, offset) + 1
        raise ValueError(f"{os.fsdecode(file)}: line {line}: byte 0x{data[offset]:02x} is not valid utf-8")
    return data.decode()


def _root_of(file: Path) -> Any:
    from xml.etree import ElementTree as ET

    with Input(file) as source:
        data = source.read_all()
    try:
        return ET.fromstring(data)  # noqa: S314  # the user's own file; expat limits how entities grow
    except ET.ParseError as error:
        raise ValueError(f"{os.fsdecode(file)}: not valid XML: {error}") from None


def _attribute(element: Any, attribute: str, name: str) -> str:
    value: str | None = element.get(attribute)
    if value is None or value in ("", "0"):
        raise ValueError(f"No '{attribute}' attribute value in '{name}'")
    return value


def _spans(name: str, data: str) -> Iterator[tuple[str, str]]:
    """Each element of a name: what stands in its tag behind the name, and what stands in the element."""
    # Letters of both cases rather than a flag, with which the search is slower.
    letters = "".join(f"[{letter.lower()}{letter.upper()}]" for letter in name)
    opening = re.compile(rf"<{letters}{SPACE}*([^>]*)>")
    closing = re.compile(rf"</{letters}{SPACE}*>")
    position = 0
    while (start := opening.search(data, position)) and (end := closing.search(data, start.end())):
        yield start[1], data[start.end() : end.start()]
        position = end.end()
