"""What each tool does: arguments in, engine called, answer out as prose and as structured content.

No protocol here and no decision of the engine's; :mod:`genesys.server` runs these on worker threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from genesys.engine.promote import Action, promote_note
from genesys.engine.session import Genesys
from genesys.errors import UsageError, WriteRefused
from genesys.model import Answer, EdgeType, Filters, Hit, Json, MemoryType
from genesys.quote import inline
from genesys.reports import WhyReport
from genesys.serving import prose, results
from genesys.serving.args import Scope, filters_of

__all__ = ["HANDLERS", "Call", "Place", "Question", "Reply", "delete_note", "forget_command"]

T = TypeVar("T")

CAUSES_FOR = 3  # hits of a full recall that come with causes; memory_explain has the others'


@dataclass(frozen=True, slots=True)
class Reply:
    """A tool's answer. ``notices`` join both forms."""

    text: str
    data: dict[str, Json]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A person must be asked before the call goes on."""

    path: str
    message: str
    command: str


class Place(Protocol):
    """Whoever has the memory open: a server's host, or a program's."""

    @property
    def activity(self) -> object:
        """What goes on behind the calls, in words."""

    def call(self, work: Callable[[Genesys], T]) -> T:
        """Run ``work`` on the memory."""
        ...

    def org(self) -> Genesys:
        """The shared vault's memory."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """One call's surroundings: the memory, the values of its arguments, where to say how far it is."""

    host: Place
    values: Mapping[str, Any]
    progress: Callable[[str, int, int], None] = field(default=lambda phase, done, total: None)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


# ------------------------------------------------------------------ reading


def recall(call: Call) -> Reply:
    filters = filters_of(call.values)
    found: list[tuple[Hit, str]] = []
    signals: dict[str, None] = {}
    notices: dict[str, None] = {}
    for vault in _vaults(Scope(call["scope"])):
        answer = _recall_one(call, vault, filters)
        found += [(hit, vault) for hit in answer.hits]
        signals |= dict.fromkeys(answer.signals)
        notices |= dict.fromkeys(answer.notices)
    found.sort(key=lambda pair: -pair[0].score)  # stable: each vault's own order holds at equal scores
    hits = found[: call["k"]]
    concise = call["verbosity"] == "concise"
    texts = prose.fit_passages([hit for hit, _ in hits], call["max_tokens"], passages=not concise)
    shown = [(hit, text, vault) for (hit, vault), text in zip(hits, texts, strict=True)]
    whys = _causes(call.host, hits) if call["verbosity"] == "full" else {}
    data: dict[str, Json] = {
        "query": call["query"],
        "signals": list(signals),
        "hits": [
            results.hit_data(hit, text, vault, whys.get(hit.path) if vault == "personal" else None)
            for hit, text, vault in shown
        ],
    }
    return Reply(prose.recall_text(call["query"], shown, list(signals), whys), data, tuple(notices))


def _vaults(scope: Scope) -> tuple[str, ...]:
    return ("personal", "org") if scope is Scope.BOTH else (scope.value,)


def _vectors(memory: Genesys) -> bool | None:
    """Whether to use the model: never wait for it to load."""
    return None if memory.warmed else False


def _recall_one(call: Call, vault: str, filters: Filters) -> Answer:
    """Recall from one vault; in the shared one it leaves no trace."""
    query, k = call["query"], call["k"]
    if vault == "org":
        # A second model in memory for a second vault is not worth it: the shared one has words and links.
        found = call.host.org().recall(query, k, filters, read_only=True, with_vectors=False)
        return replace(found, notices=("the shared vault was searched by words and links only",))

    def work(memory: Genesys) -> Answer:
        return memory.recall(query, k, filters, read_only=call["read_only"], with_vectors=_vectors(memory))

    return call.host.call(work)


def _causes(host: Place, hits: list[tuple[Hit, str]]) -> dict[str, WhyReport]:
    own = [hit.path for hit, vault in hits if vault == "personal"][:CAUSES_FOR]
    return {path: host.call(lambda m, p=path: m.why(p)) for path in own}  # type: ignore[misc]


def search(call: Call) -> Reply:
    k, offset = call["k"], call["offset"]
    notes = call.host.call(lambda m: m.search(call["query"], k, filters_of(call.values), offset=offset))
    more = len(notes) == k
    data: dict[str, Json] = {"notes": [results.note_data(n) for n in notes]}
    if more:
        data["next_offset"] = offset + k
    return Reply(prose.search_text(call["query"], notes, offset, more), data)


def context(call: Call) -> Reply:
    block = call.host.call(lambda m: m.context(call["query"], call["max_tokens"], call["session"]))
    text = block.text or f"Nothing in memory for {inline(call['query'])}."
    return Reply(text, results.context_data(block))


def traverse(call: Call) -> Reply:
    types = tuple(EdgeType(t) for t in call["edge_types"])

    def work(memory: Genesys) -> Reply:
        root = memory.resolve(call["node_id"])
        graph = memory.traverse(root, call["depth"], types, call["direction"])
        return Reply(prose.subgraph_text(root, graph), results.subgraph_data(root, graph))

    return call.host.call(work)


def explain(call: Call) -> Reply:
    def work(memory: Genesys) -> Reply:
        path = memory.resolve(call["node_id"])
        found, why = memory.explain(path), memory.why(path, call["depth"])
        # The score as of now, which the factors multiply to, and not as of the last maintenance pass.
        found = replace(found, note=replace(found.note, score=found.factors.score))
        return Reply(prose.explanation_text(found, why), results.explanation_data(found, why))

    return call.host.call(work)


def stats(call: Call) -> Reply:
    numbers, status = call.host.call(lambda m: (m.stats(), m.status()))
    doing = str(call.host.activity)
    return Reply(
        prose.stats_text(numbers, status.pending, doing), results.stats_data(numbers, status.pending, doing)
    )


def core(call: Call) -> Reply:
    found = call.host.call(lambda m: m.core(call["category"]))
    return Reply(prose.core_text(found), results.core_data(found))


# ------------------------------------------------------------------ writing


def store(call: Call) -> Reply:
    kind = MemoryType(call["memory_type"]) if call["memory_type"] else None
    stored = call.host.call(
        lambda m: m.remember(
            call["content"],
            title=call["title"],
            related=call["related"],
            category=call["category"],
            memory_type=kind,
            source_session=call["source_session"],
            tags=call["tags"],
            with_vectors=_vectors(m),
        )
    )
    return Reply(prose.stored_text(stored), results.stored_data(stored))


def amend(call: Call) -> Reply:
    stored = call.host.call(
        lambda m: m.amend(
            call["node_id"],
            call["content"],
            title=call["title"],
            source_session=call["source_session"],
            with_vectors=_vectors(m),
        )
    )
    return Reply(prose.stored_text(stored), results.stored_data(stored))


def pin(call: Call) -> Reply:
    note = call.host.call(lambda m: m.pin(call["node_id"]))
    return Reply(f"Pinned: {prose.note_line(note)}", {"note": results.note_data(note)})


def unpin(call: Call) -> Reply:
    note = call.host.call(lambda m: m.unpin(call["node_id"]))
    return Reply(f"No longer pinned: {prose.note_line(note)}", {"note": results.note_data(note)})


def delete(call: Call) -> Reply | Question:
    """A memory goes at once; a person's note comes back as a question to that person."""

    def work(memory: Genesys) -> Reply | Question:
        path = memory.resolve(call["node_id"])
        if memory.is_person_note(path):
            return Question(path, f"Move your note {inline(path, 1000)} to the trash?", forget_command(path))
        gone = memory.forget(path)
        return Reply(prose.deleted_text(gone), results.deleted_data(gone))

    return call.host.call(work)


