"""The memory as functions of OpenAI's API, and of the many that speak it. Needs no ``openai`` package.

::

    tools = OpenAITools(memory)
    reply = client.chat.completions.create(model=…, messages=messages, tools=tools.definitions())
    for call in reply.choices[0].message.tool_calls or ():
        text = tools.call(call.function.name, call.function.arguments)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
"""

from __future__ import annotations

from typing import Any, Literal

from genesys.adapters.toolbox import Toolbox
from genesys.serving.args import schema_of

__all__ = ["OpenAITools"]


class OpenAITools(Toolbox):
    """Definitions to send, and :meth:`~genesys.adapters.toolbox.Toolbox.call` for what comes back."""

    def definitions(self, api: Literal["chat", "responses"] = "chat") -> list[dict[str, Any]]:
        """The tools as plain dictionaries, as chat completions want them, or the responses API."""
        functions = [
            {"name": s.name, "description": s.description, "parameters": schema_of(s.params)}
            for s in self.specs
        ]
        if api == "responses":
            return [{"type": "function", **function} for function in functions]
        return [{"type": "function", "function": function} for function in functions]
