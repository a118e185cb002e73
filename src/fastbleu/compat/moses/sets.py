"""mteval's files: sets of documents of segments, in NIST's SGML or in XML, read and checked as the scripts do."""

from __future__ import annotations

import os
import re

from ...inputs.files import Input
from ...inputs.text_files import read_text
from .texts import SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    #: The text of each segment, by the name of the document and that of the segment.
    Documents: TypeAlias = dict[str, dict[str, str]]
    Path: TypeAlias = str | os.PathLike[str]

# More than one character of white space, or one that is not a space.
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
        found = next(self._sets(file, "SrcSet"), None)
        if found is None:
            raise ValueError(f"FATAL INPUT ERROR:  no 'srcset' element in file '{os.fsdecode(file)}'")
        set_id: str = found.value("SetID")
        self.source_language = found.value("SrcLang")
        self._read_documents(found, None)
        if not self.sources and not found.is_xml:
            raise ValueError(f"FATAL INPUT ERROR:  no documents in file '{found.file}'")
        return set_id

    def _read_sets(self, sets: dict[str, Documents], tag: str, file: Path) -> str:
        set_id = ""
        for found in self._sets(file, tag):
            set_id, source, target = map(found.value, ("SetID", "SrcLang", "TrgLang"))
            # The scripts mean to compare the other one of XML, too, but assign it.
            for name, value, known in (
                ("SrcLang", source, self.source_language),
                ("TrgLang", target, target if found.is_xml else self.target_language or target),
            ):
                if value != known:
                    raise ValueError(
                        f"FATAL INPUT ERROR:  {name} ('{value}') in file '{found.file}' inconsistent\n"
                        f"                    with {name} ('{known}') of the other sets"
                    )
            self.target_language = self.target_language or target
            self._read_documents(found, sets)
        return set_id

    def _read_documents(self, found: Any, sets: dict[str, Documents] | None) -> None:
        """Read the documents of a set, of sources if there are no `sets` to put them into."""
        # Where the scripts ask whether an id is true for Perl, "" and "0" are none.
        true_ids = self._is_13a if found.is_xml else sets is not None
        documents = self.sources
        if sets is not None and found.is_xml:
            documents = sets.setdefault(found.value("RefID" if found.tag == "refset" else "SysID"), {})
        for element in found.inner("Doc"):
            if sets is not None and not found.is_xml:  # each document names its system
                documents = sets.setdefault(element.value("SysID", True), {})
            document = element.value("DocID", sets is not None)
            if document in documents and not found.is_xml:
                raise ValueError(
                    f"FATAL INPUT ERROR:  duplicate 'DocID': document '{document}' in file '{found.file}' "
                    "was loaded before"
                )
            segments = documents.setdefault(document, {})
            segments |= {each.value("id", true_ids): each.text for each in element.inner("Seg")}
            if not segments and not found.is_xml:
                raise ValueError(
                    f"FATAL INPUT ERROR:  no segments in document '{document}' in file '{found.file}'"
                )

    def _sets(self, file: Path, tag: str) -> Iterator[Any]:
        name = os.fsdecode(file)
        if not name.lower().endswith(".xml"):
            return _Sgml("", name, self._is_13a, "", read_text(file)).inner(tag)
        root = _root_of(file)
        tags = ("srcset",) if tag == "SrcSet" else ("refset", "tstset")
        return (_Xml(name, found) for each in tags for found in root.findall(each))

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


class _Element:
    """A set, a document or a segment in a file.

    Args:
        tag: The name of the element.
        file: The name of the file.
    """

    is_xml = False

    def __init__(self, tag: str, file: str) -> None:
        self.tag, self.file = tag, file

    def value(self, attribute: str, is_true: bool = False) -> str:
        """Return the value of an attribute, which must be there; `is_true`: and be true for Perl."""
        found: str | None = self.get(attribute)  # type: ignore[attr-defined]  # each kind has its own
        if found is None or (is_true and found in ("", "0")):
            raise ValueError(f"FATAL INPUT ERROR:  no tag attribute '{attribute}' in file '{self.file}'")
        return found


class _Sgml(_Element):
    """An element of SGML: what stands in its tag after the name, and what stands in the element."""

    def __init__(self, tag: str, file: str, is_13a: bool, attributes: str, text: str) -> None:
        super().__init__(tag, file)
        self.text = text
        self._is_13a, self._attributes = is_13a, attributes

    def get(self, attribute: str) -> str | None:
        # Version 13a takes a value without quotes, up to the next quote or the end.
        value = r'"?([^"]*)' if self._is_13a else r'"([^"]*)"'
        found = re.search(rf"{attribute}{SPACE}*={SPACE}*{value}", self._attributes, re.IGNORECASE)
        return None if found is None else found[1]

    def inner(self, tag: str) -> Iterator[_Sgml]:
        """Find the elements of a name in this one."""
        data = _TO_JOIN.sub(" ", self.text) if tag == "Seg" else self.text
        # Letters of both cases rather than a flag, with which the search is slower.
        letters = "".join(f"[{letter.lower()}{letter.upper()}]" for letter in tag)
        opening = re.compile(rf"<{letters}{SPACE}*([^>]*)>")
        closing = re.compile(rf"</{letters}{SPACE}*>")
        position = 0
        while (start := opening.search(data, position)) and (end := closing.search(data, start.end())):
            yield _Sgml(tag, self.file, self._is_13a, start[1], data[start.end() : end.start()])
            position = end.end()


class _Xml(_Element):
    """An element of XML."""

    is_xml = True

    def __init__(self, file: str, element: Any) -> None:
        super().__init__(element.tag, file)
        self._element = element

    @property
    def text(self) -> str:
        return "".join(self._element.itertext())

    def get(self, attribute: str) -> str | None:
        found: str | None = self._element.get(attribute.lower())
        return None if found in ("", "0") and attribute != "id" else found

    def inner(self, tag: str) -> Iterator[_Xml]:
        """Find the elements of a name in this one, at any depth."""
        return (_Xml(self.file, element) for element in self._element.iter(tag.lower()))


def _root_of(file: Path) -> Any:
    from xml.etree import ElementTree as ET

    with Input(file) as source:
        data = source.read_all()
    try:
        return ET.fromstring(data)  # noqa: S314  # the user's own file; expat limits how entities grow
    except ET.ParseError as error:
        raise ValueError(f"{os.fsdecode(file)}: not valid XML: {error}") from None
