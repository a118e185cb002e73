"""Check whether the newest releases of the peers still give our results.

    python tools/check_peers.py sacrebleu nltk
    python tools/check_peers.py --constraint constraints.txt --summary peers.md

Each extra of `pyproject.toml` that pins releases gets a fresh environment, with the newest releases of the named peers
(of all, if none is named) and the pinned ones of the others. The tests that `tools/peers.py` names run there. If one
fails, it runs again with the pinned releases, so that the report tells a change of the peer from a fault of ours.

`--constraint` keeps large packages at a release or a build that is available ("torch==2.13.0"). The exit status is 1
if anything differs, could not be installed, or was not tested.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from packaging.requirements import Requirement
from packaging.version import Version

from tools.peers import EXTRAS, PEERS, Peer, paths_of, pinned_release, releases, requirements

HEAD = "| peer | we equal | checked | newest | passed | skipped | failed | result |\n|---|---|---|---|---|---|---|---|"


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in the repository, and keep what it prints."""
    return subprocess.run(  # commands of this script
        command, cwd=REPOSITORY, capture_output=True, text=True, check=False
    )


class Outcome(NamedTuple):
    """The result of one test: "passed", "skipped" or "failed", and its output."""

    name: str
    file: str
    ended: str
    message: str


class Finding(NamedTuple):
    """The findings about one peer."""

    peer: Peer
    equal: str
    checked: str
    newest: str
    tests: list[Outcome]
    result: str

    @property
    def is_good(self) -> bool:
        return self.result.startswith("equal")

    def row(self) -> str:
        counts = [
            sum(test.ended == ended for test in self.tests) for ended in ("passed", "skipped", "failed")
        ]
        cells = (self.peer.name, self.equal, self.checked, self.newest, *counts, self.result)
        return f"| {' | '.join(map(str, cells))} |"


