"""What a prompt is given from the notes: the passages that are about it, or nothing.

Nothing is the usual answer. A note is shown where what speaks for it clears ``hook_bar``, and the same
passage once in a conversation. No trace is left: what was merely shown has not been used.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from genesys.engine.context import WHY_DEPTH, build
from genesys.engine.evidence import weigh
from genesys.engine.names import well_formed
from genesys.parse.chatter import topic_of
from genesys.quote import QUOTE_NOTICE, untagged
from genesys.reports import ContextBlock, CoreList

if TYPE_CHECKING:
    from genesys.engine.session import Genesys

__all__ = ["prompted"]

PASSAGES = 5  # hits looked at

HEAD = f"From the person's notes (Genesys), found for this prompt. {QUOTE_NOTICE}"
_NO_CORE = CoreList((), (), {}, (), (), ())


def prompted(memory: Genesys, prompt: str, session: str) -> ContextBlock:
    """The block for a prompt of a conversation; an empty one where no note is about it."""
    params = memory.settings.hooks
    topic = topic_of(well_formed(prompt))
    if not topic:
        return ContextBlock("", 0, ())
    answer = memory.recall(topic, PASSAGES, read_only=True, with_vectors=False)
    clear = [found.hit for found in weigh(memory, topic, answer.hits) if found.worth >= params.hook_bar]
    new = tuple(hit for hit in clear if not memory._given.knows(session, hit))
    causes = {hit.path: memory.why(hit.path, WHY_DEPTH).upstream for hit in new}
    block = build(_NO_CORE, replace(answer, hits=new), causes, params.hook_prompt_tokens, head=HEAD)
    memory._given.add(session, (hit for hit in new if hit.path in block.paths))
    return replace(block, text=untagged(block.text))
