"""A second interpreter in one process is refused in words, and harms no other."""

from __future__ import annotations

import sys
import textwrap

import pytest

from tests.support.processes import printed_by

# How each version of CPython makes an interpreter, runs a script there and ends it; what the script raises ends the
# program.
START = """
    import sys

    if sys.version_info >= (3, 13):
        import _interpreters as interpreters

        def run(kind, script):
            interpreter = interpreters.create(kind)
            failure = interpreters.exec(interpreter, script)
            interpreters.destroy(interpreter)
            if failure is not None:
                sys.exit(failure.formatted)
    else:
        import _xxsubinterpreters as interpreters

        def run(kind, script):
            interpreter = interpreters.create(isolated=kind == "isolated")
            interpreters.run_string(interpreter, script)
            interpreters.destroy(interpreter)

    REFUSED = '''if True:
        try:
            import fastbleu
        except ImportError as error:
            assert str(error).startswith("fastbleu can be imported by one interpreter of a process, "), error
            assert error.name == "fastbleu"
            assert error.__cause__ is not None
        else:
            raise AssertionError("imported")
    '''
    SCORED = '''if True:
        import fastbleu
        assert fastbleu.corpus_bleu(["the cat sat on the mat"], [["the cat sat on a mat"]]).score == SCORE
    '''
"""


def in_a_process(script: str) -> None:
    """Runs it in a process of its own, since an interpreter leaves its traces in the process."""
    pytest.importorskip("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    program = textwrap.dedent(START).replace("SCORE\n", f"{SCORE!r}\n") + textwrap.dedent(script)
    printed_by(program, "-W", "error")


#: The score where one word in six is another.
SCORE = 53.7284965911771


OWN_GIL = pytest.mark.skipif(
    sys.version_info < (3, 12), reason="interpreters share the GIL before Python 3.12"
)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param('run("isolated", REFUSED + REFUSED)', marks=OWN_GIL),
        pytest.param(
            'run("isolated", REFUSED); exec(SCORED); run("isolated", REFUSED); exec(SCORED)', marks=OWN_GIL
        ),
        'exec(SCORED); run("legacy", REFUSED); exec(SCORED)',
        'run("legacy", SCORED); exec(REFUSED)',
    ],
)
def test_one_interpreter_of_a_process_imports_the_package(script: str) -> None:
    in_a_process(script)


def test_other_failures_are_told_as_they_are() -> None:
    in_a_process("""
        sys.modules["fastbleu._native._hashing"] = None
        try:
            import fastbleu
        except ImportError as error:
            assert error.name == "fastbleu._native._hashing" or "_hashing" in str(error), error
            assert "interpreter of a process" not in str(error)
        else:
            raise AssertionError("imported")
    """)
