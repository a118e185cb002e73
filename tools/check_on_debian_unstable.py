"""Build the wheel and run the fast tests on the newest releases of CPython, in a system of Debian unstable.

    python tools/check_on_debian_unstable.py /var/tmp/unstable
    python tools/check_on_debian_unstable.py /var/tmp/unstable --versions 3.15 -- -m "not slow" tests/counting

Debian unstable has new releases of CPython, gcc and the C library months before others, release candidates included.
The folder gets a whole small system (a chroot, one gigabyte). The first call makes it in five minutes; a later call
brings its packages up to date. Each interpreter builds the wheel from the source distribution, installs it with the
tests' requirements in a fresh environment, and runs pytest with the arguments after `--`, `-m fast tests` by default.

Needs root, and on Debian or Ubuntu the packages

    ca-certificates debian-archive-keyring debootstrap mount util-linux

debootstrap verifies what it fetches by Debian's signature. A mirror that stands still, as those of snapshot.debian.org,
needs `--mirror ADDRESS --expired`: its index is older than its signature allows. In the new system pip uses the
variables `PIP_*`, and the certificates that this machine trusts. What the command mounts ends with it. The Python that
runs this needs the package `build`.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

#: In Debian unstable, from the oldest on.
VERSIONS = ("3.14", "3.15")
MIRROR = "http://deb.debian.org/debian"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
#: Run in the new system, with private mounts that go with the process: what multiprocessing and clocks need.
ENTER = """
mount --bind "$0" "$0"
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
exec chroot "$0" "$@"
"""


def run(command: list[str | Path], folder: Path | None = None) -> None:
    """Runs a command of this machine, and ends the program where it fails."""
    result = subprocess.run(command, cwd=folder, check=False)
    if result.returncode:
        raise SystemExit(f"this command failed with {result.returncode}: {' '.join(map(str, command))}")


def run_inside(system: Path, script: str, **environment: str) -> int:
    """Runs a shell script in the new system; returns its exit status."""
    variables = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    # The wheels of this machine are not there.
    variables.pop("PIP_FIND_LINKS", None)
    variables |= {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"} | environment
    command = [
        "unshare",
        "--mount",
        "bash",
        "-euc",
        ENTER,
        str(system),
        "bash",
        "-euo",
        "pipefail",
        "-c",
        script,
    ]
    return subprocess.run(command, env=variables, check=False).returncode


def make_system(system: Path, versions: list[str], mirror: str, expired: bool) -> None:
    """Makes the system, or brings it up to date."""
    if not (system / "etc/debian_version").exists():
        run(
            [
                "debootstrap",
                "--variant=minbase",
                "--include=ca-certificates,gcc,libc6-dev",
                "sid",
                system,
                mirror,
            ]
        )
    for name in ("resolv.conf", "hosts"):
        if Path("/etc", name).exists():
            shutil.copy(f"/etc/{name}", system / "etc" / name)
    shutil.copy(CERTIFICATES, system / "etc/certificates-of-the-host.crt")
    packages = " ".join(f"python{version}-dev python{version}-venv" for version in versions)
    script = f"""
        export DEBIAN_FRONTEND=noninteractive
        echo 'Acquire::Check-Valid-Until "{str(not expired).lower()}";' >/etc/apt/apt.conf.d/90expired
        apt-get -qq update
        apt-get -qq --yes --no-install-recommends upgrade >/var/log/upgrade.log
        apt-get -qq --yes --no-install-recommends install {packages} >/var/log/install.log 2>&1
    """
    if run_inside(system, script):
        raise SystemExit("the packages of Debian unstable could not be installed")


def check(system: Path, version: str, arguments: list[str]) -> int:
    """Builds, installs and tests with one interpreter; returns the exit status."""
    script = """
        cd /srv/fastbleu
        environment=$(mktemp -d)
        trap 'rm -rf "$environment"' EXIT
        "python$VERSION" --version
        "python$VERSION" -m venv "$environment"
        "$environment/bin/python" -m pip wheel --quiet --no-deps --wheel-dir "$environment/dist" .
        "$environment/bin/python" -m pip install --quiet "$(echo "$environment"/dist/*.whl)[test]"
        rm -rf build
        eval "set -- $ARGUMENTS"
        "$environment/bin/python" -m pytest -q -p no:cacheprovider "$@"
    """
    return run_inside(
        system,
        script,
        VERSION=version,
        ARGUMENTS=shlex.join(arguments),
        PIP_CERT="/etc/certificates-of-the-host.crt",
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        PIP_ROOT_USER_ACTION="ignore",
    )


def main() -> None:
    """Reads the command line, and checks one interpreter after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("system", type=Path, help="the folder of the system")
    parser.add_argument("--versions", nargs="+", choices=VERSIONS, default=list(VERSIONS), help="of CPython")
    parser.add_argument("--mirror", default=MIRROR, help="of Debian, for a new system (%(default)s)")
    parser.add_argument("--expired", action="store_true", help="accept an index that is older than it may be")
    parser.epilog = "The arguments after `--` go to pytest; without any, they are `-m fast tests`."
    # argparse refuses `--` after an option with several values, so the arguments after it are taken off first.
    ours, for_pytest = sys.argv[1:], ["-m", "fast", "tests"]
    if "--" in ours:
        at = ours.index("--")
        ours, for_pytest = ours[:at], ours[at + 1 :]
    arguments = parser.parse_args(ours)

    if os.geteuid():
        parser.error("this needs root: debootstrap and chroot do")
    for program, package in {"debootstrap": "debootstrap", "unshare": "util-linux", "mount": "mount"}.items():
        if shutil.which(program) is None:
            parser.error(f"{program} is missing: apt-get install {package}")
    system = arguments.system.resolve()
    make_system(system, arguments.versions, arguments.mirror, arguments.expired)

    with tempfile.TemporaryDirectory(prefix="source-") as name:
        source = Path(__file__).resolve().parent.parent
        build = [sys.executable, "-m", "build", "--sdist", "--outdir", name, str(source)]
        result = subprocess.run(build, capture_output=True, text=True, check=False)
        if result.returncode:
            raise SystemExit(f"{result.stdout}{result.stderr}the source distribution could not be built")
        (sdist,) = Path(name).glob("*.tar.gz")
        checkout = system / "srv/fastbleu"
        shutil.rmtree(checkout, ignore_errors=True)
        checkout.mkdir()
        run(["tar", "-xzf", sdist, "-C", checkout, "--strip-components=1"])

    failed = [version for version in arguments.versions if check(system, version, for_pytest)]
    if failed:
        raise SystemExit(f"failed on Python {', '.join(failed)}")


if __name__ == "__main__":
    main()
