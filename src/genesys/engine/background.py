"""What happens to a vault while nobody asks: one thread, one order of work.

First words and links (what changed, or all of it), then vectors, newest notes first and a few at a time,
then maintenance on its timer. Whatever goes wrong is said in a line and tried again; nothing here ends the
process. All of it runs on a connection of its own, so a question waits for no batch (P5), and under the
vault's lease, so that there is one writer (P6).
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import replace

from genesys.embed import Embedder
from genesys.engine import lease
from genesys.engine.chores import Activity, Order, Owner
from genesys.engine.clockguard import ClockGuard
from genesys.engine.embedding import embed_pending
from genesys.errors import BusyError, GenesysError, IndexCorrupt, ModelError, VaultNotFound
from genesys.ignore import IGNORE_FILE, Rules, load_rules
from genesys.reports import IndexReport, WriteReport
from genesys.settings import Settings, machine_id
from genesys.store.index import Index, open_index

__all__ = ["Activity", "Background", "Owner"]

# Passages between two looks at what else is to be done. The model is shared: a question may have to wait
# for as many, which is some tenths of a second on a slow machine.
SLICE = 16
QUEUE = 512  # passages fetched at once, newest first
MAX_WAIT_S = 10.0  # changes that never pause are read after so long
RETRY_S, RETRY_MOST_S = 2.0, 60.0
MODEL_RETRY_S = 600.0
EVOLVE_EVERY_S = 86_400.0
LAST_PASS = "maintained_at"

log = logging.getLogger(__name__)


class Background:
    """Keeps one vault's index current until :meth:`stop`."""

    def __init__(self, settings: Settings, owner: Owner, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self.activity = Activity()
        self.read_once = False
        self.pass_s = 0.0  # seconds that the last look at the whole vault took
        self._last_pass = float("-inf")  # when the vault was last read, by time.monotonic()
        self.problem = ""
        self.model_problem = ""
        self.clock_problem = ""
        self._owner, self._clock = owner, clock
        self._guard = ClockGuard(clock)
        self._index: Index | None = None
        self._rules = Rules()
        self._news = threading.Condition()
        self._paths: set[str] = set()
        self._first = self._last = 0.0  # of the changes that wait, by time.monotonic()
        self._whole = True
        self._orders: deque[Order] = deque()
        self._stopped = self._replaced = False
        self._retry_s = RETRY_S
        self._retry_at = self._model_at = float("-inf")
        self._evolve_at = float("-inf")
        self._timer = time.monotonic() + settings.maintenance_interval_s
        self._attached = True  # whether every attachment that notes embed was read
        self._embedded = False
        self._linked = True  # whether edges by likeness follow the newest vectors
        self._queue: list[tuple[int, str]] = []
        self._thread = threading.Thread(target=self._run, name="genesys-background", daemon=True)

    # ------------------------------------------------------------------ from other threads

    def start(self) -> None:
        self._thread.start()

    def stop(self, wait_s: float) -> bool:
        """End after the step at hand; False where that takes longer than ``wait_s`` seconds."""
        with self._news:
            self._stopped = True
            self._news.notify_all()
        if self._thread.is_alive():
            self._thread.join(wait_s)
        for order in list(self._orders):
            order.result.cancel()
        return not self._thread.is_alive()

    def nudge(self) -> None:
        """Read the vault again: something may have changed, nobody knows what."""
        with self._news:
            self._whole = True
            self._retry_at = float("-inf")
            self._news.notify_all()

    def changed(self, paths: Collection[str]) -> None:
        """These vault-relative paths have changed; they are read when no more come for a moment."""
        if any(p in (IGNORE_FILE, ".obsidian/app.json", ".obsidian/templates.json") for p in paths):
            self.nudge()
        seen = {p for p in paths if not self._rules.ignored(p)}
        if not seen:
            return
        with self._news:
            now = time.monotonic()
            if not self._paths:
                self._first = now
            self._last = now
            self._paths |= seen
            self._news.notify_all()

    def replaced(self) -> None:
        """The index file is another one now."""
        with self._news:
            self._replaced = self._whole = True
            self.read_once = False
            self._news.notify_all()

    def order(self, *, full: bool = False, embed: bool = True) -> IndexReport:
        """Read the vault now, and wait for it.

        Raises:
            GenesysError: whatever the pass raises; BusyError where the process is about to end.
        """
        order = Order(full, embed)
        with self._news:
            if self._stopped:
                raise BusyError("the daemon is about to end", hint="try again in a moment")
            self._orders.append(order)
            self._retry_at = float("-inf")
            self._news.notify_all()
        return order.result.result()

    @property
    def age(self) -> float:
        """Seconds since the vault was last read; none while it is read for the first time."""
        return time.monotonic() - self._last_pass if self.read_once else 0.0

    @property
    def busy(self) -> bool:
        """Whether there is work that waits for nothing."""
        return self.activity.phase not in ("idle", "waiting")

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        while not self._stopped:
            more = self._guarded(self._round)
            if not more and not self._stopped:
                self._rest()
        self._close()

    def _rest(self) -> None:
        self.activity = Activity("waiting" if self.problem else "idle")
        with self._news:
            while not self._stopped and (left := self._due_in()) > 0:
                self._news.wait(left)

    def _due_in(self) -> float:
        """Seconds until there is something to do."""
        now = time.monotonic()
        due = [self._timer]
        if self._orders:
            due.append(now)
        if self._whole or self._replaced:
            due.append(max(now, self._retry_at))
        if self._paths:
            quiet = self._last + self.settings.debounce_ms / 1000
            due.append(max(min(quiet, self._first + MAX_WAIT_S), self._retry_at))
        if not self._attached:
            due.append(max(now, self._retry_at))
        if not self._embedded:
            due.append(max(now, self._retry_at, self._model_at))
        return min(due) - now

    def _round(self) -> bool:
        """The next thing in order; whether to go on at once."""
        now = time.monotonic()
        if self._orders:
            self._obey(self._orders.popleft())
        elif (self._whole or self._replaced or self._ripe(now)) and now >= self._retry_at:
            self._read()
        elif not self._attached and now >= self._retry_at:
            self._attach()
        elif not self._embedded and now >= max(self._retry_at, self._model_at):
            return self._embed()
        elif now >= self._timer:
            self._timer = now + self.settings.maintenance_interval_s
            self._whole = True  # events get lost; this finds what they would have said
            self._maintain()
        else:
            return False
        return True

    def _ripe(self, now: float) -> bool:
        if not self._paths:
            return False
        return now >= min(self._last + self.settings.debounce_ms / 1000, self._first + MAX_WAIT_S)

    def _guarded(self, step: Callable[[], bool]) -> bool:
        try:
            more = step()
        except BusyError:
            self._fail("", "another Genesys process is writing; it keeps the index current")
            self.read_once = True
        except IndexCorrupt as error:
            self._close()
            self._owner.broken()
            self._fail(f"the index was damaged and is being made anew: {error.message}", error.message)
        except VaultNotFound as error:
            lost = f"the vault can't be read, and nothing of it is forgotten: {error.message}"
            self._fail(lost, lost)
        except GenesysError as error:
            self._fail(f"the index may be out of date: {error.message}", f"{error.message} ({error.hint})")
        except Exception:
            log.exception("background work failed")
            self._fail("the index may be out of date: an error of Genesys' own, see the log", "")
        else:
            self._retry_s = RETRY_S
            return more
        return False

    def _fail(self, problem: str, line: str) -> None:
        """Remember and say it, and try everything again a little later."""
        if line and problem != self.problem:
            log.warning("%s", line)
        self.problem = problem
        with self._news:
            self._whole = True
            self._retry_at = time.monotonic() + self._retry_s
            self._retry_s = min(self._retry_s * 2, RETRY_MOST_S)

    # ------------------------------------------------------------------ steps

    def _read(self) -> None:
        with self._news:
            paths, whole = (frozenset() if self._whole else frozenset(self._paths)), self._whole
            self._paths, self._whole = set(), False
        try:
            self._pass(paths, full=False)
        except BaseException:
            with self._news:
                self._whole = True
            raise
        log.debug("read %s", "the vault" if whole else f"{len(paths)} paths")

    def _obey(self, order: Order) -> None:
        try:
            report = self._pass(frozenset(), full=order.full)
            while not self._attached and not self._stopped:
                self._attach()
            if order.embed:
                report = self._embed_all(report)
        except BaseException as error:
            order.result.set_exception(error)
            raise
        order.result.set_result(report)

    def _pass(self, paths: frozenset[str], *, full: bool) -> IndexReport:
        from genesys.engine import indexing

        self.activity = Activity("reading")
        with self._news:
            if self._replaced:
                self._close()
                self._replaced = False
        if not self.settings.vault.is_dir():  # before anything could be made in its place
            raise VaultNotFound(f"no folder at {self.settings.vault}", hint="Is its disk mounted?")
        with lease.hold(self.settings.index.parent):
            index = self._opened()
            self._rules = load_rules(self.settings.vault, follow=self.settings.follow_links)
            start = time.monotonic()
            report = indexing.run(
                self.settings, index, now=self._clock(), full=full, paths=paths, progress=self._report
            )
        if report.added or report.changed or report.moved or report.removed:
            counts = report.added, report.changed, report.moved, report.removed
            log.info("%d added, %d changed, %d moved, %d removed", *counts)
        for line in report.kept:
            log.warning("%s", line)
        self._last_pass = time.monotonic()
        if not paths:
            self.pass_s = self._last_pass - start
        self.read_once, self._attached, self._embedded = True, False, False
        self._queue = []  # what has just been written is newer than what waits
        self.problem = f"nothing was forgotten: {report.kept[0]}" if report.kept else ""
        return report

    def _attach(self) -> None:
        """Read one file that a note embeds."""
        from genesys.engine import attaching

        self.activity = Activity("reading attachments")
        with lease.hold(self.settings.index.parent):
            self._attached = not attaching.read_next(self._opened(), self.settings)
        if not self._attached:
            self._embedded, self._queue = False, []

    def _embed(self) -> bool:
        """A few passages; whether more are waiting."""
        model = self._model()
        if model is None:
            return False
        index = self._opened()
        if not self._queue and (waiting := index.pending(model.model_id, QUEUE)):
            self._queue = waiting
            self.activity = Activity("embedding", *index.vector_counts(model.model_id))
        part, self._queue = self._queue[:SLICE], self._queue[SLICE:]
        with lease.hold(self.settings.index.parent):
            if part:
                vectors = model.encode([text for _, text in part])
                index.put_vectors(model.model_id, model.dim, [key for key, _ in part], vectors)
                done = self.activity.done + len(part)
                self.activity = Activity("embedding", done, max(done, self.activity.total))
                self._linked = False
                return True
            if not self._linked:
                from genesys.engine.autolink import link_waiting  # numpy, which most rounds do without

                link_waiting(index, model)
        self._embedded = self._linked = True
        return True

    def _embed_all(self, report: IndexReport) -> IndexReport:
        model = self._model()
        if model is None:
            return replace(report, notices=(*report.notices, self.model_problem))
        index, start, made = self._opened(), time.perf_counter(), 0
        while not self._stopped and (count := embed_pending(index, model, limit=SLICE)):
            made += count
            self.activity = Activity("embedding", made, 0)
        have, total = index.vector_counts(model.model_id)
        seconds = {**report.seconds, "embed": round(time.perf_counter() - start, 4)}
        return replace(report, embedded=made, reused=have - made, pending=total - have, seconds=seconds)

    def _model(self) -> Embedder | None:
        """The model; None where it can't be had, which is tried again later."""
        self.activity = Activity("loading the model")
        try:
            model = self._owner.model()
        except ModelError as error:
            self.model_problem = f"without meaning, from words and links only: {error.message}"
            log.warning("%s (%s)", error.message, error.hint)
            self._model_at = time.monotonic() + MODEL_RETRY_S
            return None
        self.model_problem = ""
        return model

    def _maintain(self) -> None:
        from genesys.engine import maintain

        self.activity = Activity("maintenance")
        index = self._opened()
        last = index.meta_get(LAST_PASS)
        self.clock_problem = self._guard.doubt(float(last) if last else None)
        if self.clock_problem:
            log.warning("%s", self.clock_problem)
            return
        with lease.hold(self.settings.index.parent):
            report = maintain.run(index, self.settings, self._clock())
        counts = len(report.changes), len(report.pruned), len(report.writes.written)
        log.info("maintenance: %d status changes, %d pruned, %d notes written", *counts)
        self._evolve(index)

    def _evolve(self, index: Index) -> None:
        """Once a day; what it finds is done where the person's settings say so, and else only logged."""
        now, mode = time.monotonic(), self.settings.evolve
        if mode == "off" or now < self._evolve_at:
            return
        from genesys.engine import evolving

        self._evolve_at = now + EVOLVE_EVERY_S
        with lease.hold(self.settings.index.parent):
            report = evolving.evolve(index, self.settings, self._clock(), apply=mode == "apply")
        counts = len(report.proposals), sum(p.done for p in report.proposals)
        if report.proposals:
            log.info("evolve: %d proposals, %d done (genesys evolve lists them)", *counts)

    def flush(self) -> WriteReport:
        """Write back what is due, without a new score; for the moment before the end."""
        from genesys.engine.writeback import write_due

        return write_due(self.settings, self._clock())

    # ------------------------------------------------------------------ the connection

    def _opened(self) -> Index:
        if self._index is None:
            self._owner.prepare()
            self._index = open_index(self.settings.index, machine_id=machine_id())
        return self._index

    def _close(self) -> None:
        if self._index is not None:
            with contextlib.suppress(Exception):  # it is given up either way
                self._index.close()
            self._index = None

    def _report(self, phase: str, done: int, total: int) -> None:
        self.activity = Activity(f"reading: {phase}", done, total)
