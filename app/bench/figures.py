"""What a measure says: a figure beside its target and beside what bounds it, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median


@dataclass(frozen=True)
class Figure:
    """One measured value.

    Attributes:
        name: what was measured, stable for programs (`acts.completions`).
        database: `sqlite` or `postgresql`; empty where none takes part.
        value, unit: the median of the repetitions.
        target: what the value should reach; None where there is no target.
        at_least: whether more is better.
        low, high: the worst and the best repetition.
        note: what was measured, in one line.
    """

    name: str
    database: str
    value: float
    unit: str
    target: float | None = None
    at_least: bool = False
    low: float | None = None
    high: float | None = None
    note: str = ""

    @property
    def held(self) -> bool | None:
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target


def rate(
    name: str,
    database: str,
    times: int,
    measure: Callable[[], float],
    *,
    target: float | None = None,
    note: str = "",
) -> Figure:
    """How many a second: the median of a measure that is taken several times; more is better."""
    values = [measure() for _ in range(times)]
    spread = {"low": min(values), "high": max(values)}
    return Figure(name, database, median(values), "/s", target, at_least=True, note=note, **spread)


def slowest(
    name: str,
    database: str,
    seconds: Sequence[float],
    share: float,
    target: float | None = None,
    note: str = "",
) -> Figure:
    """The milliseconds that `share` of the times do not exceed."""
    return Figure(name, database, percentile(seconds, share) * 1000, "ms", target, note=note)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the others do not exceed."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


def as_json(figures: Iterable[Figure]) -> list[dict[str, object]]:
    return [{**asdict(figure), "held": figure.held} for figure in figures]


def as_lines(figures: Sequence[Figure]) -> Iterable[str]:
    """A table for people, in Portuguese; a target that was missed is marked in words."""
    yield f"{'medida':<28}{'banco':<12}{'valor':>10} {'unidade':<9}{'meta':>10}  {'de … a':<20}"
    for figure in figures:
        goal = "" if figure.target is None else f"{'≥' if figure.at_least else '≤'} {_short(figure.target)}"
        spread = "" if figure.low is None else f"{_short(figure.low)} … {_short(figure.high or 0)}"
        missed = "  não alcançou" if figure.held is False else ""
        yield (
            f"{figure.name:<28}{figure.database:<12}{_short(figure.value):>10} {figure.unit:<9}"
            f"{goal:>10}  {spread:<20}{figure.note}{missed}"
        )


def _short(value: float) -> str:
    return f"{value:,.0f}".replace(",", ".") if value >= 100 else f"{value:.3g}".replace(".", ",")
