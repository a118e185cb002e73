#!/usr/bin/env bash
# Puts Pyodide, which is Python for browsers, and fastbleu's wheel for it beside the page that runs them.
#
#     tools/add_python_to_page.sh WHEEL docs/_build/explain-a-score
#
# It needs npm, and downloads Pyodide from npm's registry; the hash is that of the package.
set -euo pipefail
wheel=$1 page=$2
version=314.0.7
hash=66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --pack-destination "$work" "pyodide@$version" >/dev/null
echo "$hash  $work/pyodide-$version.tgz" | sha256sum --check --quiet
mkdir "$page/pyodide"
tar -xzf "$work/pyodide-$version.tgz" -C "$page/pyodide" --strip-components 1 --no-same-owner \
    package/{pyodide.mjs,pyodide.asm.mjs,pyodide.asm.wasm,pyodide-lock.json,python_stdlib.zip}
cp "$wheel" "$page/fastbleu.whl"
