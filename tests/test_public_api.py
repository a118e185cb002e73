"""Public names, their parameters and the options of the command lines are as `tests/public_api.txt` records them."""

import pkgutil

import pytest

api = pytest.importorskip("tools.record_public_api", reason="the project's scripts are not there")

import fastbleu.compat

#: What several modules that others call have in common.
SHARED = ("fastbleu.compat.arguments",)

AGAIN = "run `python tools/record_public_api.py`, and say in CHANGELOG.md what a user notices"

#: Hosts take seconds to import.
SECTIONS = [
    pytest.param(section, marks=[pytest.mark.slow] * (section in api.HOSTED)) for section in api.sections()
]


@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_public_is_what_is_recorded(section: str) -> None:
    for host in api.HOSTED.get(section, "").split():
        pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)
    then, now = set(api.recorded()[section]), set(api.lines_of(section))
    assert not then - now, f"no longer in {section} as recorded: {sorted(then - now)}; {AGAIN}"
    assert not now - then, f"new in {section}: {sorted(now - then)}; {AGAIN}"


def test_the_record_has_no_other_section() -> None:
    assert tuple(api.recorded()) == api.sections()
    assert not set(api.MODULES) & set(api.ALONE)


def test_every_module_that_others_call_is_recorded() -> None:
    for module in pkgutil.iter_modules(fastbleu.compat.__path__):
        name = f"fastbleu.compat.{module.name}"
        assert any(each.startswith(name) for each in api.MODULES) or name in SHARED, name


def test_members_that_are_not_promised_are_there_and_not_recorded() -> None:
    lines = {line for section in api.recorded().values() for line in section}
    for name, members in api.INTERNAL.items():
        assert any(line.startswith(f"{name}(") for line in lines), name
        assert not {f"{name}.{member}" for member in members.split()} & {
            line.partition("(")[0] for line in lines
        }
