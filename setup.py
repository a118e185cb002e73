"""The compiled modules; everything else about the package stands in pyproject.toml."""

import gzip
import os
import shutil
import sys
import tarfile
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

# FASTBLEU_SANITIZE=1 builds with bounds checks and with gcc's or clang's address and undefined behaviour sanitizers.
# FASTBLEU_SANITIZE=fuzzer, with clang only, also tells a fuzzer which branches run (see tools/fuzz.py).
SANITIZE = os.environ.get("FASTBLEU_SANITIZE", "") not in ("", "0")
FUZZER = os.environ.get("FASTBLEU_SANITIZE", "") == "fuzzer"
SANITIZERS = [f"-fsanitize=address,undefined{',fuzzer-no-link' * FUZZER}", "-fno-sanitize-recover=undefined"]
# FASTBLEU_DEBUG=1 keeps debugging symbols, for perf, gdb and valgrind. They triple the size of the installed package.
DEBUG = SANITIZE or os.environ.get("FASTBLEU_DEBUG", "") not in ("", "0")

WINDOWS = sys.platform == "win32"
LINUX = sys.platform == "linux"
JOBS = os.cpu_count() or 1

# Modules whose loops take time: compiled for speed. All others mostly call Python, and are compiled for size.
LOOPS = {
    "_expected_scores",
    "_hypothesis_scores",
    "_match_long",
    "_numbering",
    "_pair_index",
    "_pool_ngrams",
    "_score_by_length",
    "_match_short",
    "_match_one_short",
    "_text",
    "_calls",
    "_characters",
    "_tokenize",
    "_tokens",
    "_unchanged",
    "_workspace",
}
# Such modules with much other code: for speed, too, but short functions are not copied into each caller.
LOOPS_AND_MORE = {
    "_chrf_counter",
    "_formula",
    "_nltk_formula",
    "_ids",
    "_integers",
    "_pair_scores",
    "_shared_tables",
    "_self_bleu",
}

if WINDOWS:
    compile_arguments, link_arguments = ["/fp:precise"], []
else:
    # No contraction of a * b + c into one operation: scores must be the same floats on every processor.
    compile_arguments, link_arguments = ["-ffp-contract=off"], []
    if SANITIZE:
        # Python's own flags have signed integers wrap, so that no overflow of theirs would be found.
        compile_arguments += ["-O1", *SANITIZERS, "-fno-wrapv", "-fno-omit-frame-pointer"]
        link_arguments += SANITIZERS
    if DEBUG:
        compile_arguments += ["-g"]
    else:
        # Tables that only debuggers read, and the names of static functions: an eighth of a wheel.
        compile_arguments += ["-g0", "-fno-asynchronous-unwind-tables"]
        link_arguments += ["-Wl,-x" if sys.platform == "darwin" else "-Wl,--strip-all"]
    if LINUX:
        # Functions of Python are called through a table of addresses, without a detour for each of them.
        compile_arguments += ["-fno-plt"]
        link_arguments += ["-Wl,--build-id=none", "-Wl,--hash-style=gnu", "-Wl,-z,noseparate-code"]
    # Code that is there twice to make an object or to ask for an exception a few nanoseconds earlier.
    compile_arguments += [
        "-fvisibility=hidden",
        "-DCYTHON_VECTORCALL_TPNEW=0",
        "-DCYTHON_FAST_THREAD_STATE=0",
    ]


class ParallelBuild(build_ext):
    """Compiles the modules on all cores, and says in one line what to install where there is no compiler."""

    def finalize_options(self) -> None:
        """Builds in parallel, and anew under sanitizers."""
        super().finalize_options()
        self.parallel = self.parallel or JOBS
        self.force = self.force or SANITIZE

    def build_extensions(self) -> None:
        """Looks for the compiler first, and has Cython write the C code only here: an sdist needs none."""
        # Not there for Microsoft's compiler, which setuptools finds by itself.
        compiler = getattr(self.compiler, "compiler_so", None)
        if compiler and shutil.which(compiler[0]) is None:
            raise SystemExit(
                f"fastbleu needs a C compiler to build, and {compiler[0]!r} was not found: install gcc or clang "
                "(apt install build-essential, dnf install gcc, or xcode-select --install)"
            )
        before = {path: (path.read_bytes(), path.stat()) for path in Path(CYTHON["build_dir"]).rglob("*.c")}
        for extension, translated in zip(self.extensions, cythonize(self.extensions, **CYTHON), strict=True):
            extension.sources = translated.sources
        # Where Cython itself is newer than the C code, it writes the same again: that need not be compiled again.
        for path, (code, status) in before.items():
            if path.read_bytes() == code:
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        super().build_extensions()


