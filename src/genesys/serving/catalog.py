"""The tools: names, what each says of itself, its arguments, its results. Pure data, held by a snapshot test.

A description is read alone, by a model that has never seen Genesys: when to use the tool, what it needs,
what comes back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from genesys.model import Kind, MemoryType, Status
from genesys.serving import results
from genesys.serving.args import EDGE_TYPES, Param, Scope, Shape

__all__ = ["BODY_MAX", "QUERY_MAX", "TOOLS", "ToolSpec"]

QUERY_MAX = 4_000  # characters; a longer question has no more to say to an index
BODY_MAX = 100_000  # characters of one memory; a longer one is a document, not a memory

STATUSES = tuple(s.value for s in Status)
KINDS = tuple(k.value for k in Kind)
MEMORY_TYPES = tuple(t.value for t in MemoryType)
ACTIONS = ("keep_private", "promote_all", "delete_links")


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. The four booleans are MCP's annotations; ``read`` says that a failed call may be retried."""

    name: str
    title: str
    description: str
    params: tuple[Param, ...]
    output: dict[str, Any]
    read: bool
    destructive: bool = False
    idempotent: bool = True


_NODE = Param(
    "node_id",
    Shape.TEXT,
    "the note: its path, or anything a wikilink accepts (name, partial path, alias, with or without .md)",
    required=True,
)
_FILTERS = (
    Param("status", Shape.CHOICES, "only notes of these statuses", (), choices=STATUSES),
    Param("kind", Shape.CHOICE, "only the person's notes, or only stored memories", choices=KINDS),
    Param("category", Shape.TEXT, "only notes of this category", high=200),
    Param("tag", Shape.TEXT, "only notes with this tag or one below it (a also finds a/b)", high=200),
    Param("folder", Shape.TEXT, "only notes below this folder of the vault"),
    Param(
        "since",
        Shape.WHEN,
        "only notes created since: a date (2026-03-01) or an age (30d)",
        None,
    ),
    Param("active_since", Shape.WHEN, "only notes edited or recalled since; written like since", None),
    Param("entity", Shape.TEXT, "only notes that link to or name this note, person or thing", high=200),
)
_CONTENT = Param(
    "content",
    Shape.BODY,
    f"the whole memory, as markdown (up to {BODY_MAX:,} characters)",
    required=True,
    high=BODY_MAX,
)
_TAGS = Param("tags", Shape.WORDS, "tags for the memory, without #", ())
_SESSION = Param(
    "source_session", Shape.TEXT, "an id of this conversation; joins its memories in order", high=200
)

