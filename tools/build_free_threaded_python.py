r"""Build a CPython without the global interpreter lock from Debian's source package, into a folder of its own.

    python tools/build_free_threaded_python.py ~/python3.13t
    python tools/build_free_threaded_python.py ~/python3.13t-tsan --thread-sanitizer
    python tools/build_free_threaded_python.py ~/python3.14t --version 3.14 --suite unstable

It takes three minutes on two cores. Works on Debian 12 and later with the packages

    gcc libbz2-dev libc6-dev libffi-dev liblzma-dev libsqlite3-dev libssl-dev make xz-utils zlib1g-dev

and for ThreadSanitizer with clang and libclang-rt-dev. The source is the one that CPython released. apt fetches it,
and verifies its checksum by Debian's signature; apt's own configuration stays as it is. `CC="ccache gcc"` in the
environment makes the next build quicker.

The folder must be empty or missing. It gets the interpreter, without Python's own tests and byte code, and from
ThreadSanitizer's builds the list of races within CPython itself, as `suppressions.txt`. A second folder keeps what is
fetched for the next call: `--sources`.

Virtual environments of it are made as usual. With ThreadSanitizer every program is ten to twenty times slower, pip and
Cython too; so the ordinary free-threaded interpreter of the same version builds and installs for it. The modules of
both have the same names, as `_counter.cpython-313t-x86_64-linux-gnu.so`: they must not meet in one folder. In a
checkout of this repository, with the two interpreters above, and with the package `build` for `python`:

    python -m build --sdist --outdir ~/watched/dist
    ~/python3.13t/bin/python3 -m venv ~/watched/plain
    ~/python3.13t-tsan/bin/python3 -m venv --without-pip ~/watched/tsan
    FASTBLEU_DEBUG=1 CC=clang LDSHARED="clang -shared -fsanitize=thread" CFLAGS=-fsanitize=thread \
        ~/watched/plain/bin/python -m pip install --only-binary :all: \
        --target ~/watched/tsan/lib/python3.13t/site-packages ~/watched/dist/*.tar.gz hypothesis pytest
    cat ~/python3.13t-tsan/suppressions.txt tests/free_threads/suppressions.txt >~/watched/suppressions.txt
    TSAN_OPTIONS="suppressions=$HOME/watched/suppressions.txt history_size=7 exitcode=66" \
        ~/watched/tsan/bin/python -m pytest -v -p no:cacheprovider -p no:faulthandler --capture=sys tests/free_threads

`--only-binary` takes the newest releases of the requirements that have wheels for this version. Each race is
printed; the exit status is 66 if there was any.

Where it ends with "unexpected memory mapping", the kernel places memory more freely than this version of
ThreadSanitizer can take: `setarch -R` before the last command helps.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
MIRROR = "http://deb.debian.org/debian"
#: Debian's name of the release whose source package of that version is newest.
SUITES = {"3.13": "trixie", "3.14": "unstable", "3.15": "unstable"}


def run(command: list[str | Path], folder: Path, log: Path | None = None) -> None:
    """Runs one command; where it fails, prints what it wrote to its log, and ends the program."""
    shown = " ".join(map(str, command))
    if log is None:
        result = subprocess.run(command, cwd=folder, check=False)
    else:
        with log.open("w") as output:
            result = subprocess.run(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, check=False)
    if result.returncode:
        if log is not None:
            print(*log.read_text(errors="replace").splitlines()[-40:], sep="\n")
        raise SystemExit(f"this command failed with {result.returncode}: {shown}")


def fetch(version: str, suite: str, sources: Path) -> Path:
    """CPython's source, as the signed index of a Debian release names it; returns the archive."""
    package = f"python{version}"
    if not KEYRING.exists():
        raise SystemExit(f"{KEYRING} is missing: apt-get install debian-archive-keyring")
    state = sources / "apt"
    for name in ("lists/partial", "cache/archives/partial"):
        (state / name).mkdir(parents=True, exist_ok=True)
    (state / "sources.list").write_text(f"deb-src [signed-by={KEYRING}] {MIRROR} {suite} main\n")
    options = {
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": state / "lists",
        "Dir::Cache": state / "cache",
        "APT::Sandbox::User": "root",  # the folder of the caller may be closed to apt's own user
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
    }
    apt: list[str | Path] = ["apt-get", "-qq"]
    for name, value in options.items():
        apt += ["-o", f"{name}={value}"]
    run([*apt, "update"], sources)
    for archive in sources.glob(f"{package}_*.orig.tar.xz"):
        archive.unlink()  # apt would keep an old version beside the new one
    # Only the archive that CPython released: Debian's own patches move where packages are installed.
    run([*apt, "--download-only", "--tar-only", "source", package], sources)
    (archive,) = sources.glob(f"{package}_*.orig.tar.xz")
    return archive


