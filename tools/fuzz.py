"""Fuzz one target, or all, under AddressSanitizer and UndefinedBehaviorSanitizer.

    python tools/fuzz.py --list
    python tools/fuzz.py text --minutes 10
    python tools/fuzz.py all --minutes 10
    python tools/fuzz.py text --input build/fuzz/findings/text/crash-...

A target is a test that takes its values from Hypothesis. libFuzzer mutates the bytes from which they are generated.

Needs clang and its runtime (`apt install clang libclang-rt-dev`), Atheris (`pip install atheris`), Cython, setuptools
and the extras `test` and `parity`. First builds the package into `build/fuzz` if its sources have changed. Inputs that
fail are written to `build/fuzz/findings/TARGET`, and the exit status is then 1; it is 2 if a requirement is missing.
Inputs that reach new code are kept in `build/fuzz/corpus/TARGET`.
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
#: The test of each target: a Hypothesis test, or a function that takes a random generator.
TARGETS = {
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
LONGEST_INPUT = 4096  # In bytes.
SECONDS_PER_INPUT = 60
MEGABYTES = 4096


def stop(message: str) -> NoReturn:
    """Print a message and exit with status 2."""
    print(f"fuzz.py: {message}", file=sys.stderr)
    raise SystemExit(2)


def preloaded() -> Path:
    """Return the path of Atheris' shared library with AddressSanitizer and libFuzzer."""
    atheris = find_spec("atheris")
    if atheris is None or atheris.origin is None:
        stop("Atheris is missing: pip install atheris")
    path = Path(atheris.origin).parents[1] / "asan_with_fuzzer.so"
    if not path.exists():
        stop(f"{path} is missing: this release of Atheris has no AddressSanitizer")
    return path


def build() -> None:
    """Build the package for libFuzzer, unless it was already built from these sources."""
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


def check_of(target: str) -> Callable[[bytes], object]:
    """Return the function that checks any bytes as an input of a target, and raises if fastbleu is wrong.

    Raises:
        ImportError: The target needs a package that is not installed.
    """
    from hypothesis import given, strategies

    module, _, name = TARGETS[target].partition(":")
    check = getattr(import_module(f"tests.{module}"), name)
    if not hasattr(check, "hypothesis"):
        check = given(strategies.randoms(use_true_random=False))(check)
    check_bytes: Callable[[bytes], object] = check.hypothesis.fuzz_one_input
    return check_bytes


def fuzz_here(target: str) -> None:
    """Fuzz one target under Atheris, with libFuzzer's options in `sys.argv`."""
    import atheris

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    # Measure the branch coverage of the package's Python code as well.
    with atheris.instrument_imports(include=["fastbleu"], enable_loader_override=False):
        check = check_of(target)
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


def run(target: str, *arguments: str | Path) -> int:
    """Run libFuzzer on a target in a process of its own, and return its exit status."""
    environment = {
        **os.environ,
        "LD_PRELOAD": str(preloaded()),
        "PYTHONPATH": os.pathsep.join([str(BUILD / "lib"), str(REPOSITORY)]),
        # Python's own allocator would hide overruns from the sanitizer.
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=64",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    program = f"from tools.fuzz import fuzz_here; fuzz_here({target!r})"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    limits = [f"-rss_limit_mb={MEGABYTES}", f"-timeout={SECONDS_PER_INPUT}", f"-max_len={LONGEST_INPUT}"]
    return subprocess.run([*command, *limits], cwd=REPOSITORY, env=environment, check=False).returncode


def fuzz(target: str, minutes: float) -> bool:
    """Fuzz a target, and return whether no failure was found."""
    findings, corpus = BUILD / "findings" / target, BUILD / "corpus" / target
    for folder in (findings, corpus):
        folder.mkdir(parents=True, exist_ok=True)
    if not any(corpus.iterdir()):
        random = Random(target)
        for i in range(100):
            (corpus / f"random{i}").write_bytes(
                random.randbytes(random.choice((8, 100, 1000, LONGEST_INPUT)))
            )
    before = set(findings.iterdir())
    status = run(
        target,
        f"-max_total_time={max(1, round(60 * minutes))}",
        f"-artifact_prefix={findings}/",
        "-len_control=0",
        "-print_final_stats=1",
        corpus,
    )
    if not status:
        print(f"{target}: no failure found", flush=True)
        return True
    failing = sorted(set(findings.iterdir()) - before)
    print(f"\n{target}: libFuzzer ended with status {status}")
    if not failing:
        print("It wrote no failing input: it did not start, or was killed. See its output above.", flush=True)
        return False
    for path in failing:
        print(f"    reproduce: python tools/fuzz.py {target} --input {path.relative_to(REPOSITORY)}")
    print(
        "See the report above: a Python exception if a result differs, or a sanitizer's error.\n"
        "Fix the cause, and add a test, or an @example to the test of the target.",
        flush=True,
    )
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "target", nargs="?", choices=[*TARGETS, "all"], metavar="TARGET", help=", ".join([*TARGETS, "or all"])
    )
    parser.add_argument("--list", action="store_true", help="print the names of the targets")
    parser.add_argument("--minutes", type=float, default=10, help="time per target (10)")
    parser.add_argument("--input", type=Path, help="check only this input")
    options = parser.parse_args()
    if options.list:
        print(*TARGETS, sep="\n")
        return
    if options.target is None:
        parser.error("name a target, or all")
    if options.minutes <= 0:
        parser.error(f"argument --minutes: must be above 0, not {options.minutes}")
    if options.input is not None and not options.input.is_file():
        parser.error(f"argument --input: {options.input} is not a file")
    build()
    targets = TARGETS if options.target == "all" else [options.target]
    if options.input is not None:
        statuses = [run(target, options.input.resolve()) for target in targets]
        raise SystemExit(int(any(statuses)))
    # Fuzz the remaining targets even if one fails.
    results = [fuzz(target, options.minutes) for target in targets]
    raise SystemExit(int(not all(results)))


if __name__ == "__main__":
    main()
