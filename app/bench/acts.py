"""What people's acts cost: completions one after the other, a long loop, the room a finished case takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from sqlalchemy.engine import make_url

from app.bench.bare import Library, floor, written
from app.bench.figures import Figure, rate, slowest
from app.bench.town import Town, founded

_TARGET = {"sqlite": 100.0, "postgresql": 60.0}
_WARM = 5  # cases before the first measure: what is compiled once is not part of an act
_ROUNDS = 83
_CLEARED = 40  # cases after which a database clears away what it no longer needs
_STORED = 200


def measure(url: str, times: int) -> Iterator[Figure]:
    """Completions a second, the bare floor under them, the loop and the storage, on one database."""
    with founded(url) as town:
        for _ in range(_WARM):
            town.play("longo")
        seconds: list[float] = []
        yield rate(
            "acts.completions",
            town.dialect,
            times,
            lambda: _rate(town, seconds),
            target=_TARGET[town.dialect],
            note="8 tarefas, 30 elementos, um processo, uma pessoa",
        )
        yield slowest("acts.completion_p95", town.dialect, seconds, 0.95)
        case_id = town.open_case("longo")
        yield floor("acts.bare_transactions", town, written(town, lambda: town.finish(case_id)), times)
        yield _loop(town)
    yield _storage(url)


def library(times: int) -> Figure:
    """Completions a second of SpiffWorkflow alone, in memory."""
    alone = Library("longo")
    alone.play()
    note = "só o SpiffWorkflow, na memória"
    return rate("acts.bare_library", "", times, lambda: _library_rate(alone), note=note)


def _rate(town: Town, seconds: list[float]) -> float:
    spent = [one for _ in range(10) for one in town.play("longo")]
    seconds += spent
    return len(spent) / sum(spent)


def _library_rate(alone: Library) -> float:
    played = [alone.play() for _ in range(20)]
    return sum(count for count, _ in played) / sum(spent for _, spent in played)


def _loop(town: Town) -> Figure:
    """How much longer a completion takes in the 80th round of one case than in its 10th."""
    case_id, spent = town.open_case("laco"), []
    for _ in range(_ROUNDS):
        task = town.next_task(case_id)
        assert task is not None
        spent.append(town.complete(task))
    early, late = median(spent[7:13]), median(spent[77:83])
    told = f"10ª volta {early * 1000:.1f} ms, 80ª {late * 1000:.1f} ms".replace(".", ",")
    return Figure("acts.loop_80_to_10", town.dialect, late / early, "×", 3.0, note=told)


def _storage(url: str) -> Figure:
    """Bytes on disk per finished case without documents, indexes and journal included.

    Counted once the database has room that earlier acts have left behind, and while it clears away now and then, as
    one in use always does: by itself PostgreSQL does so once a minute, which here may be once or not at all.
    """
    with founded(url) as town:
        before, after = (_size_after(town, _STORED) for _ in range(2))
        each = (after - before) / _STORED / 1024
    return Figure(
        "acts.storage_per_case", town.dialect, each, "KiB", 30.0, note="processo findo, sem documentos"
    )


def _size_after(town: Town, count: int) -> int:
    """Bytes of the database once so many more cases were played to their ends."""
    for number in range(1, count + 1):
        town.play("longo")
        if number % _CLEARED == 0 or number == count:
            town.tidy()
    database = town.store.database
    if database.dialect == "sqlite":
        return Path(make_url(str(database.engine.url)).database or "").stat().st_size
    with database.reading() as connection:
        told = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one()
        return int(told)
