"""Curves of a note's life, in the terminal and as PNG."""

from __future__ import annotations

from pathlib import Path

from genesys.errors import UsageError
from genesys.reports import Curves

__all__ = ["save_png", "terminal_plot"]

HEIGHT = 18  # terminal rows: a curve that fits beside its text on a small screen


def terminal_plot(curves: Curves, width: int) -> str:
    """The curves as text, at most ``width`` columns wide."""
    import plotext  # type: ignore[import-untyped]

    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(max(40, min(width, 110)), HEIGHT)
    plotext.title(curves.title)
    plotext.xlabel("days")
    for line in curves.lines:
        plotext.plot(list(line.x), list(line.y), label=line.label, marker="braille")
    for name, value in curves.thresholds:
        plotext.hline(value)
        plotext.text(name, curves.lines[0].x[0] if curves.lines else 0, value)
    text: str = plotext.uncolorize(plotext.build())
    plotext.clear_figure()
    return text


def save_png(curves: Curves, path: Path) -> None:
    """Write the curves as a PNG picture.

    Raises:
        UsageError: the drawing library is not installed, or the file can't be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as e:
        raise UsageError("drawing a PNG needs matplotlib", hint="pip install 'genesys-vault[plot]'") from e
    figure = Figure(figsize=(9, 5), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    for line in curves.lines:
        axes.plot(line.x, line.y, label=line.label)
    for name, value in curves.thresholds:
        axes.axhline(value, linewidth=0.7, linestyle=":", color="grey")
        axes.annotate(name, (0.0, value), fontsize=7, color="grey", va="bottom")
    axes.set(title=curves.title, xlabel="days", ylabel="score", ylim=(0, 1.02))
    axes.legend(fontsize=8)
    try:
        figure.savefig(path, format="png")
    except OSError as e:
        raise UsageError(f"can't write {path}: {e.strerror}", hint="name a file that can be written") from e
