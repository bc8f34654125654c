"""Lets the recording answer for tools while agent-replay replays a session with ``tools`` in its configuration.

Anywhere else a decorated function is the very function that it was: no copy, no call, no cost::

    @replay_tool
    def lookup_order(order_id: str) -> dict: ...

    @replay_tool(error=LookupError)   # what it raises when the recorded call failed
    async def refund_order(order_id: str, amount: float) -> dict: ...

Under the decorator of a framework, not over it: it keeps the signature and the docstring that those read.
"""

from __future__ import annotations

import asyncio
import builtins
import dataclasses
import functools
import http.client
import inspect
import json
import os
import re
import urllib.request
from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

from ._wire import wire_names
from .tracing import running_replay

_F = TypeVar("_F", bound=Callable[..., Any])

# A runner only looks values up in memory. One that takes longer is gone or stopped.
_ANSWER_SECONDS = 30


class ToolNotReplayed(Exception):
    """The tool did not run: the recording should answer and does not hold the call, or nobody could be asked."""


@overload
def replay_tool(function: _F, /) -> _F: ...
@overload
def replay_tool(
    *,
    name: str | None = None,
    error: type[Exception] | None = None,
    arguments: Callable[..., object] | None = None,
    run_id: Callable[[], str | None] = running_replay,
    brand: str = "svc",
) -> Callable[[_F], _F]: ...
def replay_tool(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    error: type[Exception] | None = None,
    arguments: Callable[..., object] | None = None,
    run_id: Callable[[], str | None] = running_replay,
    brand: str = "svc",
) -> Any:
    """Wraps a function, ``async`` or not, so that the recording may answer for it.

    - ``name``: the one under which its calls stand in the traces; by default that of the function.
    - ``error``: the exception that a recorded failure is raised as. By default the one that the recording names, where it
      is one of Python's own, and ``Exception`` otherwise.
    - ``arguments``: what a call is looked up by, from what the function is given. By default its arguments by their names.
    - ``run_id``: the replay that a call belongs to. By default the one in whose context it is made, which
      ``replay_endpoint`` knows.

    Raises ``TypeError`` for a generator: wrap the function that collects what it yields.
    """

    def wrap(tool: Any) -> Any:
        if inspect.isgeneratorfunction(tool) or inspect.isasyncgenfunction(tool):
            raise TypeError(f"{tool.__name__} yields its result piece by piece: wrap the function that collects the pieces.")
        url = os.environ.get("AGENT_REPLAY_TOOLS_URL")
        if not url:
            return tool
        asking = _Asking(url, name or tool.__name__, error, arguments or _by_name(tool), run_id, brand)
        asking.announce()
        return asking.standing_in_for(tool)

    return wrap if function is None else wrap(function)


@dataclasses.dataclass(frozen=True)
class _Asking:
    """Asks where the result of a call comes from."""

    url: str
    name: str
    error: type[Exception] | None
    arguments: Callable[..., object]
    run_id: Callable[[], str | None]
    brand: str

    def standing_in_for(self, tool: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(tool)
        def stand_in(*args: Any, **kwargs: Any) -> Any:
            answer = self.ask(self.run_id(), self.arguments(*args, **kwargs))
            if answer["policy"] == "recorded":
                return answer.get("result")
            result = tool(*args, **kwargs)
            self.tell(self.run_id(), answer, result)
            return result

        @functools.wraps(tool)
        async def async_stand_in(*args: Any, **kwargs: Any) -> Any:
            answer = await asyncio.to_thread(self.ask, self.run_id(), self.arguments(*args, **kwargs))
            if answer["policy"] == "recorded":
                return answer.get("result")
            result = await tool(*args, **kwargs)
            await asyncio.to_thread(self.tell, self.run_id(), answer, result)
            return result

        return async_stand_in if inspect.iscoroutinefunction(tool) else stand_in

    def ask(self, run_id: str | None, arguments: object) -> dict[str, Any]:
        """Returns a recorded result, or leave to run. Raises the recorded error, or ``ToolNotReplayed``."""
        answer = self._post({"name": self.name, "arguments": arguments, **self._of(run_id)})
        if answer.get("policy") == "recorded" and answer.get("error") is not None:
            raise self._recorded(str(answer["error"]))
        if answer.get("policy") not in ("recorded", "live"):
            raise ToolNotReplayed(answer.get("message", f"{self.name} did not run: agent-replay gave an answer that cannot be read ({answer})."))
        return answer

    def tell(self, run_id: str | None, answer: dict[str, Any], result: object) -> None:
        """Reports a result, so that ids in it are recognised later. Results do not depend on its arrival."""
        if "ticket" in answer:
            self._try({**self._of(run_id), "ticket": answer["ticket"], "result": result})

    def announce(self) -> None:
        """Reports a wrapped tool. A tool that was not reported is not trusted."""
        self._try({"wrapped": [self.name]})

    def _try(self, body: dict[str, object]) -> None:
        try:
            self._post(body)
        except ToolNotReplayed:
            pass

    def _of(self, run_id: str | None) -> dict[str, object]:
        return {} if run_id is None else {wire_names(self.brand).replay_run_id: run_id}

    def _recorded(self, told: str) -> Exception:
        """The recorded error, however the agent's tracing writes errors: ``LookupError: There is no order 7.``"""
        named = re.fullmatch(r"([A-Z]\w*): (.*)", told, re.DOTALL)
        kind = getattr(builtins, named[1], None) if named else None
        known = kind if isinstance(kind, type) and issubclass(kind, Exception) else None
        is_own = named is not None and (known is not None or (self.error is not None and named[1] == self.error.__name__))
        try:
            return (self.error or known or Exception)(named[2] if named and is_own else told)
        except TypeError:
            # Some need more than a message, such as UnicodeDecodeError.
            return Exception(told)

    def _post(self, body: dict[str, object]) -> dict[str, Any]:
        token = os.environ.get("AGENT_REPLAY_TOOLS_TOKEN", "")
        headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
        try:
            data = json.dumps(body, default=_plain).encode()
            request = urllib.request.Request(self.url, data, headers)
            with _direct.open(request, timeout=_ANSWER_SECONDS) as answer:
                return cast("dict[str, Any]", json.load(answer))
        except (OSError, ValueError, TypeError, http.client.HTTPException) as cause:
            raise ToolNotReplayed(
                f"{self.name} did not run: agent-replay, which has its recorded results, does not answer ({cause})."
            ) from cause


# Never through a proxy: the runner is on this machine, or at the address in its variable.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _by_name(tool: Callable[..., Any]) -> Callable[..., object]:
    signature = inspect.signature(tool)
    kinds = {each.name: each.kind for each in signature.parameters.values()}

    def arguments(*args: Any, **kwargs: Any) -> dict[str, object]:
        named: dict[str, object] = {}
        for key, value in signature.bind(*args, **kwargs).arguments.items():
            if kinds[key] is inspect.Parameter.VAR_KEYWORD:
                named.update(value)
            elif key not in ("self", "cls"):
                named[key] = value
        return named

    return arguments


def _plain(value: Any) -> object:
    """What JSON cannot express, as frameworks trace it."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