_RECALL = ToolSpec(
    "memory_recall",
    "Recall from memory",
    """Find what the person's notes and your stored memories say about something. Use it before you answer \
anything that may depend on earlier work, decisions, people, plans or preferences, and before you \
store a memory. Needs: query, a question or a few words in any language. Returns the best notes, \
each with path, passage, heading and lines, score, status, date, why it was found, and what \
supersedes it. Finds by meaning, by words and along links, and says which of these it could use. \
Nothing found is a real answer: don't invent. A recalled note is remembered better afterwards; \
read_only leaves no such trace.""",
    (
        Param("query", Shape.TEXT, "what to look for", required=True, high=QUERY_MAX),
        Param("k", Shape.NUMBER, "how many notes (1 to 50)", 8, low=1, high=50),
        Param(
            "verbosity",
            Shape.CHOICE,
            "concise: paths and one line each; normal: passages; full: passages with causes and effects",
            "normal",
            choices=("concise", "normal", "full"),
        ),
        Param("max_tokens", Shape.NUMBER, "size of the answer (200 to 20000)", 4_000, low=200, high=20_000),
        *_FILTERS,
        Param(
            "scope",
            Shape.CHOICE,
            "personal: this vault; org: the shared vault; both (the last two where a shared vault is set up)",
            "personal",
            choices=tuple(s.value for s in Scope),
        ),
        Param("read_only", Shape.FLAG, "leave no trace of this recall in the notes' scores", False),
    ),
    results.RECALL,
    read=True,
)
_SEARCH = ToolSpec(
    "memory_search",
    "List and filter notes",
    """List notes by words and filters. Use it to browse (what is new, what is in a folder, what is tagged, \
which memories exist) or to find a note's path; to answer a question use memory_recall. Needs \
nothing: an empty query lists by time, newest first. Returns path, title, kind, status, score and \
last activity of each, with offset to page on. Changes nothing.""",
    (
        Param("query", Shape.TEXT, "words to look for; empty lists the newest", high=QUERY_MAX),
        Param("k", Shape.NUMBER, "how many notes (1 to 100)", 20, low=1, high=100),
        Param("offset", Shape.NUMBER, "how many to skip", 0, low=0, high=100_000),
        *_FILTERS,
    ),
    results.SEARCH,
    read=True,
)
_CONTEXT = ToolSpec(
    "memory_context",
    "Context for a task",
    """One block of text with what matters for a task: the core memories, the best passages, and the cause \
of each in a line. Use it once when a conversation or a task begins; for a particular question use \
memory_recall. Needs: query, the task or topic. Returns the block, at most max_tokens long, and the \
paths it came from; the same text for the same notes. Changes nothing.""",
    (
        Param("query", Shape.TEXT, "the task or topic", required=True, high=QUERY_MAX),
        Param("max_tokens", Shape.NUMBER, "size of the block (100 to 8000)", 800, low=100, high=8_000),
        Param("session", Shape.TEXT, "a source_session: its stored memories are listed too", high=200),
    ),
    results.CONTEXT,
    read=True,
)
_STORE = ToolSpec(
    "memory_store",
    "Store a memory",
    """Write a new memory as a note in the vault, where the person can read, edit and delete it. Use it \
when something worth keeping was decided, learned or asked for: one fact, decision or lesson each, \
understandable on its own, with the reason. Not for secrets, chatter or what a note already says; to \
correct a memory use memory_amend. Needs: content. Say what it comes from with related, e.g. [{"id": \
"Why we left Oracle", "type": "caused_by"}], read as: the new memory is caused_by that note; a note \
or type that doesn't exist is refused and nothing is written. Returns its path, links, and existing \
notes it may contradict. Storing the same content again returns the memory that is there.""",
    (
        Param(
            "content",
            Shape.BODY,
            f"the memory, as markdown (up to {BODY_MAX:,} characters)",
            required=True,
            high=BODY_MAX,
        ),
        Param("title", Shape.TEXT, "a short title; made from the content where empty", high=200),
        Param("related", Shape.RELATIONS, 'what it relates to: [{"id", "type"}]', ()),
        Param("category", Shape.TEXT, "a category of the person's own, e.g. preference, decision", high=200),
        Param("memory_type", Shape.CHOICE, "what sort of knowledge it is", choices=MEMORY_TYPES),
        _TAGS,
        _SESSION,
    ),
    results.STORED,
    read=False,
    idempotent=True,
)
_AMEND = ToolSpec(
    "memory_amend",
    "Correct a memory",
    """Replace what a memory or note says by writing a new memory that supersedes it. Use it when something \
stored has become wrong or outdated. Needs: node_id, what is corrected, and content, the whole new \
text, not a patch. The old note stays unchanged and is linked from the new one; recall then prefers \
the new one and says so. Returns the new memory's path.""",
    (
        _NODE,
        Param(
            "content",
            Shape.BODY,
            f"the corrected memory (up to {BODY_MAX:,} characters)",
            required=True,
            high=BODY_MAX,
        ),
        Param("title", Shape.TEXT, "a new title; the old one's where empty", high=200),
        _SESSION,
    ),
    results.STORED,
    read=False,
)
_TRAVERSE = ToolSpec(
    "memory_traverse",
    "Walk the graph",
    """The notes around a note and every edge among them. Use it to see how things hang together: what led \
to a decision, what follows from it, what contradicts it. Needs: node_id. Edges read source, type, \
target: "A caused_by B" says that B is the cause. Each carries its weight, who says so, and the \
sentence that says it. Returns nodes and edges, at most 200 nodes. Changes nothing.""",
    (
        _NODE,
        Param("depth", Shape.NUMBER, "steps from the note (1 to 5)", 2, low=1, high=5),
        Param("edge_types", Shape.CHOICES, "only these types; all where empty", (), choices=EDGE_TYPES),
        Param(
            "direction",
            Shape.CHOICE,
            "out: along the edges; in: against them; both",
            "both",
            choices=("both", "out", "in"),
        ),
    ),
    results.SUBGRAPH,
    read=True,
)
_EXPLAIN = ToolSpec(
    "memory_explain",
    "Explain a note's standing",
    """Why a note exists and why it is remembered or fades. Use it when asked why something was decided, \
why a note ranks as it does, or what would be lost without it. Needs: node_id. Returns its causes \
and effects with the sentences that say so, the factors whose product is its score, the thresholds \
of its status, what will become of it, and removal_impact: the notes that would lose their last \
cause or only link. Changes nothing.""",
    (_NODE, Param("depth", Shape.NUMBER, "steps of causes and effects (1 to 6)", 3, low=1, high=6)),
    results.EXPLANATION,
    read=True,
)
_STATS = ToolSpec(
    "memory_stats",
    "Memory statistics",
    """Returns numbers of the whole memory: notes, memories, passages, edges by type, notes by status, core \
and pinned notes, scores, and how far indexing has come. Use it when asked about the state of the \
memory, or when recall finds less than it should. Needs nothing. Changes nothing.""",
    (),
    results.STATS,
    read=True,
)
_PIN = ToolSpec(
    "pin_memory",
    "Pin a note",
    """Keep a note from ever fading: it becomes core and stays so. Use it when the person says that \
something must not be forgotten. Needs: node_id. Returns the note's new state. Undo with \
unpin_memory.""",
    (_NODE,),
    results.NOTE,
    read=False,
)
_UNPIN = ToolSpec(
    "unpin_memory",
    "Unpin a note",
    """Take back a pin: the note is scored like any other again, and stays core only if it earns it. Use it \
when the person says that something pinned no longer matters. Needs: node_id. Returns the note's new \
state.""",
    (_NODE,),
    results.NOTE,
    read=False,
)
_DELETE = ToolSpec(
    "delete_memory",
    "Delete a memory",
    """Move a note to the vault's trash. Use it only when the person asks to delete or forget that very \
note; what has become wrong is corrected with memory_amend. Needs: node_id. A stored memory goes at \
once; for a note that the person wrote they are asked first, and where your client can't ask, \
nothing happens and you get the command they can run. Returns where it went, how to undo it, and \
which notes linked to it.""",
    (_NODE,),
    results.DELETED,
    read=False,
    destructive=True,
    idempotent=False,
)
_CORE = ToolSpec(
    "list_core_memories",
    "List core memories",
    """The few notes that matter most: pinned ones, those that earned it, and those of categories that are \
always core. Use it to learn who the person is and what they hold to. Needs nothing; category \
narrows it. Returns each with the reason it is core, notes proposed for it, and the preferences. \
Changes nothing.""",
    (Param("category", Shape.TEXT, "only this category", high=200),),
    results.CORE,
    read=True,
)
_PREFERENCES = ToolSpec(
    "set_core_preferences",
    "Set core preferences",
    """Set which categories of notes become core by themselves (auto), are only proposed (approval), or \
never become core by score (excluded). Use it when the person says so. Needs at least one list of \
category names; a list replaces the former one, one left out stays as it is. Returns the core notes \
and preferences that result.""",
    (
        Param("auto", Shape.WORDS, "categories that are always core", None),
        Param("approval", Shape.WORDS, "categories that are proposed for core", None),
        Param("excluded", Shape.WORDS, "categories that never become core", None),
    ),
    results.CORE,
    read=False,
)
_PROMOTE = ToolSpec(
    "promote_to_org",
    "Share a memory",
    """Copy a stored memory into the shared vault of the person's team, if one is set up. Use it only when \
the person asks to share it. Needs: node_id. action says what becomes of its links: keep_private \
copies the memory and leaves its links as they are written, promote_all also copies the memories it \
links to, delete_links takes the links out of the copy. A note that the person wrote is never \
copied. By default a dry run that writes nothing: show the person what would be, then call again \
with dry_run false. Returns what is copied where, and what stays private.""",
    (
        _NODE,
        Param("action", Shape.CHOICE, "what becomes of its links", "keep_private", choices=ACTIONS),
        Param("dry_run", Shape.FLAG, "only say what would be copied", True),
    ),
    results.PROMOTED,
    read=False,
)

TOOLS: tuple[ToolSpec, ...] = (
    _RECALL,
    _SEARCH,
    _CONTEXT,
    _STORE,
    _AMEND,
    _TRAVERSE,
    _EXPLAIN,
    _STATS,
    _PIN,
    _UNPIN,
    _DELETE,
    _CORE,
    _PREFERENCES,
    _PROMOTE,
)
