"""Write down the public names of fastbleu, with their parameters, and the options of its command lines.

    python tools/record_public_api.py

`tests/public_api.txt` holds the record, and `tests/test_public_api.py` checks that it is what the package has. So no
name, parameter, default or option can change unnoticed. `docs/api-promise.md` says what is promised of them.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

RECORD = Path(__file__).resolve().parents[1] / "tests" / "public_api.txt"

#: The modules whose `__all__` is public. Names with an underscore in front are not.
MODULES = (
    "fastbleu",
    "fastbleu.arrow",
    "fastbleu.compare",
    "fastbleu.compat.codexglue",
    "fastbleu.compat.evaluate",
    "fastbleu.compat.fast_bleu",
    "fastbleu.compat.mbrs",
    "fastbleu.compat.moses",
    "fastbleu.compat.nlgmetricverse",
    "fastbleu.compat.nltk",
    "fastbleu.compat.crystalbleu",
    "fastbleu.compat.nmt",
    "fastbleu.compat.pycocoevalcap",
    "fastbleu.compat.sacrebleu",
    "fastbleu.compat.torchmetrics",
    "fastbleu.compat.transformers",
    "fastbleu.explain",
    "fastbleu.patch",
    "fastbleu.rerank",
    "fastbleu.rewards",
    "fastbleu.rewards.nemo_gym",
    "fastbleu.rewards.openrlhf",
    "fastbleu.rewards.slime",
    "fastbleu.rewards.swift",
    "fastbleu.rewards.trl",
    "fastbleu.rewards.verifiers",
    "fastbleu.rewards.verl",
    "fastbleu.torch",
)

#: Public names of modules that are not public as a whole.
ALONE = {
    "fastbleu.compare.human": ("agreement",),
    "fastbleu.compare.power": ("detectable",),
    "fastbleu.errors": ("ArgumentTypeError", "ArgumentValueError"),
    "fastbleu.rewards.completions.extraction": ("tag_finder",),
    "fastbleu.rewards.completions.reasoning": ("strip_reasoning",),
    "fastbleu.scoring.significance": ("correct_p_values",),
}

#: Modules that cannot be imported without a host, and the hosts.
HOSTED = {
    "fastbleu.compat.sacrebleu": "sacrebleu",
    "fastbleu.compat.torchmetrics": "torch torchmetrics",
    "fastbleu.torch": "torch",
}

#: Members that other modules of the package call. The reference does not describe them, and no version promises them.
INTERNAL = {
    "BLEU": (
        "advance corpus count count_single given_references signature_for signed tokenizer_signature "
        "warnings_class"
    ),
    "BLEUScore": "set_interval",
    "References": "are_tokens check data kind of ranges streams",
    "TokenIds": "array_kind in_matrix joined read stop_after tokens tokens_per_segment undeclared_padding widths",
    "ArgumentTypeError": "at renamed",
    "ArgumentValueError": "at renamed",
    "RewardCounts": "add_malformed numbers",
    "GymReward": "STACK SKIPS STRIPS share_of_scale",
    "OpenRLHFReward": "STACK SKIPS STRIPS share_of_scale",
    "SlimeReward": "STACK SKIPS STRIPS share_of_scale",
    "BLEUORM": "STACK SKIPS STRIPS share_of_scale",
    "TaskReward": "STACK SKIPS STRIPS share_of_scale",
    "TRLReward": "STACK SKIPS STRIPS share_of_scale",
    "VerlReward": "STACK SKIPS STRIPS share_of_scale",
}

#: Classes that fastbleu makes: what their constructors take may change.
MADE = "Comparison Explanation References Report"

COMMANDS = (
    "fastbleu",
    "fastbleu-compare",
    "fastbleu-rerank",
    "fastbleu-rerank mbr",
    "fastbleu-rerank oracle",
    "fastbleu-rerank score",
    "fastbleu-rerank self-bleu",
)

_PROGRAM = """
import sys
from importlib import import_module
folder = sys.argv.pop(1)
sys.argv[0] = "fastbleu"
sys.exit(import_module(f"fastbleu.cli.{folder}.{'score' if folder == 'bleu' else folder}_command").main())
"""


def sections() -> tuple[str, ...]:
    """The heads of the record, each a module or a command."""
    return (*sorted({*MODULES, *ALONE}), *(f"$ {command}" for command in COMMANDS))


def lines_of(section: str) -> list[str]:
    """The lines of one section, as this installation has them."""
    if section.startswith("$ "):
        return options_of(section.removeprefix("$ "))
    module = import_module(section)
    public = ALONE[section] if section in ALONE else names_of(module)
    names = sorted(name for name in public if not name.startswith("_"))
    return [line for name in names for line in described(name, getattr(module, name))]


def names_of(module: ModuleType) -> list[str]:
    """Return `__all__`, or the names that our module defines where neither it nor its peer's module has that."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__
    ]


