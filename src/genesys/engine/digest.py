"""``digest``: conversations in, proposals out; what a person accepts becomes memories.

Files and the language model are read in the caller's process; the vault is asked and written through the
open memory, which may be a daemon's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from genesys.errors import DiskFull, GenesysError, UsageError, VaultNotFound
from genesys.model import EdgeType, MemoryType
from genesys.parse.digest.collect import conversations
from genesys.parse.digest.formats import read_events
from genesys.parse.digest.texts import episode_text, episode_title, mark_of, proposal_text, proposal_title
from genesys.parse.secrets import find_secret
from genesys.transcripts import Conversation, DigestReport, Kept, Problem, Proposal

if TYPE_CHECKING:
    from genesys.engine.session import Genesys, Progress
    from genesys.llm import Chat

__all__ = ["EPISODE", "digest"]

EPISODE = "conversation"  # category of the notes that keep conversations
CHUNK = 1024 * 1024  # bytes read at once
_FATAL = (DiskFull, VaultNotFound)  # nothing after it would succeed


def digest(
    memory: Genesys,
    files: Sequence[Path],
    *,
    apply: bool = False,
    only: Collection[int] = (),
    chat: Chat | None = None,
    progress: Progress | None = None,
) -> DigestReport:
    """What the conversations in ``files`` are worth remembering; with ``apply`` it is remembered, once.

    ``only`` are numbers of proposals; empty means all. With ``chat`` a language model is asked as well;
    where it fails, the rules' proposals stand and a notice says so.

    Raises:
        UsageError: a file is not there, or a number is none of a proposal. Besides what remembering raises
        for the whole vault; what concerns one memory is in the report.
    """
    talks, problems = _read(files, progress)
    notices: tuple[str, ...] = ()
    if chat is not None:
        from genesys.engine.digest_llm import add_proposals

        talks, notices = add_proposals(chat, talks, progress)
    talks = _numbered(_once(talks))
    total = sum(len(talk.proposals) for talk in talks)
    if wrong := sorted(n for n in only if not 1 <= n <= total):
        hint = f"there are proposals 1 to {total}" if total else "there are no proposals"
        raise UsageError(f"there is no proposal {wrong[0]}", hint=hint)
    talks = [_known(memory, talk) for talk in talks]
    if only:
        chosen = [replace(t, proposals=tuple(p for p in t.proposals if p.number in only)) for t in talks]
        talks = [talk for talk in chosen if talk.proposals]
    report = DigestReport(tuple(talks), (), tuple(problems), (), notices, apply)
    report = _applied(memory, report, progress) if apply else report
    return replace(report, conversations=tuple(replace(t, turns=()) for t in report.conversations))


# ------------------------------------------------------------------ reading


def _read(
    files: Sequence[Path], progress: Progress | None
) -> tuple[list[Conversation], list[tuple[str, Problem]]]:
    """Every conversation; a file that can't be read in the middle costs only what is behind."""
    for file in files:
        if not file.is_file():
            what = "a folder" if file.is_dir() else "not there"
            raise UsageError(f"{file} is {what}", hint="genesys digest takes files: transcripts or exports")
    talks: list[Conversation] = []
    problems: list[tuple[str, Problem]] = []
    for number, file in enumerate(files, 1):
        if progress:
            progress("read", number, len(files))
        try:
            for found in conversations(read_events(_chunks(file), file.stem), file.name):
                if isinstance(found, Problem):
                    problems.append((file.name, found))
                else:
                    talks.append(found)
        except OSError as error:
            problems.append((file.name, Problem(0, f"can't be read: {error.strerror or error}")))
    return talks, problems


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        yield from iter(partial(stream.read, CHUNK), b"")


def _once(talks: Sequence[Conversation]) -> Iterator[Conversation]:
    """Sessions that were resumed repeat what went before: the same words count once."""
    seen: set[tuple[str, str]] = set()
    for talk in talks:
        fresh: list[Proposal] = []
        for proposal in talk.proposals:
            key = (proposal.kind.value, " ".join(proposal.places[0].quote.split()))
            if key not in seen:
                seen.add(key)
                fresh.append(proposal)
        yield replace(talk, proposals=tuple(fresh))


