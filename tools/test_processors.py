"""Runs the tests of the kernels on an emulated processor of another kind, on a Linux machine.

    python tools/test_processors.py aarch64 [--folder FOLDER] [PYTEST ARGUMENTS]
    python tools/test_processors.py s390x   # has the highest byte of a number first

It needs Debian or Ubuntu, network, and `apt install gcc-aarch64-linux-gnu gcc-s390x-linux-gnu qemu-user-static`; not
root, and no support by the kernel for foreign binaries. FOLDER gets, each once: Debian's Python for that processor,
unpacked; NumPy, pytest and, where they have wheels, sacreBLEU and regex; and fastbleu, compiled by the cross compiler,
anew where sources have changed. The environment that runs this needs Cython, setuptools and pip. ccache is used if it
is there.

Then it looks for contracted floating-point operations in the compiled modules, and runs the tests under qemu.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "src" / "fastbleu"
DEBIAN = ("python3", "libpython3-dev", "libstdc++6")
# Where apt keeps what it knows of that processor, apart from this system's.
APT_FOLDERS = ("lists/partial", "archives/partial", "state")
# These call `fma` themselves, to know the rounding error of a product.
CALL_FMA = {"_expected_scores.so", "_score.so"}

# Kernels, and that scores are the same floats.
KERNELS = (
    "tests/_native/test_vectors.py",
    "tests/tokenizers/test_tokenize.py",
    "tests/counting",
    "tests/inputs/test_column.py",
    "tests/inputs/test_ids.py",
    "tests/inputs/test_id_options.py",
    "tests/inputs/test_lines.py",
    "tests/inputs/test_tokens.py",
    "tests/scoring",
    "tests/rerank/test_pair_scores.py",
    "tests/rerank/test_aggregate.py",
)
# All that reads numbers byte by byte, or saves them.
BYTES = ("tests/inputs", "tests/metric", "tests/test_saved_states.py")


@dataclass(frozen=True)
class Processor:
    """A kind of processor: how Debian, pip and the disassembler know it, and what is tested on it."""

    debian: str
    contracted: str
    tests: tuple[str, ...]
    platforms: tuple[str, ...]
    # Whether NumPy has wheels for it; otherwise it is Debian's.
    wheels: bool


PROCESSORS = {
    "aarch64": Processor(
        debian="arm64",
        contracted=r"\tf(?:n?m(?:add|sub)|mla|mls)\t",
        tests=KERNELS,
        platforms=("manylinux2014_aarch64", "manylinux_2_28_aarch64"),
        wheels=True,
    ),
    "s390x": Processor(
        debian="s390x",
        contracted=r"\t(?:m[as][de]br?|[vw]fn?m[as](?:db|sb)?)\t",
        tests=tuple(
            dict.fromkeys(each for each in (*KERNELS, *BYTES) if not each.startswith("tests/inputs/"))
        ),
        platforms=("manylinux2014_s390x", "manylinux_2_28_s390x"),
        wheels=False,
    ),
}
# Takes more than half a minute on an emulated processor.
LEFT_OUT = (
    "test_nothing_is_imported_for_lists_and_arrays",  # starts a program, which the emulator does not
    "test_lengths_around_machine_words",
    "test_parts_of_parts",
    "test_references_of_very_different_lengths",
    "test_segments_may_have_any_number_of_references",
)


def run(command: Sequence[str | Path], **settings: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command of this program; unless `check` is False, a failure ends it."""
    settings = {"check": True, "text": True, **settings}
    return subprocess.run(command, **settings)  # noqa: PLW1510 - checked unless the caller says otherwise


