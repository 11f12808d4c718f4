"""Curves of a note's life, in the terminal and as PNG."""

from __future__ import annotations

from pathlib import Path

from genesys.errors import UsageError
from genesys.reports import Curves

__all__ = ["save_png", "terminal_plot"]

HEIGHT = 18  # terminal rows: a curve that fits beside its text on a small screen
MARGIN = 14  # columns that the axis and its labels take
COLORS = ("green", "red", "blue", "yellow", "magenta", "cyan")


def terminal_plot(curves: Curves, width: int) -> str:
    """The curves as braille text, about ``width`` columns wide, each named in the legend."""
    import plotille  # type: ignore[import-untyped]

    figure = plotille.Figure()
    figure.width = max(30, min(width, 110) - MARGIN)
    figure.height = HEIGHT
    figure.color_mode = "names"
    figure.set_y_limits(min_=0.0, max_=1.0)
    figure.set_x_limits(min_=0.0, max_=max((x for line in curves.lines for x in line.x), default=1.0))
    figure.x_label, figure.y_label = "days", "score"
    figure.register_label_formatter(float, _label)
    for line, color in zip(curves.lines, COLORS * (1 + len(curves.lines) // len(COLORS)), strict=False):
        figure.plot(line.x, line.y, lc=color, label=line.label)
    limits = ", ".join(f"{name} {value:g}" for name, value in curves.thresholds)
    return f"{curves.title}\n{figure.show(legend=True)}\nthresholds: {limits}"


def _label(value: float, chars: int, delta: float, left: bool = False) -> str:
    """A number on an axis: no more digits than a reader wants."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text.ljust(chars) if left else text.rjust(chars)


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
