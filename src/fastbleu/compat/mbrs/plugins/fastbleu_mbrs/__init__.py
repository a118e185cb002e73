"""The plug-in for mbrs. Importing it registers the metrics."""

from __future__ import annotations

from fastbleu.compat.mbrs.metric import MetricFastBLEU, MetricFastBLEUChrF

__all__ = ["MetricFastBLEU", "MetricFastBLEUChrF"]
