"""The layers of the package: imports, private names of other modules, lengths of modules, and tests for each folder."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from tests.support.modules import PACKAGE, REPOSITORY, module_of

TESTS = REPOSITORY / "tests"

# A package imports from itself, from those on its line and from those on lines above it. Cycles are forbidden.
LAYERS = (
    ("_native", "errors", "options", "system"),
    ("inputs",),
    ("tokenizers",),
    ("counting",),
    ("scoring",),
    ("metric",),
    ("explain", "compare", "rerank", "rewards", "arrow", "compat"),
    ("patch", "cli", "torch"),
    ("",),  # the package itself, whose names are the public ones
)
# Exceptions to the order: a method of `BLEU` imports its result's package when it is called.
LATE_IMPORTS = {("fastbleu.metric.bleu", "fastbleu.explain")}

# Private names of other packages that drop-in replacements and patches need.
OF_PEERS = {
    "inputs.frames": {"_indices"},  # which rows of a data set were selected
    "compat.sacrebleu.metrics.bleu": {"_get_tokenizer"},
    "scoring.sacrebleu_statistics": {
        "_extract_reference_info",
        "_force",
        "_preprocess_segment",
        "_ref_cache",
    },
    "scoring.sacrebleu_tokenizers": {"_post_tokenizer"},
    "patch.pycocoevalcap": {"_n"},
    "scoring.sacrebleu_chrf": {"_PUNCTS", "_force"},
    "patch.sacrebleu": {
        "_cache_references",
        "_check_corpus_score_args",
        "_check_sentence_score_args",
        "_compute_score_from_stats",
        "_extract_corpus_statistics",
    },
    "patch.torchmetrics": {
        "_SacreBLEUTokenizer",
        "_TOKENIZE_FN",
        "_bleu_score_update",
        "_chrf_score_update",
        "_tokenize_fn",
    },
}

LAYER_OF = {package: number for number, packages in enumerate(LAYERS) for package in packages}

# Also declarations and `__main__`.
FILES = sorted(path for path in PACKAGE.rglob("*.p*") if path.suffix in (".py", ".pyx", ".pxd"))


MODULES = {module_of(path) for path in FILES}


def package_of(module: str) -> str:
    """Return the first folder or module of a dotted name, or "" for the package itself and any `__main__`."""
    parts = module.split(".")[1:]
    return parts[0] if parts and parts[-1] != "__main__" else ""


def run_by_import(tree: ast.Module) -> Iterator[ast.AST]:
    """The statements that run when the module is imported: not those in functions, nor those for type checkers."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting.extend(node.orelse)
        else:
            waiting.extend(ast.iter_child_nodes(node))