class Environment:
    """A fresh virtual environment with fastbleu in it. The pip of the running interpreter installs into it."""

    def __init__(self, folder: Path, wheel: Path, options: argparse.Namespace) -> None:
        venv.create(folder, symlinks=True)
        scripts = folder / ("Scripts" if sys.platform == "win32" else "bin")
        self.python = str(scripts / "python")
        self.folder = folder
        self.wheel = wheel
        self.options = ["--constraint", str(options.constraint)] if options.constraint else []

    def install(self, wanted: Sequence[str]) -> str:
        """Install fastbleu and what is wanted; return what pip complains of, or nothing."""
        command = [sys.executable, "-m", "pip", "--python", self.python, "install", "--quiet", "--upgrade"]
        done = run([*command, *self.options, str(self.wheel), *wanted])
        return "" if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2]

    def release(self, name: str) -> str:
        program = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
        done = run([self.python, "-c", program, name])
        return done.stdout.strip() or "none"

    def run_tests(self, tests: Sequence[str]) -> list[Outcome]:
        """Run files, folders or single tests, and tell how each test ended."""
        report = self.folder / "report.xml"
        report.unlink(missing_ok=True)
        command = [self.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1"]
        done = run([*command, f"--junitxml={report}", *tests])
        if not report.exists():
            return [Outcome("pytest", "", "failed", done.stdout[-500:] + done.stderr[-500:])]
        return list(read_report(report))


def read_report(path: Path) -> Iterator[Outcome]:
    """The tests of a report in JUnit's form."""
    for case in ET.parse(path).iter("testcase"):  # noqa: S314  # pytest has just written it
        ended, message = "passed", ""
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                ended = "skipped" if child.tag == "skipped" else "failed"
                message = child.get("message", "")
        file = (
            case.get("file") or f"{case.get('name', '').replace('.', '/')}.py"
        )  # a module that was skipped whole
        yield Outcome(f"{file}::{case.get('name')}", file, ended, message.partition("\n")[0])


def of_peer(tests: Sequence[Outcome], peer: Peer) -> list[Outcome]:
    """The tests that compare with a peer, of those that ran."""
    wanted = [f"tests/{each}" for each in peer.tests.split()]
    return [test for test in tests if any(is_one_of(test, each) for each in wanted)]


def is_one_of(test: Outcome, wanted: str) -> bool:
    path, _, name = wanted.partition("::")
    own = test.name.rpartition("::")[2]
    return (test.file == path or test.file.startswith(f"{path}/")) and own.startswith(name)


def newest_release(name: str, options: argparse.Namespace) -> str:
    """Return the newest release in the package index, whether or not it can be installed here."""
    command = [sys.executable, "-m", "pip", "index", "versions", name]
    done = run([*command, *(["--pre"] if options.pre else [])])
    _, _, rest = done.stdout.partition("(")
    return rest.partition(")")[0] or "unknown"


def is_not_final(release: str) -> bool:
    return release != "unknown" and Version(release).is_prerelease


def wanted(extra: str, peers: Sequence[Peer], exact: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the requirements of the tests and of an extra: with the peers' newest releases, and with the pinned ones.

    `exact` has, by the name of a peer, how its requirement ends: "==3.0rc1". pip takes a release that is not final only
    if it is named so.
    """
    free = {peer.name for peer in peers}
    own = {peer.name: peer.release for peer in peers if peer.release is not None}
    newest, pinned = [], []
    for requirement in [*requirements("test"), *requirements(extra)]:
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        plain = Requirement(str(requirement))
        plain.marker = None
        pinned.append(f"{plain.name}=={own[plain.name]}" if plain.name in own else str(plain))
        if plain.name in free and (pinned_release(plain) or plain.name in own):
            plain = Requirement(f"{plain.name}[{','.join(plain.extras)}]{exact.get(plain.name, '')}")
        newest.append(str(plain))
    return newest, pinned


def judge(equal: str, checked: str, newest: str, tests: Sequence[Outcome], old: set[str]) -> str:
    """Return the verdict on a peer in a few words; `old` are the tests that fail with the pinned releases too."""
    failed = {test.name for test in tests if test.ended == "failed"}
    if not any(test.ended == "passed" for test in tests) and not failed:
        return "not tested: all tests were skipped"
    if failed and failed <= old:
        return "differs, with the pinned release too"
    if failed:
        return "differs"
    if is_not_final(checked):
        return "equal; the release is not final"
    if checked not in equal.split(" or "):
        return "equal; the release may be moved"
    if newest != "unknown" and Version(newest) > Version(checked):
        return "equal; the newest release could not be installed"
    return "equal"


def check(
    extra: str, peers: Sequence[Peer], folder: Path, wheel: Path, options: argparse.Namespace
) -> list[Finding]:
    """Check the peers of one extra, in one environment."""
    environment = Environment(folder, wheel, options)
    newest = {peer.name: newest_release(peer.name, options) for peer in peers}
    exact = {
        name: f"=={release}" for name, release in newest.items() if options.pre and is_not_final(release)
    }
    newest_wanted, pinned_wanted = wanted(extra, peers, exact)
    complaint = environment.install(newest_wanted)
    if complaint:
        return [
            Finding(peer, " or ".join(releases(peer)), "none", newest[peer.name], [], complaint)
            for peer in peers
        ]
    checked = {peer.name: environment.release(peer.name) for peer in peers}
    tests = environment.run_tests(sorted({path for peer in peers for path in paths_of(peer)}))
    failed = sorted({test.file for test in tests if test.ended == "failed"})
    moved = any(checked[peer.name] not in releases(peer) for peer in peers)
    old: set[str] = set()
    if failed and not moved:
        old = {test.name for test in tests if test.ended == "failed"}
    elif failed and not environment.install(pinned_wanted):
        old = {test.name for test in environment.run_tests(failed) if test.ended == "failed"}
    findings = []
    for peer in peers:
        equal = " or ".join(releases(peer))
        own = of_peer(tests, peer) + [test for test in tests if not test.file]
        result = judge(equal, checked[peer.name], newest[peer.name], own, old)
        findings.append(Finding(peer, equal, checked[peer.name], newest[peer.name], own, result))
    return findings


def report(findings: Sequence[Finding]) -> str:
    """The findings as a table in Markdown, and the tests that failed below it."""
    lines = [HEAD, *(finding.row() for finding in findings)]
    failed = {test for finding in findings for test in finding.tests if test.ended == "failed"}
    lines += ["", *(f"- `{test.name}`: {test.message}" for test in sorted(failed))]
    return "\n".join(lines) + "\n"


def build_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    run([*command, str(REPOSITORY)]).check_returncode()
    (wheel,) = folder.glob("*.whl")
    return wheel


def options_of_command(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    known = sorted({peer.name for peer in PEERS if peer.extra})
    parser.add_argument("peers", nargs="*", metavar="PEER", help=f"one of {', '.join(known)}; default: all")
    parser.add_argument("--extra", choices=EXTRAS, help="only the peers of one extra")
    parser.add_argument("--pre", action="store_true", help="take releases that are not final, too")
    parser.add_argument("--constraint", type=Path, help="pip's file of constraints, for all environments")
    parser.add_argument("--wheel", type=Path, help="fastbleu's wheel; built if none is named")
    parser.add_argument("--summary", type=Path, help="a file to which the report is added")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.peers) - set(known))
    if unknown:
        parser.error(f"no extra pins {', '.join(unknown)}; there are {', '.join(known)}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the peers that the command names, and return the exit status."""
    options = options_of_command(arguments)
    findings = []
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        wheel = options.wheel or build_wheel(work)
        for extra in EXTRAS:
            peers = [
                peer
                for peer in PEERS
                if peer.extra == extra
                and options.extra in (None, extra)
                and (not options.peers or peer.name in options.peers)
            ]
            if peers:
                with tempfile.TemporaryDirectory(dir=work) as folder:
                    found = check(extra, peers, Path(folder), wheel.resolve(), options)
                print(report(found), flush=True)
                findings += found
    if options.summary:
        with options.summary.open("a", encoding="utf-8") as file:
            file.write(
                f"# The newest releases of the peers\n\nfastbleu {version_of(wheel)}\n\n{report(findings)}"
            )
    return 0 if all(finding.is_good for finding in findings) else 1


def version_of(wheel: Path) -> str:
    return wheel.name.split("-")[1]


if __name__ == "__main__":
    sys.exit(main())
