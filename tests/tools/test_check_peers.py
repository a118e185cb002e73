"""Results of the check of the newest releases, from releases and reports that are made up."""

from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")
pytest.importorskip("tools.check_peers", reason="the project's scripts are not there")

from tools.check_peers import Finding, Outcome, judge, of_peer, options_of_command, read_report, wanted
from tools.peers import PEERS, Peer

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="0" failures="1" skipped="2" tests="4">
<testcase classname="tests.parity.test_x" name="test_one" file="tests/parity/test_x.py" line="1"/>
<testcase classname="tests.parity.test_x" name="test_two" file="tests/parity/test_x.py" line="5">
<failure message="assert 1 == 2&#10; more">long</failure></testcase>
<testcase classname="" name="tests.parity.test_y"><skipped message="not there"/></testcase>
<testcase classname="tests.arrow.test_z" name="test_three" file="tests/arrow/test_z.py" line="2">
<skipped message="no data"/></testcase>
</testsuite></testsuites>"""

PEER = Peer("x", "parity", "parity/test_x.py arrow")


def test_a_report_says_how_each_test_ended(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT, encoding="utf-8")
    tests = list(read_report(tmp_path / "report.xml"))
    assert tests == [
        Outcome("tests/parity/test_x.py::test_one", "tests/parity/test_x.py", "passed", ""),
        Outcome("tests/parity/test_x.py::test_two", "tests/parity/test_x.py", "failed", "assert 1 == 2"),
        Outcome(
            "tests/parity/test_y.py::tests.parity.test_y", "tests/parity/test_y.py", "skipped", "not there"
        ),
        Outcome("tests/arrow/test_z.py::test_three", "tests/arrow/test_z.py", "skipped", "no data"),
    ]
    assert of_peer(tests, PEER) == [tests[0], tests[1], tests[3]]
    assert of_peer(tests, PEER._replace(tests="parity/test_x.py::test_t arrow")) == [tests[1], tests[3]]


@pytest.mark.parametrize(
    ("equal", "checked", "newest", "outcomes", "old", "result"),
    [
        ("1.0", "1.0", "1.0", ["passed", "skipped"], set(), "equal"),
        ("1.0 or 0.9", "0.9", "0.9", ["passed"], set(), "equal"),
        ("1.0", "1.1", "1.1", ["passed"], set(), "equal; the release may be moved"),
        ("1.0", "1.1.dev3", "1.1.dev3", ["passed"], set(), "equal; the release is not final"),
        ("1.0", "1.0", "1.10", ["passed"], set(), "equal; the newest release could not be installed"),
        ("1.0", "1.0", "unknown", ["passed"], set(), "equal"),
        ("1.0", "1.1", "1.1", ["passed", "failed"], set(), "differs"),
        ("1.0", "1.1", "1.1", ["failed"], {"failed0"}, "differs, with the pinned release too"),
        ("1.0", "1.1", "1.1", ["skipped"], set(), "not tested: all tests were skipped"),
        ("1.0", "1.1", "1.1", [], set(), "not tested: all tests were skipped"),
    ],
)
def test_what_is_said_of_a_peer(
    equal: str, checked: str, newest: str, outcomes: list[str], old: set[str], result: str
) -> None:
    tests = [
        Outcome(f"{outcome}{i}", "tests/parity/test_x.py", outcome, "") for i, outcome in enumerate(outcomes)
    ]
    assert judge(equal, checked, newest, tests, old) == result
    assert Finding(PEER, equal, checked, newest, tests, result).is_good == result.startswith("equal")


def test_the_named_peers_are_newest_and_the_others_pinned() -> None:
    sacrebleu = next(peer for peer in PEERS if peer.name == "sacrebleu")
    newest, pinned = wanted("parity", [sacrebleu], {})
    assert "sacrebleu" in newest
    assert set(newest) - set(pinned) == {"sacrebleu"}
    assert [each.partition("==")[0] for each in set(pinned) - set(newest)] == ["sacrebleu"]
    assert "sacrebleu==3.0rc1" in wanted("parity", [sacrebleu], {"sacrebleu": "==3.0rc1"})[0]


def test_an_unknown_peer_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        options_of_command(["sacrebleu", "moses"])
    assert "no extra pins moses" in capsys.readouterr().err