def imported(path: Path, anywhere: bool = True) -> Iterator[tuple[str, str]]:
    """Modules of the package that a file imports, with the name that it takes of each."""
    package = path.relative_to(PACKAGE.parent).parent.parts
    text = path.read_text(encoding="utf-8")
    found: list[tuple[int, str, list[str]]] = []
    if path.suffix == ".py":
        for node in (ast.walk if anywhere else run_by_import)(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                found.append((node.level, node.module or "", [alias.name for alias in node.names]))
            elif isinstance(node, ast.Import):
                found.extend((0, alias.name, [""]) for alias in node.names)
    else:
        text = re.sub(r"\\\n|\([^)]*\)", lambda match: match[0].replace("\n", " "), text)
        for dots, module, names in re.findall(
            r"^\s*from\s+(\.*)([\w.]*)\s+c?import\s+\(?([^#\n)]*)", text, re.MULTILINE
        ):
            found.append((len(dots), module, [name.split()[0] for name in names.split(",") if name.strip()]))
        found.extend(
            (0, module, [""]) for module in re.findall(r"^\s*c?import\s+([\w.]+)", text, re.MULTILINE)
        )
    for level, module, names in found:
        parts = [*package[: len(package) - level + 1]] if level else []
        source = ".".join([*parts, *filter(None, module.split("."))])
        if source.partition(".")[0] != "fastbleu":
            continue
        for name in names:
            inner = f"{source}.{name}"
            yield (inner, "") if inner in MODULES else (source, name)


IMPORTS = {path: set(imported(path)) for path in FILES}


def is_private(name: str) -> bool:
    """Return whether a name is private; the methods of a NamedTuple are not."""
    return name.startswith("_") and not name.startswith("__") and name not in ("_asdict", "_replace")


def private_attributes(path: Path) -> set[str]:
    """Names such as `x._y` that a module reads from objects, without those that it defines itself."""
    own: set[str] = set()
    used: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                own.add(node.name)
            case ast.Name(ctx=ast.Store()):
                own.add(node.id)
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                own.add(node.attr)  # also what a class takes from its base class
            case ast.Attribute() if is_private(node.attr):
                used.add(node.attr)
    return used - own


def test_imports_point_one_way() -> None:
    back = {
        (module_of(path), module)
        for path, imports in IMPORTS.items()
        for module, _ in imports
        if LAYER_OF[package_of(module)] > LAYER_OF[package_of(module_of(path))]
    }
    assert back == LATE_IMPORTS


def test_nothing_is_imported_in_a_circle() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for path in FILES:
        module = module_of(path)
        graph[module] |= {other for other, _ in imported(path, anywhere=False)} - {module}
    TopologicalSorter(graph).prepare()


def test_modules_of_compat_do_not_import_each_other() -> None:
    shared = "compat.arguments"
    # Its peer is a copy of NLTK's file.
    forks = {"compat.crystalbleu": {"compat.nltk"}}

    def stand_in(module: str) -> str:
        return ".".join(module.split(".")[1:3])

    for path, imports in IMPORTS.items():
        here = stand_in(module_of(path))
        others = {stand_in(module) for module, _ in imports if package_of(module) == "compat"}
        if here.startswith("compat."):
            assert here != shared or others <= {here}, path
            assert others <= {here, shared, "compat", *forks.get(here, ())}, path


def test_no_private_name_is_imported() -> None:
    """Compiled modules begin with an underscore; the names they offer do not."""
    found = {
        (module_of(path), name)
        for path, imports in IMPORTS.items()
        for _, name in imports
        if is_private(name)
    }
    assert not found, sorted(found)


def test_no_private_attribute_of_another_object_is_used() -> None:
    found = {
        (module_of(path), name)
        for path in FILES
        if path.suffix == ".py"
        for name in private_attributes(path) - OF_PEERS.get(module_of(path).partition(".")[2], set())
    }
    assert not found, sorted(found)


def test_no_module_is_past_450_lines() -> None:
    """A longer one holds a second concept. The generated tables of Unicode are exempt."""
    sources = [path for path in PACKAGE.rglob("*.*") if path.suffix in (".h", ".pxd", ".py", ".pyx")]
    long = {path for path in sources if len(path.read_text(encoding="utf-8").splitlines()) > 450}
    assert long <= {PACKAGE / "_native" / "unicode.h"}


def test_tests_import_each_other_only_from_support() -> None:
    for path in [
        *TESTS.rglob("*.py"),
        *(REPOSITORY / "tools").glob("*.py"),
        *(REPOSITORY / "benchmarks").glob("*.py"),
    ]:
        for module in re.findall(r"(?:from|import) (tests\.[\w.]+)", path.read_text(encoding="utf-8")):
            assert module.startswith("tests.support"), (path, module)


def has_fast_tests(path: Path) -> bool:
    return any(
        isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and "pytest.mark.slow" not in map(ast.unparse, node.decorator_list)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def test_every_folder_has_fast_tests() -> None:
    """They are in a folder of the same name, or in a file of that name one level higher."""
    folders = {path.parent.relative_to(PACKAGE) for path in FILES}
    for folder in (each for each in folders if len(each.parts) <= 2):
        places = [*(TESTS / folder).glob("test_*.py"), TESTS / folder.parent / f"test_{folder.name}.py"]
        assert any(map(has_fast_tests, filter(Path.exists, places))), folder
