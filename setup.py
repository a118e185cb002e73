"""The compiled modules; everything else about the package stands in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# FASTBLEU_SANITIZE=1 builds with bounds checks and with gcc's or clang's address and undefined behaviour sanitizers.
SANITIZE = os.environ.get("FASTBLEU_SANITIZE", "") not in ("", "0")
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

if SANITIZE:
    compile_arguments = [*SANITIZERS, "-fno-omit-frame-pointer", "-g", "-O1"]
elif sys.platform == "win32":
    compile_arguments = ["/O2"]
else:
    compile_arguments = ["-O3"]

PACKAGE = Path("src/fastbleu")
headers = [path.as_posix() for pattern in ("*.h", "*.pxd") for path in sorted(PACKAGE.glob(pattern))]
extensions = [
    Extension(
        f"fastbleu.{path.stem}",
        [path.as_posix()],
        include_dirs=[PACKAGE.as_posix()],
        depends=headers,
        extra_compile_args=compile_arguments,
        extra_link_args=SANITIZERS if SANITIZE else [],
    )
    for path in sorted(PACKAGE.glob("_*.pyx"))
]

setup(
    ext_modules=cythonize(
        extensions,
        # A directory for each kind of build: the C code differs, and Cython compares nothing but times.
        build_dir="build/sanitize" if SANITIZE else "build/cython",
        compiler_directives={
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
        },
    ),
    options={"build_ext": {"force": SANITIZE}},
)
