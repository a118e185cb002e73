"""Prints the bill of materials of a wheel as CycloneDX JSON: what others wrote of it, and under which licence.

    python tools/make_sbom.py > fastbleu-metric.cdx.json

`setup.py` puts it into each wheel (PEP 770). It holds no time and no random number, so that a wheel can be built again.
What fastbleu needs at run time is not in the wheel, and stands in its metadata.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "fastbleu"
NAME = "fastbleu-metric"


def found(file: str, pattern: str) -> str:
    match = re.search(pattern, (SOURCE / file).read_text(encoding="utf-8"))
    if match is None:
        raise ValueError(f"{file} has nothing like {pattern}")
    return match[1]


def licensed(*identifiers: str) -> list[dict[str, dict[str, str]]]:
    return [{"license": {"id": identifier}} for identifier in identifiers]


def sbom() -> str:
    """The whole document."""
    release = found("system/version.py", r'__version__ = "(.+)"')
    cython, unicode = version("Cython"), found("_native/unicode.h", r'FASTBLEU_UNICODE_VERSION "(.+)"')
    root = f"pkg:pypi/{NAME}@{release}"
    components: list[dict[str, object]] = [
        {
            "bom-ref": f"pkg:pypi/cython@{cython}",
            "type": "library",
            "name": "Cython",
            "version": cython,
            "description": "wrote the C code of the compiled modules, and with it parts of its own run-time code",
            "licenses": licensed("Apache-2.0"),
            "purl": f"pkg:pypi/cython@{cython}",
        },
        {
            "bom-ref": f"unicode@{unicode}",
            "type": "data",
            "name": "Unicode Character Database",
            "version": unicode,
            "description": "the tables of _native/unicode.h were made from its general categories",
            "licenses": licensed("Unicode-3.0"),
        },
    ]
    references = [str(component["bom-ref"]) for component in components]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "lifecycles": [{"phase": "build"}],
            "component": {
                "bom-ref": root,
                "type": "library",
                "name": NAME,
                "version": release,
                "licenses": [{"expression": "MIT AND Unicode-3.0"}],
                "purl": root,
            },
        },
        "components": components,
        "dependencies": [
            {"ref": root, "dependsOn": references},
            *({"ref": reference, "dependsOn": []} for reference in references),
        ],
        "compositions": [{"aggregate": "complete", "assemblies": [root]}],
    }
    return json.dumps(document, indent=2) + "\n"


if __name__ == "__main__":
    print(sbom(), end="")
