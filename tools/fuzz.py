"""Fuzz one door of the package, or all, under AddressSanitizer and UndefinedBehaviorSanitizer.

    python tools/fuzz.py --list
    python tools/fuzz.py text --minutes 10
    python tools/fuzz.py all --minutes 10
    python tools/fuzz.py text --input build/fuzz/findings/text/crash-...

A door is a test that takes its values from Hypothesis: libFuzzer changes the bytes that Hypothesis makes values of.

Needs clang and its runtime (`apt install clang libclang-rt-dev`), Atheris (`pip install atheris`), Cython, setuptools
and what the extras `test` and `parity` bring. Builds the package into `build/fuzz` first, if its sources have changed.
What is found lies in `build/fuzz/findings/DOOR`, and the exit status is 1 then; it is 2 where something is missing.
Inputs that reach new code are kept in `build/fuzz/corpus/DOOR`.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import NoReturn

REPOSITORY = Path(__file__).resolve().parents[1]

BUILD = REPOSITORY / "build" / "fuzz"
#: The test of each door: one that Hypothesis gives its values, or a check that takes a random generator.
DOORS = {
    "accumulator": "metric.test_accumulator:test_any_split_scores_as_the_whole",
    "explanation": "explain.test_explain:test_random_text",
    "ids": "inputs.test_ids:test_any_row",
    "lines": "inputs.test_lines:test_fields",
    "lists": "rerank.nbest.test_reader:test_broken_lists",
    "ngrams": "counting.test_match_long_references:test_generated_segments",
    "pools": "rerank.test_pair_scores:test_pairs",
    "prefixes": "scoring.test_prefixes:test_generated_corpora",
    "references": "counting.test_corpus:test_references_per_segment",
    "self_bleu": "rerank.test_self_bleu:test_each_against_others",
    "text": "parity.test_sacrebleu:test_generated_corpora",
    "tokens": "inputs.test_tokens:test_counts_of_any_tokens",
}
#: Cython adds 0 to null pointers; the headers do not.
IGNORED = "[pointer-overflow]\nsrc:*/cython/*.c\n"
LONGEST_INPUT = 4096  # bytes
SECONDS_PER_INPUT = 60
MEGABYTES = 4096


def stop(message: str) -> NoReturn:
    """Ends with a status that is not that of a finding."""
    print(f"fuzz.py: {message}", file=sys.stderr)
    raise SystemExit(2)


def preloaded() -> Path:
    """The runtime of the sanitizers and of libFuzzer, which Atheris brings."""
    atheris = find_spec("atheris")
    if atheris is None or atheris.origin is None:
        stop("Atheris is missing: pip install atheris")
    path = Path(atheris.origin).parents[1] / "asan_with_fuzzer.so"
    if not path.exists():
        stop(f"{path} is missing: this release of Atheris brings no AddressSanitizer")
    return path


def build() -> None:
    """Builds the package for libFuzzer, unless that was done with these sources."""
    digest = hashlib.sha256(f"{sys.version} {IGNORED}".encode())
    for path in sorted([REPOSITORY / "setup.py", *(REPOSITORY / "src").rglob("*")]):
        if path.suffix in (".py", ".pyx", ".pxd", ".h", ".css", ".jinja", ".js"):
            digest.update(path.read_bytes())
    stamp = BUILD / "sources"
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    compiler = os.environ.get("CC", "clang")
    if "clang" not in compiler:
        stop(f"only clang builds for libFuzzer, and CC is {compiler!r}: set CC=clang")
    print("building the package for libFuzzer", flush=True)
    command = ["setup.py", "-q", "build", "--build-base", str(BUILD), "--build-lib", str(BUILD / "lib")]
    BUILD.mkdir(parents=True, exist_ok=True)
    ignored = BUILD / "ignored"
    ignored.write_text(IGNORED)
    flags = f"{os.environ.get('CFLAGS', '')} -DNDEBUG -fsanitize-ignorelist={ignored}".strip()
    subprocess.run(
        [sys.executable, *command],
        cwd=REPOSITORY,
        env={**os.environ, "CC": compiler, "CFLAGS": flags, "FASTBLEU_SANITIZE": "fuzzer"},
        check=True,
    )
    stamp.write_text(digest.hexdigest())


def check_of(door: str) -> Callable[[bytes], object]:
    """Return the check of a door: it takes any bytes, and raises where fastbleu is wrong.

    Raises:
        ImportError: It needs a package that is not installed.
    """
    from hypothesis import given, strategies

    module, _, name = DOORS[door].partition(":")
    check = getattr(import_module(f"tests.{module}"), name)
    if not hasattr(check, "hypothesis"):
        check = given(strategies.randoms(use_true_random=False))(check)
    found: Callable[[bytes], object] = check.hypothesis.fuzz_one_input
    return found


def target(door: str) -> None:
    """Run one door under Atheris, with libFuzzer's options in `sys.argv`."""
    import atheris

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    # The Python half of the package tells which branches run, too.
    with atheris.instrument_imports(include=["fastbleu"], enable_loader_override=False):
        check = check_of(door)
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


