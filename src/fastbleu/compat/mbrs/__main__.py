"""Print the directory of the plug-in: ``mbrs-decode ... --plugin_dir "$(python -m fastbleu.compat.mbrs)"``."""

from __future__ import annotations

from fastbleu.compat.mbrs import plugin_directory

if __name__ == "__main__":
    print(plugin_directory())  # noqa: T201  # a command