def forget_command(path: str) -> str:
    """The command with which a person deletes the note; quoted for a POSIX shell."""
    import shlex

    return f"genesys forget {shlex.quote(path)} --yes"


def delete_note(host: Place, path: str, *, agreed: bool) -> Reply:
    """Finish a deletion that a person was asked about.

    Raises:
        WriteRefused: they did not agree.
    """
    if not agreed:
        raise WriteRefused(
            f"the person did not agree to delete {inline(path, 1000)}; nothing was changed",
            hint="leave the note as it is",
        )
    gone = host.call(lambda m: m.forget(path, allow_person_note=True))
    return Reply(prose.deleted_text(gone), results.deleted_data(gone))


def set_preferences(call: Call) -> Reply:
    given = {name: call[name] for name in ("auto", "approval", "excluded")}
    if all(value is None for value in given.values()):
        raise UsageError("no preference was given", hint="give at least one of auto, approval, excluded")

    def work(memory: Genesys) -> Reply:
        now = memory.core()
        lists = {name: getattr(now, name) if value is None else value for name, value in given.items()}
        found = memory.set_core_preferences(**lists)
        return Reply(prose.core_text(found), results.core_data(found))

    return call.host.call(work)


def promote(call: Call) -> Reply:
    action, dry_run = Action(call["action"]), call["dry_run"]
    done = call.host.call(
        lambda m: promote_note(m, call["node_id"], action, dry_run=dry_run, progress=call.progress)
    )
    data: dict[str, Json] = {
        "dry_run": done.dry_run,
        "action": done.action.value,
        "copied": [{"path": c.path, "target": c.target, "state": c.state} for c in done.copied],
        "kept_private": [{"path": k.path, "reason": k.reason} for k in done.kept_private],
        "links_removed": list(done.links_removed),
    }
    verb = "Would copy" if done.dry_run else "Shared"
    lines = [f"{verb} {len(done.copied)} memories (links: {done.action.value})."]
    lines += [f"- {inline(c.path, 1000)} to {inline(c.target, 1000)}: {c.state}" for c in done.copied]
    lines += [f"- stays private: {inline(k.path, 1000)} ({k.reason})" for k in done.kept_private]
    lines += [f"- link taken out: {inline(name, 1000)}" for name in done.links_removed]
    lines += ["Nothing was written. To do it, call again with dry_run false."] if done.dry_run else []
    if not done.dry_run:
        call.host.org().index(embed=False)
    return Reply("\n".join(lines), data)


HANDLERS: Mapping[str, Callable[[Call], Reply | Question]] = {
    "memory_recall": recall,
    "memory_search": search,
    "memory_context": context,
    "memory_store": store,
    "memory_amend": amend,
    "memory_traverse": traverse,
    "memory_explain": explain,
    "memory_stats": stats,
    "pin_memory": pin,
    "unpin_memory": unpin,
    "delete_memory": delete,
    "list_core_memories": core,
    "set_core_preferences": set_preferences,
    "promote_to_org": promote,
}
