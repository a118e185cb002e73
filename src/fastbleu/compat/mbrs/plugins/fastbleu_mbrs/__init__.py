"""The plug-in of mbrs: importing it registers the metric."""

from __future__ import annotations

from fastbleu.compat.mbrs.metric import MetricFastBLEU

__all__ = ["MetricFastBLEU"]
