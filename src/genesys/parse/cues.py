"""Cue phrases: the words around a link that make it causal ("because of [[x]]", "led to [[y]]")."""

from __future__ import annotations

from genesys.model import Relation

__all__ = ["relations"]


def relations(sentence: str, start: int, end: int) -> tuple[Relation, ...]:
    """Return what the clause around the link at ``sentence[start:end)`` says of it, () for nothing."""
    return ()