def unpack_python(folder: Path, processor: Processor) -> Path:
    """Debian's Python for that processor and what it needs: downloaded by apt, unpacked, not installed."""
    root, apt = folder / "root", folder / "apt"
    if not (root / "usr/bin/python3").exists():
        for name in APT_FOLDERS:
            (apt / name).mkdir(parents=True, exist_ok=True)
        (apt / "state/status").touch()
        release = re.search(r"VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(encoding="utf-8"))
        debian = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian"
        (apt / "sources.list").write_text(f"deb {debian} {release[1] if release else 'stable'} main\n")
        options = {
            "APT::Architecture": processor.debian,
            "APT::Architectures": processor.debian,
            "APT::Sandbox::User": "",
            "Dir::State": apt / "state",
            "Dir::State::status": apt / "state/status",
            "Dir::State::lists": apt / "lists",
            "Dir::Cache": apt,
            "Dir::Etc::sourcelist": apt / "sources.list",
            **{
                f"Dir::Etc::{each}": apt / "none"
                for each in ("sourceparts", "preferences", "preferencesparts")
            },
        }
        (apt / "none").mkdir(exist_ok=True)
        command = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
        run([*command, "update"])
        wanted = ["install", "--yes", "--no-install-recommends", "--download-only", *DEBIAN]
        if not processor.wheels:
            wanted.append("python3-numpy")
        run([*command, *wanted])
        for package in sorted((apt / "archives").glob("*.deb")):
            run(["dpkg-deb", "-x", package, root])
    return root


def install_wheels(folder: Path, version: str, processor: Processor) -> Path:
    """Install what users of that processor install, and what the tests need."""
    site = folder / "site"
    if not (site / "pytest").exists():
        project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
        pins = {
            name: re.search(rf'"({name}[^;"]+)(?:;[^"]*)?"', project)
            for name in ("numpy", "sacrebleu==", "regex==")
        }
        packages = [found[1].strip() for found in pins.values() if found] if processor.wheels else []
        kind = [f"--platform={platform}" for platform in processor.platforms]
        kind += ["--implementation=cp", f"--python-version={version}", "--only-binary=:all:"]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(site), *kind]
        run([*command, *packages, "hypothesis>=6.100", "pytest>=8.2,<10"])
    return site


def compile_package(folder: Path, root: Path, version: str, machine: str) -> Path:
    """The package as `setup.py` builds it, by the cross compiler, with that system's headers."""
    build, library = folder / "build", folder / "lib"
    ccache = ["ccache"] if shutil.which("ccache") else []
    include = f"--sysroot={root} -I{root}/usr/include/python{version}"
    environment = {
        **os.environ,
        "CC": " ".join([*ccache, f"{machine}-gcc"]),
        "LDSHARED": f"{machine}-gcc -shared --sysroot={root}",
        "CFLAGS": include,
        "SETUPTOOLS_EXT_SUFFIX": ".so",
    }
    command: list[str | Path] = [
        sys.executable,
        "setup.py",
        "-q",
        "build",
        "--build-base",
        build,
        "--build-lib",
        library,
    ]
    run(command, cwd=REPOSITORY, env=environment)
    vectors = f"-std=c11 -O2 -ffp-contract=off -shared -fPIC -I{PACKAGE} --sysroot={root}".split()
    source = REPOSITORY / "tests/_native/vectors.c"
    run([f"{machine}-gcc", *vectors, source, "-o", folder / "vectors.so"])
    return library


def check_contraction(library: Path, machine: str, contracted: str) -> None:
    """Fails where the compiler made one operation of a product and a sum: scores would be other floats."""
    for module in sorted(library.rglob("*.so")):
        if module.name not in CALL_FMA:
            disassemble = [f"{machine}-objdump", "-d", "--no-show-raw-insn", str(module)]
            text = run(disassemble, capture_output=True).stdout
            if found := re.search(contracted, text):
                raise SystemExit(f"{module.name} contracts floating-point operations: {found[0].strip()}")


def main() -> int:
    """Makes what is missing, then runs pytest."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("processor", choices=PROCESSORS)
    parser.add_argument("--folder", type=Path, help="where all is kept (default: build/PROCESSOR)")
    arguments, pytest = parser.parse_known_args()
    name: str = arguments.processor
    processor, machine = PROCESSORS[name], f"{name}-linux-gnu"
    emulator = shutil.which(f"qemu-{name}-static") or shutil.which(f"qemu-{name}")
    if emulator is None or shutil.which(f"{machine}-gcc") is None:
        packages = f"qemu-user-static gcc-{machine} libc6-dev-{processor.debian}-cross"
        raise SystemExit(f"needs an emulator and a compiler: apt install {packages}")
    folder: Path = (arguments.folder or REPOSITORY / "build" / name).resolve()
    root = unpack_python(folder, processor)
    python = root / "usr/bin" / (root / "usr/bin/python3").readlink()
    version = python.name.removeprefix("python")
    site = install_wheels(folder, version, processor)
    library = compile_package(folder, root, version, machine)
    check_contraction(library, machine, processor.contracted)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{library}:{site}:{root}/usr/lib/python3/dist-packages",
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "FASTBLEU_VECTORS": str(folder / "vectors.so"),
    }
    # What Debian's scripts would link into the folder of libraries.
    libraries = ":".join(f"{root}/usr/lib/{machine}/{each}" for each in ("blas", "lapack"))
    emulated = [emulator, "-L", str(root), "-E", f"LD_LIBRARY_PATH={libraries}", str(python)]
    emulated += ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    usual = ["-m", "fast", "-k", f"not ({' or '.join(LEFT_OUT)})", *processor.tests]
    return run([*emulated, *(pytest or usual)], cwd=REPOSITORY, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
