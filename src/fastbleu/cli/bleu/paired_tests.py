"""Test the first system against every other system, and report the results as sacreBLEU does."""

from __future__ import annotations

from ...scoring.bootstrap import read_seed
from ...scoring.significance import approximate_randomization, paired_bootstrap
from .results_table import print_results, result
from .score_output import inform, say_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...inputs._text import TextColumn
    from .chosen_metrics import AnyMetric
    from .results_table import Result
    from .text_blocks import Streams

# As in `sacrebleu.significance.PairedTest`, these numbers are used if the requested number is not positive.
_DEFAULT_TRIALS = 10_000  # For approximate randomization.
_DEFAULT_RESAMPLES = 1_000  # For the paired bootstrap test.

#: The messages that sacreBLEU prints before an approximate randomization test and before a bootstrap test.
_PERFORMING = (
    " > Performing approximate randomization test (# trials: {})",
    " > Performing paired bootstrap resampling test (# resamples: {})",
)


def print_paired_test(
    metrics: dict[str, AnyMetric], options: Namespace, systems: Streams, references: list[TextColumn]
) -> None:
    """Test systems against the baseline, and print the results as JSON or as a text or LaTeX table.

    Args:
        metrics: The metrics to test with, by their names on the command line.
        options: The options of the command line.
        systems: The systems. The first one is the baseline, and there is at least one other.
        references: The streams of references.

    Raises:
        ValueError: The environment variable SACREBLEU_SEED is not a valid seed.
    """
    if options.input is None:
        names = ["Baseline", *(f"System {number}" for number in range(1, len(systems)))]
    else:
        names = [f"Baseline: {systems[0][0]}", *(name for name, _ in systems[1:])]
    say_number(len(systems), options)
    columns: dict[str, list[Result]] = {}
    signatures: dict[str, str] = {}
    for called, metric in metrics.items():
        name = metric.formula.name
        columns[name], signatures[name] = _test(metric, called.upper(), options, names, systems, references)
    print_results(names, columns, signatures, options)


def _test(
    metric: AnyMetric,
    called: str,
    options: Namespace,
    names: list[str],
    systems: Streams,
    references: list[TextColumn],
) -> tuple[list[Result], str]:
    """Test the systems with a metric; return the result of each system, and the signature.

    Args:
        metric: The metric.
        called: The name of the metric in the first progress message.
        options: The options of the command line.
        names: The names of the systems in messages.
        systems: The systems. The first one is the baseline, and there is at least one other.
        references: The streams of references.
    """
    prepared = metric.prepare(references)
    _, seed = read_seed()
    signature = metric.signature_for(len(references))
    signature.update("seed", str(seed).lower())
    number: int = options.paired_bs_n if options.paired_bs else options.paired_ar_n
    if number <= 0:
        number = _DEFAULT_RESAMPLES if options.paired_bs else _DEFAULT_TRIALS
    signature.update("bs" if options.paired_bs else "ar", number)
    rows = {}
    inform(options, f"Pre-computing {called} statistics for {names[0]!r}")
    for i, (name, (_, column)) in enumerate(zip(names, systems, strict=True)):
        if i:
            inform(
                options, f"Computing {metric.formula.name} for {name!r} and extracting sufficient statistics"
            )
        rows[str(i)] = metric.statistics(column, prepared)
        if i:
            inform(options, _PERFORMING[options.paired_bs].format(number))
    test = (paired_bootstrap if options.paired_bs else approximate_randomization)(
        rows, metric, number, pairs="baseline"
    )
    # Use sacreBLEU's formula, since `pair.p_value` is larger than its result for equal systems and for few segments.
    p_values = [None, *((pair.extreme + 1) / (number + 1) for pair in test.pairs)]
    results = [
        result(system.score, p_value, system.mean, system.half_width)
        for system, p_value in zip(test.systems, p_values, strict=True)
    ]
    return results, signature.format(options.short)