def options_of(command: str) -> list[str]:
    """The options and subcommands of a command line, from its help."""
    name, *subcommand = command.split()
    folder = name.partition("-")[2] or "bleu"
    done = subprocess.run(  # the project's own command
        [sys.executable, "-c", _PROGRAM, folder, *subcommand, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    usage = done.stdout.partition("\n\n")[0]
    listed = re.findall(r"^ {2,8}(-.*?)(?: {2}|$)", done.stdout, re.MULTILINE)
    options = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", "\n".join([usage, *listed])))
    return sorted(options)


def described(name: str, value: Any) -> Iterator[str]:
    """A public name in a line; of a class of fastbleu, its public members in lines of their own.

    Fields of a NamedTuple or dataclass are the parameters of its constructor, and have no lines of their own.
    """
    if inspect.ismodule(value):
        yield f"{name}: module"
    elif inspect.isclass(value) and value.__name__ != name and value.__name__ in INTERNAL:
        yield f"{name}{parameters(value)}: {value.__name__}"  # whose members are recorded there
    elif inspect.isclass(value):
        yield f"{name}{'(...)' if name in MADE.split() else parameters(value)}: class"
        fields = (
            () if name in MADE.split() else getattr(value, "_fields", getattr(value, "__match_args__", ()))
        )
        for member in sorted(vars_of(value) - set(fields) - set(INTERNAL.get(name, "").split())):
            yield f"{name}.{member}{kind(inspect.getattr_static(value, member))}"
    elif callable(value):
        yield f"{name}{parameters(value)}"
    else:
        yield f"{name}: {type(value).__name__}"


def vars_of(value: type) -> set[str]:
    """The public members that classes of fastbleu give a class, without those of the packages that it builds on."""
    own = [vars(each) for each in value.__mro__ if each.__module__.partition(".")[0] == "fastbleu"]
    return {name for members in own for name in members if name == "__call__" or not name.startswith("_")}


def kind(member: Any) -> str:
    """Describe a member of a class: its kind, or its parameters."""
    if isinstance(member, (staticmethod, classmethod)):
        return f"{parameters(member.__func__)}: {type(member).__name__}"
    return parameters(member) if inspect.isroutine(member) and callable(member) else ": attribute"


def parameters(value: Any) -> str:
    """The parameters with their defaults, without types, which are read differently by each version of Python."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    shown = [
        each.replace(annotation=each.empty, default=simple(each)) for each in signature.parameters.values()
    ]
    return str(signature.replace(parameters=shown, return_annotation=signature.empty))


class _Default:
    """A default as the record shows it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def simple(parameter: inspect.Parameter) -> Any:
    """The default of a parameter, with three dots for what prints differently in each process."""
    default = parameter.default
    if default is parameter.empty:
        return default
    plain = isinstance(default, (bool, int, float, str, tuple, type(None)))
    return _Default(repr(default) if plain else "...")


def recorded() -> dict[str, list[str]]:
    """The record that stands, by section."""
    found: dict[str, list[str]] = {}
    text = RECORD.read_text(encoding="utf-8") if RECORD.exists() else ""
    for line in filter(None, text.splitlines()):
        if line.startswith("["):
            found[line.strip("[]")] = []
        else:
            found[list(found)[-1]].append(line)
    return found


def main() -> None:
    """Write the record; a module whose host is not installed keeps its section."""
    old, new = recorded(), {}
    for section in sections():
        is_there = section not in HOSTED or section not in old or all(map(find_spec, HOSTED[section].split()))
        new[section] = lines_of(section) if is_there else old[section]
    parts = ["\n".join([f"[{section}]", *lines, ""]) for section, lines in new.items()]
    RECORD.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
