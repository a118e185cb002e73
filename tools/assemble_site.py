"""Make one site of the folders of its versions: `python tools/assemble_site.py FOLDER`.

FOLDER holds a built site for each released version, such as `0.1`, and `latest`, that of the branch main. This adds
`versions.js`, by which each page offers the others, and `index.html`, which leads to the newest release.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "docs" / "versions.js"
INDEX = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>fastbleu</title>
<meta http-equiv="refresh" content="0; url={0}/index.html">
<a href="{0}/index.html">fastbleu {0}</a>
</html>
"""


def assemble(folder: Path) -> list[str]:
    """Write both files; return the versions: the releases, newest first, and `latest`."""
    names = {path.parent.name for path in folder.glob("*/index.html")} - {"latest"}
    versions = [*sorted(names, key=lambda name: [*map(int, name.split("."))], reverse=True), "latest"]
    script = f"const VERSIONS = {json.dumps(versions)};\n{SCRIPT.read_text(encoding='utf-8')}"
    (folder / "versions.js").write_text(script, encoding="utf-8")
    (folder / "index.html").write_text(INDEX.format(versions[0]), encoding="utf-8")
    return versions


if __name__ == "__main__":
    print(*assemble(Path(sys.argv[1])))