class RepeatableSdist(sdist):
    """Packs the same bytes from the same files: in one order, with the time of SOURCE_DATE_EPOCH, no owners."""

    def make_archive(self, base_name: str, format: str, *args: object, **kwargs: object) -> str:  # noqa: A002
        """Packs a .tar.gz by itself where a time is given; all else as setuptools does."""
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        if epoch is None or format != "gztar":
            return super().make_archive(base_name, format, *args, **kwargs)

        def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
            info.mtime = int(epoch)
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
            return info

        archive = f"{base_name}.tar.gz"
        folder = Path(base_name).name
        with (
            open(archive, "wb") as file,
            gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=int(epoch)) as packed,
            tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as members,
        ):
            for path in sorted(Path(folder).rglob("*")):
                members.add(path, recursive=False, filter=plain)
        return archive


SOURCE = Path("src")
headers = [path.as_posix() for suffix in ("h", "pxd") for path in sorted(SOURCE.rglob(f"*.{suffix}"))]
# Cython's own functions stand once in a module that it writes, and not in each. None of ours takes a typed memory view,
# which would be most of it.
SHARED = "fastbleu._native._cython"
CYTHON = {
    "nthreads": 0 if WINDOWS else JOBS,
    # A directory for each kind of build: the C code differs, and Cython compares nothing but times.
    "build_dir": "build/fuzz/cython" if FUZZER else "build/sanitize" if SANITIZE else "build/cython",
    # A folder that keeps the C code of what was translated before: the same for every interpreter.
    "cache": os.environ.get("FASTBLEU_CYTHON_CACHE") or None,
    "shared_utility_qualified_name": SHARED,
    "shared_utility_features_disabled": ["MemoryView"],
    "compiler_directives": {
        "language_level": 3,
        "binding": True,
        "embedsignature": True,
        "embedsignature.format": "python",
        # Kernels work on pointers, which this leaves alone; it guards the caller's lists, which another thread may
        # shorten while they are read.
        "boundscheck": True,
        "wraparound": False,
        "initializedcheck": SANITIZE,
        "cdivision": True,
        # Earned by tests/free_threads.
        "freethreading_compatible": True,
        # Compiled objects refuse to be pickled, and Cython's own methods for it would only say so in more code.
        "auto_pickle": False,
    },
}


def levels(module: str) -> list[str]:
    """Return how much a module is optimized. -O3 makes most of them larger, and only the tokenizers faster."""
    if WINDOWS:
        return ["/O2" if module in LOOPS | LOOPS_AND_MORE else "/O1"]
    if module in {"_characters", "_tokenize"}:
        return ["-O3"]
    if module in LOOPS:
        # Loops begin at cache lines: otherwise a change elsewhere in a module makes one of them a fifth slower.
        return ["-O2", "-ftree-vectorize", *(["-falign-loops=64"] if LINUX else [])]
    if module in LOOPS_AND_MORE:
        # Only gcc has this limit; clang prints a warning and ignores it.
        return ["-O2", "-ftree-vectorize", *(["-finline-limit=20"] if LINUX else [])]
    return ["-Os", "-include", (SOURCE / "fastbleu/_native/references_by_call.h").as_posix()]


def extension(source: Path) -> Extension:
    """A compiled module of one file."""
    arguments = compile_arguments if SANITIZE else [*compile_arguments, *levels(source.stem)]
    return Extension(
        ".".join(source.relative_to(SOURCE).with_suffix("").parts),
        [source.as_posix()],
        include_dirs=[(SOURCE / "fastbleu").as_posix()],
        depends=headers,
        extra_compile_args=arguments,
        extra_link_args=link_arguments,
    )


setup(
    ext_modules=[
        *(extension(source) for source in sorted(SOURCE.rglob("_*.pyx"))),
        extension((SOURCE / SHARED.replace(".", "/")).with_suffix(".c")),
    ],
    cmdclass={"build_ext": ParallelBuild, "sdist": RepeatableSdist},
)
