"""The fixed parts of the HTML page: its head and its style."""

from __future__ import annotations

#: Colours of the surfaces, of the text, and of what was clipped.
LIGHT = {
    "page": "#f6f7f9",
    "card": "#ffffff",
    "rule": "#d9dee5",
    "text": "#17202b",
    "muted": "#566373",
    "accent": "#0f5fa8",
    "clipped": "#fff1cf",
    "clipped-line": "#7f4700",
}
DARK = {
    "page": "#10151b",
    "card": "#171e26",
    "rule": "#2e3946",
    "text": "#e9eef4",
    "muted": "#9fadbd",
    "accent": "#7cbcf5",
    "clipped": "#3d2e0c",
    "clipped-line": "#f6bd50",
}

#: Background and line of a token that matched a 1-gram at most, and of one that matched the longest order.
LIGHT_ORDERS = (("#dcecfa", "#6f93b5"), ("#6fb3ee", "#0a4f91"))
DARK_ORDERS = (("#1a3247", "#5d87ab"), ("#1b6cae", "#a9d6ff"))

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
"""

STYLE = """
* { box-sizing: border-box; }
html { background: var(--page); color: var(--text); color-scheme: light dark; -webkit-text-size-adjust: 100%; }
body { margin: 0; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 84rem; margin: 0 auto; padding: 2rem clamp(1rem, 3vw, 2.5rem) 4rem; }
h1, h2, h3, p, dl, dd, figure, table { margin: 0; }
h1 { font-size: 1.6rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 0.8rem; font-weight: 600; color: var(--muted); }
h2 b { color: var(--text); font-weight: 650; }
.signature { color: var(--muted); font-size: 0.8rem; font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  overflow-wrap: anywhere; margin-top: 0.4rem; }
article + article { margin-top: 3.5rem; padding-top: 2.5rem; border-top: 1px solid var(--rule); }

.legend { display: flex; flex-wrap: wrap; gap: 0.35rem 1.4rem; align-items: baseline; margin: 1.2rem 0 0; padding: 0;
  list-style: none; font-size: 0.875rem; color: var(--muted); line-height: 2; }
.legend span { color: var(--text); margin-inline-end: 0.45rem; }

.card { background: var(--card); border: 1px solid var(--rule); border-radius: 0.75rem; padding: 1rem 1.25rem 1.2rem;
  min-width: 0; }
.cards { display: grid; gap: 1rem; margin-top: 1.2rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
.segments { grid-template-areas: "hypothesis" "references" "precisions"; }
.hypothesis { grid-area: hypothesis; }
.references { grid-area: references; display: grid; gap: 1rem; min-width: 0; }
.precisions { grid-area: precisions; }
.tiles { display: grid; gap: 1rem; margin-top: 1.2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }
.tiles dt { font-size: 0.8rem; font-weight: 600; color: var(--muted); }
.tiles dd { font-size: 2rem; line-height: 1.3; font-weight: 650; font-variant-numeric: tabular-nums; }
.tiles .card { padding-block: 0.8rem 0.9rem; }
.tiles small { display: block; font-size: 0.85rem; font-weight: 400; line-height: 1.5; color: var(--muted); }
@media (min-width: 60rem) {
  .segments { grid-template: "hypothesis references" auto "precisions references" 1fr / minmax(0, 1fr) minmax(0, 1fr); }
}

.tokens { margin-top: 0.55rem; font-size: 1.1rem; line-height: 2.15; overflow-wrap: anywhere; }
.match, .clipped { unicode-bidi: isolate; padding: 0.14em 0.34em 0.1em; border-radius: 0.3em 0.3em 0.15em 0.15em;
  -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.match::after { unicode-bidi: isolate; margin-inline-start: 0.3em; font-size: 0.62em; font-weight: 650;
  vertical-align: super; line-height: 0;
  color: var(--text); opacity: 0.85; user-select: none; -webkit-user-select: none; }
.clipped { background: var(--clipped); border-bottom: 2px dashed var(--clipped-line); }
.also { text-decoration: underline dashed var(--clipped-line) 2px; text-underline-offset: 0.22em; }
.clipped::after { content: "\\2702\\FE0E"; margin-inline-start: 0.3em; font-size: 0.7em; color: var(--clipped-line);
  user-select: none; -webkit-user-select: none; }
.tokens [title] { cursor: help; }
.nothing { color: var(--muted); font-style: italic; }

.scroll { overflow: auto; }
.ngrams .scroll { max-height: 26rem; margin-top: 0.6rem; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
caption { text-align: start; }
th { font-size: 0.78rem; font-weight: 600; color: var(--muted); text-align: end; vertical-align: bottom;
  line-height: 1.3; }
thead th { position: sticky; top: 0; background: var(--card); box-shadow: inset 0 -1px var(--rule); }
th, td { padding: 0.32rem 0.55rem; }
td { text-align: end; border-top: 1px solid color-mix(in srgb, var(--rule) 55%, transparent); white-space: nowrap; }
tbody tr:first-child > * { border-top: 0; }
th:first-child, td:first-child { padding-inline-start: 0; }
th:last-child, td:last-child { padding-inline-end: 0; }
tbody th { color: var(--text); font-size: inherit;
  border-top: 1px solid color-mix(in srgb, var(--rule) 55%, transparent); }
.precisions tbody th, .precisions tfoot th, .precisions thead th:first-child { text-align: start;
  font-weight: 500; white-space: nowrap; }
.precisions thead th:first-child { font-weight: 600; }
tfoot th, tfoot td { border-top: 1px solid var(--rule); color: var(--text); font-weight: 600; font-size: inherit; }
tfoot tr + tr > * { border-top: 0; }
.ratio { color: var(--muted); margin-inline-end: 0.6em; }
.bar { width: 26%; min-width: 5rem; padding-inline: 1rem 0; }
@media (max-width: 34rem), (min-width: 60rem) and (max-width: 80rem) { .bar { display: none; } }
.bar span { display: flex; height: 0.65rem; border-radius: 0.33rem; border: 1px solid var(--rule); overflow: hidden; }
.bar i, .bar b { display: block; height: 100%; }
.bar i { background: repeating-linear-gradient(135deg, var(--clipped-line) 0 2px, var(--clipped) 2px 5px); }
.bar b { background: var(--accent); }

.ngrams { grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
.ngrams h2 { font-size: 1rem; color: var(--text); }
.ngrams p { font-size: 0.85rem; color: var(--muted); }
.ngrams th.text, .ngrams td.text { text-align: start; white-space: normal; overflow-wrap: anywhere; width: 55%; }
td.status { color: var(--muted); text-align: start; }
tr.lost td.status { color: var(--clipped-line); font-weight: 600; }
tr.lost td.text { text-decoration: underline dashed var(--clipped-line) 1.5px; text-underline-offset: 0.25em; }
tr.absent td { color: var(--muted); }

@media print {
  main { max-width: none; padding: 0; }
  .ngrams .scroll { max-height: none; }
  .card { break-inside: avoid; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