def _numbered(talks: Iterator[Conversation]) -> list[Conversation]:
    """Proposals counted over all conversations; one that holds a secret is refused and shown without it."""
    done: list[Conversation] = []
    count = 0
    for talk in talks:
        proposals = [replace(_checked(p), number=n) for n, p in enumerate(talk.proposals, count + 1)]
        count += len(proposals)
        done.append(replace(talk, proposals=tuple(proposals)))
    return done


def _checked(proposal: Proposal) -> Proposal:
    secret = find_secret("\n".join((proposal.text, *(p.quote for p in proposal.places))))
    if not secret:
        return proposal
    places = tuple(replace(p, quote="…") for p in proposal.places)
    return replace(proposal, text="…", places=places, refused=f"it looks like {secret}")


def _known(memory: Genesys, talk: Conversation) -> Conversation:
    """The conversation with what the vault has of it, and with links to the notes that its words name."""
    session, asked = talk.head.session, talk.proposals
    known = memory.digest_known(session, [mark_of(session, p) for p in asked], [p.text for p in asked])
    proposals = (
        replace(p, known=holder, related=named)
        for p, holder, named in zip(asked, known.holders, known.named, strict=True)
    )
    return replace(talk, proposals=tuple(proposals), kept=known.episodes)


# ------------------------------------------------------------------ storing


def _applied(memory: Genesys, report: DigestReport, progress: Progress | None) -> DigestReport:
    kept: list[Kept] = []
    failed: list[tuple[int, str]] = []
    written: dict[str, Conversation] = {}  # a session that stands in two files is kept once
    for at, talk in enumerate(report.conversations, 1):
        if progress:
            progress("store", at, len(report.conversations))
        if talk.head.session in written:
            talk = replace(talk, kept=written[talk.head.session].kept)
        talk, found = _keep_episode(memory, talk, failed)
        written[talk.head.session] = talk
        kept += found
        for proposal in talk.proposals:
            if proposal.refused:
                continue
            if proposal.known:
                kept.append(Kept(proposal.number, proposal.known, False))
            elif (done := _keep(memory, talk, proposal, failed)) is not None:
                kept.append(done)
    return replace(report, kept=tuple(kept), failed=tuple(failed))


def _keep_episode(
    memory: Genesys, talk: Conversation, failed: list[tuple[int, str]]
) -> tuple[Conversation, list[Kept]]:
    """The conversation as a note, or what came to it since it was kept; with where its turns are now."""
    after = max((last for _, _, last in talk.kept), default=0)
    if after >= talk.count:
        return talk, [Kept(0, path, False) for path, _, _ in talk.kept]
    text = episode_text(talk, after)
    if find_secret(text):
        text = episode_text(talk, after, words=False)
    try:
        done = memory.remember(
            text,
            title=episode_title(talk.head, continued=after > 0),
            category=EPISODE,
            memory_type=MemoryType.EPISODIC,
            source_session=talk.head.session,
        )
    except _FATAL:
        raise
    except GenesysError as error:
        failed.append((0, error.message))
        return talk, []
    spans = (*talk.kept, (done.path, after + 1, talk.count))
    return replace(talk, kept=spans), [Kept(0, done.path, done.created, done.edges)]


def _keep(
    memory: Genesys, talk: Conversation, proposal: Proposal, failed: list[tuple[int, str]]
) -> Kept | None:
    turn = proposal.places[0].turn
    source = [path for path, first, last in talk.kept if first <= turn <= last]
    source = source or [path for path, _, _ in talk.kept][-1:]
    try:
        done = memory.remember(
            proposal_text(talk.head.session, proposal),
            title=proposal_title(proposal),
            related=[*((path, EdgeType.DERIVED_FROM) for path in source[:1]), *proposal.related],
            category=proposal.category,
            memory_type=proposal.memory_type,
            source_session=talk.head.session,
        )
    except _FATAL:
        raise
    except GenesysError as error:
        failed.append((proposal.number, error.message))
        return None
    own = {path for path, _, _ in talk.kept}  # in its own conversation the opposite was said on the way
    pairs = zip(done.possible_conflicts, done.conflict_reasons, strict=False)
    conflicts = tuple(reason for hit, reason in pairs if hit.path not in own)
    return Kept(proposal.number, done.path, done.created, done.edges, conflicts)
