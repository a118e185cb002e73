"""Build the compiled modules; everything else about the package is in pyproject.toml."""

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

# FASTBLEU_SANITIZE=1 builds with bounds checks and with the address and undefined behaviour sanitizers of gcc or clang.
# FASTBLEU_SANITIZE=fuzzer, for clang only, also instruments branches for a fuzzer (see tools/fuzz.py).
SANITIZE = os.environ.get("FASTBLEU_SANITIZE", "") not in ("", "0")
FUZZER = os.environ.get("FASTBLEU_SANITIZE", "") == "fuzzer"
SANITIZERS = [f"-fsanitize=address,undefined{',fuzzer-no-link' * FUZZER}", "-fno-sanitize-recover=undefined"]
# FASTBLEU_DEBUG=1 keeps debugging symbols, for perf, gdb and valgrind. They triple the size of the installed package.
DEBUG = SANITIZE or os.environ.get("FASTBLEU_DEBUG", "") not in ("", "0")

WINDOWS = sys.platform == "win32"
LINUX = sys.platform == "linux"
JOBS = os.cpu_count() or 1

# Modules whose loops take time are compiled for speed. All others mostly call Python, and are compiled for size.
LOOPS = {
    "_aggregate_scores",
    "_expected_scores",
    "_hypothesis_scores",
    "_match_long_references",
    "_numbering",
    "_pair_index",
    "_pool_ngrams",
    "_reference_length",
    "_score_by_length",
    "_match_short_references",
    "_match_one_short",
    "_text",
    "_calls",
    "_distinct_ngrams",
    "_characters",
    "_tokenize",
    "_tokens",
    "_program_changes",
    "_workspace",
}
# Such modules with much other code are compiled for speed as well, but with less inlining of short functions.
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
    # a * b + c must not be contracted into one operation: scores must be the same floats on every processor.
    compile_arguments, link_arguments = ["-ffp-contract=off"], []
    if SANITIZE:
        # Python's own flags make signed integers wrap, which would hide their overflows.
        compile_arguments += ["-O1", *SANITIZERS, "-fno-wrapv", "-fno-omit-frame-pointer"]
        link_arguments += SANITIZERS
    if DEBUG:
        compile_arguments += ["-g"]
    else:
        # Without tables for debuggers and names of static functions, a wheel is an eighth smaller.
        compile_arguments += ["-g0", "-fno-asynchronous-unwind-tables"]
        link_arguments += ["-Wl,-x" if sys.platform == "darwin" else "-Wl,--strip-all"]
    if LINUX:
        # Call functions of Python directly through a table of addresses, without a stub for each of them.
        compile_arguments += ["-fno-plt"]
        link_arguments += ["-Wl,--build-id=none", "-Wl,--hash-style=gnu", "-Wl,-z,noseparate-code"]
    # Do not generate the duplicates of code that make an object or check for an exception a few nanoseconds faster.
    compile_arguments += [
        "-fvisibility=hidden",
        "-DCYTHON_VECTORCALL_TPNEW=0",
        "-DCYTHON_FAST_THREAD_STATE=0",
    ]


class ParallelBuild(build_ext):
    """Compile the modules on all cores; without a compiler, say in one line what to install."""

    def finalize_options(self) -> None:
        """Build in parallel, and rebuild everything for sanitizers."""
        super().finalize_options()
        self.parallel = self.parallel or JOBS
        self.force = self.force or SANITIZE

    def build_extensions(self) -> None:
        """Check for a compiler, translate with Cython, which an sdist does not need, and compile."""
        # Microsoft's compiler has no `compiler_so`; setuptools finds it by itself.
        compiler = getattr(self.compiler, "compiler_so", None)
        if compiler and shutil.which(compiler[0]) is None:
            raise SystemExit(
                f"fastbleu needs a C compiler to build, and {compiler[0]!r} was not found: install gcc or clang "
                "(apt install build-essential, dnf install gcc, or xcode-select --install)"
            )
        before = {path: (path.read_bytes(), path.stat()) for path in Path(CYTHON["build_dir"]).rglob("*.c")}
        for extension, translated in zip(self.extensions, cythonize(self.extensions, **CYTHON), strict=True):
            extension.sources = translated.sources
        # If Cython is newer than the C code, it writes the same code again, which must not be compiled again.
        for path, (code, status) in before.items():
            if path.read_bytes() == code:
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        super().build_extensions()


class RepeatableSdist(sdist):
    """Pack the same bytes from the same files: in a fixed order, with the time of SOURCE_DATE_EPOCH, without owners."""

    def make_archive(self, base_name: str, format: str, *args: object, **kwargs: object) -> str:  # noqa: A002
        """Pack a .tar.gz reproducibly if SOURCE_DATE_EPOCH is set; leave everything else to setuptools."""
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
# Cython's helper functions are in one module that Cython writes, and not in each module. None of our modules uses typed
# memoryviews, which would be most of its code.
SHARED = "fastbleu._native._cython"
CYTHON = {
    "nthreads": 0 if WINDOWS else JOBS,
    # Each kind of build has its own directory, since the C code differs, and Cython compares only times.
    "build_dir": "build/fuzz/cython" if FUZZER else "build/sanitize" if SANITIZE else "build/cython",
    # A cache of translated C code, which is the same for every interpreter.
    "cache": os.environ.get("FASTBLEU_CYTHON_CACHE") or None,
    "shared_utility_qualified_name": SHARED,
    "shared_utility_features_disabled": ["MemoryView"],
    "compiler_directives": {
        "language_level": 3,
        "binding": True,
        "embedsignature": True,
        "embedsignature.format": "python",
        # This does not affect kernels, which work on pointers. It guards the caller's lists, which another thread may
        # shorten while they are read.
        "boundscheck": True,
        "wraparound": False,
        "initializedcheck": SANITIZE,
        "cdivision": True,
        # tests/free_threads tests this.
        "freethreading_compatible": True,
        # Compiled objects cannot be pickled without our own methods; Cython's would only raise the same error.
        "auto_pickle": False,
    },
}


def levels(module: str) -> list[str]:
    """Return the optimization flags of a module. -O3 makes most modules larger, and only the tokenizers faster."""
    if WINDOWS:
        return ["/O2" if module in LOOPS | LOOPS_AND_MORE else "/O1"]
    if module in {"_characters", "_tokenize"}:
        return ["-O3"]
    if module in LOOPS:
        # Align loops to cache lines. Otherwise a change elsewhere in a module can make a loop a fifth slower.
        return ["-O2", "-ftree-vectorize", *(["-falign-loops=64"] if LINUX else [])]
    if module in LOOPS_AND_MORE:
        # Only gcc has -finline-limit; clang prints a warning and ignores it.
        return ["-O2", "-ftree-vectorize", *(["-finline-limit=20"] if LINUX else [])]
    return ["-Os", "-include", (SOURCE / "fastbleu/_native/references_by_call.h").as_posix()]


def extension(source: Path) -> Extension:
    """Return the extension module of one source file."""
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
