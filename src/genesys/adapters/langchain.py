"""The memory as LangChain tools; needs the extra ``langchain`` (``langchain-core``).

::

    agent = create_agent(model, tools=memory_tools(memory))
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any

from genesys.adapters.toolbox import Toolbox
from genesys.api import Memory
from genesys.errors import UsageError
from genesys.serving.args import schema_of

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

__all__ = ["memory_tools"]


def memory_tools(memory: Memory, only: Collection[str] = ()) -> list[StructuredTool]:
    """One ``StructuredTool`` for each tool of the memory, or for those named in ``only``.

    Raises:
        UsageError: ``langchain-core`` is not installed, or a name is no tool's.
    """
    try:
        from langchain_core.tools import StructuredTool
    except ImportError:
        raise UsageError(
            "LangChain is not installed", hint="pip install 'genesys-vault[langchain]'"
        ) from None
    box = Toolbox(memory, only)
    return [
        StructuredTool(
            name=spec.name,
            description=spec.description,
            args_schema=schema_of(spec.params),
            func=_function(box, spec.name),
        )
        for spec in box.specs
    ]


def _function(box: Toolbox, name: str) -> Callable[..., str]:
    call = partial(box.call, name)

    def run(**arguments: Any) -> str:
        return call(arguments)

    return run