def run(door: str, *arguments: str | Path) -> int:
    """Runs libFuzzer on a door; its exit status."""
    environment = {
        **os.environ,
        "LD_PRELOAD": str(preloaded()),
        "PYTHONPATH": os.pathsep.join([str(BUILD / "lib"), str(REPOSITORY)]),
        # Python's own allocator would hide overruns from the sanitizer.
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=64",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    command = [sys.executable, "-c", f"from tools.fuzz import target; target({door!r})", *map(str, arguments)]
    limits = [f"-rss_limit_mb={MEGABYTES}", f"-timeout={SECONDS_PER_INPUT}", f"-max_len={LONGEST_INPUT}"]
    return subprocess.run([*command, *limits], cwd=REPOSITORY, env=environment, check=False).returncode


def fuzz(door: str, minutes: float) -> bool:
    """Fuzzes a door; whether nothing was found."""
    findings, corpus = BUILD / "findings" / door, BUILD / "corpus" / door
    for folder in (findings, corpus):
        folder.mkdir(parents=True, exist_ok=True)
    if not any(corpus.iterdir()):
        random = Random(door)
        for i in range(100):
            (corpus / f"random{i}").write_bytes(
                random.randbytes(random.choice((8, 100, 1000, LONGEST_INPUT)))
            )
    before = set(findings.iterdir())
    status = run(
        door,
        f"-max_total_time={max(1, round(60 * minutes))}",
        f"-artifact_prefix={findings}/",
        "-len_control=0",
        "-print_final_stats=1",
        corpus,
    )
    if not status:
        print(f"{door}: nothing found", flush=True)
        return True
    found = sorted(set(findings.iterdir()) - before)
    print(f"\n{door}: libFuzzer ended with status {status}")
    if not found:
        print(
            "It wrote no input: it did not start, or was ended from outside. What it said stands above.",
            flush=True,
        )
        return False
    for path in found:
        print(f"    repeat it with: python tools/fuzz.py {door} --input {path.relative_to(REPOSITORY)}")
    print(
        "The report stands above: an error of Python where a result differs, or one of the sanitizers.\n"
        "Mend it, and write a test of its own, or an @example of the test that the door names.",
        flush=True,
    )
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "door", nargs="?", choices=[*DOORS, "all"], metavar="DOOR", help=", ".join([*DOORS, "or all"])
    )
    parser.add_argument("--list", action="store_true", help="print the names of the doors")
    parser.add_argument("--minutes", type=float, default=10, help="of each door")
    parser.add_argument("--input", type=Path, help="check this input alone")
    options = parser.parse_args()
    if options.list:
        print(*DOORS, sep="\n")
        return
    if options.door is None:
        parser.error("name a door, or all")
    if options.minutes <= 0:
        parser.error(f"argument --minutes: must be above 0, not {options.minutes}")
    if options.input is not None and not options.input.is_file():
        parser.error(f"argument --input: {options.input} is not a file")
    build()
    doors = DOORS if options.door == "all" else [options.door]
    if options.input is not None:
        statuses = [run(door, options.input.resolve()) for door in doors]
        raise SystemExit(int(any(statuses)))
    # All of them, also after one with a finding.
    results = [fuzz(door, options.minutes) for door in doors]
    raise SystemExit(int(not all(results)))


if __name__ == "__main__":
    main()
