"""The modules of the package and their sources, whichever copy is installed."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "src" / "fastbleu"


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


#: Modules by name, but for `__main__`, which runs when it is imported.
SOURCES: dict[str, Path] = {
    module_of(path): path
    for path in sorted(PACKAGE.rglob("*.py*"))
    if path.suffix in (".py", ".pyx") and path.stem != "__main__"
}


def loaded(path: Path, name: str) -> ModuleType:
    """Load a file as a module, as a program does that is given its path."""
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