def build(archive: Path, directory: Path, thread_sanitizer: bool, jobs: int) -> Path:
    """Configures, compiles and installs; returns the interpreter."""
    with tempfile.TemporaryDirectory(prefix="cpython-") as name:
        work = Path(name)
        run(["tar", "-xJf", archive, "--strip-components=1"], work)
        options = [f"--prefix={directory}", "--disable-gil", "--disable-test-modules", "--without-ensurepip"]
        if thread_sanitizer:
            options.append("--with-thread-sanitizer")
        compiler = os.environ.get("CC", "clang" if thread_sanitizer else "gcc")
        # -O1 compiles in half the time of -O2. ThreadSanitizer's reports name lines, which -g1 keeps.
        optimization = "-O1 -g1" if thread_sanitizer else "-O1 -g0"
        run(["./configure", *options, f"CC={compiler}", f"OPT={optimization}"], work, work / "configure.log")
        run(["make", f"-j{jobs}"], work, work / "make.log")
        # `-l`: the modules within packages are compiled to byte code when they are first imported.
        run(["make", f"-j{jobs}", "install", "COMPILEALL_OPTS=-l"], work, work / "install.log")
        if thread_sanitizer:
            suppressions = work / "Tools/tsan"
            lists = [suppressions / "suppressions_free_threading.txt", suppressions / "suppressions.txt"]
            present = [path for path in lists if path.exists()]
            if not present:
                raise SystemExit("this version of CPython brings no list of ThreadSanitizer's suppressions")
            shutil.copy(present[0], directory / "suppressions.txt")
    return directory / "bin/python3"


def main() -> None:
    """Reads the command line and builds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path, help="where the interpreter goes; empty or missing")
    parser.add_argument("--version", choices=sorted(SUITES), default="3.13", help="of CPython (%(default)s)")
    parser.add_argument("--suite", help="the release of Debian whose source package is built")
    parser.add_argument("--thread-sanitizer", action="store_true", help="build with ThreadSanitizer")
    parser.add_argument("--sources", type=Path, help="keep what is fetched here, and use it the next time")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="compilers at once (%(default)s)"
    )
    arguments = parser.parse_args()

    directory = arguments.directory.resolve()
    if directory.exists() and any(directory.iterdir()):
        parser.error(f"{directory} is not empty")
    with tempfile.TemporaryDirectory(prefix="cpython-source-") as name:
        sources = (arguments.sources or Path(name)).resolve()
        sources.mkdir(parents=True, exist_ok=True)
        archive = fetch(arguments.version, arguments.suite or SUITES[arguments.version], sources)
        print(f"building {archive.name}", flush=True)
        python = build(archive, directory, arguments.thread_sanitizer, arguments.jobs)
    # A module is left out of the build where the headers that it needs are missing.
    check = "import bz2, ctypes, lzma, sqlite3, ssl, sys, zlib; assert not sys._is_gil_enabled(); print(sys.version)"
    run([python, "-c", check], directory)
    print(python)


if __name__ == "__main__":
    main()
