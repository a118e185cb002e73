"""Each header by itself, as strictly as compilers can: C11, no warning, and no GNU extension where Microsoft compiles.

What Microsoft's compiler lacks is forbidden by name (`#pragma GCC poison`) once the system's headers have been read.
FB_MSVC makes compiler.h take the definitions for that compiler.
"""

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.support.modules import PACKAGE

pytestmark = pytest.mark.unsanitized  # nothing runs here but compilers

#: A header without a guard is a part of another one, which includes it several times.
HEADERS = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.h")
    if "#ifndef FASTBLEU_" in path.read_text(encoding="utf-8")
)
STUBS = Path(__file__).parent / "msvc"  # intrin.h for compilers that are not Microsoft's

STRICT = ["-std=c11", "-pedantic-errors", "-Wall", "-Wextra", "-Wconversion"]
STRICT += ["-Wno-sign-conversion", "-Wno-unused-function", "-Werror"]
# Microsoft's compiler takes all intrinsics everywhere; gcc takes those that are switched on.
WIDEST = [f"-m{name}" for name in ("avx2", "bmi", "bmi2", "popcnt", "xsave")]
WIDEST += [f"-mavx512{name}" for name in ("f", "bw", "vl", "vbmi", "vbmi2")]
AS_MICROSOFT = ["-DFB_MSVC=1", f"-I{STUBS}", "-Wno-inline"]

# How each header is compiled: the compiler, and its options.
WAYS: dict[str, tuple[str, list[str]]] = {
    "gcc": ("gcc", STRICT),
    "clang": ("clang", STRICT),
    "gcc on ARM": ("aarch64-linux-gnu-gcc", STRICT),
    # 32 bits of long, as on all Windows.
    "mingw": ("x86_64-w64-mingw32-gcc", STRICT),
    "as Microsoft's": ("gcc", [*STRICT, *AS_MICROSOFT, *WIDEST]),
    "as Microsoft's on ARM": ("aarch64-linux-gnu-gcc", [*STRICT, *AS_MICROSOFT]),
    # mingw has an <intrin.h> of its own, with Microsoft's prototypes.
    "as Microsoft's with mingw": ("x86_64-w64-mingw32-gcc", [*STRICT, *AS_MICROSOFT, *WIDEST]),
}

# Compilers for other systems, and clang, are for each night.
CASES = [
    pytest.param(way, id=way, marks=[] if compiler == "gcc" else [pytest.mark.nightly])
    for way, (compiler, _) in WAYS.items()
]

# What C11 or Microsoft's library lacks, whatever else the compiler takes. Keywords of GNU C that end on two underscores
# have a form without them, which -pedantic refuses.
GNU_ONLY = (
    "__attribute__", "__attribute", "__extension__", "__asm__", "__int128", "__typeof__", "typeof", "__auto_type",
    "__label__", "__alignof__", "__restrict__", "__inline__", "__builtin_expect", "__builtin_prefetch",
    "__builtin_ctz", "__builtin_ctzl", "__builtin_ctzll", "__builtin_clz", "__builtin_clzl", "__builtin_clzll",
    "__builtin_popcount", "__builtin_popcountl", "__builtin_popcountll", "__builtin_bswap16", "__builtin_bswap32",
    "__builtin_bswap64", "__builtin_cpu_init", "__builtin_cpu_supports", "__builtin_unreachable",
    "__builtin_assume_aligned", "__builtin_constant_p", "__builtin_add_overflow", "__builtin_mul_overflow",
    "__builtin_memcpy", "__builtin_types_compatible_p", "__sync_synchronize", "__atomic_load_n", "__atomic_store_n",
    "ssize_t", "posix_memalign", "aligned_alloc", "memalign", "alloca", "strndup", "getrandom", "_Complex",
)  # fmt: skip
SYSTEM = ("intrin.h", "immintrin.h", "math.h", "stddef.h", "stdint.h", "stdlib.h", "string.h")
SYSTEM_ON_ARM = ("intrin.h", "arm_neon.h", "math.h", "stddef.h", "stdint.h", "stdlib.h", "string.h")


def needs_python(header: str) -> bool:
    text = (PACKAGE / header).read_text(encoding="utf-8")
    inner = re.findall(r'#include "([^"]+)"', text)
    return "<Python.h>" in text or any(needs_python(each) for each in inner)


def messages(folder: Path, way: str, code: str, *arguments: str) -> str:
    compiler, options = WAYS[way]
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    source = folder / "alone.c"
    source.write_text(code, encoding="utf-8")
    command = [compiler, *options, *arguments, f"-I{PACKAGE}", "-fsyntax-only", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def of_header(folder: Path, way: str, header: str, before: str = "") -> str:
    arguments: list[str] = []
    if needs_python(header):
        python = Path(sysconfig.get_path("include"))
        if "mingw" in way or not (python / "Python.h").exists():
            pytest.skip("needs Python's headers for that system")
        arguments = ["-isystem", str(python)]
        before = f"#include <Python.h>\n{before}"
    # Twice, for the guard; a file in C has to declare something.
    code = f'{before}#include "{header}"\n#include "{header}"\nextern int alone;\n'
    return messages(folder, way, code, *arguments)


@pytest.mark.slow
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("way", CASES)
def test_each_header_compiles_alone(tmp_path: Path, way: str, header: str) -> None:
    assert of_header(tmp_path, way, header) == ""


def forbidding(way: str) -> str:
    includes = SYSTEM_ON_ARM if "ARM" in way else SYSTEM
    return (
        "".join(f"#include <{name}>\n" for name in includes)
        + f"#undef alloca\n#pragma GCC poison {' '.join(GNU_ONLY)}\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("way", [case for case in CASES if "Microsoft" in str(case.id)])
def test_microsoft_reads_no_extension_of_gnu(tmp_path: Path, way: str, header: str) -> None:
    if needs_python(header):
        pytest.skip("includes the headers of this system's Python")
    assert of_header(tmp_path, way, header, forbidding(way)) == ""


each_source = pytest.mark.parametrize(
    "path",
    sorted(path for suffix in ("h", "pyx", "pxd") for path in PACKAGE.rglob(f"*.{suffix}")),
    ids=lambda path: path.name,
)

# Files beside compiler.h that may ask for the compiler, and what for.
ASKS_FOR_THE_COMPILER = {
    "_native/atomics.h",
    "_native/bits.h",
    "_native/compiler.h",
    "_native/cpu_level.h",
    "_native/hashing.h",
}


@each_source
def test_extensions_are_used_in_one_file(path: Path) -> None:
    """No other file names an extension or a compiler: each uses the names of compiler.h and bits.h."""
    name = path.relative_to(PACKAGE).as_posix()
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = set(re.findall(r"\b(__\w+|_MSC_VER|typeof|alloca|posix_memalign|aligned_alloc)\b", text))
    found &= {*GNU_ONLY, "_MSC_VER", "__GNUC__", "__clang__"}
    assert not found or name in ASKS_FOR_THE_COMPILER, found


@each_source
def test_no_count_is_a_long(path: Path) -> None:
    """`long` has 32 bits on Windows."""
    declared = re.findall(
        r"(?:cdef |<|, |\(|const |unsigned )long(?=[ *>])(?! long)", path.read_text(encoding="utf-8")
    )
    assert path.name == "bits.h" or not declared, declared  # where _BitScanForward64 writes one
