#!/usr/bin/env bash
# All that is too long for .ci/run: each night by the workflow "Nightly", and before a release.
#
#     tools/check_all.sh              # everything, some hours
#     tools/check_all.sh --list       # the names of the sections
#     tools/check_all.sh verl engines # some sections
#
# Each section has an environment of its own, and is a function below. What lacks its host (Debian, root, clang, Java) says so
# and is left out. The exit status is that of the first section that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec </dev/null
source .ci/functions.sh

SECTIONS=(long peers python3.12 oldest_numpy sanitized packages engines verl verifiers mbrs captions faults threads processors fuzzers)
if [[ ${1:-} == --list ]]; then
    printf '%s\n' "${SECTIONS[@]}"
    exit
fi

# Whole tests on 3.11 with every peer that fits into one environment, those marked `nightly` and ten times the examples included.
long() {
    environment long "$python"
    install long torch==2.13.0
    install long "$wheel[test,parity,train,frames,ja,ko,spm]"
    FASTBLEU_EXAMPLES=nightly run_tests long -n 2 -m "" tests docs README.md
}

# The newest releases of all peers: does any of them differ?
peers() { "$work/build/bin/python" -m pip install --quiet "packaging>=24"; "$work/build/bin/python" tools/check_peers.py --wheel "$wheel"; }

python3.12() {
    local other
    other=$(interpreter 3.12)
    [[ -n $other ]] || { echo "left out: there is no Python 3.12"; return; }
    wheel_of "$other" 3.12
    environment python3.12 "$other"
    install python3.12 "$(echo "$work"/repaired3.12/*.whl)[test,parity]"
    run_tests python3.12 -n 2 tests
}

# The oldest NumPy that pyproject.toml allows, as far as this Python has it. Before 2.0 a scalar of int64 does not widen an array.
oldest_numpy() {
    environment oldest_numpy "$python"
    install oldest_numpy "$wheel[test,report]" "numpy==1.23.2" "pandas<2.2"
    run_tests oldest_numpy -W "ignore:Creating an ndarray from ragged" tests
}

# Left out are tests of Python code over the same kernels, and those that fork beside threads or measure memory.
sanitized() {
    sanitized_environment
    sanitized_tests -m "not unsanitized" tests --ignore tests/cli --ignore tests/compare --ignore tests/compat --ignore tests/rewards \
        --ignore tests/patch --ignore tests/parity --ignore tests/docs --ignore tests/examples
}

# What pip has built in another folder has the same bytes.
packages() {
    environment packages "$python"
    install packages "$(echo "$work"/wheel/*.whl)[dev]"
    FASTBLEU_WHEEL=$(echo "$work"/wheel/*.whl) run_tests packages -m "" tests/test_packaging.py
}

engines() {
    debian java default-jre-headless
    environment engines "$python"
    install engines "$wheel[test,engines]"
    run_tests engines -m "" tests/engines tests/arrow tests/inputs
}

verl() {
    environment verl "$python"
    install verl torch==2.13.0
    install verl "$wheel[test,verl]" verl==0.9.1 "matplotlib>=3.8,<4"
    run_tests verl -m "" tests/parity/test_verl.py tests/examples/test_training.py::test_verl_with_its_ray_workers tests/rewards/test_verl.py
}

verifiers() {
    environment verifiers "$python"
    install verifiers "$wheel[test,verifiers]"
    run_tests verifiers -m "" tests/parity/test_reward_verifiers.py
}

mbrs() {
    environment mbrs "$python"
    install mbrs "$wheel[test,mbrs]"
    run_tests mbrs -m "" tests/parity/test_mbrs.py tests/parity/test_mbrs_plugin.py tests/compat/test_mbrs.py tests/patch/test_mbrs.py \
        tests/patch/test_changed.py
}

captions() {
    environment captions "$python"
    install captions "$wheel[test,captions]"
    run_tests captions -m "" tests/parity/test_pycocoevalcap.py tests/patch/test_pycocoevalcap.py
}

# Every allocation, read and write fails once; inputs that were made to collide.
faults() {
    environment faults "$python"
    install faults "$wheel[test,bench]"
    FASTBLEU_FAULTS=all run_tests faults -m "" tests/faults
    run_tests faults benchmarks/test_hash_floods.py
}

# Longer turns of the tests without the GIL. ThreadSanitizer: see tools/build_free_threaded_python.py.
threads() {
    local free
    free=$(free_threaded_python 2)
    [[ -n $free ]] || { echo "left out: only root can install what building it needs, on Debian"; return; }
    "$work/build/bin/python" -m pip --python "$free" wheel --quiet --no-deps --wheel-dir "$work/wheel3.13t" "$sdist"
    environment free "$free"
    install free --only-binary :all: "$(echo "$work"/wheel3.13t/*.whl)" "numpy<2.5" "hypothesis>=6.100" "pytest>=8.2,<10"
    FASTBLEU_THREADS_SECONDS=2 run_tests free -m "" tests/free_threads
}

# 64-bit ARM; and s390x, where the highest byte of a number is the first. Both are emulated.
processors() {
    ((EUID == 0)) && command -v apt-get >/dev/null || { echo "left out: needs root, on Debian"; return; }
    debian s390x-linux-gnu-gcc qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross
    environment processors "$python"
    install processors Cython pip setuptools
    "$work/processors/bin/python" tools/test_processors.py aarch64
    "$work/processors/bin/python" tools/test_processors.py s390x
}

fuzzers() {
    command -v clang >/dev/null || { echo "left out: clang is missing"; return; }
    environment fuzzers "$python"
    install fuzzers "$wheel[test,parity,ja,ko]" "atheris==3.0.0" Cython setuptools
    CC=clang "$work/fuzzers/bin/python" tools/fuzz.py all --minutes "${FASTBLEU_FUZZ_MINUTES:-10}"
}

make_sdist
section "the wheel"
wheel_of "$python" ""
wheel=$(echo "$work"/repaired/*.whl)
for name in "${@:-${SECTIONS[@]}}"; do
    [[ " ${SECTIONS[*]} " == *" $name "* ]] || { echo "no section $name; there are ${SECTIONS[*]}"; exit 2; }
    section "$name"
    "$name"
done
